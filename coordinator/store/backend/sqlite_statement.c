/* SPDX-License-Identifier: GPL-3.0-or-later
 * Statements of one connection: prepared once, bound and read in order, failures turned into
 * errors. */
#include "coordinator/store/backend/sqlite.h"

#include <string.h>

int sq_fail(struct store *store, struct err *err)
{
    int code = sqlite3_extended_errcode(store->db) & 0xff;

    if (code == SQLITE_FULL)
        return err_set(err, ERR_STORE,
                       "%s: no space left for the store; nothing of this change was kept",
                       store->path);
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return err_set(err, ERR_STORE, "%s: damaged (%s); restore it from a backup", store->path,
                       sqlite3_errmsg(store->db));
    return err_set(err, ERR_STORE, "%s: %s", store->path, sqlite3_errmsg(store->db));
}

int sq_exec(struct store *store, const char *sql, struct err *err)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return sq_fail(store, err);
    return 0;
}

int sq_open(struct store *store, const char *sql, struct sq *ret, struct err *err)
{
    sqlite3_stmt *stmt = NULL;

    for (size_t i = 0; i < store->n_kept && !stmt; i++) {
        if (store->sql[i] == sql)
            stmt = store->kept[i];
    }
    if (stmt && sqlite3_stmt_busy(stmt))
        return err_set(err, ERR_INTERNAL, "statement used inside itself: %s", sql);
    if (!stmt) {
        if (store->n_kept == SQLITE_CACHE)
            return err_set(err, ERR_INTERNAL, "more than %d statements in the store", SQLITE_CACHE);
        if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) !=
            SQLITE_OK)
            return sq_fail(store, err);
        store->sql[store->n_kept] = sql;
        store->kept[store->n_kept++] = stmt;
    }
    *ret = (struct sq){.store = store, .stmt = stmt};
    return 0;
}

void sq_done(struct sq *q)
{
    if (!q->stmt)
        return;
    sqlite3_reset(q->stmt);
    sqlite3_clear_bindings(q->stmt);
    q->stmt = NULL;
}

static void note(struct sq *q, int code)
{
    if (code != SQLITE_OK && !q->bind_error)
        q->bind_error = code;
}

void sq_int(struct sq *q, int64_t value)
{
    note(q, sqlite3_bind_int64(q->stmt, ++q->bound, value));
}

void sq_u64(struct sq *q, uint64_t value)
{
    int64_t bits = 0;

    memcpy(&bits, &value, sizeof bits);
    sq_int(q, bits);
}

void sq_text(struct sq *q, const char *text)
{
    note(q, sqlite3_bind_text(q->stmt, ++q->bound, text, -1, SQLITE_STATIC));
}

void sq_blob(struct sq *q, const void *bytes, size_t length)
{
    note(q, sqlite3_bind_blob64(q->stmt, ++q->bound, bytes ? bytes : "", length, SQLITE_STATIC));
}

int sq_step(struct sq *q, struct err *err)
{
    if (q->bind_error)
        return err_set(err, ERR_STORE, "%s: %s", q->store->path, sqlite3_errstr(q->bind_error));
    switch (sqlite3_step(q->stmt)) {
    case SQLITE_ROW:
        return 1;
    case SQLITE_DONE:
        return 0;
    default:
        return sq_fail(q->store, err);
    }
}

int sq_run(struct sq *q, struct err *err)
{
    int rc = sq_step(q, err);

    if (rc > 0)
        return err_set(err, ERR_INTERNAL, "rows from a statement that gives none");
    return rc;
}

int64_t sq_get_int(const struct sq *q, int i)
{
    return sqlite3_column_int64(q->stmt, i);
}

uint64_t sq_get_u64(const struct sq *q, int i)
{
    int64_t bits = sqlite3_column_int64(q->stmt, i);
    uint64_t value = 0;

    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *sq_get_text(const struct sq *q, int i)
{
    return (const char *)sqlite3_column_text(q->stmt, i);
}

const void *sq_get_blob(const struct sq *q, int i, size_t *ret_length)
{
    const void *bytes = sqlite3_column_blob(q->stmt, i);

    *ret_length = (size_t)sqlite3_column_bytes(q->stmt, i);
    return bytes;
}
