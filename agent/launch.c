/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between clone and exec. With CLONE_VM the child borrows the keeper's memory while the keeper
 * stands still, so it allocates nothing, changes nothing but its note, and uses bare system calls
 * where the library would tell other threads (set*id). What it costs before exec is noted and taken
 * off.
 */
#define _GNU_SOURCE /* clone, close_range, unshare, sched_setaffinity */
#include "agent/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LAUNCH_BY_FORK 1
#else
#define LAUNCH_BY_FORK 0
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#undef LAUNCH_BY_FORK
#define LAUNCH_BY_FORK 1
#endif
#endif

enum { STACK_BYTES = 64 * 1024 };

struct shared {
    struct launch_note note;
    const struct launch *launch;
    char **argv, **env;
    char path[PATH_MAX]; /* room for names found along PATH */
};

static void __attribute__((noreturn)) give_up(struct shared *shared, const char *step)
{
    shared->note.failed = errno ? errno : EINVAL;
    strncpy(shared->note.step, step, sizeof shared->note.step - 1);
    _exit(127);
}

static void reset_signals(void)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, &standard, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void enter_groups(const struct launch *launch, struct shared *shared)
{
    for (size_t i = 0; i < launch->cgroup->n; i++)
        if (write(launch->cgroup->part[i].procs_fd, "0", 1) < 0)
            give_up(shared, "enter the control group");
}

static void take_descriptors(const struct launch *launch, struct shared *shared)
{
    if (dup2(launch->null_fd, 0) < 0 || dup2(launch->out_fd, 1) < 0 || dup2(launch->err_fd, 2) < 0)
        give_up(shared, "take stdout");
    if (launch->is_terminal && ioctl(1, TIOCSCTTY, 0) < 0)
        give_up(shared, "take the terminal");
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
#endif
}

/* Starts on one CPU, then may go anywhere it was allowed to. */
static void start_on_cpu(uint32_t draw)
{
    cpu_set_t allowed, one;

    if (draw == CHILD_CPU_ANY || sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return;
    const uint32_t n = (uint32_t)CPU_COUNT(&allowed);
    uint32_t left = n > 0 ? draw % n : 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || left-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one) == 0)
            sched_setaffinity(0, sizeof allowed, &allowed);
        return;
    }
}

static void apply_limits(const struct launch *launch, struct shared *shared)
{
    const struct child_spec *spec = launch->spec;

    if (spec->aslr_off && personality(ADDR_NO_RANDOMIZE) < 0)
        give_up(shared, "switch ASLR off");
    if (launch->limit_address_space) {
        const struct rlimit limit = {spec->memory_bytes, spec->memory_bytes};
        if (setrlimit(RLIMIT_AS, &limit) < 0)
            give_up(shared, "limit memory");
    }
    if (spec->no_network && unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
        give_up(shared, "take the network away");
    if (launch->changes_user &&
        (syscall(SYS_setgroups, 0, NULL) < 0 ||
         syscall(SYS_setresgid, launch->gid, launch->gid, launch->gid) < 0 ||
         syscall(SYS_setresuid, launch->uid, launch->uid, launch->uid) < 0))
        give_up(shared, "change the user");
}

static const char *find_variable(char *const *env, const char *name)
{
    const size_t length = strlen(name);

    for (; *env; env++)
        if (strncmp(*env, name, length) == 0 && (*env)[length] == '=')
            return *env + length + 1;
    return NULL;
}

/* As execvpe, without a shell for files that are no programs. Returns when nothing could be
 * started: errno is the most telling one. */
static void exec_along_path(struct shared *shared)
{
    const char *name = shared->argv[0], *path = find_variable(shared->env, "PATH");
    const size_t length = strlen(name);
    int telling = ENOENT;

    if (strchr(name, '/') || !path) {
        execve(name, shared->argv, shared->env);
        return;
    }
    for (const char *part = path; part;) {
        const size_t n = strcspn(part, ":");

        if (n > 0 && n + 1 + length < sizeof shared->path) {
            memcpy(shared->path, part, n);
            shared->path[n] = '/';
            memcpy(shared->path + n + 1, name, length + 1);
            execve(shared->path, shared->argv, shared->env);
            if (errno != ENOENT && errno != ENOTDIR)
                telling = errno;
        }
        part = part[n] ? part + n + 1 : NULL;
    }
    errno = telling;
}

static int run_child(void *arg)
{
    struct shared *shared = arg;
    const struct launch *launch = shared->launch;

    errno = 0;
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* the keeper's end is the workload's */
    enter_groups(launch, shared);
    take_descriptors(launch, shared);
    apply_limits(launch, shared);
    if (launch->spec->cwd && chdir(launch->spec->cwd) < 0)
        give_up(shared, "enter the working directory");
    start_on_cpu(launch->spec->cpu);
    reset_signals();
    getrusage(RUSAGE_SELF, &shared->note.before);
    shared->note.started_ns = clk_raw_ns();
    exec_along_path(shared);
    give_up(shared, "exec");
}

static bool is_under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");

    return preload && strstr(preload, "vgpreload");
}

/* ---- a descriptor that becomes readable when the process ends ---- */

struct watch {
    pid_t pid;
    int fd;
};

static void *watch_run(void *arg)
{
    struct watch *watch = arg;
    const uint64_t one = 1;
    siginfo_t info;

    while (waitid(P_PID, (id_t)watch->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    while (write(watch->fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    close(watch->fd);
    mem_free(watch);
    return NULL;
}

/* Before Linux 5.3, and under tools that do not know pidfds: a thread waits in the kernel. */
static int watch_by_thread(pid_t pid)
{
    struct watch *watch = mem_new(struct watch);
    const int fd = eventfd(0, EFD_CLOEXEC);
    pthread_t thread = 0;

    *watch = (struct watch){pid, fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0)};
    int failed = watch->fd < 0 ? errno : pthread_create(&thread, NULL, watch_run, watch);
    if (failed == 0) {
        pthread_detach(thread);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    if (watch->fd >= 0)
        close(watch->fd);
    mem_free(watch);
    errno = failed;
    return -1;
}

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    const int fd = is_under_valgrind() ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);

    if (fd >= 0)
        return fd; /* CLOEXEC by itself */
#endif
    return watch_by_thread(pid);
}

/* The child's copy of memory is its own here: the note is in a shared mapping, and its exec closes
 * the pipe that we wait on. */
static pid_t start_by_fork(struct shared *shared, int *ret_pidfd)
{
    int gate[2];
    char byte;

    if (pipe(gate) < 0)
        return -1;
    fcntl(gate[0], F_SETFD, FD_CLOEXEC);
    fcntl(gate[1], F_SETFD, FD_CLOEXEC);
    const pid_t pid = fork();
    if (pid == 0)
        run_child(shared);
    const int failed = errno;
    close(gate[1]);
    if (pid > 0) {
        while (read(gate[0], &byte, 1) < 0 && errno == EINTR)
            continue;
        *ret_pidfd = open_pidfd(pid);
    }
    close(gate[0]);
    errno = failed;
    return pid;
}

static pid_t start_by_clone(struct shared *shared, char *stack, int *ret_pidfd)
{
    return clone(run_child, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
                 shared, ret_pidfd);
}

static pid_t start(struct shared *shared, int *ret_pidfd)
{
    sigset_t all, old;
    pid_t pid = -1;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* the child must not run our handlers in our memory */
    if (!LAUNCH_BY_FORK && !is_under_valgrind()) {
        char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        if (stack != MAP_FAILED) {
            pid = start_by_clone(shared, stack, ret_pidfd);
            const int failed = errno;
            munmap(stack, STACK_BYTES);
            errno = failed;
        }
    }
    if (pid < 0)
        pid = start_by_fork(shared, ret_pidfd);
    const int failed = errno;
    sigprocmask(SIG_SETMASK, &old, NULL);
    errno = failed;
    return pid;
}

static char **pointers(const struct strlist *list)
{
    char **v = mem_array(char *, list->n + 1);

    for (size_t i = 0; i < list->n; i++)
        v[i] = list->v[i];
    return v;
}

int launch_start(const struct launch *launch, pid_t *ret_pid, int *ret_pidfd,
                 struct launch_note *ret_note, struct err *err)
{
    int pidfd = -1;
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared == MAP_FAILED)
        return err_sys(err, "map shared memory");
    shared->launch = launch;
    shared->argv = pointers(&launch->spec->argv);
    shared->env = pointers(&launch->spec->env);
    const pid_t pid = start(shared, &pidfd);
    const int failed = errno;
    *ret_note = shared->note;
    mem_free(shared->argv);
    mem_free(shared->env);
    munmap(shared, sizeof *shared);
    errno = failed;
    if (pid < 0)
        return err_sys(err, "start a process");
    if (pidfd < 0 && (pidfd = open_pidfd(pid)) < 0) {
        const int no_pidfd = errno;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        errno = no_pidfd;
        return err_sys(err, "watch a process");
    }
    *ret_pid = pid;
    *ret_pidfd = pidfd;
    return 0;
}
