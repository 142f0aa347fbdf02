/* SPDX-License-Identifier: GPL-3.0-or-later
 * Runs a transition table and draws it. */
#include "base/fsm.h"

static const char *name_of(const char *const *names, size_t n, int index)
{
    return index >= 0 && (size_t)index < n ? names[index] : "?";
}

int fsm_step(const struct fsm *fsm, int *state, int event, void *object, const void *data,
             struct err *err)
{
    for (size_t i = 0; i < fsm->n_rows; i++) {
        const struct fsm_row *row = &fsm->rows[i];
        int outcome = 0;

        if (row->state != *state || (row->event != event && row->event != FSM_ANY))
            continue;
        if (row->action)
            outcome = row->action(object, event, data, err);
        if (outcome < 0)
            return -1;
        *state = row->next;
        return outcome;
    }
    return err_set(err, ERR_INTERNAL, "%s: no row for event \"%s\" in state \"%s\"", fsm->name,
                   name_of(fsm->event_names, fsm->n_events, event),
                   name_of(fsm->state_names, fsm->n_states, *state));
}

void fsm_dot(const struct fsm *fsm, struct str *ret)
{
    str_addf(ret, "digraph \"%s\" {\n", fsm->name);
    for (size_t i = 0; i < fsm->n_states; i++)
        str_addf(ret, "    \"%s\";\n", fsm->state_names[i]);
    for (size_t i = 0; i < fsm->n_rows; i++) {
        const struct fsm_row *row = &fsm->rows[i];

        str_addf(ret, "    \"%s\" -> \"%s\" [label=\"%s\"];\n",
                 name_of(fsm->state_names, fsm->n_states, row->state),
                 name_of(fsm->state_names, fsm->n_states, row->next),
                 row->event == FSM_ANY ? "any"
                                       : name_of(fsm->event_names, fsm->n_events, row->event));
    }
    str_add(ret, "}\n");
}
