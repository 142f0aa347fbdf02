/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of a trial's states and the small actions beside its rows. Run by fsm_step alone;
 * nothing else writes `state`.
 */
#include "coordinator/trial/trial.h"

#include <stdio.h>
#include <string.h>

struct step {
    struct trial_life *life;
    enum trial_order order;
    bool ignored;
};

static const char *const state_names[] = {
#define TRIAL_STATE(name, word, is_end) #name,
#include "model/tbl/trial_states.def"
#undef TRIAL_STATE
};
static const char *const event_names[] = {
#define TRIAL_EVENT(name, words) #name,
#include "coordinator/trial/events.def"
#undef TRIAL_EVENT
};
static const char *const event_words[] = {
#define TRIAL_EVENT(name, words) words,
#include "coordinator/trial/events.def"
#undef TRIAL_EVENT
};

static void set_reason(struct trial_life *life, const char *reason)
{
    (void)snprintf(life->reason, sizeof(life->reason), "%s", reason ? reason : "");
}

static void set_taken(struct trial_life *life, uint64_t seq)
{
    if (seq > life->taken_seq)
        life->taken_seq = seq;
}

static int ignore(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;

    (void)event, (void)data, (void)err;
    step->ignored = true;
    return 0;
}

static int grant(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;
    const struct trial_news *news = data;

    (void)event;
    if (news->epoch <= step->life->epoch)
        return err_set(err, ERR_STATE, "epoch %llu is not above %llu",
                       (unsigned long long)news->epoch, (unsigned long long)step->life->epoch);
    if (news->upto <= step->life->rounds_done)
        return err_set(err, ERR_STATE, "a lease up to round %u when %u are done", news->upto,
                       step->life->rounds_done);
    step->life->epoch = news->epoch;
    step->life->granted_upto = news->upto;
    step->life->taken_known = false;
    step->life->taken_seq = step->life->stored_seq; /* the lease says where to go on counting */
    set_reason(step->life, "");
    step->order = TRIAL_ORDER_LEASE;
    return 0;
}

static int note_stored(void *object, int event, const void *data, struct err *err)
{
    struct trial_life *life = ((struct step *)object)->life;
    const struct trial_news *news = data;

    (void)event, (void)err;
    if (news->seq > life->stored_seq)
        life->stored_seq = news->seq;
    if (news->session == life->session && news->rounds_done > life->rounds_done)
        life->rounds_done = news->rounds_done;
    if (life->draining && life->taken_known && life->stored_seq >= life->taken_seq)
        life->draining = false;
    return 0;
}

static int note_taken(void *object, int event, const void *data, struct err *err)
{
    struct trial_life *life = ((struct step *)object)->life;
    const struct trial_news *news = data;

    (void)event, (void)err;
    set_taken(life, news->seq);
    life->taken_known = true;
    return 0;
}

static int ask_look(void *object, int event, const void *data, struct err *err)
{
    (void)event, (void)data, (void)err;
    ((struct step *)object)->order = TRIAL_ORDER_LOOK;
    return 0;
}

static int extend(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;
    const struct trial_news *news = data;

    (void)event;
    if (news->upto <= step->life->granted_upto)
        return err_set(err, ERR_STATE, "going on to round %u when %u were granted", news->upto,
                       step->life->granted_upto);
    step->life->granted_upto = news->upto;
    step->life->taken_known = false;
    step->order = TRIAL_ORDER_EXTEND;
    return 0;
}

static int finish(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;
    const struct trial_news *news = data;

    (void)event, (void)err;
    set_reason(step->life, news->reason);
    step->order = TRIAL_ORDER_STOP;
    return 0;
}

static int next_sitting(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;

    (void)event, (void)data;
    if (step->life->session + 1 >= step->life->n_sessions)
        return err_set(err, ERR_STATE, "no sitting follows number %u", step->life->session + 1);
    step->life->session++;
    step->life->rounds_done = 0;
    step->life->granted_upto = 0;
    step->life->taken_known = false;
    step->order = TRIAL_ORDER_STOP;
    return 0;
}

/* The agent stopped by itself (its own timer): whatever it took is known, the rest is granted anew.
 */
static int note_stopped(void *object, int event, const void *data, struct err *err)
{
    return note_taken(object, event, data, err);
}

static int drained(void *object, int event, const void *data, struct err *err)
{
    struct trial_life *life = ((struct step *)object)->life;

    if (note_taken(object, event, data, err) < 0)
        return -1;
    if (life->stored_seq >= life->taken_seq)
        life->draining = false;
    return 0;
}

static int note_reason(void *object, int event, const void *data, struct err *err)
{
    (void)event, (void)err;
    set_reason(((struct step *)object)->life, ((const struct trial_news *)data)->reason);
    return 0;
}

/* The agent is told again how far it may go: the message before may have been lost. */
static int resume(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;
    const struct trial_news *news = data;

    (void)event, (void)err;
    set_taken(step->life, news->seq);
    set_reason(step->life, "");
    step->order = TRIAL_ORDER_EXTEND;
    /* it waits at the end of its grant, and its word of that was lost */
    if (step->life->rounds_done >= step->life->granted_upto)
        step->life->taken_known = true;
    return 0;
}

static int resume_end(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;
    const struct trial_news *news = data;

    (void)event, (void)err;
    set_taken(step->life, news->seq);
    step->life->draining = true;
    step->life->taken_known = false;
    step->order = TRIAL_ORDER_KILL;
    return 0;
}

static int let_go(void *object, int event, const void *data, struct err *err)
{
    struct trial_life *life = ((struct step *)object)->life;

    (void)event, (void)data, (void)err;
    life->granted_upto = life->rounds_done;
    life->taken_known = false;
    set_reason(life, "");
    return 0;
}

static int leave_drain(void *object, int event, const void *data, struct err *err)
{
    (void)event, (void)data, (void)err;
    ((struct step *)object)->life->draining = false;
    return 0;
}

/* Enough before the end of the grant (the budget): the block under way is finished and still
 * counts. */
static int stop_running(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;

    (void)note_reason(object, event, data, err);
    step->life->draining = true;
    step->life->taken_known = false;
    step->order = TRIAL_ORDER_STOP;
    return 0;
}

static int fall_short(void *object, int event, const void *data, struct err *err)
{
    ((struct step *)object)->life->draining = false;
    return note_reason(object, event, data, err);
}

static int cancel_running(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;

    (void)note_reason(object, event, data, err);
    step->life->draining = true;
    step->life->taken_known = false;
    step->order = TRIAL_ORDER_KILL;
    return 0;
}

static int reopen(void *object, int event, const void *data, struct err *err)
{
    struct step *step = object;

    step->life->draining = false;
    return let_go(object, event, data, err);
}

static const struct fsm_row rows[] = {
  /* WAITING: no lease is out. The host is busy, drained, not connected yet, or between two
  sittings. */
    {TRIAL_WAITING,   TRIAL_EV_GRANT,        grant,          TRIAL_STAGING  },
    {TRIAL_WAITING,   TRIAL_EV_STORED,       note_stored,    TRIAL_WAITING  },
    {TRIAL_WAITING,   TRIAL_EV_SILENT,       note_reason,    TRIAL_LOST     },
    {TRIAL_WAITING,   TRIAL_EV_NEVER,        note_reason,    TRIAL_NEVER    },
    {TRIAL_WAITING,   TRIAL_EV_CANCEL,       note_reason,    TRIAL_CANCELLED},
    {TRIAL_WAITING,   TRIAL_EV_ENOUGH,       note_reason,    TRIAL_DONE     },
    {TRIAL_WAITING,   TRIAL_EV_NEXT_SITTING, next_sitting,   TRIAL_WAITING  },
    {TRIAL_WAITING,   TRIAL_EV_MISSING,      fall_short,     TRIAL_FAILED   },
    {TRIAL_WAITING,   TRIAL_EV_FAILED,       note_reason,    TRIAL_FAILED   },
    {TRIAL_WAITING,   FSM_ANY,               ignore,         TRIAL_WAITING  },
 /* STAGING: a lease is out, under the stored epoch. The agent fetches artefacts, reads facts,
  runs setup. */
    {TRIAL_STAGING,   TRIAL_EV_STAGED,       NULL,           TRIAL_STAGING  },
    {TRIAL_STAGING,   TRIAL_EV_STARTED,      NULL,           TRIAL_RUNNING  },
    {TRIAL_STAGING,   TRIAL_EV_STORED,       note_stored,    TRIAL_RUNNING  },
    {TRIAL_STAGING,   TRIAL_EV_TAKEN,        note_taken,     TRIAL_RUNNING  },
    {TRIAL_STAGING,   TRIAL_EV_STOPPED,      note_stopped,   TRIAL_WAITING  },
    {TRIAL_STAGING,   TRIAL_EV_FAILED,       note_reason,    TRIAL_FAILED   },
    {TRIAL_STAGING,   TRIAL_EV_SILENT,       note_reason,    TRIAL_LOST     },
    {TRIAL_STAGING,   TRIAL_EV_BACK,         resume,         TRIAL_STAGING  },
    {TRIAL_STAGING,   TRIAL_EV_BACK_EMPTY,   let_go,         TRIAL_WAITING  },
    {TRIAL_STAGING,   TRIAL_EV_CANCEL,       cancel_running, TRIAL_CANCELLED},
    {TRIAL_STAGING,   FSM_ANY,               ignore,         TRIAL_STAGING  },
 /* RUNNING: blocks are measured, or all granted ones are and their samples are on the way. */
    {TRIAL_RUNNING,   TRIAL_EV_STORED,       note_stored,    TRIAL_RUNNING  },
    {TRIAL_RUNNING,   TRIAL_EV_TAKEN,        note_taken,     TRIAL_RUNNING  },
    {TRIAL_RUNNING,   TRIAL_EV_LOOK,         ask_look,       TRIAL_LOOKING  },
    {TRIAL_RUNNING,   TRIAL_EV_STOPPED,      note_stopped,   TRIAL_WAITING  },
    {TRIAL_RUNNING,   TRIAL_EV_ENOUGH,       stop_running,   TRIAL_DONE     },
    {TRIAL_RUNNING,   TRIAL_EV_MISSING,      fall_short,     TRIAL_FAILED   },
    {TRIAL_RUNNING,   TRIAL_EV_FAILED,       note_reason,    TRIAL_FAILED   },
    {TRIAL_RUNNING,   TRIAL_EV_SILENT,       note_reason,    TRIAL_LOST     },
    {TRIAL_RUNNING,   TRIAL_EV_BACK,         resume,         TRIAL_RUNNING  },
    {TRIAL_RUNNING,   TRIAL_EV_BACK_EMPTY,   let_go,         TRIAL_WAITING  },
    {TRIAL_RUNNING,   TRIAL_EV_CANCEL,       cancel_running, TRIAL_CANCELLED},
    {TRIAL_RUNNING,   FSM_ANY,               ignore,         TRIAL_RUNNING  },
 /* LOOKING: stored = taken, the agent waits, the stop rule is asked. */
    {TRIAL_LOOKING,   TRIAL_EV_STORED,       note_stored,    TRIAL_LOOKING  },
    {TRIAL_LOOKING,   TRIAL_EV_GO_ON,        extend,         TRIAL_RUNNING  },
    {TRIAL_LOOKING,   TRIAL_EV_ENOUGH,       finish,         TRIAL_DONE     },
    {TRIAL_LOOKING,   TRIAL_EV_NEXT_SITTING, next_sitting,   TRIAL_WAITING  },
    {TRIAL_LOOKING,   TRIAL_EV_STOPPED,      note_stopped,   TRIAL_WAITING  },
    {TRIAL_LOOKING,   TRIAL_EV_FAILED,       note_reason,    TRIAL_FAILED   },
    {TRIAL_LOOKING,   TRIAL_EV_SILENT,       note_reason,    TRIAL_LOST     },
    {TRIAL_LOOKING,   TRIAL_EV_BACK,         resume,         TRIAL_LOOKING  },
    {TRIAL_LOOKING,   TRIAL_EV_BACK_EMPTY,   let_go,         TRIAL_WAITING  },
    {TRIAL_LOOKING,   TRIAL_EV_CANCEL,       cancel_running, TRIAL_CANCELLED},
    {TRIAL_LOOKING,   FSM_ANY,               ignore,         TRIAL_LOOKING  },
 /* DONE, FAILED, NEVER, CANCELLED: ends. Late samples are stored; who still holds a lease is
  told to stop. */
    {TRIAL_DONE,      TRIAL_EV_STORED,       note_stored,    TRIAL_DONE     },
    {TRIAL_DONE,      TRIAL_EV_STOPPED,      drained,        TRIAL_DONE     },
    {TRIAL_DONE,      TRIAL_EV_SILENT,       leave_drain,    TRIAL_DONE     },
    {TRIAL_DONE,      TRIAL_EV_BACK,         resume_end,     TRIAL_DONE     },
    {TRIAL_DONE,      TRIAL_EV_BACK_EMPTY,   leave_drain,    TRIAL_DONE     },
    {TRIAL_DONE,      TRIAL_EV_MISSING,      fall_short,     TRIAL_FAILED   },
    {TRIAL_DONE,      FSM_ANY,               ignore,         TRIAL_DONE     },
    {TRIAL_FAILED,    TRIAL_EV_STORED,       note_stored,    TRIAL_FAILED   },
    {TRIAL_FAILED,    TRIAL_EV_STOPPED,      drained,        TRIAL_FAILED   },
    {TRIAL_FAILED,    TRIAL_EV_SILENT,       leave_drain,    TRIAL_FAILED   },
    {TRIAL_FAILED,    TRIAL_EV_BACK,         resume_end,     TRIAL_FAILED   },
    {TRIAL_FAILED,    TRIAL_EV_BACK_EMPTY,   leave_drain,    TRIAL_FAILED   },
    {TRIAL_FAILED,    TRIAL_EV_REOPEN,       reopen,         TRIAL_WAITING  },
    {TRIAL_FAILED,    FSM_ANY,               ignore,         TRIAL_FAILED   },
    {TRIAL_NEVER,     TRIAL_EV_REOPEN,       reopen,         TRIAL_WAITING  },
    {TRIAL_NEVER,     FSM_ANY,               ignore,         TRIAL_NEVER    },
    {TRIAL_CANCELLED, TRIAL_EV_STORED,       note_stored,    TRIAL_CANCELLED},
    {TRIAL_CANCELLED, TRIAL_EV_STOPPED,      drained,        TRIAL_CANCELLED},
    {TRIAL_CANCELLED, TRIAL_EV_MISSING,      fall_short,     TRIAL_CANCELLED},
    {TRIAL_CANCELLED, TRIAL_EV_FAILED,       leave_drain,    TRIAL_CANCELLED},
    {TRIAL_CANCELLED, TRIAL_EV_SILENT,       leave_drain,    TRIAL_CANCELLED},
    {TRIAL_CANCELLED, TRIAL_EV_BACK,         resume_end,     TRIAL_CANCELLED},
    {TRIAL_CANCELLED, TRIAL_EV_BACK_EMPTY,   leave_drain,    TRIAL_CANCELLED},
    {TRIAL_CANCELLED, TRIAL_EV_REOPEN,       reopen,         TRIAL_WAITING  },
    {TRIAL_CANCELLED, FSM_ANY,               ignore,         TRIAL_CANCELLED},
 /* LOST: silent for too long. While the run is open the agent may come back and go on;
  afterwards it is told to stop. */
    {TRIAL_LOST,      TRIAL_EV_STORED,       note_stored,    TRIAL_LOST     },
    {TRIAL_LOST,      TRIAL_EV_STOPPED,      drained,        TRIAL_LOST     },
    {TRIAL_LOST,      TRIAL_EV_BACK,         resume,         TRIAL_RUNNING  },
    {TRIAL_LOST,      TRIAL_EV_BACK_EMPTY,   let_go,         TRIAL_WAITING  },
    {TRIAL_LOST,      TRIAL_EV_FAILED,       note_reason,    TRIAL_FAILED   },
    {TRIAL_LOST,      TRIAL_EV_REOPEN,       reopen,         TRIAL_WAITING  },
    {TRIAL_LOST,      FSM_ANY,               ignore,         TRIAL_LOST     },
};

const struct fsm trial_fsm = {
    .name = "trial",
    .rows = rows,
    .n_rows = sizeof(rows) / sizeof(rows[0]),
    .state_names = state_names,
    .n_states = sizeof(state_names) / sizeof(state_names[0]),
    .event_names = event_names,
    .n_events = TRIAL_EV_COUNT,
};

const char *trial_event_name(enum trial_event event)
{
    return event < TRIAL_EV_COUNT ? event_words[event] : "?";
}

int trial_step(struct trial_life *life, enum trial_event event, const struct trial_news *news,
               enum trial_order *ret_order, struct err *err)
{
    static const struct trial_news no_news;
    struct step step = {.life = life, .order = TRIAL_ORDER_NOTHING};

    if (fsm_step(&trial_fsm, &life->state, (int)event, &step, news ? news : &no_news, err) < 0)
        return err_wrap(err, "%s in state %s", event_names[event], state_names[life->state]);
    *ret_order = step.order;
    return step.ignored ? TRIAL_IGNORED : 0;
}

bool trial_wants_look(const struct trial_life *life)
{
    return life->state == TRIAL_RUNNING && life->taken_known &&
           life->rounds_done >= life->granted_upto && life->stored_seq >= life->taken_seq;
}

bool trial_missing(const struct trial_life *life, uint64_t *ret_from, uint64_t *ret_to)
{
    if (!life->taken_known || life->stored_seq >= life->taken_seq)
        return false;
    *ret_from = life->stored_seq + 1;
    *ret_to = life->taken_seq;
    return true;
}
