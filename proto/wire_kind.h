/* SPDX-License-Identifier: GPL-3.0-or-later
 * One pair of functions a message kind: body <-> bytes of `Envelope.body`. Called by wire_message.c
 * alone; the bytes were bounded before. Those of batches, leases and the like are in wire.h.
 * Private to proto/. */
#pragma once
#include "wire.h"

void wire_hello_pack(const struct wire_hello *hello, struct str *ret);
MUST_CHECK int wire_hello_unpack(const void *bytes, size_t length, struct wire_hello **ret,
                                 struct err *err);
void wire_heartbeat_pack(const struct wire_heartbeat *heartbeat, struct str *ret);
MUST_CHECK int wire_heartbeat_unpack(const void *bytes, size_t length, struct wire_heartbeat **ret,
                                     struct err *err);
void wire_trial_event_pack(const struct wire_trial_event *event, struct str *ret);
MUST_CHECK int wire_trial_event_unpack(const void *bytes, size_t length,
                                       struct wire_trial_event **ret, struct err *err);
void wire_trial_event_free(struct wire_trial_event *event);
MEM_CLEANUP(wire_trial_event)
void wire_welcome_pack(const struct wire_welcome *welcome, struct str *ret);
MUST_CHECK int wire_welcome_unpack(const void *bytes, size_t length, struct wire_welcome **ret,
                                   struct err *err);
void wire_refused_pack(const struct wire_refused *refused, struct str *ret);
MUST_CHECK int wire_refused_unpack(const void *bytes, size_t length, struct wire_refused **ret,
                                   struct err *err);
void wire_refused_free(struct wire_refused *refused);
MEM_CLEANUP(wire_refused)
void wire_ack_pack(const struct wire_ack *ack, struct str *ret);
MUST_CHECK int wire_ack_unpack(const void *bytes, size_t length, struct wire_ack **ret,
                               struct err *err);
void wire_extend_pack(const struct wire_extend *extend, struct str *ret);
MUST_CHECK int wire_extend_unpack(const void *bytes, size_t length, struct wire_extend **ret,
                                  struct err *err);
void wire_stop_pack(const struct wire_stop *stop, struct str *ret);
MUST_CHECK int wire_stop_unpack(const void *bytes, size_t length, struct wire_stop **ret,
                                struct err *err);
void wire_stop_free(struct wire_stop *stop);
MEM_CLEANUP(wire_stop)
void wire_chunk_pack(const struct wire_chunk *chunk, struct str *ret);
MUST_CHECK int wire_chunk_unpack(const void *bytes, size_t length, struct wire_chunk **ret,
                                 struct err *err);
void wire_chunk_free(struct wire_chunk *chunk);
MEM_CLEANUP(wire_chunk)
void wire_request_pack(const struct wire_request *request, struct str *ret);
MUST_CHECK int wire_request_unpack(const void *bytes, size_t length, struct wire_request **ret,
                                   struct err *err);
void wire_reply_pack(const struct wire_reply *reply, struct str *ret);
MUST_CHECK int wire_reply_unpack(const void *bytes, size_t length, struct wire_reply **ret,
                                 struct err *err);
