/* SPDX-License-Identifier: GPL-3.0-or-later
 * The lease file: CRC32C and the packed lease. */
#include "agent/held.h"

#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fdio.h"
#include "model/limits.h"

static char *lease_path(const char *dir)
{
    return mem_printf("%s/lease", dir);
}

int held_save(const char *dir, const struct lease *lease, struct err *err)
{
    CLEAN_DONE(str) struct str packed = {0}, file = {0};
    CLEAN_MEM char *path = lease_path(dir);

    wire_lease_pack(lease, &packed);
    const uint32_t crc = digest_crc32c(0, packed.text, packed.length);
    str_addf(&file, "%08x\n", crc);
    str_add_bytes(&file, packed.text, packed.length);
    return fdio_write_atomic(path, file.text, file.length, 0600, err);
}

int held_load(const char *dir, struct lease **ret, struct err *err)
{
    enum { HEAD = 9 };
    CLEAN_DONE(str) struct str file = {0}, head = {0};
    CLEAN_MEM char *path = lease_path(dir);
    struct err why;

    if (fdio_read_file(path, LIMIT_SAMPLE_FRAME, &file, &why) < 0) {
        if (why.code == ERR_NOT_FOUND)
            return HELD_NONE;
        if (err)
            *err = why;
        return -1;
    }
    if (file.length > HEAD)
        str_addf(&head, "%08x\n", digest_crc32c(0, file.text + HEAD, file.length - HEAD));
    if (head.length != HEAD || strncmp(head.text, file.text, HEAD) != 0 ||
        wire_lease_unpack(file.text + HEAD, file.length - HEAD, ret, NULL) < 0) {
        held_drop(dir);
        return HELD_NONE;
    }
    return 0;
}

void held_drop(const char *dir)
{
    CLEAN_MEM char *path = lease_path(dir);

    unlink(path);
}

void held_catch_up(struct lease *lease, const struct spool *spool)
{
    for (size_t i = 0; i < spool_count(spool); i++) {
        const struct spool_record *record = spool_record(spool, i);

        if (record->last_seq < lease->next_seq || record->session != lease->session)
            continue;
        lease->next_seq = record->last_seq + 1;
        if (record->rounds_done > lease->first_round)
            lease->first_round = record->rounds_done;
    }
    if (lease->upto_round < lease->first_round)
        lease->upto_round = lease->first_round;
}
