/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hallway's start, loop and end: opens the store, the door (authentication before any socket),
 * the desks; reads back what was going on; serves until a signal.
 */
#include "coordinator/hall.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/log.h"
#include "coordinator/coord_endpoints.h"
#include "net/sig.h"

#define TICK_MS 100
#define SPACE_PERIOD_NS (10 * CLK_NS_PER_S)
#define IDLE_NS (10 * CLK_NS_PER_S)
#define MESSAGES_A_TURN 256 /* then the loop looks at its other sockets */

static void fill_defaults(struct coord_options *options)
{
    if (!options->agent_endpoint)
        options->agent_endpoint = "tcp://127.0.0.1:*";
    if (!options->user_endpoint)
        options->user_endpoint = "tcp://127.0.0.1:*";
    if (!options->heartbeat_ns)
        options->heartbeat_ns = 5 * CLK_NS_PER_S;
    if (!options->ttl_ns)
        options->ttl_ns = 60 * CLK_NS_PER_S;
    if (!options->wait_hosts_ns)
        options->wait_hosts_ns = 60 * CLK_NS_PER_S;
    if (!options->lost_grace_ns)
        options->lost_grace_ns = 30 * CLK_NS_PER_S;
}

static int open_store(struct coord *coord, struct err *err)
{
    CLEAN_MEM char *path = coord_db_path(coord->options.data_dir);

    if (fdio_make_dirs(coord->options.data_dir, 0700, err) < 0 ||
        writer_start(path, &coord->writer, err) < 0 ||
        store_open(path, STORE_READ, &coord->store, err) < 0 ||
        desk_start(path, &coord->queries, err) < 0 || desk_start(path, &coord->looks, err) < 0)
        return err_wrap(err, "%s", path);
    return 0;
}

static int enroll(struct coord *coord, struct err *err)
{
    for (size_t i = 0; coord->options.enroll && i < coord->options.enroll->n; i++) {
        const char *text = coord->options.enroll->v[i], *equals = strchr(text, '=');
        CLEAN_MEM char *name = equals ? mem_strndup(text, (size_t)(equals - text)) : NULL;
        const struct coord_member *member;

        if (!name)
            return err_set(err, ERR_USAGE, "--enroll %s: NAME=PUBLICKEY expected", text);
        if (coord_key_add(coord, equals + 1, name, "agent", err) < 0)
            return err_wrap(err, "--enroll");
        member = coord_member(coord, name);
        if (!member || !str_eq(member->host->key, equals + 1))
            (void)coord_member_add(coord, name, equals + 1);
    }
    for (size_t i = 0; coord->options.allow_user && i < coord->options.allow_user->n; i++) {
        const char *text = coord->options.allow_user->v[i], *role = "operator";
        CLEAN_MEM char *key = mem_strndup(text, KEY_SIZE - 1);
        CLEAN_MEM char *name = NULL;
        char digest[DIGEST_SIZE];

        /* a Z85 key may hold a colon: the role, if any, stands after all of its 40 characters */
        if (strlen(text) > KEY_SIZE - 1) {
            role = text + KEY_SIZE;
            if (text[KEY_SIZE - 1] != ':' || (!str_eq(role, "operator") && !str_eq(role, "viewer")))
                return err_set(
                    err, ERR_USAGE,
                    "--allow-user %s: PUBLICKEY, PUBLICKEY:operator or PUBLICKEY:viewer expected",
                    text);
        }
        digest_bytes(key, strlen(key), digest);
        name = mem_printf("user-%.8s",
                          digest); /* the same at every start, whatever stands beside it */
        if (coord_key_add(coord, key, name, role, err) < 0)
            return err_wrap(err, "--allow-user");
    }
    return 0;
}

/* Nothing is bound before the handler that checks keys runs and knows them. */
static int open_door(struct coord *coord, struct err *err)
{
    CLEAN_MEM char *key_path = coord->options.key_file
                                   ? mem_strdup(coord->options.key_file)
                                   : mem_printf("%s/coordinator.key", coord->options.data_dir);
    CLEAN_MEM char *file = coord->options.endpoints_file
                               ? mem_strdup(coord->options.endpoints_file)
                               : coord_endpoints_path(coord->options.data_dir);

    if (keys_load_or_new(key_path, &coord->keys, err) < 0 || auth_start(&coord->auth, err) < 0 ||
        coord_keys_load(coord, err) < 0 || enroll(coord, err) < 0 ||
        chan_listen(coord->options.agent_endpoint, &coord->keys, coord->auth, &coord->agents, err) <
            0 ||
        chan_listen(coord->options.user_endpoint, &coord->keys, coord->auth, &coord->users, err) <
            0)
        return -1;
    if (coord_endpoints_save(file, chan_endpoint(coord->agents), chan_endpoint(coord->users),
                             coord->keys.public_key, err) < 0)
        return -1;
    log_info("coordinator listens agents=%s users=%s key=%s", chan_endpoint(coord->agents),
             chan_endpoint(coord->users), coord->keys.public_key);
    return 0;
}

static void receive(struct coord *coord, struct chan *chan,
                    void (*on_message)(struct coord *coord, const struct chan_message *message))
{
    for (int i = 0; i < MESSAGES_A_TURN; i++) {
        struct chan_message message = {0};
        struct err err = {0};
        int result = chan_recv(chan, &message, &err);

        if (result == 0)
            on_message(coord, &message);
        else if (result < 0)
            log_err(LOG_WARN, &err, "message not received");
        chan_message_done(&message);
        if (result != 0)
            return;
    }
}

static int on_agents(zloop_t *loop, zsock_t *socket, void *arg)
{
    struct coord *coord = arg;

    (void)loop, (void)socket;
    receive(coord, coord->agents, coord_on_agent);
    return 0;
}

static int on_users(zloop_t *loop, zsock_t *socket, void *arg)
{
    struct coord *coord = arg;

    (void)loop, (void)socket;
    receive(coord, coord->users, coord_on_user);
    return 0;
}

static int on_fd(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    struct coord *coord = arg;

    (void)loop;
    if (item->fd == coord->signal_fd) {
        if (sig_read(coord->signal_fd) == 0)
            return 0;
        log_info("coordinator ends: told to");
        return -1;
    }
    if (item->fd == writer_fd(coord->writer))
        writer_dispatch(coord->writer);
    else if (item->fd == desk_fd(coord->queries))
        desk_dispatch(coord->queries);
    else
        desk_dispatch(coord->looks);
    return 0;
}

/* The user has gone and no run needs us: only an embedded coordinator asks. */
static bool is_idle(const struct coord *coord, int64_t now_ns)
{
    if (!coord->user_seen || coord->pending_submits > 0 || coord->n_followers > 0 ||
        coord->replies || desk_backlog(coord->queries) > 0 ||
        now_ns - coord->user_heard_ns < IDLE_NS)
        return false;
    for (size_t i = 0; i < coord->n_runs; i++) {
        if (coord->run[i]->open)
            return false;
    }
    return true;
}

static void check_space(struct coord *coord, int64_t now_ns)
{
    struct err err = {0};
    bool was_low = coord->space_low;

    if (coord->space_checked_ns && now_ns - coord->space_checked_ns < SPACE_PERIOD_NS)
        return;
    coord->space_checked_ns = now_ns;
    coord->space_low = store_space_low(coord->store, &err) != 0;
    if (coord->space_low && !was_low)
        log_warn("little space left: no leases are granted until there is more data=%s",
                 coord->options.data_dir);
}

static int on_tick(zloop_t *loop, int timer, void *arg)
{
    struct coord *coord = arg;
    int64_t now_ns = clk_mono_ns();

    (void)loop, (void)timer;
    coord_agent_tick(coord, now_ns);
    for (size_t i = coord->n_runs; i-- > 0;)
        coord_run_tick(coord, coord->run[i], now_ns);
    check_space(coord, now_ns);
    coord_grant_all(coord);
    coord_follow_tick(coord, now_ns);
    coord_reply_flush(coord, now_ns);
    if (coord->options.exit_when_idle && is_idle(coord, now_ns)) {
        log_info("coordinator ends: nothing left to do");
        return -1;
    }
    return 0;
}

static int watch_fd(struct coord *coord, int fd, struct err *err)
{
    zmq_pollitem_t item = {.fd = fd, .events = ZMQ_POLLIN};

    if (zloop_poller(coord->loop, &item, on_fd, coord) < 0)
        return err_set(err, ERR_INTERNAL, "zloop_poller");
    zloop_poller_set_tolerant(coord->loop, &item);
    return 0;
}

static int serve(struct coord *coord, struct err *err)
{
    coord->loop = zloop_new();
    if (zloop_reader(coord->loop, chan_socket(coord->agents), on_agents, coord) < 0 ||
        zloop_reader(coord->loop, chan_socket(coord->users), on_users, coord) < 0 ||
        zloop_timer(coord->loop, TICK_MS, 0, on_tick, coord) < 0)
        return err_set(err, ERR_INTERNAL, "zloop");
    zloop_reader_set_tolerant(coord->loop, chan_socket(coord->agents));
    zloop_reader_set_tolerant(coord->loop, chan_socket(coord->users));
    if (watch_fd(coord, coord->signal_fd, err) < 0 ||
        watch_fd(coord, writer_fd(coord->writer), err) < 0 ||
        watch_fd(coord, desk_fd(coord->queries), err) < 0 ||
        watch_fd(coord, desk_fd(coord->looks), err) < 0)
        return -1;
    coord->user_heard_ns = clk_mono_ns();
    (void)zloop_start(coord->loop);
    return 0;
}

/* Desks and writer end first: what they still hand back needs the rest. */
static void end(struct coord *coord)
{
    coord->ending = true;
    zloop_destroy(&coord->loop);
    desk_free(coord->looks);
    desk_free(coord->queries);
    writer_free(coord->writer);
    coord_replies_done(coord);
    coord_uploads_done(coord);
    chan_free(coord->agents);
    chan_free(coord->users);
    auth_free(coord->auth);
    session_table_free(coord->sessions);
    lease_book_free(coord->leases);
    coord_runs_done(coord);
    coord_hosts_done(coord);
    key_list_done(&coord->enrolled);
    mem_free(coord->follower);
    store_free(coord->store);
    fdio_close(&coord->signal_fd);
}

int coord_main(const struct coord_options *options, struct err *err)
{
    struct coord coord = {.options = *options, .signal_fd = -1};
    int result = -1;

    fill_defaults(&coord.options);
    coord.leases = lease_book_new(coord.options.ttl_ns);
    coord.sessions = session_table_new(coord.options.heartbeat_ns);
    if (sig_open(&coord.signal_fd, err) == 0 && open_store(&coord, err) == 0 &&
        coord_hosts_load(&coord, err) == 0 && open_door(&coord, err) == 0 &&
        coord_runs_load(&coord, err) == 0)
        result = serve(&coord, err);
    end(&coord);
    return result;
}
