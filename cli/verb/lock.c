/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster lock -- CMD`: runs a command while no sample runs on this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/lock.h"
#include "base/fdio.h"
#include "cli/cli.h"

struct lock_options {
    bool no_wait, print_path;
};
/* clang-format off */
static const struct opt options[] = {
    {'n', "no-wait",    NULL, "fail with 1 when a sample is running, instead of waiting for its end", OPT_FLAG, offsetof(struct lock_options, no_wait),    NULL},
    {0,   "print-path", NULL, "print the lock's path and end",                                        OPT_FLAG, offsetof(struct lock_options, print_path), NULL},
};
/* clang-format on */
static const struct opt_spec spec = {
    .usage = "muster lock [OPTION]… -- COMMAND [ARGUMENT]…",
    .about = "Run a command while no sample runs on this machine: agents wait until it has ended. "
             "Exits as the command does; 128 + "
             "the signal when one ended it.",
    .v = options,
    .n = sizeof(options) / sizeof(options[0]),
};

/* The child inherits no lock: what it leaves running does not hold up the machine. */
static int run_command(char **argv, int *ret_exit, struct err *err)
{
    int status;
    pid_t child = fork();

    if (child < 0)
        return err_sys(err, "fork");
    if (child == 0) {
        (void)execvp(argv[0], argv);
        (void)fprintf(stderr, "muster: %s: %s\n", argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return err_sys(err, "waitpid");
    }
    *ret_exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return 0;
}

static int hold_and_run(const struct lock_options *o, char **argv, int *ret_exit, struct err *err)
{
    CLEAN_FD int fd = -1;
    int result;

    if (lock_open(NULL, &fd, err) < 0)
        return -1;
    result = lock_take(fd, !o->no_wait, err);
    if (result == LOCK_BUSY)
        return err_set(err, ERR_STATE, "a sample is running on this machine");
    return result < 0 ? -1 : run_command(argv, ret_exit, err);
}

static int lock(int argc, char **argv)
{
    struct lock_options o = {.no_wait = false};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    CLEAN_MEM char **command = NULL;
    struct err err = {0};
    int code = 0, result = opt_parse(&spec, &o, argc, argv, true, &rest, &err);

    if (result == OPT_HELP) {
        opt_help(&spec, stdout);
        return 0;
    }
    if (result == 0 && o.print_path) {
        CLEAN_MEM char *path = lock_path();

        (void)puts(path);
        return 0;
    }
    if (result == 0 && rest.n == 0)
        result = err_set(&err, ERR_USAGE, "which command? usage: %s", spec.usage);
    if (result == 0) {
        command = mem_array(char *, rest.n + 1);
        memcpy(command, rest.v, rest.n * sizeof(char *));
        result = hold_and_run(&o, command, &code, &err);
    }
    return result < 0 ? cli_fail(&err) : code;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_lock = {
    .name = "lock", .help = "run a command while no sample runs here", .spec = specs, .run = lock};
