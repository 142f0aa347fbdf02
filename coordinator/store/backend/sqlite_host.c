/* SPDX-License-Identifier: GPL-3.0-or-later
 * Hosts and fact sets: a host's row is kept when it leaves the pool, because samples name it. */
#include "coordinator/store/backend/sqlite.h"

#include "proto/wire.h"

#include <string.h>

void host_list_done(struct host_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        host_free(list->v[i]);
    mem_free(list->v);
    *list = (struct host_list){0};
}

int store_facts_put(struct store *store, const struct fact_set *facts, char ret_digest[DIGEST_SIZE],
                    struct err *err)
{
    CLEAN_DONE(str) struct str blob = {0};
    CLEAN_DONE(sq) struct sq q = {0};
    char digest[DIGEST_SIZE];

    fact_set_digest(facts, false, digest);
    wire_facts_pack(facts, &blob);
    if (sq_open(store, "INSERT OR IGNORE INTO fact_set (digest, blob) VALUES (?, ?)", &q, err) < 0)
        return -1;
    sq_text(&q, digest);
    sq_blob(&q, blob.text, blob.length);
    if (sq_run(&q, err) < 0)
        return -1;
    memcpy(ret_digest, digest, sizeof digest);
    return 0;
}

int store_facts_get(struct store *store, const char *digest, struct fact_set **ret, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    size_t length = 0;
    const void *bytes = NULL;
    int rc = 0;

    if (sq_open(store, "SELECT blob FROM fact_set WHERE digest = ?", &q, err) < 0)
        return -1;
    sq_text(&q, digest);
    rc = sq_step(&q, err);
    if (rc < 0)
        return -1;
    if (rc == 0)
        return err_set(err, ERR_NOT_FOUND, "no facts with digest %s", digest);
    bytes = sq_get_blob(&q, 0, &length);
    if (wire_facts_unpack(bytes, length, ret, err) < 0)
        return err_wrap(err, "facts %s in %s", digest, store->path);
    return 0;
}

int sqlite_host_id(struct store *store, const char *name, bool make, int64_t *ret, struct err *err)
{
    CLEAN_DONE(sq) struct sq add = {0};
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (make) {
        if (sq_open(store, "INSERT INTO host (name) VALUES (?) ON CONFLICT (name) DO NOTHING", &add,
                    err) < 0)
            return -1;
        sq_text(&add, name);
        if (sq_run(&add, err) < 0)
            return -1;
    }
    if (sq_open(store, "SELECT id FROM host WHERE name = ?", &q, err) < 0)
        return -1;
    sq_text(&q, name);
    rc = sq_step(&q, err);
    if (rc < 0)
        return -1;
    if (rc == 0)
        return err_set(err, ERR_NOT_FOUND, "no host %s", name);
    *ret = sq_get_int(&q, 0);
    return 0;
}

static int put_row(struct store *store, const struct host *host, const char *facts, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store,
                "INSERT INTO host (name, listed, key, boot_id, machine, agent_version, facts, "
                "seen_us, connected, approved,"
                " drained, held) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO "
                "UPDATE SET listed = 1,"
                " key = excluded.key, boot_id = excluded.boot_id, machine = excluded.machine,"
                " agent_version = excluded.agent_version, facts = excluded.facts, seen_us = "
                "excluded.seen_us,"
                " connected = excluded.connected, approved = excluded.approved, drained = "
                "excluded.drained,"
                " held = excluded.held",
                &q, err) < 0)
        return -1;
    sq_text(&q, host->name);
    sq_text(&q, host->key);
    sq_text(&q, host->boot_id);
    sq_text(&q, host->machine);
    sq_text(&q, host->agent_version);
    sq_text(&q, facts);
    sq_int(&q, host->seen_wall_us);
    sq_int(&q, host->connected);
    sq_int(&q, host->approved);
    sq_int(&q, host->drained);
    sq_int(&q, host->held);
    return sq_run(&q, err);
}

int store_host_put(struct store *store, const struct host *host, struct err *err)
{
    char facts[DIGEST_SIZE];

    if (store_mark(store, err) < 0)
        return -1;
    if (store_facts_put(store, host->facts, facts, err) < 0 ||
        put_row(store, host, facts, err) < 0) {
        store_undo(store);
        return err_wrap(err, "host %s", host->name);
    }
    return store_keep(store, err);
}

#define HOST_COLUMNS                                                                               \
    "SELECT h.name, h.key, h.boot_id, h.machine, h.agent_version, h.seen_us, h.connected, "        \
    "h.approved, h.drained, h.held,"                                                               \
    " f.blob FROM host h LEFT JOIN fact_set f ON f.digest = h.facts WHERE h.listed = 1 "

static int read_row(const struct sq *q, struct host **ret, struct err *err)
{
    CLEAN(host) struct host *host = mem_new(struct host);
    size_t length = 0;
    const void *blob = sq_get_blob(q, 10, &length);

    host->name = mem_strdup(sq_get_text(q, 0));
    host->key = mem_strdup(sq_get_text(q, 1));
    host->boot_id = mem_strdup(sq_get_text(q, 2));
    host->machine = mem_strdup(sq_get_text(q, 3));
    host->agent_version = mem_strdup(sq_get_text(q, 4));
    host->seen_wall_us = sq_get_int(q, 5);
    host->connected = sq_get_int(q, 6) != 0;
    host->approved = sq_get_int(q, 7) != 0;
    host->drained = sq_get_int(q, 8) != 0;
    host->held = sq_get_int(q, 9) != 0;
    if (!blob)
        host->facts = fact_set_new();
    else if (wire_facts_unpack(blob, length, &host->facts, err) < 0)
        return err_wrap(err, "facts of host %s in %s", host->name, q->store->path);
    *ret = mem_steal(&host);
    return 0;
}

int store_host_get(struct store *store, const char *name, struct host **ret, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (sq_open(store, HOST_COLUMNS "AND h.name = ?", &q, err) < 0)
        return -1;
    sq_text(&q, name);
    rc = sq_step(&q, err);
    if (rc == 0)
        return err_set(err, ERR_NOT_FOUND, "no host %s", name);
    return rc < 0 ? -1 : read_row(&q, ret, err);
}

int store_hosts(struct store *store, struct host_list *ret, struct err *err)
{
    CLEAN_DONE(host_list) struct host_list list = {0};
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (sq_open(store, HOST_COLUMNS "ORDER BY h.name", &q, err) < 0)
        return -1;
    while ((rc = sq_step(&q, err)) > 0) {
        struct host *host = NULL;

        if (read_row(&q, &host, err) < 0)
            return -1;
        list.v = mem_grow(list.v, &list.cap, list.n + 1, sizeof *list.v);
        list.v[list.n++] = host;
    }
    if (rc < 0)
        return -1;
    *ret = list;
    memset(&list, 0, sizeof list);
    return 0;
}

int store_host_remove(struct store *store, const char *name, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(
            store,
            "UPDATE host SET listed = 0, connected = 0, approved = 0 WHERE name = ? AND listed = 1",
            &q, err) < 0)
        return -1;
    sq_text(&q, name);
    if (sq_run(&q, err) < 0)
        return -1;
    if (sqlite3_changes(store->db) == 0)
        return err_set(err, ERR_NOT_FOUND, "no host %s", name);
    return 0;
}
