/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profile differences: the old report's own table, exposures, scatter between profiles,
 * corrections.
 */
#include "unit/analysis/case_data.h"

#include "analysis/profdiff.h"

#define MOST 256

struct table {
    char name[MOST][64];
    const char *names[MOST];
    double before[MOST], after[MOST];
    size_t n;
};

/* delta and percent of the case file, turned back into ticks before and after. */
static void read_seed(struct table *table)
{
    FILE *in = case_open(".", "seed4-diffprofile.csv");
    struct case_table *row = mem_new(struct case_table);

    table->n = 0;
    assert_true(case_line(in, row->name, &row->columns));
    while (case_line(in, row->field, &row->columns)) {
        double delta = case_number(row, "delta_ticks"), percent = case_number(row, "pct");
        double before = percent == 0.0 ? 0.0 : round(100.0 * delta / percent);

        snprintf(table->name[table->n], sizeof table->name[0], "%s", case_get(row, "symbol"));
        table->names[table->n] = table->name[table->n];
        table->before[table->n] = before;
        table->after[table->n++] = before + delta;
    }
    mem_free(row);
    fclose(in);
}

static void matches_the_old_report(void **state)
{
    static struct table table;
    struct profdiff_result got;
    json_t *expected = case_json(".", "seed-expected.json");
    const json_t *profile = json_object_get(json_object_get(expected, "seed4"), "diffprofile"),
                 *row;
    const json_t *rank = json_object_get(json_object_get(profile, "rank_by_abs_z"), "value");
    const json_t *idle = json_object_get(json_object_get(profile, "idle_ticks"), "value");
    size_t i, significant = 0;

    (void)state;
    read_seed(&table);

    const struct profdiff_profile profiles[] = {
        {table.before, 1.0, false},
        {table.after,  1.0, true }
    };

    profdiff_compare(table.names, table.n, profiles, 2, PROFDIFF_BONFERRONI, 5000, &got);
    assert_true(got.poisson_only && got.phi == 1.0);
    assert_int_equal(table.n - 2, got.n); /* idle and total are summed apart */
    json_array_foreach(rank, i, row)
    {
        const char *name = json_string_value(json_array_get(row, 0));

        if (i < 7) /* below, printed percents are too coarse to settle the order */
            assert_string_equal(name, table.names[got.row[i].symbol]);
        for (size_t r = 0; r < got.n; r++)
            if (strcmp(table.names[got.row[r].symbol], name) == 0) {
                case_near(name, json_number_value(json_array_get(row, 4)), got.row[r].z,
                          0.03 * fabs(json_number_value(json_array_get(row, 4))));
                case_near(name, json_number_value(json_array_get(row, 1)), got.row[r].delta, 1e-9);
            }
    }
    case_near("idle before", json_number_value(json_object_get(idle, "without")), got.idle_before,
              172.0);
    case_near("idle after", json_number_value(json_object_get(idle, "with")), got.idle_after,
              237.0);
    case_near("idle share", 0.907,
              (got.idle_after - got.idle_before) / (got.total_after - got.total_before), 0.002);
    assert_true(got.row[3].is_new && isnan(got.row[3].percent)); /* move_vma_start */
    for (size_t r = 0; r < got.n; r++)
        significant += got.row[r].p_adjusted <= 0.05;
    assert_true(significant >= 7 && significant <= 11); /* eight, give or take |z| in 4.2 to 4.8 */
    profdiff_done(&got);
    json_decref(expected);
}

static void exposure_is_taken_into_account(void **state)
{
    (void)state;
    case_near("same rate", 0.0, profdiff_z(100, 200, 1000, 2000), 1e-12);
    case_near("z", (200.0 * 0.5 - 50.0) / sqrt(200.0 * 0.25 + 50.0),
              profdiff_z(50, 200, 1000, 2000), 1e-12);
    case_near("no ticks", 0.0, profdiff_z(0, 0, 1, 1), 0.0);
    case_near("p of equal counts", 1.0, profdiff_p(20, 20, 1, 1), 1e-12);
    case_near("p of 0 against 10", 2.0 / 1024.0, profdiff_p(0, 10, 1, 1), 1e-12);
}

static void scatter_between_profiles_makes_it_less_sure(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const double quiet1[] = {100, 200, 300, 400}, quiet2[] = {101, 199, 301, 399};
    static const double wild1[] = {50, 300, 150, 600}, wild2[] = {150, 100, 450, 200};
    static const double after1[] = {200, 200, 300, 400}, after2[] = {201, 199, 301, 399};
    const struct profdiff_profile calm[] = {
        {quiet1, 1, false},
        {quiet2, 1, false},
        {after1, 1, true },
        {after2, 1, true }
    };
    const struct profdiff_profile storm[] = {
        {wild1,  1, false},
        {wild2,  1, false},
        {after1, 1, true },
        {after2, 1, true }
    };
    struct profdiff_result a, b;

    (void)state;
    profdiff_compare(names, 4, calm, 4, PROFDIFF_BH, 0, &a);
    profdiff_compare(names, 4, storm, 4, PROFDIFF_BH, 0, &b);
    assert_true(!a.poisson_only && a.phi == 1.0);
    assert_true(b.phi > 10.0);
    assert_string_equal("a", names[a.row[0].symbol]);
    assert_true(a.row[0].p_adjusted < 0.001 && b.row[0].p_adjusted > 0.05);
    assert_true(b.row[0].z < a.row[0].z);
    profdiff_done(&a);
    profdiff_done(&b);
}

static void correction_counts_symbols_that_exist_not_those_listed(void **state)
{
    static const char *const names[] = {"x", "y"};
    static const double before[] = {10, 100}, after[] = {30, 100};
    const struct profdiff_profile profiles[] = {
        {before, 1, false},
        {after,  1, true }
    };
    struct profdiff_result few, many;

    (void)state;
    profdiff_compare(names, 2, profiles, 2, PROFDIFF_BH, 0, &few);
    profdiff_compare(names, 2, profiles, 2, PROFDIFF_BH, 1000, &many);
    assert_true(few.row[0].p_adjusted < 0.05 && many.row[0].p_adjusted == 1.0);
    profdiff_done(&few);
    profdiff_done(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_the_old_report),
        cmocka_unit_test(exposure_is_taken_into_account),
        cmocka_unit_test(scatter_between_profiles_makes_it_less_sure),
        cmocka_unit_test(correction_counts_symbols_that_exist_not_those_listed),
    };

    return cmocka_run_group_tests_name("profdiff", tests, NULL, NULL);
}
