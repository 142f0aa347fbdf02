/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `muster run` is given: a file or commands, and options that override the file. Becomes an
 * experiment with its files packed.
 */
#pragma once
#include "model/experiment.h"
#include "model/limits.h"

struct run_input {
    const char *a, *b;      /* -a, -b: commands */
    struct strlist variant; /* -v NAME=COMMAND */
    const char *name, *hosts, *metric;
    double min_effect, alpha;               /* < 0: not given */
    int64_t min_blocks, max_blocks, warmup; /* < 0: not given */
    int64_t timeout_ns, budget_ns;          /* < 0: not given */
    struct strlist suspect;
    bool aa;
};
/* Where an option was not given. */
void run_input_init(struct run_input *input);
void run_input_done(struct run_input *input);
/* file: NULL when commands are given instead. Relative `files:` are found beside the file.
 * ERR_USAGE, ERR_INPUT. */
MUST_CHECK int run_input_read(const struct run_input *input, const char *file,
                              struct experiment **ret, struct err *err);
/* Packs every variant's files into folder; sets the artefacts. ret_path[i]: packed file of variant
 * i, NULL without files; the caller frees them and removes the folder. Checks the experiment once
 * more: the arms must differ. */
MUST_CHECK int run_input_pack(struct experiment *experiment, const char *folder,
                              char *ret_path[LIMIT_VARIANTS], struct err *err);
