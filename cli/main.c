/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster VERB …`: from the words to the verb's function, by the table the build made of cli/verb/.
 * Options before the verb say where requests go; they become MUSTER_* so that there is one place to
 * read them from (target.c).
 */
#define _GNU_SOURCE /* environ */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

static const struct {
    const char *option, *variable, *arg, *help;
} wheres[] = {
    {"--coordinator", "MUSTER_COORDINATOR", "ENDPOINT",
     "the coordinator, or the endpoints file it wrote"                                                   },
    {"--server-key",  "MUSTER_SERVER_KEY",  "KEY",      "its public key"                                 },
    {"--key-file",    "MUSTER_KEY",         "FILE",     "own key pair"                                   },
    {"--data",        "MUSTER_DATA",        "DIR",      "local state, where no coordinator is configured"},
};
#define N_WHERES (sizeof(wheres) / sizeof(wheres[0]))

static void help(FILE *out)
{
    (void)fputs("usage: muster [WHERE]… VERB [OPTION]… [ARGUMENT]…\n"
                "Runs the same A/B experiment on every machine of a pool and says where the effect "
                "shows, and why there.\n\n",
                out);
    for (size_t i = 0; i < verb_registry_n; i++)
        (void)fprintf(out, "  %-12s %s\n", verb_registry[i]->name, verb_registry[i]->help);
    (void)fprintf(out, "  %-12s %s\n\n", "help", "show a verb's manual page");
    for (size_t i = 0; i < N_WHERES; i++)
        (void)fprintf(out, "  %s %s  %s ($%s)\n", wheres[i].option, wheres[i].arg, wheres[i].help,
                      wheres[i].variable);
    (void)fputs("\nmuster VERB --help lists a verb's options.\n", out);
}

static const struct verb_ops *find(const char *name)
{
    for (size_t i = 0; i < verb_registry_n; i++) {
        if (strcmp(verb_registry[i]->name, name) == 0)
            return verb_registry[i];
    }
    return NULL;
}

static int unknown(const char *word)
{
    CLEAN_MEM const char **names = mem_array(const char *, verb_registry_n);
    CLEAN_MEM char *shown = str_visible(word, 64);
    const char *near;
    struct err err = {0};

    for (size_t i = 0; i < verb_registry_n; i++)
        names[i] = verb_registry[i]->name;
    near = str_nearest(word, names, verb_registry_n);
    (void)err_set(&err, ERR_USAGE, "there is no verb %s%s%s%s", shown,
                  near ? "; did you mean " : "", near ? near : "",
                  near ? "?" : "; see muster help");
    return cli_fail(&err);
}

/* Does man know the page? Its answer is not shown. */
static bool man_knows(const char *page)
{
    char *const argv[] = {"man", "-w", (char *)page, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 1;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    if (posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawnp(&child, "man", &actions, NULL, argv, environ) == 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return status == 0;
}

/* The manual page when man knows one, else the option table. */
static int show_help(const char *name)
{
    const struct verb_ops *verb = find(name);
    CLEAN_MEM char *page = mem_printf("muster-%s", name);

    if (!verb)
        return unknown(name);
    if (isatty(STDOUT_FILENO) && man_knows(page))
        (void)execlp("man", "man", page, (char *)NULL);
    for (size_t i = 0; verb->spec && verb->spec[i]; i++) {
        if (i > 0)
            (void)putchar('\n');
        opt_help(verb->spec[i], stdout);
    }
    return 0;
}

/* Takes "--option VALUE" or "--option=VALUE" off the front. Returns how many words that were; 0:
 * none; -1: no value. */
static int take_where(int argc, char **argv)
{
    for (size_t i = 0; i < N_WHERES; i++) {
        size_t length = strlen(wheres[i].option);

        if (strncmp(argv[0], wheres[i].option, length) != 0)
            continue;
        if (argv[0][length] == '=') {
            (void)setenv(wheres[i].variable, argv[0] + length + 1, 1);
            return 1;
        }
        if (argv[0][length] != '\0')
            continue;
        if (argc < 2)
            return -1;
        (void)setenv(wheres[i].variable, argv[1], 1);
        return 2;
    }
    return 0;
}

static int run(int argc, char **argv)
{
    const struct verb_ops *verb;
    struct err err = {0};

    for (int taken; argc > 0 && (taken = take_where(argc, argv)) != 0;) {
        if (taken < 0) {
            (void)err_set(&err, ERR_USAGE, "%s needs a value", argv[0]);
            return cli_fail(&err);
        }
        argc -= taken;
        argv += taken;
    }
    if (argc == 0) {
        help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[0], "--version") == 0) {
        (void)printf("muster %s\n", MUSTER_VERSION);
        return 0;
    }
    if (strcmp(argv[0], "help") == 0 && argc > 1)
        return show_help(argv[1]);
    if (strcmp(argv[0], "help") == 0 || strcmp(argv[0], "--help") == 0 ||
        strcmp(argv[0], "-h") == 0) {
        help(stdout);
        return 0;
    }
    verb = find(argv[0]);
    return verb ? verb->run(argc, argv) : unknown(argv[0]);
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = argc == 0 ? "muster" : slash ? slash + 1 : argv[0];
    const struct verb_ops *verb = strncmp(name, "muster-", 7) == 0 ? find(name + 7) : NULL;

    /* installed also as muster-agent and muster-coordinator */
    return verb ? verb->run(argc, argv) : run(argc - 1, argv + 1);
}
