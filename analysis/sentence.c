/* SPDX-License-Identifier: GPL-3.0-or-later
 * See sentence.h: how many hosts, how much, where the time went, and what would settle it. */
#include "analysis/sentence.h"

#include <math.h>
#include <string.h>

#include "analysis/effect_host.h"
#include "analysis/judge_state.h"
#include "analysis/sentence_parts.h"

static void count_hosts(struct sentence *s)
{
    for (size_t h = 0; h < s->c->n_hosts; h++)
        switch (s->c->host[h].verdict) {
        case VERDICT_REGRESSED_SMALL:
            s->small++;
            s->regressed++;
            break;
        case VERDICT_REGRESSED:
            s->regressed++;
            break;
        case VERDICT_IMPROVED_SMALL:
            s->small++;
            s->improved++;
            break;
        case VERDICT_IMPROVED:
            s->improved++;
            break;
        case VERDICT_UNCHANGED:
            s->unchanged++;
            break;
        case VERDICT_INCONCLUSIVE:
            s->inconclusive++;
            break;
        }
}

void sentence_percent(struct sentence *s, double pct, bool sign)
{
    const double size = fabs(pct);
    const int digits = size >= 9.95 ? 0 : size >= 0.995 ? 1 : 2;

    str_addf(&s->text, sign ? "%+.*f" : "%.*f", digits, pct == 0 ? 0.0 : pct);
}

void sentence_effect(struct sentence *s, double effect, struct range ci)
{
    const struct sentence_options *o = s->options;
    const double a = effect_pct(ci.lo, o->higher_is_better, o->by_difference),
                 b = effect_pct(ci.hi, o->higher_is_better, o->by_difference);

    sentence_percent(s, effect_pct(effect, o->higher_is_better, o->by_difference), true);
    str_add(&s->text, " %");
    if (isnan(a) || isnan(b))
        return;
    str_add(&s->text, " [");
    sentence_percent(s, fmin(a, b), true);
    str_add(&s->text, ", ");
    sentence_percent(s, fmax(a, b), true);
    str_add(&s->text, "]");
}

/* "1 %": the smallest effect that matters, as the user wrote it. */
static void add_theta(struct sentence *s)
{
    str_addf(&s->text, "%.3g %%", 100 * expm1(s->options->theta));
}

static const char *hosts_word(size_t n)
{
    return n == 1 ? "host" : "hosts";
}

static const char *is_or_are(size_t n)
{
    return n == 1 ? "is" : "are";
}

/* The least that the unchanged hosts could all have shown; 0 when not known. */
static double would_be_seen(const struct sentence *s)
{
    double most = 0;

    for (size_t h = 0; h < s->c->n_hosts; h++)
        if (s->c->host[h].verdict == VERDICT_UNCHANGED)
            most = fmax(most, s->c->host[h].detectable);
    return most;
}

static void add_unchanged(struct sentence *s)
{
    const double seen = would_be_seen(s);

    str_addf(&s->text, "%s unchanged within ", is_or_are(s->unchanged));
    add_theta(s);
    if ((s->regressed || s->improved) && seen > 0) {
        str_add(&s->text, " (");
        sentence_percent(s, 100 * expm1(seen), false);
        str_add(&s->text, " % would have been seen)");
    }
}

/* "5 of 16 hosts regressed and 1 improved", "4 of 8 hosts are unchanged within 1 %", "0 of 8 hosts
 * have a verdict"; then the rest of them. */
static void add_lead(struct sentence *s)
{
    const size_t n = s->c->n_hosts, decided = s->regressed + s->improved;

    if (n == 0) {
        str_add(&s->text, "0 of 0 hosts have a verdict: none was measured");
        return;
    }
    if (decided) {
        const size_t first = s->regressed ? s->regressed : s->improved;

        str_addf(&s->text, "%zu of %zu %s %s", first, n, hosts_word(n),
                 s->regressed ? "regressed" : "improved");
        if (s->regressed && s->improved)
            str_addf(&s->text, " and %zu improved", s->improved);
        if (s->small == decided)
            str_addf(&s->text, ", %sby less than what matters", decided == 1 ? "" : "each ");
        else if (s->small)
            str_addf(&s->text, " (%zu by less than what matters)", s->small);
        if (s->unchanged) {
            str_addf(&s->text, ", %zu ", s->unchanged);
            add_unchanged(s);
        }
    } else if (s->unchanged) {
        str_addf(&s->text, "%zu of %zu %s ", s->unchanged, n, hosts_word(n));
        add_unchanged(s);
    } else {
        str_addf(&s->text, "0 of %zu %s %s a verdict", n, hosts_word(n), n == 1 ? "has" : "have");
        return;
    }
    if (s->inconclusive)
        str_addf(&s->text, ", %zu %s inconclusive", s->inconclusive, is_or_are(s->inconclusive));
}

static const char *first_reason(const struct host_answer *host)
{
    return host->verdict == VERDICT_INCONCLUSIVE && host->reasons.n ? host->reasons.v[0] : NULL;
}

/* Reasons are alike up to their figures, which stand in parentheses. */
static bool same_reason(const char *a, const char *b)
{
    const size_t length = strcspn(a, "(");

    return strcspn(b, "(") == length && strncmp(a, b, length) == 0;
}

/* The reason that most of the inconclusive hosts give, with its figures when it is one host's. */
static void add_main_reason(struct sentence *s)
{
    const char *best = NULL;
    size_t most = 0;

    for (size_t h = 0; h < s->c->n_hosts; h++) {
        const char *reason = first_reason(&s->c->host[h]);
        size_t same = 0;

        for (size_t k = 0; reason && k < s->c->n_hosts; k++) {
            const char *other = first_reason(&s->c->host[k]);

            same += other && same_reason(reason, other);
        }
        if (same > most) {
            most = same;
            best = reason;
        }
    }
    if (!best)
        return;
    size_t length = most == 1 ? strlen(best) : strcspn(best, "(");

    while (length > 0 && best[length - 1] == ' ')
        length--;
    str_add(&s->text, ": ");
    str_add_bytes(&s->text, best, length);
    if (most < s->c->n_hosts)
        str_addf(&s->text, " on %zu of them", most);
}

/* How much: over the fleet, or on the one host there is. */
static void add_size(struct sentence *s)
{
    const struct fleet_answer *fleet = &s->c->fleet;

    if (fleet->hosts_used >= 2 && !isnan(fleet->effect)) {
        str_add(&s->text, "; over the fleet ");
        sentence_effect(s, fleet->effect, fleet->ci);
    } else if (s->c->n_hosts == 1 && !isnan(s->c->host[0].effect)) {
        str_add(&s->text, s->inconclusive ? "; the estimate is " : ": ");
        sentence_effect(s, s->c->host[0].effect, s->c->host[0].ci);
        if (isnan(s->c->host[0].ci.lo))
            str_add(&s->text, ", with no interval");
    }
    if (fleet->hosts_used >= 2 && fleet->heterogeneity == HETEROGENEITY_NONE_SEEN)
        str_add(&s->text, ", with no sign that hosts differ");
    str_add(&s->text, ".");
}

static void add_aa(struct sentence *s)
{
    if (!s->options->aa)
        return;
    str_add(&s->text, s->regressed + s->improved
                          ? " The two arms are the same: this comes from the harness or the "
                            "environment, not from the code."
                          : " The two arms are the same, and nothing else is seen.");
}

static void add_environment(struct sentence *s)
{
    size_t moved = 0;

    for (size_t h = 0; h < s->c->n_hosts; h++)
        moved += strlist_has(&s->c->host[h].notes, "environment-changed");
    if (moved && s->c->n_hosts > 1)
        str_addf(&s->text,
                 " On %zu %s the control moved too: there the environment changed, not the "
                 "candidate.",
                 moved, hosts_word(moved));
}

static bool speaks_of_time(const struct sentence *s, const struct host_answer *host)
{
    return host->where.known && (judge_decided(host->verdict) || s->c->n_hosts == 1);
}

static void add_where(struct sentence *s)
{
    static const char *const words[] = {[TIME_CLASS_CPU_USER] = "user time",
                                        [TIME_CLASS_CPU_SYS] = "system time",
                                        [TIME_CLASS_WAIT] = "waiting, not CPU time"};
    size_t by[TIME_CLASS_MIXED + 1] = {0}, decided = 0, shared = 0;

    for (size_t h = 0; h < s->c->n_hosts; h++)
        if (speaks_of_time(s, &s->c->host[h])) {
            by[s->c->host[h].where.class]++;
            shared += s->c->host[h].where.shared_cpu_like;
            decided++;
        }
    for (int k = TIME_CLASS_CPU_USER; k <= TIME_CLASS_WAIT; k++)
        if (by[k] * 2 > decided)
            str_addf(&s->text, " %s it is %s%s.", s->c->n_hosts == 1 ? "All of" : "Where it shows,",
                     words[k],
                     shared * 2 > decided ? ", as when the CPU is shared with other programs" : "");
}

/* The same runs, but more or fewer of them slow. */
static void add_modes(struct sentence *s)
{
    size_t n = 0, decided = 0;

    for (size_t h = 0; h < s->c->n_hosts; h++) {
        const struct modes_finding *modes = &s->c->host[h].modes;

        if (!judge_decided(s->c->host[h].verdict))
            continue;
        decided++;
        n += modes->found && modes->occupancy_p <= s->options->alpha &&
             !(modes->fast_ci.lo > 0 || modes->fast_ci.hi < 0);
    }
    if (n * 2 > decided)
        str_addf(&s->text,
                 " On %zu of the %zu the runs have two speeds, and what changed is how many of "
                 "them are slow.",
                 n, decided);
}

/* Without a next step of its own an inconclusive answer says what its main obstacle needs. */
static const char *remedy(const struct sentence *s)
{
    static const struct {
        const char *reason, *words;
    } remedies[] = {
        {"not interleaved", "runs of both variants in random order within rounds would settle it"},
        {"no round",        "rounds in which both variants run would settle it"                  },
        {"only one",        "the other variant on the same host would settle it"                 },
        {"no samples",      "samples of both variants on the same host would settle it"          },
        {"arms differ",     "arms that differ in the variant alone would settle it"              },
        {"the control",     "more rounds on hosts left alone would settle it"                    },
        {"the effect",      "more rounds, in a later sitting as well, would settle it"           },
    };

    for (size_t h = 0; h < s->c->n_hosts; h++)
        for (size_t i = 0; i < sizeof remedies / sizeof remedies[0]; i++) {
            const char *reason = first_reason(&s->c->host[h]);

            if (reason && str_starts(reason, remedies[i].reason))
                return remedies[i].words;
        }
    return s->c->n_hosts ? "more rounds would settle it"
                         : "samples of both variants on the same host would settle it";
}

static void add_next(struct sentence *s)
{
    const bool unsettled = s->c->outcome == ANSWER_INCONCLUSIVE || s->inconclusive == s->c->n_hosts;
    const char *why = s->c->n_next && s->c->next[0].why ? s->c->next[0].why
                      : unsettled                       ? remedy(s)
                                                        : NULL;

    if (why)
        str_addf(&s->text, " Next: %s%s", why, str_ends(why, ".") ? "" : ".");
}

char *sentence_build(const struct comparison_answer *comparison,
                     const struct sentence_options *options)
{
    struct sentence s = {.c = comparison, .options = options};

    count_hosts(&s);
    add_lead(&s);
    if (s.inconclusive == comparison->n_hosts)
        add_main_reason(&s);
    add_size(&s);
    add_aa(&s);
    add_environment(&s);
    sentence_facts(&s);
    add_where(&s);
    add_modes(&s);
    sentence_load(&s);
    sentence_harness(&s);
    add_next(&s);
    return str_take(&s.text);
}
