/* SPDX-License-Identifier: GPL-3.0-or-later
 * See fleet_model.h. The noise of a run is on the log scale; one host's runs are drawn in the order
 * they would be taken. */
#include "bench/fleet_model.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct noise {              /* one host's character and its present state */
    double sd, phi, ar;     /* serially correlated, heavy-tailed part */
    bool two_modes, slow;   /* slow streaks at twice the time */
    double drift, per_load; /* per run; per CPU busy with other programs */
    double load_mean, load;
};

static double draw_t4(struct rng *rng)
{
    double chi2 = 0;

    for (int i = 0; i < 4; i++) {
        const double z = rng_normal(rng);

        chi2 += z * z;
    }
    return rng_normal(rng) / sqrt(chi2 / 4) / sqrt(2.0); /* variance 1 */
}

static struct noise draw_noise(const struct fleet_model *model, bool east, struct rng *rng)
{
    struct noise noise = {.sd = 0.01};

    if (!model->plain) {
        noise.sd = 0.003 * exp(rng_unit(rng) * log(0.02 / 0.003));
        noise.phi = rng_below(rng, 2) ? 0.5 : 0;
        noise.two_modes = rng_below(rng, 8) == 0;
        noise.drift = rng_below(rng, 6) == 0 ? 0.02 / (2 * (double)model->rounds) : 0;
        noise.load_mean = rng_below(rng, 3) == 0 ? 0.5 : 0.02;
        noise.per_load = 0.02;
    }
    if (model->noisy_kind && !east)
        noise.sd *= 10;
    return noise;
}

static double draw_run(struct noise *noise, size_t run, bool plain, struct rng *rng)
{
    double x;

    if (plain)
        return noise->sd * rng_normal(rng);
    noise->ar = noise->phi * noise->ar + sqrt(1 - noise->phi * noise->phi) * draw_t4(rng);
    if (noise->two_modes && rng_unit(rng) < (noise->slow ? 0.25 : 0.08))
        noise->slow = !noise->slow;
    noise->load = noise->load_mean * -log(1 - rng_unit(rng));
    x = noise->sd * noise->ar + noise->drift * (double)run + noise->per_load * noise->load;
    return noise->slow ? x + log(2.0) : x;
}

static void put(struct fact_set *facts, const char *name, const char *value)
{
    struct err err = {0};

    if (fact_set_put(facts, name, value, FACT_IDENTITY, "drawn", &err) < 0) {
        fprintf(stderr, "fleet_model: %s\n", err.text);
        exit(1);
    }
}

static struct fact_set *draw_facts(const struct fleet_model *model, bool east, struct rng *rng)
{
    static const char *const vendor[] = {"AMD", "AMD", "Intel", "Intel", "Intel"},
                             *const family[] = {"23", "25", "6", "6", "6"},
                             *const cpu[] = {"EPYC 7302", "EPYC 7443", "Xeon 4110", "Xeon 6248",
                                             "Xeon 8380"},
                             *const cache[] = {"131072", "131072", "11264", "28160", "61440"},
                             *const release[] = {"debian-11", "debian-12", "fedora-37", "fedora-38",
                                                 "ubuntu-22.04"},
                             *const distro[] = {"debian", "debian", "fedora", "fedora", "ubuntu"},
                             *const libc[] = {"2.31", "2.36", "2.36", "2.37", "2.35"},
                             *const kernel[] = {"5.10", "6.1", "6.1", "6.5"},
                             *const governor[] = {"performance", "ondemand"};
    struct fact_set *facts = fact_set_new();
    const size_t c = rng_below(rng, 5), r = rng_below(rng, 5);
    char name[32], value[32];

    put(facts, "cpu.vendor", vendor[c]);
    put(facts, "cpu.family", family[c]);
    put(facts, "cpu.model_name", cpu[c]);
    put(facts, "cpu.l3_kib", cache[c]);
    put(facts, "os.id", distro[r]);
    put(facts, "os.release", release[r]);
    put(facts, "os.glibc", libc[r]);
    put(facts, "kernel.release", kernel[rng_below(rng, 4)]);
    put(facts, "cpu.governor", governor[rng_below(rng, 2)]);
    snprintf(value, sizeof value, "%u", 8U << rng_below(rng, 5));
    put(facts, "mem.gib", value);
    put(facts, "site", east ? "east" : "west");
    if (model->confounded)
        put(facts, "rack", east ? "r1" : "r2");
    for (size_t i = 0; i < model->extra_facts; i++) {
        snprintf(name, sizeof name, "extra.f%02zu", i);
        snprintf(value, sizeof value, "v%u", (unsigned)rng_below(rng, 2 + i % 3));
        put(facts, name, value);
    }
    return facts;
}

static struct frame *draw_frame(const struct fleet_model *model, struct noise *noise, double effect,
                                struct rng *rng)
{
    struct frame *frame = frame_new();
    const size_t elapsed = frame_number_column(frame, "elapsed_s");
    const size_t load = frame_number_column(frame, "load_other_cpu");
    const double base = exp(log(0.05) + rng_unit(rng) * 3);

    assert(model->rounds > 0);
    for (size_t run = 0; run < 2 * model->rounds; run++) {
        const size_t row = frame_add_row(frame);
        const bool flip = run % 2 == 0 ? rng_below(rng, 2) : frame->variant[row - 1] == 0;

        frame->round[row] = (uint32_t)(model->blocked ? run % model->rounds : run / 2);
        frame->variant[row] = model->blocked ? run >= model->rounds : flip;
        frame->position[row] = (uint32_t)(model->blocked ? run : run % 2);
        frame->number[elapsed].v[row] = base * exp(draw_run(noise, run, model->plain, rng) +
                                                   (frame->variant[row] ? effect : 0));
        frame->number[load].v[row] = noise->load;
    }
    frame->first_seq = 1;
    return frame;
}

void fleet_draw(const struct fleet_model *model, uint64_t seed, struct fleet *ret)
{
    struct rng rng;

    rng_seed(&rng, seed);
    *ret = (struct fleet){.n = model->hosts};
    ret->name = mem_alloc(model->hosts, sizeof *ret->name);
    ret->facts = mem_array(struct fact_set *, model->hosts);
    ret->frame = mem_array(struct frame *, model->hosts);
    ret->truth = mem_array(double, model->hosts);
    for (size_t h = 0; h < model->hosts; h++) {
        const bool east = model->by_fact || model->confounded || model->noisy_kind
                              ? h % 2 == 0
                              : rng_below(&rng, 2);
        struct noise noise = draw_noise(model, east, &rng);

        snprintf(ret->name[h], sizeof ret->name[h], "h%04zu", h);
        ret->truth[h] =
            (model->by_fact && !east ? 0 : model->effect) + model->host_sd * rng_normal(&rng);
        ret->facts[h] = draw_facts(model, east, &rng);
        ret->frame[h] = draw_frame(model, &noise, ret->truth[h], &rng);
    }
}

void fleet_done(struct fleet *fleet)
{
    for (size_t h = 0; h < fleet->n; h++) {
        fact_set_free(fleet->facts[h]);
        frame_free(fleet->frame[h]);
    }
    mem_free(fleet->name);
    mem_free((void *)fleet->facts);
    mem_free((void *)fleet->frame);
    mem_free(fleet->truth);
}

struct answer *fleet_judge(const struct fleet *fleet, uint64_t seed, unsigned threads)
{
    static const char *const variants[] = {"A", "B"};
    const struct judge_options options = {.experiment = "made-up",
                                          .run = 1,
                                          .seed = seed,
                                          .alpha = 0.05,
                                          .min_effect = 0.01,
                                          .metric = "elapsed_s",
                                          .unit = "s",
                                          .variant = variants,
                                          .n_variants = 2,
                                          .control = SIZE_MAX,
                                          .draws = 999,
                                          .threads = threads};
    struct judge_host *hosts = mem_array(struct judge_host, fleet->n);
    CLEAN(judge) struct judge *judge = NULL;
    struct answer *answer = NULL;
    struct err err = {0};
    int rc;

    for (size_t h = 0; h < fleet->n; h++)
        hosts[h] =
            (struct judge_host){.name = fleet->name[h], .facts = fleet->facts[h], .measured = true};
    rc = judge_new(&options, hosts, fleet->n, &judge, &err);
    for (size_t h = 0; rc == 0 && h < fleet->n; h++)
        rc = judge_add(judge, h, fleet->frame[h], &err);
    if (rc == 0)
        rc = judge_finish(judge, &answer, &err);
    if (rc < 0) {
        fprintf(stderr, "fleet_model: %s\n", err.text);
        exit(1);
    }
    mem_free(hosts);
    return answer;
}
