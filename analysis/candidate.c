/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Candidates and their classes. Two candidates are one class for K when their columns are equal or
 * complementary and have the same gaps; columns are compared by sums of random 64-bit numbers, one
 * a host, drawn from the host's place.
 */
#include "analysis/candidate.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE_BOTH 0.6
#define SAME 1e-9
#define HASH_SEED UINT64_C(0x6d75737465720001)

double candidate_x(const struct fact_table *table, const struct candidate *candidate, size_t host)
{
    const struct fact_column *column = &table->column[candidate->column];
    uint32_t code = column->code[host];

    if (code == FACT_MISSING)
        return NAN;
    switch (candidate->kind) {
    case CLASS_KIND_LEVEL:
        return code == candidate->at ? 1.0 : 0.0;
    case CLASS_KIND_CUT:
        return code > candidate->at ? 1.0 : 0.0;
    case CLASS_KIND_TREND:
        return column->trend[code];
    case CLASS_KIND_PAIR:
        break;
    }
    return NAN;
}

/* A number of 64 random bits for (host, value); values equal to 1e-9 give the same one. */
static uint64_t bits_of(size_t host, double x)
{
    struct rng rng;

    rng_seed_stream(&rng, HASH_SEED + (uint64_t)host, (uint64_t)llround(x / SAME));
    return rng_u64(&rng);
}

static void key_trend(const struct fact_table *table, struct candidate *candidate)
{
    uint64_t forward = 0, mirrored = 0, known = 0;

    for (size_t h = 0; h < table->k; h++) {
        double x = candidate_x(table, candidate, h);

        if (isnan(x))
            continue;
        known += bits_of(h, 2.0);
        forward += bits_of(h, x);
        mirrored += bits_of(h, 1.0 - x);
    }
    candidate->known_key = known;
    candidate->side_key = forward < mirrored ? forward : mirrored;
}

struct builder {
    const struct fact_table *table;
    size_t least_side, cap;
    uint64_t *host_bits; /* a random number a host */
    struct candidate_list *list;
};

static struct candidate *add(struct builder *to, size_t column, enum class_kind kind, uint32_t at)
{
    struct candidate_list *list = to->list;

    list->v = mem_grow(list->v, &to->cap, list->n + 1, sizeof *list->v);
    list->v[list->n] = (struct candidate){.column = column, .kind = kind, .at = at};
    return &list->v[list->n++];
}

static void add_split(struct builder *to, size_t column, enum class_kind kind, uint32_t at,
                      size_t side, size_t known, uint64_t side_bits, uint64_t known_bits)
{
    if (side < to->least_side || known - side < to->least_side)
        return;

    struct candidate *candidate = add(to, column, kind, at);

    candidate->known_key = known_bits;
    candidate->side_key = side_bits < known_bits - side_bits ? side_bits : known_bits - side_bits;
}

/* Is there a cut after this level? All while there are few distinct values, else at even ranks of
 * the hosts. */
static bool cut_wanted(size_t n_levels, size_t below, size_t with, size_t known)
{
    if (n_levels <= FACT_TABLE_MOST_CUTS + 1)
        return true;
    return below * (FACT_TABLE_MOST_CUTS + 1) / known != with * (FACT_TABLE_MOST_CUTS + 1) / known;
}

static void add_column(struct builder *to, size_t at)
{
    const struct fact_column *column = &to->table->column[at];
    size_t n = column->n_levels, known = 0, below = 0, *hosts = mem_array(size_t, n);
    uint64_t *bits = mem_array(uint64_t, n), known_bits = 0, below_bits = 0;

    for (size_t h = 0; h < to->table->k; h++) {
        if (column->code[h] == FACT_MISSING)
            continue;
        known++;
        known_bits += to->host_bits[h];
        hosts[column->code[h]]++;
        bits[column->code[h]] += to->host_bits[h];
    }
    for (size_t l = 0; l < n;
         l++) /* a number with very many values is judged by cuts and trend alone */
        if (!column->numeric || n <= FACT_TABLE_MOST_CUTS + 1)
            add_split(to, at, CLASS_KIND_LEVEL, (uint32_t)l, hosts[l], known, bits[l], known_bits);
    for (size_t l = 0; l + 1 < n && column->numeric; l++) {
        size_t with = below + hosts[l];

        below_bits += bits[l];
        if (column->value[l] < column->value[l + 1] && cut_wanted(n, below, with, known))
            add_split(to, at, CLASS_KIND_CUT, (uint32_t)l, known - with, known,
                      known_bits - below_bits, known_bits);
        below = with;
    }
    if (column->numeric)
        key_trend(to->table, add(to, at, CLASS_KIND_TREND, 0));
    mem_free(hosts);
    mem_free(bits);
}

struct keyed {
    const struct candidate *candidate;
};

static int by_key(const void *a, const void *b)
{
    const struct candidate *x = ((const struct keyed *)a)->candidate,
                           *y = ((const struct keyed *)b)->candidate;

    if (x->known_key != y->known_key)
        return x->known_key < y->known_key ? -1 : 1;
    if (x->side_key != y->side_key)
        return x->side_key < y->side_key ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Marks the first candidate of every class and counts them. */
static void count_classes(struct candidate_list *list)
{
    struct keyed *keyed = mem_array(struct keyed, list->n);

    for (size_t i = 0; i < list->n; i++)
        keyed[i].candidate = &list->v[i];
    qsort(keyed, list->n, sizeof *keyed, by_key);
    for (size_t i = 0; i < list->n; i++) {
        const struct candidate *c = keyed[i].candidate,
                               *before = i > 0 ? keyed[i - 1].candidate : NULL;
        bool first =
            !before || before->known_key != c->known_key || before->side_key != c->side_key;

        list->n_classes += first;
        list->v[c - list->v].counted = first;
        list->v[c - list->v].class = list->n_classes - 1;
    }
    mem_free(keyed);
}

static bool wanted(const char *fact, const char *const *suspect, size_t n_suspects)
{
    for (size_t i = 0; i < n_suspects; i++)
        if (strcmp(fact, suspect[i]) == 0)
            return true;
    return n_suspects == 0;
}

void candidate_list_build(const struct fact_table *table, size_t least_side,
                          const char *const *suspect, size_t n_suspects, struct candidate_list *ret)
{
    struct builder to = {.table = table, .least_side = least_side, .list = ret};

    *ret = (struct candidate_list){.table = table};
    to.host_bits = mem_array(uint64_t, table->k);
    for (size_t h = 0; h < table->k; h++)
        to.host_bits[h] = bits_of(h, 1.0);
    for (size_t f = 0; f < table->n_columns; f++)
        if (wanted(table->column[f].name, suspect, n_suspects))
            add_column(&to, f);
    mem_free(to.host_bits);
    count_classes(ret);
}

void candidate_list_done(struct candidate_list *list)
{
    mem_free(list->v);
    *list = (struct candidate_list){0};
}

int candidate_agree(const struct fact_table *table, const struct candidate *a,
                    const struct candidate *b)
{
    bool same = true, mirrored = true;
    size_t both = 0;

    for (size_t h = 0; h < table->k && (same || mirrored); h++) {
        double x = candidate_x(table, a, h), y = candidate_x(table, b, h);

        if (isnan(x) || isnan(y))
            continue;
        both++;
        same = same && fabs(x - y) < SAME;
        mirrored = mirrored && fabs(x + y - 1.0) < SAME;
    }
    if (both == 0 || (double)both < LEAST_SHARE_BOTH * (double)table->k)
        return 0;
    return same ? 1 : mirrored ? -1 : 0;
}

char *candidate_level(const struct fact_table *table, const struct candidate *candidate,
                      bool mirrored)
{
    const struct fact_column *column = &table->column[candidate->column];
    const char *level = column->level[candidate->at];

    switch (candidate->kind) {
    case CLASS_KIND_LEVEL:
        if (mirrored && column->n_levels == 2)
            return mem_strdup(column->level[1 - candidate->at]);
        return mem_printf(mirrored ? "not %s" : "%s", level);
    case CLASS_KIND_CUT:
        return mem_printf(mirrored ? "<=%s" : ">%s", level);
    case CLASS_KIND_TREND:
    case CLASS_KIND_PAIR:
        break;
    }
    return mem_strdup("trend");
}
