/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster import`: measurements made elsewhere become a run. With a coordinator the files are sent
 * to it; without one they are read into the local store.
 */
#include "cli/target.h"
#include "cli/view.h"

#include "base/fdio.h"
#include "cli/link.h"
#include "coordinator/coord.h"
#include "coordinator/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct import {
    const char *experiment, *hosts, *samples, *format, *metric, *unit, *better, *base, *control,
        *min_effect;
    struct strlist factor, part_of_variant, suspect;
    bool json, quiet;
};
static const struct opt OPTIONS[] = {
    {.letter = 'e',
     .name = "experiment",
     .arg = "NAME",
     .help = "name of the experiment; the data become its next run",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import,                                                     experiment)},
    {.name = "samples",
     .arg = "FILE",
     .help = "samples.csv, or - for standard input",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import,                                        samples)                                                    },
    {.name = "hosts",
     .arg = "FILE",
     .help = "hosts.csv: a row a host, a column a fact",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import,                                        hosts)                                                    },
    {.letter = 'f',
     .name = "format",
     .arg = "NAME",
     .help = "format of the samples (default: csv)",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import,                                                                     format)},
    {.name = "metric",
     .arg = "COLUMN",
     .help = "column that is judged (default: elapsed_s)",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import,    metric)                                                                    },
    {.name = "unit",
     .arg = "UNIT",
     .help = "its unit (default: told by the column's name)",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import, unit)                                                                    },
    {.name = "better",
     .arg = "WAY",
     .help = "lower (default) or higher values are better",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import,   better),
     .choices = "lower|higher"},
    {.name = "base",
     .arg = "VARIANT",
     .help = "the base (default: the first variant in the file)",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import,                                        base)                         },
    {.name = "control",
     .arg = "VARIANT",
     .help = "a second copy of the base: the noise floor of each host",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import,                                        control)                   },
    {.name = "min-effect",
     .arg = "PERCENT",
     .help = "the smallest change that matters (default: 1%)",
     .kind = OPT_TEXT,
     .offset = offsetof(struct import,                                        min_effect)                            },
    {.name = "factor",
     .arg = "COLUMN",
     .help = "a column crossed with the variants: judged level by level; may be repeated",
     .kind = OPT_LIST,
     .offset = offsetof(struct import,                                         factor)},
    {.name = "part-of-variant",
     .arg = "COLUMN",
     .help = "a column that may differ between the variants; may be repeated",
     .kind = OPT_LIST,
     .offset = offsetof(struct import,                                         part_of_variant)            },
    {.name = "suspect",
     .arg = "FACT",
     .help = "a fact to be tested first; may be repeated",
     .kind = OPT_LIST,
     .offset = offsetof(struct import,                                           suspect)                                },
    {.name = "json",
     .help = "print JSON",
     .kind = OPT_FLAG,
     .offset = offsetof(struct import,            json)                                   },
    {.letter = 'q',
     .name = "quiet",
     .help = "print nothing but warnings",
     .kind = OPT_FLAG,
     .offset = offsetof(struct import,                    quiet)                                                                    },
};
static const struct opt_spec SPEC = {
    .usage = "muster import [OPTION]… --experiment NAME --samples FILE [--hosts FILE]",
    .about = "Read measurements made elsewhere into a run, to be judged like one of muster's own. "
             "All or nothing: a wrong "
             "line is named, and then nothing is imported.",
    .v = OPTIONS,
    .n = sizeof OPTIONS / sizeof *OPTIONS,
};

/* ---- into the local store ---- */

static void print_result(const struct import *o, const struct import_result *result)
{
    for (size_t i = 0; i < result->warnings.n; i++) {
        CLEAN_MEM char *shown = str_visible(result->warnings.v[i], 2000);
        fprintf(stderr, "muster: warning: %s\n", shown);
    }
    if (o->json) {
        printf("{\"schema\": 1, \"run\": %" PRId64
               ", \"hosts\": %zu, \"variants\": %zu, \"samples\": %" PRIu64
               ", \"warnings\": %zu}\n",
               result->number, result->n_hosts, result->n_variants, result->n_samples,
               result->warnings.n);
    } else if (!o->quiet) {
        printf("%s@%" PRId64 ": %" PRIu64 " samples of %zu variants on %zu hosts\n", o->experiment,
               result->number, result->n_samples, result->n_variants, result->n_hosts);
    }
}

static int import_here(const struct import *o, const struct cli_target *target, struct err *err)
{
    struct import_options options = {.format = o->format,
                                     .experiment = o->experiment,
                                     .hosts = o->hosts,
                                     .samples = o->samples,
                                     .metric = o->metric,
                                     .unit = o->unit,
                                     .higher_is_better = str_eq(o->better, "higher"),
                                     .base = o->base,
                                     .control = o->control,
                                     .min_effect = (double)NAN,
                                     .factor = o->factor,
                                     .part_of_variant = o->part_of_variant,
                                     .suspect = o->suspect};
    if (o->min_effect != NULL && str_to_fraction(o->min_effect, &options.min_effect, err) != 0) {
        return err_wrap(err, "--min-effect");
    }
    if (fdio_make_dirs(target->data_dir, 0700, err) != 0) {
        return -1;
    }
    CLEAN_MEM char *path = coord_db_path(target->data_dir);
    CLEAN(store) struct store *store = NULL;
    struct import_result result CLEAN_DONE(import_result) = {0};
    if (store_open(path, STORE_WRITE | STORE_CREATE, &store, err) != 0 ||
        import_run(store, &options, &result, err) != 0) {
        return -1;
    }
    print_result(o, &result);
    return 0;
}

/* ---- to a coordinator ---- */

/* Standard input as a file that can be read twice; removed by the caller. */
static int spool_input(char **ret_path, struct err *err)
{
    const char *dir = getenv("TMPDIR");
    CLEAN_MEM char *path =
        mem_printf("%s/muster-import-XXXXXX", dir != NULL && dir[0] != '\0' ? dir : "/tmp");
    CLEAN_FD int fd = mkstemp(path);
    if (fd < 0) {
        (void)err_sys(err, "cannot make %s", path);
        return -1;
    }
    char buffer[65536];
    for (;;) {
        ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            (void)err_sys(err, "cannot read standard input");
            break;
        }
        if (n == 0) {
            *ret_path = mem_steal(&path);
            return 0;
        }
        if (fdio_write_all(fd, buffer, (size_t)n, err) != 0) {
            break;
        }
    }
    (void)unlink(path);
    return -1;
}

static int send_file(struct link *link, const char *path, const char *name, const char *arg_name,
                     struct strmap *arg, struct err *err)
{
    char digest[DIGEST_SIZE];
    CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return err_sys(err, "cannot open %s", name);
    }
    if (digest_fd(fd, digest, err) != 0 || link_put(link, path, digest, err) != 0) {
        return err_wrap(err, "%s", name);
    }
    CLEAN_MEM char *name_arg = mem_printf("%s_name", arg_name);
    strmap_set(arg, arg_name, digest);
    strmap_set(arg, name_arg, name);
    return 0;
}

static int import_there(const struct import *o, const struct cli_target *target, int *ret_exit,
                        struct err *err)
{
    CLEAN(link) struct link *link = NULL;
    struct strmap arg CLEAN_DONE(strmap) = {0};
    CLEAN_MEM char *spooled = NULL;
    if (link_open(target, &link, err) != 0) {
        return -1;
    }
    bool input = str_eq(o->samples, "-");
    if (input && spool_input(&spooled, err) != 0) {
        return -1;
    }
    int sent = send_file(link, input ? spooled : o->samples, o->samples, "samples", &arg, err);
    if (spooled != NULL) {
        (void)unlink(spooled);
    }
    if (sent != 0 ||
        (o->hosts != NULL && send_file(link, o->hosts, o->hosts, "hosts", &arg, err) != 0)) {
        return -1;
    }
    view_set(&arg, "experiment", o->experiment);
    view_set(&arg, "format", o->format);
    view_set(&arg, "metric", o->metric);
    view_set(&arg, "unit", o->unit);
    view_set(&arg, "better", o->better);
    view_set(&arg, "base", o->base);
    view_set(&arg, "control", o->control);
    view_set(&arg, "min_effect", o->min_effect);
    view_set_list(&arg, "factor", &o->factor);
    view_set_list(&arg, "part_of_variant", &o->part_of_variant);
    view_set_list(&arg, "suspect", &o->suspect);
    struct wire_request request = {.kind = WIRE_REQUEST_IMPORT, .arg = arg};
    struct link_sink sink = {.out = o->quiet ? NULL : stdout};
    return link_ask(link, &request, &sink, ret_exit, err);
}

static int run(const struct import *o)
{
    struct err err = {0};
    if (o->experiment == NULL || o->samples == NULL) {
        (void)err_set(&err, ERR_USAGE, "%s is missing; usage: %s",
                      o->experiment == NULL ? "--experiment" : "--samples", SPEC.usage);
        return cli_fail(&err);
    }
    struct cli_target target CLEAN_DONE(cli_target) = {0};
    int code = 0;
    int done = cli_target_load(&target, &err);
    if (done == 0) {
        done = target.coordinator != NULL ? import_there(o, &target, &code, &err)
                                          : import_here(o, &target, &err);
    }
    return done != 0 ? cli_fail(&err) : code;
}

static int import(int argc, char **argv)
{
    struct import o = {0};
    struct strlist rest CLEAN_DONE(strlist) = {0};
    int code = view_parse(&SPEC, &o, argc, argv, &rest);
    if (code == VIEW_GO_ON) {
        code = view_no_more(&SPEC, &rest, 0);
    }
    if (code == VIEW_GO_ON) {
        code = run(&o);
    }
    strlist_done(&o.factor);
    strlist_done(&o.part_of_variant);
    strlist_done(&o.suspect);
    return code;
}

static const struct opt_spec *const SPECS[] = {&SPEC, NULL};
const struct verb_ops verb_import = {
    .name = "import", .help = "read measurements made elsewhere", .spec = SPECS, .run = import};
