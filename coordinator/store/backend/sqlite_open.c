/* SPDX-License-Identifier: GPL-3.0-or-later
 * Opening a store's file: settings, check, forward migrations; transactions and savepoints. */
#include "coordinator/store/backend/sqlite.h"

#define APPLICATION_ID "1836413811" /* "must": tells a store from another program's file */
#define BUSY_MS 10000               /* a reader may hold a checkpoint up; nothing else waits */

static int number_of(struct store *store, const char *sql, int64_t *ret, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store, sql, &q, err) < 0 || sq_step(&q, err) < 0)
        return -1;
    *ret = sq_get_int(&q, 0);
    return 0;
}

static int check_whole(struct store *store, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store, "PRAGMA quick_check(1)", &q, err) < 0 || sq_step(&q, err) < 0)
        return -1;
    if (!str_eq(sq_get_text(&q, 0), "ok"))
        return err_set(err, ERR_STORE, "%s: damaged (%s); restore it from a backup", store->path,
                       sq_get_text(&q, 0));
    return 0;
}

static int check_wal(struct store *store, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store, "PRAGMA journal_mode = WAL", &q, err) < 0 || sq_step(&q, err) < 0)
        return -1;
    if (!str_eq(sq_get_text(&q, 0), "wal"))
        return err_set(err, ERR_STORE,
                       "%s: this file system has no write-ahead log for SQLite; use a local disk",
                       store->path);
    return 0;
}

static int migrate(struct store *store, int64_t from, struct err *err)
{
    for (size_t step = (size_t)from; step < sqlite_schema_steps; step++) {
        CLEAN_MEM char *version = mem_printf("PRAGMA user_version = %zu", step + 1);

        if (store_begin(store, err) < 0)
            return -1;
        if (sq_exec(store, sqlite_schema_step[step], err) < 0 || sq_exec(store, version, err) < 0 ||
            store_commit(store, err) < 0) {
            store_rollback(store);
            return err_wrap(err, "bringing the store to version %zu", step + 1);
        }
    }
    return 0;
}

static int check_version(struct store *store, struct err *err)
{
    int64_t version = 0, tables = 0;

    if (number_of(store, "PRAGMA user_version", &version, err) < 0 ||
        number_of(store, "SELECT count(*) FROM sqlite_master", &tables, err) < 0)
        return -1;
    if (version < 0 || (size_t)version > sqlite_schema_steps)
        return err_set(
            err, ERR_STORE,
            "%s: written by a newer muster (version %lld, this one knows %zu); use that one",
            store->path, (long long)version, sqlite_schema_steps);
    if (version == 0 && tables > 0)
        return err_set(err, ERR_STORE, "%s: an SQLite file, but not a store of muster",
                       store->path);
    if ((size_t)version == sqlite_schema_steps)
        return 0;
    if (!store->writable)
        return err_set(
            err, ERR_STORE,
            "%s: of an older version (%lld of %zu); a coordinator or an import brings it up",
            store->path, (long long)version, sqlite_schema_steps);
    if (version == 0 && sq_exec(store, "PRAGMA application_id = " APPLICATION_ID, err) < 0)
        return -1;
    return migrate(store, version, err);
}

int sqlite_open(struct store *store, struct err *err)
{
    int flags =
        (store->writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX;

    if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK)
        return sq_fail(store, err);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (sq_exec(store,
                "PRAGMA cache_size = -8000; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = "
                "ON; PRAGMA foreign_keys = ON",
                err) < 0)
        return -1;
    if (store->writable) {
        if (check_whole(store, err) < 0 || check_wal(store, err) < 0 ||
            sq_exec(store, "PRAGMA synchronous = FULL", err) < 0)
            return -1;
    }
    return check_version(store, err);
}

void sqlite_shut(struct store *store)
{
    for (size_t i = 0; i < store->n_kept; i++)
        sqlite3_finalize(store->kept[i]);
    store->n_kept = 0;
    sqlite3_close(store->db);
    store->db = NULL;
}

int store_begin(struct store *store, struct err *err)
{
    if (!store->writable)
        return err_set(err, ERR_STATE, "%s: open for reading only", store->path);
    if (store->in_transaction)
        return err_set(err, ERR_STATE, "%s: a transaction is open already", store->path);
    if (sq_exec(store, "BEGIN IMMEDIATE", err) < 0)
        return -1;
    store->in_transaction = true;
    return 0;
}

/* SQLite ends a transaction by itself when the disk is full or fails. */
static bool lost_transaction(const struct store *store)
{
    return store->in_transaction && sqlite3_get_autocommit(store->db);
}

int store_commit(struct store *store, struct err *err)
{
    if (!store->in_transaction)
        return err_set(err, ERR_STATE, "%s: no transaction is open", store->path);
    if (lost_transaction(store)) {
        store->in_transaction = false;
        return err_set(err, ERR_STORE, "%s: the transaction was undone by an earlier failure",
                       store->path);
    }
    if (sq_exec(store, "COMMIT", err) < 0) {
        store_rollback(store);
        return -1;
    }
    store->in_transaction = false;
    return 0;
}

void store_rollback(struct store *store)
{
    if (store->in_transaction && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    store->in_transaction = false;
}

int store_mark(struct store *store, struct err *err)
{
    if (!store->writable)
        return err_set(err, ERR_STATE, "%s: open for reading only", store->path);
    if (lost_transaction(store))
        return err_set(err, ERR_STORE, "%s: the transaction was undone by an earlier failure",
                       store->path);
    return sq_exec(store, "SAVEPOINT mark", err);
}

int store_keep(struct store *store, struct err *err)
{
    if (sq_exec(store, "RELEASE mark", err) < 0) {
        store_undo(store);
        return -1;
    }
    return 0;
}

void store_undo(struct store *store)
{
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK TO mark; RELEASE mark", NULL, NULL, NULL);
}

int store_checkpoint(struct store *store, struct err *err)
{
    /* a busy reader leaves part of the log: not a failure, the next one takes it */
    int rc = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

    return rc == SQLITE_OK || rc == SQLITE_BUSY ? 0 : sq_fail(store, err);
}
