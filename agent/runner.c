/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The agent's loop and what the coordinator's messages change. Callbacks only set what is true now;
 * whoever waits (runner_wait) looks and leaves.
 */
#include "agent/runner.h"

#include <string.h>

#include "agent/held.h"
#include "base/clk.h"
#include "base/log.h"
#include "net/sig.h"

#define FAREWELL_NS (2 * CLK_NS_PER_S) /* at the end, for samples that are under way */

/* ---- callbacks ---- */

static bool is_ours(const struct runner *runner, int64_t run, uint64_t epoch)
{
    return runner->lease && runner->lease->run == run && runner->lease->epoch == epoch;
}

static void on_hello(void *arg, struct wire_hello *hello)
{
    struct runner *runner = arg;
    const char *boot_id = fact_set_get(runner->facts, "boot_id");
    const char *machine = fact_set_get(runner->facts, "machine_id_hash");

    hello->boot_id = mem_strdup(boot_id ? boot_id : "");
    hello->machine_id_hash = mem_strdup(machine ? machine : "");
    hello->facts = fact_set_copy(runner->facts);
    if (!runner->lease)
        return;
    hello->run = runner->lease->run;
    hello->epoch = runner->lease->epoch;
    hello->spooled_seq = runner->lease->next_seq - 1;
}

static void on_welcome(void *arg, const struct wire_welcome *welcome)
{
    struct runner *runner = arg;

    outbox_rewind(runner->outbox);
    runner->is_rewelcomed = true;
    if (!runner->lease)
        return;
    if (!welcome->resume) {
        log_warn("the coordinator does not know our lease any more run=%lld",
                 (long long)runner->lease->run);
        runner->is_lost = true;
        return;
    }
    outbox_ack(runner->outbox, runner->lease->run, runner->lease->epoch, welcome->stored_seq,
               clk_mono_ns());
}

static void on_lease(void *arg, struct lease **lease)
{
    struct runner *runner = arg;

    if (is_ours(runner, (*lease)->run, (*lease)->epoch))
        return; /* said twice */
    lease_free(runner->next);
    runner->next = mem_steal(lease);
}

static void on_extend(void *arg, const struct wire_extend *extend)
{
    struct runner *runner = arg;
    struct lease *lease = runner->lease;

    if (!is_ours(runner, extend->run, extend->epoch) || extend->session < lease->session)
        return;
    if (extend->session > lease->session) {
        lease->session = extend->session;
        lease->first_round = 0;
    }
    lease->upto_round = extend->upto_round;
}

static void answer_stop(struct runner *runner, int64_t run, uint64_t epoch, uint64_t seq)
{
    const struct wire_trial_event event = {
        .run = run, .epoch = epoch, .event = WIRE_TRIAL_STOPPED, .seq = seq};

    uplink_send(runner->uplink, WIRE_TRIAL_EVENT, &event);
}

static void on_stop(void *arg, const struct wire_stop *stop)
{
    struct runner *runner = arg;

    if (runner->next && runner->next->run == stop->run && runner->next->epoch == stop->epoch) {
        answer_stop(runner, stop->run, stop->epoch, runner->next->next_seq - 1);
        lease_free(runner->next);
        runner->next = NULL;
        return;
    }
    if (!is_ours(runner, stop->run, stop->epoch)) {
        answer_stop(runner, stop->run, stop->epoch, 0);
        return;
    }
    runner->is_stopped = true;
    runner->kill_now = runner->kill_now || stop->kill_now;
}

static void on_ack(void *arg, const struct wire_ack *ack)
{
    struct runner *runner = arg;

    outbox_ack(runner->outbox, ack->run, ack->epoch, ack->stored_seq, clk_mono_ns());
}

static void chunk_free(struct wire_chunk *chunk)
{
    if (chunk)
        mem_free(chunk->bytes);
    mem_free(chunk);
}

static void on_chunk(void *arg, const struct wire_chunk *chunk)
{
    struct runner *runner = arg;

    chunk_free(runner->chunk);
    runner->chunk = mem_dup(chunk, sizeof *chunk);
    runner->chunk->bytes = mem_dup(chunk->bytes, chunk->length);
}

static void on_heartbeat(void *arg, struct wire_heartbeat *heartbeat)
{
    const struct runner *runner = arg;

    if (!runner->lease)
        return;
    heartbeat->run = runner->lease->run;
    heartbeat->epoch = runner->lease->epoch;
}

void runner_ops(struct runner *runner, struct uplink_ops *ret)
{
    *ret = (struct uplink_ops){
        .arg = runner,
        .hello = on_hello,
        .welcome = on_welcome,
        .lease = on_lease,
        .extend = on_extend,
        .stop = on_stop,
        .ack = on_ack,
        .chunk = on_chunk,
        .heartbeat = on_heartbeat,
    };
}

/* ---- waiting ---- */

static int send_batch(void *arg, const struct wire_batch *batch)
{
    return uplink_send(arg, WIRE_BATCH, batch);
}

int64_t runner_expiry_ns(const struct runner *runner)
{
    const int64_t by_word = uplink_heard_ns(runner->uplink) + runner->lease->ttl_ns;

    return by_word > runner->asleep_until_ns ? by_word : runner->asleep_until_ns;
}

static bool is_expired(const struct runner *runner)
{
    return runner->lease && clk_mono_ns() > runner_expiry_ns(runner);
}

/* Whoever runs a block finishes it when the stop is no hurry. */
static bool must_leave(const struct runner *runner)
{
    if (runner->ends || runner->is_lost || runner->next || is_expired(runner))
        return true;
    return runner->is_stopped && (runner->kill_now || !runner->is_locked);
}

int runner_wait(struct runner *runner, int fd, int64_t until_ns, int *ret_event, struct err *err)
{
    if (uplink_is_here(runner->uplink))
        outbox_flush(runner->outbox, send_batch, runner->uplink, clk_mono_ns());
    int64_t until = outbox_due_ns(runner->outbox);
    if (runner->lease && runner_expiry_ns(runner) < until)
        until = runner_expiry_ns(runner);
    const int event = uplink_wait(runner->uplink, fd, until_ns < until ? until_ns : until, err);
    if (event < 0)
        return -1;
    if (event == UPLINK_END)
        runner->ends = true;
    if (ret_event) /* a wait that was cut short for our own ends is no end of the caller's time */
        *ret_event = event == UPLINK_TIME && clk_mono_ns() < until_ns ? UPLINK_NEWS : event;
    return must_leave(runner) ? RUNNER_LEFT : RUNNER_GO_ON;
}

int runner_command(struct runner *runner, const struct child_spec *spec, struct child_result *ret,
                   struct err *err)
{
    bool is_killed = false;
    int event = 0;

    if (keeper_run(runner->keeper, spec, err) < 0)
        return -1;
    while (event != UPLINK_FD) {
        const int rc = runner_wait(runner, keeper_fd(runner->keeper), INT64_MAX, &event, err);

        if (rc < 0)
            return -1;
        if (rc == RUNNER_LEFT && event != UPLINK_FD) {
            if (keeper_stop(runner->keeper, err) < 0)
                return -1;
            is_killed = true;
            break;
        }
    }
    if (keeper_result(runner->keeper, ret, err) < 0)
        return -1;
    return is_killed ? RUNNER_LEFT : RUNNER_GO_ON;
}

void runner_event(struct runner *runner, enum wire_event event, const char *reason, uint64_t seq)
{
    const struct wire_trial_event message = {
        .run = runner->lease->run,
        .epoch = runner->lease->epoch,
        .event = event,
        .reason = (char *)reason,
        .facts = event == WIRE_STAGED ? runner->facts : NULL,
        .seq = seq,
    };

    uplink_send(runner->uplink, WIRE_TRIAL_EVENT, &message);
}

/* ---- leases ---- */

static int hold(struct runner *runner, struct lease **lease, struct err *err)
{
    lease_free(runner->lease);
    runner->lease = mem_steal(lease);
    runner->is_stopped = runner->kill_now = runner->is_lost = false;
    runner->asleep_until_ns = 0;
    if (outbox_spool(runner->outbox, runner->lease->run, runner->lease->epoch, &runner->spool,
                     err) < 0)
        return -1;
    outbox_leave(runner->outbox, runner->spool);
    held_catch_up(runner->lease, runner->spool);
    return held_save(runner->options->state_dir, runner->lease, err);
}

static void let_go(struct runner *runner)
{
    held_drop(runner->options->state_dir);
    stage_clear(runner->stage);
    lease_free(runner->lease);
    runner->lease = NULL;
    runner->spool = NULL;
    runner->is_stopped = runner->kill_now = runner->is_lost = false;
    runner->trials++;
    outbox_leave(runner->outbox, NULL);
}

static void fail_trial(struct runner *runner, const struct err *why)
{
    log_err(LOG_ERROR, why, "trial failed run=%lld", (long long)runner->lease->run);
    runner_event(runner, WIRE_TRIAL_FAILED, why->text, runner->lease->next_seq - 1);
    let_go(runner);
}

/* Our own timer: what ran is killed, the lease is kept until the coordinator is heard again. */
static int wait_for_word(struct runner *runner, struct err *err)
{
    log_warn("the lease has run out without a word of the coordinator run=%lld",
             (long long)runner->lease->run);
    while (is_expired(runner) && !runner->ends && !runner->is_lost && !runner->next &&
           !runner->is_stopped)
        if (uplink_wait(runner->uplink, -1, INT64_MAX, err) == UPLINK_END)
            runner->ends = true;
    return 0;
}

/* A lease that was just read from disk is good only once the coordinator said so. */
static int wait_for_welcome(struct runner *runner, struct err *err)
{
    while (!uplink_is_here(runner->uplink) && !runner->ends) {
        const int event = uplink_wait(runner->uplink, -1, INT64_MAX, err);

        if (event < 0)
            return -1;
        if (event == UPLINK_END)
            runner->ends = true;
    }
    return 0;
}

/* One stretch of a trial: until it is over, or something outside it must be seen to. */
static int run_held(struct runner *runner, struct err *err)
{
    struct err why;
    const int rc = trial_run(runner, &why);

    if (rc < 0 && why.code == ERR_STATE && str_starts(why.text, "the keeper is gone"))
        runner->ends = true;
    if (rc < 0) {
        const bool is_ours_alone = why.code != ERR_AUTH;
        if (is_ours_alone)
            fail_trial(runner, &why);
        if (!is_ours_alone || runner->ends) {
            *err = why;
            return -1;
        }
        return 0;
    }
    if (runner->is_stopped) {
        answer_stop(runner, runner->lease->run, runner->lease->epoch, runner->lease->next_seq - 1);
        log_info("trial stopped run=%lld samples up to %llu", (long long)runner->lease->run,
                 (unsigned long long)(runner->lease->next_seq - 1));
        let_go(runner);
    } else if (runner->is_lost || runner->next) {
        let_go(runner);
    } else if (is_expired(runner)) {
        return wait_for_word(runner, err);
    }
    return 0;
}

static int idle(struct runner *runner, struct err *err)
{
    outbox_leave(runner->outbox, NULL);
    while (!runner->next && !runner->ends) {
        if (runner->options->once && runner->trials > 0 && outbox_is_empty(runner->outbox))
            return 0;
        const int rc = runner_wait(runner, -1, INT64_MAX, NULL, err);
        if (rc < 0)
            return -1;
    }
    return runner->next ? hold(runner, &runner->next, err) : 0;
}

static void say_farewell(struct runner *runner)
{
    const int64_t until_ns = clk_mono_ns() + FAREWELL_NS;
    struct err err;

    while (uplink_is_here(runner->uplink) && !outbox_is_empty(runner->outbox) &&
           clk_mono_ns() < until_ns) {
        outbox_flush(runner->outbox, send_batch, runner->uplink, clk_mono_ns());
        if (uplink_wait(runner->uplink, -1, until_ns, &err) < 0)
            return;
    }
}

static int resume(struct runner *runner, struct err *err)
{
    CLEAN(lease) struct lease *lease = NULL;
    const int rc = held_load(runner->options->state_dir, &lease, err);

    if (rc != 0)
        return rc == HELD_NONE ? 0 : -1;
    log_info("resuming run=%lld round %u", (long long)lease->run, lease->first_round);
    if (hold(runner, &lease, err) < 0)
        return -1;
    return wait_for_welcome(runner, err);
}

int runner_serve(struct runner *runner, struct err *err)
{
    int rc = resume(runner, err);

    while (rc == 0 && !runner->ends) {
        if (runner->options->once && runner->trials > 0 && !runner->lease &&
            outbox_is_empty(runner->outbox))
            break;
        rc = runner->lease ? run_held(runner, err) : idle(runner, err);
    }
    if (rc == 0)
        say_farewell(runner);
    return rc;
}

void runner_done(struct runner *runner)
{
    lease_free(runner->lease);
    lease_free(runner->next);
    chunk_free(runner->chunk);
    fact_set_free(runner->facts);
}
