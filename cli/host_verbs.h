/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sub-verbs of `muster host`: those that read (host_read.c) and those that change the pool
 * (host_change.c).
 */
#pragma once
#include "cli/cli.h"

struct host_verb {
    const char *name, *help;
    const struct opt_spec *spec;
    int (*run)(int argc, char **argv); /* argv[0] is the sub-verb; returns the exit code */
};
extern const struct host_verb host_read_verbs[];
extern const size_t host_read_verbs_n;
extern const struct host_verb host_change_verbs[];
extern const size_t host_change_verbs_n;
extern const struct opt_spec host_ls_spec, host_show_spec, host_facts_spec, host_diff_spec;
extern const struct opt_spec host_add_spec, host_approve_spec, host_drain_spec, host_hold_spec,
    host_rm_spec;
