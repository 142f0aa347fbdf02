/* SPDX-License-Identifier: GPL-3.0-or-later
 * Packing of requests and results: fixed parts as they lie in memory, texts with their length. */
#define _GNU_SOURCE /* MSG_NOSIGNAL */
#include "agent/keeper_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "model/limits.h"

enum { BODY_MAX = 32 * 1024 * 1024 };
struct head {
    uint32_t kind, length;
};

static int send_all(int fd, const void *bytes, size_t length, struct err *err)
{
    const char *p = bytes;

    while (length > 0) {
        const ssize_t n = send(fd, p, length, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "write to the other end");
        p += n;
        length -= (size_t)n;
    }
    return 0;
}

int keeper_send(int fd, enum keeper_kind kind, const struct str *body, struct err *err)
{
    const struct head head = {.kind = kind, .length = body ? (uint32_t)body->length : 0};

    if (body && body->length > BODY_MAX)
        return err_set(err, ERR_LIMIT, "a message of %zu bytes between agent and keeper",
                       body->length);
    if (send_all(fd, &head, sizeof head, err) < 0)
        return -1;
    return head.length ? send_all(fd, body->text, body->length, err) : 0;
}

static int receive_all(int fd, void *bytes, size_t length, struct err *err)
{
    char *p = bytes;

    while (length > 0) {
        const ssize_t n = recv(fd, p, length, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 || (n < 0 && errno == ECONNRESET))
            return KEEPER_GONE;
        if (n < 0)
            return err_sys(err, "read from the other end");
        p += n;
        length -= (size_t)n;
    }
    return 0;
}

int keeper_receive(int fd, enum keeper_kind *ret_kind, struct str *ret, struct err *err)
{
    struct head head;
    int rc = receive_all(fd, &head, sizeof head, err);

    if (rc != 0)
        return rc;
    if (head.length > BODY_MAX)
        return err_set(err, ERR_LIMIT, "a message of %u bytes between agent and keeper",
                       head.length);
    CLEAN_MEM char *body = mem_array(char, head.length);
    rc = receive_all(fd, body, head.length, err);
    if (rc != 0)
        return rc;
    str_clear(ret);
    str_add_bytes(ret, body, head.length);
    *ret_kind = (enum keeper_kind)head.kind;
    return 0;
}

/* ---- texts ---- */

static const uint32_t NO_TEXT = UINT32_MAX;

static void put_bytes(struct str *ret, const void *bytes, size_t length)
{
    const uint32_t n = (uint32_t)length;

    str_add_bytes(ret, &n, sizeof n);
    str_add_bytes(ret, bytes, length);
}

static void put_text(struct str *ret, const char *text)
{
    if (text)
        put_bytes(ret, text, strlen(text));
    else
        str_add_bytes(ret, &NO_TEXT, sizeof NO_TEXT);
}

static void put_list(struct str *ret, const struct strlist *list)
{
    const uint32_t n = (uint32_t)list->n;

    str_add_bytes(ret, &n, sizeof n);
    for (size_t i = 0; i < list->n; i++)
        put_text(ret, list->v[i]);
}

struct reader {
    const char *p;
    size_t left;
    bool broken;
};

static void take(struct reader *r, void *into, size_t length)
{
    if (r->broken || length > r->left) {
        r->broken = true;
        memset(into, 0, length);
        return;
    }
    memcpy(into, r->p, length);
    r->p += length;
    r->left -= length;
}

/* NULL for no text. */
static char *take_text(struct reader *r, size_t *ret_length)
{
    uint32_t n;

    take(r, &n, sizeof n);
    if (r->broken || n == NO_TEXT)
        return NULL;
    if (n > r->left) {
        r->broken = true;
        return NULL;
    }
    char *text = mem_alloc((size_t)n + 1, 1);
    take(r, text, n);
    if (ret_length)
        *ret_length = n;
    return text;
}

static void take_list(struct reader *r, struct strlist *list)
{
    uint32_t n;

    take(r, &n, sizeof n);
    for (uint32_t i = 0; i < n && !r->broken; i++) {
        CLEAN_MEM char *text = take_text(r, NULL);
        if (text)
            strlist_add(list, text);
    }
}

static void take_str(struct reader *r, struct str *ret)
{
    size_t length = 0;
    CLEAN_MEM char *text = take_text(r, &length);

    str_clear(ret);
    str_add_bytes(ret, text ? text : "", length);
}

static int finish(const struct reader *r, struct err *err)
{
    if (r->broken || r->left > 0)
        return err_set(err, ERR_PROTO, "a broken message between agent and keeper");
    return 0;
}

/* ---- messages ---- */

void keeper_pack_spec(const struct child_spec *spec, struct str *ret)
{
    struct child_spec flat = *spec; /* its pointers travel too, and are overwritten on arrival */

    str_add_bytes(ret, &flat, sizeof flat);
    put_list(ret, &spec->argv);
    put_list(ret, &spec->env);
    put_text(ret, spec->cwd);
    put_text(ret, spec->sink);
    put_text(ret, spec->user);
}

int keeper_unpack_spec(const struct str *body, struct child_spec *ret, struct err *err)
{
    struct reader r = {body->text, body->length, false};
    struct child_spec spec;

    take(&r, &spec, sizeof spec);
    spec.argv = spec.env = (struct strlist){0};
    take_list(&r, &spec.argv);
    take_list(&r, &spec.env);
    spec.cwd = take_text(&r, NULL);
    spec.sink = take_text(&r, NULL);
    spec.user = take_text(&r, NULL);
    if (finish(&r, err) < 0) {
        child_spec_done(&spec);
        return -1;
    }
    *ret = spec;
    return 0;
}

void keeper_pack_result(const struct child_result *result, struct str *ret)
{
    struct child_result flat = *result;

    str_add_bytes(ret, &flat, sizeof flat);
    put_bytes(ret, str_get(&result->output), result->output.length);
    put_bytes(ret, str_get(&result->error), result->error.length);
}

int keeper_unpack_result(const struct str *body, struct child_result *ret, struct err *err)
{
    struct reader r = {body->text, body->length, false};
    struct child_result result;

    take(&r, &result, sizeof result);
    result.output = result.error = (struct str){0};
    take_str(&r, &result.output);
    take_str(&r, &result.error);
    if (finish(&r, err) < 0) {
        child_result_done(&result);
        return -1;
    }
    *ret = result;
    return 0;
}
