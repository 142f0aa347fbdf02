/* SPDX-License-Identifier: GPL-3.0-or-later
 * What agent and keeper say to each other over their socket pair: same program, same machine, so
 * plain memory order; lengths are checked all the same. Private to keeper*.c. */
#pragma once
#include "agent/child.h"

enum keeper_kind {
    KEEPER_RUN = 1, /* spec -> KEEPER_RESULT or KEEPER_FAILED */
    KEEPER_STOP,    /* no answer */
    KEEPER_LOCK,    /* -> KEEPER_LOCKED, KEEPER_GAVE_UP or KEEPER_FAILED */
    KEEPER_UNLOCK,  /* no answer */
    KEEPER_RESULT,
    KEEPER_LOCKED,
    KEEPER_GAVE_UP,
    KEEPER_FAILED /* text */
};
/* Sends kind, length, body. */
MUST_CHECK int keeper_send(int fd, enum keeper_kind kind, const struct str *body, struct err *err);
/* Waits for one message. Outcome KEEPER_GONE: the other end is closed. */
enum { KEEPER_GONE = 1 };
MUST_CHECK int keeper_receive(int fd, enum keeper_kind *ret_kind, struct str *ret, struct err *err);

void keeper_pack_spec(const struct child_spec *spec, struct str *ret);
MUST_CHECK int keeper_unpack_spec(const struct str *body, struct child_spec *ret, struct err *err);
void keeper_pack_result(const struct child_result *result, struct str *ret);
MUST_CHECK int keeper_unpack_result(const struct str *body, struct child_result *ret,
                                    struct err *err);
