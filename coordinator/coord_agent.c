/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one way in for agents. Every message: is its key enrolled now, may it send this kind from
 * this connection, only then is it decoded. Then the session, the lease and the trial it speaks of
 * must agree.
 */
#include "coordinator/hall.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

static void send_to(struct coord *coord, const struct chan_peer *peer, enum wire_kind kind,
                    const void *body)
{
    CLEAN_DONE(str) struct str bytes = {0};
    struct err err = {0};
    int result;

    if (wire_encode(kind, body, &bytes, &err) < 0 ||
        (result = chan_send(coord->agents, peer, bytes.text, bytes.length, &err)) < 0)
        log_err(LOG_WARN, &err, "answer to an agent not sent kind=%d", (int)kind);
    else if (result != 0)
        log_debug("answer to an agent not taken kind=%d", (int)kind);
}

static void refuse(struct coord *coord, const struct chan_peer *peer, const char *reason,
                   bool final)
{
    struct wire_refused refused = {.reason = (char *)reason, .final = final};

    send_to(coord, peer, WIRE_REFUSED, &refused);
}

static bool is_active(const struct coord_trial *trial)
{
    return trial->life.state == TRIAL_STAGING || trial->life.state == TRIAL_RUNNING ||
           trial->life.state == TRIAL_LOOKING;
}

/* Every trial of the host in open runs that believes in a lease, but for `keep`. */
static void leases_are_gone(struct coord *coord, const char *host, const struct coord_trial *keep)
{
    for (size_t i = 0; i < coord->n_runs; i++) {
        struct coord_run *run = coord->run[i];
        struct coord_trial *trial = run->open ? coord_run_trial(run, host) : NULL;

        if (!trial || trial == keep || (!is_active(trial) && trial->life.state != TRIAL_LOST))
            continue;
        coord_step(coord, trial, TRIAL_EV_BACK_EMPTY, NULL);
        lease_end(coord->leases, host, run->run->id);
    }
}

/* The trial an agent speaks of, whatever its epoch. NULL: there is none. */
static struct coord_trial *spoken_of(struct coord *coord, const char *host, int64_t id)
{
    struct err err = {0};
    struct coord_run *run = id > 0 ? coord_run_get(coord, id, &err) : NULL;

    return run ? coord_run_trial(run, host) : NULL;
}

/* ---- hello ---- */

static void note_host(struct coord *coord, struct coord_member *member,
                      const struct chan_message *message, struct wire_hello *hello)
{
    struct host *host = member->host;

    member->peer = message->peer;
    mem_free(host->boot_id);
    mem_free(host->agent_version);
    mem_free(host->machine);
    fact_set_free(host->facts);
    host->boot_id = mem_strdup(hello->boot_id);
    host->agent_version = mem_strdup(hello->agent_version);
    host->facts = mem_steal(&hello->facts);
    if (!host->facts)
        host->facts = fact_set_new();
    host->machine = mem_strdup(fact_set_get(host->facts, "machine"));
    host->seen_wall_us = clk_wall_us();
    host->connected = true;
    coord_member_store(coord, member);
}

static void welcome(struct coord *coord, struct coord_member *member,
                    const struct chan_message *message, struct wire_hello *hello)
{
    const char *host = member->host->name;
    struct coord_trial *held = spoken_of(coord, host, hello->run);
    struct wire_welcome answer = {.version = WIRE_VERSION,
                                  .heartbeat_ns = coord->options.heartbeat_ns};
    struct err err = {0};

    if (held && hello->epoch != held->life.epoch)
        held = NULL;
    if (held && held->run->open && !trial_state_is_end((enum trial_state)held->life.state) &&
        lease_resume(coord->leases, host, hello->run, hello->epoch, clk_mono_ns(), &err) != 0)
        held = NULL;
    memcpy(answer.session, hello->session, sizeof(answer.session));
    answer.resume = held != NULL;
    answer.stored_seq = held ? held->account.stored_seq : 0;
    log_info("agent is here host=%s version=%s%s", host, hello->agent_version,
             held ? " with its lease" : "");
    send_to(coord, &message->peer, WIRE_WELCOME, &answer);
    leases_are_gone(coord, host, held);
    if (held && (held->run->open || held->life.state != TRIAL_LOST))
        coord_step(coord, held, TRIAL_EV_BACK, &(struct trial_news){.seq = hello->spooled_seq});
    else if (held) /* it comes back too late: its run has ended without it */
        coord_send_stop(coord, held, true);
    coord_grant_all(coord);
}

static void on_hello(struct coord *coord, const struct chan_message *message,
                     const struct session_who *who, struct wire_hello *hello)
{
    struct session_answer answer = {0};
    struct coord_member *member = coord_member(coord, who->name);
    struct err err = {0};

    if (!member) {
        log_warn("hello of a host that was removed host=%s", who->name);
        return;
    }
    if (session_hello(coord->sessions, who, &message->peer, hello, clk_mono_ns(), &answer, &err) <
        0) {
        log_err(LOG_WARN, &err, "hello refused");
        return;
    }
    if (!answer.welcome) {
        log_warn("agent refused host=%s: %s", who->name, answer.reason);
        refuse(coord, &message->peer, answer.reason, answer.final);
        return;
    }
    note_host(coord, member, message, hello);
    welcome(coord, member, message, hello);
}

/* ---- heartbeats ---- */

/* Word of a lease that reached nobody: the agent has none, although ours left a while ago. */
static void find_lost_lease(struct coord *coord, const char *host, int64_t now_ns)
{
    const struct lease_hold *hold = lease_holder(coord->leases, host);
    struct coord_trial *trial = hold ? spoken_of(coord, host, hold->run) : NULL;

    if (trial && is_active(trial) && trial->lease_sent_ns &&
        now_ns - trial->lease_sent_ns > 2 * coord->options.heartbeat_ns)
        leases_are_gone(coord, host, NULL);
}

/* A heartbeat that speaks of a lease the book does not have. */
static void lease_is_stale(struct coord *coord, const struct chan_message *message,
                           const char *host, const struct wire_heartbeat *heartbeat, int64_t now_ns)
{
    struct coord_trial *trial = spoken_of(coord, host, heartbeat->run);
    struct err err = {0};

    if (!trial || heartbeat->epoch != trial->life.epoch) {
        struct wire_stop stop = {.run = heartbeat->run,
                                 .epoch = heartbeat->epoch,
                                 .kill_now = true,
                                 .reason = "this lease is not valid any more"};

        send_to(coord, &message->peer, WIRE_STOP, &stop);
    } else if (trial_state_is_end((enum trial_state)trial->life.state) &&
               (trial->life.state != TRIAL_LOST || !trial->run->open)) {
        coord_send_stop(coord, trial, trial->life.state != TRIAL_DONE); /* the first one was lost */
    } else if (lease_resume(coord->leases, host, heartbeat->run, heartbeat->epoch, now_ns, &err) ==
               0) {
        coord_step(coord, trial, TRIAL_EV_BACK, NULL);
    }
}

static void on_heartbeat(struct coord *coord, const struct chan_message *message,
                         const struct session_who *who, const struct wire_heartbeat *heartbeat)
{
    int64_t now_ns = clk_mono_ns(),
            extra_ns = heartbeat->sleeping_ns > 0 ? heartbeat->sleeping_ns : 0;
    struct wire_heartbeat answer = *heartbeat;

    if (session_heartbeat(coord->sessions, who, heartbeat, now_ns) != SESSION_TAKE) {
        refuse(coord, &message->peer, "unknown session: say hello", false);
        return;
    }
    answer.wall_us = clk_wall_us();
    answer.sleeping_ns = 0;
    if (extra_ns > SESSION_SLEEP_MAX_NS)
        extra_ns = SESSION_SLEEP_MAX_NS;
    if (heartbeat->run == 0)
        find_lost_lease(coord, who->name, now_ns);
    else if (lease_renew(coord->leases, who->name, heartbeat->run, heartbeat->epoch, now_ns,
                         extra_ns) != 0)
        lease_is_stale(coord, message, who->name, heartbeat, now_ns);
    if (extra_ns == 0) /* whoever goes to sleep is not woken by an answer */
        send_to(coord, &message->peer, WIRE_HEARTBEAT_ANSWER, &answer);
}

/* ---- what happens in a trial ---- */

struct facts_job {
    struct coord *coord;
    struct coord_trial *trial;
    struct fact_set *facts;
    char digest[DIGEST_SIZE];
};

static int put_facts(struct store *store, void *arg, struct err *err)
{
    struct facts_job *job = arg;

    return store_facts_put(store, job->facts, job->digest, err);
}

static void facts_put(void *arg, int result, const struct err *err)
{
    struct facts_job *job = arg;

    if (result < 0) {
        log_err(LOG_ERROR, err, "facts not stored host=%s", job->trial->host);
    } else {
        memcpy(job->trial->facts, job->digest, sizeof(job->trial->facts));
        coord_trial_save(job->coord, job->trial, TRIAL_ORDER_NOTHING);
    }
    fact_set_free(job->facts);
    mem_free(job);
}

static void on_event(struct coord *coord, struct coord_trial *trial, struct wire_trial_event *event)
{
    struct trial_news news = {.seq = event->seq, .reason = event->reason};

    switch (event->event) {
    case WIRE_STAGED:
        if (event->facts) {
            struct facts_job *job = mem_new(struct facts_job);

            job->coord = coord;
            job->trial = trial;
            job->facts = mem_steal(&event->facts);
            writer_post(coord->writer, put_facts, job, facts_put);
        }
        coord_step(coord, trial, TRIAL_EV_STAGED, &news);
        break;
    case WIRE_STARTED:
        coord_step(coord, trial, TRIAL_EV_STARTED, &news);
        break;
    case WIRE_BLOCKS_DONE:
        coord_step(coord, trial, TRIAL_EV_TAKEN, &news);
        break;
    case WIRE_TRIAL_FAILED:
        if (!news.reason)
            news.reason = "no reason given";
        coord_step(coord, trial, TRIAL_EV_FAILED, &news);
        break;
    case WIRE_TRIAL_STOPPED:
        coord_step(coord, trial, TRIAL_EV_STOPPED, &news);
        break;
    }
    coord_trial_review(coord, trial, clk_mono_ns());
    coord_grant_all(coord);
}

static void serve(struct coord *coord, const struct chan_message *message,
                  const struct session_who *who, struct wire_message *decoded)
{
    struct coord_trial *trial;

    switch ((int)decoded->kind) {
    case WIRE_HELLO:
        on_hello(coord, message, who, decoded->as.hello);
        break;
    case WIRE_HEARTBEAT:
        on_heartbeat(coord, message, who, decoded->as.heartbeat);
        break;
    case WIRE_ARTEFACT_GET:
        coord_artefact_get(coord, &message->peer, decoded->as.chunk);
        break;
    case WIRE_BATCH:
        trial = spoken_of(coord, who->name, decoded->as.batch->run);
        if (trial)
            coord_ingest(coord, trial, &decoded->as.batch);
        else
            log_warn("batch of a run this host has no part in host=%s", who->name);
        break;
    case WIRE_TRIAL_EVENT:
        trial = spoken_of(coord, who->name, decoded->as.trial_event->run);
        if (trial && trial->life.epoch == decoded->as.trial_event->epoch)
            on_event(coord, trial, decoded->as.trial_event);
        break;
    default:
        break;
    }
}

void coord_on_agent(struct coord *coord, const struct chan_message *message)
{
    const struct key_entry *entry = coord_key(coord, message->key);
    const struct session_who who = {.key = message->key,
                                    .name = entry ? entry->name : "",
                                    .role = entry ? session_role_of(entry->role) : SESSION_NOBODY};
    enum wire_kind kind = wire_peek(message->bytes.text, message->bytes.length);
    enum session_verdict verdict =
        session_judge(coord->sessions, &who, &message->peer, kind, clk_mono_ns());
    CLEAN(wire_message) struct wire_message *decoded = NULL;
    struct err err = {0};
    int result;

    if (verdict == SESSION_ASK_HELLO) {
        refuse(coord, &message->peer, "unknown session: say hello", false);
        return;
    }
    if (verdict == SESSION_REFUSE) {
        char reason[LIMIT_REASON];

        session_reason(session_find(coord->sessions, who.name), reason);
        refuse(coord, &message->peer, reason, false);
        return;
    }
    if (verdict == SESSION_DROP || who.role != SESSION_AGENT) {
        log_warn("message refused key=%.8s… kind=%d role=%s", message->key, (int)kind,
                 entry ? entry->role : "none");
        return;
    }
    result = wire_decode(message->bytes.text, message->bytes.length, &decoded, &err);
    if (result < 0)
        log_err(LOG_WARN, &err, "message not read host=%s", who.name);
    if (result == 0)
        serve(coord, message, &who, decoded);
}

/* ---- silence ---- */

static void is_away(struct coord *coord, struct coord_member *member)
{
    if (!member->host->connected)
        return;
    member->host->connected = false;
    member->host->seen_wall_us = clk_wall_us();
    member->away_since_ns = clk_mono_ns();
    coord_member_store(coord, member);
}

void coord_agent_forget(struct coord *coord, struct coord_member *member)
{
    session_end(coord->sessions, member->host->name);
    is_away(coord, member);
}

void coord_agent_tick(struct coord *coord, int64_t now_ns)
{
    struct session_loss loss;
    const struct lease_hold *hold;

    while (session_next_loss(coord->sessions, now_ns, &loss)) {
        struct coord_member *member = coord_member(coord, loss.name);

        log_warn("agent lost host=%s: %s", loss.name, loss.reason);
        if (member)
            is_away(coord, member);
        for (size_t i = 0; i < coord->n_runs; i++) {
            struct coord_trial *trial = coord_run_trial(coord->run[i], loss.name);

            if (trial && (is_active(trial) || trial->life.draining))
                coord_step(coord, trial, TRIAL_EV_SILENT,
                           &(struct trial_news){.reason = loss.reason});
        }
    }
    while ((hold = lease_expired(coord->leases, now_ns))) {
        struct coord_trial *trial = spoken_of(coord, hold->host, hold->run);
        CLEAN_MEM char *host = mem_strdup(hold->host);

        lease_end(coord->leases, host, hold->run);
        if (trial && is_active(trial))
            coord_step(coord, trial, TRIAL_EV_SILENT,
                       &(struct trial_news){.reason = "its lease was not renewed"});
    }
}
