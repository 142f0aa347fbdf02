/* SPDX-License-Identifier: GPL-3.0-or-later
 * The CSV reader, over a file in memory: every record has as many fields as the header, twice the
 * same ones. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>

#include "base/fdio.h"
#include "coordinator/import/csv.h"

/* Records and bytes of fields. */
static bool read_all(struct csv *csv, size_t *ret_records, size_t *ret_bytes)
{
    const struct csv_field *field = NULL;
    struct err err = {0};
    int result;

    *ret_records = *ret_bytes = 0;
    while ((result = csv_next(csv, &field, &err)) == 1) {
        ++*ret_records;
        for (size_t i = 0; i < csv_columns(csv); i++) {
            FUZZ_HOLDS(strlen(field[i].text) == field[i].length);
            *ret_bytes += field[i].length;
        }
    }
    FUZZ_HOLDS(result == 0 || err.text[0] != '\0');
    return result == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEAN_FD int fd = memfd_create("fuzz", MFD_CLOEXEC);
    CLEAN_MEM char *path = mem_printf("/proc/self/fd/%d", fd);
    struct csv *csv = NULL;
    struct err err = {0};
    size_t records, bytes, records2, bytes2;

    FUZZ_HOLDS(fd >= 0 && fdio_write_all(fd, data, size, &err) == 0);
    if (csv_open(path, "fuzz.csv", &csv, &err) < 0) {
        FUZZ_HOLDS(err.text[0] != '\0');
        return 0;
    }
    const bool whole = read_all(csv, &records, &bytes);
    FUZZ_HOLDS(csv_rewind(csv, &err) == 0);
    FUZZ_HOLDS(read_all(csv, &records2, &bytes2) == whole);
    FUZZ_HOLDS(records == records2 && bytes == bytes2);
    csv_free(csv);
    return 0;
}
