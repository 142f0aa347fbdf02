/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every workload shares: options from a table, --help, --selfcheck, a clock, and result lines
 * that an agent reads
 * ("muster: NAME VALUE UNIT"). A workload includes nothing of muster.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum workload_kind { WORKLOAD_COUNT, WORKLOAD_FLAG, WORKLOAD_CHOICE };
struct workload_option {
    const char *name; /* without dashes */
    const char *help;
    enum workload_kind kind;
    void *into;          /* long, bool, or int (index of the choice) */
    const char *choices; /* "a|b|c", of a WORKLOAD_CHOICE */
};
struct workload {
    const char *name, *about;
    const struct workload_option *option;
    size_t n_options;
    int (*run)(void);       /* exit code; prints its results */
    int (*selfcheck)(void); /* 0 when the workload does what it says it does */
};
/* Parses, then runs or checks. The main function of every workload returns this. */
int workload_main(const struct workload *workload, int argc, char **argv);

double workload_now(void); /* CLOCK_MONOTONIC, seconds */
void workload_result(const char *name, double value, const char *unit);
/* Prints "NAME: text: errno's message" and ends with 1. */
void workload_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* For selfcheck: prints what was wrong when ok is false; returns 1 then. */
int workload_expect(bool ok, const char *what);
