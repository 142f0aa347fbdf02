/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One example of every message, with every field set, for the tests of the wire. Fixed: the golden
 * files are these.
 */
#pragma once
#include "proto/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXAMPLE_SESSION "0123456789abcdef0123456789abcdef"
#define EXAMPLE_DIGEST "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static struct fact_set *example_facts(void)
{
    struct fact_set *facts = fact_set_new();
    struct err err = {0};
    int failed = 0;

    failed += fact_set_put(facts, "cpu.vendor", "AMD", FACT_IDENTITY, "cpuid", &err);
    failed += fact_set_put(facts, "os.id", "débian", FACT_IDENTITY, "/etc/os-release", &err);
    failed += fact_set_put(facts, "load.avg", "0.25", FACT_STATE, NULL, &err);
    return failed == 0 ? facts : NULL;
}

static struct frame *example_frame(void)
{
    struct frame *frame = frame_new();
    const size_t elapsed = frame_number_column(frame, "elapsed_s");
    const size_t custom = frame_number_column(frame, "gc time, µs");
    const size_t sink = frame_text_column(frame, "stdout_kind");
    const uint32_t pipe = frame_level(frame, sink, "pipe"), pty = frame_level(frame, sink, "pty");

    frame->first_seq = 7;
    for (uint32_t i = 0; i < 4; i++) {
        const size_t row = frame_add_row(frame);

        frame->variant[row] = i % 2;
        frame->cell[row] = i / 2;
        frame->round[row] = 300 + i / 2;
        frame->position[row] = i % 2;
        frame->session[row] = 1;
        frame->outcome[row] = i == 3 ? OUTCOME_TIMEOUT : OUTCOME_OK;
        frame->flags[row] = i == 0 ? FRAME_WARMUP : 0;
        frame->number[elapsed].v[row] = 0.1 * (double)(i + 1);
        frame->number[custom].v[row] = i == 2 ? (double)NAN : 1e-300 * (double)i;
        frame->text[sink].v[row] = i == 3 ? FRAME_UNKNOWN : i == 1 ? pty : pipe;
    }
    return frame;
}

static void example_variant(struct variant *variant, const char *name, const char *run)
{
    variant->name = mem_strdup(name);
    variant->run = mem_strdup(run);
    variant->setup = mem_strdup("./make-ready");
    variant->prepare = mem_strdup("sync;\n\techo 3");
    variant->files = mem_strdup("build/old");
    memcpy(variant->artefact, EXAMPLE_DIGEST, DIGEST_SIZE);
    strmap_set(&variant->env, "GLUE", "syscall");
    strmap_set(&variant->env, "EMPTY", "");
}

static struct experiment *example_experiment(void)
{
    struct experiment *e = experiment_new();

    e->name = mem_strdup("test-open");
    e->description = mem_strdup("open, write,\nclose");
    e->variant = mem_array(struct variant, 2);
    e->n_variants = 2;
    example_variant(&e->variant[0], "old", "./file-open --count ${threads}");
    example_variant(&e->variant[1], "new", "./file-open");
    e->variant[1].is_control = true;
    e->factor = mem_array(struct factor, 1);
    e->n_factors = 1;
    e->factor[0].name = mem_strdup("threads");
    strlist_add(&e->factor[0].level, "1");
    strlist_add(&e->factor[0].level, "4");
    e->metric_def[1].match = mem_strdup("GC ([0-9.]+) us");
    e->metric_def[1].higher_is_better = true;
    e->hosts = mem_strdup("cpu.vendor == \"AMD\"");
    e->min_blocks = 12;
    e->max_blocks = 90;
    e->warmup = 2;
    e->sessions = 3;
    e->budget_ns = 1800000000000;
    e->control = e->is_aa = e->not_interleaved = true;
    e->quiet = QUIET_REFUSE;
    e->randomize_aslr = e->randomize_cpu = true;
    strlist_add(&e->suspect, "os.glibc");
    strlist_add(&e->shuffle, "link_order");
    e->profile_blocks = 2;
    strlist_add(&e->profile_with, "perf");
    e->limit_user = mem_strdup("nobody");
    e->limit_memory_bytes = UINT64_C(2) << 30;
    e->limit_no_network = true;
    e->schedule_at = mem_strdup("Mon..Fri 02:00");
    e->schedule_missed = mem_strdup("expire 4h");
    e->source = mem_strdup("experiment: test-open\n");
    return e;
}

/* The body of a kind, freed by wire_message_free. */
static struct wire_message *example_message(enum wire_kind kind)
{
    struct wire_message *message = mem_new(struct wire_message);

    message->kind = kind;
    switch (kind) {
    case WIRE_HELLO:
        message->as.hello = mem_new(struct wire_hello);
        *message->as.hello = (struct wire_hello){.version = WIRE_VERSION,
                                                 .agent_version = mem_strdup("0.1.0"),
                                                 .session = EXAMPLE_SESSION,
                                                 .host = mem_strdup("n1"),
                                                 .boot_id = mem_strdup("b-1"),
                                                 .machine_id_hash = mem_strdup("m-1"),
                                                 .facts = example_facts(),
                                                 .run = 5,
                                                 .epoch = 2,
                                                 .spooled_seq = 1234567890123};
        break;
    case WIRE_HEARTBEAT:
    case WIRE_HEARTBEAT_ANSWER:
        message->as.heartbeat = mem_new(struct wire_heartbeat);
        *message->as.heartbeat = (struct wire_heartbeat){.session = EXAMPLE_SESSION,
                                                         .counter = 9,
                                                         .wall_us = -3,
                                                         .run = 5,
                                                         .epoch = 2,
                                                         .sleeping_ns = 60000000000};
        break;
    case WIRE_BATCH:
        message->as.batch = mem_new(struct wire_batch);
        *message->as.batch = (struct wire_batch){.run = 5,
                                                 .epoch = 2,
                                                 .frame = example_frame(),
                                                 .n_outputs = 1,
                                                 .rounds_done = 302,
                                                 .session = 1};
        message->as.batch->output = mem_alloc(1, sizeof *message->as.batch->output);
        message->as.batch->output[0].seq = 10;
        message->as.batch->output[0].text = mem_strdup("no such file\n");
        break;
    case WIRE_TRIAL_EVENT:
        message->as.trial_event = mem_new(struct wire_trial_event);
        *message->as.trial_event = (struct wire_trial_event){.run = 5,
                                                             .epoch = 2,
                                                             .event = WIRE_TRIAL_FAILED,
                                                             .reason = mem_strdup("no such file"),
                                                             .facts = example_facts(),
                                                             .seq = 10};
        break;
    case WIRE_ARTEFACT_GET:
    case WIRE_CHUNK:
    case WIRE_PUT:
        message->as.chunk = mem_new(struct wire_chunk);
        *message->as.chunk =
            (struct wire_chunk){.digest = EXAMPLE_DIGEST, .offset = 131072, .total = 131076};
        if (kind != WIRE_ARTEFACT_GET) {
            message->as.chunk->bytes = mem_dup("\0\1\2\xff", 4);
            message->as.chunk->length = 4;
        }
        break;
    case WIRE_WELCOME:
        message->as.welcome = mem_new(struct wire_welcome);
        *message->as.welcome = (struct wire_welcome){.version = WIRE_VERSION,
                                                     .session = EXAMPLE_SESSION,
                                                     .heartbeat_ns = 5000000000,
                                                     .resume = true,
                                                     .stored_seq = 77};
        break;
    case WIRE_REFUSED:
        message->as.refused = mem_new(struct wire_refused);
        *message->as.refused =
            (struct wire_refused){.reason = mem_strdup("key is of host “n2”"), .final = true};
        break;
    case WIRE_LEASE:
        message->as.lease = mem_new(struct lease);
        *message->as.lease = (struct lease){.run = 5,
                                            .host = mem_strdup("n1"),
                                            .epoch = 2,
                                            .seed = UINT64_C(0xfedcba9876543210),
                                            .next_seq = 11,
                                            .session = 1,
                                            .first_round = 10,
                                            .upto_round = 20,
                                            .ttl_ns = 60000000000,
                                            .experiment = example_experiment()};
        break;
    case WIRE_ACK:
        message->as.ack = mem_new(struct wire_ack);
        *message->as.ack = (struct wire_ack){.run = 5, .epoch = 2, .stored_seq = 10};
        break;
    case WIRE_EXTEND:
        message->as.extend = mem_new(struct wire_extend);
        *message->as.extend =
            (struct wire_extend){.run = 5, .epoch = 2, .session = 1, .upto_round = 40};
        break;
    case WIRE_STOP:
        message->as.stop = mem_new(struct wire_stop);
        *message->as.stop = (struct wire_stop){
            .run = 5, .epoch = 2, .kill_now = true, .reason = mem_strdup("cancelled by eve")};
        break;
    case WIRE_REQUEST:
        message->as.request = mem_new(struct wire_request);
        *message->as.request = (struct wire_request){.id = 3,
                                                     .kind = WIRE_REQUEST_SUBMIT,
                                                     .experiment = example_experiment(),
                                                     .idempotency = UINT64_C(0x8000000000000001),
                                                     .token = EXAMPLE_SESSION};
        strmap_set(&message->as.request->arg, "hosts", "n1\nn2");
        break;
    case WIRE_REPLY:
        message->as.reply = mem_new(struct wire_reply);
        *message->as.reply = (struct wire_reply){.id = 3,
                                                 .last = true,
                                                 .exit_code = 69,
                                                 .text = mem_dup("a\0b\n", 5),
                                                 .text_length = 4,
                                                 .error = mem_strdup("muster: no host matches"),
                                                 .progress = mem_strdup("{\"done\": 1}")};
        break;
    }
    return message;
}

static const enum wire_kind example_kinds[] = {
    WIRE_HELLO,        WIRE_HEARTBEAT, WIRE_BATCH,   WIRE_TRIAL_EVENT,
    WIRE_ARTEFACT_GET, WIRE_WELCOME,   WIRE_REFUSED, WIRE_LEASE,
    WIRE_ACK,          WIRE_EXTEND,    WIRE_STOP,    WIRE_CHUNK,
    WIRE_REQUEST,      WIRE_PUT,       WIRE_REPLY,   WIRE_HEARTBEAT_ANSWER,
};
#define N_EXAMPLES (sizeof example_kinds / sizeof example_kinds[0])

/* Encoded, or the program ends: an example is always encodable. */
static void example_bytes(enum wire_kind kind, struct str *ret)
{
    struct wire_message *message = example_message(kind);
    struct err err = {0};

    if (wire_encode(kind, message->as.hello, ret, &err) < 0) {
        fprintf(stderr, "%s: %s\n", wire_kind_name(kind), err.text);
        abort();
    }
    wire_message_free(message);
}
