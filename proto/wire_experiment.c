/* SPDX-License-Identifier: GPL-3.0-or-later
 * Experiments, field by field. Every text borrowed on the way out, checked and copied on the way
 * in. */
#include "wire_experiment.h"

#include <math.h>

#include "wire.h"

#define ENV_MAX 1024      /* variables of a variant */
#define SHORT_LIST_MAX 64 /* suspects, nuisance factors, profilers */
#define EXPERIMENT_BYTES_MAX LIMIT_SAMPLE_FRAME

static void variant_init(Muster__Variant *pb, const struct variant *variant)
{
    muster__variant__init(pb);
    pb->name = wire_borrow(variant->name);
    pb->run = wire_borrow(variant->run);
    pb->setup = wire_borrow(variant->setup);
    pb->prepare = wire_borrow(variant->prepare);
    pb->files = wire_borrow(variant->files);
    pb->artefact = wire_borrow(variant->artefact);
    pb->env = wire_pairs_init(&variant->env);
    pb->n_env = variant->env.n;
    pb->is_control = variant->is_control;
}

static void init_parts(struct wire_experiment *wire, const struct experiment *experiment)
{
    Muster__Experiment *pb = &wire->pb;

    wire->variant = mem_array(Muster__Variant, experiment->n_variants);
    pb->variant = wire->variants = mem_array(Muster__Variant *, experiment->n_variants);
    pb->n_variant = experiment->n_variants;
    for (size_t i = 0; i < pb->n_variant; i++) {
        variant_init(&wire->variant[i], &experiment->variant[i]);
        pb->variant[i] = &wire->variant[i];
    }
    wire->factor = mem_array(Muster__Factor, experiment->n_factors);
    pb->factor = wire->factors = mem_array(Muster__Factor *, experiment->n_factors);
    pb->n_factor = experiment->n_factors;
    for (size_t i = 0; i < pb->n_factor; i++) {
        muster__factor__init(&wire->factor[i]);
        wire->factor[i].name = wire_borrow(experiment->factor[i].name);
        wire->factor[i].level = experiment->factor[i].level.v;
        wire->factor[i].n_level = experiment->factor[i].level.n;
        pb->factor[i] = &wire->factor[i];
    }
    wire->metric = mem_array(Muster__MetricDef, experiment->n_metric_defs);
    pb->metric_def = wire->metrics = mem_array(Muster__MetricDef *, experiment->n_metric_defs);
    pb->n_metric_def = experiment->n_metric_defs;
    for (size_t i = 0; i < pb->n_metric_def; i++) {
        muster__metric_def__init(&wire->metric[i]);
        wire->metric[i].name = wire_borrow(experiment->metric_def[i].name);
        wire->metric[i].match = wire_borrow(experiment->metric_def[i].match);
        wire->metric[i].unit = wire_borrow(experiment->metric_def[i].unit);
        wire->metric[i].higher_is_better = experiment->metric_def[i].higher_is_better;
        pb->metric_def[i] = &wire->metric[i];
    }
}

void wire_experiment_init(struct wire_experiment *wire, const struct experiment *experiment)
{
    Muster__Experiment *pb = &wire->pb;

    muster__experiment__init(pb);
    pb->name = wire_borrow(experiment->name);
    pb->description = wire_borrow(experiment->description);
    pb->metric = wire_borrow(experiment->metric);
    pb->min_effect = experiment->min_effect;
    pb->alpha = experiment->alpha;
    init_parts(wire, experiment);
    pb->hosts = wire_borrow(experiment->hosts);
    pb->min_blocks = experiment->min_blocks;
    pb->max_blocks = experiment->max_blocks;
    pb->warmup = experiment->warmup;
    pb->sessions = experiment->sessions;
    pb->timeout_ns = experiment->timeout_ns;
    pb->budget_ns = experiment->budget_ns;
    pb->control = experiment->control;
    pb->is_aa = experiment->is_aa;
    pb->not_interleaved = experiment->not_interleaved;
    pb->quiet = (uint32_t)experiment->quiet;
    pb->quiet_wait_ns = experiment->quiet_wait_ns;
    pb->randomize_env = experiment->randomize_env;
    pb->randomize_dir = experiment->randomize_dir;
    pb->randomize_aslr = experiment->randomize_aslr;
    pb->randomize_cpu = experiment->randomize_cpu;
    pb->suspect = experiment->suspect.v;
    pb->n_suspect = experiment->suspect.n;
    pb->shuffle = experiment->shuffle.v;
    pb->n_shuffle = experiment->shuffle.n;
    pb->profile_blocks = experiment->profile_blocks;
    pb->profile_with = experiment->profile_with.v;
    pb->n_profile_with = experiment->profile_with.n;
    pb->limit_user = wire_borrow(experiment->limit_user);
    pb->limit_memory_bytes = experiment->limit_memory_bytes;
    pb->limit_no_network = experiment->limit_no_network;
    pb->schedule_at = wire_borrow(experiment->schedule_at);
    pb->schedule_missed = wire_borrow(experiment->schedule_missed);
    pb->source = wire_borrow(experiment->source);
    pb->confirms = wire_borrow(experiment->confirms);
}

void wire_experiment_done(struct wire_experiment *wire)
{
    for (size_t i = 0; i < wire->pb.n_variant; i++)
        wire_pairs_done(wire->variant[i].env, wire->variant[i].n_env);
    mem_free(wire->variant);
    mem_free(wire->variants);
    mem_free(wire->factor);
    mem_free(wire->factors);
    mem_free(wire->metric);
    mem_free(wire->metrics);
}

static int read_variant(const Muster__Variant *pb, struct variant *into, struct err *err)
{
    const int command = WIRE_TEXT | WIRE_OR_NULL;

    if (wire_text(pb->name, WIRE_LINE, LIMIT_NAME, "variant", &into->name, err) < 0 ||
        wire_text(pb->run, command, LIMIT_COMMAND, "variant: run", &into->run, err) < 0 ||
        wire_text(pb->setup, command, LIMIT_COMMAND, "variant: setup", &into->setup, err) < 0 ||
        wire_text(pb->prepare, command, LIMIT_COMMAND, "variant: prepare", &into->prepare, err) <
            0 ||
        wire_text(pb->files, WIRE_LINE | WIRE_OR_NULL, LIMIT_PATH, "variant: files", &into->files,
                  err) < 0 ||
        wire_digest(pb->artefact, true, "variant: artefact", into->artefact, err) < 0 ||
        wire_pairs_read(pb->env, pb->n_env, ENV_MAX, LIMIT_COMMAND, "variant: env", &into->env,
                        err) < 0)
        return -1;
    into->is_control = pb->is_control;
    return 0;
}

static int read_factor(const Muster__Factor *pb, struct factor *into, struct err *err)
{
    if (wire_text(pb->name, WIRE_LINE, LIMIT_NAME, "factor", &into->name, err) < 0 ||
        wire_texts(pb->level, pb->n_level, WIRE_TEXT | WIRE_OR_EMPTY, LIMIT_FIELD, LIMIT_LEVELS,
                   "factor: levels", &into->level, err) < 0)
        return -1;
    if (into->level.n == 0)
        return err_set(err, ERR_PROTO, "factor \"%s\" has no levels", into->name);
    return 0;
}

static int read_metric(const Muster__MetricDef *pb, struct metric_def *into, struct err *err)
{
    into->higher_is_better = pb->higher_is_better;
    if (wire_text(pb->name, WIRE_LINE, LIMIT_NAME, "metric", &into->name, err) < 0 ||
        wire_text(pb->match, WIRE_TEXT | WIRE_OR_NULL, LIMIT_FIELD, "metric: match", &into->match,
                  err) < 0)
        return -1;
    return wire_text(pb->unit, WIRE_LINE | WIRE_OR_EMPTY, LIMIT_NAME, "metric: unit", &into->unit,
                     err);
}

static int read_parts(const Muster__Experiment *pb, struct experiment *into, struct err *err)
{
    uint64_t cells = pb->n_variant;

    if (wire_at_most(pb->n_variant, LIMIT_VARIANTS, "variants", err) < 0 ||
        wire_at_most(pb->n_factor, LIMIT_FACTORS, "factors", err) < 0 ||
        wire_at_most(pb->n_metric_def, LIMIT_METRICS, "metrics", err) < 0)
        return -1;
    into->variant = mem_array(struct variant, pb->n_variant);
    into->n_variants = pb->n_variant;
    for (size_t i = 0; i < pb->n_variant; i++)
        if (read_variant(pb->variant[i], &into->variant[i], err) < 0)
            return -1;
    into->factor = mem_array(struct factor, pb->n_factor);
    into->n_factors = pb->n_factor;
    for (size_t i = 0; i < pb->n_factor; i++) {
        if (read_factor(pb->factor[i], &into->factor[i], err) < 0)
            return -1;
        cells *= into->factor[i].level.n;
    }
    into->metric_def = mem_array(struct metric_def, pb->n_metric_def);
    into->n_metric_defs = pb->n_metric_def;
    for (size_t i = 0; i < pb->n_metric_def; i++)
        if (read_metric(pb->metric_def[i], &into->metric_def[i], err) < 0)
            return -1;
    return wire_at_most(cells, LIMIT_CELLS, "variants x levels", err);
}

static int read_numbers(const Muster__Experiment *pb, struct experiment *into, struct err *err)
{
    if (!isfinite(pb->min_effect) || pb->min_effect < 0 || !(pb->alpha > 0 && pb->alpha < 1))
        return err_set(err, ERR_PROTO, "min_effect or alpha is out of range");
    if (wire_at_most(pb->min_blocks, LIMIT_BLOCKS, "min_blocks", err) < 0 ||
        wire_at_most(pb->max_blocks, LIMIT_BLOCKS, "max_blocks", err) < 0 ||
        wire_at_most(pb->warmup, LIMIT_BLOCKS, "warmup", err) < 0 ||
        wire_at_most(pb->profile_blocks, LIMIT_BLOCKS, "profile_blocks", err) < 0 ||
        wire_at_most(pb->sessions, LIMIT_SESSIONS, "sessions", err) < 0 ||
        wire_at_most(pb->quiet, QUIET_REFUSE, "quiet", err) < 0 ||
        wire_not_negative(pb->timeout_ns, "timeout", err) < 0 ||
        wire_not_negative(pb->budget_ns, "budget", err) < 0 ||
        wire_not_negative(pb->quiet_wait_ns, "quiet_wait", err) < 0)
        return -1;
    into->min_effect = pb->min_effect;
    into->alpha = pb->alpha;
    into->min_blocks = pb->min_blocks;
    into->max_blocks = pb->max_blocks;
    into->warmup = pb->warmup;
    into->sessions = pb->sessions;
    into->profile_blocks = pb->profile_blocks;
    into->timeout_ns = pb->timeout_ns;
    into->budget_ns = pb->budget_ns;
    into->quiet = (enum quiet_policy)pb->quiet;
    into->quiet_wait_ns = pb->quiet_wait_ns;
    into->limit_memory_bytes = pb->limit_memory_bytes;
    return 0;
}

static void read_flags(const Muster__Experiment *pb, struct experiment *into)
{
    into->control = pb->control;
    into->is_aa = pb->is_aa;
    into->not_interleaved = pb->not_interleaved;
    into->randomize_env = pb->randomize_env;
    into->randomize_dir = pb->randomize_dir;
    into->randomize_aslr = pb->randomize_aslr;
    into->randomize_cpu = pb->randomize_cpu;
    into->limit_no_network = pb->limit_no_network;
}

static int read_texts(const Muster__Experiment *pb, struct experiment *into, struct err *err)
{
    const int line = WIRE_LINE | WIRE_OR_NULL, text = WIRE_TEXT | WIRE_OR_NULL;

    if (wire_text(pb->name, WIRE_LINE, LIMIT_NAME, "experiment", &into->name, err) < 0 ||
        wire_text(pb->description, text, LIMIT_FIELD, "description", &into->description, err) < 0 ||
        wire_text(pb->metric, WIRE_LINE, LIMIT_NAME, "metric", &into->metric, err) < 0 ||
        wire_text(pb->hosts, text, LIMIT_FIELD, "hosts", &into->hosts, err) < 0 ||
        wire_text(pb->limit_user, line, LIMIT_NAME, "limits: user", &into->limit_user, err) < 0 ||
        wire_text(pb->schedule_at, line, LIMIT_NAME, "schedule", &into->schedule_at, err) < 0 ||
        wire_text(pb->schedule_missed, line, LIMIT_NAME, "schedule", &into->schedule_missed, err) <
            0 ||
        wire_text(pb->source, text, LIMIT_EXPERIMENT_FILE, "source", &into->source, err) < 0 ||
        wire_text(pb->confirms, line, LIMIT_NAME, "confirms", &into->confirms, err) < 0 ||
        wire_texts(pb->suspect, pb->n_suspect, WIRE_LINE, LIMIT_NAME, LIMIT_FACTS, "suspect",
                   &into->suspect, err) < 0 ||
        wire_texts(pb->shuffle, pb->n_shuffle, WIRE_LINE, LIMIT_NAME, SHORT_LIST_MAX, "randomize",
                   &into->shuffle, err) < 0)
        return -1;
    return wire_texts(pb->profile_with, pb->n_profile_with, WIRE_LINE, LIMIT_NAME, SHORT_LIST_MAX,
                      "profile", &into->profile_with, err);
}

int wire_experiment_read(const Muster__Experiment *pb, struct experiment **ret, struct err *err)
{
    CLEAN(experiment) struct experiment *experiment = mem_new(struct experiment);

    if (read_texts(pb, experiment, err) < 0 || read_parts(pb, experiment, err) < 0 ||
        read_numbers(pb, experiment, err) < 0)
        return err_wrap(err, "experiment");
    read_flags(pb, experiment);
    *ret = mem_steal(&experiment);
    return 0;
}

void wire_experiment_pack(const struct experiment *experiment, struct str *ret)
{
    CLEAN_DONE(wire_experiment) struct wire_experiment wire = {0};

    wire_experiment_init(&wire, experiment);
    wire_pb_pack(&wire.pb.base, ret);
}

int wire_experiment_unpack(const void *bytes, size_t length, struct experiment **ret,
                           struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};

    if (wire_pool_unpack(&pool, &muster__experiment__descriptor, bytes, length,
                         EXPERIMENT_BYTES_MAX, err) < 0)
        return -1;
    return wire_experiment_read((const Muster__Experiment *)pool.message, ret, err);
}
