/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The agent's session with its coordinator: says hello, keeps a heartbeat, says hello again when
 * the other side is silent or forgot it, hands messages on. Works only while uplink_wait is called:
 * in between, and so during a sample, nothing here wakes up.
 */
#pragma once
#include "base/err.h"
#include "net/chan.h"
#include "proto/wire.h"

struct uplink_options {
    const char *endpoint, *server_key;
    struct keys keys;
    const char *host;
    int64_t heartbeat_ns; /* 0: as the coordinator asks */
    int signal_fd;        /* readable: end */
};
/* What comes in. Called from uplink_wait only; messages are borrowed unless a slot is passed. */
struct uplink_ops {
    void *arg;
    void (*hello)(void *arg, struct wire_hello *hello); /* fill facts, boot_id and the held lease */
    void (*welcome)(void *arg, const struct wire_welcome *welcome);
    void (*lease)(void *arg, struct lease **lease); /* may be taken */
    void (*extend)(void *arg, const struct wire_extend *extend);
    void (*stop)(void *arg, const struct wire_stop *stop);
    void (*ack)(void *arg, const struct wire_ack *ack);
    void (*chunk)(void *arg, const struct wire_chunk *chunk);
    void (*heartbeat)(void *arg, struct wire_heartbeat *heartbeat); /* fill run and epoch */
};
struct uplink;
MUST_CHECK int uplink_new(const struct uplink_options *options, const struct uplink_ops *ops,
                          struct uplink **ret, struct err *err);
void uplink_free(struct uplink *uplink);
MEM_CLEANUP(uplink)

enum uplink_event {
    UPLINK_TIME = 1, /* until_ns has come */
    UPLINK_FD,       /* fd is readable */
    UPLINK_NEWS,     /* a callback was called: look at what it changed */
    UPLINK_END       /* a signal asks us to end */
};
/* Waits until one of them, keeping the session alive meanwhile. fd -1: none; until_ns of
 * CLOCK_MONOTONIC. -1: refused for good (ERR_AUTH) or a broken socket. */
MUST_CHECK int uplink_wait(struct uplink *uplink, int fd, int64_t until_ns, struct err *err);
bool uplink_is_here(const struct uplink *uplink);
/* 0 sent; 1 not now (no session, or the queue is full). */
int uplink_send(struct uplink *uplink, enum wire_kind kind, const void *body);
/* When the coordinator was last heard; 0 never. */
int64_t uplink_heard_ns(const struct uplink *uplink);
/* Sends a heartbeat now, outside its turn. */
void uplink_beat(struct uplink *uplink);
/* Before a sample of at most limit_ns: tells the coordinator to expect silence, unless what it was
 * told before covers it. True when something was sent. */
bool uplink_sleep(struct uplink *uplink, int64_t limit_ns);
