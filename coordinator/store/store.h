/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store: everything muster must remember, behind one door. A struct store is one connection,
 * used by one thread. Writers open it with STORE_WRITE (one at a time per file, by a lock the
 * kernel drops); any number of readers beside. Functions named put/set/add write and are durable
 * when the surrounding store_begin/store_commit returned (each is its own transaction without one).
 * No SQL leaves backend/.
 */
#pragma once
#include "base/err.h"
#include "model/experiment.h"
#include "model/host.h"
#include "model/sample.h"
#include "model/trial.h"

struct store;
enum { STORE_READ = 0, STORE_WRITE = 1, STORE_CREATE = 2 };
/* Runs quick_check and forward migrations when writing. ERR_STATE when another process writes;
 * ERR_STORE when damaged or from a newer version (the message says what to do). */
MUST_CHECK int store_open(const char *path, int flags, struct store **ret, struct err *err);
void store_free(struct store *store);
MEM_CLEANUP(store)
MUST_CHECK int store_begin(struct store *store, struct err *err);
MUST_CHECK int store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);
/* A mark inside a transaction (or a transaction of its own when none is open): store_undo takes
 * back what was written since, store_keep keeps it. Marks nest. store_begin fails inside one; put
 * and add functions work inside both. */
MUST_CHECK int store_mark(struct store *store, struct err *err);
MUST_CHECK int store_keep(struct store *store, struct err *err);
void store_undo(struct store *store);
/* Moves the write-ahead log into the file and empties it; for idle moments. */
MUST_CHECK int store_checkpoint(struct store *store, struct err *err);
/* STORE_SPACE_LOW when less than 512 MiB or 5 % of the disk are left: grant no new leases and say
 * so. */
enum { STORE_SPACE_LOW = 3 };
MUST_CHECK int store_space_low(const struct store *store, struct err *err);
/* The path it was opened with: a second connection for another thread. */
const char *store_path(const struct store *store);

/* ---- hosts ---- */
MUST_CHECK int store_host_put(struct store *store, const struct host *host,
                              struct err *err); /* by name; facts stored once by content */
MUST_CHECK int store_host_get(struct store *store, const char *name, struct host **ret,
                              struct err *err); /* ERR_NOT_FOUND */
struct host_list {
    struct host **v;
    size_t n, cap;
};
void host_list_done(struct host_list *list);
MUST_CHECK int store_hosts(struct store *store, struct host_list *ret,
                           struct err *err); /* sorted by name */
MUST_CHECK int store_host_remove(struct store *store, const char *name, struct err *err);

/* ---- runs ---- */
struct run {
    int64_t id;
    char *experiment; /* name */
    int64_t number;   /* NAME@number, from 1 */
    uint64_t seed;
    enum run_state state;
    int64_t created_wall_us, ended_wall_us;
    char *token; /* the submitter's idempotency token */
    bool design_unknown, aa;
    uint32_t look_min, look_max;
    struct strlist part_of_variant, suspect;
    struct experiment
        *spec; /* experiment as stored; imports have one too (variants, metric, factors) */
};
void run_free(struct run *run);
MEM_CLEANUP(run)
struct run_list {
    struct run **v;
    size_t n, cap;
};
void run_list_done(struct run_list *list);
/* Stores the run and, in the same transaction, one trial row per target host. Gives id and number.
 * A token seen before returns that run's id and number and STORE_SAME. */
enum { STORE_SAME = 1, STORE_EMPTY = 2 };
MUST_CHECK int store_run_add(struct store *store, struct run *run, const struct strlist *hosts,
                             struct err *err);
MUST_CHECK int store_run_set_state(struct store *store, int64_t run, enum run_state state,
                                   struct err *err);
/* "NAME" (latest), "NAME@3", or a bare run id "#17". ERR_NOT_FOUND names the nearest known name. */
MUST_CHECK int store_run_find(struct store *store, const char *reference, struct run **ret,
                              struct err *err);
MUST_CHECK int store_run_get(struct store *store, int64_t id, struct run **ret, struct err *err);
MUST_CHECK int store_runs(struct store *store, struct run_list *ret,
                          struct err *err); /* newest first, specs included */

/* ---- trials: one row per (run, host) ---- */
struct trial {
    int64_t run;
    char *host;
    enum trial_state state;
    char *reason;                  /* why failed, lost or never; "" otherwise */
    int64_t since_wall_us;         /* of the state */
    uint64_t epoch;                /* last epoch granted */
    uint64_t stored_seq;           /* highest contiguous sequence number stored */
    uint32_t session, rounds_done; /* rounds complete and stored in this session */
    uint32_t granted_upto;         /* rounds granted so far */
    char facts[DIGEST_SIZE];       /* fact set as it was then; "" unknown yet */
    char *epoch_name;              /* of imported hosts listed by epoch; NULL */
};
void trial_free(struct trial *trial);
MEM_CLEANUP(trial)
struct trial_list {
    struct trial **v;
    size_t n, cap;
};
void trial_list_done(struct trial_list *list);
MUST_CHECK int store_trials(struct store *store, int64_t run, struct trial_list *ret,
                            struct err *err); /* sorted by host */
/* Writes state, reason, epoch, session, rounds_done, granted_upto, facts; never stored_seq. */
MUST_CHECK int store_trial_put(struct store *store, const struct trial *trial, struct err *err);
/* Facts of a trial as they were then. */
MUST_CHECK int store_facts_put(struct store *store, const struct fact_set *facts,
                               char ret_digest[DIGEST_SIZE], struct err *err);
MUST_CHECK int store_facts_get(struct store *store, const char *digest, struct fact_set **ret,
                               struct err *err);

/* ---- samples ---- */
/* Stores what of the frame is new: rows at or below stored_seq are skipped (a repeated batch is
 * harmless), a gap is ERR_STATE and nothing is stored. *ret_high: highest contiguous number stored
 * afterwards. An epoch older than the trial's is ERR_AUTH: the rows are kept aside in quarantine
 * and never judged (a writer's closure must not fail with it, or the quarantine is undone with the
 * rest). An epoch never granted is ERR_STATE. */
MUST_CHECK int store_frame_put(struct store *store, int64_t run, const char *host, uint64_t epoch,
                               const struct frame *frame, uint64_t *ret_high, struct err *err);
/* All samples of one host of a run as one frame (empty frame when none). */
MUST_CHECK int store_frame_get(struct store *store, int64_t run, const char *host,
                               struct frame **ret, struct err *err);
struct store_counts {
    uint64_t stored, ok, quarantined;
};
MUST_CHECK int store_counts(struct store *store, int64_t run, const char *host,
                            struct store_counts *ret, struct err *err);
/* Output kept of a failed sample (capped by LIMIT_OUTPUT_ON_FAILURE). */
MUST_CHECK int store_output_put(struct store *store, int64_t run, const char *host, uint64_t seq,
                                const char *text, size_t length, struct err *err);
MUST_CHECK int store_output_get(struct store *store, int64_t run, const char *host, uint64_t seq,
                                struct str *ret, struct err *err);
/* Names of columns seen in a run (numbers, texts), sorted. */
MUST_CHECK int store_columns(struct store *store, int64_t run, struct strlist *ret_numbers,
                             struct strlist *ret_texts, struct err *err);

/* ---- enrolled keys: who may talk, in which role ---- */
struct key_entry {
    char key[41]; /* Z85 public key */
    char *name;   /* host or user */
    char *role;   /* "agent", "operator", "viewer" */
    bool revoked;
};
struct key_list {
    struct key_entry *v;
    size_t n, cap;
};
void key_list_done(struct key_list *list);
MUST_CHECK int store_key_put(struct store *store, const struct key_entry *entry, struct err *err);
MUST_CHECK int store_keys(struct store *store, struct key_list *ret, struct err *err);

/* ---- audit ---- */
MUST_CHECK int store_audit(struct store *store, const char *who, const char *what,
                           const char *detail, struct err *err);
/* Follows the chain of hashes. ERR_STORE names the first row at or before which something was
 * changed or taken out. */
MUST_CHECK int store_audit_check(struct store *store, uint64_t *ret_rows, struct err *err);

/* ---- artefacts: blobs by digest beside the database ---- */
/* <data>/artefacts/ab/abcdef…; the path whether it exists or not. */
char *store_artefact_path(const struct store *store, const char *digest);
