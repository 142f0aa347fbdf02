/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to judge*.c: what is kept between judge_add and judge_finish. Hosts stand in order of
 * name, so that nothing depends on the order of input.
 */
#pragma once
#include "analysis/effect_host.h"
#include "analysis/harness.h"
#include "analysis/judge.h"
#include "analysis/load.h"
#include "analysis/rounds.h"
#include "analysis/sequential.h"

struct judge_part { /* one host in one comparison */
    struct host_rounds rounds;
    struct host_answer answer;
    struct effect_numbers numbers;
    struct load_fit load;
    double change_p; /* does the effect come and go; NaN not tested */
    size_t change_split;
    double holm_p; /* p after Holm over the candidates of the cell */
    bool added, computed;
    bool eligible; /* enters Benjamini-Hochberg and the pool: interleaved, enough rounds, nothing
                      amiss with the arms */
    bool moved;    /* its control moved by what matters: kept out of claims */
};
struct judge_comparison {
    uint32_t candidate, cell;
    size_t place;            /* of its cell among the cells */
    struct judge_part *part; /* one a host, in order of name */
};
struct judge_cell {
    uint32_t cell;
    const char *const *factor; /* of the options */
    size_t n_factors;
    struct strmap level; /* factor -> level */
};
struct judge_host_state {
    char *name, *machine;
    const struct fact_set *facts;
    bool measured, added, shares_machine;
    size_t joined_into; /* index of the host that stands for the machine; itself when alone */
};
struct judge {
    struct judge_options options; /* arrays and texts owned */
    double theta;
    struct judge_host_state *host;
    size_t *by_input; /* input index -> place by name */
    size_t n_hosts;
    struct judge_cell *cell;
    size_t n_cells, cells_cap;
    struct judge_comparison *comparison; /* cells x candidates */
    size_t n_comparisons, comparisons_cap;
    struct sequential_plan looks;
    struct sequential_table table; /* of the planned looks */
    struct strlist warnings;
    unsigned threads, draws;
    size_t *pending, n_pending; /* hosts whose numbers are still to be computed */
};

/* judge_host.c: numbers of n hosts in all comparisons, by all threads; frees what only they need.
 * Call once all rounds of the hosts are there; parts computed before are left alone. */
void judge_hosts_compute(struct judge *judge, const size_t *host, size_t n);
struct effect_options judge_effect_options(const struct judge *judge);
/* judge_correct.c: control, Holm, Benjamini-Hochberg and the verdicts of every host of one cell. */
void judge_correct_cell(struct judge *judge, size_t cell);
/* Benjamini-Hochberg adjusted p-values in place; NaN stays NaN. */
void judge_bh(double *p, size_t n);
/* Holm adjusted p-values in place; NaN stays NaN. */
void judge_holm(double *p, size_t n);
/* judge_sessions.c: with several sittings of >= EFFECT_LEAST_ROUNDS that differ by more than their
 * own error, the trimmed pair becomes their random-effects pool (Paule & Mandel 1982). */
void judge_sessions_pool(const struct host_rounds *rounds, struct host_answer *answer);
/* A decided verdict that only one of several sittings supports becomes inconclusive. */
void judge_sessions_check(const struct judge *judge, struct judge_part *part);
/* judge_fleet.c: everything above the hosts for one comparison; moves the hosts' answers into ret.
 */
void judge_fleet(struct judge *judge, struct judge_comparison *comparison,
                 struct comparison_answer *ret);
/* judge_warn.c: names rounds that were left out and arms that failed unevenly, into warnings. */
void judge_warn(struct judge *judge, const struct judge_comparison *comparison);
/* judge_factors.c: does the effect differ between the levels of the crossed factors; the same
 * answer on every cell. */
void judge_factors(struct judge *judge, uint32_t candidate, struct factor_answer **ret,
                   size_t *ret_n);
struct harness_options judge_harness_options(const struct judge *judge);
bool judge_decided(enum verdict verdict);
