/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the binary part of the corpus: the example of each message, of the blobs, and a spool of
 * two blocks. Run once when a message is added (`fuzz_make_corpus tests/fuzz/corpus`); its output
 * is committed.
 */
#include "unit/proto/messages.h"

#include "base/fdio.h"

static void save(const char *root, const char *target, const char *name, const struct str *bytes)
{
    CLEAN_MEM char *dir = mem_printf("%s/%s", root, target);
    CLEAN_MEM char *path = mem_printf("%s/%s", dir, name);
    struct err err = {0};

    if (fdio_make_dirs(dir, 0755, &err) < 0 ||
        fdio_write_atomic(path, str_get(bytes), bytes->length, 0644, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

/* Kinds of one codec share a target. */
static const char *target_of(enum wire_kind kind)
{
    if (kind == WIRE_ARTEFACT_GET || kind == WIRE_PUT)
        kind = WIRE_CHUNK;
    if (kind == WIRE_HEARTBEAT_ANSWER)
        kind = WIRE_HEARTBEAT;
    return wire_kind_name(kind);
}

/* The body behind `kind` and the length: what fuzz_message takes. */
static struct str body_of(const struct str *message)
{
    size_t at = 3;

    while ((unsigned char)message->text[at] >= 0x80)
        at++;
    return (struct str){.text = message->text + at + 1, .length = message->length - at - 1};
}

static void add_u32(struct str *s, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        str_addc(s, (char)(value >> (8 * i) & 0xff));
}

/* One record of an agent's spool: length, checksum of length and payload, payload. */
static void add_record(struct str *spool, const struct wire_batch *batch)
{
    struct str payload = {0}, head = {0};

    wire_batch_pack(batch, &payload);
    add_u32(&head, (uint32_t)payload.length);
    str_add_bytes(spool, head.text, head.length);
    add_u32(spool,
            digest_crc32c(digest_crc32c(0, head.text, head.length), payload.text, payload.length));
    str_add_bytes(spool, payload.text, payload.length);
    str_done(&payload);
    str_done(&head);
}

static void save_spools(const char *root)
{
    struct wire_message *batch = example_message(WIRE_BATCH);
    struct str spool = {0};

    batch->as.batch->run = 1;
    batch->as.batch->epoch = 1;
    batch->as.batch->frame->first_seq = 1;
    batch->as.batch->output[0].seq = 1;
    add_record(&spool, batch->as.batch);
    batch->as.batch->frame->first_seq = 5;
    batch->as.batch->output[0].seq = 5;
    add_record(&spool, batch->as.batch);
    save(root, "spool", "two-blocks", &spool);
    spool.length -= 9;
    save(root, "spool", "torn", &spool);
    wire_message_free(batch);
    str_done(&spool);
}

static void save_blobs(const char *root)
{
    struct frame *frame = example_frame();
    struct fact_set *facts = example_facts();
    struct experiment *experiment = example_experiment();
    struct str bytes = {0};

    wire_frame_pack(frame, &bytes);
    save(root, "frame", "example", &bytes);
    str_clear(&bytes);
    wire_facts_pack(facts, &bytes);
    save(root, "experiment", "facts", &bytes);
    str_clear(&bytes);
    wire_experiment_pack(experiment, &bytes);
    save(root, "experiment", "example", &bytes);
    frame_free(frame);
    fact_set_free(facts);
    experiment_free(experiment);
    str_done(&bytes);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        const char *name = wire_kind_name(example_kinds[i]);
        struct str bytes = {0};

        example_bytes(example_kinds[i], &bytes);
        const struct str body = body_of(&bytes);
        save(argv[1], target_of(example_kinds[i]), name, &body);
        save(argv[1], "envelope", name, &bytes);
        str_done(&bytes);
    }
    save_blobs(argv[1]);
    save_spools(argv[1]);
    return 0;
}
