/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Error rates and power of the whole analysis on made-up fleets with a known truth: how often
 * nothing is called something, how often something is found, how often the right fact is named.
 * Seeds are fixed; the figures do not depend on the number of processes. Usage: statistics [STUDIES
 * [PROCESSES]]
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "base/fdio.h"
#include "bench/fleet_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct tally {
    unsigned long studies, any_host, fleet, heterogeneous, claims, right, both; /* studies */
    unsigned long hosts, found, covered, intervals, regressed, improved;        /* hosts */
};
struct scenario {
    const char *name;
    struct fleet_model model;
    const char *bound; /* the figures it must hold, in words */
};

static bool decided(enum verdict v)
{
    return v == VERDICT_REGRESSED || v == VERDICT_REGRESSED_SMALL || v == VERDICT_IMPROVED ||
           v == VERDICT_IMPROVED_SMALL;
}

static bool names(const struct facts_answer *facts, const char *fact)
{
    for (size_t m = 0; facts->n_classes > 0 && m < facts->class[0].n_members; m++)
        if (strcmp(facts->class[0].member[m].fact, fact) == 0)
            return true;
    return false;
}

static void count_hosts(const struct comparison_answer *c, const struct fleet *fleet,
                        struct tally *tally)
{
    bool any = false;

    for (size_t h = 0; h < c->n_hosts; h++) {
        const struct host_answer *host = &c->host[h];
        const double truth = fleet->truth[strtoul(host->host + 1, NULL, 10)];

        if (decided(host->verdict) && truth == 0)
            any = true;
        if (truth != 0) {
            tally->hosts++;
            tally->found += decided(host->verdict) && (host->effect > 0) == (truth > 0);
        } else {
            tally->regressed += decided(host->verdict) && host->effect > 0;
            tally->improved += decided(host->verdict) && host->effect < 0;
        }
        if (!isnan(host->ci.lo)) {
            tally->intervals++;
            tally->covered += host->ci.lo <= truth && truth <= host->ci.hi;
        }
    }
    tally->any_host += any;
}

static void count_study(const struct scenario *scenario, uint64_t seed, struct tally *tally)
{
    struct fleet fleet;
    struct answer *answer;

    fleet_draw(&scenario->model, seed, &fleet);
    answer = fleet_judge(&fleet, seed, 1);
    const struct comparison_answer *c = &answer->comparison[0];

    tally->studies++;
    count_hosts(c, &fleet, tally);
    tally->fleet += decided(c->fleet.verdict);
    tally->heterogeneous += c->fleet.heterogeneity == HETEROGENEITY_HETEROGENEOUS;
    tally->claims += c->facts.claim;
    tally->right += c->facts.claim && names(&c->facts, "site");
    tally->both += c->facts.claim && names(&c->facts, "site") && names(&c->facts, "rack");
    answer_free(answer);
    fleet_done(&fleet);
}

/* Studies are dealt to processes in turn; each adds into its own slot of shared memory. */
static struct tally run_scenario(const struct scenario *scenario, unsigned studies,
                                 unsigned processes)
{
    struct tally *slot = mmap(NULL, sizeof *slot * processes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct tally sum = {0};
    unsigned long *into = (unsigned long *)&sum;

    if (slot == MAP_FAILED)
        exit(1);
    for (unsigned p = 0; p < processes; p++)
        if (fork() == 0) {
            for (unsigned i = p; i < studies; i += processes)
                count_study(scenario, rng_hash(scenario->name) + i, &slot[p]);
            _exit(0);
        }
    for (unsigned p = 0; p < processes; p++) {
        int status = 0;

        if (wait(&status) < 0 || status != 0) {
            fprintf(stderr, "statistics: a process failed\n");
            exit(1);
        }
    }
    for (unsigned p = 0; p < processes; p++)
        for (size_t i = 0; i < sizeof sum / sizeof *into; i++)
            into[i] += ((const unsigned long *)&slot[p])[i];
    munmap(slot, sizeof *slot * processes);
    return sum;
}

static double rate(unsigned long k, unsigned long n)
{
    return n ? (double)k / (double)n : 0;
}

static void print_scenario(const struct scenario *scenario, const struct tally *t, struct str *json)
{
    const double studies = (double)t->studies;

    printf("%-28s %6lu %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f  %s\n", scenario->name, t->studies,
           rate(t->any_host, t->studies), rate(t->fleet, t->studies),
           rate(t->heterogeneous, t->studies), rate(t->claims, t->studies),
           rate(t->right, t->claims), rate(t->covered, t->intervals), rate(t->found, t->hosts),
           scenario->bound);
    fflush(stdout);
    str_addf(json,
             "%s\"%s\": {\"any_host\": %.4f, \"fleet\": %.4f, \"heterogeneity\": %.4f, \"claims\": "
             "%.4f, \"right\": %.4f, "
             "\"both\": %.4f, \"coverage\": %.4f, \"power\": %.4f, \"regressed\": %lu, "
             "\"improved\": %lu, \"se_5pct\": %.4f}",
             json->length ? ", " : "", scenario->name, rate(t->any_host, t->studies),
             rate(t->fleet, t->studies), rate(t->heterogeneous, t->studies),
             rate(t->claims, t->studies), rate(t->right, t->claims), rate(t->both, t->claims),
             rate(t->covered, t->intervals), rate(t->found, t->hosts), t->regressed, t->improved,
             sqrt(0.05 * 0.95 / studies));
}

int main(int argc, char **argv)
{
    static const char *const aa = "any, fleet, het, claim <= .05; coverage >= .94";
    static const struct scenario scenarios[] = {
        {"aa-8x6",              {.hosts = 8, .rounds = 6},                                 aa            },
        {"aa-8x12",             {.hosts = 8, .rounds = 12},                                aa            },
        {"aa-8x30",             {.hosts = 8, .rounds = 30},                                aa            },
        {"aa-16x6",             {.hosts = 16, .rounds = 6},                                aa            },
        {"aa-16x12",            {.hosts = 16, .rounds = 12, .extra_facts = 10},            aa            },
        {"aa-16x30",            {.hosts = 16, .rounds = 30},                               aa            },
        {"aa-40x6",             {.hosts = 40, .rounds = 6},                                aa            },
        {"aa-40x12",            {.hosts = 40, .rounds = 12},                               aa            },
        {"aa-40x30",            {.hosts = 40, .rounds = 30},                               aa            },
        {"aa-noisy-kind-16x12", {.hosts = 16, .rounds = 12, .noisy_kind = true},           "claim <= .05"},
        {"differ-16x12",        {.hosts = 16, .rounds = 12, .host_sd = 0.02},              "claim <= .05"},
        {"power-3pct",
         {.hosts = 1, .rounds = 12, .effect = 0.0295588, .plain = true},
         "power >= .87"                                                                                  },
        {"power-5pct",
         {.hosts = 1, .rounds = 12, .effect = 0.0487902, .plain = true},
         "power >= .96"                                                                                  },
        {"power-10pct",
         {.hosts = 1, .rounds = 12, .effect = 0.0953102, .plain = true},
         "power >= .99"                                                                                  },
        {"power-3pct-rough",    {.hosts = 1, .rounds = 12, .effect = 0.0295588},           "power >= .87"},
        {"power-5pct-rough",    {.hosts = 1, .rounds = 12, .effect = 0.0487902},           "power >= .96"},
        {"power-10pct-rough",   {.hosts = 1, .rounds = 12, .effect = 0.0953102},           "power >= .99"},
        {"fact-16x12",
         {.hosts = 16, .rounds = 12, .effect = 0.05, .by_fact = true},
         "claim >= .97, right >= .99"                                                                    },
        {"confounded-16x12",
         {.hosts = 16, .rounds = 12, .effect = 0.05, .by_fact = true, .confounded = true},
         "both >= .98"                                                                                   },
        {"blocked-16x12",       {.hosts = 16, .rounds = 12, .blocked = true},              "none"        },
    };
    const unsigned studies = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    const unsigned processes =
        argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    CLEAN_DONE(str) struct str json = {0};

    if (studies < 1 || processes < 1 || processes > 1024) {
        fprintf(stderr, "usage: statistics [STUDIES [PROCESSES]]\n");
        return 2;
    }
    printf("%-28s %6s %8s %8s %8s %8s %8s %8s %8s  %s\n", "scenario", "n", "any", "fleet", "het",
           "claim", "right", "cover", "power", "must hold");
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        const struct tally tally = run_scenario(&scenarios[i], studies, processes);

        print_scenario(&scenarios[i], &tally, &json);
    }
    printf("{\"bench\": \"statistics\", \"figures\": {%s}, \"n\": %u, \"notes\": \"made-up fleets, "
           "seeds fixed\"}\n",
           str_get(&json), studies);
    return 0;
}
