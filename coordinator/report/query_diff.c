/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster host diff A B`: what two hosts differ in. Identity before state, then in the order in
 * which the analysis names facts (processor before system before kernel, vendor before model before
 * stepping), then by name.
 */
#include "analysis/fact_table.h"
#include "coordinator/report/jot.h"
#include "coordinator/report/query_call.h"

#include <stdlib.h>
#include <string.h>

struct difference {
    const struct fact *a, *b; /* NULL: unknown there */
};

static const struct fact *either(const struct difference *d)
{
    return d->a != NULL ? d->a : d->b;
}

static int by_rank(const void *x, const void *y)
{
    const struct difference *one = x, *two = y;
    const struct fact *a = either(one), *b = either(two);
    bool known_one = one->a != NULL && one->b != NULL, known_two = two->a != NULL && two->b != NULL;
    if (known_one != known_two) { /* unknown is not different: it comes last */
        return known_one ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind == FACT_IDENTITY ? -1 : 1;
    }
    return fact_table_compare_names(a->name, b->name);
}

/* Merges the two sorted sets and keeps what is not equal on both. */
static struct difference *differences(const struct fact_set *a, const struct fact_set *b,
                                      size_t *ret_n)
{
    struct difference *list = mem_array(struct difference, a->n + b->n);
    size_t n = 0, i = 0, k = 0;
    while (i < a->n || k < b->n) {
        int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->v[i].name, b->v[k].name);
        struct difference d = {order <= 0 ? &a->v[i] : NULL, order >= 0 ? &b->v[k] : NULL};
        i += order <= 0 ? 1 : 0;
        k += order >= 0 ? 1 : 0;
        if (d.a == NULL || d.b == NULL || !str_eq(d.a->value, d.b->value)) {
            list[n++] = d;
        }
    }
    qsort(list, n, sizeof *list, by_rank);
    *ret_n = n;
    return list;
}

static void put_json(const struct query_call *call, const struct host *a, const struct host *b,
                     const struct difference *list, size_t n)
{
    struct jot jot CLEAN_DONE(jot) = {0};
    jot_open(&jot, NULL, '{');
    jot_int(&jot, "schema", 1);
    jot_text(&jot, "a", a->name);
    jot_text(&jot, "b", b->name);
    jot_open(&jot, "facts", '[');
    for (size_t i = 0; i < n; i++) {
        jot_open(&jot, NULL, '{');
        jot_text(&jot, "fact", either(&list[i])->name);
        jot_text(&jot, "kind", either(&list[i])->kind == FACT_IDENTITY ? "identity" : "state");
        jot_text(&jot, "a", list[i].a != NULL ? list[i].a->value : NULL);
        jot_text(&jot, "b", list[i].b != NULL ? list[i].b->value : NULL);
        jot_close(&jot, '{');
    }
    jot_close(&jot, '[');
    jot_close(&jot, '{');
    fputs(str_get(&jot.text), call->out);
}

static void put_text(const struct query_call *call, const struct host *a, const struct host *b,
                     const struct difference *list, size_t n)
{
    struct page page;
    page_init(&page, &call->style, call->out);
    size_t value = (page.width - 30) / 2;
    CLEAN_MEM char *name_a = page_name(&page, a->name, value - 1, true);
    CLEAN_MEM char *name_b = page_name(&page, b->name, value - 1, false);
    if (n == 0) {
        page_line(&page, "", 0, "no known fact differs between %s and %s", a->name, b->name);
        return;
    }
    if (!call->style.quiet) {
        fprintf(call->out, "%-28s  %s %s\n", "FACT", name_a, name_b);
    }
    for (size_t i = 0; i < n; i++) {
        const struct difference *d = &list[i];
        CLEAN_MEM char *fact = page_name(&page, either(d)->name, 28, true);
        CLEAN_MEM char *va =
            page_name(&page, d->a != NULL ? d->a->value : "unknown", value - 1, true);
        CLEAN_MEM char *vb =
            page_name(&page, d->b != NULL ? d->b->value : "unknown", value - 1, false);
        bool unknown = d->a == NULL || d->b == NULL;
        CLEAN_MEM char *line = mem_printf("%s  %s %s\n", fact, va, vb);
        page_put(&page, unknown || either(d)->kind == FACT_STATE ? PAGE_DIM : PAGE_PLAIN, line);
    }
}

int query_host_diff(struct query_call *call, struct err *err)
{
    CLEAN(host) struct host *a = NULL;
    CLEAN(host) struct host *b = NULL;
    if (query_host(call, "a", &a, err) != 0 || query_host(call, "b", &b, err) != 0) {
        return -1;
    }
    size_t n = 0;
    struct difference *list = differences(a->facts, b->facts, &n);
    if (call->json) {
        put_json(call, a, b, list, n);
    } else {
        put_text(call, a, b, list, n);
    }
    mem_free(list);
    return 0;
}
