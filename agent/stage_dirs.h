/* SPDX-License-Identifier: GPL-3.0-or-later
 * Work directories: ROOT/v00/w, ROOT/v01/w, …; padding lengthens the last component. Private to
 * stage.c. */
#pragma once
#include "base/err.h"
#include "model/experiment.h"

struct stage_dirs {
    char *root;
    char **path; /* one a variant */
    size_t n;
    uint32_t padding;
};
void stage_dirs_done(struct stage_dirs *dirs);
MUST_CHECK int stage_dirs_make(struct stage_dirs *dirs, const struct experiment *experiment,
                               struct err *err);
MUST_CHECK int stage_dirs_fill(struct stage_dirs *dirs, size_t variant, const char *artefact,
                               struct err *err);
/* To the user the workload runs as. */
MUST_CHECK int stage_dirs_give(struct stage_dirs *dirs, const struct experiment *experiment,
                               struct err *err);
MUST_CHECK int stage_dirs_pad(struct stage_dirs *dirs, uint32_t bytes, struct err *err);
void stage_dirs_clear(struct stage_dirs *dirs);
