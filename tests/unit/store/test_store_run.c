/* SPDX-License-Identifier: GPL-3.0-or-later
 * Hosts, runs, trials and keys as they come back from the store. */
#include "store_fixture.h"

static int open_store(void **state, struct store **ret)
{
    struct place_of_test *place = *state;
    struct err err = {0};

    if (store_open(place->path, STORE_CREATE, ret, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static struct host *some_host(const char *name, const char *vendor)
{
    struct host *host = mem_new(struct host);

    host->name = mem_strdup(name);
    host->key = mem_strdup("0123456789012345678901234567890123456789");
    host->boot_id = mem_strdup("boot");
    host->facts = fact_set_new();
    host->seen_wall_us = 5;
    host->approved = true;
    must(fact_set_put(host->facts, "cpu.vendor", vendor, FACT_IDENTITY, "cpuid", err));
    must(fact_set_put(host->facts, "os.load", "0.5", FACT_STATE, "/proc/loadavg", err));
    return host;
}

static void host_comes_back_as_it_was_put(void **state)
{
    CLEAN(store) struct store *store = NULL;
    CLEAN(host) struct host *amd = some_host("n1", "AMD");
    CLEAN(host) struct host *back = NULL;

    open_store(state, &store);
    must(store_host_put(store, amd, err));
    amd->held = true;
    must(store_host_put(store, amd, err)); /* by name: replaced */
    must(store_host_get(store, "n1", &back, err));
    assert_string_equal(back->key, amd->key);
    assert_string_equal(back->boot_id, "boot");
    assert_null(back->machine);
    assert_true(back->held);
    assert_true(back->approved);
    assert_false(back->drained);
    assert_int_equal(back->seen_wall_us, 5);
    assert_string_equal(fact_set_get(back->facts, "cpu.vendor"), "AMD");
    assert_int_equal(back->facts->n, 2);
    assert_int_equal(back->facts->v[1].kind, FACT_STATE);
    assert_string_equal(back->facts->v[1].from, "/proc/loadavg");
}

static void odd_host_names_are_kept_as_they_are(void **state)
{
    CLEAN(store) struct store *store = NULL;
    static const char *const names[] = {"=cmd()", "-h", "@x", "o'brien\"; DROP TABLE host; --",
                                        "höst"};
    CLEAN_DONE(host_list) struct host_list hosts = {0};

    open_store(state, &store);
    for (size_t i = 0; i < 5; i++) {
        CLEAN(host) struct host *host = some_host(names[i], "AMD");
        CLEAN(host) struct host *back = NULL;

        must(store_host_put(store, host, err));
        must(store_host_get(store, names[i], &back, err));
        assert_string_equal(back->name, names[i]);
    }
    must(store_hosts(store, &hosts, err));
    assert_int_equal(hosts.n, 5);
    for (size_t i = 1; i < hosts.n; i++)
        assert_true(strcmp(hosts.v[i - 1]->name, hosts.v[i]->name) < 0);
}

static void removed_host_leaves_the_list_but_not_its_runs(void **state)
{
    CLEAN(store) struct store *store = NULL;
    CLEAN(host) struct host *host = some_host("n1", "AMD");
    CLEAN_DONE(host_list) struct host_list hosts = {0};
    CLEAN_DONE(trial_list) struct trial_list trials = {0};
    struct host *back = NULL;
    const char *name = "n1";
    int64_t run = 0;

    open_store(state, &store);
    must(store_host_put(store, host, err));
    run = add_run(store, "x", &name, 1);
    must(store_host_remove(store, "n1", err));
    must_fail(store_host_get(store, "n1", &back, err), ERR_NOT_FOUND, "n1");
    must_fail(store_host_remove(store, "n1", err), ERR_NOT_FOUND, "n1");
    must(store_hosts(store, &hosts, err));
    assert_int_equal(hosts.n, 0);
    must(store_trials(store, run, &trials, err));
    assert_int_equal(trials.n, 1);
    assert_string_equal(trials.v[0]->host, "n1");
}

static void run_comes_back_with_its_experiment(void **state)
{
    CLEAN(store) struct store *store = NULL;
    CLEAN(run) struct run *run = small_run("test-open");
    CLEAN(run) struct run *back = NULL;
    CLEAN_DONE(strlist) struct strlist hosts = {0};

    open_store(state, &store);
    run->aa = true;
    run->look_min = 10;
    run->look_max = 100;
    strlist_add(&run->part_of_variant, "libc build id");
    strlist_add(&run->part_of_variant, "kernel");
    strlist_add(&run->suspect, "cpu.vendor");
    must(store_run_add(store, run, &hosts, err));
    assert_int_equal(run->number, 1);
    must(store_run_find(store, "test-open", &back, err));
    assert_int_equal(back->id, run->id);
    assert_true(back->seed == run->seed);
    assert_int_equal(back->state, RUN_RUNNING);
    assert_int_equal(back->created_wall_us, run->created_wall_us);
    assert_true(back->aa);
    assert_false(back->design_unknown);
    assert_int_equal(back->look_max, 100);
    assert_int_equal(back->part_of_variant.n, 2);
    assert_string_equal(back->part_of_variant.v[0], "libc build id");
    assert_string_equal(back->suspect.v[0], "cpu.vendor");
    assert_int_equal(back->spec->n_variants, 2);
    assert_string_equal(back->spec->variant[1].name, "B");
    assert_string_equal(back->spec->metric_def[0].unit, "s");
}

static void runs_are_numbered_and_found_by_reference(void **state)
{
    CLEAN(store) struct store *store = NULL;
    CLEAN(run) struct run *latest = NULL;
    CLEAN(run) struct run *second = NULL;
    CLEAN(run) struct run *by_id = NULL;
    CLEAN(run) struct run *odd = NULL;
    struct run *none = NULL;
    CLEAN_DONE(run_list) struct run_list runs = {0};
    CLEAN_MEM char *reference = NULL;

    open_store(state, &store);
    must_fail(store_run_find(store, "x", &none, err), ERR_NOT_FOUND, "none was run yet");
    for (int i = 0; i < 3; i++)
        add_run(store, "test-open", NULL, 0);
    add_run(store, "other@2", NULL, 0);
    must(store_run_find(store, "test-open", &latest, err));
    assert_int_equal(latest->number, 3);
    must(store_run_find(store, "test-open@2", &second, err));
    assert_int_equal(second->number, 2);
    reference = mem_printf("#%lld", (long long)second->id);
    must(store_run_find(store, reference, &by_id, err));
    assert_int_equal(by_id->number, 2);
    must(store_run_find(store, "other@2", &odd, err));
    assert_string_equal(odd->experiment, "other@2");
    must_fail(store_run_find(store, "test-opne", &none, err), ERR_NOT_FOUND,
              "did you mean test-open?");
    must_fail(store_run_find(store, "test-open@9", &none, err), ERR_NOT_FOUND, "has others");
    must_fail(store_run_find(store, "#99", &none, err), ERR_NOT_FOUND, "#99");
    must(store_runs(store, &runs, err));
    assert_int_equal(runs.n, 4);
    assert_string_equal(runs.v[0]->experiment, "other@2");
    assert_int_equal(runs.v[3]->number, 1);
}

static void token_seen_before_gives_the_first_run(void **state)
{
    CLEAN(store) struct store *store = NULL;
    CLEAN(run) struct run *run = small_run("x");
    CLEAN(run) struct run *again = small_run("x");
    CLEAN_DONE(strlist) struct strlist hosts = {0};
    CLEAN_DONE(run_list) struct run_list runs = {0};
    struct err why = {0};

    open_store(state, &store);
    strlist_add(&hosts, "h1");
    run->token = mem_strdup("0123456789abcdef0123456789abcdef");
    again->token = mem_strdup(run->token);
    assert_int_equal(store_run_add(store, run, &hosts, &why), 0);
    assert_int_equal(store_run_add(store, again, &hosts, &why), STORE_SAME);
    assert_int_equal(again->id, run->id);
    assert_int_equal(again->number, 1);
    must(store_runs(store, &runs, err));
    assert_int_equal(runs.n, 1);
}

static void failed_run_add_leaves_nothing(void **state)
{
    CLEAN(store) struct store *store = NULL;
    CLEAN(run) struct run *run = small_run("x");
    CLEAN_DONE(strlist) struct strlist hosts = {0};
    CLEAN_DONE(run_list) struct run_list runs = {0};

    open_store(state, &store);
    strlist_add(&hosts, "h1");
    strlist_add(&hosts, "h1"); /* a host twice breaks the primary key */
    must_fail(store_run_add(store, run, &hosts, err), ERR_STORE, "host h1");
    assert_int_equal(run->id, 0);
    must(store_runs(store, &runs, err));
    assert_int_equal(runs.n, 0);
}

static void trial_state_is_kept_and_end_of_run_is_dated(void **state)
{
    CLEAN(store) struct store *store = NULL;
    CLEAN_DONE(trial_list) struct trial_list trials = {0};
    CLEAN_DONE(trial_list) struct trial_list later = {0};
    CLEAN(run) struct run *back = NULL;
    CLEAN(fact_set) struct fact_set *facts = fact_set_new();
    CLEAN(fact_set) struct fact_set *facts_back = NULL;
    static const char *const hosts[] = {"b", "a"};
    struct trial *trial = NULL;
    int64_t run = 0;

    open_store(state, &store);
    must(fact_set_put(facts, "cpu.vendor", "AMD", FACT_IDENTITY, "user", err));
    run = add_run(store, "x", hosts, 2);
    must(store_trials(store, run, &trials, err));
    assert_int_equal(trials.n, 2);
    assert_string_equal(trials.v[0]->host, "a");
    trial = find_trial(&trials, "b");
    assert_int_equal(trial->state, TRIAL_WAITING);
    trial->state = TRIAL_LOST;
    mem_free(trial->reason);
    trial->reason = mem_strdup("silent for 15 s");
    trial->epoch = 7;
    trial->session = 1;
    trial->rounds_done = 12;
    trial->granted_upto = 30;
    must(store_facts_put(store, facts, trial->facts, err));
    must(store_trial_put(store, trial, err));
    must(store_trials(store, run, &later, err));
    trial = find_trial(&later, "b");
    assert_int_equal(trial->state, TRIAL_LOST);
    assert_string_equal(trial->reason, "silent for 15 s");
    assert_int_equal(trial->epoch, 7);
    assert_int_equal(trial->rounds_done, 12);
    assert_int_equal(trial->granted_upto, 30);
    must(store_facts_get(store, trial->facts, &facts_back, err));
    assert_string_equal(fact_set_get(facts_back, "cpu.vendor"), "AMD");
    must(store_run_set_state(store, run, RUN_PARTIAL, err));
    must(store_run_get(store, run, &back, err));
    assert_int_equal(back->state, RUN_PARTIAL);
    assert_true(back->ended_wall_us > back->created_wall_us);
    must_fail(store_run_set_state(store, 99, RUN_DONE, err), ERR_NOT_FOUND, "#99");
    must_fail(store_trial_put(store, &(struct trial){.run = run, .host = "zz"}, err), ERR_NOT_FOUND,
              "zz");
}

static void keys_are_put_revoked_and_listed(void **state)
{
    CLEAN(store) struct store *store = NULL;
    CLEAN_DONE(key_list) struct key_list keys = {0};
    struct key_entry entry = {
        .key = "0123456789012345678901234567890123456789", .name = "n1", .role = "agent"};

    open_store(state, &store);
    must(store_key_put(store, &entry, err));
    entry.revoked = true;
    must(store_key_put(store, &entry, err));
    must(store_keys(store, &keys, err));
    assert_int_equal(keys.n, 1);
    assert_string_equal(keys.v[0].key, entry.key);
    assert_string_equal(keys.v[0].role, "agent");
    assert_true(keys.v[0].revoked);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_place, drop_place)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(host_comes_back_as_it_was_put),
        T(odd_host_names_are_kept_as_they_are),
        T(removed_host_leaves_the_list_but_not_its_runs),
        T(run_comes_back_with_its_experiment),
        T(runs_are_numbered_and_found_by_reference),
        T(token_seen_before_gives_the_first_run),
        T(failed_run_add_leaves_nothing),
        T(trial_state_is_kept_and_end_of_run_is_dated),
        T(keys_are_put_revoked_and_listed),
    };

    return cmocka_run_group_tests_name("store_run", tests, NULL, NULL);
}
