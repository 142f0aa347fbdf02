/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples on disk until the coordinator has stored them. One file per run and epoch, one record per
 * block: length, CRC32C, and the block as a packed wire_batch. Appending returns after fdatasync. A
 * reader stops at the first record that is torn or damaged, so a block is there whole or not at
 * all.
 */
#pragma once
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "proto/wire.h"

#include <stdbool.h>
#include <stdint.h>

struct spool_record { /* what is known of a record without reading it */
    uint64_t offset;  /* of its payload */
    uint32_t length;
    uint64_t last_seq;
    uint32_t session, rounds_done;
};
struct spool;
/* Opens or makes DIR/RUN-EPOCH.spool. What follows the last whole record is cut off; *ret_cut (may
 * be NULL) says how many bytes that were. */
MUST_CHECK int spool_open(const char *dir, int64_t run, uint64_t epoch, struct spool **ret,
                          uint64_t *ret_cut, struct err *err);
void spool_free(struct spool *spool); /* closes; the file stays */
MEM_CLEANUP(spool)
int64_t spool_run(const struct spool *spool);
uint64_t spool_epoch(const struct spool *spool);
/* ERR_LIMIT when the spool would be over LIMIT_SPOOL; on any failure the file is as before. */
MUST_CHECK int spool_append(struct spool *spool, const struct wire_batch *batch, struct err *err);
size_t spool_count(const struct spool *spool); /* records not trimmed */
const struct spool_record *spool_record(const struct spool *spool, size_t i);
/* The highest number in records not trimmed; 0 none. */
uint64_t spool_last_seq(const struct spool *spool);
/* Reads record i back; its CRC is checked again. */
MUST_CHECK int spool_read(const struct spool *spool, size_t i, struct wire_batch **ret,
                          struct err *err);
/* Forgets the records whose numbers are all <= stored_seq. Space is given back when all are gone.
 */
MUST_CHECK int spool_trim(struct spool *spool, uint64_t stored_seq, struct err *err);
/* Removes the file of an empty spool and frees it. */
void spool_remove(struct spool *spool);
/* Runs and epochs that have a file in dir, oldest names first: "RUN-EPOCH". */
void spool_list(const char *dir, struct strlist *ret);
/* Reads such a name. */
bool spool_parse_name(const char *name, int64_t *ret_run, uint64_t *ret_epoch);
