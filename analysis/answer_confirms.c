/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "Switching X on these hosts makes the difference" is said where the factor's corrected p is at or
 * below alpha: both levels ran in every block of the same host, in random order, so nothing else of
 * the host can be behind it.
 */
#include "analysis/answer_confirms.h"

#include "base/mem.h"

#include <math.h>

static void add_levels(struct str *text, const struct factor_answer *factor)
{
    bool first = true;

    for (size_t i = 0; i < factor->n_levels; i++) {
        const struct level_answer *level = &factor->level[i];

        if (!isfinite(level->pct))
            continue;
        str_addf(text, fabs(level->pct) < 9.95 ? "%s%+.1f %% at %s" : "%s%+.0f %% at %s",
                 first ? "" : ", ", level->pct, level->level);
        first = false;
    }
}

static double deciding_p(const struct factor_answer *factor)
{
    return isfinite(factor->p_adjusted) ? factor->p_adjusted : factor->p;
}

static size_t hosts_measured(const struct comparison_answer *c)
{
    size_t n = 0;

    for (size_t h = 0; h < c->n_hosts; h++)
        n += c->host[h].rounds_used > 0;
    return n;
}

static void add_factor(struct str *text, const struct comparison_answer *c,
                       const struct factor_answer *factor, double alpha)
{
    size_t hosts = hosts_measured(c);
    double p = deciding_p(factor);

    if (!isfinite(p))
        return;
    if (!(p <= alpha)) {
        str_addf(text,
                 " Switching %s within the same host shows no difference in the effect (p %.2g).",
                 factor->factor, p);
        return;
    }
    str_addf(text, " Switching %s on %s makes the difference: ", factor->factor,
             hosts == 1 ? "this host" : "these hosts");
    add_levels(text, factor);
    str_addf(text, " (p %.2g, by randomisation within %zu host%s).", p, hosts,
             hosts == 1 ? "" : "s");
}

static bool is_first_of(const struct answer *answer, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (str_eq(answer->comparison[i].candidate, answer->comparison[at].candidate))
            return false;
    return true;
}

void answer_confirms(struct answer *answer, const char *confirms)
{
    for (size_t i = 0; i < answer->n_comparisons; i++) {
        struct comparison_answer *c = &answer->comparison[i];
        CLEAN_DONE(str) struct str text = {0};

        if (!is_first_of(answer, i))
            continue;
        str_add(&text, c->sentence ? c->sentence : "");
        for (size_t f = 0; f < c->n_factors; f++)
            add_factor(&text, c, &c->factor[f], answer->alpha);
        str_addf(&text, " This run was made to settle %s.", confirms);
        mem_free(c->sentence);
        c->sentence = str_take(&text);
    }
}
