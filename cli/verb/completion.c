/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster completion bash`: a completion script written from the option tables.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/view.h"

static const struct opt_spec spec = {
    .usage = "muster completion bash",
    .about = "Print a completion script for a shell. For bash: source <(muster completion bash).",
};

static void print_words(const struct verb_ops *verb)
{
    (void)printf("    %s) words=\"--help", verb->name);
    for (size_t s = 0; verb->spec && verb->spec[s]; s++) {
        for (size_t i = 0; i < verb->spec[s]->n; i++)
            (void)printf(" --%s", verb->spec[s]->v[i].name);
    }
    (void)puts("\" ;;");
}

static void print_bash(void)
{
    (void)puts("# bash completion for muster\n"
               "_muster()\n"
               "{\n"
               "    local words current=\"${COMP_WORDS[COMP_CWORD]}\"\n"
               "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    (void)fputs("        words=\"help --help --version", stdout);
    for (size_t i = 0; i < verb_registry_n; i++)
        (void)printf(" %s", verb_registry[i]->name);
    (void)puts("\"\n"
               "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
               "        return\n"
               "    fi\n"
               "    case \"${COMP_WORDS[1]}\" in");
    for (size_t i = 0; i < verb_registry_n; i++)
        print_words(verb_registry[i]);
    (void)puts("    *) words=\"\" ;;\n"
               "    esac\n"
               "    case \"$current\" in\n"
               "    -*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\") ;;\n"
               "    *) mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
               "    esac\n"
               "}\n"
               "complete -o filenames -F _muster muster");
}

static int completion(int argc, char **argv)
{
    CLEAN_DONE(strlist) struct strlist rest = {0};
    struct err err = {0};
    char nothing;
    int code = view_parse(&spec, &nothing, argc, argv, &rest);

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 1);
    if (code != VIEW_GO_ON)
        return code;
    if (rest.n == 0 || strcmp(rest.v[0], "bash") != 0) {
        (void)err_set(&err, ERR_USAGE, "for which shell? allowed: bash");
        return cli_fail(&err);
    }
    print_bash();
    return 0;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_completion = {.name = "completion",
                                         .help = "print a shell's completion script",
                                         .spec = specs,
                                         .run = completion};
