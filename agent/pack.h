/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of a variant as one artefact: a tar whose bytes depend on names, contents and the
 * executable bit alone (sorted; no times, no owners), so that its SHA-256 names the content.
 */
#pragma once
#include "base/digest.h"
#include "base/err.h"

/* Packs a directory's content, or one file under its own name, into file `to` (made or replaced).
 * Links to files are packed as files; links to directories, sockets, devices are ERR_INPUT with the
 * path; more than LIMIT_ARTEFACT_FILES or LIMIT_ARTEFACT bytes are ERR_LIMIT. */
MUST_CHECK int pack_make(const char *from, const char *to, char ret_digest[DIGEST_SIZE],
                         struct err *err);
/* Extracts an artefact into the existing, empty directory. Refuses (ERR_INPUT, the entry named)
 * absolute names, "..", links, devices and everything else that is neither file nor directory;
 * stops at the limits. */
MUST_CHECK int pack_extract(const char *from, const char *directory, struct err *err);
