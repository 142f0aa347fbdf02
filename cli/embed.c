/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Children are this program again (`muster coordinator`, `muster agent`) in a process group of
 * their own, so that ^C on the terminal reaches us alone; the kernel tells them when we die.
 */
#define _DEFAULT_SOURCE /* mkdtemp, setpgid beside prctl */
#include "cli/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/fdio.h"
#include "cli/target.h"
#include "coordinator/coord.h"
#include "net/keys.h"

#define START_NS (20 * CLK_NS_PER_S)
#define END_NS (10 * CLK_NS_PER_S)
#define POLL_MS 20

struct child {
    const char *what;
    pid_t pid; /* 0: not running */
    char *log;
};
struct embed {
    char *folder; /* private, removed at the end */
    struct child coordinator, agent;
};

static void pause_a_little(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = POLL_MS * CLK_NS_PER_MS}, NULL);
}

static void become(char **argv, const char *log, pid_t parent)
{
    sigset_t none;
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600),
        null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || fd < 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
        dup2(fd, 2) < 0)
        _exit(1);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)unsetenv("MUSTER_COORDINATOR");
    (void)unsetenv("MUSTER_SERVER_KEY");
    (void)unsetenv("MUSTER_KEY");
    (void)execv("/proc/self/exe", argv);
    _exit(127);
}

static int start(struct child *child, struct strlist *words, struct err *err)
{
    CLEAN_MEM char **argv = mem_array(char *, words->n + 1);
    pid_t parent = getpid();

    memcpy(argv, words->v, words->n * sizeof(char *));
    child->pid = fork();
    if (child->pid < 0) {
        child->pid = 0;
        return err_sys(err, "fork");
    }
    if (child->pid == 0)
        become(argv, child->log, parent);
    return 0;
}

/* The last words of a log, for a child that ended too early. */
static int last_words(const struct child *child, struct err *err)
{
    CLEAN_DONE(str) struct str text = {0};
    const char *last;

    if (fdio_read_file(child->log, 1024 * 1024, &text, NULL) < 0 || text.length == 0)
        return err_set(err, ERR_STATE, "the %s ended", child->what);
    while (text.length > 0 && text.text[text.length - 1] == '\n')
        text.text[--text.length] = '\0';
    last = strrchr(text.text, '\n');
    return err_set(err, ERR_STATE, "the %s ended: %s", child->what, last ? last + 1 : text.text);
}

static int check(struct child *child, struct err *err)
{
    if (child->pid > 0 && waitpid(child->pid, NULL, WNOHANG) != child->pid)
        return 0;
    child->pid = 0;
    return last_words(child, err);
}

int embed_check(struct embed *embed, struct err *err)
{
    if (check(&embed->coordinator, err) < 0)
        return -1;
    return embed->agent.pid || !embed->agent.log ? check(&embed->agent, err) : 0;
}

static void stop(struct child *child)
{
    int64_t give_up_ns = clk_mono_ns() + END_NS;

    if (child->pid <= 0)
        return;
    (void)kill(child->pid, SIGTERM);
    while (waitpid(child->pid, NULL, WNOHANG) == 0) {
        if (clk_mono_ns() > give_up_ns) {
            (void)kill(child->pid, SIGKILL);
            give_up_ns = INT64_MAX;
        }
        pause_a_little();
    }
    child->pid = 0;
}

void embed_free(struct embed *embed)
{
    if (!embed)
        return;
    stop(&embed->agent); /* first: its last samples still find the coordinator */
    stop(&embed->coordinator);
    if (embed->folder)
        (void)!fdio_remove_tree(embed->folder, NULL);
    mem_free(embed->folder);
    mem_free(embed->coordinator.log);
    mem_free(embed->agent.log);
    mem_free(embed);
}

static int make_folder(struct embed *embed, struct err *err)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *folder =
        mem_printf("%s/muster-XXXXXX", runtime && access(runtime, W_OK) == 0 ? runtime : "/tmp");

    if (!mkdtemp(folder)) {
        (void)err_sys(err, "%s", folder);
        mem_free(folder);
        return -1;
    }
    embed->folder = folder;
    embed->coordinator.log = mem_printf("%s/coordinator.log", folder);
    embed->coordinator.what = "embedded coordinator";
    embed->agent.what = "embedded agent";
    return 0;
}

static char *host_name(void)
{
    struct utsname name;

    return mem_strdup(uname(&name) == 0 && str_is_name(name.nodename) ? name.nodename
                                                                      : "localhost");
}

static void add_words(struct strlist *list, const char *const *words)
{
    for (; *words; words++)
        strlist_add(list, *words);
}

static int start_coordinator(struct embed *embed, const char *data_dir, const struct keys *agent,
                             const struct keys *user, const char *host, struct coord_endpoints *ret,
                             struct err *err)
{
    CLEAN_MEM char *endpoints = mem_printf("%s/endpoints", embed->folder);
    CLEAN_MEM char *agents = mem_printf("ipc://%s/agents", embed->folder);
    CLEAN_MEM char *users = mem_printf("ipc://%s/users", embed->folder);
    CLEAN_MEM char *enroll = mem_printf("%s=%s", host, agent->public_key);
    CLEAN_DONE(strlist) struct strlist words = {0};
    int64_t give_up_ns = clk_mono_ns() + START_NS;

    add_words(&words, (const char *const[]){"muster", "coordinator", "--data-dir", data_dir,
                                            "--agents", agents, "--users", users, "--endpoints",
                                            endpoints, "--enroll", enroll, "--allow-user",
                                            user->public_key, "--exit-when-idle", NULL});
    if (start(&embed->coordinator, &words, err) < 0)
        return -1;
    while (access(endpoints, F_OK) < 0) {
        if (check(&embed->coordinator, err) < 0)
            return -1;
        if (clk_mono_ns() > give_up_ns)
            return err_set(err, ERR_TIMEOUT, "the embedded coordinator does not start");
        pause_a_little();
    }
    return coord_endpoints_load(endpoints, ret, err);
}

static int start_agent(struct embed *embed, const char *data_dir, const char *key_file,
                       const char *host, const struct coord_endpoints *endpoints, struct err *err)
{
    CLEAN_MEM char *state = mem_printf("%s/agent", data_dir);
    CLEAN_DONE(strlist) struct strlist words = {0};

    embed->agent.log = mem_printf("%s/agent.log", embed->folder);
    add_words(&words, (const char *const[]){"muster", "agent", "--connect", endpoints->agents,
                                            "--server-key", endpoints->key, "--key", key_file,
                                            "--name", host, "--state-dir", state, NULL});
    return start(&embed->agent, &words, err);
}

int embed_start(const char *data_dir, struct cli_target *ret_target, struct embed **ret,
                struct err *err)
{
    CLEAN(embed) struct embed *embed = mem_new(struct embed);
    CLEAN_MEM char *agent_file = mem_printf("%s/agent.key", data_dir);
    CLEAN_MEM char *user_file = mem_printf("%s/user.key", data_dir);
    CLEAN_MEM char *host = host_name();
    struct coord_endpoints endpoints = {.agents = NULL};
    struct keys agent, user;
    int result;

    if (fdio_make_dirs(data_dir, 0700, err) < 0 || keys_load_or_new(agent_file, &agent, err) < 0 ||
        keys_load_or_new(user_file, &user, err) < 0 || make_folder(embed, err) < 0 ||
        start_coordinator(embed, data_dir, &agent, &user, host, &endpoints, err) < 0)
        return -1;
    result = start_agent(embed, data_dir, agent_file, host, &endpoints, err);
    if (result == 0) {
        ret_target->coordinator = mem_steal(&endpoints.users);
        ret_target->server_key = mem_steal(&endpoints.key);
        ret_target->key_file = mem_steal(&user_file);
        ret_target->data_dir = mem_strdup(data_dir);
        *ret = mem_steal(&embed);
    }
    coord_endpoints_done(&endpoints);
    return result;
}
