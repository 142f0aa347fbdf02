/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hand-made answers in the situations the report must tell well. No judge is involved: the numbers
 * are chosen to be plausible and to exercise every section.
 */
#pragma once
#include "analysis/answer.h"
#include "base/mem.h"

#include <math.h>

static struct range answers_range(double lo, double hi)
{
    return (struct range){lo, hi};
}

static const struct range ANSWERS_NONE = {NAN, NAN};

static struct where_part answers_part(double delta, double half, double share)
{
    return (struct where_part){
        .delta_s = delta, .ci = {delta - half, delta + half},
             .share = share
    };
}

/* A randomised host with 12 rounds. half: half-width of the interval on the log scale. */
static struct host_answer answers_host(const char *name, enum verdict verdict, double effect,
                                       double half)
{
    struct host_answer host = {
        .host = mem_strdup(name),
        .design = DESIGN_RANDOMISED,
        .verdict = verdict,
        .effect = effect,
        .pct = 100.0 * expm1(effect),
        .ci = {effect - half, effect + half},
        .ci_level = 0.95751953125,
        .p = 0.00048828125,
        .q = 0.0015,
        .mean_effect = effect,
        .mean_ci = {effect - half, effect + half},
        .trimmed_effect = effect,
        .trimmed_se = half / 2.3,
        .df = 7.0,
        .rounds_used = 12,
        .samples = {12,            12           },
        .n_effective = {12.0,          10.5         },
        .streak_p = {0.5,           0.31         },
        .detectable = half * 1.4,
        .rounds_needed = NAN,
        .base_centre = 0.2,
        .candidate_centre = 0.2 * exp(effect),
        .base_spread = 0.004,
        .candidate_spread = 0.005,
    };
    host.where = (struct where_time){
        .known = true,
        .elapsed = answers_part(0.2 * expm1(effect), 0.2 * half, NAN),
        .user = answers_part(0.18 * expm1(effect), 0.2 * half, 0.9),
        .sys = answers_part(0.02 * expm1(effect), 0.1 * half, 0.1),
        .wait = answers_part(0.0, 0.05 * half, 0.0),
        .class = verdict == VERDICT_REGRESSED ? TIME_CLASS_CPU_USER : TIME_CLASS_NONE,
    };
    return host;
}

static struct host_answer answers_empty_host(const char *name, const char *reason)
{
    struct host_answer host = {
        .host = mem_strdup(name),
        .effect = NAN,
        .pct = NAN,
        .ci = ANSWERS_NONE,
        .ci_level = NAN,
        .p = NAN,
        .q = NAN,
        .mean_effect = NAN,
        .mean_ci = ANSWERS_NONE,
        .trimmed_effect = NAN,
        .trimmed_se = NAN,
        .df = NAN,
        .n_effective = {NAN, NAN},
        .streak_p = {NAN, NAN},
        .detectable = NAN,
        .rounds_needed = NAN,
    };
    strlist_add(&host.reasons, reason);
    return host;
}

static struct answer *answers_new(const char *experiment, size_t n_hosts)
{
    struct answer *answer = mem_new(struct answer);
    *answer = (struct answer){
        .experiment = mem_strdup(experiment),
        .run = 3,
        .seed = 20260131,
        .alpha = 0.05,
        .min_effect = log1p(0.01),
        .metric = mem_strdup("elapsed_s"),
        .unit = mem_strdup("s"),
        .comparison = mem_new(struct comparison_answer),
        .n_comparisons = 1,
    };
    struct comparison_answer *c = answer->comparison;
    *c = (struct comparison_answer){
        .base = mem_strdup("A"),
        .candidate = mem_strdup("B"),
        .host = mem_array(struct host_answer, n_hosts),
        .n_hosts = n_hosts,
        .fleet = {.effect = NAN,
                  .pct = NAN,
                  .se = NAN,
                  .ci = ANSWERS_NONE,
                  .prediction = ANSWERS_NONE,
                  .tau = NAN,
                  .tau2 = NAN,
                  .tau2_reml = NAN,
                  .tau_ci = ANSWERS_NONE,
                  .i2 = NAN,
                  .welch_f = NAN,
                  .heterogeneity_p = NAN},
        .facts = {.p = NAN,    .p_permutation = NAN, .p_flip = NAN, .p_least = NAN},
    };
    return answer;
}

static void answers_class(struct class_answer *class, int rank, const char *fact, const char *level)
{
    *class = (struct class_answer){
        .rank = rank,
        .kind = CLASS_KIND_LEVEL,
        .member = mem_array(struct class_member, 3),
        .n_members = 1,
        .group = {{.side = mem_strdup(level), .effect = NAN, .pct = NAN, .ci = ANSWERS_NONE},
                  {.side = mem_strdup("other"), .effect = NAN, .pct = NAN, .ci = ANSWERS_NONE}},
        .score = NAN,
        .weight = NAN,
        .explained = NAN,
        .slope = NAN,
    };
    class->member[0] = (struct class_member){.fact = mem_strdup(fact), .level = mem_strdup(level)};
}

static void answers_member(struct class_answer *class, const char *fact, const char *level)
{
    class->member[class->n_members++] =
        (struct class_member){.fact = mem_strdup(fact), .level = mem_strdup(level)};
}

/* Eight hosts, three facts that split them alike and are claimed, load and harness judged, one host
 * without samples. */
static struct answer *answers_fact(void)
{
    struct answer *answer = answers_new("test-open", 9);
    struct comparison_answer *c = answer->comparison;
    static const char *const names[] = {"amd-a",   "amd-b",   "amd-c",   "amd-d",
                                        "intel-a", "intel-b", "intel-c", "intel-d"};
    static const double effects[] = {0.0521, 0.0568,  0.0494, 0.0478,
                                     0.0018, -0.0015, 0.0004, -0.0062};
    for (size_t i = 0; i < 8; i++) {
        enum verdict verdict = i < 4   ? VERDICT_REGRESSED
                               : i < 7 ? VERDICT_UNCHANGED
                                       : VERDICT_INCONCLUSIVE;
        c->host[i] = answers_host(names[i], verdict, effects[i], i == 7 ? 0.09 : 0.008);
        strlist_add(i < 4   ? &c->fleet.reproduces_on
                    : i < 7 ? &c->fleet.absent_on
                            : &c->fleet.unsure_on,
                    names[i]);
    }
    c->host[7].rounds_needed = 972.0;
    strlist_add(
        &c->host[7].reasons,
        "the interval is wider than the smallest effect that matters; about 972 rounds are needed");
    strlist_add(&c->host[7].notes, "streaky");
    strlist_add(&c->host[1].notes, "streaky");
    c->host[8] = answers_empty_host("arm-a", "no samples");
    strlist_add(&c->fleet.unsure_on, "arm-a");
    c->outcome = ANSWER_REGRESSED_ON_SOME;
    c->sentence = mem_strdup(
        "4 of 8 hosts regressed: it goes with cpu.vendor = AMD, os.id = fedora and fs = ext3, "
        "which these hosts "
        "cannot separate (4 hosts, +5.3 % [4.9, 5.7]); 3 are unchanged, 1 is inconclusive.");
    c->fleet.verdict = VERDICT_REGRESSED;
    c->fleet.effect = 0.0238;
    c->fleet.pct = 100.0 * expm1(0.0238);
    c->fleet.ci = answers_range(0.0021, 0.0455);
    c->fleet.prediction = answers_range(-0.044, 0.0916);
    c->fleet.tau = 0.027;
    c->fleet.tau_ci = answers_range(0.017, 0.056);
    c->fleet.i2 = 0.97;
    c->fleet.heterogeneity = HETEROGENEITY_HETEROGENEOUS;
    c->fleet.heterogeneity_p = 0.001;
    c->fleet.hosts_used = 8;
    struct facts_answer *facts = &c->facts;
    facts->claim = true;
    facts->p = 0.031;
    facts->p_permutation = 0.031;
    facts->p_flip = 0.001;
    facts->p_least = 0.029;
    facts->candidates = 40;
    facts->class = mem_array(struct class_answer, 2);
    facts->n_classes = 2;
    answers_class(&facts->class[0], 1, "cpu.vendor", "AMD");
    answers_member(&facts->class[0], "os.id", "fedora");
    answers_member(&facts->class[0], "fs", "ext3");
    for (size_t i = 0; i < 8; i++) {
        strlist_add(&facts->class[0].group[i < 4 ? 0 : 1].hosts, names[i]);
    }
    facts->class[0].group[0].effect = 0.0516;
    facts->class[0].group[0].pct = 100.0 * expm1(0.0516);
    facts->class[0].group[0].ci = answers_range(0.0478, 0.0554);
    facts->class[0].group[1].effect = 0.0003;
    facts->class[0].group[1].pct = 100.0 * expm1(0.0003);
    facts->class[0].group[1].ci = answers_range(-0.0034, 0.004);
    facts->class[0].statement =
        mem_strdup("regressed on AMD (4 hosts, +5.3 % [4.9, 5.7]), unchanged on the other 4");
    facts->class[0].score = 21.4;
    facts->class[0].weight = 0.93;
    facts->class[0].explained = 0.98;
    facts->class[0].survives = facts->class[0].scored = true;
    answers_class(&facts->class[1], 2, "l3_kib", "<=1024");
    facts->class[1].kind = CLASS_KIND_CUT;
    strlist_add(&facts->class[1].group[0].hosts, "amd-a");
    strlist_add(&facts->class[1].group[1].hosts, "intel-a");
    facts->class[1].statement = mem_strdup("regressed on <=1024 (3 hosts), mixed on the other 5");
    facts->class[1].score = 18.0;
    facts->class[1].weight = 0.07;
    facts->class[1].survives = facts->class[1].scored = true;
    strlist_add(&facts->class[1].fragile, "amd-d");
    strlist_add(&facts->not_judged, "mem_gib");
    facts->filled = mem_array(struct filled_fact, 1);
    facts->n_filled = 1;
    facts->filled[0] =
        (struct filled_fact){mem_strdup("amd-b"), mem_strdup("os.libc"), mem_strdup("os.release")};
    c->load = (struct load_finding){
        .known = true,
        .effect_at_zero = 0.021,
        .ci = {0.001,  0.041},
        .per_cpu = 0.003,
        .per_cpu_ci = {-0.002, 0.008},
        .range = ANSWERS_NONE,
        .p = 0.21
    };
    for (size_t i = 0; i < 4; i++) {
        c->host[i].load = (struct load_finding){
            .known = true,
            .effect_at_zero = 0.05,
            .ci = {0.03,             0.07},
            .per_cpu = 0.004,
            .per_cpu_ci = {-0.01,            0.02},
            .range = {0.01 * (double)i, 1.4 },
            .p = NAN
        };
    }
    c->harness = mem_array(struct factor_answer, 2);
    c->n_harness = 2;
    c->harness[0] = (struct factor_answer){
        .factor = mem_strdup("stdout_kind"), .p = 0.001, .p_adjusted = 0.002, .share = 0.6};
    c->harness[0].level = mem_array(struct level_answer, 2);
    c->harness[0].n_levels = 2;
    c->harness[0].level[0] = (struct level_answer){
        mem_strdup("pipe"), 0.001, 0.1, {-0.004, 0.006},
           40
    };
    c->harness[0].level[1] = (struct level_answer){
        mem_strdup("socketpair"), 0.06, 6.2, {0.05, 0.07},
           41
    };
    c->harness[1] = (struct factor_answer){
        .factor = mem_strdup("env_bytes"), .p = 0.4, .p_adjusted = 0.4, .share = NAN};
    c->next = mem_array(struct next_step, 2);
    c->n_next = 2;
    c->next[0] =
        (struct next_step){.what = NEXT_ADD_HOST,
                           .blocks = 20,
                           .gain = 0.92,
                           .why = mem_strdup("it would separate cpu.vendor from os.id and fs")};
    strmap_set(&c->next[0].wanted, "cpu.vendor", "AMD");
    strmap_set(&c->next[0].wanted, "os.id", "not fedora");
    strlist_add(&c->next[0].separates, "cpu.vendor");
    strlist_add(&c->next[0].separates, "os.id");
    c->next[1] = (struct next_step){.what = NEXT_MORE_BLOCKS,
                                    .host = mem_strdup("intel-d"),
                                    .blocks = 40,
                                    .gain = 0.2,
                                    .why = mem_strdup("it is inconclusive so far")};
    strlist_add(&answer->warnings, "intel-d: 1 round dropped, its elapsed_s was missing");
    return answer;
}

/* One host, all A then all B, slow streaks: no verdict, whatever the numbers. */
static struct answer *answers_blocked(void)
{
    struct answer *answer = answers_new("seed-1", 1);
    struct comparison_answer *c = answer->comparison;
    struct host_answer host = answers_host("core2", VERDICT_INCONCLUSIVE, 0.29, 0.2325);
    host.design = DESIGN_BLOCKED;
    host.q = NAN;
    host.p = 0.017;
    host.mean_effect = 0.3306;
    host.mean_ci = answers_range(0.1, 0.56);
    strlist_add(&host.reasons, "not interleaved: variant and time are the same thing");
    strlist_add(&host.notes, "streaky");
    strlist_add(&host.notes, "two-modes");
    host.modes = (struct modes_finding){
        .found = true,
        .threshold = 0.16,
        .share = {0.1,     0.525  },
        .streaks = {1,       4      },
        .occupancy_p = NAN,
        .episodes_p = NAN,
        .fast_effect = -0.0134,
        .fast_ci = {-0.0194, -0.0065},
        .dip = 0.05,
        .dip_p = 0.01
    };
    host.where = (struct where_time){
        .known = true,
        .elapsed = {0.055597, {0.011475, 0.099718},  NAN   },
        .user = {-0.00245, {-0.005383, 0.000484}, -0.044},
        .sys = {0.001575, {-0.0012, 0.004349},   0.028 },
        .wait = {0.056472, {0.013271, 0.099672},  1.016 },
        .class = TIME_CLASS_WAIT,
        .shared_cpu_like = true
    };
    strlist_add(&host.top_programs, "firefox");
    c->host[0] = host;
    c->outcome = ANSWER_INCONCLUSIVE;
    c->sentence = mem_strdup("0 of 1 hosts can be judged: core2 was not interleaved, so variant "
                             "and time are the same thing. Run it "
                             "interleaved.");
    c->next = mem_array(struct next_step, 1);
    c->n_next = 1;
    c->next[0] = (struct next_step){.what = NEXT_INTERLEAVE,
                                    .blocks = -1,
                                    .gain = NAN,
                                    .why = mem_strdup("only then can it be judged")};
    return answer;
}

/* Throughput (higher is better), effects of both signs, two cells. */
static struct answer *answers_throughput(void)
{
    struct answer *answer = answers_new("will-it-scale", 3);
    mem_free(answer->metric);
    mem_free(answer->unit);
    answer->metric = mem_strdup("per_thread_ops");
    answer->unit = mem_strdup("ops/s");
    answer->higher_is_better = true;
    struct comparison_answer *c = answer->comparison;
    strmap_set(&c->cell, "threads", "16");
    c->host[0] = answers_host("brickland", VERDICT_REGRESSED, 0.0443, 0.005);
    c->host[1] = answers_host("haswell", VERDICT_IMPROVED, -0.031, 0.004);
    c->host[2] = answers_host("a-host-with-a-very-long-name.example.org", VERDICT_REGRESSED_SMALL,
                              0.0061, 0.002);
    for (size_t i = 0; i < 3; i++) {
        c->host[i].pct = 100.0 * expm1(-c->host[i].effect);
        c->host[i].where.known = false;
    }
    c->base_digest = mem_strdup("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
    c->candidate_digest =
        mem_strdup("60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752");
    c->outcome = ANSWER_MIXED;
    c->sentence =
        mem_strdup("1 of 3 hosts regressed and 1 improved: no fact is shown to go with it.");
    c->fleet.verdict = VERDICT_INCONCLUSIVE;
    c->fleet.effect = 0.0065;
    c->fleet.pct = 100.0 * expm1(-0.0065);
    c->fleet.ci = answers_range(-0.085, 0.098);
    c->fleet.tau = 0.036;
    c->fleet.tau_ci = answers_range(0.018, 0.23);
    c->fleet.prediction = answers_range(-0.19, 0.2);
    c->fleet.i2 = 0.99;
    c->fleet.heterogeneity = HETEROGENEITY_HETEROGENEOUS;
    c->fleet.heterogeneity_p = 0.002;
    c->fleet.hosts_used = 3;
    c->facts.class = mem_array(struct class_answer, 1);
    c->facts.n_classes = 1;
    answers_class(&c->facts.class[0], 1, "cores", ">24");
    c->facts.class[0].kind = CLASS_KIND_CUT;
    c->facts.class[0].survives = true;
    strlist_add(&c->facts.class[0].group[0].hosts, "brickland");
    strlist_add(&c->facts.class[0].group[1].hosts, "haswell");
    c->facts.class[0].statement =
        mem_strdup("regressed where cores > 24 (1 host), not on the other 1");
    c->factor = mem_array(struct factor_answer, 1);
    c->n_factors = 1;
    c->factor[0] = (struct factor_answer){
        .factor = mem_strdup("threads"), .p = 0.3, .p_adjusted = NAN, .share = NAN};
    return answer;
}

/* Nothing happens, and it is shown; a control that moved on one host; an effect that came and went
 * on another. */
static struct answer *answers_unchanged(void)
{
    struct answer *answer = answers_new("a-a", 4);
    struct comparison_answer *c = answer->comparison;
    static const char *const names[] = {"h1", "h2", "h3", "h4"};
    for (size_t i = 0; i < 4; i++) {
        c->host[i] = answers_host(names[i], i < 2 ? VERDICT_UNCHANGED : VERDICT_INCONCLUSIVE,
                                  0.002 - 0.001 * (double)i, 0.004);
        c->host[i].control = (struct control_finding){
            .known = true,
            .effect = i == 2 ? 0.03 : 0.001,
            .ci = {i == 2 ? 0.02 : -0.004, i == 2 ? 0.04 : 0.006},
            .verdict = i == 2 ? VERDICT_REGRESSED : VERDICT_UNCHANGED
        };
    }
    strlist_add(&c->host[2].reasons, "the control moved: the environment changed");
    strlist_add(&c->host[2].notes, "environment-changed");
    strlist_add(&c->host[3].reasons, "the effect changed on the way");
    strlist_add(&c->host[3].notes, "effect-changed");
    c->host[3].stretch = (struct stretch_finding){
        .found = true,
        .from_round = 7,
        .effect = {0.0,             0.05        },
        .ci = {{-0.003, 0.003}, {0.04, 0.06}},
        .p = 0.002
    };
    c->outcome = ANSWER_UNCHANGED;
    c->sentence =
        mem_strdup("0 of 4 hosts changed: 2 are unchanged within 1 %, 2 are inconclusive.");
    c->fleet.verdict = VERDICT_UNCHANGED;
    c->fleet.effect = 0.0005;
    c->fleet.pct = 0.05;
    c->fleet.ci = answers_range(-0.002, 0.003);
    c->fleet.prediction = answers_range(-0.002, 0.003);
    c->fleet.tau = 0.0;
    c->fleet.tau_ci = answers_range(0.0, 0.004);
    c->fleet.i2 = 0.0;
    c->fleet.heterogeneity = HETEROGENEITY_NONE_SEEN;
    c->fleet.heterogeneity_p = 0.7;
    c->fleet.hosts_used = 4;
    c->facts.p = 0.6;
    c->facts.p_permutation = 0.6;
    c->facts.p_flip = 0.2;
    c->facts.p_least = 0.33;
    c->facts.candidates = 12;
    return answer;
}

/* Text no terminal, JSON reader or shell should be hurt by, in every name field. */
static struct answer *answers_naughty(void)
{
    static const char nasty[] =
        "\x1b[31m\"\\'\n\t<script>=1+1\xff\xe2\x80\xae\xf0\x9f\x92\xa3 $(rm)";
    struct answer *answer = answers_fact();
    struct comparison_answer *c = answer->comparison;
    char **texts[] = {&answer->experiment,
                      &answer->metric,
                      &answer->unit,
                      &c->base,
                      &c->candidate,
                      &c->sentence,
                      &c->host[0].host,
                      &c->facts.class[0].member[0].fact,
                      &c->facts.class[0].member[0].level,
                      &c->facts.class[0].group[0].side,
                      &c->facts.class[0].statement,
                      &c->facts.filled[0].host,
                      &c->facts.filled[0].fact,
                      &c->facts.filled[0].from,
                      &c->harness[0].factor,
                      &c->harness[0].level[0].level,
                      &c->next[0].why,
                      &c->next[1].host};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mem_free(*texts[i]);
        *texts[i] = mem_strdup(nasty);
    }
    struct strlist *lists[] = {&c->host[0].reasons,
                               &c->host[0].notes,
                               &c->fleet.reproduces_on,
                               &c->facts.not_judged,
                               &c->facts.class[0].placed,
                               &c->facts.class[1].fragile,
                               &c->facts.class[0].group[0].hosts,
                               &answer->warnings,
                               &c->next[0].separates};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        strlist_add(lists[i], nasty);
    }
    strmap_set(&c->cell, nasty, nasty);
    strmap_set(&c->next[0].wanted, nasty, nasty);
    return answer;
}

struct answers_case {
    const char *name;
    struct answer *(*make)(void);
};
static const struct answers_case ANSWERS_CASES[] = {
    {"fact",       answers_fact      },
    {"blocked",    answers_blocked   },
    {"throughput", answers_throughput},
    {"unchanged",  answers_unchanged },
    {"naughty",    answers_naughty   }
};
enum { ANSWERS_N = sizeof ANSWERS_CASES / sizeof *ANSWERS_CASES };
