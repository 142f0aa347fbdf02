/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What travels between agent, coordinator and command line, as model structs. Only proto/wire_*.c
 * see generated types. A message is one frame: protobuf `Envelope{kind, body}`; size caps are
 * checked before unpacking, unpacking uses a capped allocator, every field is checked before it
 * becomes a struct. See docs/PROTOCOL.md.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"
#include "model/host.h"
#include "model/sample.h"
#include "model/trial.h"

#define WIRE_VERSION 1

enum wire_kind {
    /* agent -> coordinator */
    WIRE_HELLO = 1,        /* struct wire_hello */
    WIRE_HEARTBEAT = 2,    /* struct wire_heartbeat */
    WIRE_BATCH = 3,        /* struct wire_batch */
    WIRE_TRIAL_EVENT = 4,  /* struct wire_trial_event */
    WIRE_ARTEFACT_GET = 5, /* struct wire_chunk: digest, offset; no bytes */
    /* coordinator -> agent */
    WIRE_WELCOME = 20,          /* struct wire_welcome */
    WIRE_REFUSED = 21,          /* struct wire_refused */
    WIRE_LEASE = 22,            /* struct lease */
    WIRE_ACK = 23,              /* struct wire_ack */
    WIRE_EXTEND = 24,           /* struct wire_extend */
    WIRE_STOP = 25,             /* struct wire_stop */
    WIRE_CHUNK = 26,            /* struct wire_chunk: digest, offset, total, bytes */
    WIRE_HEARTBEAT_ANSWER = 27, /* struct wire_heartbeat */
    /* command line -> coordinator */
    WIRE_REQUEST = 40, /* struct wire_request */
    WIRE_PUT = 41,     /* struct wire_chunk: upload of an artefact or import file */
    /* coordinator -> command line */
    WIRE_REPLY = 60 /* struct wire_reply, one or more per request, the last with `last` set */
};

struct wire_hello {
    uint32_t version; /* WIRE_VERSION of the sender */
    char *agent_version;
    char session[ID_SIZE]; /* fresh at each start of the agent */
    char *host;            /* the name it wants; must be the one its key is enrolled for */
    char *boot_id;
    char *machine_id_hash;
    struct fact_set *facts;
    /* the lease it still holds, to resume; run 0: none */
    int64_t run;
    uint64_t epoch;
    uint64_t spooled_seq; /* highest number in its spool for that run */
};
struct wire_welcome {
    uint32_t version;
    char session[ID_SIZE]; /* echoed */
    int64_t heartbeat_ns;  /* interval asked for */
    bool
        resume; /* go on with the held lease (epoch unchanged); false: drop it, kill the workload */
    uint64_t stored_seq; /* of the held run: trim the spool up to here, resend the rest */
};
struct wire_refused {
    char *reason; /* words for the operator; the agent logs it and ends or retries later */
    bool final;
};
struct wire_heartbeat {
    char session[ID_SIZE];
    uint64_t counter;
    int64_t wall_us; /* label only */
    int64_t run;     /* lease held, 0 none */
    uint64_t epoch;
    int64_t sleeping_ns; /* > 0: about to sleep through a sample, at most so long; liveness is
                            suspended */
};
struct wire_batch {
    int64_t run;
    uint64_t epoch;
    struct frame *frame; /* first_seq and n inside */
    struct {             /* outputs kept of failed samples */
        uint64_t seq;
        char *text;
    } * output;
    size_t n_outputs;
    uint32_t rounds_done; /* rounds complete, this batch included */
    uint32_t session;
};
enum wire_event {
    WIRE_STAGED = 1,
    WIRE_STARTED,
    WIRE_BLOCKS_DONE,
    WIRE_TRIAL_FAILED,
    WIRE_TRIAL_STOPPED
};
struct wire_trial_event {
    int64_t run;
    uint64_t epoch;
    enum wire_event event;
    char *reason;           /* of FAILED */
    struct fact_set *facts; /* of STAGED: as they are now */
    uint64_t
        seq; /* of BLOCKS_DONE and STOPPED: highest number taken, so that counts can be compared */
};
struct wire_ack {
    int64_t run;
    uint64_t epoch, stored_seq; /* trim up to here */
};
struct wire_extend {
    int64_t run;
    uint64_t epoch;
    uint32_t session, upto_round;
};
struct wire_stop {
    int64_t run;
    uint64_t epoch;
    bool kill_now; /* false: at the end of the running block */
    char *reason;
};
struct wire_chunk {
    char digest[DIGEST_SIZE];
    uint64_t offset, total;
    void *bytes;
    size_t length;
};
/* Requests of the command line: a kind from a closed list, named arguments (checked per kind by
 * whoever serves it). */
enum wire_request_kind {
#define WIRE_REQUEST_KIND(name, role, words) WIRE_REQUEST_##name,
#include "model/tbl/requests.def"
#undef WIRE_REQUEST_KIND
};
struct wire_request {
    uint64_t id;
    enum wire_request_kind kind;
    struct strmap arg;             /* name -> value; lists are separated by '\n' */
    struct experiment *experiment; /* of SUBMIT; NULL otherwise */
    uint64_t idempotency;
    char token[ID_SIZE]; /* of SUBMIT */
};
struct wire_reply {
    uint64_t id;
    bool last;
    int exit_code; /* of the last one: as the command line would exit */
    char *text;    /* a piece of stdout, NULL none */
    size_t text_length;
    char *error;    /* a line for stderr, NULL none */
    char *progress; /* a JSON object for a follower, NULL none */
};

/* A decoded message: `as` holds the struct of its kind. Freed by wire_message_free. */
struct wire_message {
    enum wire_kind kind;
    union {
        struct wire_hello *hello;
        struct wire_heartbeat *heartbeat;
        struct wire_batch *batch;
        struct wire_trial_event *trial_event;
        struct wire_chunk *chunk;
        struct wire_welcome *welcome;
        struct wire_refused *refused;
        struct lease *lease;
        struct wire_ack *ack;
        struct wire_extend *extend;
        struct wire_stop *stop;
        struct wire_request *request;
        struct wire_reply *reply;
    } as;
};
void wire_message_free(struct wire_message *message);
MEM_CLEANUP(wire_message)
void wire_hello_free(struct wire_hello *hello);
void wire_batch_free(struct wire_batch *batch);
void wire_request_free(struct wire_request *request);
void wire_reply_free(struct wire_reply *reply);
MEM_CLEANUP(wire_hello)
MEM_CLEANUP(wire_batch)
MEM_CLEANUP(wire_request)
MEM_CLEANUP(wire_reply)

/* Lower-case name of a kind ("hello"), NULL for an unknown one; and the most bytes a frame of it
 * may have (0: unknown). */
const char *wire_kind_name(enum wire_kind kind);
size_t wire_kind_cap(enum wire_kind kind);
/* The kind alone, from the first bytes, without decoding the body: for the allow-list per peer
 * role. 0 when unreadable. */
enum wire_kind wire_peek(const void *bytes, size_t length);
/* Outcomes: 0; WIRE_UNKNOWN for a kind this version does not know (not an error); -1 with ERR_PROTO
 * or ERR_LIMIT. */
enum { WIRE_UNKNOWN = 1 };
MUST_CHECK int wire_decode(const void *bytes, size_t length, struct wire_message **ret,
                           struct err *err);
/* Body is the struct of that kind, borrowed. Fails with ERR_LIMIT when the frame would be over the
 * cap of its kind. */
MUST_CHECK int wire_encode(enum wire_kind kind, const void *body, struct str *ret, struct err *err);

/* Frames and fact sets and experiments on their own: the spool's records, the store's blobs.
 * Packing appends. A frame has at most LIMIT_BATCH_SAMPLES rows, LIMIT_BATCH_COLUMNS columns and 4
 * * LIMIT_SAMPLE_FRAME packed bytes, a batch and an experiment LIMIT_SAMPLE_FRAME bytes: more
 * cannot be unpacked. Infinite numbers pack as missing; equal frames pack to equal bytes. */
void wire_frame_pack(const struct frame *frame, struct str *ret);
MUST_CHECK int wire_frame_unpack(const void *bytes, size_t length, struct frame **ret,
                                 struct err *err);
void wire_batch_pack(const struct wire_batch *batch, struct str *ret);
MUST_CHECK int wire_batch_unpack(const void *bytes, size_t length, struct wire_batch **ret,
                                 struct err *err);
void wire_facts_pack(const struct fact_set *facts, struct str *ret);
MUST_CHECK int wire_facts_unpack(const void *bytes, size_t length, struct fact_set **ret,
                                 struct err *err);
void wire_experiment_pack(const struct experiment *experiment, struct str *ret);
MUST_CHECK int wire_experiment_unpack(const void *bytes, size_t length, struct experiment **ret,
                                      struct err *err);
/* Without the experiment's source text: agents have no use for it. */
void wire_lease_pack(const struct lease *lease, struct str *ret);
MUST_CHECK int wire_lease_unpack(const void *bytes, size_t length, struct lease **ret,
                                 struct err *err);
