/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From words and files to an experiment.
 */
#include "cli/run_input.h"

#include <string.h>

#include "agent/pack.h"
#include "base/fdio.h"
#include "coordinator/spec/spec.h"

void run_input_init(struct run_input *input)
{
    *input = (struct run_input){.min_effect = -1,
                                .alpha = -1,
                                .min_blocks = -1,
                                .max_blocks = -1,
                                .warmup = -1,
                                .timeout_ns = -1,
                                .budget_ns = -1};
}

void run_input_done(struct run_input *input)
{
    strlist_done(&input->variant);
    strlist_done(&input->suspect);
}

static int from_commands(const struct run_input *input, struct experiment **ret, struct err *err)
{
    CLEAN_DONE(strlist) struct strlist names = {0};
    CLEAN_DONE(strlist) struct strlist commands = {0};
    const char *const letters[] = {"a", "b"};
    const char *const given[] = {input->a, input->b};

    for (size_t i = 0; i < 2; i++) {
        if (given[i]) {
            strlist_add(&names, letters[i]);
            strlist_add(&commands, given[i]);
        }
    }
    for (size_t i = 0; i < input->variant.n; i++) {
        const char *text = input->variant.v[i], *equals = strchr(text, '=');
        CLEAN_MEM char *name = equals ? mem_strndup(text, (size_t)(equals - text)) : NULL;

        if (!name)
            return err_set(err, ERR_USAGE, "-v %s: NAME=COMMAND expected", text);
        strlist_add(&names, name);
        strlist_add(&commands, equals + 1);
    }
    return spec_from_commands(input->name ? input->name : "quick", &names, &commands, input->aa,
                              ret, err);
}

static int from_file(const struct run_input *input, const char *file, struct experiment **ret,
                     struct err *err)
{
    CLEAN_DONE(str) struct str text = {0};
    const char *slash = strrchr(file, '/');
    CLEAN_MEM char *folder =
        slash ? mem_strndup(file, (size_t)(slash - file) + (slash == file)) : mem_strdup(".");

    if (fdio_read_file(file, LIMIT_EXPERIMENT_FILE, &text, err) < 0) {
        if (err->sys_errno != 0) /* a file that cannot be read is a wrong file */
            err->code = ERR_INPUT;
        return -1;
    }
    if (spec_from_yaml(file, str_get(&text), text.length, input->aa, ret, err) < 0)
        return -1;
    spec_resolve_files(*ret, folder);
    return 0;
}

static void replace(char **slot, const char *text)
{
    if (!text)
        return;
    mem_free(*slot);
    *slot = mem_strdup(text);
}

/* The short names of the contract and the columns they mean. */
static const char *metric_column(const char *name)
{
    static const char *const pairs[][2] = {
        {"elapsed", "elapsed_s"},
        {"cpu",     "cpu_s"    },
        {"wait",    "wait_s"   }
    };

    for (size_t i = 0; name && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (str_eq(name, pairs[i][0]))
            return pairs[i][1];
    }
    return name;
}

static int count(int64_t given, const char *option, uint32_t *into, struct err *err)
{
    if (given < 0)
        return 0;
    if (given > LIMIT_BLOCKS)
        return err_set(err, ERR_USAGE, "--%s: found %lld; allowed: at most %d", option,
                       (long long)given, LIMIT_BLOCKS);
    *into = (uint32_t)given;
    return 0;
}

static int override(const struct run_input *input, struct experiment *experiment, struct err *err)
{
    replace(&experiment->name, input->name);
    replace(&experiment->hosts, input->hosts);
    replace(&experiment->metric, metric_column(input->metric));
    if (input->min_effect >= 0)
        experiment->min_effect = input->min_effect;
    if (input->alpha >= 0)
        experiment->alpha = input->alpha;
    if (input->timeout_ns >= 0)
        experiment->timeout_ns = input->timeout_ns;
    if (input->budget_ns >= 0)
        experiment->budget_ns = input->budget_ns;
    for (size_t i = 0; i < input->suspect.n; i++)
        strlist_add(&experiment->suspect, input->suspect.v[i]);
    if (count(input->min_blocks, "min-blocks", &experiment->min_blocks, err) < 0 ||
        count(input->max_blocks, "max-blocks", &experiment->max_blocks, err) < 0 ||
        count(input->warmup, "warmup", &experiment->warmup, err) < 0)
        return -1;
    if (input->min_blocks >= 0 && input->max_blocks < 0 &&
        experiment->max_blocks < experiment->min_blocks)
        experiment->max_blocks = experiment->min_blocks;
    if (input->max_blocks >= 0 && input->min_blocks < 0 &&
        experiment->min_blocks > experiment->max_blocks)
        experiment->min_blocks = experiment->max_blocks;
    return experiment_check(experiment, err);
}

int run_input_read(const struct run_input *input, const char *file, struct experiment **ret,
                   struct err *err)
{
    CLEAN(experiment) struct experiment *experiment = NULL;
    bool commands = input->a || input->b || input->variant.n > 0;

    if (file && commands)
        return err_set(err, ERR_USAGE, "either a file or commands (-a, -b, -v), not both");
    if (!file && !commands)
        return err_set(err, ERR_USAGE,
                       "what is to run? muster run FILE, or muster run -a './old' -b './new'");
    if (input->a && !input->b && input->variant.n == 0)
        return err_set(err, ERR_USAGE, "-a needs a -b to be compared with");
    if ((file ? from_file(input, file, &experiment, err) : from_commands(input, &experiment, err)) <
            0 ||
        override(input, experiment, err) < 0)
        return -1;
    *ret = mem_steal(&experiment);
    return 0;
}

int run_input_pack(struct experiment *experiment, const char *folder,
                   char *ret_path[LIMIT_VARIANTS], struct err *err)
{
    for (size_t i = 0; i < experiment->n_variants; i++) {
        struct variant *variant = &experiment->variant[i];

        if (!variant->files)
            continue;
        ret_path[i] = mem_printf("%s/%zu.pack", folder, i);
        if (pack_make(variant->files, ret_path[i], variant->artefact, err) < 0)
            return err_wrap(err, "files of variant %s", variant->name);
    }
    return experiment_check(experiment, err);
}
