/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run's data for other programs. Only judged samples are written (ended well, no warm-ups, not
 * profiled), one host in memory at a time; numbers in their shortest exact form.
 */
#pragma once
#include "coordinator/store/store.h"

#include <stdio.h>

enum export_part { EXPORT_SAMPLES, EXPORT_HOSTS };
/* One file of export/ each: FILE.c defines export_FILE. write is given a part it has. */
struct export_ops {
    const char *name, *help; /* help: one line */
    bool has_hosts; /* hosts are a part of their own; otherwise they are in with the samples or left
                       out */
    int (*write)(struct store *store, const struct run *run, enum export_part part, FILE *out,
                 struct err *err);
};
extern const struct export_ops *const export_registry[];
extern const size_t export_registry_n;

/* format: NULL is csv. what: "samples" (NULL) or "hosts". ERR_USAGE names what there is; ERR_SYS
 * when out takes no more. */
MUST_CHECK int export_run(struct store *store, const struct run *run, const char *format,
                          const char *what, FILE *out, struct err *err);

/* ---- for the files of export/ ---- */
/* Facts of a trial as they were then; those the host has now when none were kept; never NULL. */
MUST_CHECK int export_facts(struct store *store, const struct trial *trial, struct fact_set **ret,
                            struct err *err);
/* The host's name without its epoch; caller frees. */
char *export_plain_host(const struct trial *trial);
bool export_judged(const struct frame *frame, size_t row);
