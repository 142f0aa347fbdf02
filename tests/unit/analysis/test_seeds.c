/* SPDX-License-Identifier: GPL-3.0-or-later
 * The four old reports: figures that follow from their printed runs
 * (tests/cases/seed-expected.json). */
#include "analysis/modes.h"
#include "analysis/order.h"
#include "analysis/rounds.h"
#include "analysis/signed_rank.h"
#include "analysis/split_where.h"
#include "unit/analysis/judge_case.h"

static void near(const char *what, double got, double want, double tol)
{
    if (!(fabs(got - want) <= tol))
        fail_msg("%s: want %g within %g, got %.8g", what, want, tol, got);
}

/* One-host tables made of the reports: imported as blocked data, seconds (or a rate). */
static struct frame *read_table(const char *file, const char *base, struct case_table *table)
{
    FILE *in = case_open(".", file);
    struct frame *frame = frame_new();

    assert_true(case_line(in, table->name, &table->columns));
    while (case_line(in, table->field, &table->columns)) {
        const size_t row = frame_add_row(frame);

        frame->variant[row] = strcmp(case_get(table, "variant"), base) != 0;
        frame->round[row] = (uint32_t)case_number(table, "round");
        frame->position[row] = (uint32_t)case_number(table, "position");
        for (size_t i = 4; i < table->columns; i++) {
            const size_t column = frame_number_column(frame, table->name[i]);

            frame->number[column].v[row] = case_number(table, table->name[i]);
        }
    }
    fclose(in);
    frame->first_seq = 1;
    return frame;
}

static struct answer *judge_one(const struct frame *frame, const char *metric, bool higher)
{
    static const char *const variants[] = {"A", "B"};
    CLEAN(fact_set) struct fact_set *facts = fact_set_new();
    const struct judge_host host = {.name = "one", .facts = facts, .measured = true};
    const struct judge_options options = {.experiment = "seed",
                                          .run = 1,
                                          .seed = 1,
                                          .alpha = 0.05,
                                          .min_effect = 0.01,
                                          .metric = metric,
                                          .higher_is_better = higher,
                                          .variant = variants,
                                          .n_variants = 2,
                                          .control = SIZE_MAX};
    CLEAN(judge) struct judge *judge = NULL;
    struct answer *answer = NULL;
    struct err err = {0};

    if (judge_new(&options, &host, 1, &judge, &err) < 0 || judge_add(judge, 0, frame, &err) < 0 ||
        judge_finish(judge, &answer, &err) < 0)
        fail_msg("%s", err.text);
    return answer;
}

static void seed1_is_inconclusive_and_all_waiting(void **state)
{
    struct case_table *table = mem_new(struct case_table);
    CLEAN(frame) struct frame *frame = read_table("seed1-samples.csv", "r11088", table);
    CLEAN(answer) struct answer *answer = judge_one(frame, "elapsed_s", false);
    const struct host_answer *host = &answer->comparison[0].host[0];

    (void)state;
    assert_string_equal(design_name(host->design), "blocked");
    assert_string_equal(verdict_name(host->verdict), "inconclusive");
    assert_true(strstr(host->reasons.v[0], "not interleaved") != NULL);
    assert_true(strncmp(answer->comparison[0].sentence, "0 of 1 host", 11) == 0);
    near("mean ln ratio", host->effect, 0.2898, 0.002);
    near("lo", host->ci.lo, 0.05747, 0.002);
    near("hi", host->ci.hi, 0.52212, 0.002);
    near("p", host->p, 0.01689, 0.01689 * 0.03);
    near("ess A", host->n_effective[0], 11.16, 0.05);
    near("ess B", host->n_effective[1], 14.43, 0.05);
    near("elapsed", host->where.elapsed.delta_s * 1e6, 55597, 60);
    near("elapsed lo", host->where.elapsed.ci.lo * 1e6, 11475, 100);
    near("elapsed hi", host->where.elapsed.ci.hi * 1e6, 99718, 100);
    near("user", host->where.user.delta_s * 1e6, -2450, 30);
    near("sys", host->where.sys.delta_s * 1e6, 1575, 30);
    near("wait", host->where.wait.delta_s * 1e6, 56472, 60);
    near("wait lo", host->where.wait.ci.lo * 1e6, 13271, 100);
    assert_string_equal(time_class_name(host->where.class), "wait");
    assert_true(host->modes.found);
    assert_true(host->modes.threshold > 0.136809 && host->modes.threshold < 0.163449);
    near("slow share A", host->modes.share[0], 0.1, 0.026);
    assert_true(host->modes.share[1] >= 17.0 / 40 && host->modes.share[1] <= 22.0 / 40);
    near("fast mode", host->modes.fast_effect, -0.0134, 0.004);
    assert_true(host->modes.fast_ci.lo < host->modes.fast_effect &&
                host->modes.fast_effect < host->modes.fast_ci.hi);
    assert_true(strlist_has(&host->notes, "streaky") && strlist_has(&host->notes, "two-modes"));
    mem_free(table);
}

static void seed1_streaks_by_the_exact_runs_test(void **state)
{
    struct case_table *table = mem_new(struct case_table);
    CLEAN(frame) struct frame *frame = read_table("seed1-samples.csv", "r11088", table);
    const double *elapsed = frame_find_number(frame, "elapsed_s");
    unsigned char side[2][64];
    size_t n[2] = {0, 0}, slow[2] = {0, 0};
    double mean[2] = {0, 0};

    (void)state;
    for (size_t i = 0; i < frame->n; i++) {
        const uint32_t arm = frame->variant[i];

        mean[arm] += elapsed[i] / 40;
        slow[arm] += elapsed[i] > 0.160;
        side[arm][n[arm]++] = elapsed[i] > 0.160;
    }
    assert_int_equal(n[0], 40);
    assert_int_equal(slow[0], 4);
    assert_int_equal(slow[1], 21);
    near("mean A", mean[0] * 1e6, 141889.375, 0.5);
    near("mean B", mean[1] * 1e6, 197486.025, 0.5);
    near("runs A", order_runs_p(side[0], 40), 2.18842e-05, 2.18842e-05 * 0.02);
    near("runs B", order_runs_p(side[1], 40), 1.71791e-05, 1.71791e-05 * 0.02);
    mem_free(table);
}

static void seed2_throughput_fell_but_was_not_interleaved(void **state)
{
    struct case_table *table = mem_new(struct case_table);
    CLEAN(frame) struct frame *frame = read_table("seed2-samples.csv", "2074b6e38668e62", table);
    CLEAN(answer) struct answer *answer = judge_one(frame, "per_thread_ops", true);
    const struct host_answer *host = &answer->comparison[0].host[0];
    const double *ops = frame_find_number(frame, "per_thread_ops");
    double ln[2][16];
    size_t n[2] = {0, 0};

    (void)state;
    for (size_t i = 0; i < frame->n; i++)
        ln[frame->variant[i]][n[frame->variant[i]]++] = (frame->variant[i] ? 1 : -1) * log(ops[i]);
    assert_int_equal(n[0], 5);
    assert_int_equal(n[1], 5);
    assert_string_equal(design_name(host->design), "blocked");
    assert_string_equal(verdict_name(host->verdict), "inconclusive");
    near("effect", host->effect, 0.0443, 0.0002);
    near("pct", host->pct, -4.34, 0.02);
    qsort(ln[0], 5, sizeof(double), case_rising);
    qsort(ln[1], 5, sizeof(double), case_rising);
    near("Hodges-Lehmann", signed_rank_pair_sum(ln[1], 5, ln[0], 5, 13), -0.0436, 0.0002);
    mem_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed1_is_inconclusive_and_all_waiting),
        cmocka_unit_test(seed1_streaks_by_the_exact_runs_test),
        cmocka_unit_test(seed2_throughput_fell_but_was_not_interleaved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
