/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * file-open: creates, writes, closes, opens, reads and closes one small file, n times, as an old
 * Lisp file test did. Ways through libc's stdio or raw system calls, with or without fsync, by a
 * short or a long path.
 */
#include "bench_main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STDIO, SYSCALL };
enum { SHORT_PATH, LONG_PATH };
#define LONG_PARTS 12

static int through = STDIO, path_kind = SHORT_PATH;
static bool with_fsync;
static long count = 250, bytes = 256;

static void cycle_stdio(const char *path, const char *data, char *back, size_t size)
{
    FILE *file = fopen(path, "we");

    if (!file || fwrite(data, 1, size, file) != size || fflush(file) != 0 ||
        (with_fsync && fsync(fileno(file)) != 0) || fclose(file) != 0)
        workload_die("writing %s", path);
    file = fopen(path, "re");
    if (!file || fread(back, 1, size, file) != size || fclose(file) != 0)
        workload_die("reading %s", path);
}

static void cycle_syscall(const char *path, const char *data, char *back, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || (with_fsync && fsync(fd) != 0) ||
        close(fd) != 0)
        workload_die("writing %s", path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, back, size) != (ssize_t)size || close(fd) != 0)
        workload_die("reading %s", path);
}

/* A directory of our own in the working directory, with the file's path in it; part by part for a
 * long one. */
struct place {
    char directory[32];
    char file[64 + LONG_PARTS * 20];
};

static void make_place(struct place *place)
{
    size_t length;

    snprintf(place->directory, sizeof place->directory, "file-open.XXXXXX");
    if (!mkdtemp(place->directory))
        workload_die("making %s", place->directory);
    length = (size_t)snprintf(place->file, sizeof place->file, "%s", place->directory);
    for (int i = 0; path_kind == LONG_PATH && i < LONG_PARTS; i++) {
        length += (size_t)snprintf(place->file + length, sizeof place->file - length,
                                   "/directory-%02d", i);
        if (mkdir(place->file, 0700) != 0)
            workload_die("making %s", place->file);
    }
    snprintf(place->file + length, sizeof place->file - length, "/file");
}

static void remove_place(struct place *place)
{
    char *slash;

    unlink(place->file);
    while ((slash = strrchr(place->file, '/'))) {
        *slash = '\0';
        rmdir(place->file);
    }
}

static bool cycles(long n, size_t size)
{
    struct place place = {.file = ""};
    char *data = malloc(size + 1), *back = calloc(1, size + 1);
    bool same = true;

    if (!data || !back)
        workload_die("%zu bytes", size);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)('0' + (int)(i % 10));
    make_place(&place);
    for (long i = 0; i < n; i++) {
        memset(back, 0, size);
        if (through == STDIO)
            cycle_stdio(place.file, data, back, size);
        else
            cycle_syscall(place.file, data, back, size);
        same = same && memcmp(data, back, size) == 0;
    }
    remove_place(&place);
    if (access(place.directory, F_OK) == 0)
        workload_die("%s is still there", place.directory);
    free(data);
    free(back);
    return same;
}

static int run(void)
{
    const double start = workload_now();
    const bool same = cycles(count, (size_t)bytes);

    workload_result("cycle_us", count ? (workload_now() - start) / (double)count * 1e6 : 0, "us");
    return same ? 0 : 1;
}

static int selfcheck(void)
{
    int bad = 0;

    for (through = STDIO; through <= SYSCALL; through++)
        for (path_kind = SHORT_PATH; path_kind <= LONG_PATH; path_kind++)
            for (size_t size = 1; size < 20000; size *= 9)
                bad += workload_expect(cycles(3, size), "the file reads back as written");
    return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
    const struct workload_option options[] = {
        {"count",   "cycles (250)",              WORKLOAD_COUNT,  &count,      NULL           },
        {"bytes",   "bytes of the file (256)",   WORKLOAD_COUNT,  &bytes,      NULL           },
        {"through", "what does the work",        WORKLOAD_CHOICE, &through,    "stdio|syscall"},
        {"path",    "length of the file's path", WORKLOAD_CHOICE, &path_kind,  "short|long"   },
        {"fsync",   "fsync after each write",    WORKLOAD_FLAG,   &with_fsync, NULL           },
    };
    const struct workload workload = {
        "file-open", "create, write, close, open, read, close one file",
        options,     sizeof options / sizeof options[0],
        run,         selfcheck};

    return workload_main(&workload, argc, argv);
}
