/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster keys`: makes or shows the key pair of this user or of an agent.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/target.h"
#include "cli/view.h"
#include "net/keys.h"

struct keys_options {
    const char *out;
    bool json, quiet;
};
#define AT(field) offsetof(struct keys_options, field)
/* clang-format off */
static const struct opt options[] = {
    {'o', "out",   "FILE", "the key pair's file (default: $MUSTER_KEY, $XDG_CONFIG_HOME/muster/key)", OPT_TEXT, AT(out),   NULL},
    {0,   "json",  NULL,   "print JSON",                                                              OPT_FLAG, AT(json),  NULL},
    {'q', "quiet", NULL,   "print the public key alone (as always)",                                  OPT_FLAG, AT(quiet), NULL},
};
/* clang-format on */
static const struct opt_spec spec = {
    .usage = "muster keys [OPTION]…",
    .about = "Print the public key of a key pair; make the pair when there is none.\n\nThe public "
             "key is what a coordinator enrols "
             "(`muster host add NAME KEY`, `--allow-user KEY`). The file is readable by its owner "
             "alone.",
    .v = options,
    .n = sizeof(options) / sizeof(options[0]),
};

static int keys_run(int argc, char **argv)
{
    struct keys_options o = {.out = NULL};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    struct cli_target target = {.coordinator = NULL};
    struct keys keys;
    struct err err = {0};
    int code = view_parse(&spec, &o, argc, argv, &rest), result = 0;

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 0);
    if (code != VIEW_GO_ON)
        return code;
    if (!o.out)
        result = cli_target_load(&target, &err);
    if (result == 0)
        result = cli_keys(o.out ? o.out : target.key_file, &keys, &err);
    if (result == 0)
        (void)printf("%s%s%s\n", o.json ? "{\"public\": \"" : "", keys.public_key,
                     o.json ? "\"}" : "");
    cli_target_done(&target);
    return result < 0 ? cli_fail(&err) : 0;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_keys = {
    .name = "keys", .help = "make or show a key pair", .spec = specs, .run = keys_run};
