/* SPDX-License-Identifier: GPL-3.0-or-later
 * From columns and options to an experiment. */
#include "coordinator/import/spec.h"

#include <string.h>

const char *spec_unit(const char *column)
{
    static const struct {
        const char *suffix, *unit;
    } known[] = {
        {"ops_per_s", "ops/s"},
        {"per_s",     "1/s"  },
        {"_ns",       "ns"   },
        {"_us",       "us"   },
        {"_ms",       "ms"   },
        {"_s",        "s"    },
        {"_kib",      "KiB"  },
        {"_bytes",    "B"    },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (str_ends(column, known[i].suffix))
            return known[i].unit;
    }
    return "";
}

static int find_variant(const struct sample_reader *reader, const char *option, const char *name,
                        size_t *ret, struct err *err)
{
    CLEAN_DONE(str) struct str there = {0};

    for (size_t i = 0; i < reader->variant.n; i++) {
        if (str_eq(reader->variant.v[i], name)) {
            *ret = i;
            return 0;
        }
        str_addf(&there, "%s%s", i ? ", " : "", reader->variant.v[i]);
    }
    return err_set(err, ERR_INPUT, "%s: no variant %s (%s); there are %s", csv_name(reader->csv),
                   name, option, str_get(&there));
}

static int take_variants(const struct import_options *options, const struct sample_reader *reader,
                         uint32_t *ret_variant, struct experiment *e, struct err *err)
{
    size_t base = 0, control = SIZE_MAX, next = 1;

    if (options->base && find_variant(reader, "--base", options->base, &base, err) < 0)
        return -1;
    if (options->control && find_variant(reader, "--control", options->control, &control, err) < 0)
        return -1;
    if (control == base)
        return err_set(
            err, ERR_INPUT,
            "%s: %s is the base: the control is another copy of it with a name of its own",
            csv_name(reader->csv), reader->variant.v[base]);
    if (control != SIZE_MAX && reader->variant.n < 3)
        return err_set(err, ERR_INPUT, "%s: only the base and its control: nothing to compare",
                       csv_name(reader->csv));
    e->variant = mem_array(struct variant, reader->variant.n);
    e->n_variants = reader->variant.n;
    e->control = control != SIZE_MAX;
    for (size_t i = 0; i < reader->variant.n; i++) {
        size_t place = i == base ? 0 : next++;

        ret_variant[i] = (uint32_t)place;
        e->variant[place].name = mem_strdup(reader->variant.v[i]);
        e->variant[place].is_control = i == control;
    }
    return 0;
}

static void clear_metrics(struct experiment *e)
{
    for (size_t i = 0; i < e->n_metric_defs; i++) {
        mem_free(e->metric_def[i].name);
        mem_free(e->metric_def[i].match);
        mem_free(e->metric_def[i].unit);
    }
    e->n_metric_defs = 0;
}

static void add_metric(struct experiment *e, const char *name, const char *unit,
                       bool higher_is_better)
{
    size_t n = e->n_metric_defs;

    e->metric_def = mem_resize(e->metric_def, n + 1, sizeof *e->metric_def);
    e->metric_def[n] = (struct metric_def){
        .name = mem_strdup(name), .unit = mem_strdup(unit), .higher_is_better = higher_is_better};
    e->n_metric_defs = n + 1;
}

/* Recorded beside the metrics, never judged: what the machine did meanwhile. */
static bool is_circumstance(const char *name)
{
    static const char *const names[] = {"load_other_cpu", "psi_cpu_some", "loadavg1",
                                        "env_bytes",      "cwd_bytes",    "aslr"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_eq(names[i], name))
            return true;
    }
    return false;
}

static void take_metrics(const struct import_options *options, const struct sample_reader *reader,
                         struct experiment *e)
{
    const char *metric = csv_column(reader->csv, reader->at_metric);

    clear_metrics(e);
    mem_free(e->metric);
    e->metric = mem_strdup(metric);
    add_metric(e, metric, options->unit ? options->unit : spec_unit(metric),
               options->higher_is_better);
    for (size_t i = 0; i < csv_columns(reader->csv) && e->n_metric_defs < LIMIT_METRICS; i++) {
        const char *name = csv_column(reader->csv, i);

        if (i != reader->at_metric && reader->column[i].role == COLUMN_NUMBER &&
            !is_circumstance(name))
            add_metric(e, name, spec_unit(name), str_ends(name, "per_s") || str_ends(name, "_ops"));
    }
}

static void take_factors(const struct import_options *options, const struct sample_reader *reader,
                         struct experiment *e)
{
    e->factor = mem_array(struct factor, reader->n_factors);
    e->n_factors = reader->n_factors;
    for (size_t i = 0; i < reader->n_factors; i++) {
        e->factor[i].name = mem_strdup(options->factor.v[i]);
        strlist_copy(&e->factor[i].level, &reader->level[i]);
    }
}

int spec_from_samples(const struct import_options *options, const struct sample_reader *reader,
                      uint32_t *ret_variant, struct experiment **ret, struct err *err)
{
    CLEAN(experiment) struct experiment *e = experiment_new();

    mem_free(e->name);
    e->name = mem_strdup(options->experiment);
    e->min_effect = options->min_effect > 0 ? options->min_effect : 0.01;
    if (take_variants(options, reader, ret_variant, e, err) < 0)
        return -1;
    take_metrics(options, reader, e);
    take_factors(options, reader, e);
    strlist_copy(&e->suspect, &options->suspect);
    *ret = mem_steal(&e);
    return 0;
}
