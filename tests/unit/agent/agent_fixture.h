/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests that run real commands: a keeper, specs of shell lines, a directory of one's own. A
 * test program is also its own workload: called with a word, it does what the word says and ends.
 */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/keeper.h"
#include "base/clk.h"
#include "base/fdio.h"
#include "base/id.h"

#define must(call)                                                                                 \
    do {                                                                                           \
        struct err must_err = {0};                                                                 \
        struct err *err = &must_err;                                                               \
        if ((call) < 0)                                                                            \
            fail_msg("%s: %s", #call, must_err.text);                                              \
    } while (0)
#define must_fail(call, want_code, words)                                                          \
    do {                                                                                           \
        struct err must_err = {0};                                                                 \
        struct err *err = &must_err;                                                               \
        int must_rc = (call);                                                                      \
        if (must_rc >= 0)                                                                          \
            fail_msg("%s: want a failure, got %d", #call, must_rc);                                \
        if (must_err.code != (want_code) || !strstr(must_err.text, (words)))                       \
            fail_msg("%s: want %s \"%s\", got %s \"%s\"", #call, err_code_name(want_code),         \
                     (words), err_code_name(must_err.code), must_err.text);                        \
    } while (0)

struct place { /* of one test program */
    struct keeper *keeper;
    char directory[64];
};

static inline int place_make(void **state)
{
    struct place *place = mem_new(struct place);
    char id[ID_SIZE];

    snprintf(place->directory, sizeof place->directory, "/tmp/muster-agent-XXXXXX");
    if (!mkdtemp(place->directory))
        return -1;
    id_new(id);
    CLEAN_MEM char *name = mem_printf("test-%.12s", id);
    CLEAN_MEM char *lock = mem_printf("%s/lock", place->directory);
    *state = place;
    return keeper_start(name, lock, &place->keeper, NULL); /* copied by the fork */
}

static inline int place_drop(void **state)
{
    struct place *place = *state;

    keeper_free(place->keeper);
    const int rc = fdio_remove_tree(place->directory, NULL);
    mem_free(place);
    return rc;
}

static inline void spec_init(struct child_spec *spec)
{
    *spec = (struct child_spec){
        .timeout_ns = 20 * CLK_NS_PER_S, .cpu = CHILD_CPU_ANY, .output_max = 1024 * 1024};
    strlist_add(&spec->env, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
}

static inline void spec_shell(struct child_spec *spec, const char *line)
{
    spec_init(spec);
    strlist_add(&spec->argv, "/bin/sh");
    strlist_add(&spec->argv, "-c");
    strlist_add(&spec->argv, line);
}

/* This test program with a word and an argument. */
static inline void spec_self(struct child_spec *spec, const char *word, const char *arg)
{
    char self[512];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    assert_true(n > 0);
    self[n] = '\0';
    spec_init(spec);
    strlist_add(&spec->argv, self);
    strlist_add(&spec->argv, word);
    strlist_add(&spec->argv, arg);
}

static inline void run_spec(struct place *place, struct child_spec *spec,
                            struct child_result *result)
{
    must(keeper_run(place->keeper, spec, err));
    must(keeper_result(place->keeper, result, err));
    child_spec_done(spec);
}

static inline void run_shell(struct place *place, const char *line, struct child_result *result)
{
    struct child_spec spec;

    spec_shell(&spec, line);
    run_spec(place, &spec, result);
}

static inline const char *end_name(enum child_end end)
{
    static const char *const names[] = {"exited", "signalled", "timeout", "stopped", "not started"};

    return names[end];
}

#define assert_end(result, want_end, want_status)                                                  \
    do {                                                                                           \
        if ((result)->end != (want_end) || (result)->status != (want_status))                      \
            fail_msg("want %s %d, got %s %d (%s)", end_name(want_end), (want_status),              \
                     end_name((result)->end), (result)->status, (result)->why);                    \
    } while (0)
