/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pool as the loop sees it: one row a known host, sorted by name, kept like the store's; and
 * the way to an agent.
 */
#include "coordinator/hall.h"

#include "base/log.h"

#include <string.h>

static size_t place_of(const struct coord *coord, const char *name, bool *ret_found)
{
    size_t low = 0, high = coord->n_members;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(coord->member[middle]->host->name, name);

        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_found = false;
    return low;
}

static struct coord_member *insert(struct coord *coord, size_t at, struct host *host)
{
    struct coord_member *member = mem_new(struct coord_member);

    member->host = host;
    member->away_since_ns = clk_mono_ns();
    coord->member = mem_grow(coord->member, &coord->members_cap, coord->n_members + 1,
                             sizeof(struct coord_member *));
    memmove(coord->member + at + 1, coord->member + at,
            (coord->n_members - at) * sizeof(struct coord_member *));
    coord->member[at] = member;
    coord->n_members++;
    return member;
}

int coord_hosts_load(struct coord *coord, struct err *err)
{
    CLEAN_DONE(host_list) struct host_list list = {0};

    if (store_hosts(coord->store, &list, err) < 0)
        return err_wrap(err, "hosts");
    for (size_t i = 0; i < list.n; i++) {
        bool found, was_connected = list.v[i]->connected;
        size_t at = place_of(coord, list.v[i]->name, &found);
        struct coord_member *member = insert(coord, at, host_copy(list.v[i]));

        member->host->connected = false;
        if (was_connected)
            coord_member_store(coord, member);
    }
    return 0;
}

struct coord_member *coord_member(struct coord *coord, const char *name)
{
    bool found;
    size_t at = place_of(coord, name, &found);

    return found ? coord->member[at] : NULL;
}

struct coord_member *coord_member_add(struct coord *coord, const char *name, const char *key)
{
    bool found;
    size_t at = place_of(coord, name, &found);
    struct coord_member *member = found ? coord->member[at] : NULL;

    if (!member) {
        struct host *host = mem_new(struct host);

        host->name = mem_strdup(name);
        host->facts = fact_set_new();
        member = insert(coord, at, host);
    }
    mem_free(member->host->key);
    member->host->key = mem_strdup(key);
    member->host->approved = true;
    coord_member_store(coord, member);
    return member;
}

static void member_free(struct coord_member *member)
{
    host_free(member->host);
    mem_free(member);
}

static int remove_host(struct store *store, void *arg, struct err *err)
{
    return store_host_remove(store, arg, err);
}

static void host_removed(void *arg, int result, const struct err *err)
{
    if (result < 0)
        log_err(LOG_ERROR, err, "host %s not removed", (const char *)arg);
    mem_free(arg);
}

void coord_member_remove(struct coord *coord, const char *name)
{
    bool found;
    size_t at = place_of(coord, name, &found);

    if (!found)
        return;
    writer_post(coord->writer, remove_host, mem_strdup(name), host_removed);
    member_free(coord->member[at]);
    memmove(coord->member + at, coord->member + at + 1,
            (coord->n_members - at - 1) * sizeof(struct coord_member *));
    coord->n_members--;
}

static int put_host(struct store *store, void *arg, struct err *err)
{
    return store_host_put(store, arg, err);
}

static void host_put(void *arg, int result, const struct err *err)
{
    struct host *host = arg;

    if (result < 0)
        log_err(LOG_ERROR, err, "host %s not stored", host->name);
    host_free(host);
}

void coord_member_store(struct coord *coord, const struct coord_member *member)
{
    writer_post(coord->writer, put_host, host_copy(member->host), host_put);
}

void coord_hosts_done(struct coord *coord)
{
    for (size_t i = 0; i < coord->n_members; i++)
        member_free(coord->member[i]);
    mem_free(coord->member);
}

void coord_send_agent(struct coord *coord, const char *host, enum wire_kind kind, const void *body)
{
    struct coord_member *member = coord_member(coord, host);
    CLEAN_DONE(str) struct str bytes = {0};
    struct err err = {0};
    int result;

    if (!member || !member->host->connected)
        return;
    if (wire_encode(kind, body, &bytes, &err) < 0) {
        log_err(LOG_ERROR, &err, "message not encoded kind=%d host=%s", (int)kind, host);
        return;
    }
    result = chan_send(coord->agents, &member->peer, bytes.text, bytes.length, &err);
    if (result == 0)
        return;
    if (result < 0)
        log_err(LOG_ERROR, &err, "message not sent kind=%d host=%s", (int)kind, host);
    else
        log_warn("agent %s host=%s", result == CHAN_FULL ? "takes no messages" : "is gone", host);
    coord_agent_forget(coord, member);
}
