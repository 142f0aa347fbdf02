/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schema layer: maps are read by tables of keys, text by typed readers. Each reader fills its
 * slot or fails with the position and path of the node it was given.
 */
#pragma once
#include "coordinator/spec/tree.h"
#include "model/experiment.h"

struct reader {
    const char *file;
    struct str path; /* of the node being read */
    struct experiment *experiment;
    struct err *err;
};
struct read_key {
    const char *name;
    /* into is what was given to read_map */
    int (*read)(struct reader *r, const struct tree_node *node, void *into);
    bool is_required;
};

/* Fails at node: `FILE:LINE:COLUMN: path: found X; allowed: Y`. read_fail_found shows the node as
 * found. */
int read_fail(struct reader *r, const struct tree_node *node, const char *found,
              const char *allowed);
int read_fail_found(struct reader *r, const struct tree_node *node, const char *allowed);

/* Every key of the map must be in the table; required ones must be there. */
MUST_CHECK int read_map(struct reader *r, const struct tree_node *node, const struct read_key *keys,
                        size_t n_keys, void *into);
/* one is called for each entry of a map whose keys are the user's, with the path at its key. */
MUST_CHECK int read_named(struct reader *r, const struct tree_node *node, const char *allowed,
                          int (*one)(struct reader *r, const struct tree_node *key,
                                     const struct tree_node *value));

/* Text that is not empty; control is line ends and tabs. */
MUST_CHECK int read_text(struct reader *r, const struct tree_node *node, const char *allowed,
                         char **ret);
MUST_CHECK int read_name(struct reader *r, const struct tree_node *node, char **ret);
MUST_CHECK int read_count(struct reader *r, const struct tree_node *node, uint32_t least,
                          uint32_t most, uint32_t *ret);
MUST_CHECK int read_fraction(struct reader *r, const struct tree_node *node, double most,
                             double *ret); /* above 0 */
MUST_CHECK int read_duration(struct reader *r, const struct tree_node *node, int64_t *ret_ns);
MUST_CHECK int read_bool(struct reader *r, const struct tree_node *node, bool *ret);
/* Index of the text in words. */
MUST_CHECK int read_choice(struct reader *r, const struct tree_node *node, const char *const *words,
                           size_t n_words, size_t *ret);
/* A list of names; a single name is a list of one. */
MUST_CHECK int read_names(struct reader *r, const struct tree_node *node, struct strlist *ret);

/* Parts of the file that have their own .c. */
int read_sampling(struct reader *r, const struct tree_node *node, void *into);
int read_variants(struct reader *r, const struct tree_node *node, void *into);
int read_factors(struct reader *r, const struct tree_node *node, void *into);
int read_metrics(struct reader *r, const struct tree_node *node, void *into);
