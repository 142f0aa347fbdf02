/* SPDX-License-Identifier: GPL-3.0-or-later
 * A store, CSV files written on the spot, and imports of them. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/fdio.h"
#include "coordinator/import/import.h"

struct desk {
    char directory[64];
    char hosts[96], samples[96];
    struct store *store;
    struct import_options options;
    struct import_result result;
    struct err err;
};

static inline int desk_setup(void **state)
{
    struct desk *desk = mem_new(struct desk);
    CLEAN_MEM char *path = NULL;

    snprintf(desk->directory, sizeof desk->directory, "/tmp/muster-import-XXXXXX");
    if (!mkdtemp(desk->directory))
        return -1;
    snprintf(desk->hosts, sizeof desk->hosts, "%s/hosts.csv", desk->directory);
    snprintf(desk->samples, sizeof desk->samples, "%s/samples.csv", desk->directory);
    path = mem_printf("%s/store/muster.db", desk->directory);
    if (store_open(path, STORE_CREATE, &desk->store, &desk->err) < 0) {
        print_error("%s\n", desk->err.text);
        return -1;
    }
    desk->options =
        (struct import_options){.experiment = "x", .hosts = desk->hosts, .samples = desk->samples};
    *state = desk;
    return 0;
}

static inline int desk_teardown(void **state)
{
    struct desk *desk = *state;
    int rc = 0;

    store_free(desk->store);
    strlist_done(&desk->options.factor);
    strlist_done(&desk->options.part_of_variant);
    strlist_done(&desk->options.suspect);
    import_result_done(&desk->result);
    rc = fdio_remove_tree(desk->directory, NULL);
    mem_free(desk);
    return rc;
}

static inline void write_bytes(const char *path, const char *text, size_t length)
{
    struct err err = {0};

    if (fdio_write_atomic(path, text, length, 0600, &err) < 0)
        fail_msg("%s", err.text);
}

static inline void write_hosts(struct desk *desk, const char *text)
{
    write_bytes(desk->hosts, text, strlen(text));
}

static inline void write_samples(struct desk *desk, const char *text)
{
    write_bytes(desk->samples, text, strlen(text));
}

static inline void import_well(struct desk *desk)
{
    import_result_done(&desk->result);
    desk->result = (struct import_result){0};
    if (import_run(desk->store, &desk->options, &desk->result, &desk->err) < 0)
        fail_msg("import: %s", desk->err.text);
}

/* The import fails with ERR_INPUT, its message holds the words, and the store is empty. */
static inline void import_badly(struct desk *desk, const char *words)
{
    CLEAN_DONE(run_list) struct run_list runs = {0};
    CLEAN_DONE(host_list) struct host_list hosts = {0};

    desk->err = (struct err){0};
    if (import_run(desk->store, &desk->options, &desk->result, &desk->err) >= 0)
        fail_msg("want a failure with \"%s\", got an import", words);
    if (desk->err.code != ERR_INPUT || !strstr(desk->err.text, words))
        fail_msg("want input \"%s\", got %s \"%s\"", words, err_code_name(desk->err.code),
                 desk->err.text);
    if (store_runs(desk->store, &runs, &desk->err) < 0 ||
        store_hosts(desk->store, &hosts, &desk->err) < 0)
        fail_msg("%s", desk->err.text);
    if (runs.n || hosts.n)
        fail_msg("%zu runs and %zu hosts were stored all the same", runs.n, hosts.n);
}

static inline struct frame *frame_of(struct desk *desk, const char *host)
{
    struct frame *frame = NULL;

    if (store_frame_get(desk->store, desk->result.run, host, &frame, &desk->err) < 0)
        fail_msg("%s", desk->err.text);
    return frame;
}

static inline struct run *run_of(struct desk *desk)
{
    struct run *run = NULL;

    if (store_run_get(desk->store, desk->result.run, &run, &desk->err) < 0)
        fail_msg("%s", desk->err.text);
    return run;
}
