/* SPDX-License-Identifier: GPL-3.0-or-later
 * Options, result lines and the main way through of a workload; see bench_main.h. */
#include "bench_main.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *program = "workload"; /* for messages; set once by workload_main */

double workload_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void workload_result(const char *name, double value, const char *unit)
{
    printf("muster: %s %.9g %s\n", name, value, unit);
}

void workload_die(const char *fmt, ...)
{
    const int saved = errno;
    va_list args;

    fprintf(stderr, "%s: ", program);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, ": %s\n", strerror(saved));
    exit(1);
}

int workload_expect(bool ok, const char *what)
{
    if (!ok)
        fprintf(stderr, "%s: selfcheck failed: %s\n", program, what);
    return ok ? 0 : 1;
}

static void help(const struct workload *workload)
{
    printf("%s: %s\n\nOptions:\n", workload->name, workload->about);
    for (size_t i = 0; i < workload->n_options; i++) {
        const struct workload_option *o = &workload->option[i];
        const char *arg = o->kind == WORKLOAD_COUNT    ? " N"
                          : o->kind == WORKLOAD_CHOICE ? o->choices
                                                       : "";

        printf("  --%s%s%s\n        %s\n", o->name, o->kind == WORKLOAD_CHOICE ? " " : "", arg,
               o->help);
    }
    printf("  --selfcheck\n        check that the workload does what it says, and end\n");
}

static int wrong(const char *option, const char *found, const char *allowed)
{
    fprintf(stderr, "%s: --%s: found \"%s\"; allowed: %s\n", program, option, found, allowed);
    return 2;
}

static int set_choice(const struct workload_option *o, const char *value)
{
    const char *at = o->choices;

    for (int index = 0; *at; index++) {
        const size_t length = strcspn(at, "|");

        if (strlen(value) == length && strncmp(at, value, length) == 0) {
            *(int *)o->into = index;
            return 0;
        }
        at += length + (at[length] == '|');
    }
    return wrong(o->name, value, o->choices);
}

static int set_value(const struct workload_option *o, const char *value)
{
    char *end = NULL;
    long number;

    if (o->kind == WORKLOAD_CHOICE)
        return set_choice(o, value);
    errno = 0;
    number = strtol(value, &end, 10);
    if (errno || end == value || *end || number < 0 || number > 1000000000L)
        return wrong(o->name, value, "a whole number from 0 to 1000000000");
    *(long *)o->into = number;
    return 0;
}

int workload_main(const struct workload *workload, int argc, char **argv)
{
    bool check = false;

    program = workload->name;
    for (int i = 1; i < argc; i++) {
        const struct workload_option *found = NULL;
        int rc;

        if (strcmp(argv[i], "--help") == 0) {
            help(workload);
            return 0;
        }
        if (strcmp(argv[i], "--selfcheck") == 0) {
            check = true;
            continue;
        }
        for (size_t k = 0; k < workload->n_options; k++)
            if (strncmp(argv[i], "--", 2) == 0 &&
                strcmp(argv[i] + 2, workload->option[k].name) == 0)
                found = &workload->option[k];
        if (!found) {
            fprintf(stderr, "%s: unknown option \"%s\"; see --help\n", program, argv[i]);
            return 2;
        }
        if (found->kind == WORKLOAD_FLAG) {
            *(bool *)found->into = true;
            continue;
        }
        if (++i == argc)
            return wrong(found->name, "", "a value");
        rc = set_value(found, argv[i]);
        if (rc)
            return rc;
    }
    return check ? workload->selfcheck() : workload->run();
}
