/* SPDX-License-Identifier: GPL-3.0-or-later
 * Builds specs. All arms of a block get the same base, padding and limits. */
#include "agent/command.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "agent/sink.h"
#include "base/clk.h"
#include "model/limits.h"

#define PADDING_NAME "MUSTER_PADDING"

const char *command_sink(const struct experiment *experiment, size_t cell)
{
    for (size_t f = 0; f < experiment->n_factors; f++)
        if (strcmp(experiment->factor[f].name, "sink") == 0)
            return experiment_level(experiment, cell, f);
    return SINK_DEFAULT;
}

static const char *command_text(const struct variant *variant, enum command_kind kind)
{
    switch (kind) {
    case COMMAND_RUN:
        return variant->run;
    case COMMAND_SETUP:
        return variant->setup;
    case COMMAND_PREPARE:
        return variant->prepare;
    }
    return NULL;
}

static void set_home(struct strmap *env, const char *user)
{
    char buffer[4096];
    struct passwd entry, *found = NULL;

    if (user && geteuid() == 0)
        (void)getpwnam_r(user, &entry, buffer, sizeof buffer, &found);
    else
        (void)getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found);
    strmap_set(env, "HOME", found ? found->pw_dir : "/");
}

static int build_env(const struct command_place *place, struct child_spec *spec, struct err *err)
{
    CLEAN_DONE(strmap) struct strmap env = {0};
    const struct experiment *experiment = place->experiment;
    const struct variant *variant = &experiment->variant[place->variant];
    const uint32_t padding = place->block ? place->block->env_bytes : 0;

    strmap_set(&env, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    set_home(&env, experiment->limit_user);
    strmap_set(&env, "LANG", "C");
    for (size_t i = 0; i < place->host_env->n; i++)
        strmap_set(&env, place->host_env->key[i], place->host_env->value[i]);
    for (size_t i = 0; i < variant->env.n; i++) {
        CLEAN_MEM char *value = NULL;

        if (experiment_substitute(experiment, place->cell, variant->env.value[i], &value, err) < 0)
            return -1;
        strmap_set(&env, variant->env.key[i], value);
    }
    for (size_t i = 0; i < env.n; i++) {
        if (strcmp(env.value[i], EXPERIMENT_UNSET) == 0)
            continue;
        CLEAN_MEM char *entry = mem_printf("%s=%s", env.key[i], env.value[i]);
        strlist_add(&spec->env, entry);
    }
    CLEAN_DONE(str) struct str pad = {0};
    str_add(&pad, PADDING_NAME "=");
    for (uint32_t i = 0; i < padding; i++)
        str_addc(&pad, 'x');
    strlist_add(&spec->env, str_get(&pad));
    return 0;
}

static int build(const struct command_place *place, const char *text, enum command_kind kind,
                 struct child_spec *spec, struct err *err)
{
    const struct experiment *experiment = place->experiment;
    CLEAN_MEM char *command = NULL;

    if (experiment_substitute(experiment, place->cell, text, &command, err) < 0 ||
        words_split(command, &spec->argv, err) < 0 || build_env(place, spec, err) < 0)
        return -1;
    spec->cwd = mem_strdup(place->cwd);
    spec->user = mem_strdup(experiment->limit_user);
    spec->timeout_ns = experiment->timeout_ns;
    spec->output_max = LIMIT_OUTPUT_KEPT;
    spec->cpu = CHILD_CPU_ANY;
    if (kind == COMMAND_SETUP) { /* it may build something, and is not measured */
        const int64_t at_least = 600 * CLK_NS_PER_S;
        spec->timeout_ns = spec->timeout_ns > at_least ? spec->timeout_ns : at_least;
        return 0;
    }
    if (kind == COMMAND_PREPARE)
        return 0;
    spec->sink = mem_strdup(command_sink(experiment, place->cell));
    spec->memory_bytes = experiment->limit_memory_bytes;
    spec->no_network = experiment->limit_no_network;
    if (place->block) {
        spec->aslr_off = place->block->aslr_off;
        spec->cpu = place->block->cpu_draw;
    }
    return 0;
}

int command_build(const struct command_place *place, enum command_kind kind, struct child_spec *ret,
                  struct err *err)
{
    const char *text = command_text(&place->experiment->variant[place->variant], kind);
    struct child_spec spec = {0};

    if (!text)
        return COMMAND_NONE;
    if (build(place, text, kind, &spec, err) < 0) {
        child_spec_done(&spec);
        return err_wrap(err, "variant %s", place->experiment->variant[place->variant].name);
    }
    *ret = spec;
    return 0;
}
