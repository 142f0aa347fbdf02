/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The facts of the pooled hosts as columns of codes: filled where another fact determines them,
 * numbers told from names, codes (CPU model, stepping, …) joined with what they belong to. What may
 * be a candidate explanation is decided here; how well it explains is not.
 */
#pragma once
#include "analysis/answer.h"
#include "model/host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FACT_MISSING UINT32_MAX
#define FACT_TABLE_MOST_CUTS                                                                       \
    64 /* cuts tried on one numeric fact; more distinct values: at even ranks */

enum fact_chain { FACT_CHAIN_NONE, FACT_CHAIN_CPU, FACT_CHAIN_OS, FACT_CHAIN_KERNEL };
/* Where a fact stands in its hierarchy (cpu: vendor 0, family 1, model 2, stepping 3, microcode 4,
 * flags 5, caches 6; os: distro 0, release 1, libc 2, build-id 3; kernel: release 0, build 1).
 * Dotted and underscored names alike. */
enum fact_chain fact_table_chain(const char *name, int *ret_depth);
/* Order in which facts of one class are named: by chain, depth, then name. */
int fact_table_compare_names(const char *a, const char *b);
/* Names, serials, addresses and what drifts between boots: never an explanation. */
bool fact_table_is_name(const char *fact);

struct fact_column {
    const char *name;
    char **level; /* distinct known values: by value when numeric, else by bytes */
    size_t n_levels;
    uint32_t *code; /* per host: index of its level, or FACT_MISSING */
    bool numeric;   /* cuts and a trend may be asked of it */
    double *value;  /* of each level; NULL unless numeric */
    double *trend;  /* of each level: value (or its log) scaled to [0, 1]; NULL unless numeric */
};
#define FACT_TABLE_CODES 5
struct fact_table {
    size_t k;                      /* hosts */
    bool joined[FACT_TABLE_CODES]; /* which of cpu.vendor … cpu.microcode some host has */
    struct fact_column *column;    /* judged facts with at least two levels, by name */
    size_t n_columns;
    struct strlist not_judged; /* known on too few hosts */
    struct filled_fact *filled;
    size_t n_filled;
};
/* hosts: names and facts of the k hosts in order of name; both borrowed while the table lives. */
void fact_table_build(const char *const *hosts, const struct fact_set *const *facts, size_t k,
                      struct fact_table *ret);
void fact_table_done(struct fact_table *table);
/* Only table->joined, from the facts of k hosts: what fact_table_value needs to read other hosts
 * the same way. */
void fact_table_note_joined(struct fact_table *table, const struct fact_set *const *facts,
                            size_t k);
/* The value of a fact as it is compared: a code (cpu.model) joined with what it belongs to, so that
 * model 1 of one vendor is not model 1 of another. NULL when unknown, also when a parent that some
 * host of the table has is unknown here; mem_free. */
char *fact_table_value(const struct fact_table *table, const struct fact_set *facts,
                       const char *name);
