/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nuisance factors: labels to levels (numbers as they are while there are at most three, else
 * thirds by rank), hosts that saw a single level left out, labels permuted inside each host.
 */
#include "analysis/factors.h"
#include "analysis/levels.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLAIN_NUMBERS 3

struct value { /* one round's label */
    size_t host, round;
    const char *text;
    double number;
};

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Levels of a numeric factor: upper bounds bound[0] < bound[1] < … and their names. At most three.
 */
static void number_levels(const struct value *value, size_t n, double bound[3],
                          struct strlist *names)
{
    double *sorted = mem_array(double, n);
    size_t distinct = 0;
    char text[2][32];

    for (size_t i = 0; i < n; i++)
        sorted[i] = value[i].number;
    qsort(sorted, n, sizeof *sorted, by_number);
    for (size_t i = 0; i < n && distinct <= MOST_PLAIN_NUMBERS; i++)
        if (i == 0 || sorted[i] != sorted[i - 1]) {
            if (distinct < MOST_PLAIN_NUMBERS)
                bound[distinct] = sorted[i];
            distinct++;
        }
    if (distinct <= MOST_PLAIN_NUMBERS) {
        for (size_t l = 0; l < distinct; l++) {
            str_from_double(bound[l], text[0]);
            strlist_add(names, text[0]);
        }
    } else {
        size_t kept = 0;

        for (size_t third = 1; third <= 3; third++) {
            double at = sorted[third * n / 3 - 1];

            if (kept == 0 || at > bound[kept - 1])
                bound[kept++] = at;
        }
        for (size_t l = 0; l < kept; l++) {
            CLEAN_MEM char *name = NULL;

            str_from_double(bound[l], text[0]);
            str_from_double(l > 0 ? bound[l - 1] : 0.0, text[1]);
            name = l == 0          ? mem_printf("<=%s", text[0])
                   : l + 1 == kept ? mem_printf(">%s", text[1])
                                   : mem_printf(">%s, <=%s", text[1], text[0]);
            strlist_add(names, name);
        }
    }
    mem_free(sorted);
}

static void text_levels(const struct value *value, size_t n, struct strlist *names)
{
    const char **sorted = mem_array(const char *, n);

    for (size_t i = 0; i < n; i++)
        sorted[i] = value[i].text;
    qsort(sorted, n, sizeof(const char *), by_text);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(sorted[i], sorted[i - 1]) != 0)
            strlist_add(names, sorted[i]);
    mem_free(sorted);
}

static uint32_t level_of(const struct value *value, const struct strlist *names,
                         const double bound[3])
{
    size_t low = 0, high = names->n;

    if (!value->text) {
        while (low + 1 < names->n && value->number > bound[low])
            low++;
        return (uint32_t)low;
    }
    while (low < high) { /* names are sorted by bytes */
        size_t middle = (low + high) / 2;

        if (strcmp(names->v[middle], value->text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* Known labels of one factor over the hosts in `order`, host numbers being places in it. */
static size_t gather(const struct harness_host *hosts, const size_t *order, size_t n_hosts,
                     const struct harness_factor *factor, struct value *ret)
{
    size_t n = 0;

    for (size_t h = 0; h < n_hosts; h++) {
        const struct harness_labels *labels = &factor->host[order[h]];

        for (size_t r = 0; r < hosts[order[h]].n; r++) {
            if (labels->text && labels->text[r])
                ret[n++] = (struct value){h, r, labels->text[r], NAN};
            else if (labels->number && !isnan(labels->number[r]))
                ret[n++] = (struct value){h, r, NULL, labels->number[r]};
        }
    }
    return n;
}

/* Items of the hosts that saw at least two levels; returns how many items. */
static size_t make_items(const struct harness_host *hosts, const size_t *order,
                         const struct value *value, size_t n, const struct strlist *names,
                         const double bound[3], struct levels_item *item)
{
    size_t kept = 0;

    for (size_t from = 0, upto; from < n; from = upto) {
        const struct harness_host *host = &hosts[order[value[from].host]];
        bool differ = false;

        for (upto = from; upto < n && value[upto].host == value[from].host; upto++) {
            item[kept + upto - from] =
                (struct levels_item){.d = host->d[value[upto].round],
                                     .level = level_of(&value[upto], names, bound),
                                     .host = value[from].host,
                                     .stratum = value[from].host};
            differ = differ || item[kept + upto - from].level != item[kept].level;
        }
        levels_scale(&item[kept], upto - from);
        if (differ)
            kept += upto - from;
    }
    return kept;
}

static bool test_one(const struct harness_host *hosts, const size_t *order, size_t n_hosts,
                     const struct harness_factor *factor, const struct harness_options *options,
                     struct factor_answer *ret)
{
    struct strlist names CLEAN_DONE(strlist) = {0};
    size_t all = 0, n;
    double bound[3] = {0};
    struct value *value;
    struct levels levels = {.n_hosts = n_hosts};
    bool found = false;

    for (size_t h = 0; h < n_hosts; h++)
        all += hosts[h].n;
    value = mem_array(struct value, all);
    levels.item = mem_array(struct levels_item, all);
    n = gather(hosts, order, n_hosts, factor, value);
    if (n > 0) {
        if (value[0].text)
            text_levels(value, n, &names);
        else
            number_levels(value, n, bound, &names);
        levels.n = make_items(hosts, order, value, n, &names, bound, levels.item);
        levels.level = (const char *const *)names.v;
        levels.n_levels = names.n;
        found = levels_answer(factor->name, &levels, options, ret);
    }
    mem_free(value);
    mem_free(levels.item);
    return found;
}

struct named {
    const char *name;
    size_t index;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

void harness_test(const struct harness_host *hosts, size_t n_hosts,
                  const struct harness_factor *factors, size_t n_factors,
                  const struct harness_options *options, struct factor_answer **ret, size_t *ret_n)
{
    struct named *named = mem_array(struct named, n_hosts + n_factors);
    size_t *order = mem_array(size_t, n_hosts);
    struct factor_answer *answer = mem_array(struct factor_answer, n_factors);
    size_t n = 0;

    for (size_t h = 0; h < n_hosts; h++)
        named[h] = (struct named){hosts[h].name, h};
    qsort(named, n_hosts, sizeof *named, by_name);
    for (size_t h = 0; h < n_hosts; h++)
        order[h] = named[h].index;
    for (size_t f = 0; f < n_factors; f++)
        named[f] = (struct named){factors[f].name, f};
    qsort(named, n_factors, sizeof *named, by_name);
    for (size_t f = 0; f < n_factors; f++)
        if (test_one(hosts, order, n_hosts, &factors[named[f].index], options, &answer[n]))
            n++;
    factors_holm(answer, n);
    mem_free(named);
    mem_free(order);
    if (n == 0) {
        mem_free(answer);
        answer = NULL;
    }
    *ret = answer;
    *ret_n = n;
}
