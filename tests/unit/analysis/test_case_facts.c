/* SPDX-License-Identifier: GPL-3.0-or-later
 * The explanations of every case of tests/cases/fleet in full: members and levels, groups with
 * their figures, hosts placed, what survives beside the best, what one host alone tells apart. */
#include "unit/analysis/judge_case.h"

static const char *const cases[] = {"aa",           "aa-alternating", "aa-blocked-streaks",
                                    "uniform",      "fact",           "wait",
                                    "throughput",   "mixed",          "numeric",
                                    "fact-8-hosts", "confounded",     "gaps-and-dead-hosts",
                                    "load",         "modes",          "host-only"};

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_in(const json_t *list, const char *text)
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one) if (strcmp(json_string_value(one), text) == 0) return true;
    return false;
}

static bool same_list(const struct strlist *got, const json_t *want)
{
    if (got->n != json_array_size(want))
        return false;
    for (size_t i = 0; i < got->n; i++)
        if (!is_in(want, got->v[i]))
            return false;
    return true;
}

static bool near_to(double got, double want)
{
    return fabs(got - want) <= 1e-6 * fmax(fabs(want), 1e-9);
}

/* The same facts, whatever their order. */
static bool same_facts(const struct class_answer *got, const json_t *members)
{
    const json_t *one;
    size_t i;

    if (got->n_members != json_array_size(members))
        return false;
    json_array_foreach(members, i, one)
    {
        bool found = false;

        for (size_t m = 0; m < got->n_members; m++)
            found = found || strcmp(got->member[m].fact, text_of(one, "fact")) == 0;
        if (!found)
            return false;
    }
    return true;
}

/* "x" and "not x", "<=3" and ">3": the same split seen from either side. */
static bool mirrored(const char *a, const char *b)
{
    return (str_starts(a, "not ") && strcmp(a + 4, b) == 0) ||
           (str_starts(b, "not ") && strcmp(b + 4, a) == 0) ||
           (str_starts(a, "<=") && b[0] == '>' && strcmp(a + 2, b + 1) == 0) ||
           (str_starts(b, "<=") && a[0] == '>' && strcmp(b + 2, a + 1) == 0);
}

/* The expected levels are each of one side or the other; ours must all be of one side, which the
 * groups show. */
static void check_levels(const char *name, const struct class_answer *got, const json_t *members)
{
    const json_t *one;
    size_t i;

    json_array_foreach(members, i, one) for (size_t m = 0; m < got->n_members; m++)
    {
        const char *level = got->member[m].level, *want = text_of(one, "level");

        if (strcmp(got->member[m].fact, text_of(one, "fact")) == 0 && strcmp(level, want) != 0 &&
            !mirrored(level, want))
            fail_msg("%s: %s: want %s, got %s", name, got->member[m].fact, want, level);
    }
}

static void check_groups(const char *name, const struct class_answer *got, const json_t *groups)
{
    const json_t *want;
    size_t i;

    json_array_foreach(groups, i, want)
    {
        const json_t *ci = json_object_get(want, "ci");
        const struct class_group *group = NULL;

        for (int side = 0; side < 2; side++)
            if (same_list(&got->group[side].hosts, json_object_get(want, "hosts")))
                group = &got->group[side];
        if (!group)
            fail_msg("%s: no group has the hosts of \"%s\"", name, text_of(want, "side"));
        if (!near_to(group->effect, json_number_value(json_object_get(want, "effect"))))
            fail_msg("%s %s: want %g, got %.10g", name, text_of(want, "side"),
                     json_number_value(json_object_get(want, "effect")), group->effect);
        if (!json_is_null(ci) &&
            (!near_to(group->ci.lo, json_number_value(json_array_get(ci, 0))) ||
             !near_to(group->ci.hi, json_number_value(json_array_get(ci, 1)))))
            fail_msg("%s %s: got [%.10g, %.10g]", name, text_of(want, "side"), group->ci.lo,
                     group->ci.hi);
    }
}

static void check_survivors(const char *name, const struct facts_answer *got, const json_t *want)
{
    size_t survivors = 0, i;
    const json_t *one;

    if (!json_is_array(want))
        return;
    for (size_t k = 1; k < got->n_classes; k++)
        survivors += got->class[k].survives;
    if (survivors != json_array_size(want))
        fail_msg("%s: want %zu more survivors, got %zu", name, json_array_size(want), survivors);
    json_array_foreach(want, i, one)
    {
        bool found = false;

        for (size_t k = 1; k < got->n_classes; k++)
            found =
                found || (got->class[k].survives &&
                          same_facts(&got->class[k],
                                     json_is_object(one) ? json_object_get(one, "members") : one));
        if (!found)
            fail_msg("%s: survivor %zu is missing", name, i);
    }
}

/* Classes near the limit may be in or out, so hosts beyond those expected are allowed. */
static void check_fragile(const char *name, const struct facts_answer *got, const json_t *want)
{
    const json_t *one, *host;
    size_t i, h;

    json_array_foreach(want, i, one)
    {
        const struct class_answer *class = NULL;

        for (size_t k = 1; k < got->n_classes; k++)
            if (same_facts(&got->class[k], json_object_get(one, "members")))
                class = &got->class[k];
        if (!class)
            fail_msg("%s: class %zu that one host tells apart is missing", name, i);
        json_array_foreach(json_object_get(one, "hosts"), h,
                           host) if (!strlist_has(&class->fragile, json_string_value(host)))
            fail_msg("%s: %s is not told apart by %s alone", name, class->member[0].fact,
                     json_string_value(host));
    }
}

static void every_explanation_is_the_one_computed_elsewhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct judge_case c;

        judge_case_load(&c, cases[i]);
        const struct judge_options options = judge_case_options(&c);
        struct answer *answer = judge_case_answer(&c, &options, NULL);
        const struct facts_answer *got = &answer->comparison[0].facts;
        const json_t *want = json_object_get(c.data.expected, "facts"),
                     *top = json_object_get(want, "top");

        if (got->candidates != (size_t)json_integer_value(json_object_get(want, "candidates")))
            fail_msg("%s: got %zu candidates", cases[i], got->candidates);
        if (!same_list(&got->not_judged, json_object_get(want, "not_judged")))
            fail_msg("%s: %zu facts not judged", cases[i], got->not_judged.n);
        if (json_is_object(top)) {
            const struct class_answer *best = &got->class[0];

            if (strcmp(class_kind_name(best->kind), text_of(top, "kind")) != 0)
                fail_msg("%s: want kind %s, got %s", cases[i], text_of(top, "kind"),
                         class_kind_name(best->kind));
            if (!same_facts(best, json_object_get(top, "members")))
                fail_msg("%s: other members of the top class", cases[i]);
            check_levels(cases[i], best, json_object_get(top, "members"));
            check_groups(cases[i], best, json_object_get(top, "groups"));
            if (!same_list(&best->placed, json_object_get(top, "placed")))
                fail_msg("%s: %zu hosts placed", cases[i], best->placed.n);
        }
        check_survivors(cases[i], got, json_object_get(want, "also_survive"));
        check_fragile(cases[i], got, json_object_get(want, "told_apart_by_one_host"));
        answer_free(answer);
        judge_case_done(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_explanation_is_the_one_computed_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
