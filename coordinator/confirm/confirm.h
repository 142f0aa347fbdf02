/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a run and its answer to the experiment that separates what survives: where a suspect can be
 * switched within a host, it is crossed with the variants inside the blocks of hosts of both sides;
 * else the hosts that the answer asks for run again, with more blocks. Pure.
 */
#pragma once
#include "analysis/answer.h"
#include "model/experiment.h"
#include "model/host.h"

struct confirm_host {
    const char *name;
    const struct fact_set *facts; /* as they were in the run */
    bool can_run;                 /* an agent is enrolled, approved, not drained or held */
};
struct confirm_request {
    const char *run;             /* "NAME@N" */
    const struct answer *answer; /* of that run */
    const struct confirm_host *host;
    size_t n_hosts;
    struct strlist switches; /* FACT=VALUE, asked for by the user; "" takes the variable away */
    struct strlist factors;  /* NAME=LEVEL,LEVEL */
};
/* Turns the run's experiment, given as a copy of the caller's, into the confirming one; *ret_words
 * says what it does and why (freed by the caller). Outcome CONFIRM_NOTHING: there is nothing to
 * run, *ret_words says why; the experiment is then of no use. ERR_USAGE: a switch or factor that
 * cannot be. */
enum { CONFIRM_NOTHING = 1 };
MUST_CHECK int confirm_build(const struct confirm_request *request, struct experiment *experiment,
                             char **ret_words, struct err *err);
