/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Artefacts on this host: fetched in pieces, kept by digest, checked before each trial, and
 * extracted afresh into one work directory per variant. All variants' directories have paths of one
 * length, and can be padded by an exact number of bytes.
 */
#pragma once
#include "base/digest.h"
#include "model/experiment.h"
#include "proto/wire.h"

#include <stdbool.h>
#include <stdint.h>

struct stage;
/* Below dir: artefacts/ and work/. */
MUST_CHECK int stage_open(const char *dir, struct stage **ret, struct err *err);
void stage_free(struct stage *stage);
MEM_CLEANUP(stage)

/* Is the artefact here, whole and unchanged (its SHA-256 is computed)? A damaged one is removed. */
bool stage_holds(struct stage *stage, const char *digest);
/* A download: where to go on (what is there of an earlier try is kept). */
MUST_CHECK int stage_fetch_begin(struct stage *stage, const char *digest, uint64_t *ret_offset,
                                 struct err *err);
/* Takes a piece. 0 more to come, *ret_offset is the next one wanted; STAGE_DONE the artefact is
 * whole and checked. A piece of another digest or offset is ignored. ERR_INPUT when the digest is
 * wrong (what was fetched is removed), ERR_LIMIT over LIMIT_ARTEFACT. */
enum { STAGE_DONE = 1 };
MUST_CHECK int stage_fetch_take(struct stage *stage, const struct wire_chunk *chunk,
                                uint64_t *ret_offset, struct err *err);

/* Makes fresh work directories for all variants (those without an artefact get an empty one), owned
 * by the experiment's user where we are root. */
MUST_CHECK int stage_work(struct stage *stage, const struct experiment *experiment,
                          struct err *err);
/* Renames the work directories so that their paths are bytes longer than unpadded. */
MUST_CHECK int stage_pad(struct stage *stage, uint32_t bytes, struct err *err);
/* The path of a variant's directory, as padded now. Borrowed until the next change. */
const char *stage_dir(const struct stage *stage, size_t variant);
/* Removes the work directories. */
void stage_clear(struct stage *stage);
