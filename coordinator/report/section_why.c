/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What else bears on the effect: the load of other programs, where the time went, harness and
 * crossed factors, the control.
 */
#include "coordinator/report/section.h"

#include "coordinator/report/forest.h"
#include "coordinator/report/num.h"

#include <math.h>
#include <stdlib.h>

enum { NAMES_MOST = 12, HOSTS_MOST = 20 };

/* ---- load ---- */

static void put_load(const struct section *section, const char *who,
                     const struct load_finding *load)
{
    struct num_scale scale = num_scale_of(section->answer);
    char zero[NUM_SIZE], per_cpu[NUM_SIZE];
    num_effect(load->effect_at_zero, load->ci, scale, zero);
    num_effect(load->per_cpu, load->per_cpu_ci, scale, per_cpu);
    page_line(section->page, "  ", 4,
              "%s%s%s with no other load; each CPU busy with other programs adds %s", who,
              who[0] != '\0' ? ": " : "", zero, per_cpu);
}

void section_load(const struct section *section)
{
    const struct comparison_answer *c = section->comparison;
    size_t known = 0;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->n_hosts; i++) {
        if (c->host[i].load.known) {
            known++;
            least = fmin(least, c->host[i].load.range.lo);
            most = fmax(most, c->host[i].load.range.hi);
        }
    }
    if (!c->load.known && known == 0) {
        return;
    }
    page_heading(section->page, "Load of other programs");
    if (c->load.known) {
        char p[NUM_SIZE];
        num_p(c->load.p, p);
        put_load(section, "", &c->load);
        page_line(section->page, "  ", 2, "%s (%s).",
                  c->load.p <= section->answer->alpha
                      ? "The effect depends on the load"
                      : "No sign that the effect depends on the load",
                  p);
    } else {
        for (size_t i = 0; i < c->n_hosts && i < HOSTS_MOST; i++) {
            if (c->host[i].load.known) {
                put_load(section, c->host[i].host, &c->host[i].load);
            }
        }
    }
    if (isfinite(least) && isfinite(most)) {
        page_line(section->page, "  ", 2, "Loads seen: %.2f to %.2f CPUs%s.", fmax(least, 0.0),
                  most, least > 0.1 ? "; the value without load is extrapolated" : "");
    }
}

/* ---- where the time went ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const struct where_part *part_of(const struct host_answer *host, size_t part)
{
    const struct where_part *parts[] = {&host->where.elapsed, &host->where.user, &host->where.sys,
                                        &host->where.wait};
    return parts[part];
}

/* "user +7.0 ms [6.1, 8.2]": of one host its own interval, of several the median with least and
 * greatest. */
static void put_group(const struct section *section, const char *title,
                      const struct host_answer *const *host, size_t n)
{
    static const char *const names[] = {"elapsed", "user", "sys", "wait"};
    size_t of_class[5] = {0};
    struct str line CLEAN_DONE(str) = {0};
    double *value = mem_array(double, n);
    for (size_t part = 0; part < 4; part++) {
        char text[NUM_SIZE];
        if (n == 1) {
            num_delta(part_of(host[0], part)->delta_s, part_of(host[0], part)->ci,
                      section->page->ascii, text);
        } else {
            for (size_t i = 0; i < n; i++) {
                value[i] = part_of(host[i], part)->delta_s;
            }
            qsort(value, n, sizeof *value, by_value);
            double median = n % 2 == 1 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2.0;
            num_delta(median, (struct range){value[0], value[n - 1]}, section->page->ascii, text);
        }
        str_addf(&line, "%s%s %s", part == 0 ? "" : part == 1 ? " = " : "; ", names[part], text);
    }
    mem_free(value);
    for (size_t i = 0; i < n; i++) {
        of_class[host[i]->where.class]++;
    }
    CLEAN_MEM char *count = page_count(n, "host");
    page_line(section->page, "  ", 2, "%s (%s):", title, count);
    page_para(section->page, "    ", 6, PAGE_PLAIN, str_get(&line));
    struct str classes CLEAN_DONE(str) = {0};
    for (int class = TIME_CLASS_NONE + 1; class <= TIME_CLASS_MIXED; class ++) {
        if (of_class[class] > 0) {
            str_addf(&classes, "%s%s on %zu", classes.length == 0 ? "" : ", ",
                     time_class_name((enum time_class) class), of_class[class]);
        }
    }
    if (classes.length > 0) {
        page_line(section->page, "    ", 6, "the change is %s", str_get(&classes));
    }
}

static size_t pick(const struct comparison_answer *c, const struct strlist *names,
                   const struct host_answer **ret)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_hosts; i++) {
        const struct host_answer *host = &c->host[i];
        if (host->where.known && isfinite(host->where.elapsed.delta_s) &&
            (names == NULL || strlist_has(names, host->host))) {
            ret[n++] = host;
        }
    }
    return n;
}

void section_where(const struct section *section)
{
    const struct comparison_answer *c = section->comparison;
    const struct host_answer **host = mem_array(const struct host_answer *, c->n_hosts);
    const struct class_answer *class = forest_class(c);
    size_t all = pick(c, NULL, host);
    if (all > 0) {
        page_heading(section->page, "Where the time went");
        page_para(
            section->page, "  ", 2, PAGE_DIM,
            all == 1
                ? "candidate minus base, mean per run, with its interval"
                : "candidate minus base, mean per run: median over the hosts [least, greatest]");
        for (size_t side = 0; class != NULL && side < 2; side++) {
            size_t n = pick(c, &class->group[side].hosts, host);
            if (n > 0) {
                put_group(section, class->group[side].side, host, n);
            }
        }
        if (class == NULL) {
            put_group(section, "all hosts", host, all);
        }
        struct strlist shared CLEAN_DONE(strlist) = {0};
        for (size_t i = 0; i < c->n_hosts; i++) {
            if (c->host[i].where.known && c->host[i].where.shared_cpu_like) {
                strlist_add(&shared, c->host[i].host);
            }
        }
        if (shared.n > 0) {
            CLEAN_MEM char *names = page_names(section->page, &shared, NAMES_MOST);
            page_line(section->page, "  ", 2,
                      "On %s: as when the CPU is shared with other programs (waiting went up, CPU "
                      "time did not, slow runs take a "
                      "multiple of the fast ones).",
                      names);
        }
    }
    mem_free(host);
}

/* ---- factors ---- */

static double deciding_p(const struct factor_answer *factor)
{
    return isfinite(factor->p_adjusted) ? factor->p_adjusted : factor->p;
}

static void put_factors(const struct section *section, const char *heading,
                        const struct factor_answer *factor, size_t n)
{
    struct strlist calm CLEAN_DONE(strlist) = {0};
    if (n == 0) {
        return;
    }
    page_heading(section->page, heading);
    for (size_t i = 0; i < n; i++) {
        char p[NUM_SIZE];
        num_p(deciding_p(&factor[i]), p);
        if (!(deciding_p(&factor[i]) <= section->answer->alpha)) {
            CLEAN_MEM char *text = mem_printf("%s (%s)", factor[i].factor, p);
            strlist_add(&calm, text);
            continue;
        }
        page_line(section->page, "  ", 2,
                  "The effect differs with %s (%s); one number for all levels would be wrong:",
                  factor[i].factor, p);
        for (size_t k = 0; k < factor[i].n_levels; k++) {
            const struct level_answer *level = &factor[i].level[k];
            char text[NUM_SIZE];
            num_effect(level->effect, level->ci, num_scale_of(section->answer), text);
            CLEAN_MEM char *name = page_name(section->page, level->level, 20, true);
            page_line(section->page, "    ", 6, "%s %s", name, text);
        }
    }
    if (calm.n > 0) {
        CLEAN_MEM char *names = page_names(section->page, &calm, NAMES_MOST);
        page_line(section->page, "  ", 2, "No sign that the effect depends on: %s.", names);
    }
}

void section_factors(const struct section *section)
{
    const struct comparison_answer *c = section->comparison;
    put_factors(section, "How it was measured", c->harness, c->n_harness);
    put_factors(section, "Factors", c->factor, c->n_factors);
}

/* ---- control ---- */

void section_control(const struct section *section)
{
    const struct comparison_answer *c = section->comparison;
    struct num_scale scale = num_scale_of(section->answer);
    size_t known = 0;
    double floor = 0.0;
    for (size_t i = 0; i < c->n_hosts; i++) {
        const struct control_finding *control = &c->host[i].control;
        if (!control->known) {
            continue;
        }
        known++;
        if (isfinite(control->ci.lo)) {
            floor = fmax(floor, fmax(fabs(control->ci.lo), fabs(control->ci.hi)));
        }
    }
    if (known == 0) {
        return;
    }
    char text[NUM_SIZE];
    num_percent(num_size_pct(floor, scale), text);
    page_heading(section->page, "Noise floor");
    page_line(section->page, "  ", 2,
              "A second copy of the base ran on %zu host%s; its limits reach to %s at most.", known,
              known == 1 ? "" : "s", floor > 0.0 ? text + 1 : "n/a");
    for (size_t i = 0; i < c->n_hosts; i++) {
        const struct control_finding *control = &c->host[i].control;
        bool moved = control->known && (control->verdict == VERDICT_REGRESSED ||
                                        control->verdict == VERDICT_IMPROVED ||
                                        control->verdict == VERDICT_REGRESSED_SMALL ||
                                        control->verdict == VERDICT_IMPROVED_SMALL);
        if (moved) {
            num_effect(control->effect, control->ci, scale, text);
            page_line(section->page, "  ", 2,
                      "It moved on %s: %s. That is a change of the environment.", c->host[i].host,
                      text);
        }
    }
}
