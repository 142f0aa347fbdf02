/* SPDX-License-Identifier: GPL-3.0-or-later
 * Metrics that may be zero or negative: every percentage of the answer is a share of the base's
 * mean, on the hosts, over the fleet, per group of a fact and per level of a factor. */
#include "unit/analysis/made_frame.h"

#define HOSTS 12

/* Context switches, now and then none at all; `more` of them by the candidate. */
static struct frame *switches(double more, uint64_t seed)
{
    struct frame *frame = frame_new();
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t r = 0; r < 16; r++) {
        const uint32_t first = (uint32_t)rng_below(&rng, 2);

        for (uint32_t place = 0; place < 2; place++) {
            const uint32_t variant = place ? 1 - first : first;
            const size_t row = made_row(frame, variant, r, place, 0.1);

            made_set(frame, row, "nvcsw",
                     r == 3 ? 0 : 100 + 4 * rng_normal(&rng) + (variant ? more : 0));
            made_word(frame, row, "sink", r % 2 ? "pipe" : "file");
        }
    }
    return frame;
}

static void share(const char *what, double pct, double effect)
{
    if (isnan(effect))
        fail_msg("%s: no effect", what);
    made_near(what, pct, 100 * effect, 1e-9);
}

static void percentages_are_shares_of_the_mean_everywhere(void **state)
{
    struct made_host host[HOSTS];
    char name[HOSTS][8];
    struct judge_options options = made_options();
    struct err err = {0};

    (void)state;
    for (size_t h = 0; h < HOSTS; h++) {
        snprintf(name[h], sizeof name[h], "h%02zu", h);
        host[h] = (struct made_host){
            .name = name[h], .frame = switches(h % 2 ? 60 : 0, h + 1), .facts = fact_set_new()};
        assert_int_equal(fact_set_put(host[h].facts, "os.id", h % 2 ? "fedora" : "debian",
                                      FACT_IDENTITY, "test", &err),
                         0);
    }
    options.metric = "nvcsw";
    options.draws = 999;
    CLEAN(answer) struct answer *answer = made_answer(&options, host, HOSTS);
    const struct comparison_answer *c = &answer->comparison[0];

    for (size_t h = 0; h < HOSTS; h++)
        share(name[h], c->host[h].pct, c->host[h].effect);
    made_near("a host with 60 more of 94", c->host[1].effect, 60 / 93.75, 0.05);
    share("fleet", c->fleet.pct, c->fleet.effect);
    assert_true(c->facts.claim);
    assert_int_equal(c->facts.class[0].n_members, 1);
    for (int side = 0; side < 2; side++)
        share("group", c->facts.class[0].group[side].pct, c->facts.class[0].group[side].effect);
    assert_true(c->n_harness > 0);
    for (size_t f = 0; f < c->n_harness; f++)
        for (size_t l = 0; l < c->harness[f].n_levels; l++)
            share(c->harness[f].factor, c->harness[f].level[l].pct, c->harness[f].level[l].effect);
    for (size_t h = 0; h < HOSTS; h++) {
        frame_free(host[h].frame);
        fact_set_free(host[h].facts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentages_are_shares_of_the_mean_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
