/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One sample: sink, start, one poll on the child and the caller's stop, accounts, sweep. Nothing
 * happens in this process between exec and exit but that poll.
 */
#define _GNU_SOURCE /* ppoll, wait4, getpwnam of initgroups' kin */
#include "agent/child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/drain.h"
#include "agent/launch.h"
#include "agent/sink.h"
#include "agent/sweep.h"
#include "base/clk.h"
#include "base/fdio.h"

enum { END_DEADLINE_S = 20 }; /* from SIGKILL to the end of the process */

void child_spec_done(struct child_spec *spec)
{
    strlist_done(&spec->argv);
    strlist_done(&spec->env);
    mem_free(spec->cwd);
    mem_free(spec->sink);
    mem_free(spec->user);
    *spec = (struct child_spec){0};
}

void child_result_done(struct child_result *result)
{
    str_done(&result->output);
    str_done(&result->error);
    *result = (struct child_result){0};
}

int child_prepare_process(struct err *err)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
        return err_sys(err, "become a child subreaper");
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

struct plumbing {
    const struct sink_ops *sink;
    int out_ours, out_theirs, err_ours, err_theirs, null_fd;
    struct drain *drain;
};

static void plumbing_close_theirs(struct plumbing *p)
{
    fdio_close(&p->out_theirs);
    fdio_close(&p->err_theirs);
    fdio_close(&p->null_fd);
}

static void plumbing_done(struct plumbing *p)
{
    struct str text[DRAIN_STREAMS] = {{0}, {0}};
    uint64_t bytes[DRAIN_STREAMS];

    if (p->drain)
        drain_stop(p->drain, text, bytes);
    str_done(&text[0]);
    str_done(&text[1]);
    plumbing_close_theirs(p);
    fdio_close(&p->out_ours);
    fdio_close(&p->err_ours);
}

static int plumbing_open(struct plumbing *p, const struct child_spec *spec, struct err *err)
{
    const char *name = spec->sink ? spec->sink : SINK_DEFAULT;

    *p = (struct plumbing){NULL, -1, -1, -1, -1, -1, NULL};
    p->sink = sink_find(name);
    if (!p->sink)
        return err_set(err, ERR_INPUT, "no sink is called %s", name);
    p->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (p->null_fd < 0)
        return err_sys(err, "open /dev/null");
    if (p->sink->open(&p->out_ours, &p->out_theirs, err) < 0 ||
        sink_find("pipe")->open(&p->err_ours, &p->err_theirs, err) < 0)
        return -1;
    const int fd[DRAIN_STREAMS] = {p->sink->is_drained ? p->out_ours : -1, p->err_ours};
    p->err_ours = -1; /* the drain's from here on */
    if (p->sink->is_drained)
        p->out_ours = -1;
    return drain_start(fd, (size_t)spec->output_max, &p->drain, err);
}

/* A file is read back as a drained stream is kept: its beginning and its end. */
static void read_back(int fd, size_t room, struct str *ret, uint64_t *ret_bytes)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    const size_t half = room / 2;
    CLEAN_MEM char *buffer = mem_array(char, room);

    if (size < 0)
        return;
    *ret_bytes = (uint64_t)size;
    const bool fits = (uint64_t)size <= room;
    ssize_t n = pread(fd, buffer, fits ? (size_t)size : half, 0);
    if (n > 0)
        str_add_bytes(ret, buffer, (size_t)n);
    if (fits)
        return;
    str_addf(ret, "\n[muster: %llu bytes left out]\n",
             (unsigned long long)((uint64_t)size - 2 * (uint64_t)half));
    n = pread(fd, buffer, half, size - (off_t)half);
    if (n > 0)
        str_add_bytes(ret, buffer, (size_t)n);
}

static void collect_output(struct plumbing *p, const struct child_spec *spec,
                           struct child_result *result)
{
    struct str text[DRAIN_STREAMS] = {{0}, {0}};
    uint64_t bytes[DRAIN_STREAMS] = {0, 0};

    drain_stop(p->drain, text, bytes);
    p->drain = NULL;
    if (p->out_ours >= 0)
        read_back(p->out_ours, (size_t)spec->output_max, &text[0], &bytes[0]);
    result->output = text[0];
    result->error = text[1];
    result->output_bytes = bytes[0];
    result->error_bytes = bytes[1];
}

/* ---- waiting ---- */

enum waited { WAITED_ENDED, WAITED_TIMEOUT, WAITED_STOPPED };

static enum waited wait_for_end(int pidfd, int stop_fd, int64_t deadline_ns)
{
    for (;;) {
        struct pollfd poller[2] = {
            {.fd = pidfd,   .events = POLLIN},
            {.fd = stop_fd, .events = POLLIN}
        };
        const int64_t left = deadline_ns - clk_mono_ns();
        const struct timespec wait = {.tv_sec = left > 0 ? (time_t)(left / CLK_NS_PER_S) : 0,
                                      .tv_nsec = left > 0 ? (long)(left % CLK_NS_PER_S) : 0};
        const int n = ppoll(poller, 2, &wait, NULL);

        if (n > 0 && poller[0].revents)
            return WAITED_ENDED;
        if (n > 0 && poller[1].revents)
            return WAITED_STOPPED;
        if (n == 0 && left <= 0)
            return WAITED_TIMEOUT;
    }
}

static void kill_all(pid_t pid, const struct cgroup *cgroup)
{
    kill(-pid, SIGKILL); /* its session's first process group */
    kill(pid, SIGKILL);
    cgroup_kill(cgroup);
}

/* ---- accounts ---- */

static int64_t ns_of(struct timeval t)
{
    return (int64_t)t.tv_sec * CLK_NS_PER_S + (int64_t)t.tv_usec * 1000;
}

/* The zombie's own files: what its last reader could still see. */
static void read_zombie(pid_t pid, struct child_result *result)
{
    CLEAN_DONE(str) struct str text = {0}, value = {0};
    char path[64];

    result->read_bytes = result->write_bytes = result->run_delay_ns = -1;
    snprintf(path, sizeof path, "/proc/%ld/io", (long)pid);
    if (fdio_read_file(path, 4096, &text, NULL) == 0) {
        if (platform_field(str_get(&text), "read_bytes", ':', &value))
            result->read_bytes = strtoll(str_get(&value), NULL, 10);
        if (platform_field(str_get(&text), "write_bytes", ':', &value))
            result->write_bytes = strtoll(str_get(&value), NULL, 10);
    }
    snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    if (fdio_read_file(path, 4096, &text, NULL) == 0) {
        const char *second = strchr(str_get(&text), ' ');
        if (second)
            result->run_delay_ns = strtoll(second, NULL, 10);
    }
}

static void note_usage(const struct rusage *usage, const struct rusage *before,
                       struct child_result *result)
{
    result->user_ns = ns_of(usage->ru_utime) - ns_of(before->ru_utime);
    result->sys_ns = ns_of(usage->ru_stime) - ns_of(before->ru_stime);
    if (result->user_ns < 0) /* the kernel splits one exact sum into two by ticks: it may shift */
        result->user_ns = 0;
    if (result->sys_ns < 0)
        result->sys_ns = 0;
    result->minflt = usage->ru_minflt - before->ru_minflt;
    result->majflt = usage->ru_majflt - before->ru_majflt;
    result->nvcsw = usage->ru_nvcsw - before->ru_nvcsw;
    result->nivcsw = usage->ru_nivcsw - before->ru_nivcsw;
    result->inblock = usage->ru_inblock - before->ru_inblock;
    result->oublock = usage->ru_oublock - before->ru_oublock;
    result->maxrss_kib = usage->ru_maxrss;
}

static void note_end(int status, enum waited waited, const struct launch_note *note,
                     struct child_result *result)
{
    if (note->failed) {
        result->end = CHILD_NOT_STARTED;
        result->status = note->failed;
        snprintf(result->why, sizeof result->why, "%s: %s", note->step, strerror(note->failed));
        return;
    }
    if (waited != WAITED_ENDED) {
        result->end = waited == WAITED_TIMEOUT ? CHILD_TIMEOUT : CHILD_STOPPED;
        return;
    }
    result->end = WIFEXITED(status) ? CHILD_EXITED : CHILD_SIGNALLED;
    result->status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

static void follow(pid_t pid, int pidfd, const struct child_spec *spec, const struct cgroup *cgroup,
                   int stop_fd, int64_t cpu_before_ns, const struct launch_note *note,
                   struct child_result *result)
{
    int64_t cpu_ns = -1;
    int status = 0;
    struct rusage usage = {0};
    enum waited waited =
        wait_for_end(pidfd, stop_fd, clk_mono_ns() + spec->timeout_ns); /* the timed part */
    int64_t ended_ns = clk_raw_ns();

    if (waited != WAITED_ENDED) {
        kill_all(pid, cgroup);
        wait_for_end(pidfd, -1, clk_mono_ns() + END_DEADLINE_S * CLK_NS_PER_S);
        ended_ns = clk_raw_ns();
    }
    result->elapsed_ns = ended_ns - note->started_ns;
    if (cpu_before_ns >= 0 && cgroup_cpu_ns(cgroup, &cpu_ns))
        result->cgroup_cpu_ns = cpu_ns - cpu_before_ns;
    read_zombie(pid, result);
    if (wait4(pid, &status, 0, &usage) != pid)
        usage = (struct rusage){0};
    note_end(status, waited, note, result);
    result->leftovers = sweep_leftovers(cgroup, &usage);
    note_usage(&usage, &note->before, result);
    result->cleanup_ns = clk_raw_ns() - ended_ns;
}

static int find_user(const struct child_spec *spec, struct launch *launch,
                     struct child_result *result)
{
    char buffer[4096];
    struct passwd entry, *found = NULL;

    if (!spec->user || geteuid() != 0) /* without root there is nobody else to be */
        return 0;
    if (getpwnam_r(spec->user, &entry, buffer, sizeof buffer, &found) != 0 || !found) {
        result->end = CHILD_NOT_STARTED;
        result->status = ENOENT;
        snprintf(result->why, sizeof result->why, "no user is called %.60s", spec->user);
        return 1;
    }
    launch->changes_user = true;
    launch->uid = entry.pw_uid;
    launch->gid = entry.pw_gid;
    return 0;
}

static int run_plumbed(const struct child_spec *spec, const struct cgroup *cgroup, int stop_fd,
                       int64_t asked_ns, struct plumbing *plumbing, struct child_result *result,
                       struct err *err)
{
    struct launch_note note = {0};
    struct launch launch = {.spec = spec,
                            .cgroup = cgroup,
                            .out_fd = plumbing->out_theirs,
                            .err_fd = plumbing->err_theirs,
                            .null_fd = plumbing->null_fd,
                            .is_terminal = plumbing->sink->is_terminal};
    pid_t pid = 0;
    CLEAN_FD int pidfd = -1;
    int64_t cpu_before_ns = -1;

    if (find_user(spec, &launch, result) > 0)
        return 0;
    if (plumbing->sink->is_terminal && launch.changes_user &&
        fchown(plumbing->out_theirs, launch.uid, launch.gid) < 0)
        return err_sys(err, "give the terminal away");
    launch.limit_address_space =
        !cgroup_memory_limit(cgroup, spec->memory_bytes) && spec->memory_bytes > 0;
    cgroup_memory_reset(cgroup);
    if (!cgroup_cpu_ns(cgroup, &cpu_before_ns))
        cpu_before_ns = -1;
    if (launch_start(&launch, &pid, &pidfd, &note, err) < 0)
        return -1;
    plumbing_close_theirs(plumbing); /* so that the end of the output is seen */
    if (note.started_ns == 0)
        note.started_ns = clk_raw_ns(); /* it failed on the way */
    result->setup_ns = note.started_ns - asked_ns;
    follow(pid, pidfd, spec, cgroup, stop_fd, cpu_before_ns, &note, result);
    double peak;
    if (cgroup_memory_peak(cgroup, &peak))
        result->cgroup_peak_kib = peak;
    return 0;
}

int child_run(const struct child_spec *spec, const struct cgroup *cgroup, int stop_fd,
              struct child_result *ret, struct err *err)
{
    const int64_t asked_ns = clk_raw_ns();
    struct plumbing plumbing;
    struct child_result result = {.cgroup_cpu_ns = -1,
                                  .cgroup_peak_kib = (double)NAN,
                                  .read_bytes = -1,
                                  .write_bytes = -1,
                                  .run_delay_ns = -1};

    if (spec->argv.n == 0)
        return err_set(err, ERR_INPUT, "no command");
    if (plumbing_open(&plumbing, spec, err) < 0 ||
        run_plumbed(spec, cgroup, stop_fd, asked_ns, &plumbing, &result, err) < 0) {
        plumbing_done(&plumbing);
        return -1;
    }
    collect_output(&plumbing, spec, &result);
    plumbing_done(&plumbing);
    *ret = result;
    return 0;
}
