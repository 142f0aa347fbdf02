/* SPDX-License-Identifier: GPL-3.0-or-later
 * Every message survives the wire, field by field, and reads the same bytes in every version
 * (golden files). With MUSTER_WRITE_GOLDEN set, golden files that are missing are written. */
#include "messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fdio.h"

#include <cmocka.h>

#define GOLDEN_DIR TEST_SOURCE_DIR "/tests/unit/proto/golden"

static struct wire_message *decode(const void *bytes, size_t length)
{
    struct wire_message *message = NULL;
    struct err err = {0};
    const int result = wire_decode(bytes, length, &message, &err);

    if (result != 0)
        fail_msg("decoding gives %d: %s", result, err.text);
    return message;
}

static void assert_facts(const struct fact_set *got, const struct fact_set *want)
{
    assert_int_equal(got->n, want->n);
    for (size_t i = 0; i < want->n; i++) {
        assert_string_equal(got->v[i].name, want->v[i].name);
        assert_string_equal(got->v[i].value, want->v[i].value);
        assert_int_equal(got->v[i].kind, want->v[i].kind);
        assert_true(str_eq(got->v[i].from, want->v[i].from));
    }
}

static void assert_lists(const struct strlist *got, const struct strlist *want)
{
    assert_int_equal(got->n, want->n);
    for (size_t i = 0; i < want->n; i++)
        assert_string_equal(got->v[i], want->v[i]);
}

static void assert_variants(const struct variant *got, const struct variant *want)
{
    assert_string_equal(got->name, want->name);
    assert_string_equal(got->run, want->run);
    assert_string_equal(got->setup, want->setup);
    assert_string_equal(got->prepare, want->prepare);
    assert_string_equal(got->files, want->files);
    assert_string_equal(got->artefact, want->artefact);
    assert_int_equal(got->is_control, want->is_control);
    assert_int_equal(got->env.n, want->env.n);
    for (size_t i = 0; i < want->env.n; i++) {
        assert_string_equal(got->env.key[i], want->env.key[i]);
        assert_string_equal(got->env.value[i], want->env.value[i]);
    }
}

static void assert_experiments(const struct experiment *got, const struct experiment *want)
{
    assert_string_equal(got->name, want->name);
    assert_string_equal(got->description, want->description);
    assert_string_equal(got->metric, want->metric);
    assert_true(got->min_effect == want->min_effect && got->alpha == want->alpha);
    assert_int_equal(got->n_variants, want->n_variants);
    for (size_t i = 0; i < want->n_variants; i++)
        assert_variants(&got->variant[i], &want->variant[i]);
    assert_int_equal(got->n_factors, want->n_factors);
    for (size_t i = 0; i < want->n_factors; i++) {
        assert_string_equal(got->factor[i].name, want->factor[i].name);
        assert_lists(&got->factor[i].level, &want->factor[i].level);
    }
    assert_int_equal(got->n_metric_defs, want->n_metric_defs);
    for (size_t i = 0; i < want->n_metric_defs; i++) {
        assert_string_equal(got->metric_def[i].name, want->metric_def[i].name);
        assert_true(str_eq(got->metric_def[i].match, want->metric_def[i].match));
        assert_string_equal(got->metric_def[i].unit, want->metric_def[i].unit);
        assert_int_equal(got->metric_def[i].higher_is_better, want->metric_def[i].higher_is_better);
    }
    assert_string_equal(got->hosts, want->hosts);
    assert_int_equal(got->min_blocks, want->min_blocks);
    assert_int_equal(got->max_blocks, want->max_blocks);
    assert_int_equal(got->warmup, want->warmup);
    assert_int_equal(got->sessions, want->sessions);
    assert_int_equal(got->timeout_ns, want->timeout_ns);
    assert_int_equal(got->budget_ns, want->budget_ns);
    assert_int_equal(got->control, want->control);
    assert_int_equal(got->is_aa, want->is_aa);
    assert_int_equal(got->not_interleaved, want->not_interleaved);
    assert_int_equal(got->quiet, want->quiet);
    assert_int_equal(got->quiet_wait_ns, want->quiet_wait_ns);
    assert_int_equal(got->randomize_env, want->randomize_env);
    assert_int_equal(got->randomize_dir, want->randomize_dir);
    assert_int_equal(got->randomize_aslr, want->randomize_aslr);
    assert_int_equal(got->randomize_cpu, want->randomize_cpu);
    assert_lists(&got->suspect, &want->suspect);
    assert_lists(&got->shuffle, &want->shuffle);
    assert_int_equal(got->profile_blocks, want->profile_blocks);
    assert_lists(&got->profile_with, &want->profile_with);
    assert_string_equal(got->limit_user, want->limit_user);
    assert_int_equal(got->limit_memory_bytes, want->limit_memory_bytes);
    assert_int_equal(got->limit_no_network, want->limit_no_network);
    assert_string_equal(got->schedule_at, want->schedule_at);
    assert_string_equal(got->schedule_missed, want->schedule_missed);
}

static void assert_batches(const struct wire_batch *got, const struct wire_batch *want)
{
    assert_int_equal(got->run, want->run);
    assert_int_equal(got->epoch, want->epoch);
    assert_true(frame_equal(got->frame, want->frame));
    assert_int_equal(got->n_outputs, want->n_outputs);
    for (size_t i = 0; i < want->n_outputs; i++) {
        assert_int_equal(got->output[i].seq, want->output[i].seq);
        assert_string_equal(got->output[i].text, want->output[i].text);
    }
    assert_int_equal(got->rounds_done, want->rounds_done);
    assert_int_equal(got->session, want->session);
}

static void assert_leases(const struct lease *got, const struct lease *want)
{
    assert_int_equal(got->run, want->run);
    assert_string_equal(got->host, want->host);
    assert_int_equal(got->epoch, want->epoch);
    assert_true(got->seed == want->seed);
    assert_int_equal(got->next_seq, want->next_seq);
    assert_int_equal(got->session, want->session);
    assert_int_equal(got->first_round, want->first_round);
    assert_int_equal(got->upto_round, want->upto_round);
    assert_int_equal(got->ttl_ns, want->ttl_ns);
    assert_experiments(got->experiment, want->experiment);
    assert_null(got->experiment->source); /* stays at the coordinator */
}

static void assert_hellos(const struct wire_hello *got, const struct wire_hello *want)
{
    assert_int_equal(got->version, want->version);
    assert_string_equal(got->agent_version, want->agent_version);
    assert_string_equal(got->session, want->session);
    assert_string_equal(got->host, want->host);
    assert_string_equal(got->boot_id, want->boot_id);
    assert_string_equal(got->machine_id_hash, want->machine_id_hash);
    assert_facts(got->facts, want->facts);
    assert_int_equal(got->run, want->run);
    assert_int_equal(got->epoch, want->epoch);
    assert_int_equal(got->spooled_seq, want->spooled_seq);
}

static void assert_heartbeats(const struct wire_heartbeat *got, const struct wire_heartbeat *want)
{
    assert_string_equal(got->session, want->session);
    assert_int_equal(got->counter, want->counter);
    assert_int_equal(got->wall_us, want->wall_us);
    assert_int_equal(got->run, want->run);
    assert_int_equal(got->epoch, want->epoch);
    assert_int_equal(got->sleeping_ns, want->sleeping_ns);
}

static void assert_trial_events(const struct wire_trial_event *got,
                                const struct wire_trial_event *want)
{
    assert_int_equal(got->run, want->run);
    assert_int_equal(got->epoch, want->epoch);
    assert_int_equal(got->event, want->event);
    assert_string_equal(got->reason, want->reason);
    assert_facts(got->facts, want->facts);
    assert_int_equal(got->seq, want->seq);
}

static void assert_chunks(const struct wire_chunk *got, const struct wire_chunk *want)
{
    assert_string_equal(got->digest, want->digest);
    assert_int_equal(got->offset, want->offset);
    assert_int_equal(got->total, want->total);
    assert_int_equal(got->length, want->length);
    if (want->length)
        assert_memory_equal(got->bytes, want->bytes, want->length);
}

static void assert_requests(const struct wire_request *got, const struct wire_request *want)
{
    assert_int_equal(got->id, want->id);
    assert_int_equal(got->kind, want->kind);
    assert_int_equal(got->arg.n, want->arg.n);
    assert_string_equal(strmap_get(&got->arg, "hosts"), strmap_get(&want->arg, "hosts"));
    assert_experiments(got->experiment, want->experiment);
    assert_string_equal(got->experiment->source, want->experiment->source);
    assert_true(got->idempotency == want->idempotency);
    assert_string_equal(got->token, want->token);
}

static void assert_replies(const struct wire_reply *got, const struct wire_reply *want)
{
    assert_int_equal(got->id, want->id);
    assert_int_equal(got->last, want->last);
    assert_int_equal(got->exit_code, want->exit_code);
    assert_int_equal(got->text_length, want->text_length);
    assert_memory_equal(got->text, want->text, want->text_length);
    assert_string_equal(got->error, want->error);
    assert_string_equal(got->progress, want->progress);
}

static void assert_messages(const struct wire_message *got, const struct wire_message *want)
{
    assert_int_equal(got->kind, want->kind);
    switch (want->kind) {
    case WIRE_HELLO:
        assert_hellos(got->as.hello, want->as.hello);
        break;
    case WIRE_HEARTBEAT:
    case WIRE_HEARTBEAT_ANSWER:
        assert_heartbeats(got->as.heartbeat, want->as.heartbeat);
        break;
    case WIRE_BATCH:
        assert_batches(got->as.batch, want->as.batch);
        break;
    case WIRE_TRIAL_EVENT:
        assert_trial_events(got->as.trial_event, want->as.trial_event);
        break;
    case WIRE_ARTEFACT_GET:
    case WIRE_CHUNK:
    case WIRE_PUT:
        assert_chunks(got->as.chunk, want->as.chunk);
        break;
    case WIRE_WELCOME:
        assert_int_equal(got->as.welcome->version, want->as.welcome->version);
        assert_string_equal(got->as.welcome->session, want->as.welcome->session);
        assert_int_equal(got->as.welcome->heartbeat_ns, want->as.welcome->heartbeat_ns);
        assert_int_equal(got->as.welcome->resume, want->as.welcome->resume);
        assert_int_equal(got->as.welcome->stored_seq, want->as.welcome->stored_seq);
        break;
    case WIRE_REFUSED:
        assert_string_equal(got->as.refused->reason, want->as.refused->reason);
        assert_int_equal(got->as.refused->final, want->as.refused->final);
        break;
    case WIRE_LEASE:
        assert_leases(got->as.lease, want->as.lease);
        break;
    case WIRE_ACK:
        assert_int_equal(got->as.ack->run, want->as.ack->run);
        assert_int_equal(got->as.ack->epoch, want->as.ack->epoch);
        assert_int_equal(got->as.ack->stored_seq, want->as.ack->stored_seq);
        break;
    case WIRE_EXTEND:
        assert_int_equal(got->as.extend->run, want->as.extend->run);
        assert_int_equal(got->as.extend->epoch, want->as.extend->epoch);
        assert_int_equal(got->as.extend->session, want->as.extend->session);
        assert_int_equal(got->as.extend->upto_round, want->as.extend->upto_round);
        break;
    case WIRE_STOP:
        assert_int_equal(got->as.stop->run, want->as.stop->run);
        assert_int_equal(got->as.stop->epoch, want->as.stop->epoch);
        assert_int_equal(got->as.stop->kill_now, want->as.stop->kill_now);
        assert_string_equal(got->as.stop->reason, want->as.stop->reason);
        break;
    case WIRE_REQUEST:
        assert_requests(got->as.request, want->as.request);
        break;
    case WIRE_REPLY:
        assert_replies(got->as.reply, want->as.reply);
        break;
    }
}

static void every_message_survives_the_wire(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        struct wire_message *want = example_message(example_kinds[i]), *got = NULL;
        struct str bytes = {0};

        example_bytes(example_kinds[i], &bytes);
        assert_int_equal(wire_peek(bytes.text, bytes.length), example_kinds[i]);
        got = decode(bytes.text, bytes.length);
        assert_messages(got, want);
        wire_message_free(got);
        wire_message_free(want);
        str_done(&bytes);
    }
}

/* Bytes of a golden file: hex digits in lines. */
static void read_golden(const char *path, struct str *ret)
{
    struct str text = {0};
    struct err err = {0};
    unsigned value = 0, digits = 0;

    if (fdio_read_file(path, 1024 * 1024, &text, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < text.length; i++) {
        const char *hex = "0123456789abcdef", *at = strchr(hex, text.text[i]);

        if (text.text[i] == '\n')
            continue;
        assert_non_null(at);
        value = value << 4 | (unsigned)(at - hex);
        if (++digits % 2 == 0)
            str_addc(ret, (char)(value & 0xff));
    }
    str_done(&text);
}

static void write_golden(const char *path, const struct str *bytes)
{
    struct str text = {0};
    struct err err = {0};

    for (size_t i = 0; i < bytes->length; i++)
        str_addf(&text, "%02x%s", (unsigned char)bytes->text[i],
                 i % 32 == 31 || i + 1 == bytes->length ? "\n" : "");
    if (fdio_write_atomic(path, text.text, text.length, 0644, &err) < 0)
        fail_msg("%s", err.text);
    str_done(&text);
}

static void golden_bytes_are_written_and_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        const char *name = wire_kind_name(example_kinds[i]);
        struct wire_message *want = example_message(example_kinds[i]), *got = NULL;
        struct str bytes = {0}, golden = {0};
        char path[512];

        (void)snprintf(path, sizeof path, "%s/%s.hex", GOLDEN_DIR, name);
        example_bytes(example_kinds[i], &bytes);
        if (getenv("MUSTER_WRITE_GOLDEN") && access(path, F_OK) < 0)
            write_golden(path, &bytes);
        read_golden(path, &golden);
        if (golden.length != bytes.length ||
            memcmp(str_get(&golden), str_get(&bytes), bytes.length) != 0)
            fail_msg("%s: %zu bytes differ from the %zu golden ones", name, bytes.length,
                     golden.length);
        got = decode(golden.text, golden.length);
        assert_messages(got, want);
        wire_message_free(got);
        wire_message_free(want);
        str_done(&bytes);
        str_done(&golden);
    }
}

static void parts_survive_on_their_own(void **state)
{
    struct str bytes = {0};
    struct err err = {0};
    struct frame *frame = example_frame(), *frame2 = NULL;
    struct fact_set *facts = example_facts(), *facts2 = NULL;
    struct experiment *experiment = example_experiment(), *experiment2 = NULL;
    struct wire_message *batch = example_message(WIRE_BATCH), *lease = example_message(WIRE_LEASE);
    struct wire_batch *batch2 = NULL;
    struct lease *lease2 = NULL;

    (void)state;
    wire_frame_pack(frame, &bytes);
    assert_int_equal(wire_frame_unpack(bytes.text, bytes.length, &frame2, &err), 0);
    assert_true(frame_equal(frame, frame2));
    str_clear(&bytes);
    wire_facts_pack(facts, &bytes);
    assert_int_equal(wire_facts_unpack(bytes.text, bytes.length, &facts2, &err), 0);
    assert_facts(facts2, facts);
    str_clear(&bytes);
    wire_experiment_pack(experiment, &bytes);
    assert_int_equal(wire_experiment_unpack(bytes.text, bytes.length, &experiment2, &err), 0);
    assert_experiments(experiment2, experiment);
    assert_string_equal(experiment2->source, experiment->source);
    str_clear(&bytes);
    wire_batch_pack(batch->as.batch, &bytes);
    assert_int_equal(wire_batch_unpack(bytes.text, bytes.length, &batch2, &err), 0);
    assert_batches(batch2, batch->as.batch);
    str_clear(&bytes);
    wire_lease_pack(lease->as.lease, &bytes);
    assert_int_equal(wire_lease_unpack(bytes.text, bytes.length, &lease2, &err), 0);
    assert_leases(lease2, lease->as.lease);

    str_done(&bytes);
    frame_free(frame);
    frame_free(frame2);
    fact_set_free(facts);
    fact_set_free(facts2);
    experiment_free(experiment);
    experiment_free(experiment2);
    wire_message_free(batch);
    wire_message_free(lease);
    wire_batch_free(batch2);
    lease_free(lease2);
}

static void default_and_empty_messages_survive(void **state)
{
    struct experiment *plain = experiment_new(), *again = NULL;
    struct frame *empty = frame_new(), *empty2 = NULL;
    struct fact_set *facts = fact_set_new(), *facts2 = NULL;
    struct str bytes = {0};
    struct err err = {0};

    (void)state;
    plain->name = mem_strdup("x");
    wire_experiment_pack(plain, &bytes);
    assert_int_equal(wire_experiment_unpack(bytes.text, bytes.length, &again, &err), 0);
    assert_null(again->hosts);
    assert_null(again->source);
    assert_int_equal(again->n_variants, 0);
    str_clear(&bytes);
    wire_frame_pack(empty, &bytes);
    assert_int_equal(wire_frame_unpack(bytes.text, bytes.length, &empty2, &err), 0);
    assert_int_equal(empty2->n, 0);
    str_clear(&bytes);
    wire_facts_pack(facts, &bytes);
    assert_int_equal(wire_facts_unpack(bytes.text, bytes.length, &facts2, &err), 0);
    assert_int_equal(facts2->n, 0);
    str_done(&bytes);
    experiment_free(plain);
    experiment_free(again);
    frame_free(empty);
    frame_free(empty2);
    fact_set_free(facts);
    fact_set_free(facts2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_survives_the_wire),
        cmocka_unit_test(golden_bytes_are_written_and_read),
        cmocka_unit_test(parts_survive_on_their_own),
        cmocka_unit_test(default_and_empty_messages_survive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
