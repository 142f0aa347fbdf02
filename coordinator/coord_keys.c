/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Enrolled keys: read once at start, changed by requests, never by scanning a directory. A key is
 * looked up at every message, so a revoked one is refused from the next message on, whatever its
 * connection.
 */
#include "coordinator/hall.h"

#include <assert.h>

#include "base/log.h"

struct key_write {
    struct key_entry entry;
};

const struct key_entry *coord_key(const struct coord *coord, const char *key)
{
    for (size_t i = 0; i < coord->enrolled.n; i++) {
        const struct key_entry *entry = &coord->enrolled.v[i];

        if (str_eq(entry->key, key))
            return entry->revoked ? NULL : entry;
    }
    return NULL;
}

static int write_key(struct store *store, void *arg, struct err *err)
{
    return store_key_put(store, &((struct key_write *)arg)->entry, err);
}

static void key_written(void *arg, int result, const struct err *err)
{
    struct key_write *write = arg;

    if (result < 0)
        log_err(LOG_ERROR, err, "key of %s not stored", write->entry.name);
    mem_free(write->entry.name);
    mem_free(write->entry.role);
    mem_free(write);
}

static void post_key(struct coord *coord, const struct key_entry *entry)
{
    struct key_write *write = mem_new(struct key_write);

    write->entry = *entry;
    write->entry.name = mem_strdup(entry->name);
    write->entry.role = mem_strdup(entry->role);
    writer_post(coord->writer, write_key, write, key_written);
}

int coord_keys_load(struct coord *coord, struct err *err)
{
    if (store_keys(coord->store, &coord->enrolled, err) < 0)
        return err_wrap(err, "enrolled keys");
    for (size_t i = 0; i < coord->enrolled.n; i++) {
        if (!coord->enrolled.v[i].revoked)
            auth_allow(coord->auth, coord->enrolled.v[i].key);
    }
    return 0;
}

int coord_key_add(struct coord *coord, const char *key, const char *name, const char *role,
                  struct err *err)
{
    struct key_list *list = &coord->enrolled;
    struct key_entry *entry = NULL;

    assert(list->v || list->n == 0);
    if (!keys_is_public(key))
        return err_set(err, ERR_INPUT,
                       "\"%s\" is no public key (40 characters, printed by `muster keys`)", key);
    if (!str_is_name(name))
        return err_set(err, ERR_INPUT, "\"%s\" is no name (letters, digits and . _ : @ -)", name);
    for (size_t i = 0; i < list->n && !entry; i++) {
        if (str_eq(list->v[i].key, key))
            entry = &list->v[i];
    }
    if (entry && !entry->revoked &&
        (!str_eq(entry->name, name) || str_eq(entry->role, "agent") != str_eq(role, "agent")))
        return err_set(err, ERR_EXISTS, "this key belongs to %s (%s) already", entry->name,
                       entry->role);
    for (size_t i = 0; i < list->n; i++) { /* a name has one key: the new one replaces the old */
        if (!str_eq(list->v[i].key, key) && str_eq(list->v[i].name, name) &&
            str_eq(list->v[i].role, "agent") && str_eq(role, "agent") && !list->v[i].revoked) {
            list->v[i].revoked = true;
            auth_deny(coord->auth, list->v[i].key);
            post_key(coord, &list->v[i]);
        }
    }
    if (!entry) {
        list->v = mem_grow(list->v, &list->cap, list->n + 1, sizeof(*list->v));
        entry = &list->v[list->n++];
        *entry = (struct key_entry){.revoked = false};
        (void)snprintf(entry->key, sizeof(entry->key), "%s", key);
    }
    mem_free(entry->name);
    mem_free(entry->role);
    entry->name = mem_strdup(name);
    entry->role = mem_strdup(role);
    entry->revoked = false;
    auth_allow(coord->auth, key);
    post_key(coord, entry);
    return 0;
}

void coord_key_revoke(struct coord *coord, const char *name)
{
    for (size_t i = 0; i < coord->enrolled.n; i++) {
        struct key_entry *entry = &coord->enrolled.v[i];

        if (entry->revoked || !str_eq(entry->name, name) || !str_eq(entry->role, "agent"))
            continue;
        entry->revoked = true;
        auth_deny(coord->auth, entry->key);
        post_key(coord, entry);
    }
}

struct audit {
    char *who, *what, *detail;
};

static int write_audit(struct store *store, void *arg, struct err *err)
{
    const struct audit *audit = arg;

    return store_audit(store, audit->who, audit->what, audit->detail, err);
}

static void audit_written(void *arg, int result, const struct err *err)
{
    struct audit *audit = arg;

    if (result < 0)
        log_err(LOG_ERROR, err, "audit of %s not stored", audit->what);
    mem_free(audit->who);
    mem_free(audit->what);
    mem_free(audit->detail);
    mem_free(audit);
}

void coord_audit(struct coord *coord, const char *who, const char *what, const char *detail)
{
    struct audit *audit = mem_new(struct audit);

    audit->who = mem_strdup(who);
    audit->what = mem_strdup(what);
    audit->detail = mem_strdup(detail);
    writer_post(coord->writer, write_audit, audit, audit_written);
}
