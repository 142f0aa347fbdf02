/* SPDX-License-Identifier: GPL-3.0-or-later
 * Fact sets, kept sorted by name so that lookup is a bisection and equal sets have equal digests.
 */
#include "model/host.h"

#include "model/limits.h"

#include <string.h>

struct fact_set *fact_set_new(void)
{
    return mem_new(struct fact_set);
}

static void fact_done(struct fact *fact)
{
    mem_free(fact->name);
    mem_free(fact->value);
    mem_free(fact->from);
}

void fact_set_free(struct fact_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->n; i++)
        fact_done(&set->v[i]);
    mem_free(set->v);
    mem_free(set);
}

/* Index of name, or of the place where it belongs. */
static size_t place_of(const struct fact_set *set, const char *name, bool *found)
{
    size_t low = 0, high = set->n;

    *found = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(set->v[middle].name, name);

        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void remove_at(struct fact_set *set, size_t at)
{
    fact_done(&set->v[at]);
    memmove(&set->v[at], &set->v[at + 1], (set->n - at - 1) * sizeof *set->v);
    set->n--;
}

static int check_fact(const char *name, const char *value, struct err *err)
{
    if (!str_is_name(name)) {
        CLEAN_MEM char *shown = str_visible(name, LIMIT_NAME);
        return err_set(err, ERR_INPUT,
                       "fact name \"%s\"; allowed: letters, digits and . _ : @ - (up to %d)", shown,
                       LIMIT_NAME);
    }
    const size_t length = strlen(value);
    if (length > LIMIT_FACT_VALUE)
        return err_set(err, ERR_LIMIT, "fact %s has %zu bytes; allowed: up to %d", name, length,
                       LIMIT_FACT_VALUE);
    if (str_has_control(value, length) || !str_is_utf8(value, length))
        return err_set(err, ERR_INPUT,
                       "fact %s holds control bytes or is no UTF-8; allowed: plain text", name);
    return 0;
}

int fact_set_put(struct fact_set *set, const char *name, const char *value, enum fact_kind kind,
                 const char *from, struct err *err)
{
    bool found;

    if (check_fact(name, value ? value : "", err) < 0)
        return -1;
    const size_t at = place_of(set, name, &found);
    if (!value || !value[0]) {
        if (found)
            remove_at(set, at);
        return 0;
    }
    const struct fact fact = {
        .name = mem_strdup(name),
        .value = mem_strdup(value),
        .kind = kind,
        .from = mem_strdup(from),
    };
    if (found) {
        fact_done(&set->v[at]);
        set->v[at] = fact;
        return 0;
    }
    if (set->n >= LIMIT_FACTS) {
        fact_done(&(struct fact){.name = fact.name, .value = fact.value, .from = fact.from});
        return err_set(err, ERR_LIMIT, "more than %d facts", LIMIT_FACTS);
    }
    set->v = mem_grow(set->v, &set->cap, set->n + 1, sizeof *set->v);
    memmove(&set->v[at + 1], &set->v[at], (set->n - at) * sizeof *set->v);
    set->v[at] = fact;
    set->n++;
    return 0;
}

const char *fact_set_get(const struct fact_set *set, const char *name)
{
    bool found;
    const size_t at = place_of(set, name, &found);

    return found ? set->v[at].value : NULL;
}

struct fact_set *fact_set_copy(const struct fact_set *set)
{
    struct fact_set *copy = fact_set_new();

    copy->v = mem_grow(NULL, &copy->cap, set->n, sizeof *copy->v);
    for (; copy->n < set->n; copy->n++) {
        const struct fact *fact = &set->v[copy->n];

        copy->v[copy->n] = (struct fact){
            .name = mem_strdup(fact->name),
            .value = mem_strdup(fact->value),
            .kind = fact->kind,
            .from = mem_strdup(fact->from),
        };
    }
    return copy;
}

void fact_set_digest(const struct fact_set *set, bool identity_only, char ret[DIGEST_SIZE])
{
    struct digest *digest = digest_new();

    for (size_t i = 0; i < set->n; i++) {
        const struct fact *fact = &set->v[i];

        if (identity_only && fact->kind != FACT_IDENTITY)
            continue;
        digest_add(digest, fact->name, strlen(fact->name));
        digest_add(digest, "=", 1);
        digest_add(digest, fact->value, strlen(fact->value));
        digest_add(digest, "\n", 1);
    }
    digest_end(digest, ret);
}

void host_free(struct host *host)
{
    if (!host)
        return;
    mem_free(host->name);
    mem_free(host->key);
    mem_free(host->boot_id);
    mem_free(host->machine);
    mem_free(host->agent_version);
    fact_set_free(host->facts);
    mem_free(host);
}

struct host *host_copy(const struct host *host)
{
    struct host *copy = mem_dup(host, sizeof *host);

    copy->name = mem_strdup(host->name);
    copy->key = mem_strdup(host->key);
    copy->boot_id = mem_strdup(host->boot_id);
    copy->machine = mem_strdup(host->machine);
    copy->agent_version = mem_strdup(host->agent_version);
    copy->facts = fact_set_copy(host->facts);
    return copy;
}
