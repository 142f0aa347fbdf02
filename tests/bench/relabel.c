/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * False calls and power on real noise: repeated runs of one build on twelve cloud machines
 * (tests/cases/real), relabelled. Neighbouring runs become A and B by a fair coin, so every
 * difference found is false; all of A before all of B, so no verdict may come; with 3 to 5 % put on
 * one machine size, which must be found and named. Usage: relabel SAMPLES.csv HOSTS.csv [STUDIES
 * [ROUNDS]]
 */
#include "base/fdio.h"
#include "bench/fleet_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOSTS_MAX 64
#define RUNS_MAX 1024
#define METRICS_MAX 32
struct data {
    size_t hosts, metrics;
    char host[HOSTS_MAX][64], region[HOSTS_MAX][64], sku[HOSTS_MAX][64], metric[METRICS_MAX][64];
    size_t runs[HOSTS_MAX];
    double value[HOSTS_MAX][METRICS_MAX][RUNS_MAX];
};

static void die(const char *what)
{
    fprintf(stderr, "relabel: %s\n", what);
    exit(1);
}

/* Copies the next comma-separated field; returns the rest of the line, NULL at its end. */
static const char *field(const char *at, char *into, size_t size)
{
    const size_t length = strcspn(at, ",\n");

    if (length + 1 > size)
        die("a field is too long");
    memcpy(into, at, length);
    into[length] = '\0';
    return at[length] == ',' ? at + length + 1 : NULL;
}

static size_t host_index(struct data *data, const char *name)
{
    for (size_t h = 0; h < data->hosts; h++)
        if (strcmp(data->host[h], name) == 0)
            return h;
    if (data->hosts == HOSTS_MAX)
        die("too many hosts");
    snprintf(data->host[data->hosts], sizeof data->host[0], "%s", name);
    return data->hosts++;
}

static void read_hosts(struct data *data, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[4096], name[64];

    if (!file)
        die("cannot read the hosts");
    while (fgets(line, sizeof line, file)) {
        const char *at = field(line, name, sizeof name);
        size_t h;

        if (line[0] == '#' || !at || strcmp(name, "host") == 0)
            continue;
        h = host_index(data, name);
        at = field(at, data->region[h], sizeof data->region[h]);
        if (at)
            field(at, data->sku[h], sizeof data->sku[h]);
    }
    fclose(file);
}

static void read_samples(struct data *data, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[4096], text[64];

    if (!file)
        die("cannot read the samples");
    while (fgets(line, sizeof line, file)) {
        const char *at = line[0] == '#' ? NULL : field(line, text, sizeof text);
        const bool header = strcmp(text, "host") == 0;
        size_t h = 0;

        if (!at)
            continue;
        if (!header)
            h = host_index(data, text);
        for (size_t column = 1; at; column++) {
            at = field(at, text, sizeof text);
            if (column < 4)
                continue;
            if (header)
                snprintf(data->metric[data->metrics++], sizeof data->metric[0], "%s", text);
            else
                data->value[h][column - 4][data->runs[h]] = text[0] ? strtod(text, NULL) : NAN;
        }
        if (!header && ++data->runs[h] == RUNS_MAX)
            die("too many runs");
    }
    fclose(file);
}

enum way { RELABEL, BLOCKED, INJECT };
struct tally {
    unsigned studies, any_host, fleet, het, claims, named, decided_hosts, hosts;
};

static bool is_decided(enum verdict v)
{
    return v != VERDICT_INCONCLUSIVE && v != VERDICT_UNCHANGED;
}

static void build_frame(const struct data *data, size_t h, size_t metric, enum way way,
                        size_t start, size_t rounds, const char *sku, double effect,
                        struct rng *rng, struct frame *frame)
{
    const size_t column = frame_number_column(frame, "elapsed_s");

    for (size_t run = 0; run < 2 * rounds && start + run < data->runs[h]; run++) {
        const size_t row = frame_add_row(frame);
        const bool b = way == BLOCKED ? run >= rounds
                       : run % 2 == 0 ? rng_below(rng, 2) == 1
                                      : frame->variant[row - 1] == 0;

        frame->round[row] = (uint32_t)(way == BLOCKED ? run % rounds : run / 2);
        frame->position[row] = (uint32_t)(way == BLOCKED ? run : run % 2);
        frame->variant[row] = b;
        frame->number[column].v[row] =
            data->value[h][metric][start + run] *
            (b && way == INJECT && strcmp(data->sku[h], sku) == 0 ? exp(effect) : 1);
    }
    frame->first_seq = 1;
}

static void study(const struct data *data, enum way way, size_t rounds, uint64_t seed,
                  struct tally *tally)
{
    struct rng rng;
    struct fleet fleet = {.n = data->hosts};
    struct err err = {0};
    struct answer *answer;
    bool any = false;

    rng_seed(&rng, seed);
    const size_t metric = rng_below(&rng, data->metrics);
    const char *sku = data->sku[rng_below(&rng, data->hosts)];
    const double effect = log(1.03 + 0.02 * rng_unit(&rng));

    fleet.name = mem_alloc(fleet.n, sizeof *fleet.name);
    fleet.facts = mem_array(struct fact_set *, fleet.n);
    fleet.frame = mem_array(struct frame *, fleet.n);
    for (size_t h = 0; h < fleet.n; h++) {
        const size_t room = data->runs[h] > 2 * rounds ? data->runs[h] - 2 * rounds : 0;

        snprintf(fleet.name[h], sizeof fleet.name[h], "h%04zu", h);
        fleet.facts[h] = fact_set_new();
        if (fact_set_put(fleet.facts[h], "region", data->region[h], FACT_IDENTITY, "file", &err) <
                0 ||
            fact_set_put(fleet.facts[h], "sku", data->sku[h], FACT_IDENTITY, "file", &err) < 0)
            die(err.text);
        fleet.frame[h] = frame_new();
        build_frame(data, h, metric, way, room ? rng_below(&rng, room + 1) : 0, rounds, sku, effect,
                    &rng, fleet.frame[h]);
    }
    answer = fleet_judge(&fleet, seed, 1);
    const struct comparison_answer *c = &answer->comparison[0];

    for (size_t h = 0; h < c->n_hosts; h++) {
        any = any || is_decided(c->host[h].verdict);
        tally->decided_hosts += c->host[h].verdict != VERDICT_INCONCLUSIVE;
        tally->hosts++;
    }
    tally->studies++;
    tally->any_host += any;
    tally->fleet += is_decided(c->fleet.verdict);
    tally->het += c->fleet.heterogeneity == HETEROGENEITY_HETEROGENEOUS;
    tally->claims += c->facts.claim;
    for (size_t m = 0; c->facts.claim && m < c->facts.class[0].n_members; m++)
        if (strcmp(c->facts.class[0].member[m].fact, "sku") == 0) {
            tally->named++;
            break;
        }
    answer_free(answer);
    fleet_done(&fleet);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"relabelled", "blocked", "injected"};
    struct data *data = mem_new(struct data);
    const unsigned studies = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    const size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 30;
    CLEAN_DONE(str) struct str json = {0};

    if (rounds < 5 || rounds > RUNS_MAX / 2) {
        fprintf(stderr, "usage: relabel [STUDIES [ROUNDS]]\n");
        return 2;
    }
    read_hosts(data, BENCH_DATA_DIR "/azure-long-hosts.csv");
    read_samples(data, BENCH_DATA_DIR "/azure-long-samples.csv");
    printf("%-12s %7s %8s %8s %8s %8s %8s %8s\n", "data", "studies", "any", "fleet", "het", "claim",
           "named", "decided");
    for (int way = RELABEL; way <= INJECT; way++) {
        struct tally t = {0};

        for (unsigned i = 0; i < studies; i++)
            study(data, (enum way)way, rounds, rng_hash(names[way]) + i, &t);
        const double n = studies ? studies : 1;

        printf("%-12s %7u %8.4f %8.4f %8.4f %8.4f %8.4f %8u\n", names[way], t.studies,
               t.any_host / n, t.fleet / n, t.het / n, t.claims / n, t.named / n, t.decided_hosts);
        str_addf(&json,
                 "%s\"%s\": {\"any_host\": %.4f, \"fleet\": %.4f, \"heterogeneity\": %.4f, "
                 "\"claims\": %.4f, \"named\": %.4f, \"decided\": %u}",
                 way ? ", " : "", names[way], t.any_host / n, t.fleet / n, t.het / n, t.claims / n,
                 t.named / n, t.decided_hosts);
    }
    printf("{\"bench\": \"relabel\", \"figures\": {%s}, \"n\": %u, \"notes\": \"real noise, %zu "
           "rounds\"}\n",
           str_get(&json), studies, rounds);
    mem_free(data);
    return 0;
}
