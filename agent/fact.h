/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is true of the host, one file a subject in agent/fact/. Facts come from the host's files and
 * CPU, never from the agent's own process or libraries. Unknown facts are left out.
 */
#pragma once
#include "agent/platform/platform.h"
#include "model/host.h"

#include <stddef.h>

/* What the facts are about besides the host itself. */
struct fact_context {
    const struct platform *platform;
    const char *work_dir;          /* where workloads run; NULL unknown */
    const struct strmap *host_env; /* given to every workload */
    const char *facts_dir;         /* NULL: /etc/muster/facts.d */
    const struct strmap *declared; /* by the operator: name -> value */
};
struct fact_ops {
    const char *name, *help;
    void (*read)(const struct fact_context *context, struct fact_set *set);
};
extern const struct fact_ops *const fact_registry[];
extern const size_t fact_registry_n;

/* All facts of the host, read now. */
struct fact_set *fact_read_all(const struct fact_context *context);
/* Puts a fact; what is no valid name or text is dropped (a host may hold anything). Long values are
 * cut at a character's end. */
void fact_put(struct fact_set *set, const char *name, const char *value, enum fact_kind kind,
              const char *from);
void fact_put_number(struct fact_set *set, const char *name, double value, enum fact_kind kind,
                     const char *from);
/* The trimmed content of a file of the host as a fact; nothing when it cannot be read. */
void fact_put_file(struct fact_set *set, const char *name, const struct platform *platform,
                   const char *path, enum fact_kind kind);
/* The chosen word of a file like "always [madvise] never". */
void fact_put_choice(struct fact_set *set, const char *name, const struct platform *platform,
                     const char *path, enum fact_kind kind);
