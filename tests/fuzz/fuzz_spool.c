/* SPDX-License-Identifier: GPL-3.0-or-later
 * A spool file after a crash: any bytes open, every record that is listed reads, and a second
 * opening finds the same. */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "agent/spool.h"
#include "base/fdio.h"

static char directory[64];

static void remove_directory(void)
{
    (void)!fdio_remove_tree(directory, NULL);
}

static size_t open_and_read(uint64_t *ret_cut)
{
    struct spool *spool = NULL;
    struct err err = {0};
    size_t n = 0;

    if (spool_open(directory, 1, 1, &spool, ret_cut, &err) < 0) {
        FUZZ_HOLDS(err.text[0] != '\0');
        return SIZE_MAX;
    }
    n = spool_count(spool);
    for (size_t i = 0; i < n; i++) {
        struct wire_batch *batch = NULL;

        FUZZ_HOLDS(spool_read(spool, i, &batch, &err) == 0);
        wire_batch_free(batch);
    }
    spool_free(spool);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    uint64_t cut = 0, cut_again = 0;
    char path[96];

    if (!directory[0]) {
        (void)snprintf(directory, sizeof directory, "/tmp/muster-fuzz-XXXXXX");
        FUZZ_HOLDS(mkdtemp(directory) && atexit(remove_directory) == 0);
    }
    (void)snprintf(path, sizeof path, "%s/1-1.spool", directory);
    CLEAN_FD int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_HOLDS(fd >= 0 && fdio_write_all(fd, data, size, &err) == 0);
    const size_t n = open_and_read(&cut);
    if (n != SIZE_MAX) {
        FUZZ_HOLDS(open_and_read(&cut_again) == n);
        FUZZ_HOLDS(cut_again == 0);
    }
    (void)unlink(path);
    return 0;
}
