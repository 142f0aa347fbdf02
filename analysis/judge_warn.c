/* SPDX-License-Identifier: GPL-3.0-or-later
 * What is said of samples that are not there: rounds left out, and samples that failed in one arm
 * more than in the other. */
#include "analysis/judge_state.h"
#include "analysis/modes.h"
#include "base/mem.h"

static void warn(struct judge *judge, const char *text)
{
    if (!strlist_has(&judge->warnings, text))
        strlist_add(&judge->warnings, text);
}

/* Once a host and comparison, with the first reason seen. */
static void warn_dropped(struct judge *judge, const struct judge_comparison *comparison)
{
    for (size_t h = 0; h < judge->n_hosts; h++) {
        const struct host_rounds *rounds = &comparison->part[h].rounds;
        const bool counts =
            rounds->design == DESIGN_RANDOMISED || rounds->design == DESIGN_ALTERNATING;

        if (rounds->dropped == 0 || !(counts || rounds->first_bad))
            continue; /* without common rounds the design says it all */
        CLEAN_MEM char *text =
            mem_printf("%s: %llu round%s of %s against %s dropped: %s", judge->host[h].name,
                       (unsigned long long)rounds->dropped, rounds->dropped == 1 ? "" : "s",
                       judge->options.variant[comparison->candidate],
                       judge->options.variant[judge->options.base],
                       rounds->first_bad ? rounds->first_bad : "a variant is missing");

        warn(judge, text);
    }
}

/* Failures that come with the variant are a finding of their own, and what is left is a selection.
 */
static void warn_failed(struct judge *judge, const struct judge_comparison *comparison)
{
    uint64_t failed[2] = {0, 0}, tried[2] = {0, 0};

    for (size_t h = 0; h < judge->n_hosts; h++)
        for (int arm = 0; arm < 2; arm++) {
            const struct host_rounds *rounds = &comparison->part[h].rounds;

            failed[arm] += rounds->failed[arm];
            tried[arm] += rounds->failed[arm] + rounds->samples[arm];
        }
    if (failed[0] + failed[1] == 0 || tried[0] == 0 || tried[1] == 0)
        return;
    const double p = modes_binomial_p((unsigned)failed[1], (unsigned)(failed[0] + failed[1]),
                                      (double)tried[1] / (double)(tried[0] + tried[1]));

    if (p > judge->options.alpha)
        return;
    CLEAN_MEM char *text = mem_printf(
        "samples failed unevenly: %llu of %llu of %s, %llu of %llu of %s (p = %.2g); the times "
        "that are left are a selection",
        (unsigned long long)failed[1], (unsigned long long)tried[1],
        judge->options.variant[comparison->candidate], (unsigned long long)failed[0],
        (unsigned long long)tried[0], judge->options.variant[judge->options.base], p);

    warn(judge, text);
}

void judge_warn(struct judge *judge, const struct judge_comparison *comparison)
{
    warn_dropped(judge, comparison);
    warn_failed(judge, comparison);
}
