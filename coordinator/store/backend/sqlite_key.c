/* SPDX-License-Identifier: GPL-3.0-or-later
 * Enrolled keys, and the audit trail whose every row carries the hash of all before it. */
#include "coordinator/store/backend/sqlite.h"

#include "base/clk.h"

#include <string.h>

void key_list_done(struct key_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        mem_free(list->v[i].name);
        mem_free(list->v[i].role);
    }
    mem_free(list->v);
    *list = (struct key_list){0};
}

int store_key_put(struct store *store, const struct key_entry *entry, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store,
                "INSERT INTO key (key, name, role, revoked) VALUES (?, ?, ?, ?) ON CONFLICT (key) "
                "DO UPDATE SET"
                " name = excluded.name, role = excluded.role, revoked = excluded.revoked",
                &q, err) < 0)
        return -1;
    sq_text(&q, entry->key);
    sq_text(&q, entry->name);
    sq_text(&q, entry->role);
    sq_int(&q, entry->revoked);
    return sq_run(&q, err);
}

int store_keys(struct store *store, struct key_list *ret, struct err *err)
{
    CLEAN_DONE(key_list) struct key_list list = {0};
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (sq_open(store, "SELECT key, name, role, revoked FROM key ORDER BY name, key", &q, err) < 0)
        return -1;
    while ((rc = sq_step(&q, err)) > 0) {
        const char *key = sq_get_text(&q, 0);
        struct key_entry *entry = NULL;

        list.v = mem_grow(list.v, &list.cap, list.n + 1, sizeof *list.v);
        entry = &list.v[list.n++];
        *entry = (struct key_entry){.name = mem_strdup(sq_get_text(&q, 1)),
                                    .role = mem_strdup(sq_get_text(&q, 2)),
                                    .revoked = sq_get_int(&q, 3) != 0};
        if (strlen(key) >= sizeof entry->key)
            return err_set(err, ERR_STORE, "%s: a key that is none", store->path);
        memcpy(entry->key, key, strlen(key) + 1);
    }
    if (rc < 0)
        return -1;
    *ret = list;
    memset(&list, 0, sizeof list);
    return 0;
}

/* Lengths before the texts, so that no two rows have the same bytes. */
static void chain(const char *before, int64_t wall_us, const char *who, const char *what,
                  const char *detail, char ret[DIGEST_SIZE])
{
    CLEAN_DONE(str) struct str row = {0};

    str_addf(&row, "%s %lld %zu:%s %zu:%s %zu:%s", before, (long long)wall_us, strlen(who), who,
             strlen(what), what, strlen(detail), detail);
    digest_bytes(row.text, row.length, ret);
}

static int last_hash(struct store *store, char ret[DIGEST_SIZE], struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    const char *hash = NULL;
    int rc = 0;

    if (sq_open(store, "SELECT hash FROM audit ORDER BY id DESC LIMIT 1", &q, err) < 0)
        return -1;
    rc = sq_step(&q, err);
    if (rc < 0)
        return -1;
    hash = rc ? sq_get_text(&q, 0) : "";
    if (strlen(hash) >= DIGEST_SIZE)
        return err_set(err, ERR_STORE, "%s: the audit trail was changed", store->path);
    memcpy(ret, hash, strlen(hash) + 1);
    return 0;
}

static int add_audit(struct store *store, const char *who, const char *what, const char *detail,
                     struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    char before[DIGEST_SIZE], hash[DIGEST_SIZE];
    int64_t wall_us = clk_wall_us();

    if (last_hash(store, before, err) < 0 ||
        sq_open(store,
                "INSERT INTO audit (wall_us, who, what, detail, hash) VALUES (?, ?, ?, ?, ?)", &q,
                err) < 0)
        return -1;
    chain(before, wall_us, who, what, detail, hash);
    sq_int(&q, wall_us);
    sq_text(&q, who);
    sq_text(&q, what);
    sq_text(&q, detail);
    sq_text(&q, hash);
    return sq_run(&q, err);
}

int store_audit(struct store *store, const char *who, const char *what, const char *detail,
                struct err *err)
{
    if (store_mark(store, err) < 0)
        return -1;
    if (add_audit(store, who, what, detail ? detail : "", err) < 0) {
        store_undo(store);
        return err_wrap(err, "audit trail");
    }
    return store_keep(store, err);
}

int store_audit_check(struct store *store, uint64_t *ret_rows, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    char hash[DIGEST_SIZE] = "";
    uint64_t rows = 0;
    int rc = 0;

    if (sq_open(store, "SELECT id, wall_us, who, what, detail, hash FROM audit ORDER BY id", &q,
                err) < 0)
        return -1;
    while ((rc = sq_step(&q, err)) > 0) {
        char before[DIGEST_SIZE];

        memcpy(before, hash, sizeof before);
        chain(before, sq_get_int(&q, 1), sq_get_text(&q, 2), sq_get_text(&q, 3), sq_get_text(&q, 4),
              hash);
        if (!str_eq(hash, sq_get_text(&q, 5)))
            return err_set(err, ERR_STORE, "%s: the audit trail was changed at or before row %lld",
                           store->path, (long long)sq_get_int(&q, 0));
        rows++;
    }
    if (rc < 0)
        return -1;
    *ret_rows = rows;
    return 0;
}
