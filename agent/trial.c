/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One trial: artefacts, facts, setup, warm-up, then blocks as far as the grant reaches; then it
 * waits to hear whether there are more. After a restart of the agent all but the finished blocks is
 * done again.
 */
#include "agent/runner.h"

#include <string.h>

#include "agent/command.h"
#include "agent/held.h"
#include "base/clk.h"
#include "base/log.h"
#include "model/limits.h"

#define CHUNK_AGAIN_NS (3 * CLK_NS_PER_S)
enum { CHUNK_TRIES = 20 };

/* ---- staging ---- */

static void ask_chunk(struct runner *runner, const char *digest, uint64_t offset)
{
    struct wire_chunk ask = {.offset = offset};

    memcpy(ask.digest, digest, DIGEST_SIZE);
    uplink_send(runner->uplink, WIRE_ARTEFACT_GET, &ask);
}

static int fetch(struct runner *runner, const char *digest, struct err *err)
{
    uint64_t offset;
    int tries = 0, rc = stage_fetch_begin(runner->stage, digest, &offset, err);

    while (rc == 0 && tries < CHUNK_TRIES) {
        const int64_t until_ns = clk_mono_ns() + CHUNK_AGAIN_NS;
        int event = 0;

        tries++;
        ask_chunk(runner, digest, offset);
        while (event != UPLINK_TIME && !runner->chunk) {
            rc = runner_wait(runner, -1, until_ns, &event, err);
            if (rc != 0)
                return rc;
        }
        if (!runner->chunk)
            continue;
        const uint64_t before = offset;
        CLEAN_MEM void *bytes = runner->chunk->bytes;
        CLEAN_MEM struct wire_chunk *chunk = mem_steal(&runner->chunk);
        rc = stage_fetch_take(runner->stage, chunk, &offset, err);
        if (offset != before)
            tries = 0;
    }
    if (rc == STAGE_DONE)
        return 0;
    return rc < 0 ? -1 : err_set(err, ERR_TIMEOUT, "artefact %.12s did not arrive", digest);
}

static int stage_all(struct runner *runner, struct err *err)
{
    const struct experiment *experiment = runner->lease->experiment;

    for (size_t i = 0; i < experiment->n_variants; i++) {
        const char *digest = experiment->variant[i].artefact;

        if (!digest[0] || stage_holds(runner->stage, digest))
            continue;
        const int rc = fetch(runner, digest, err);
        if (rc != 0)
            return rc;
    }
    return stage_work(runner->stage, experiment, err);
}

static int check_lease(const struct lease *lease, struct err *err)
{
    if (experiment_check(lease->experiment, err) < 0)
        return -1;
    for (size_t f = 0; f < lease->experiment->n_factors; f++)
        if (strcmp(lease->experiment->factor[f].name, "load") == 0)
            return err_set(err, ERR_UNSUPPORTED,
                           "this agent (%s) cannot make load: leave the factor `load` out",
                           MUSTER_VERSION);
    return 0;
}

static int setup_all(struct runner *runner, struct err *err)
{
    const struct experiment *experiment = runner->lease->experiment;

    for (uint32_t i = 0; i < experiment->n_variants; i++) {
        CLEAN_DONE(child_spec) struct child_spec spec = {0};
        CLEAN_DONE(child_result) struct child_result result = {0};
        const struct command_place place = {.experiment = experiment,
                                            .host_env = &runner->options->host_env,
                                            .variant = i,
                                            .cwd = stage_dir(runner->stage, i)};
        int rc = command_build(&place, COMMAND_SETUP, &spec, err);

        if (rc == COMMAND_NONE)
            continue;
        if (rc == 0)
            rc = runner_command(runner, &spec, &result, err);
        if (rc != 0)
            return rc;
        if (result.end != CHILD_EXITED || result.status != 0) {
            CLEAN_MEM char *said =
                str_visible(str_get(result.error.length ? &result.error : &result.output), 200);
            return err_set(err, ERR_STATE, "setup of variant %s: status %d %s: %s",
                           experiment->variant[i].name, result.status, result.why, said);
        }
    }
    return 0;
}

static void report_staged(struct runner *runner)
{
    const struct fact_context context = {
        .platform = runner->platform,
        .work_dir = stage_dir(runner->stage, 0),
        .host_env = &runner->options->host_env,
        .facts_dir = runner->options->facts_dir,
        .declared = &runner->options->facts,
    };

    fact_set_free(runner->facts);
    runner->facts = fact_read_all(&context);
    runner_event(runner, WIRE_STAGED, NULL, 0);
}

/* ---- blocks ---- */

/* The grant is used up: says so, and waits for more. */
static int wait_for_more(struct runner *runner, struct err *err)
{
    const struct lease *lease = runner->lease;

    runner_event(runner, WIRE_BLOCKS_DONE, NULL, lease->next_seq - 1);
    runner->is_rewelcomed = false;
    while (lease->first_round >= lease->upto_round) {
        const int rc = runner_wait(runner, -1, INT64_MAX, NULL, err);

        if (rc != 0)
            return rc;
        if (runner->is_rewelcomed) {
            runner->is_rewelcomed = false;
            runner_event(runner, WIRE_BLOCKS_DONE, NULL, lease->next_seq - 1);
        }
    }
    return 0;
}

static int warm_up(struct runner *runner, struct err *err)
{
    const struct lease *lease = runner->lease;
    int rc = 0;

    for (uint32_t i = 0; i < lease->experiment->warmup && rc == 0; i++)
        rc = block_run(runner, lease->first_round, true, err);
    return rc;
}

/* A block starts only while the coordinator still counts on us: asks when it was silent for long.
 */
static int freshen(struct runner *runner, struct err *err)
{
    const int64_t heard_ns = uplink_heard_ns(runner->uplink);
    int rc = 0;

    if (clk_mono_ns() - heard_ns < runner->lease->ttl_ns / 3 || !uplink_is_here(runner->uplink))
        return 0;
    const int64_t until_ns = clk_mono_ns() + CLK_NS_PER_S;
    int event = 0;
    uplink_beat(runner->uplink);
    while (rc == 0 && event != UPLINK_TIME && uplink_heard_ns(runner->uplink) == heard_ns)
        rc = runner_wait(runner, -1, until_ns, &event, err);
    return rc;
}

static int measure_all(struct runner *runner, struct err *err)
{
    const struct lease *lease = runner->lease;

    for (;;) {
        int rc = freshen(runner, err);

        if (rc == 0 && lease->first_round >= lease->upto_round)
            rc = wait_for_more(runner, err);
        if (rc == 0)
            rc = block_run(runner, lease->first_round, false, err);
        if (rc != 0)
            return rc;
    }
}

int trial_run(struct runner *runner, struct err *err)
{
    int rc = check_lease(runner->lease, err);

    runner->bad_blocks = 0;
    if (rc == 0)
        rc = stage_all(runner, err);
    if (rc != 0)
        return rc;
    report_staged(runner);
    rc = setup_all(runner, err);
    if (rc == 0 && runner->lease->first_round < runner->lease->upto_round) {
        runner_event(runner, WIRE_STARTED, NULL, 0);
        rc = warm_up(runner, err);
    }
    return rc == 0 ? measure_all(runner, err) : rc;
}
