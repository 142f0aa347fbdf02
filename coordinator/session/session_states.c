/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of an agent's session as one table. A machine that rebooted and a cloned image look the
 * same at their first hello; they are told apart by whether the boot that was here before is heard
 * again.
 */
#include "coordinator/session/session_states.h"

#include <stdio.h>
#include <string.h>

static const char *const state_names[] = {
#define SESSION_STATE(name, word) word,
#include "coordinator/session/states.def"
#undef SESSION_STATE
};
static const char *const event_names[] = {
#define SESSION_EVENT(name, words) words,
#include "coordinator/session/events.def"
#undef SESSION_EVENT
};

const char *session_state_name(enum session_state state)
{
    return (size_t)state < SESSION_STATE_COUNT ? state_names[state] : NULL;
}

/* Copies are checked texts of known bounds: session ids by wire_id, boot ids by LIMIT_NAME. */
static void copy_text(char *into, size_t size, const char *text)
{
    (void)snprintf(into, size, "%s", text);
}

static void heard(const struct session_step *step, int64_t sleeping_ns)
{
    struct session *session = step->session;

    session->heard_ns = step->now_ns;
    session->deadline_ns = step->now_ns + sleeping_ns + SESSION_LOST_AFTER * step->heartbeat_ns;
}

static void note_rival(const struct session_step *step)
{
    struct session *session = step->session;

    copy_text(session->rival, sizeof session->rival, step->hello->session);
    copy_text(session->rival_boot, sizeof session->rival_boot, step->hello->boot_id);
    session->rival_ns = step->now_ns;
}

static int welcome(void *object, int event, const void *data, struct err *err)
{
    const struct session_step *step = object;
    struct session *session = step->session;

    (void)event, (void)data, (void)err;
    step->answer->welcome = true;
    step->answer->new_process = strcmp(session->session, step->hello->session) != 0;
    if (step->answer->new_process)
        copy_text(session->former, sizeof session->former, session->session);
    copy_text(session->session, sizeof session->session, step->hello->session);
    copy_text(session->boot_id, sizeof session->boot_id, step->hello->boot_id);
    session->peer = *step->peer;
    session->rival[0] = session->rival_boot[0] = '\0';
    heard(step, 0);
    return SESSION_TAKE;
}

static int take(void *object, int event, const void *data, struct err *err)
{
    (void)event, (void)data, (void)err;
    heard(object, 0);
    return SESSION_TAKE;
}

static int sleep_on(void *object, int event, const void *data, struct err *err)
{
    const struct session_step *step = object;

    (void)event, (void)data, (void)err;
    heard(step, step->sleeping_ns);
    return SESSION_TAKE;
}

static int ask_hello(void *object, int event, const void *data, struct err *err)
{
    (void)object, (void)event, (void)data, (void)err;
    return SESSION_ASK_HELLO;
}

static int doubt(void *object, int event, const void *data, struct err *err)
{
    const struct session_step *step = object;

    (void)event, (void)data, (void)err;
    note_rival(step);
    (void)snprintf(step->answer->reason, sizeof step->answer->reason,
                   "another boot (%.36s) used this key a moment ago; welcome as soon as it stays "
                   "silent",
                   step->session->boot_id);
    return SESSION_REFUSE;
}

/* Both were heard: neither is served until one has been gone for a while. */
static int fence(void *object, int event, const void *data, struct err *err)
{
    const struct session_step *step = object;
    struct session *session = step->session;

    (void)data, (void)err;
    if (event == SESSION_EV_HELLO_TWIN || event == SESSION_EV_HELLO_RIVAL)
        note_rival(step);
    session->heard_ns = step->now_ns;
    session->fell = true;
    if (step->answer)
        session_reason(session, step->answer->reason);
    return SESSION_REFUSE;
}

/* While fenced only the times of the two count. */
static int stay_fenced(void *object, int event, const void *data, struct err *err)
{
    const struct session_step *step = object;
    struct session *session = step->session;

    (void)event, (void)data, (void)err;
    if (step->hello) {
        const bool is_own = strcmp(step->hello->session, session->session) == 0;
        const bool is_rival = strcmp(step->hello->session, session->rival) == 0;

        if (is_own)
            session->heard_ns = step->now_ns;
        else if (is_rival || session->rival_ns < session->heard_ns)
            note_rival(step);
        else {
            copy_text(session->session, sizeof session->session, step->hello->session);
            copy_text(session->boot_id, sizeof session->boot_id, step->hello->boot_id);
            session->heard_ns = step->now_ns;
        }
    }
    if (step->answer)
        session_reason(session, step->answer->reason);
    return SESSION_REFUSE;
}

static void forget_others(struct session *session)
{
    session->former[0] = session->rival[0] = session->rival_boot[0] = '\0';
}

static int lose(void *object, int event, const void *data, struct err *err)
{
    const struct session_step *step = object;

    (void)event, (void)data, (void)err;
    step->session->fell = true;
    forget_others(step->session);
    return 0;
}

static int end(void *object, int event, const void *data, struct err *err)
{
    const struct session_step *step = object;

    (void)event, (void)data, (void)err;
    forget_others(step->session);
    return 0;
}

/* AWAY: no connection counts as this host's. Whoever has the key and says hello is welcome.
 * LIVE: one process on one connection, heard within the last heartbeats. The others of this key are
 * asked for a hello. ASLEEP: as LIVE, and its silence is expected until the deadline it announced.
 * DOUBTED: as LIVE or ASLEEP, and another boot wants in. The deadline decides: silence means the
 * old boot is gone; a word of it means that two agents use one key. FENCED: two agents use one key.
 * Nothing of either is served; each hello says so, and notes that it is still there. */
static const struct fsm_row rows[] = {
    {SESSION_AWAY,    SESSION_EV_HELLO,           welcome,     SESSION_LIVE   },
    {SESSION_AWAY,    SESSION_EV_HELLO_RESTARTED, welcome,     SESSION_LIVE   },
    {SESSION_AWAY,    SESSION_EV_HELLO_RIVAL,     welcome,     SESSION_LIVE   },
    {SESSION_AWAY,    SESSION_EV_HELLO_TWIN,      welcome,     SESSION_LIVE   },
    {SESSION_AWAY,    SESSION_EV_HELLO_ALONE,     welcome,     SESSION_LIVE   },
    {SESSION_AWAY,    SESSION_EV_ENDED,           end,         SESSION_AWAY   },
    {SESSION_AWAY,    FSM_ANY,                    ask_hello,   SESSION_AWAY   },

    {SESSION_LIVE,    SESSION_EV_HELLO,           welcome,     SESSION_LIVE   },
    {SESSION_LIVE,    SESSION_EV_HELLO_RESTARTED, welcome,     SESSION_LIVE   },
    {SESSION_LIVE,    SESSION_EV_HELLO_RIVAL,     doubt,       SESSION_DOUBTED},
    {SESSION_LIVE,    SESSION_EV_HELLO_TWIN,      fence,       SESSION_FENCED },
    {SESSION_LIVE,    SESSION_EV_SPEAKS,          take,        SESSION_LIVE   },
    {SESSION_LIVE,    SESSION_EV_SLEEPS,          sleep_on,    SESSION_ASLEEP },
    {SESSION_LIVE,    SESSION_EV_SILENT,          lose,        SESSION_AWAY   },
    {SESSION_LIVE,    SESSION_EV_ENDED,           end,         SESSION_AWAY   },
    {SESSION_LIVE,    FSM_ANY,                    ask_hello,   SESSION_LIVE   },

    {SESSION_ASLEEP,  SESSION_EV_HELLO,           welcome,     SESSION_LIVE   },
    {SESSION_ASLEEP,  SESSION_EV_HELLO_RESTARTED, welcome,     SESSION_LIVE   },
    {SESSION_ASLEEP,  SESSION_EV_HELLO_RIVAL,     doubt,       SESSION_DOUBTED},
    {SESSION_ASLEEP,  SESSION_EV_HELLO_TWIN,      fence,       SESSION_FENCED },
    {SESSION_ASLEEP,  SESSION_EV_SPEAKS,          take,        SESSION_LIVE   },
    {SESSION_ASLEEP,  SESSION_EV_SLEEPS,          sleep_on,    SESSION_ASLEEP },
    {SESSION_ASLEEP,  SESSION_EV_SILENT,          lose,        SESSION_AWAY   },
    {SESSION_ASLEEP,  SESSION_EV_ENDED,           end,         SESSION_AWAY   },
    {SESSION_ASLEEP,  FSM_ANY,                    ask_hello,   SESSION_ASLEEP },

    {SESSION_DOUBTED, SESSION_EV_HELLO_RIVAL,     doubt,       SESSION_DOUBTED},
    {SESSION_DOUBTED, SESSION_EV_SILENT,          lose,        SESSION_AWAY   },
    {SESSION_DOUBTED, SESSION_EV_ENDED,           end,         SESSION_AWAY   },
    {SESSION_DOUBTED, SESSION_EV_STRAY,           ask_hello,   SESSION_DOUBTED},
    {SESSION_DOUBTED, FSM_ANY,                    fence,       SESSION_FENCED },

    {SESSION_FENCED,  SESSION_EV_HELLO_ALONE,     welcome,     SESSION_LIVE   },
    {SESSION_FENCED,  SESSION_EV_ENDED,           end,         SESSION_AWAY   },
    {SESSION_FENCED,  FSM_ANY,                    stay_fenced, SESSION_FENCED },
};

const struct fsm session_fsm = {
    .name = "session",
    .rows = rows,
    .n_rows = sizeof rows / sizeof rows[0],
    .state_names = state_names,
    .n_states = SESSION_STATE_COUNT,
    .event_names = event_names,
    .n_events = SESSION_EV_COUNT,
};

/* Of two fenced agents, has the one that is not speaking now been silent long enough? */
static bool is_alone(const struct session_step *step)
{
    const struct session *session = step->session;
    const bool is_own = strcmp(step->hello->session, session->session) == 0;
    const bool is_rival = strcmp(step->hello->session, session->rival) == 0;
    const int64_t other_ns = is_own                                  ? session->rival_ns
                             : is_rival                              ? session->heard_ns
                             : session->rival_ns > session->heard_ns ? session->rival_ns
                                                                     : session->heard_ns;

    return step->now_ns - other_ns > SESSION_FENCE_AFTER * step->heartbeat_ns;
}

enum session_event session_classify(const struct session_step *step)
{
    const struct session *session = step->session;
    const struct wire_hello *hello = step->hello;

    if (session->state == SESSION_FENCED && is_alone(step))
        return SESSION_EV_HELLO_ALONE;
    if (strcmp(hello->session, session->session) == 0)
        return SESSION_EV_HELLO;
    if (strcmp(hello->boot_id, session->boot_id) != 0)
        return SESSION_EV_HELLO_RIVAL;
    if (session->former[0] && strcmp(hello->session, session->former) == 0)
        return SESSION_EV_HELLO_TWIN;
    return SESSION_EV_HELLO_RESTARTED;
}
