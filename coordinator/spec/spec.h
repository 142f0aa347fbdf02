/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Experiment files: YAML to struct experiment and back, and experiments from `-v NAME=COMMAND`.
 * Every complaint has the form `FILE:LINE:COLUMN: key.path: found X; allowed: Y` and is the first
 * one met.
 */
#pragma once
#include "model/experiment.h"

/* Reads one experiment from length bytes of text. file_name is only shown. is_aa: the command line
 * said --aa (as `aa: true` in the file). The result has passed experiment_check and keeps the text
 * in `source`; `files` are as written (see spec_resolve_files), artefacts are not packed yet.
 * Errors: ERR_INPUT, ERR_LIMIT. */
MUST_CHECK int spec_from_yaml(const char *file_name, const char *text, size_t length, bool is_aa,
                              struct experiment **ret, struct err *err);
/* One variant for each command, the first is the base; both lists have the same length. Everything
 * else is the contract's default. The result has passed experiment_check. Errors: ERR_USAGE. */
MUST_CHECK int spec_from_commands(const char *experiment_name, const struct strlist *names,
                                  const struct strlist *commands, bool is_aa,
                                  struct experiment **ret, struct err *err);
/* Adds a file that reads back as the same experiment (artefact digests and `source` are not part of
 * it). */
void spec_to_yaml(const struct experiment *experiment, struct str *ret);
/* Relative `files` become relative to directory (that of the experiment file). Absolute ones stay.
 */
void spec_resolve_files(struct experiment *experiment, const char *directory);
