/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of a run before anything starts: which hosts match and why others do not, how many
 * samples at least and at most, how long at most, when the stop rule looks. Pure: hosts come in as
 * borrowed structs. The order of samples inside a block is not here (model/plan.h): it is a
 * function of the seed.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"
#include "model/experiment.h"
#include "model/host.h"

#include <stdbool.h>
#include <stdint.h>

struct plan_host {
    char *name;
    bool target;
    bool connected;
    char *why; /* why it is no target, or a remark on one ("not connected now"); "" none */
};
struct plan {
    struct plan_host *host; /* in order of name */
    size_t n_hosts, n_targets;
    uint64_t samples_per_block;        /* on one host, all cells */
    uint64_t samples_min, samples_max; /* over all targets, warm-up included */
    int64_t time_max_ns; /* of one host, when every sample takes its whole time-out; the budget when
                            that is less */
    uint32_t *look; /* rounds after which the stop rule may end a host's sitting, rising; the last
                       is the maximum */
    size_t n_looks;
};
void plan_free(struct plan *plan);
MEM_CLEANUP(plan)
/* hosts: n of them, sorted by name. ERR_INPUT when the host expression cannot be read. A plan
 * without targets is a plan. */
MUST_CHECK int plan_make(const struct experiment *experiment, const struct host *const *hosts,
                         size_t n, struct plan **ret, struct err *err);
/* May the host be a target of a new run, were it asked for? NULL: yes; otherwise why not, in words.
 */
const char *plan_barred(const struct host *host);
/* Rounds of a sitting after which the stop rule is asked, rising; how many. With several sittings
 * there are no looks on the way: every sitting has all its blocks, so that sittings can be
 * compared. *ret is the caller's. */
size_t plan_looks(const struct experiment *experiment, uint32_t **ret);
/* The first look after `rounds`; 0 when there is none (the maximum is reached). */
uint32_t plan_next_look(const uint32_t *look, size_t n_looks, uint32_t rounds);
bool plan_is_look(const uint32_t *look, size_t n_looks, uint32_t rounds);
/* The target names, in order. */
void plan_targets(const struct plan *plan, struct strlist *ret);
/* As people and programs read it (`muster run --dry-run`, `--json`). */
void plan_text(const struct plan *plan, const struct experiment *experiment, struct str *ret);
void plan_json(const struct plan *plan, const struct experiment *experiment, struct str *ret);
