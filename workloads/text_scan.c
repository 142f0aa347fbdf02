/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * text-scan: finds the lines of a text in memory, over and over. The old way is one pass of a
 * hand-written loop, 16 bytes at a time; the new way asks libc (memchr for the line's end, strlen
 * for its length), which is fast where libc may use wide vectors and slow where it may not.
 */
#include "bench_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN, LIBC };
static int how = OWN;
static long kib = 64, line_bytes = 4000, passes = 2000;

typedef unsigned char bytes16 __attribute__((vector_size(16)));
typedef uint64_t words2 __attribute__((vector_size(16)));

/* First byte of [p, p + n) that is a newline, n when there is none; 64 bytes a step. */
static size_t own_line_end(const char *p, size_t n)
{
    const bytes16 want = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10};
    size_t i = 0;

    for (; i + 64 <= n; i += 64) {
        bytes16 part[4];

        memcpy(part, p + i, sizeof part);
        const words2 any =
            (words2)((part[0] == want) | (part[1] == want) | (part[2] == want) | (part[3] == want));

        if (any[0] | any[1])
            break;
    }
    while (i < n && p[i] != '\n')
        i++;
    return i;
}

/* A text of lines, each ended by a newline and a NUL, so that both ways may read it. */
static char *make_text(size_t size, size_t line)
{
    char *text = malloc(size + 1);

    if (!text)
        workload_die("%zu bytes", size);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + (int)(i % 23));
    for (size_t i = line; i + 2 < size; i += line) {
        text[i - 1] = '\n';
        text[i] = '\0';
    }
    text[size - 2] = '\n';
    text[size - 1] = '\0';
    text[size] = '\0';
    return text;
}

static size_t scan(const char *text, size_t size, int way, size_t *lines)
{
    size_t at = 0, total = 0;

    while (at < size) {
        size_t length;

        if (way == OWN) {
            length = own_line_end(text + at, size - at);
            at += length + 2; /* newline and NUL */
        } else {
            const char *end = memchr(text + at, '\n', size - at);

            if (!end)
                break;
            length = strlen(text + at) - 1;
            at = (size_t)(end - text) + 2;
        }
        total += length;
        ++*lines;
    }
    return total;
}

static int run(void)
{
    const size_t size = (size_t)kib * 1024;
    char *text = make_text(size, (size_t)line_bytes);
    size_t total = 0, lines = 0;
    const double start = workload_now();

    for (long i = 0; i < passes; i++)
        total += scan(text, size, how, &lines);
    workload_result("lines_per_s", (double)lines / (workload_now() - start), "lines/s");
    free(text);
    return total > 0 ? 0 : 1;
}

static int selfcheck(void)
{
    int bad = 0;

    for (size_t line = 2; line < 300; line += 7) {
        const size_t size = 20000;
        char *text = make_text(size, line);
        size_t lines[2] = {0, 0};
        const size_t own = scan(text, size, OWN, &lines[0]),
                     libc = scan(text, size, LIBC, &lines[1]);

        bad += workload_expect(own == libc && lines[0] == lines[1] && lines[0] + 1 >= size / line,
                               "both ways find the same lines");
        free(text);
    }
    return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
    const struct workload_option options[] = {
        {"with",       "how lines are found",                              WORKLOAD_CHOICE, &how,    "own|libc"},
        {"kib",        "size of the text in KiB (64)",                     WORKLOAD_COUNT,  &kib,    NULL      },
        {"line-bytes", "bytes of a line, newline and NUL included (4000)", WORKLOAD_COUNT,
         &line_bytes,                                                                                NULL      },
        {"passes",     "times the text is read (2000)",                    WORKLOAD_COUNT,  &passes, NULL      },
    };
    const struct workload workload = {"text-scan", "finds the lines of a text in memory",
                                      options,     sizeof options / sizeof options[0],
                                      run,         selfcheck};

    return workload_main(&workload, argc, argv);
}
