/* SPDX-License-Identifier: GPL-3.0-or-later
 * Runs: stored with their experiment as it was, numbered per name, found by what a user types. */
#include "coordinator/store/backend/sqlite.h"

#include "base/clk.h"
#include "proto/wire.h"

#include <string.h>

void run_free(struct run *run)
{
    if (!run)
        return;
    mem_free(run->experiment);
    mem_free(run->token);
    strlist_done(&run->part_of_variant);
    strlist_done(&run->suspect);
    experiment_free(run->spec);
    mem_free(run);
}

void run_list_done(struct run_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        run_free(list->v[i]);
    mem_free(list->v);
    *list = (struct run_list){0};
}

static int join(const struct strlist *list, struct str *ret, struct err *err)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strchr(list->v[i], '\n'))
            return err_set(err, ERR_INPUT, "a name with a line break: %s", list->v[i]);
        str_addf(ret, "%s%s", i ? "\n" : "", list->v[i]);
    }
    return 0;
}

static void split(const char *text, struct strlist *ret)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        CLEAN_MEM char *word = mem_strndup(text, length);

        strlist_add(ret, word);
        text += length + (text[length] == '\n');
    }
}

/* STORE_SAME when a run with this token is there. */
static int find_token(struct store *store, struct run *run, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (!run->token)
        return 0;
    if (sq_open(store, "SELECT id, number FROM run WHERE token = ?", &q, err) < 0)
        return -1;
    sq_text(&q, run->token);
    rc = sq_step(&q, err);
    if (rc <= 0)
        return rc;
    run->id = sq_get_int(&q, 0);
    run->number = sq_get_int(&q, 1);
    return STORE_SAME;
}

static int next_number(struct store *store, const char *experiment, int64_t *ret, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store, "SELECT 1 + coalesce(max(number), 0) FROM run WHERE experiment = ?", &q,
                err) < 0)
        return -1;
    sq_text(&q, experiment);
    if (sq_step(&q, err) < 0)
        return -1;
    *ret = sq_get_int(&q, 0);
    return 0;
}

static int add_row(struct store *store, const struct run *run, int64_t number, struct err *err)
{
    CLEAN_DONE(str) struct str spec = {0};
    CLEAN_DONE(str) struct str parts = {0};
    CLEAN_DONE(str) struct str suspects = {0};
    CLEAN_DONE(sq) struct sq q = {0};

    wire_experiment_pack(run->spec, &spec);
    if (join(&run->part_of_variant, &parts, err) < 0 || join(&run->suspect, &suspects, err) < 0 ||
        sq_open(store,
                "INSERT INTO run (experiment, number, seed, state, created_us, ended_us, token, "
                "design_unknown, aa,"
                " look_min, look_max, part_of_variant, suspect, spec) VALUES (?, ?, ?, ?, ?, ?, ?, "
                "?, ?, ?, ?, ?, ?, ?)",
                &q, err) < 0)
        return -1;
    sq_text(&q, run->experiment);
    sq_int(&q, number);
    sq_u64(&q, run->seed);
    sq_int(&q, (int64_t)run->state);
    sq_int(&q, run->created_wall_us);
    sq_int(&q, run->ended_wall_us);
    sq_text(&q, run->token);
    sq_int(&q, run->design_unknown);
    sq_int(&q, run->aa);
    sq_int(&q, run->look_min);
    sq_int(&q, run->look_max);
    sq_text(&q, str_get(&parts));
    sq_text(&q, str_get(&suspects));
    sq_blob(&q, spec.text, spec.length);
    return sq_run(&q, err);
}

static int add_trial(struct store *store, int64_t run, const char *host, int64_t wall_us,
                     struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    int64_t host_id = 0;

    if (sqlite_host_id(store, host, true, &host_id, err) < 0 ||
        sq_open(store, "INSERT INTO trial (run, host_id, state, since_us) VALUES (?, ?, ?, ?)", &q,
                err) < 0)
        return -1;
    sq_int(&q, run);
    sq_int(&q, host_id);
    sq_int(&q, TRIAL_WAITING);
    sq_int(&q, wall_us);
    return sq_run(&q, err);
}

static int add_all(struct store *store, struct run *run, const struct strlist *hosts,
                   struct err *err)
{
    int64_t number = 0, id = 0;
    int rc = find_token(store, run, err);

    if (rc != 0)
        return rc;
    if (next_number(store, run->experiment, &number, err) < 0 ||
        add_row(store, run, number, err) < 0)
        return -1;
    id = sqlite3_last_insert_rowid(store->db);
    for (size_t i = 0; i < hosts->n; i++) {
        if (add_trial(store, id, hosts->v[i], run->created_wall_us, err) < 0)
            return err_wrap(err, "host %s", hosts->v[i]);
    }
    run->id = id;
    run->number = number;
    return 0;
}

int store_run_add(struct store *store, struct run *run, const struct strlist *hosts,
                  struct err *err)
{
    struct run before = *run;
    int rc = 0;

    if (store_mark(store, err) < 0)
        return -1;
    rc = add_all(store, run, hosts, err);
    if (rc < 0)
        store_undo(store);
    else if (store_keep(store, err) < 0)
        rc = -1;
    if (rc < 0) {
        run->id = before.id;
        run->number = before.number;
        return err_wrap(err, "run of %s", run->experiment);
    }
    return rc;
}

int store_run_set_state(struct store *store, int64_t run, enum run_state state, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store, "UPDATE run SET state = ?, ended_us = ? WHERE id = ?", &q, err) < 0)
        return -1;
    sq_int(&q, (int64_t)state);
    sq_int(&q, state == RUN_RUNNING ? 0 : clk_wall_us());
    sq_int(&q, run);
    if (sq_run(&q, err) < 0)
        return -1;
    if (sqlite3_changes(store->db) == 0)
        return err_set(err, ERR_NOT_FOUND, "no run #%lld", (long long)run);
    return 0;
}

#define RUN_COLUMNS                                                                                \
    "SELECT id, experiment, number, seed, state, created_us, ended_us, token, design_unknown, "    \
    "aa, look_min, look_max,"                                                                      \
    " part_of_variant, suspect, spec FROM run "

static int read_row(const struct sq *q, struct run **ret, struct err *err)
{
    CLEAN(run) struct run *run = mem_new(struct run);
    size_t length = 0;
    const void *spec = sq_get_blob(q, 14, &length);

    run->id = sq_get_int(q, 0);
    run->experiment = mem_strdup(sq_get_text(q, 1));
    run->number = sq_get_int(q, 2);
    run->seed = sq_get_u64(q, 3);
    run->state = (enum run_state)sq_get_int(q, 4);
    run->created_wall_us = sq_get_int(q, 5);
    run->ended_wall_us = sq_get_int(q, 6);
    run->token = mem_strdup(sq_get_text(q, 7));
    run->design_unknown = sq_get_int(q, 8) != 0;
    run->aa = sq_get_int(q, 9) != 0;
    run->look_min = (uint32_t)sq_get_int(q, 10);
    run->look_max = (uint32_t)sq_get_int(q, 11);
    split(sq_get_text(q, 12), &run->part_of_variant);
    split(sq_get_text(q, 13), &run->suspect);
    if (wire_experiment_unpack(spec, length, &run->spec, err) < 0)
        return err_wrap(err, "experiment of %s@%lld in %s", run->experiment, (long long)run->number,
                        q->store->path);
    *ret = mem_steal(&run);
    return 0;
}

int store_run_get(struct store *store, int64_t id, struct run **ret, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (sq_open(store, RUN_COLUMNS "WHERE id = ?", &q, err) < 0)
        return -1;
    sq_int(&q, id);
    rc = sq_step(&q, err);
    if (rc == 0)
        return err_set(err, ERR_NOT_FOUND, "no run #%lld", (long long)id);
    return rc < 0 ? -1 : read_row(&q, ret, err);
}

/* number 0: the latest. STORE_EMPTY when there is none. */
static int find_number(struct store *store, const char *name, uint64_t number, struct run **ret,
                       struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (sq_open(store,
                RUN_COLUMNS
                "WHERE experiment = ?1 AND (?2 = 0 OR number = ?2) ORDER BY number DESC LIMIT 1",
                &q, err) < 0)
        return -1;
    sq_text(&q, name);
    sq_u64(&q, number);
    rc = sq_step(&q, err);
    if (rc == 0)
        return STORE_EMPTY;
    return rc < 0 ? -1 : read_row(&q, ret, err);
}

static int not_found(struct store *store, const char *reference, struct err *err)
{
    CLEAN_DONE(strlist) struct strlist names = {0};
    CLEAN_DONE(sq) struct sq q = {0};
    CLEAN_MEM char *bare = mem_strndup(reference, strcspn(reference, "@"));
    const char *near = NULL;
    int rc = 0;

    if (sq_open(store, "SELECT DISTINCT experiment FROM run ORDER BY experiment", &q, err) < 0)
        return -1;
    while ((rc = sq_step(&q, err)) > 0)
        strlist_add(&names, sq_get_text(&q, 0));
    if (rc < 0)
        return -1;
    if (strlist_has(&names, bare))
        return err_set(err, ERR_NOT_FOUND, "no run %s; experiment %s has others (muster ls)",
                       reference, bare);
    near = str_nearest(bare, (const char *const *)names.v, names.n);
    if (near)
        return err_set(err, ERR_NOT_FOUND, "no experiment %s; did you mean %s?", reference, near);
    return err_set(err, ERR_NOT_FOUND, "no experiment %s%s", reference,
                   names.n ? " (muster ls lists them)" : ": none was run yet");
}

int store_run_find(struct store *store, const char *reference, struct run **ret, struct err *err)
{
    const char *at = strrchr(reference, '@');
    uint64_t number = 0;
    int64_t id = 0;
    int rc = 0;

    if (reference[0] == '#' && str_to_i64(reference + 1, &id, NULL) == 0)
        return store_run_get(store, id, ret, err);
    if (at && str_to_u64(at + 1, &number, NULL) == 0 && number > 0) {
        CLEAN_MEM char *name = mem_strndup(reference, (size_t)(at - reference));

        rc = find_number(store, name, number, ret, err);
        if (rc != STORE_EMPTY)
            return rc;
    }
    rc = find_number(store, reference, 0, ret, err); /* a name may hold an @ itself */
    return rc == STORE_EMPTY ? not_found(store, reference, err) : rc;
}

int store_runs(struct store *store, struct run_list *ret, struct err *err)
{
    CLEAN_DONE(run_list) struct run_list list = {0};
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (sq_open(store, RUN_COLUMNS "ORDER BY id DESC", &q, err) < 0)
        return -1;
    while ((rc = sq_step(&q, err)) > 0) {
        struct run *run = NULL;

        if (read_row(&q, &run, err) < 0)
            return -1;
        list.v = mem_grow(list.v, &list.cap, list.n + 1, sizeof *list.v);
        list.v[list.n++] = run;
    }
    if (rc < 0)
        return -1;
    *ret = list;
    memset(&list, 0, sizeof list);
    return 0;
}
