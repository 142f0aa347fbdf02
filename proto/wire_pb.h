/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the codecs of proto/ share: unpacking under a byte cap and a memory budget, packing into a
 * str, and the checks that turn a field into a model value. Private to proto/: generated types
 * never leave it.
 */
#pragma once
#include "base/digest.h"
#include "base/err.h"
#include "base/id.h"
#include "base/str.h"
#include "model/limits.h"

#include <protobuf-c/protobuf-c.h>

/* A generated message and all its memory; `CLEAN_DONE(wire_pool) struct wire_pool pool = {0};`. */
struct wire_pool {
    ProtobufCAllocator allocator;
    size_t left; /* bytes that may still be taken */
    ProtobufCMessage *message;
};
/* Unpacks into pool->message. ERR_LIMIT over cap bytes or over the memory budget, ERR_PROTO for
 * bytes that are no such message. */
MUST_CHECK int wire_pool_unpack(struct wire_pool *pool, const ProtobufCMessageDescriptor *type,
                                const void *bytes, size_t length, size_t cap, struct err *err);
void wire_pool_done(struct wire_pool *pool);
/* Appends the packed message. */
void wire_pb_pack(const ProtobufCMessage *message, struct str *ret);

/* How a text field is read: one of the first three, or-ed with one of the last two where it may be
 * empty. */
enum {
    WIRE_NAME = 1,    /* str_is_name */
    WIRE_LINE = 2,    /* UTF-8 without control bytes */
    WIRE_TEXT = 4,    /* UTF-8, control bytes only tab, newline and return */
    WIRE_OR_NULL = 8, /* empty reads as NULL */
    WIRE_OR_EMPTY = 16
};
/* Replaces *slot (freed) by a checked copy of text of at most max bytes. `what` names the field in
 * the error. */
MUST_CHECK int wire_text(const char *text, int how, size_t max, const char *what, char **slot,
                         struct err *err);
/* As wire_text for each of n texts, at most max_n of them. */
MUST_CHECK int wire_texts(char *const *text, size_t n, int how, size_t max, size_t max_n,
                          const char *what, struct strlist *ret, struct err *err);
/* An identifier of 32 hex digits, a digest of 64; empty is allowed when `optional`. */
MUST_CHECK int wire_id(const char *text, bool optional, const char *what, char ret[ID_SIZE],
                       struct err *err);
MUST_CHECK int wire_digest(const char *text, bool optional, const char *what, char ret[DIGEST_SIZE],
                           struct err *err);
/* A count of things or a number that has a bound: ERR_LIMIT when over. */
MUST_CHECK int wire_at_most(uint64_t value, uint64_t max, const char *what, struct err *err);
/* ERR_PROTO when negative. */
MUST_CHECK int wire_not_negative(int64_t value, const char *what, struct err *err);
/* The text with control bytes and bytes that are no UTF-8 shown as \xNN (tab and newline kept when
 * `lines`), at most max bytes, cut between characters. For texts whose writer cannot vouch for
 * them. */
char *wire_clean(const void *bytes, size_t length, size_t max, bool lines);
/* A text for a generated struct: never NULL. */
char *wire_borrow(const char *text);
