/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to run next: the host that tells facts apart, the kind of host when there is none, a switch
 * when one can be thrown, rounds where they decide.
 */
#include "unit/analysis/case_data.h"

#include "analysis/separate.h"

#define MOST 8

struct scene {
    struct separate_host host[MOST];
    struct host_answer answer[MOST];
    struct fact_set *facts[MOST];
    char name[MOST][8];
    struct class_member member[4];
    struct class_answer class;
    struct facts_answer found;
    struct fleet_answer fleet;
    struct separate_input in;
    struct next_step *step;
    size_t n;
};

static void add_host(struct scene *scene, bool measured, const char *const *facts,
                     enum verdict verdict)
{
    size_t at = scene->in.n_hosts++;

    snprintf(scene->name[at], sizeof scene->name[at], "h%zu", at);
    scene->facts[at] = fact_set_new();
    for (size_t i = 0; facts[i]; i += 2)
        assert_int_equal(
            fact_set_put(scene->facts[at], facts[i], facts[i + 1], FACT_IDENTITY, "test", NULL), 0);
    scene->answer[at] = (struct host_answer){.design = DESIGN_RANDOMISED,
                                             .verdict = verdict,
                                             .effect = verdict == VERDICT_REGRESSED ? 0.2 : 0.0,
                                             .rounds_used = 12,
                                             .rounds_needed = NAN};
    scene->host[at] = (struct separate_host){.name = scene->name[at],
                                             .facts = scene->facts[at],
                                             .measured = measured,
                                             .answer = measured ? &scene->answer[at] : NULL,
                                             .trimmed_variance = measured ? 1e-5 : NAN};
}

/* One surviving class whose members cannot be separated. */
static void begin(struct scene *scene, const char *const *members)
{
    *scene = (struct scene){0};
    for (size_t i = 0; members[i]; i += 2)
        scene->member[scene->class.n_members++] = (struct class_member){
            .fact = mem_strdup(members[i]), .level = mem_strdup(members[i + 1])};
    scene->class.member = scene->member;
    scene->class.scored = scene->class.survives = true;
    scene->class.weight = 1.0;
    scene->class.group[0].effect = 0.2;
    scene->found = (struct facts_answer){.claim = true, .class = &scene->class, .n_classes = 1};
    scene->fleet.heterogeneity = HETEROGENEITY_HETEROGENEOUS;
    scene->in = (struct separate_input){.host = scene->host,
                                        .facts = &scene->found,
                                        .fleet = &scene->fleet,
                                        .load_spread = NAN,
                                        .alpha = 0.05,
                                        .theta = 0.01,
                                        .rounds = 12};
}

static const struct next_step *find(const struct scene *scene, enum next_do what)
{
    for (size_t i = 0; i < scene->n; i++)
        if (scene->step[i].what == what)
            return &scene->step[i];
    return NULL;
}

static void end(struct scene *scene)
{
    for (size_t i = 0; i < scene->n; i++) {
        mem_free(scene->step[i].host);
        mem_free(scene->step[i].switch_fact);
        mem_free(scene->step[i].switch_to);
        mem_free(scene->step[i].why);
        strmap_done(&scene->step[i].wanted);
        strlist_done(&scene->step[i].separates);
    }
    mem_free(scene->step);
    for (size_t i = 0; i < scene->in.n_hosts; i++)
        fact_set_free(scene->facts[i]);
    for (size_t i = 0; i < scene->class.n_members; i++) {
        mem_free(scene->member[i].fact);
        mem_free(scene->member[i].level);
    }
}

static const char *const vendor_and_release[] = {"cpu.vendor", "AMD", "os.release", "fedora-10",
                                                 NULL};
static const char *const amd_fedora[] = {"cpu.vendor", "AMD", "os.release", "fedora-10", NULL};
static const char *const intel_debian[] = {"cpu.vendor", "Intel", "os.release", "debian-4", NULL};
static const char *const amd_debian[] = {"cpu.vendor", "AMD", "os.release", "debian-4", NULL};

static void a_known_host_that_splits_the_class_is_named(void **state)
{
    struct scene scene;
    const struct next_step *step;

    (void)state;
    begin(&scene, vendor_and_release);
    add_host(&scene, true, amd_fedora, VERDICT_REGRESSED);
    add_host(&scene, true, intel_debian, VERDICT_UNCHANGED);
    add_host(&scene, false, amd_fedora, VERDICT_INCONCLUSIVE); /* like h0: tells nothing */
    add_host(&scene, false, amd_debian, VERDICT_INCONCLUSIVE);
    separate_next(&scene.in, &scene.step, &scene.n);
    step = find(&scene, NEXT_RUN_ON);
    assert_non_null(step);
    assert_string_equal("h3", step->host);
    case_near("gain", 1.0, step->gain, 1e-6);
    assert_int_equal(2, step->separates.n);
    assert_string_equal("AMD", strmap_get(&step->wanted, "cpu.vendor"));
    assert_string_equal("not fedora-10", strmap_get(&step->wanted, "os.release"));
    assert_string_equal(
        "h3 (cpu.vendor AMD, os.release not fedora-10) would separate cpu.vendor from os.release",
        step->why);
    assert_null(find(&scene, NEXT_ADD_HOST));
    end(&scene);
}

static void without_such_a_host_its_kind_is_described(void **state)
{
    static const char *const members[] = {
        "cpu.vendor", "AMD", "cpu.family", "AMD/15", "os.id", "fedora", "os.release", "10", NULL};
    static const char *const affected[] = {"cpu.vendor", "AMD",        "cpu.family", "15", "os.id",
                                           "fedora",     "os.release", "10",         NULL};
    static const char *const other[] = {"cpu.vendor", "Intel",      "cpu.family", "6", "os.id",
                                        "debian",     "os.release", "4",          NULL};
    struct scene scene;
    const struct next_step *step;

    (void)state;
    begin(&scene, members);
    add_host(&scene, true, affected, VERDICT_REGRESSED);
    add_host(&scene, true, other, VERDICT_UNCHANGED);
    separate_next(&scene.in, &scene.step, &scene.n);
    step = find(&scene, NEXT_ADD_HOST);
    assert_non_null(step);
    assert_null(step->host);
    assert_int_equal(2, step->wanted.n); /* one of each chain, the highest */
    assert_string_equal("AMD", strmap_get(&step->wanted, "cpu.vendor"));
    assert_string_equal("not fedora", strmap_get(&step->wanted, "os.id"));
    end(&scene);
}

static void a_switch_comes_first(void **state)
{
    static const char *const members[] = {"thp", "always", "fs", "xfs", NULL};
    static const char *const affected[] = {"thp", "always", "fs", "xfs", NULL};
    static const char *const other[] = {"thp", "never", "fs", "ext4", NULL};
    static const char *const between[] = {"thp", "always", "fs", "ext4", NULL};
    struct scene scene;

    (void)state;
    begin(&scene, members);
    add_host(&scene, true, affected, VERDICT_REGRESSED);
    add_host(&scene, true, other, VERDICT_UNCHANGED);
    add_host(&scene, false, between, VERDICT_INCONCLUSIVE);
    separate_next(&scene.in, &scene.step, &scene.n);
    assert_true(scene.n >= 2);
    assert_int_equal(NEXT_SWITCH, scene.step[0].what);
    assert_string_equal("h0", scene.step[0].host);
    assert_string_equal("thp", scene.step[0].switch_fact);
    assert_string_equal("never", scene.step[0].switch_to);
    assert_non_null(find(&scene, NEXT_RUN_ON));
    end(&scene);
}

static void blocked_data_ask_for_interleaving_first(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene, vendor_and_release);
    scene.found = (struct facts_answer){0};
    scene.fleet.heterogeneity = HETEROGENEITY_CANNOT_TELL;
    add_host(&scene, true, amd_fedora, VERDICT_INCONCLUSIVE);
    scene.answer[0].design = DESIGN_BLOCKED;
    separate_next(&scene.in, &scene.step, &scene.n);
    assert_int_equal(1, scene.n);
    assert_int_equal(NEXT_INTERLEAVE, scene.step[0].what);
    assert_string_equal("h0", scene.step[0].host);
    end(&scene);
}

static void undecided_hosts_get_the_rounds_they_lack(void **state)
{
    struct scene scene;
    const struct next_step *step;

    (void)state;
    begin(&scene, vendor_and_release);
    scene.found = (struct facts_answer){0};
    scene.fleet.heterogeneity = HETEROGENEITY_CANNOT_TELL;
    add_host(&scene, true, amd_fedora, VERDICT_INCONCLUSIVE);
    add_host(&scene, true, intel_debian, VERDICT_INCONCLUSIVE);
    scene.answer[0].rounds_needed = 1200;
    scene.answer[1].rounds_needed = 20;
    separate_next(&scene.in, &scene.step, &scene.n);
    assert_int_equal(2, scene.n);
    step = find(&scene, NEXT_MORE_BLOCKS);
    assert_string_equal("h1", step->host); /* nearly there: worth more than the far one */
    assert_int_equal(8, step->blocks);
    assert_true(scene.step[0].gain > scene.step[1].gain);
    end(&scene);
}

static void nothing_to_tell_apart_asks_for_nothing(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene, vendor_and_release);
    scene.found.claim = false;
    scene.fleet.heterogeneity = HETEROGENEITY_NONE_SEEN;
    add_host(&scene, true, amd_fedora, VERDICT_UNCHANGED);
    add_host(&scene, false, amd_debian, VERDICT_INCONCLUSIVE);
    separate_next(&scene.in, &scene.step, &scene.n);
    assert_int_equal(0, scene.n);
    end(&scene);
}

static void a_host_that_lacks_a_variant_is_asked_for_both(void **state)
{
    struct scene scene;
    const struct next_step *step;

    (void)state;
    begin(&scene, vendor_and_release);
    scene.found = (struct facts_answer){0};
    add_host(&scene, true, amd_fedora, VERDICT_UNCHANGED);
    for (size_t h = 1; h < 3; h++) {
        add_host(&scene, true, amd_fedora, VERDICT_INCONCLUSIVE);
        scene.answer[h].design = DESIGN_UNPAIRED;
        scene.answer[h].samples[0] = 12;
    }
    separate_next(&scene.in, &scene.step, &scene.n);
    step = find(&scene, NEXT_RUN_ON);
    assert_non_null(step);
    assert_string_equal("h1", step->host);
    assert_string_equal("h1 and 1 more have only one of the two variants: run both there, in "
                        "random order within rounds",
                        step->why);
    assert_null(find(&scene, NEXT_INTERLEAVE));
    end(&scene);
}

static void more_rounds_are_asked_for_only_where_they_help(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene, vendor_and_release);
    scene.found = (struct facts_answer){0};
    for (size_t h = 0; h < 3; h++) {
        add_host(&scene, true, amd_fedora, VERDICT_INCONCLUSIVE);
        scene.answer[h].rounds_needed = 13;
        scene.answer[h].q = h == 1 ? NAN : 0.2; /* h1: its arms differ */
    }
    strlist_add(&scene.answer[0].notes, "effect-changed");
    separate_next(&scene.in, &scene.step, &scene.n);
    assert_int_equal(scene.n, 1);
    assert_int_equal(scene.step[0].what, NEXT_MORE_BLOCKS);
    assert_string_equal("h2 is inconclusive; about 1 more round would likely decide it",
                        scene.step[0].why);
    strlist_done(&scene.answer[0].notes);
    end(&scene);
}

static void steady_load_asks_for_loaded_rounds(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene, vendor_and_release);
    scene.found = (struct facts_answer){0};
    scene.in.load_known = true;
    scene.in.load_spread = 0.01;
    add_host(&scene, true, amd_fedora, VERDICT_UNCHANGED);
    separate_next(&scene.in, &scene.step, &scene.n);
    assert_non_null(find(&scene, NEXT_VARY_LOAD));
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_host_that_splits_the_class_is_named),
        cmocka_unit_test(without_such_a_host_its_kind_is_described),
        cmocka_unit_test(a_switch_comes_first),
        cmocka_unit_test(blocked_data_ask_for_interleaving_first),
        cmocka_unit_test(undecided_hosts_get_the_rounds_they_lack),
        cmocka_unit_test(nothing_to_tell_apart_asks_for_nothing),
        cmocka_unit_test(a_host_that_lacks_a_variant_is_asked_for_both),
        cmocka_unit_test(more_rounds_are_asked_for_only_where_they_help),
        cmocka_unit_test(steady_load_asks_for_loaded_rounds),
    };

    return cmocka_run_group_tests_name("separate", tests, NULL, NULL);
}
