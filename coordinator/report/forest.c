/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lays out and draws the forest plot. Columns from the left: name, verdict, estimate with interval,
 * plot. The plot takes what the others leave of the page's width.
 */
#include "coordinator/report/forest.h"

#include "coordinator/report/num.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_MOST = 16, /* columns of the longest host name shown whole */
    PLOT_LEAST = 16,
    PLOT_MOST = 60,
    ROWS_MOST = 60,    /* hosts drawn one by one */
    ROWS_OF_GROUP = 20 /* hosts drawn of each group when there are more */
};

struct axis { /* of signed log change of the metric: left is smaller, right is larger */
    double lo, hi;
    unsigned columns;
};
struct layout {
    const struct page *page;
    const struct comparison_answer *comparison;
    struct num_scale scale;
    double theta;
    unsigned name, verdict, number; /* columns */
    struct axis axis;
};

const struct class_answer *forest_class(const struct comparison_answer *comparison)
{
    const struct facts_answer *facts = &comparison->facts;
    if (facts->n_classes == 0) {
        return NULL;
    }
    const struct class_answer *best = &facts->class[0];
    bool differ = comparison->fleet.heterogeneity == HETEROGENEITY_HETEROGENEOUS;
    bool shown = facts->claim || !best->scored || (differ && best->explained >= 0.5);
    return shown && best->group[0].hosts.n > 0 && best->group[1].hosts.n > 0 ? best : NULL;
}

static void put_member(struct str *out, const char *fact, const char *level)
{
    if (str_eq(level, "trend")) {
        str_addf(out, "%s as a number (a trend)", fact);
    } else if (str_starts(level, "not ")) {
        str_addf(out, "%s %s", fact, level);
    } else if (level[0] == '>' || str_starts(level, "<=")) {
        size_t n = level[0] == '>' ? 1 : 2;
        str_addf(out, "%s %.*s %s", fact, (int)n, level, level + n);
    } else {
        str_addf(out, "%s = %s", fact, level);
    }
}

char *forest_member(const struct class_member *member)
{
    struct str out = {0};
    put_member(&out, member->fact, member->level);
    if (member->and_fact != NULL) {
        str_add(&out, " and ");
        put_member(&out, member->and_fact, member->and_level);
    }
    return str_take(&out);
}

enum page_paint forest_paint(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_REGRESSED:
    case VERDICT_REGRESSED_SMALL:
        return PAGE_RED;
    case VERDICT_IMPROVED:
    case VERDICT_IMPROVED_SMALL:
        return PAGE_GREEN;
    case VERDICT_INCONCLUSIVE:
        return PAGE_YELLOW;
    case VERDICT_UNCHANGED:
        break;
    }
    return PAGE_PLAIN;
}

/* ---- the axis ---- */

static double change(const struct layout *layout, double effect)
{
    return layout->scale.higher_is_better ? -effect : effect;
}

static void widen(struct axis *axis, double at)
{
    if (isfinite(at)) {
        axis->lo = fmin(axis->lo, at);
        axis->hi = fmax(axis->hi, at);
    }
}

/* Room for every estimate, for 0 and for the limits; intervals may reach half of that again to each
 * side, the rest of them is cut: one host that knows nothing must not flatten all others. */
static void set_axis(struct layout *layout)
{
    const struct comparison_answer *c = layout->comparison;
    struct axis core = {-layout->theta, layout->theta, 0};
    struct axis whole = core;
    for (size_t i = 0; i < c->n_hosts; i++) {
        widen(&core, change(layout, c->host[i].effect));
        widen(&whole, change(layout, c->host[i].ci.lo));
        widen(&whole, change(layout, c->host[i].ci.hi));
    }
    widen(&core, change(layout, c->fleet.effect));
    widen(&whole, change(layout, c->fleet.ci.lo));
    widen(&whole, change(layout, c->fleet.ci.hi));
    double reach = fmax((core.hi - core.lo) / 2.0, layout->theta);
    layout->axis.lo = fmax(fmin(core.lo, whole.lo), core.lo - reach);
    layout->axis.hi = fmin(fmax(core.hi, whole.hi), core.hi + reach);
    if (!(layout->axis.hi > layout->axis.lo)) {
        layout->axis.lo = -0.01;
        layout->axis.hi = 0.01;
    }
}

/* Column of a value; below 0 or from `columns` on means beyond the ends. */
static int column(const struct axis *axis, double at)
{
    double place = (at - axis->lo) / (axis->hi - axis->lo) * (axis->columns - 1);
    return place < -0.5                  ? -1
           : place > axis->columns - 0.5 ? (int)axis->columns
                                         : (int)lround(place);
}

static void mark(const char **cell, const struct axis *axis, double at, const char *sign)
{
    int c = column(axis, at);
    if (c >= 0 && c < (int)axis->columns) {
        cell[c] = sign;
    }
}

/* Draws one interval into the cells, over the lines of 0 and of the limits. */
static void draw(const struct layout *layout, const char **cell, double effect, struct range ci,
                 bool pooled)
{
    const struct page *page = layout->page;
    const struct axis *axis = &layout->axis;
    if (!isfinite(effect)) {
        return;
    }
    if (isfinite(ci.lo) && isfinite(ci.hi)) {
        double lo = fmin(change(layout, ci.lo), change(layout, ci.hi));
        double hi = fmax(change(layout, ci.lo), change(layout, ci.hi));
        int from = column(axis, lo);
        int to = column(axis, hi);
        int last = (int)axis->columns - 1;
        for (int c = from < 0 ? 0 : from; c <= (to > last ? last : to); c++) {
            cell[c] = page_sign(page, SIGN_BAR);
        }
        if (from <= last) {
            cell[from < 0 ? 0 : from] = page_sign(page, from < 0 ? SIGN_CUT_LEFT : SIGN_LEFT);
        }
        if (to >= 0) {
            cell[to > last ? last : to] = page_sign(page, to > last ? SIGN_CUT_RIGHT : SIGN_RIGHT);
        }
        mark(cell, axis, change(layout, effect),
             page_sign(page, pooled ? SIGN_DIAMOND : SIGN_POINT));
    } else {
        mark(cell, axis, change(layout, effect), page_sign(page, SIGN_OPEN));
    }
}

static void plot(const struct layout *layout, double effect, struct range ci, bool pooled,
                 enum page_paint paint)
{
    const struct page *page = layout->page;
    const struct axis *axis = &layout->axis;
    const char *cell[PLOT_MOST];
    for (unsigned i = 0; i < axis->columns; i++) {
        cell[i] = " ";
    }
    mark(cell, axis, -layout->theta, page_sign(page, SIGN_LIMIT));
    mark(cell, axis, layout->theta, page_sign(page, SIGN_LIMIT));
    mark(cell, axis, 0.0, page_sign(page, SIGN_ZERO));
    draw(layout, cell, effect, ci, pooled);
    unsigned end = axis->columns;
    while (end > 0 && str_eq(cell[end - 1], " ")) {
        end--;
    }
    if (paint != PAGE_PLAIN) {
        page_paint(page, paint);
    }
    for (unsigned i = 0; i < end; i++) {
        fputs(cell[i], page->out);
    }
    if (paint != PAGE_PLAIN) {
        page_paint(page, PAGE_PLAIN);
    }
    fputc('\n', page->out);
}

/* ---- rows ---- */

static void row(const struct layout *layout, const char *name, const char *word, double effect,
                struct range ci, bool pooled, enum page_paint paint)
{
    const struct page *page = layout->page;
    CLEAN_MEM char *shown = page_name(page, name, layout->name, true);
    CLEAN_MEM char *verdict = page_name(page, word, layout->verdict, true);
    char number[NUM_SIZE];
    num_effect(effect, ci, layout->scale, number);
    fprintf(page->out, "  %s ", shown);
    page_put(page, paint, verdict);
    fprintf(page->out, " %-*s ", (int)layout->number, number);
    plot(layout, effect, ci, pooled, paint);
}

static void host_row(const struct layout *layout, const struct host_answer *host)
{
    bool empty = host->samples[0] + host->samples[1] == 0;
    row(layout, host->host, empty ? "no samples" : verdict_name(host->verdict), host->effect,
        host->ci, false, forest_paint(host->verdict));
}

/* Largest harm first, hosts without an effect last, then by name. */
static int by_effect(const void *a, const void *b)
{
    const struct host_answer *x = *(const struct host_answer *const *)a;
    const struct host_answer *y = *(const struct host_answer *const *)b;
    bool fx = isfinite(x->effect), fy = isfinite(y->effect);
    if (fx != fy) {
        return fx ? -1 : 1;
    }
    if (fx && x->effect != y->effect) {
        return x->effect > y->effect ? -1 : 1;
    }
    return strcmp(x->host, y->host);
}

/* Prints the hosts that are in `names` (all not yet shown when NULL) and marks them in `shown`. */
static void host_rows(const struct layout *layout, const struct strlist *names, bool *shown)
{
    const struct comparison_answer *c = layout->comparison;
    const struct host_answer **host = mem_array(const struct host_answer *, c->n_hosts);
    size_t n = 0;
    for (size_t i = 0; i < c->n_hosts; i++) {
        if (!shown[i] && (names == NULL || strlist_has(names, c->host[i].host))) {
            shown[i] = true;
            host[n++] = &c->host[i];
        }
    }
    qsort(host, n, sizeof *host, by_effect);
    size_t most = c->n_hosts > ROWS_MOST ? ROWS_OF_GROUP : n;
    for (size_t i = 0; i < n && i < most; i++) {
        host_row(layout, host[i]);
    }
    if (n > most) {
        page_line(layout->page, "  ", 2, "and %zu more hosts: all of them are in --json", n - most);
    }
    mem_free(host);
}

static void group_rows(const struct layout *layout, const struct class_answer *class, size_t side,
                       bool *shown)
{
    const struct class_group *group = &class->group[side];
    CLEAN_MEM char *member = forest_member(&class->member[0]);
    CLEAN_MEM char *count = page_count(group->hosts.n, "host");
    CLEAN_MEM char *others =
        class->n_members > 1 ? mem_printf(" and %zu more that split alike", class->n_members - 1)
                             : mem_strdup("");
    struct str title CLEAN_DONE(str) = {0};
    if (str_eq(group->side, "other")) {
        str_add(&title, "the other hosts");
    } else if (class->kind == CLASS_KIND_TREND) {
        str_addf(&title, "%s: %s", class->member[0].fact, group->side);
    } else if (side == 0) {
        bool claimed = layout->comparison->facts.claim;
        str_addf(&title, "%s%s%s", claimed ? "" : "suggested: ", member, others);
    } else {
        str_addf(&title, "%s = %s", class->member[0].fact, group->side);
    }
    page_line(layout->page, "", 0, "%s (%s)", str_get(&title), count);
    host_rows(layout, &group->hosts, shown);
    if (group->hosts.n > 1) {
        row(layout, "together", "", group->effect, group->ci, true, PAGE_BOLD);
    }
}

static unsigned least(unsigned a, size_t b)
{
    return b < a ? (unsigned)b : a;
}

static void measure(struct layout *layout, unsigned width)
{
    const struct comparison_answer *c = layout->comparison;
    size_t name = strlen("together");
    size_t verdict = strlen("no samples");
    size_t number = strlen("+0.0 % [n/a]");
    for (size_t i = 0; i < c->n_hosts; i++) {
        char text[NUM_SIZE];
        num_effect(c->host[i].effect, c->host[i].ci, layout->scale, text);
        CLEAN_MEM char *shown = page_safe(c->host[i].host, NAME_MOST * 4);
        name = str_columns(shown) > name ? str_columns(shown) : name;
        size_t word = strlen(verdict_name(c->host[i].verdict));
        verdict = word > verdict ? word : verdict;
        number = strlen(text) > number ? strlen(text) : number;
    }
    for (size_t i = 0; i < 2; i++) {
        const struct class_answer *class = forest_class(c);
        struct range ci = i == 0 || class == NULL ? c->fleet.ci : class->group[0].ci;
        char text[NUM_SIZE];
        num_effect(i == 0 || class == NULL ? c->fleet.effect : class->group[0].effect, ci,
                   layout->scale, text);
        number = strlen(text) > number ? strlen(text) : number;
    }
    size_t fleet = strlen(verdict_name(c->fleet.verdict));
    layout->name = least(NAME_MOST, name);
    layout->verdict = (unsigned)(fleet > verdict ? fleet : verdict);
    layout->number = (unsigned)number;
    unsigned taken = 2 + layout->name + 1 + layout->verdict + 1 + layout->number + 1;
    unsigned left = width > taken + PLOT_LEAST ? width - taken : PLOT_LEAST;
    layout->axis.columns = left > PLOT_MOST ? PLOT_MOST : left;
}

/* Puts text so that its middle is at column `at`, when nothing is there yet. */
static void label(char *line, unsigned columns, int at, const char *text)
{
    int length = (int)strlen(text);
    int from = at - length / 2;
    from = from < 0 ? 0 : from + length > (int)columns ? (int)columns - length : from;
    if (from < 0) {
        return;
    }
    for (int i = from > 0 ? from - 1 : 0; i < from + length + 1 && i < (int)columns; i++) {
        if (line[i] != ' ') {
            return;
        }
    }
    memcpy(line + from, text, (size_t)length);
}

static void legend(const struct layout *layout)
{
    const struct axis *axis = &layout->axis;
    char line[PLOT_MOST + 1];
    memset(line, ' ', axis->columns);
    line[axis->columns] = '\0';
    double ends[2] = {axis->lo, axis->hi};
    label(line, axis->columns, column(axis, 0.0), "0");
    for (size_t i = 0; i < 2; i++) {
        char text[NUM_SIZE];
        num_percent(num_size_pct(ends[i], layout->scale), text);
        label(line, axis->columns, i == 0 ? 0 : (int)axis->columns, text);
    }
    unsigned indent = 2 + layout->name + 1 + layout->verdict + 1 + layout->number + 1;
    size_t end = strlen(line);
    while (end > 0 && line[end - 1] == ' ') {
        end--;
    }
    fprintf(layout->page->out, "%*s%.*s\n", (int)indent, "", (int)end, line);
    page_line(layout->page, "  ", 2, "%s; %s is the smallest effect that matters, %.3g %%",
              layout->scale.higher_is_better ? "left is worse, right is better"
                                             : "left is better, right is worse",
              page_sign(layout->page, SIGN_LIMIT), 100.0 * expm1(layout->theta));
}

void forest_print(const struct page *page, const struct comparison_answer *comparison, double theta,
                  struct num_scale scale)
{
    struct layout layout = {.page = page, .comparison = comparison, .scale = scale, .theta = theta};
    measure(&layout, page->width);
    set_axis(&layout);
    bool *shown = mem_array(bool, comparison->n_hosts);
    const struct class_answer *class = forest_class(comparison);
    if (class != NULL) {
        group_rows(&layout, class, 0, shown);
        group_rows(&layout, class, 1, shown);
        size_t left = 0;
        for (size_t i = 0; i < comparison->n_hosts; i++) {
            left += shown[i] ? 0 : 1;
        }
        if (left > 0) {
            page_line(page, "", 0, "in neither group (fact unknown, or not enough rounds)");
        }
    }
    host_rows(&layout, NULL, shown);
    const struct fleet_answer *fleet = &comparison->fleet;
    if (fleet->hosts_used > 1) {
        row(&layout, "fleet", verdict_name(fleet->verdict), fleet->effect, fleet->ci, true,
            PAGE_BOLD);
    }
    legend(&layout);
    mem_free(shown);
}
