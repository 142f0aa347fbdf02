/* SPDX-License-Identifier: GPL-3.0-or-later
 * hosts.csv and samples.csv into the store: read and check everything once, then store it behind
 * one mark. */
#include <string.h>

#include "base/clk.h"
#include "base/rng.h"
#include "coordinator/import/fill.h"
#include "coordinator/import/spec.h"

struct import {
    struct host_table hosts;
    struct sample_reader reader;
    struct scan scan;
    struct run *run;
    uint32_t variant[LIMIT_VARIANTS];
    uint32_t *rounds; /* per host */
};

static void import_done(struct import *in)
{
    scan_done(&in->scan, in->reader.csv ? csv_columns(in->reader.csv) : 0);
    sample_reader_done(&in->reader);
    host_table_done(&in->hosts);
    run_free(in->run);
    mem_free(in->rounds);
}

static int check_suspects(const struct import *in, const struct import_options *options,
                          struct err *err)
{
    for (size_t i = 0; i < options->suspect.n; i++) {
        if (!strlist_has(&in->hosts.fact, options->suspect.v[i]))
            return err_set(err, ERR_INPUT, "--suspect %s: no such column in %s",
                           options->suspect.v[i],
                           in->hosts.file ? in->hosts.file : "hosts.csv, which is not given");
    }
    return 0;
}

static int make_run(struct import *in, const struct import_options *options, struct err *err)
{
    struct run *run = in->run = mem_new(struct run);

    run->experiment = mem_strdup(options->experiment);
    run->seed =
        rng_hash(options->experiment); /* the same file under the same name gives the same answer */
    run->state = RUN_IMPORTED;
    run->created_wall_us = run->ended_wall_us = clk_wall_us();
    run->design_unknown = in->reader.at_round == SIZE_MAX || in->reader.at_position == SIZE_MAX;
    strlist_copy(&run->part_of_variant, &options->part_of_variant);
    strlist_copy(&run->suspect, &options->suspect);
    return spec_from_samples(options, &in->reader, in->variant, &run->spec, err);
}

/* An imported host joins the list unless an enrolled one has its name. */
static int put_host(struct store *store, const struct import_host *from, struct err *err)
{
    CLEAN(host) struct host *there = NULL;
    CLEAN(host) struct host *host = NULL;
    struct err why = {0};

    if (store_host_get(store, from->name, &there, &why) == 0) {
        if (there->key)
            return 0;
    } else if (why.code != ERR_NOT_FOUND) {
        return err_set(err, why.code, "%s", why.text);
    }
    host = mem_new(struct host);
    host->name = mem_strdup(from->name);
    host->boot_id = mem_strdup(fact_set_get(from->facts, "boot_id"));
    host->machine = mem_strdup(fact_set_get(from->facts, "machine"));
    host->facts = fact_set_copy(from->facts);
    return store_host_put(store, host, err);
}

static int put_trial(struct store *store, const struct import *in, size_t i, const char *samples,
                     struct err *err)
{
    const struct import_host *from = &in->hosts.v[i];
    bool measured = in->scan.rows[i] > 0;
    CLEAN_MEM char *reason = measured ? mem_strdup("") : mem_printf("no samples in %s", samples);
    struct trial trial = {.run = in->run->id,
                          .host = from->name,
                          .state = measured ? TRIAL_DONE : TRIAL_NEVER,
                          .reason = reason,
                          .since_wall_us = in->run->created_wall_us,
                          .rounds_done = in->rounds[i],
                          .granted_upto = in->rounds[i],
                          .epoch_name = from->epoch};

    if (store_facts_put(store, from->facts, trial.facts, err) < 0)
        return -1;
    return store_trial_put(store, &trial, err);
}

static int store_all(struct store *store, struct import *in, struct err *err)
{
    CLEAN_DONE(strlist) struct strlist names = {0};
    struct fill_plan plan = {.variant = in->variant};

    in->rounds = mem_array(uint32_t, in->hosts.n);
    plan.rounds = in->rounds;
    for (size_t i = 0; i < in->hosts.n; i++) {
        strlist_add(&names, in->hosts.v[i].name);
        if (put_host(store, &in->hosts.v[i], err) < 0)
            return -1;
    }
    if (store_run_add(store, in->run, &names, err) < 0)
        return -1;
    plan.run = in->run->id;
    if (csv_rewind(in->reader.csv, err) < 0 ||
        fill_store(store, &in->reader, &in->scan, &plan, err) < 0)
        return -1;
    for (size_t i = 0; i < in->hosts.n; i++) {
        if (put_trial(store, in, i, csv_name(in->reader.csv), err) < 0)
            return -1;
    }
    return 0;
}

int import_csv(struct store *store, const struct import_options *options, struct import_result *ret,
               struct err *err)
{
    CLEAN_DONE(import) struct import in = {0};
    CLEAN_DONE(strlist) struct strlist warnings = {0};

    if (options->hosts && host_table_read(&in.hosts, options->hosts, options->hosts_name, err) < 0)
        return -1;
    if (sample_reader_open(&in.reader, options, &in.hosts, err) < 0 ||
        check_suspects(&in, options, err) < 0 ||
        scan_samples(&in.scan, &in.reader, &warnings, err) < 0 || make_run(&in, options, err) < 0)
        return -1;
    if (store_mark(store, err) < 0)
        return -1;
    if (store_all(store, &in, err) < 0) {
        store_undo(store);
        return -1;
    }
    if (store_keep(store, err) < 0)
        return -1;
    *ret = (struct import_result){.run = in.run->id,
                                  .number = in.run->number,
                                  .n_hosts = in.hosts.n,
                                  .n_variants = in.reader.variant.n,
                                  .n_samples = in.scan.n_rows,
                                  .warnings = warnings};
    memset(&warnings, 0, sizeof warnings); /* given away */
    return 0;
}
