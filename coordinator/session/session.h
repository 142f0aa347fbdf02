/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session table: who is connected, and what each may send. Identity is the proven key and the
 * name it is enrolled for; a peer (routing id) is an address that belongs to one session from hello
 * on. Pure: nothing is sent, stored or logged here, time comes in as a number of the coordinator's
 * monotonic clock.
 *
 * The hallway's part: look up the key of every message (that is revocation), ask session_judge
 * before decoding, pass hellos and heartbeats in, act on what comes out, and fetch losses at every
 * tick and after every message.
 */
#pragma once
#include "base/err.h"
#include "base/fsm.h"
#include "base/id.h"
#include "model/limits.h"
#include "net/chan.h"
#include "proto/wire.h"

#include <stdbool.h>
#include <stdint.h>

#define SESSION_LOST_AFTER 3 /* heartbeats missed in a row */
#define SESSION_FENCE_AFTER                                                                        \
    20 /* heartbeats without a sign of the other agent, and a fence falls                          \
        */
#define SESSION_SLEEP_MAX_NS                                                                       \
    (INT64_C(7) * 24 * 3600 * 1000000000) /* longer sleeps are taken for this long */

enum session_state {
#define SESSION_STATE(name, word) SESSION_##name,
#include "coordinator/session/states.def"
#undef SESSION_STATE
    SESSION_STATE_COUNT
};
enum session_event {
#define SESSION_EVENT(name, words) SESSION_EV_##name,
#include "coordinator/session/events.def"
#undef SESSION_EVENT
    SESSION_EV_COUNT
};
const char *session_state_name(enum session_state state);

/* ---- roles: what an enrolled key may do ---- */
enum session_role { SESSION_NOBODY, SESSION_AGENT, SESSION_VIEWER, SESSION_OPERATOR };
/* "agent", "viewer", "operator"; anything else is NOBODY. */
enum session_role session_role_of(const char *word);
/* May a role send this kind at all? Closed: what is not listed is refused. Coordinator's own kinds
 * are nobody's. */
bool session_may_send(enum session_role role, enum wire_kind kind);
/* May a role ask this? By model/tbl/requests.def; an operator may do what a viewer may. */
bool session_may_ask(enum session_role role, enum wire_request_kind kind);
/* What a request kind does ("cancel a run"), for a refusal. */
const char *session_request_words(enum wire_request_kind kind);

/* Who sent a message, as enrolled at this moment. */
struct session_who {
    const char *key;        /* proven by the handshake */
    const char *name;       /* the host or user the key is enrolled for */
    enum session_role role; /* NOBODY: unknown or revoked */
};

/* ---- the table ---- */
struct session {
    char *name, *key;
    int state;             /* enum session_state */
    char session[ID_SIZE]; /* of the agent's process */
    char boot_id[LIMIT_NAME + 1];
    struct chan_peer peer;
    int64_t heard_ns, deadline_ns; /* silent past the deadline: lost */
    uint64_t messages;
    /* the process this one replaced, and the agent that also uses this key ("" none) */
    char former[ID_SIZE];
    char rival[ID_SIZE], rival_boot[LIMIT_NAME + 1];
    int64_t rival_ns; /* when it was heard last */
    bool fell;        /* a loss that session_next_loss has not handed out yet */
};
struct session_table;
struct session_table *session_table_new(int64_t heartbeat_ns);
void session_table_free(struct session_table *table);
MEM_CLEANUP(session_table)
int64_t session_heartbeat_ns(const struct session_table *table);

enum session_verdict {
    SESSION_TAKE,      /* decode and serve it */
    SESSION_DROP,      /* not this role's to send, or not its connection: say nothing, count it */
    SESSION_ASK_HELLO, /* no session on this connection: answer WIRE_REFUSED, not final; the agent
                          says hello again */
    SESSION_REFUSE     /* fenced: answer WIRE_REFUSED with session_reason, not final */
};
/* Before decoding. A message that is taken is a sign of life. A hello is always TAKEn for
 * session_hello to judge, unless its connection belongs to another key. Users have no sessions:
 * their role alone decides. */
enum session_verdict session_judge(struct session_table *table, const struct session_who *who,
                                   const struct chan_peer *peer, enum wire_kind kind,
                                   int64_t now_ns);

struct session_answer {
    bool welcome;              /* send WIRE_WELCOME; the session is live on this peer */
    bool new_process;          /* of a welcome: not the process that was here before */
    bool final;                /* of a refusal: trying again is useless */
    char reason[LIMIT_REASON]; /* of a refusal: what is wrong and what mends it */
};
/* After decoding a hello. Refuses (final) a version that is not spoken here and a name that is not
 * the key's; refuses (not final) a second boot while the first one may be alive; fences both once
 * both have been heard. */
MUST_CHECK int session_hello(struct session_table *table, const struct session_who *who,
                             const struct chan_peer *peer, const struct wire_hello *hello,
                             int64_t now_ns, struct session_answer *ret, struct err *err);
/* After decoding a heartbeat. TAKE, or ASK_HELLO when it names another process than was welcomed.
 * With sleeping_ns the deadline moves to its end and the usual margin. */
enum session_verdict session_heartbeat(struct session_table *table, const struct session_who *who,
                                       const struct wire_heartbeat *heartbeat, int64_t now_ns);
/* The hallway gives up on a connection (it takes no messages, its host was removed): away, without
 * a loss. */
void session_end(struct session_table *table, const char *name);

enum session_why { SESSION_WHY_SILENT = 1, SESSION_WHY_FENCED };
struct session_loss {
    char name[LIMIT_NAME + 1];
    struct chan_peer peer; /* where it was */
    enum session_why why;
    char reason[LIMIT_REASON];
};
/* One session that was lost until now and not yet told of: true and *ret; call until false. */
bool session_next_loss(struct session_table *table, int64_t now_ns, struct session_loss *ret);

/* Borrowed until the next change; NULL when this name never said hello. */
const struct session *session_find(const struct session_table *table, const char *name);
/* LIVE, ASLEEP or DOUBTED: connected as far as anyone knows. */
bool session_is_connected(const struct session *session);
/* Why a session is refused, in words: of a fenced one, names the two boots and the remedy. */
void session_reason(const struct session *session, char ret[LIMIT_REASON]);
/* Appends the names of other connected sessions with the same boot_id: they run on one machine. */
void session_colocated(const struct session_table *table, const char *name, struct strlist *ret);
size_t session_count_connected(const struct session_table *table);
/* The table of states, for tests and docs/STATES. */
extern const struct fsm session_fsm;
