/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is to be compared, on which hosts, how. Made by the spec room from YAML or from command-line
 * flags, by import from data; travels to agents inside a lease (proto/wire_lease.c).
 */
#pragma once
#include "base/digest.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* An environment entry with this value, after ${factor} substitution, takes the variable away, also
 * what the host adds. */
#define EXPERIMENT_UNSET "(unset)"

struct variant {
    char *name;
    char *run;                  /* shell-free words after ${factor} substitution; see words_split */
    char *setup, *prepare;      /* NULL: none */
    char *files;                /* path as written, NULL: none; read and packed by the cli */
    char artefact[DIGEST_SIZE]; /* digest of the packed files, "" when none */
    struct strmap env;
    bool is_control; /* a second copy of the base: the noise floor */
};
struct factor {
    char *name; /* `sink` and `load` are built in */
    struct strlist level;
};
struct metric_def {
    char *name;  /* elapsed_s, cpu_s, wait_s or a custom one */
    char *match; /* POSIX extended regex with one group, NULL for built-in ones and for result lines
                    of that name */
    char *unit;  /* "s", "ops/s", … "" unknown */
    bool higher_is_better;
};
enum quiet_policy { QUIET_LABEL, QUIET_WAIT, QUIET_REFUSE };
struct experiment {
    char *name, *description;
    char *metric;      /* name of the primary metric: a metric_def's name */
    double min_effect; /* a fraction: 0.02 is 2 % */
    double alpha;
    struct variant *variant; /* [0] is the base */
    size_t n_variants;
    struct factor *factor;
    size_t n_factors;
    struct metric_def *metric_def; /* the primary one among them, and every other judged one */
    size_t n_metric_defs;
    char *hosts; /* selection expression, NULL: all */
    uint32_t min_blocks, max_blocks, warmup, sessions;
    int64_t timeout_ns, budget_ns; /* per sample, per host (0: none) */
    bool control, is_aa;           /* is_aa: both arms may be the same bits */
    bool not_interleaved;          /* variants in separate stretches, on demand */
    enum quiet_policy quiet;
    int64_t quiet_wait_ns;
    bool randomize_env, randomize_dir, randomize_aslr, randomize_cpu;
    struct strlist suspect; /* facts the user suspects, tested first */
    struct strlist shuffle; /* reserved names of further nuisance factors to draw */
    uint32_t profile_blocks;
    struct strlist profile_with;
    char *limit_user;
    uint64_t limit_memory_bytes; /* 0: none */
    bool limit_no_network;
    char *schedule_at, *schedule_missed; /* kept for sweeps */
    char *confirms;                      /* "NAME@N": the run this one is to settle, or NULL */
    char *source;                        /* the YAML text as submitted, or NULL */
};
struct experiment *experiment_new(void); /* with the contract's defaults */
void experiment_free(struct experiment *experiment);
MEM_CLEANUP(experiment)
size_t experiment_cells(
    const struct experiment *experiment); /* combinations of levels; 1 without factors */
/* Level of factor f in combination cell (mixed radix, last factor fastest). */
const char *experiment_level(const struct experiment *experiment, size_t cell, size_t f);
/* ${factor} and ${factor:-…} are not shell: every ${name} in text is replaced by the level of that
 * factor in this cell. An unknown name is ERR_INPUT. */
MUST_CHECK int experiment_substitute(const struct experiment *experiment, size_t cell,
                                     const char *text, char **ret, struct err *err);
/* Consistency beyond the schema: names, duplicate variants, equal arms without is_aa (same command
 * and same artefact), cells within limits, metric defined. */
MUST_CHECK int experiment_check(const struct experiment *experiment, struct err *err);
/* Splits a command into words as a POSIX shell would (quotes, backslashes), without expansions.
 * ERR_INPUT names the unclosed quote. Text that holds shell syntax (| & ; < > ( ) * ? [ newline
 * outside quotes, $ or ` outside single quotes, a leading NAME=, # or ~ at the start of a word)
 * becomes the three words /bin/sh -c TEXT. */
MUST_CHECK int words_split(const char *text, struct strlist *ret, struct err *err);
