/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Draws made-up fleets with a known truth, for error rates and power: hosts with facts that hang
 * together as real ones do (vendor, family, model; distro, release, libc), and noise as it is seen
 * on real machines: serial correlation, heavy tails, slow streaks, drift, other programs' load.
 */
#pragma once
#include "analysis/judge.h"
#include "base/rng.h"

struct fleet_model {
    size_t hosts, rounds, extra_facts; /* facts that mean nothing, beside the usual ones */
    double effect;   /* log, candidate to base, where the fact holds (everywhere without a fact) */
    bool by_fact;    /* the effect is only on hosts with fact `site` = "east", held by about half of
                        the hosts */
    bool confounded; /* a second fact `rack` splits the hosts as `site` does */
    bool noisy_kind; /* hosts at the other site are ten times noisier (A/A: noise goes with a fact)
                      */
    bool blocked;    /* all of A before all of B */
    double host_sd;  /* the effect differs from host to host by this, going with no fact */
    bool plain;      /* independent normal noise of 1 %, nothing else */
};
struct fleet {
    size_t n;
    char (*name)[24];
    struct fact_set **facts;
    struct frame **frame;
    double *truth; /* log effect of each host */
};
void fleet_draw(const struct fleet_model *model, uint64_t seed, struct fleet *ret);
void fleet_done(struct fleet *fleet);
/* Judges it with 999 draws on so many threads (0: all cores); ends the program when the analysis
 * fails. */
struct answer *fleet_judge(const struct fleet *fleet, uint64_t seed, unsigned threads);
