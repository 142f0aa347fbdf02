/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one way in for users: the key's role is checked against the kind of message before it is
 * decoded and against the kind of request after; then one table leads to who serves it.
 */
#include "coordinator/hall.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

static void ping(struct coord *coord, const struct coord_asker *asker)
{
    size_t connected = 0, open = 0;
    char text[128];

    for (size_t i = 0; i < coord->n_members; i++)
        connected += coord->member[i]->host->connected;
    for (size_t i = 0; i < coord->n_runs; i++)
        open += coord->run[i]->open;
    (void)snprintf(
        text, sizeof(text),
        "{\"version\": \"%s\", \"hosts\": %zu, \"hosts_connected\": %zu, \"runs_open\": %zu}\n",
        MUSTER_VERSION, coord->n_members, connected, open);
    coord_reply_text(coord, asker, 0, text);
}

static void serve(struct coord *coord, const struct coord_asker *asker, const char *key,
                  struct wire_request *request)
{
    switch (request->kind) {
    case WIRE_REQUEST_SUBMIT:
        coord_submit(coord, asker, request);
        break;
    case WIRE_REQUEST_DRY_RUN:
        coord_dry_run(coord, asker, request);
        break;
    case WIRE_REQUEST_FOLLOW:
        coord_follow(coord, asker, key, request);
        break;
    case WIRE_REQUEST_CANCEL:
        coord_cancel(coord, asker, request);
        break;
    case WIRE_REQUEST_RERUN:
        coord_rerun(coord, asker, request);
        break;
    case WIRE_REQUEST_HOST_SET:
        coord_host_set(coord, asker, request);
        break;
    case WIRE_REQUEST_IMPORT:
        coord_import(coord, asker, request);
        break;
    case WIRE_REQUEST_PING:
        ping(coord, asker);
        break;
    case WIRE_REQUEST_RUNS:
    case WIRE_REQUEST_EXPLAIN:
    case WIRE_REQUEST_SHOW:
    case WIRE_REQUEST_HOSTS:
    case WIRE_REQUEST_HOST_SHOW:
    case WIRE_REQUEST_HOST_FACTS:
    case WIRE_REQUEST_HOST_DIFF:
    case WIRE_REQUEST_EXPORT:
    case WIRE_REQUEST_CONFIRM:
        coord_query(coord, asker, request);
        break;
    case WIRE_REQUEST_NONE:
        break;
    }
}

static void on_request(struct coord *coord, const struct chan_message *message,
                       const struct key_entry *who, struct wire_request *request)
{
    struct coord_asker asker = {.peer = message->peer, .request = request->id};
    struct err err = {0};

    (void)snprintf(asker.who, sizeof(asker.who), "%s", who->name);
    if (session_may_ask(session_role_of(who->role), request->kind)) {
        serve(coord, &asker, message->key, request);
        return;
    }
    (void)err_set(&err, ERR_AUTH, "%s (%s) may not %s", who->name, who->role,
                  session_request_words(request->kind));
    log_err(LOG_WARN, &err, "request refused");
    coord_audit(coord, who->name, "refused", err.text);
    coord_reply_error(coord, &asker, &err);
}

void coord_on_user(struct coord *coord, const struct chan_message *message)
{
    const struct key_entry *who = coord_key(coord, message->key);
    enum wire_kind kind = wire_peek(message->bytes.text, message->bytes.length);
    CLEAN(wire_message) struct wire_message *decoded = NULL;
    struct err err = {0};
    int result;

    if (!who || str_eq(who->role, "agent") || !session_may_send(session_role_of(who->role), kind)) {
        log_warn("message refused key=%.8s… kind=%d role=%s", message->key, (int)kind,
                 who ? who->role : "none");
        return;
    }
    result = wire_decode(message->bytes.text, message->bytes.length, &decoded, &err);
    if (result != 0) {
        if (result < 0)
            log_err(LOG_WARN, &err, "message of %s not read", who->name);
        return;
    }
    coord->user_seen = true;
    coord->user_heard_ns = clk_mono_ns();
    if (kind == WIRE_PUT)
        coord_artefact_put(coord, &message->peer, decoded->as.chunk);
    else
        on_request(coord, message, who, decoded->as.request);
}
