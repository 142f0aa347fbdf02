/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Crossed factors: the cells of a host that share rounds are compared within the round, since every
 * cell of a block ran once in random order; data whose rounds hold a single level are compared
 * within the host.
 */
#include "analysis/factors.h"

#include "analysis/levels.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

struct entry { /* one round effect of one piece */
    const char *host;
    uint32_t round;
    uint32_t level;
    size_t piece, index; /* where it came from: the last word on order */
    double d;
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int hosts = strcmp(x->host, y->host);

    if (hosts != 0)
        return hosts;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->d != y->d)
        return x->d < y->d ? -1 : 1;
    if (x->piece != y->piece)
        return x->piece < y->piece ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static uint32_t place_of(const struct strlist *names, const char *level)
{
    uint32_t at = 0;

    while (strcmp(names->v[at], level) != 0)
        at++;
    return at;
}

static bool levels_differ(const struct entry *entry, size_t from, size_t upto)
{
    for (size_t i = from + 1; i < upto; i++)
        if (entry[i].level != entry[from].level)
            return true;
    return false;
}

static size_t round_end(const struct entry *entry, size_t from, size_t upto)
{
    size_t end = from + 1;

    while (end < upto && entry[end].round == entry[from].round)
        end++;
    return end;
}

/* Adds one host's entries, [from, upto) in order of round, as items; returns the next free stratum.
 */
static size_t add_host(const struct entry *entry, size_t from, size_t upto, size_t host,
                       size_t stratum, struct levels *levels)
{
    size_t first = levels->n, end;
    bool within_rounds = false;

    for (size_t r = from; r < upto; r = end) {
        end = round_end(entry, r, upto);
        within_rounds = within_rounds || levels_differ(entry, r, end);
    }
    if (!within_rounds && !levels_differ(entry, from, upto))
        return stratum;
    for (size_t r = from; r < upto; r = end) {
        end = within_rounds ? round_end(entry, r, upto) : upto;
        if (within_rounds && !levels_differ(entry, r, end))
            continue; /* says nothing about a difference */
        for (size_t i = r; i < end; i++)
            levels->item[levels->n++] = (struct levels_item){
                .d = entry[i].d, .level = entry[i].level, .host = host, .stratum = stratum};
        stratum++;
    }
    levels_scale(&levels->item[first], levels->n - first);
    return stratum;
}

bool factors_test(const char *factor, const struct factors_piece *pieces, size_t n_pieces,
                  const struct harness_options *options, struct factor_answer *ret)
{
    struct strlist names CLEAN_DONE(strlist) = {0};
    struct levels levels = {0};
    struct entry *entry;
    size_t all = 0, n = 0, stratum = 0;
    bool found = false;

    for (size_t p = 0; p < n_pieces; p++) {
        all += pieces[p].n;
        if (pieces[p].n > 0 && !strlist_has(&names, pieces[p].level))
            strlist_add(&names, pieces[p].level);
    }
    strlist_sort(&names);
    entry = mem_array(struct entry, all);
    levels.item = mem_array(struct levels_item, all);
    for (size_t p = 0; p < n_pieces; p++) {
        uint32_t level = pieces[p].n > 0 ? place_of(&names, pieces[p].level) : 0;

        for (size_t i = 0; i < pieces[p].n; i++)
            entry[n++] =
                (struct entry){pieces[p].host, pieces[p].round[i], level, p, i, pieces[p].d[i]};
    }
    qsort(entry, n, sizeof *entry, by_place);
    for (size_t from = 0, upto; from < n; from = upto) {
        for (upto = from + 1; upto < n && strcmp(entry[upto].host, entry[from].host) == 0; upto++)
            ;
        stratum = add_host(entry, from, upto, levels.n_hosts, stratum, &levels);
        levels.n_hosts++;
    }
    levels.level = (const char *const *)names.v;
    levels.n_levels = names.n;
    if (levels.n > 0)
        found = levels_answer(factor, &levels, options, ret);
    mem_free(entry);
    mem_free(levels.item);
    return found;
}

void factors_holm(struct factor_answer *answers, size_t n)
{
    bool *done = mem_array(bool, n);
    double largest = 0.0;

    for (size_t rank = 0; rank < n; rank++) {
        size_t least = n;

        for (size_t i = 0; i < n; i++)
            if (!done[i] && (least == n || answers[i].p < answers[least].p))
                least = i;

        double adjusted = answers[least].p * (double)(n - rank);

        largest = adjusted > largest ? adjusted : largest;
        answers[least].p_adjusted = largest < 1.0 ? largest : 1.0;
        done[least] = true;
    }
    mem_free(done);
}
