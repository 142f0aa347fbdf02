/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to the hallway (coordinator/coord*.c): the one object that joins the rooms, used by the
 * loop's thread alone. Everything that changes what must be remembered goes through the writer;
 * messages that depend on it leave from its `done`.
 */
#pragma once
#include <czmq.h>

#include "base/clk.h"
#include "coordinator/coord.h"
#include "coordinator/desk.h"
#include "coordinator/ingest/ingest.h"
#include "coordinator/lease/lease.h"
#include "coordinator/plan/plan.h"
#include "coordinator/session/session.h"
#include "coordinator/store/store.h"
#include "coordinator/store/writer.h"
#include "coordinator/trial/trial.h"
#include "net/auth.h"
#include "net/chan.h"
#include "proto/wire.h"

struct coord_member { /* a host the coordinator knows */
    struct host *host;
    struct chan_peer peer; /* while host->connected */
    int64_t away_since_ns; /* while not connected: since when */
};
struct coord_trial {
    struct coord_run *run;
    char *host;
    struct trial_life life;
    struct ingest_account account;
    char facts[DIGEST_SIZE];
    int64_t since_wall_us, since_ns; /* of the state */
    int64_t first_lease_ns;          /* 0: none yet; the budget counts from here */
    int64_t lease_sent_ns;
    int64_t missing_since_ns; /* counts disagree since then; 0: they do not */
    bool look_asked;          /* at a desk now */
    uint32_t looked_rounds;   /* rounds the last answer of the stop rule was about */
    unsigned saves;           /* steps posted so far */
    int64_t idle_since_ns; /* all that was granted is stored, but the agent has not said so; 0: not
                              so */
    bool unsaved;          /* its step could not be stored yet: tried again, then … */
    enum trial_order owed; /* … this is carried out */
};
struct coord_run {
    struct run *run; /* spec inside */
    uint32_t *look;
    size_t n_looks;
    struct coord_trial *trial; /* sorted by host */
    size_t n_trials;
    bool open, closing; /* closing: its end is on its way to the store */
    bool cancelling;
    int64_t opened_ns, cancelled_ns, closed_ns;
    int64_t wait_hosts_ns;
    uint64_t samples_since_open;
};
struct coord_follower {
    struct chan_peer peer;
    char key[KEY_SIZE];
    uint64_t request;
    int64_t run;
};
struct coord_reply; /* an answer that is being sent in pieces */
struct coord_upload;

struct coord {
    struct coord_options options; /* defaults filled in */
    struct keys keys;
    struct auth *auth;
    struct chan *agents, *users;
    zloop_t *loop;
    struct store *store; /* read connection of this thread */
    struct writer *writer;
    struct desk *queries, *looks;
    struct session_table *sessions;
    struct lease_book *leases;
    struct key_list enrolled;
    struct coord_member **member; /* sorted by name */
    size_t n_members, members_cap;
    struct coord_run **run;
    size_t n_runs, runs_cap;
    struct coord_follower *follower;
    size_t n_followers, followers_cap;
    struct coord_reply *replies;
    struct coord_upload *uploads;
    bool space_low, user_seen, ending;
    int64_t user_heard_ns, followed_ns, space_checked_ns;
    size_t pending_submits;
    int signal_fd;
};

/* ---- coord_keys.c: who may talk ---- */
const struct key_entry *coord_key(const struct coord *coord,
                                  const char *key); /* NULL: unknown or revoked */
MUST_CHECK int coord_keys_load(struct coord *coord, struct err *err);
/* Remembers and lets in; durable when the writer is done. name may be a host or a user. */
MUST_CHECK int coord_key_add(struct coord *coord, const char *key, const char *name,
                             const char *role, struct err *err);
/* Of a host: its key is refused from now on. */
void coord_key_revoke(struct coord *coord, const char *name);
void coord_audit(struct coord *coord, const char *who, const char *what, const char *detail);

/* ---- coord_hosts.c: the pool ---- */
MUST_CHECK int coord_hosts_load(struct coord *coord, struct err *err);
struct coord_member *coord_member(struct coord *coord, const char *name); /* NULL: unknown */
struct coord_member *coord_member_add(struct coord *coord, const char *name, const char *key);
void coord_member_remove(struct coord *coord, const char *name);
void coord_member_store(struct coord *coord, const struct coord_member *member);
void coord_hosts_done(struct coord *coord);
/* To the agent of that host, if it is connected; a message that cannot go out now ends its session
 * (it will say hello). */
void coord_send_agent(struct coord *coord, const char *host, enum wire_kind kind, const void *body);

/* ---- coord_runs.c: runs in memory ---- */
MUST_CHECK int coord_runs_load(struct coord *coord, struct err *err); /* the open ones */
/* From memory, else from the store (closed then). NULL with err when there is no such run. */
struct coord_run *coord_run_get(struct coord *coord, int64_t id, struct err *err);
struct coord_trial *coord_run_trial(struct coord_run *run, const char *host);
/* Takes the run (its trials are read from the store) into memory as open. */
MUST_CHECK int coord_run_open(struct coord *coord, int64_t id, struct coord_run **ret,
                              struct err *err);
void coord_run_cancel(struct coord *coord, struct coord_run *run, const char *who);
void coord_run_tick(struct coord *coord, struct coord_run *run, int64_t now_ns);
void coord_runs_done(struct coord *coord);
void coord_run_reference(const struct coord_run *run, struct str *ret); /* NAME@3 */

/* ---- coord_trial.c: steps ---- */
/* Steps the trial, stores the step, carries out its order after the commit. Unexpected events are
 * ignored. */
void coord_step(struct coord *coord, struct coord_trial *trial, enum trial_event event,
                const struct trial_news *news);
/* The trial as a row of the store; host and reason are the caller's to free. */
void coord_trial_row(const struct coord_trial *trial, struct trial *ret);
void coord_send_stop(struct coord *coord, const struct coord_trial *trial, bool now);
void coord_trial_save(struct coord *coord, struct coord_trial *trial, enum trial_order order);
/* After samples were stored or the agent spoke: is it time for a look, do counts disagree, is the
 * budget used up? */
void coord_trial_review(struct coord *coord, struct coord_trial *trial, int64_t now_ns);

/* ---- coord_grant.c, coord_look.c ---- */
void coord_grant_all(struct coord *coord);
void coord_look(struct coord *coord, struct coord_trial *trial);

/* ---- coord_agent.c ---- */
void coord_on_agent(struct coord *coord, const struct chan_message *message);
void coord_agent_tick(struct coord *coord, int64_t now_ns);
/* Ends its session without waiting: whatever it sends next is answered with "say hello". */
void coord_agent_forget(struct coord *coord, struct coord_member *member);

/* ---- coord_ingest.c ---- */
/* Takes the batch when it is new. */
void coord_ingest(struct coord *coord, struct coord_trial *trial, struct wire_batch **batch);

/* ---- coord_user.c, coord_submit.c, coord_host_set.c, coord_import.c ---- */
void coord_on_user(struct coord *coord, const struct chan_message *message);
struct coord_asker { /* whom to answer */
    struct chan_peer peer;
    uint64_t request;
    char who[LIMIT_NAME + 1];
};
void coord_submit(struct coord *coord, const struct coord_asker *asker,
                  struct wire_request *request);
void coord_dry_run(struct coord *coord, const struct coord_asker *asker,
                   const struct wire_request *request);
void coord_cancel(struct coord *coord, const struct coord_asker *asker,
                  const struct wire_request *request);
void coord_rerun(struct coord *coord, const struct coord_asker *asker,
                 const struct wire_request *request);
void coord_host_set(struct coord *coord, const struct coord_asker *asker,
                    const struct wire_request *request);
void coord_import(struct coord *coord, const struct coord_asker *asker,
                  const struct wire_request *request);

/* ---- coord_reply.c: answers ---- */
void coord_reply_text(struct coord *coord, const struct coord_asker *asker, int exit_code,
                      const char *text);
void coord_reply_error(struct coord *coord, const struct coord_asker *asker, const struct err *err);
void coord_query(struct coord *coord, const struct coord_asker *asker,
                 const struct wire_request *request);
void coord_reply_flush(struct coord *coord, int64_t now_ns);
void coord_replies_done(struct coord *coord);

/* ---- coord_follow.c ---- */
void coord_follow(struct coord *coord, const struct coord_asker *asker, const char *key,
                  const struct wire_request *request);
void coord_follow_tick(struct coord *coord, int64_t now_ns);
void coord_follow_end(struct coord *coord, const struct coord_run *run);

/* ---- coord_artefact.c ---- */
void coord_artefact_get(struct coord *coord, const struct chan_peer *peer,
                        const struct wire_chunk *ask);
void coord_artefact_put(struct coord *coord, const struct chan_peer *peer,
                        const struct wire_chunk *chunk);
bool coord_artefact_held(const struct coord *coord, const char *digest);
void coord_uploads_done(struct coord *coord);
