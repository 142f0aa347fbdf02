/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State machines as const tables. A row (state, event, action, next) is looked up in order; FSM_ANY
 * as event matches every event, so each state ends in such a row. The action runs before the state
 * changes; when it fails the state stays and the error is passed on.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

#define FSM_ANY (-1)
typedef int (*fsm_action)(void *object, int event, const void *data, struct err *err);
struct fsm_row {
    int state, event;
    fsm_action action; /* NULL: nothing to do */
    int next;
};
struct fsm {
    const char *name;
    const struct fsm_row *rows;
    size_t n_rows;
    const char *const *state_names;
    size_t n_states;
    const char *const *event_names;
    size_t n_events;
};
/* 0 done and *state moved; -1 the action failed, *state unchanged; a positive value of the action
 * is passed on after the move. A missing row is ERR_INTERNAL. */
MUST_CHECK int fsm_step(const struct fsm *fsm, int *state, int event, void *object,
                        const void *data, struct err *err);
/* The table as a Graphviz digraph. */
void fsm_dot(const struct fsm *fsm, struct str *ret);
