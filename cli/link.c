/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests and answers over one DEALER socket. Nothing waits without a deadline: silence is met
 * with a PING, a longer silence with the request itself where repeating it is harmless.
 */
#include "cli/link.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/fdio.h"
#include "base/rng.h"
#include "cli/target.h"
#include "model/limits.h"
#include "net/chan.h"
#include "net/sig.h"

#define OPEN_NS (10 * CLK_NS_PER_S)
#define PING_NS (2 * CLK_NS_PER_S) /* of silence, then we ask for a sign of life */
#define REPEAT_NS                                                                                  \
    (4 * CLK_NS_PER_S) /* of no word about the request, then it is repeated, if it may be */
#define SILENCE_NS (60 * CLK_NS_PER_S) /* of silence, then the coordinator is not reachable */
#define WINDOW 8                       /* pieces of a file on their way */
#define WAIT_MS 200

struct link {
    struct chan *chan;
    uint64_t next_id;
    int signal_fd;
};

void link_free(struct link *link)
{
    if (!link)
        return;
    chan_free(link->chan);
    fdio_close(&link->signal_fd);
    mem_free(link);
}

static int send_message(struct link *link, enum wire_kind kind, const void *body, struct err *err)
{
    static const struct chan_peer nobody;
    CLEAN_DONE(str) struct str bytes = {0};

    if (wire_encode(kind, body, &bytes, err) < 0)
        return -1;
    return chan_send(link->chan, &nobody, bytes.text, bytes.length, err);
}

static void ping(struct link *link)
{
    struct wire_request request = {.id = ++link->next_id, .kind = WIRE_REQUEST_PING};
    struct err err = {0};

    (void)!send_message(link, WIRE_REQUEST, &request,
                        &err); /* a full queue means that nobody takes them: silence tells */
}

enum { GOT_MESSAGE = 0, GOT_NOTHING = 1, GOT_SIGNAL = 2 };
/* Waits a moment for a message or a signal. */
static int next_message(struct link *link, struct wire_message **ret, struct err *err)
{
    struct chan_message message = {0};
    zmq_pollitem_t items[] = {
        {.socket = zsock_resolve(chan_socket(link->chan)), .events = ZMQ_POLLIN},
        {.fd = link->signal_fd,                            .events = ZMQ_POLLIN},
    };
    int result;

    if (zmq_poll(items, link->signal_fd >= 0 ? 2 : 1, WAIT_MS) < 0 && errno != EINTR)
        return err_sys(err, "poll");
    if (items[1].revents) {
        if (sig_read(link->signal_fd) != 0)
            return GOT_SIGNAL;
    }
    result = chan_recv(link->chan, &message, err);
    if (result == 0)
        result = wire_decode(message.bytes.text, message.bytes.length, ret, err);
    else if (result == CHAN_NOTHING)
        result = GOT_NOTHING;
    chan_message_done(&message);
    return result < 0 ? -1 : result == 0 && *ret ? GOT_MESSAGE : GOT_NOTHING;
}

int link_open(const struct cli_target *target, struct link **ret, struct err *err)
{
    CLEAN(link) struct link *link = mem_new(struct link);
    struct keys keys;
    int64_t give_up_ns = clk_mono_ns() + OPEN_NS, ping_ns = 0;

    link->signal_fd = -1;
    link->next_id =
        rng_fresh_seed() >> 16; /* answers to an earlier process of this key are not ours */
    if (cli_keys(target->key_file, &keys, err) < 0)
        return err_wrap(err, "own key");
    if (chan_connect(target->coordinator, &keys, target->server_key, &link->chan, err) < 0)
        return -1;
    while (clk_mono_ns() < give_up_ns) {
        CLEAN(wire_message) struct wire_message *message = NULL;
        int result;

        if (clk_mono_ns() >= ping_ns) {
            ping(link);
            ping_ns = clk_mono_ns() + PING_NS;
        }
        result = next_message(link, &message, err);
        if (result < 0)
            return -1;
        if (result == GOT_MESSAGE && message->kind == WIRE_REPLY) {
            *ret = mem_steal(&link);
            return 0;
        }
    }
    return err_set(
        err, ERR_UNREACHABLE,
        "no answer from the coordinator at %s (is it running, and is the key %s allowed there?)",
        target->coordinator, keys.public_key);
}

int link_take_signals(struct link *link, struct err *err)
{
    return sig_open(&link->signal_fd, err);
}

static void take_reply(const struct wire_reply *reply, const struct link_sink *sink)
{
    if (reply->text_length > 0 && sink->out)
        (void)fwrite(reply->text, 1, reply->text_length, sink->out);
    if (reply->text_length > 0 && sink->text)
        str_add_bytes(sink->text, reply->text, reply->text_length);
    if (reply->error) {
        CLEAN_MEM char *shown = str_visible(reply->error, 4096);

        (void)fprintf(stderr, "muster: %s\n", shown);
    }
    if (reply->progress && sink->on_progress)
        sink->on_progress(sink->arg, reply->progress);
}

static bool may_repeat(enum wire_request_kind kind)
{
    return kind == WIRE_REQUEST_SUBMIT || kind == WIRE_REQUEST_FOLLOW || kind == WIRE_REQUEST_PING;
}

int link_ask(struct link *link, const struct wire_request *request, const struct link_sink *sink,
             int *ret_exit, struct err *err)
{
    struct wire_request numbered = *request;
    int64_t heard_ns = clk_mono_ns(), word_ns = heard_ns, pinged_ns = heard_ns;

    numbered.id = ++link->next_id;
    if (send_message(link, WIRE_REQUEST, &numbered, err) < 0)
        return -1;
    for (;;) {
        CLEAN(wire_message) struct wire_message *message = NULL;
        int result = next_message(link, &message, err);
        int64_t now_ns = clk_mono_ns();

        if (result < 0)
            return -1;
        if (result == GOT_SIGNAL && !sink->on_signal)
            return err_set(err, ERR_CANCELLED, "interrupted");
        if (result == GOT_SIGNAL && !sink->on_signal(sink->arg))
            return LINK_LEFT;
        if (result == GOT_MESSAGE) {
            heard_ns = now_ns;
            if (message->kind != WIRE_REPLY || message->as.reply->id != numbered.id)
                continue;
            word_ns = now_ns;
            take_reply(message->as.reply, sink);
            if (message->as.reply->last) {
                *ret_exit = message->as.reply->exit_code;
                return 0;
            }
        }
        if (now_ns - heard_ns > SILENCE_NS)
            return err_set(err, ERR_UNREACHABLE, "the coordinator has not answered for %lld s",
                           (long long)(SILENCE_NS / CLK_NS_PER_S));
        if (now_ns - heard_ns > PING_NS && now_ns - pinged_ns > PING_NS) {
            ping(link);
            pinged_ns = now_ns;
        }
        if (now_ns - word_ns > REPEAT_NS && may_repeat(numbered.kind)) {
            if (send_message(link, WIRE_REQUEST, &numbered, err) < 0)
                return -1;
            word_ns = now_ns;
        }
    }
}

int link_tell(struct link *link, const struct wire_request *request, struct err *err)
{
    struct wire_request numbered = *request;

    numbered.id = ++link->next_id;
    return send_message(link, WIRE_REQUEST, &numbered, err) < 0 ? -1 : 0;
}

void link_pause(struct link *link)
{
    zmq_pollitem_t item = {.socket = zsock_resolve(chan_socket(link->chan)), .events = ZMQ_POLLIN};

    (void)zmq_poll(&item, 1, WAIT_MS / 2);
}

/* ---- uploads ---- */

static int send_piece(struct link *link, int fd, uint64_t offset, uint64_t total,
                      const char *digest, size_t *ret_length, struct err *err)
{
    CLEAN_MEM char *bytes = mem_alloc(LIMIT_CHUNK, 1);
    struct wire_chunk chunk = {.offset = offset, .total = total, .bytes = bytes};
    ssize_t got = pread(fd, bytes, LIMIT_CHUNK, (off_t)offset);

    if (got < 0)
        return err_sys(err, "read");
    (void)snprintf(chunk.digest, sizeof(chunk.digest), "%s", digest);
    chunk.length = (size_t)got;
    *ret_length = (size_t)got;
    return send_message(link, WIRE_PUT, &chunk, err);
}

/* The first piece goes alone: its answer may say that all is held. Then pieces go out up to a
 * window beyond what is held. */
static int upload(struct link *link, int fd, uint64_t total, const char *digest, struct err *err)
{
    uint64_t held = 0, sent = 0, most = 0;
    int64_t heard_ns = clk_mono_ns(), moved_ns = heard_ns;

    for (;;) {
        CLEAN(wire_message) struct wire_message *message = NULL;
        int result = 0;
        int64_t now_ns;

        while (result == 0 && sent <= most && (sent < total || total == 0)) {
            size_t length = 0;

            result = send_piece(link, fd, sent, total, digest, &length, err);
            if (result < 0)
                return -1;
            if (result == 0)
                sent += length;
            if (length == 0)
                break;
        }
        result = next_message(link, &message, err);
        if (result < 0)
            return -1;
        if (result == GOT_SIGNAL)
            return err_set(err, ERR_CANCELLED, "interrupted");
        now_ns = clk_mono_ns();
        if (message && message->kind == WIRE_REPLY && message->as.reply->error)
            return err_set(err, ERR_INPUT, "%s", message->as.reply->error);
        if (message && message->kind == WIRE_CHUNK && str_eq(message->as.chunk->digest, digest)) {
            heard_ns = moved_ns = now_ns;
            held = message->as.chunk->offset;
            if (held >= total)
                return 0;
            if (sent < held)
                sent = held;
            most = held + (uint64_t)WINDOW * LIMIT_CHUNK;
        }
        if (now_ns - moved_ns >
            REPEAT_NS) { /* something was lost: go on where the coordinator is */
            sent = most = held;
            moved_ns = now_ns;
        }
        if (now_ns - heard_ns > SILENCE_NS)
            return err_set(err, ERR_UNREACHABLE, "the coordinator takes no files");
    }
}

int link_put(struct link *link, const char *path, const char *digest, struct err *err)
{
    CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0)
        return err_sys(err, "%s", path);
    if (upload(link, fd, (uint64_t)status.st_size, digest, err) < 0)
        return err_wrap(err, "%s", path);
    return 0;
}
