/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One block: the machine's lock, every cell once in the plan's order, then the whole block into the
 * spool. A block that is abandoned leaves no trace: its numbers are given again.
 */
#include "agent/runner.h"

#include <poll.h>
#include <string.h>

#include "agent/command.h"
#include "agent/held.h"
#include "agent/quiet.h"
#include "agent/record.h"
#include "base/clk.h"
#include "base/log.h"
#include "model/limits.h"

#define SETTLE_NS (2 * CLK_NS_PER_MS) /* the I/O thread hands over what was just sent */
#define ACK_NS (50 * CLK_NS_PER_MS)   /* an answer that is awaited now does not disturb later */
enum { BAD_BLOCKS_MAX = 3 };

struct block {
    struct runner *runner;
    struct plan_block plan;
    bool is_warmup;
    struct wire_batch *batch;
    struct str why; /* of the last sample that was not good */
    size_t good;
};

static const struct lease *lease_of(const struct block *block)
{
    return block->runner->lease;
}

/* ---- around a sample ---- */

static void fill_place(const struct block *block, const struct plan_step *step,
                       struct command_place *ret)
{
    const struct runner *runner = block->runner;

    *ret = (struct command_place){
        .experiment = runner->lease->experiment,
        .host_env = &runner->options->host_env,
        .variant = step->variant,
        .cell = step->cell,
        .block = &block->plan,
        .cwd = stage_dir(runner->stage, step->variant),
    };
}

/* Outcome 0 fine, RUNNER_LEFT; a prepare that fails fails the trial: the samples would not be what
 * was asked for. */
static int prepare(struct block *block, const struct command_place *place, struct err *err)
{
    CLEAN_DONE(child_spec) struct child_spec spec = {0};
    CLEAN_DONE(child_result) struct child_result result = {0};
    int rc = command_build(place, COMMAND_PREPARE, &spec, err);

    if (rc != 0)
        return rc == COMMAND_NONE ? 0 : -1;
    rc = runner_command(block->runner, &spec, &result, err);
    if (rc != 0)
        return rc;
    if (result.end == CHILD_EXITED && result.status == 0)
        return 0;
    return err_set(err, ERR_STATE, "prepare of variant %s: %s %d %s",
                   place->experiment->variant[place->variant].name,
                   result.end == CHILD_EXITED ? "exit status" : "ended badly,", result.status,
                   result.why);
}

/* Outcome 0 measure; 1 left; 2 refused (ret_why). */
enum { GATE_REFUSED = 2 };
static int pass_gate(struct block *block, struct str *ret_why, struct err *err)
{
    struct runner *runner = block->runner;
    const struct experiment *experiment = lease_of(block)->experiment;
    const int64_t give_up_ns = clk_mono_ns() + experiment->quiet_wait_ns;

    if (experiment->quiet == QUIET_LABEL)
        return 0;
    for (;;) {
        CLEAN(quiet_look) struct quiet_look *look = quiet_begin(runner->platform);
        const int64_t until_ns = clk_mono_ns() + QUIET_WINDOW_NS;
        int event = 0;

        while (event != UPLINK_TIME) {
            const int rc = runner_wait(runner, -1, until_ns, &event, err);
            if (rc != 0)
                return rc;
        }
        if (quiet_is(look, ret_why))
            return 0;
        if (experiment->quiet == QUIET_REFUSE)
            return GATE_REFUSED;
        if (clk_mono_ns() >= give_up_ns) {
            log_warn("measuring on a busy host: %s", str_get(ret_why));
            return 0;
        }
    }
}

/* The coordinator knows that we will be silent, the wire is empty, nothing is due. */
static int settle(struct block *block, struct err *err)
{
    struct runner *runner = block->runner;
    const int64_t limit_ns = lease_of(block)->experiment->timeout_ns;
    int rc = runner_wait(runner, -1, 0, NULL, err);

    if (rc != 0)
        return rc;
    if (uplink_is_here(runner->uplink)) {
        const int64_t now_ns = clk_mono_ns();
        if (now_ns - uplink_heard_ns(runner->uplink) < lease_of(block)->ttl_ns / 2)
            runner->asleep_until_ns = now_ns + limit_ns + lease_of(block)->ttl_ns;
    }
    if (uplink_sleep(runner->uplink, limit_ns))
        rc = runner_wait(runner, -1, clk_mono_ns() + SETTLE_NS, NULL, err);
    return rc;
}

/* Sleeps in one poll until the keeper answers. Our own timer and signals alone may end it earlier.
 */
static int sleep_through(struct runner *runner, struct child_result *result, struct err *err)
{
    for (bool is_killed = false;;) {
        struct pollfd poller[2] = {
            {.fd = keeper_fd(runner->keeper),          .events = POLLIN},
            {.fd = is_killed ? -1 : runner->signal_fd, .events = POLLIN}
        };
        const int64_t left_ns = runner_expiry_ns(runner) - clk_mono_ns();
        const int64_t left_ms = left_ns > 0 ? left_ns / CLK_NS_PER_MS + 1 : 0;
        const int timeout = is_killed ? -1 : left_ms < 3600000 ? (int)left_ms : 3600000;
        const int n = poll(poller, 2, timeout);

        if (n > 0 && poller[0].revents)
            return keeper_result(runner->keeper, result, err);
        if (n > 0 && poller[1].revents)
            runner->ends = true; /* read by whoever ends us */
        else if (n != 0 || left_ms > 3600000)
            continue;
        if (keeper_stop(runner->keeper, err) < 0)
            return -1;
        is_killed = true;
    }
}

static uint64_t seq_of(const struct block *block, size_t row)
{
    return block->batch->frame->first_seq + row;
}

static int measure(struct block *block, const struct plan_step *step, const struct child_spec *spec,
                   struct err *err)
{
    struct runner *runner = block->runner;
    struct frame *frame = block->batch->frame;
    CLEAN_DONE(child_result) struct child_result result = {0};
    CLEAN_DONE(str) struct str why = {0};

    metrics_begin(runner->metrics, runner->platform);
    if (keeper_run(runner->keeper, spec, err) < 0 || sleep_through(runner, &result, err) < 0)
        return -1;
    const size_t row = frame_add_row(frame);
    metrics_end(runner->metrics, runner->platform, &result, frame, row);
    if (result.end == CHILD_STOPPED)
        return RUNNER_LEFT;
    const struct record_place place = {
        .experiment = lease_of(block)->experiment,
        .block = &block->plan,
        .step = step,
        .seq = seq_of(block, row),
        .row = row,
        .cwd_bytes = strlen(spec->cwd),
        .is_warmup = block->is_warmup,
    };
    if (record_sample(&place, &result, block->batch, &why) == OUTCOME_OK) {
        block->good++;
        return 0;
    }
    str_clear(&block->why);
    str_addf(&block->why, "%s: %s", place.experiment->variant[step->variant].name, str_get(&why));
    return 0;
}

static void refuse(struct block *block, const struct plan_step *step, const char *cwd,
                   const char *why)
{
    struct frame *frame = block->batch->frame;
    const size_t row = frame_add_row(frame);
    const struct record_place place = {
        .experiment = lease_of(block)->experiment,
        .block = &block->plan,
        .step = step,
        .seq = seq_of(block, row),
        .row = row,
        .cwd_bytes = strlen(cwd),
        .is_warmup = block->is_warmup,
    };

    record_refused(&place, why, block->batch);
    str_clear(&block->why);
    str_addf(&block->why, "the host was not quiet: %s", why);
}

static int take_sample(struct block *block, const struct plan_step *step, struct err *err)
{
    CLEAN_DONE(child_spec) struct child_spec spec = {0};
    CLEAN_DONE(str) struct str why = {0};
    struct command_place place;
    int rc;

    fill_place(block, step, &place);
    if (command_build(&place, COMMAND_RUN, &spec, err) < 0)
        return -1;
    rc = prepare(block, &place, err);
    if (rc == 0)
        rc = pass_gate(block, &why, err);
    if (rc == GATE_REFUSED) {
        refuse(block, step, place.cwd, str_get(&why));
        return 0;
    }
    if (rc == 0)
        rc = settle(block, err);
    return rc == 0 ? measure(block, step, &spec, err) : rc;
}

/* ---- the block ---- */

/* Outcome 0 held; RUNNER_LEFT not held. */
static int take_lock(struct runner *runner, struct err *err)
{
    int event = 0, rc = keeper_lock(runner->keeper, err);

    while (rc == 0 && event != UPLINK_FD)
        rc = runner_wait(runner, keeper_fd(runner->keeper), INT64_MAX, &event, err);
    if (rc < 0 || (rc == RUNNER_LEFT && keeper_stop(runner->keeper, err) < 0))
        return -1;
    rc = keeper_locked(runner->keeper, err); /* at once, now that we gave up waiting or hold it */
    if (rc == KEEPER_NOT_LOCKED)
        return RUNNER_LEFT;
    runner->is_locked = rc == 0;
    return rc;
}

static int drop_lock(struct runner *runner, struct err *err)
{
    runner->is_locked = false;
    return keeper_unlock(runner->keeper, err);
}

static int take_samples(struct block *block, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; i < block->plan.n_steps && rc == 0; i++)
        rc = take_sample(block, &block->plan.step[i], err);
    return rc;
}

/* Into the spool first, then the lease moves on: what the crash between them loses is nothing. */
static int keep(struct block *block, struct err *err)
{
    struct runner *runner = block->runner;
    struct lease *lease = runner->lease;
    struct wire_batch *batch = block->batch;

    batch->run = lease->run;
    batch->epoch = lease->epoch;
    batch->session = lease->session;
    batch->rounds_done = lease->first_round + (block->is_warmup ? 0 : 1);
    if (spool_append(runner->spool, batch, err) < 0)
        return -1;
    lease->next_seq += batch->frame->n;
    lease->first_round = batch->rounds_done;
    return held_save(runner->options->state_dir, lease, err);
}

static bool is_answer_due(const struct runner *runner)
{
    return uplink_is_here(runner->uplink) && outbox_is_waiting(runner->outbox);
}

/* Sends the block and waits a moment for its acknowledgement: it would come into the next sample.
 */
static int hand_over(struct runner *runner, struct err *err)
{
    const int64_t until_ns = clk_mono_ns() + ACK_NS;
    int event = 0, rc = runner_wait(runner, -1, 0, NULL, err); /* sends */

    while (rc == 0 && event != UPLINK_TIME && is_answer_due(runner))
        rc = runner_wait(runner, -1, until_ns, &event, err);
    return rc;
}

static int check_health(struct block *block, struct err *err)
{
    struct runner *runner = block->runner;

    runner->bad_blocks = block->good > 0 ? 0 : runner->bad_blocks + 1;
    if (runner->bad_blocks < BAD_BLOCKS_MAX)
        return 0;
    return err_set(err, ERR_STATE, "no good sample in %d blocks; %s", BAD_BLOCKS_MAX,
                   str_get(&block->why));
}

static int run_locked(struct block *block, struct err *err)
{
    struct runner *runner = block->runner;
    int rc = take_lock(runner, err);

    if (rc != 0)
        return rc;
    rc = runner_wait(runner, -1, 0, NULL, err);
    if (rc == 0)
        rc = take_samples(block, err);
    struct err second;
    if (drop_lock(runner, &second) < 0 && rc == 0) {
        *err = second;
        return -1;
    }
    return rc;
}

int block_run(struct runner *runner, uint32_t round, bool is_warmup, struct err *err)
{
    const struct lease *lease = runner->lease;
    struct block block = {.runner = runner, .is_warmup = is_warmup};
    int rc;

    plan_block_build(lease->experiment, lease->seed, lease->host, lease->session, round,
                     &block.plan);
    block.batch = mem_new(struct wire_batch);
    block.batch->frame = frame_new();
    block.batch->frame->first_seq = lease->next_seq;
    rc = stage_pad(runner->stage, block.plan.dir_bytes, err);
    if (rc == 0)
        rc = run_locked(&block, err);
    if (rc == 0)
        rc = keep(&block, err);
    if (rc == 0)
        rc = hand_over(runner, err);
    if (rc == 0)
        rc = check_health(&block, err);
    plan_block_done(&block.plan);
    wire_batch_free(block.batch);
    str_done(&block.why);
    return rc;
}
