/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ZAP handler (inproc://zeromq.zap.01, RFC 27): lets in only CURVE clients whose public key is
 * on the list, held in memory; the User-Id of their frames is their key. One per process, must run
 * before any socket binds. Owned and changed by one thread; the handler itself is an actor.
 */
#pragma once
#include "base/err.h"
#include "base/mem.h"

#define AUTH_DOMAIN "muster" /* ZAP domain of our listening sockets */

struct auth;
/* Fails when another handler is bound already. */
MUST_CHECK int auth_start(struct auth **ret, struct err *err);
void auth_free(struct auth *auth);
MEM_CLEANUP(auth)
/* Takes effect before the call returns. Keys let in by `allow` may still be refused above
 * (revocation is per message). */
void auth_allow(struct auth *auth, const char *public_key);
void auth_deny(struct auth *auth, const char *public_key);
/* Handshakes let in and refused so far. */
void auth_counts(struct auth *auth, unsigned long *ret_allowed, unsigned long *ret_refused);
