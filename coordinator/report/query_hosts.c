/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster host ls`, `show` and `facts`: the pool as the store knows it. The changing sub-verbs are
 * the coordinator's.
 */
#include "coordinator/report/jot.h"
#include "coordinator/report/num.h"
#include "coordinator/report/query_call.h"

#include "base/clk.h"
#include "model/expr.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 30, LEVELS_SHOWN = 4, VALUE_MOST = 200 };

/* "connected", "silent", "waiting for approval", …: the most telling one. */
static const char *state_of(const struct host *host)
{
    return host->key == NULL ? "imported"
           : !host->approved ? "not approved"
           : host->held      ? "held"
           : host->drained   ? "drained"
           : host->connected ? "connected"
                             : "silent";
}

static void put_host_json(struct jot *jot, const char *key, const struct host *host,
                          bool with_facts)
{
    char seen[32];
    clk_iso(host->seen_wall_us, seen);
    jot_open(jot, key, '{');
    jot_text(jot, "host", host->name);
    jot_text(jot, "state", state_of(host));
    jot_bool(jot, "connected", host->connected);
    jot_bool(jot, "approved", host->approved);
    jot_bool(jot, "drained", host->drained);
    jot_bool(jot, "held", host->held);
    jot_text(jot, "key", host->key);
    jot_text(jot, "boot_id", host->boot_id);
    jot_text(jot, "machine", host->machine);
    jot_text(jot, "agent_version", host->agent_version);
    jot_text(jot, "seen", host->seen_wall_us != 0 ? seen : NULL);
    if (with_facts) {
        jot_open(jot, "facts", '{');
        for (size_t i = 0; i < host->facts->n; i++) {
            const struct fact *fact = &host->facts->v[i];
            jot_open(jot, fact->name, '{');
            jot_text(jot, "value", fact->value);
            jot_text(jot, "kind", fact->kind == FACT_IDENTITY ? "identity" : "state");
            jot_text(jot, "from", fact->from);
            jot_close(jot, '{');
        }
        jot_close(jot, '{');
    }
    jot_close(jot, '{');
}

static const char *fact_or_dash(const struct host *host, const char *a, const char *b)
{
    const char *value = fact_set_get(host->facts, a);
    value = value != NULL ? value : fact_set_get(host->facts, b);
    return value != NULL ? value : "-";
}

static void put_host_row(const struct page *page, const struct host *host, size_t columns)
{
    char seen[NUM_SIZE];
    num_when(host->seen_wall_us, seen);
    CLEAN_MEM char *name = page_name(page, host->name, columns, true);
    size_t left = page->width > columns + 36 ? (page->width - (unsigned)columns - 36) / 2 : 10;
    CLEAN_MEM char *cpu = page_name(page, fact_or_dash(host, "cpu.name", "cpu.vendor"), left, true);
    const char *version = fact_set_get(host->facts, "os.version");
    CLEAN_MEM char *system = mem_printf("%s%s%s", fact_or_dash(host, "os.id", "os.release"),
                                        version ? " " : "", version ? version : "");
    CLEAN_MEM char *os = page_name(page, system, left, false);
    fprintf(page->out, "%s  %-12s  %-16s  %s  %s\n", name, state_of(host), seen, cpu, os);
}

int query_hosts(struct query_call *call, struct err *err)
{
    struct host_list hosts CLEAN_DONE(host_list) = {0};
    CLEAN(expr) struct expr *expr = NULL;
    const char *selection = query_text(call, "hosts");
    if (selection != NULL && expr_parse(selection, &expr, err) != 0) {
        return err_wrap(err, "host selection");
    }
    if (store_hosts(call->store, &hosts, err) != 0) {
        return -1;
    }
    struct page page;
    page_init(&page, &call->style, call->out);
    struct jot jot CLEAN_DONE(jot) = {0};
    size_t columns = strlen("HOST");
    for (size_t i = 0; i < hosts.n; i++) {
        size_t n = str_columns(hosts.v[i]->name);
        columns = n > columns ? n : columns;
    }
    columns = columns > NAME_MOST ? NAME_MOST : columns;
    if (call->json) {
        jot_open(&jot, NULL, '{');
        jot_int(&jot, "schema", 1);
        jot_open(&jot, "hosts", '[');
    } else if (!call->style.quiet) {
        fprintf(call->out, "%-*s  %-12s  %-16s  CPU, SYSTEM\n", (int)columns, "HOST", "STATE",
                "SEEN (UTC)");
    }
    for (size_t i = 0; i < hosts.n; i++) {
        const struct host *host = hosts.v[i];
        if (expr != NULL && expr_eval(expr, host->name, host->facts, NULL) != EXPR_TRUE) {
            continue;
        }
        if (call->json) {
            put_host_json(&jot, NULL, host, false);
        } else {
            put_host_row(&page, host, columns);
        }
    }
    if (call->json) {
        jot_close(&jot, '[');
        jot_close(&jot, '{');
        fputs(str_get(&jot.text), call->out);
    }
    return 0;
}

/* ---- one host ---- */

static void put_facts(const struct page *page, const struct fact_set *facts, enum fact_kind kind)
{
    for (size_t i = 0; i < facts->n; i++) {
        const struct fact *fact = &facts->v[i];
        if (fact->kind != kind) {
            continue;
        }
        CLEAN_MEM char *head = page_name(page, fact->name, 28, true);
        CLEAN_MEM char *line = mem_printf("  %s ", head);
        CLEAN_MEM char *value = page_name(page, fact->value, VALUE_MOST, false);
        bool told = fact->from != NULL && fact->from[0] != '\0';
        page_line(page, line, 31, "%s%s%s%s", value, told ? "  (" : "", told ? fact->from : "",
                  told ? ")" : "");
    }
}

static void put_field(const struct page *page, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0') {
        page_line(page, name, 16, "%s", value);
    }
}

int query_host_show(struct query_call *call, struct err *err)
{
    CLEAN(host) struct host *host = NULL;
    if (query_host(call, "host", &host, err) != 0) {
        return -1;
    }
    if (call->json) {
        struct jot jot CLEAN_DONE(jot) = {0};
        put_host_json(&jot, NULL, host, true);
        fputs(str_get(&jot.text), call->out);
        return 0;
    }
    struct page page;
    page_init(&page, &call->style, call->out);
    char seen[NUM_SIZE];
    num_when(host->seen_wall_us, seen);
    put_field(&page, "host", host->name);
    put_field(&page, "state", state_of(host));
    put_field(&page, "seen (UTC)", seen);
    put_field(&page, "agent", host->agent_version);
    put_field(&page, "key", host->key);
    put_field(&page, "boot id", host->boot_id);
    put_field(&page, "machine", host->machine);
    page_heading(&page, "Identity (hardly changes)");
    put_facts(&page, host->facts, FACT_IDENTITY);
    page_heading(&page, "State (may change between runs)");
    put_facts(&page, host->facts, FACT_STATE);
    return 0;
}

/* ---- facts over the pool ---- */

struct spread { /* one fact over the pool */
    const char *name;
    enum fact_kind kind;
    struct strlist level; /* sorted, each with its count of hosts in `hosts` */
    size_t *hosts, cap;
    size_t known;
};

static void spread_add(struct spread *spread, const char *value)
{
    spread->known++;
    for (size_t i = 0; i < spread->level.n; i++) {
        if (str_eq(spread->level.v[i], value)) {
            spread->hosts[i]++;
            return;
        }
    }
    strlist_add(&spread->level, value);
    spread->hosts = mem_grow(spread->hosts, &spread->cap, spread->level.n, sizeof *spread->hosts);
    spread->hosts[spread->level.n - 1] = 1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct spread *)a)->name, ((const struct spread *)b)->name);
}

/* Facts of all hosts, by name. Fact sets are sorted, so one pass a host over the growing sorted
 * list would do; pools are small enough for bsearch and an append. */
static struct spread *spreads(const struct host_list *hosts, size_t *ret_n)
{
    struct spread *all = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < hosts->n; i++) {
        const struct fact_set *facts = hosts->v[i]->facts;
        size_t sorted = n;
        for (size_t k = 0; k < facts->n; k++) {
            struct spread key = {.name = facts->v[k].name};
            struct spread *found =
                sorted > 0 ? bsearch(&key, all, sorted, sizeof *all, by_name) : NULL;
            if (found == NULL) {
                all = mem_grow(all, &cap, n + 1, sizeof *all);
                found = &all[n++];
                *found = (struct spread){.name = facts->v[k].name, .kind = facts->v[k].kind};
            }
            spread_add(found, facts->v[k].value);
        }
        if (n > sorted) {
            qsort(all, n, sizeof *all, by_name);
        }
    }
    *ret_n = n;
    return all;
}

static void put_spread_json(struct jot *jot, const struct spread *spread)
{
    jot_open(jot, NULL, '{');
    jot_text(jot, "fact", spread->name);
    jot_text(jot, "kind", spread->kind == FACT_IDENTITY ? "identity" : "state");
    jot_count(jot, "known", spread->known);
    jot_open(jot, "levels", '{');
    for (size_t i = 0; i < spread->level.n; i++) {
        jot_count(jot, spread->level.v[i], spread->hosts[i]);
    }
    jot_close(jot, '{');
    jot_close(jot, '{');
}

static void put_spread(const struct page *page, const struct spread *spread, size_t hosts)
{
    struct str levels CLEAN_DONE(str) = {0};
    for (size_t i = 0; i < spread->level.n && i < LEVELS_SHOWN; i++) {
        CLEAN_MEM char *level = page_name(page, spread->level.v[i], 40, false);
        str_addf(&levels, "%s%s (%zu)", i == 0 ? "" : ", ", level, spread->hosts[i]);
    }
    if (spread->level.n > LEVELS_SHOWN) {
        str_addf(&levels, " and %zu more", spread->level.n - LEVELS_SHOWN);
    }
    CLEAN_MEM char *name = page_name(page, spread->name, 28, true);
    CLEAN_MEM char *head = mem_printf("%s %4zu/%-4zu ", name, spread->known, hosts);
    page_line(page, head, 39, "%s", str_get(&levels));
}

static int facts_of_pool(struct query_call *call, struct err *err)
{
    struct host_list hosts CLEAN_DONE(host_list) = {0};
    if (store_hosts(call->store, &hosts, err) != 0) {
        return -1;
    }
    size_t n = 0;
    struct spread *all = spreads(&hosts, &n);
    struct page page;
    page_init(&page, &call->style, call->out);
    struct jot jot CLEAN_DONE(jot) = {0};
    jot_open(&jot, NULL, '{');
    jot_int(&jot, "schema", 1);
    jot_count(&jot, "hosts", hosts.n);
    jot_open(&jot, "facts", '[');
    if (!call->json && !call->style.quiet) {
        fprintf(call->out, "%-28s %-9s LEVELS (HOSTS)\n", "FACT", " KNOWN ON");
    }
    for (size_t i = 0; i < n; i++) {
        if (call->json) {
            put_spread_json(&jot, &all[i]);
        } else {
            put_spread(&page, &all[i], hosts.n);
        }
        strlist_done(&all[i].level);
        mem_free(all[i].hosts);
    }
    mem_free(all);
    jot_close(&jot, '[');
    jot_close(&jot, '{');
    if (call->json) {
        fputs(str_get(&jot.text), call->out);
    }
    return 0;
}

int query_host_facts(struct query_call *call, struct err *err)
{
    if (query_text(call, "host") == NULL) {
        return facts_of_pool(call, err);
    }
    CLEAN(host) struct host *host = NULL;
    if (query_host(call, "host", &host, err) != 0) {
        return -1;
    }
    if (call->json) {
        struct jot jot CLEAN_DONE(jot) = {0};
        put_host_json(&jot, NULL, host, true);
        fputs(str_get(&jot.text), call->out);
        return 0;
    }
    struct page page;
    page_init(&page, &call->style, call->out);
    put_facts(&page, host->facts, FACT_IDENTITY);
    put_facts(&page, host->facts, FACT_STATE);
    return 0;
}
