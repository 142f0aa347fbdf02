/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to the store: one SQLite connection, and statements as short as they can be written.
 * Parameters are bound in order, columns read in order; statements are prepared once a connection
 * and kept.
 */
#pragma once
#include "coordinator/store/store.h"

#include <sqlite3.h>

extern const char *const sqlite_schema_step[]; /* step i brings a file from version i to i + 1 */
extern const size_t sqlite_schema_steps;

#define SQLITE_CACHE 64
struct store {
    sqlite3 *db;
    char *path;
    int lock_fd; /* holds the writer's lock; -1 for a reader */
    bool writable;
    bool in_transaction;           /* between store_begin and store_commit or store_rollback */
    const char *sql[SQLITE_CACHE]; /* by address: every statement is a literal */
    sqlite3_stmt *kept[SQLITE_CACHE];
    size_t n_kept;
};

/* Opens path and brings it to this version (writer) or checks that it is (reader). store has path
 * and writable set. */
MUST_CHECK int sqlite_open(struct store *store, struct err *err);
void sqlite_shut(struct store *store);

struct sq {
    struct store *store;
    sqlite3_stmt *stmt;
    int bound, bind_error;
};
/* Starts a statement; sql must be a literal. `CLEAN_DONE(sq) struct sq q = {0};` gives it back. */
MUST_CHECK int sq_open(struct store *store, const char *sql, struct sq *ret, struct err *err);
void sq_done(struct sq *q);
/* Bind the next parameter; the bytes must live until the statement ran. NULL text binds NULL. */
void sq_int(struct sq *q, int64_t value);
void sq_u64(struct sq *q, uint64_t value);
void sq_text(struct sq *q, const char *text);
void sq_blob(struct sq *q, const void *bytes, size_t length);
/* 1: a row is there; 0: no more. */
MUST_CHECK int sq_step(struct sq *q, struct err *err);
/* Runs a statement that gives no rows. */
MUST_CHECK int sq_run(struct sq *q, struct err *err);
/* Column i of the current row. sq_get_text gives NULL for NULL and is valid until the next step. */
int64_t sq_get_int(const struct sq *q, int i);
uint64_t sq_get_u64(const struct sq *q, int i);
const char *sq_get_text(const struct sq *q, int i);
const void *sq_get_blob(const struct sq *q, int i, size_t *ret_length);

/* Runs SQL text of several statements. */
MUST_CHECK int sq_exec(struct store *store, const char *sql, struct err *err);
/* Fills err from the connection's last failure and returns -1. */
int sq_fail(struct store *store, struct err *err);

/* Id of a host's name, made (not listed) when make is set. ERR_NOT_FOUND. */
MUST_CHECK int sqlite_host_id(struct store *store, const char *name, bool make, int64_t *ret,
                              struct err *err);
