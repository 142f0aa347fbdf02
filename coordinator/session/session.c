/* SPDX-License-Identifier: GPL-3.0-or-later
 * The table of sessions, one row a host name, sorted; its answers and its losses. The life of a row
 * is in session_states.c, the rights of roles in session_roles.c. */
#include "coordinator/session/session.h"

#include "coordinator/session/session_states.h"

#include <stdio.h>
#include <string.h>

struct session_table {
    struct session **v; /* sorted by name */
    size_t n, cap;
    int64_t heartbeat_ns;
};

struct session_table *session_table_new(int64_t heartbeat_ns)
{
    struct session_table *table = mem_new(struct session_table);

    table->heartbeat_ns = heartbeat_ns;
    return table;
}

static void session_free(struct session *session)
{
    mem_free(session->name);
    mem_free(session->key);
    mem_free(session);
}

void session_table_free(struct session_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->n; i++)
        session_free(table->v[i]);
    mem_free(table->v);
    mem_free(table);
}

int64_t session_heartbeat_ns(const struct session_table *table)
{
    return table->heartbeat_ns;
}

static size_t place_of(const struct session_table *table, const char *name, bool *ret_found)
{
    size_t low = 0, high = table->n;

    *ret_found = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(table->v[middle]->name, name);

        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct session *find(const struct session_table *table, const char *name)
{
    bool found;
    const size_t at = place_of(table, name, &found);

    return found ? table->v[at] : NULL;
}

const struct session *session_find(const struct session_table *table, const char *name)
{
    return find(table, name);
}

/* The row of a name. A name that was enrolled with another key begins anew. */
static struct session *row_for(struct session_table *table, const struct session_who *who)
{
    bool found;
    const size_t at = place_of(table, who->name, &found);

    if (!found) {
        table->v = mem_grow(table->v, &table->cap, table->n + 1, sizeof(struct session *));
        memmove(table->v + at + 1, table->v + at, (table->n - at) * sizeof(struct session *));
        table->v[at] = mem_new(struct session);
        table->v[at]->name = mem_strdup(who->name);
        table->v[at]->key = mem_strdup(who->key);
        table->n++;
    } else if (strcmp(table->v[at]->key, who->key) != 0) {
        struct session *session = table->v[at];
        const struct session fresh = {.name = session->name, .key = mem_strdup(who->key)};

        mem_free(session->key);
        *session = fresh;
    }
    return table->v[at];
}

static bool same_peer(const struct chan_peer *a, const struct chan_peer *b)
{
    return a->length == b->length && memcmp(a->id, b->id, a->length) == 0;
}

bool session_is_connected(const struct session *session)
{
    return session->state == SESSION_LIVE || session->state == SESSION_ASLEEP ||
           session->state == SESSION_DOUBTED;
}

/* A connection that is known as another host's stays that host's. */
static bool is_anothers(const struct session_table *table, const struct session_who *who,
                        const struct chan_peer *peer)
{
    for (size_t i = 0; i < table->n; i++)
        if (session_is_connected(table->v[i]) && same_peer(&table->v[i]->peer, peer) &&
            strcmp(table->v[i]->key, who->key) != 0)
            return true;
    return false;
}

/* Steps the row's state. Every row has an answer to every event, so that no step fails. */
static int step_session(const struct session_step *step, enum session_event event)
{
    struct err err = {0};
    const int outcome =
        fsm_step(&session_fsm, &step->session->state, (int)event, (void *)step, NULL, &err);

    return outcome < 0 ? SESSION_DROP : outcome;
}

enum session_verdict session_judge(struct session_table *table, const struct session_who *who,
                                   const struct chan_peer *peer, enum wire_kind kind,
                                   int64_t now_ns)
{
    if (!session_may_send(who->role, kind))
        return SESSION_DROP;
    if (who->role != SESSION_AGENT)
        return SESSION_TAKE;
    if (kind == WIRE_HELLO)
        return is_anothers(table, who, peer) ? SESSION_DROP : SESSION_TAKE;

    struct session *session = find(table, who->name);
    if (!session || strcmp(session->key, who->key) != 0)
        return SESSION_ASK_HELLO;
    const struct session_step step = {
        .session = session, .now_ns = now_ns, .heartbeat_ns = table->heartbeat_ns, .peer = peer};
    const bool is_here = same_peer(&session->peer, peer);
    const int verdict = step_session(&step, is_here ? SESSION_EV_SPEAKS : SESSION_EV_STRAY);
    session->messages += verdict == SESSION_TAKE;
    return (enum session_verdict)verdict;
}

static bool is_acceptable(const struct session_who *who, const struct wire_hello *hello,
                          struct session_answer *ret)
{
    if (hello->version > WIRE_VERSION || hello->version + 1 < WIRE_VERSION || hello->version < 1)
        (void)snprintf(ret->reason, sizeof ret->reason,
                       "the agent speaks protocol %u (muster %.32s), this coordinator speaks %d "
                       "and the one before: install the same muster on both",
                       hello->version, hello->agent_version, WIRE_VERSION);
    else if (strcmp(hello->host, who->name) != 0)
        (void)snprintf(ret->reason, sizeof ret->reason,
                       "this key is enrolled for host \"%s\", not \"%s\": start the agent with "
                       "that name or enrol a key of its own",
                       who->name, hello->host);
    else
        return true;
    ret->final = true;
    return false;
}

int session_hello(struct session_table *table, const struct session_who *who,
                  const struct chan_peer *peer, const struct wire_hello *hello, int64_t now_ns,
                  struct session_answer *ret, struct err *err)
{
    struct session_answer answer = {0};

    if (who->role != SESSION_AGENT || is_anothers(table, who, peer))
        return err_set(err, ERR_AUTH, "a hello from %s on a connection that is not its own",
                       who->name);
    if (!is_acceptable(who, hello, &answer)) {
        *ret = answer;
        return 0;
    }
    struct session *session = row_for(table, who);
    const struct session_step step = {.session = session,
                                      .now_ns = now_ns,
                                      .heartbeat_ns = table->heartbeat_ns,
                                      .peer = peer,
                                      .hello = hello,
                                      .answer = &answer};
    (void)step_session(&step, session_classify(&step));
    session->messages += answer.welcome;
    *ret = answer;
    return 0;
}

enum session_verdict session_heartbeat(struct session_table *table, const struct session_who *who,
                                       const struct wire_heartbeat *heartbeat, int64_t now_ns)
{
    struct session *session = find(table, who->name);

    if (!session || !session_is_connected(session) ||
        strcmp(session->session, heartbeat->session) != 0)
        return SESSION_ASK_HELLO;
    if (heartbeat->sleeping_ns <= 0)
        return SESSION_TAKE;
    const struct session_step step = {.session = session,
                                      .now_ns = now_ns,
                                      .heartbeat_ns = table->heartbeat_ns,
                                      .sleeping_ns = heartbeat->sleeping_ns < SESSION_SLEEP_MAX_NS
                                                         ? heartbeat->sleeping_ns
                                                         : SESSION_SLEEP_MAX_NS};
    return (enum session_verdict)step_session(&step, SESSION_EV_SLEEPS);
}

void session_end(struct session_table *table, const char *name)
{
    struct session *session = find(table, name);

    if (session)
        (void)step_session(&(struct session_step){.session = session}, SESSION_EV_ENDED);
}

void session_reason(const struct session *session, char ret[LIMIT_REASON])
{
    if (session->state == SESSION_FENCED || session->rival[0])
        (void)snprintf(ret, LIMIT_REASON,
                       "two agents use the key of host \"%.128s\" (boots %.36s and %.36s; a copied "
                       "machine image?): neither is served until one of them has stopped; give "
                       "each its own key",
                       session->name, session->boot_id, session->rival_boot);
    else
        (void)snprintf(ret, LIMIT_REASON, "no session on this connection: say hello");
}

bool session_next_loss(struct session_table *table, int64_t now_ns, struct session_loss *ret)
{
    for (size_t i = 0; i < table->n; i++) {
        struct session *session = table->v[i];

        if (session_is_connected(session) && now_ns > session->deadline_ns)
            (void)step_session(&(struct session_step){.session = session, .now_ns = now_ns},
                               SESSION_EV_SILENT);
        if (!session->fell)
            continue;
        session->fell = false;
        (void)snprintf(ret->name, sizeof ret->name, "%s", session->name);
        ret->peer = session->peer;
        ret->why = session->state == SESSION_FENCED ? SESSION_WHY_FENCED : SESSION_WHY_SILENT;
        if (ret->why == SESSION_WHY_FENCED)
            session_reason(session, ret->reason);
        else
            (void)snprintf(ret->reason, sizeof ret->reason, "silent for %.0f s",
                           (double)(now_ns - session->heard_ns) / 1e9);
        return true;
    }
    return false;
}

void session_colocated(const struct session_table *table, const char *name, struct strlist *ret)
{
    const struct session *self = find(table, name);

    if (!self || !session_is_connected(self))
        return;
    for (size_t i = 0; i < table->n; i++)
        if (table->v[i] != self && session_is_connected(table->v[i]) &&
            strcmp(table->v[i]->boot_id, self->boot_id) == 0)
            strlist_add(ret, table->v[i]->name);
}

size_t session_count_connected(const struct session_table *table)
{
    size_t n = 0;

    for (size_t i = 0; i < table->n; i++)
        n += session_is_connected(table->v[i]);
    return n;
}
