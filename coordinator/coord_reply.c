/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers to users. Long ones are written to an unlinked file by a desk and leave in pieces as the
 * receiver takes them, so memory does not grow with an export and a slow reader holds up nobody.
 */
#include "coordinator/hall.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "coordinator/report/query.h"

#define PIECE (96 * 1024)
#define STUCK_NS (30 * CLK_NS_PER_S) /* a receiver that takes nothing for so long is given up */

struct coord_reply {
    struct coord_reply *next;
    struct coord_asker asker;
    FILE *text;
    int exit_code;
    char *error;
    bool text_sent;
    int64_t moved_ns;
};

static void reply_free(struct coord_reply *reply)
{
    if (reply->text)
        (void)fclose(reply->text);
    mem_free(reply->error);
    mem_free(reply);
}

int coord_exit_code(const struct err *err)
{
    switch (err->code) {
    case ERR_USAGE:
    case ERR_INPUT:
        return 2;
    case ERR_UNREACHABLE:
        return 69;
    case ERR_CANCELLED:
        return 130;
    case ERR_NONE:
    case ERR_SYS:
    case ERR_LIMIT:
    case ERR_PROTO:
    case ERR_AUTH:
    case ERR_STORE:
    case ERR_NET:
    case ERR_NOT_FOUND:
    case ERR_EXISTS:
    case ERR_STATE:
    case ERR_TIMEOUT:
    case ERR_UNSUPPORTED:
    case ERR_INTERNAL:
        return 1;
    }
    return 1;
}

static int send_reply(struct coord *coord, const struct coord_asker *asker,
                      const struct wire_reply *body)
{
    CLEAN_DONE(str) struct str bytes = {0};
    struct err err = {0};
    int result;

    if (wire_encode(WIRE_REPLY, body, &bytes, &err) < 0 ||
        (result = chan_send(coord->users, &asker->peer, bytes.text, bytes.length, &err)) < 0) {
        log_err(LOG_WARN, &err, "answer not sent to=%s", asker->who);
        return CHAN_GONE;
    }
    return result;
}

static void enqueue(struct coord *coord, struct coord_reply *reply)
{
    struct coord_reply **last = &coord->replies;

    while (*last)
        last = &(*last)->next;
    reply->moved_ns = clk_mono_ns();
    *last = reply;
    coord_reply_flush(coord, reply->moved_ns);
}

void coord_reply_text(struct coord *coord, const struct coord_asker *asker, int exit_code,
                      const char *text)
{
    struct wire_reply body = {.id = asker->request, .last = true, .exit_code = exit_code};

    body.text = (char *)text;
    body.text_length = text ? strlen(text) : 0;
    if (send_reply(coord, asker, &body) != 0)
        log_warn("answer not taken to=%s", asker->who);
}

void coord_reply_error(struct coord *coord, const struct coord_asker *asker, const struct err *err)
{
    struct wire_reply body = {
        .id = asker->request, .last = true, .exit_code = coord_exit_code(err)};

    body.error = (char *)err->text;
    if (send_reply(coord, asker, &body) != 0)
        log_warn("answer not taken to=%s", asker->who);
}

/* True when the reply is finished with, one way or the other. */
static bool push(struct coord *coord, struct coord_reply *reply, int64_t now_ns)
{
    char piece[PIECE];
    int result;

    while (reply->text && !reply->text_sent) {
        size_t length = fread(piece, 1, sizeof(piece), reply->text);
        struct wire_reply body = {.id = reply->asker.request, .text = piece, .text_length = length};

        if (length == 0) {
            reply->text_sent = true;
            break;
        }
        result = send_reply(coord, &reply->asker, &body);
        if (result == CHAN_GONE)
            return true;
        if (result == CHAN_FULL) {
            if (fseek(reply->text, -(long)length, SEEK_CUR) < 0)
                return true;
            return now_ns - reply->moved_ns > STUCK_NS;
        }
        reply->moved_ns = now_ns;
    }
    result = send_reply(coord, &reply->asker,
                        &(struct wire_reply){.id = reply->asker.request,
                                             .last = true,
                                             .exit_code = reply->exit_code,
                                             .error = reply->error});
    return result != CHAN_FULL || now_ns - reply->moved_ns > STUCK_NS;
}

void coord_reply_flush(struct coord *coord, int64_t now_ns)
{
    for (struct coord_reply **slot = &coord->replies; *slot;) {
        struct coord_reply *reply = *slot;

        if (push(coord, reply, now_ns)) {
            *slot = reply->next;
            reply_free(reply);
        } else {
            slot = &reply->next;
        }
    }
}

void coord_replies_done(struct coord *coord)
{
    while (coord->replies) {
        struct coord_reply *reply = coord->replies;

        coord->replies = reply->next;
        reply_free(reply);
    }
}

/* ---- questions that only read: answered at a desk ---- */

struct query_job {
    struct desk_job job;
    struct coord *coord;
    struct coord_reply *reply;
    enum wire_request_kind kind;
    struct strmap arg;
};

static void work_query(struct desk_job *job, struct store *store)
{
    struct query_job *query = (struct query_job *)job;
    struct coord_reply *reply = query->reply;
    struct err err = {0};

    reply->text = tmpfile();
    if (!reply->text) {
        (void)err_sys(&err, "temporary file for an answer");
    } else if (query_serve(store, query->kind, &query->arg, reply->text, &reply->exit_code, &err) ==
                   0 &&
               fflush(reply->text) != 0) {
        (void)err_sys(&err, "temporary file for an answer");
    }
    if (reply->text)
        rewind(reply->text);
    if (err.code != ERR_NONE) {
        reply->error = mem_strdup(err.text);
        reply->exit_code = coord_exit_code(&err);
    }
}

static void query_free(struct query_job *query)
{
    if (query->reply)
        reply_free(query->reply);
    strmap_done(&query->arg);
    mem_free(query);
}

static void query_done(struct desk_job *job)
{
    struct query_job *query = (struct query_job *)job;

    enqueue(query->coord, mem_steal(&query->reply));
    query_free(query);
}

static void query_drop(struct desk_job *job)
{
    query_free((struct query_job *)job);
}

void coord_query(struct coord *coord, const struct coord_asker *asker,
                 const struct wire_request *request)
{
    struct query_job *query = mem_new(struct query_job);

    query->job.work = work_query;
    query->job.done = query_done;
    query->job.drop = query_drop;
    query->coord = coord;
    query->kind = request->kind;
    strmap_copy(&query->arg, &request->arg);
    query->reply = mem_new(struct coord_reply);
    query->reply->asker = *asker;
    desk_post(coord->queries, &query->job);
}
