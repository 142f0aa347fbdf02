/* SPDX-License-Identifier: GPL-3.0-or-later
 * Desks: jobs come back in order, in the owner's thread; what was not dispatched at the end is
 * dropped, nothing leaks. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "coordinator/desk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/fdio.h"

struct counts {
    int done, dropped, last;
    pthread_t owner;
};
struct numbered {
    struct desk_job job;
    struct counts *counts;
    int number;
    bool worked, elsewhere, saw_store;
};

static void work(struct desk_job *job, struct store *store)
{
    struct numbered *n = (struct numbered *)job;

    n->worked = true;
    n->elsewhere = !pthread_equal(pthread_self(), n->counts->owner);
    n->saw_store = store != NULL;
}

static void done(struct desk_job *job)
{
    struct numbered *n = (struct numbered *)job;

    assert_true(pthread_equal(pthread_self(), n->counts->owner));
    assert_true(n->worked && n->elsewhere && n->saw_store);
    assert_int_equal(n->number, n->counts->last + 1);
    n->counts->last = n->number;
    n->counts->done++;
    mem_free(n);
}

static void drop(struct desk_job *job)
{
    struct numbered *n = (struct numbered *)job;

    n->counts->dropped++;
    mem_free(n);
}

static void post(struct desk *desk, struct counts *counts, int number)
{
    struct numbered *n = mem_new(struct numbered);

    n->job = (struct desk_job){.work = work, .done = done, .drop = drop};
    n->counts = counts;
    n->number = number;
    desk_post(desk, &n->job);
}

struct place {
    char folder[64];
    char *path;
};

static void place_init(struct place *place)
{
    CLEAN(store) struct store *store = NULL;
    struct err err = {0};

    (void)snprintf(place->folder, sizeof(place->folder), "/tmp/muster-desk-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    place->path = mem_printf("%s/muster.db", place->folder);
    if (store_open(place->path, STORE_WRITE | STORE_CREATE, &store, &err) < 0)
        fail_msg("%s", err.text);
}

static void place_done(struct place *place)
{
    struct err err = {0};

    mem_free(place->path);
    assert_int_equal(fdio_remove_tree(place->folder, &err), 0);
}

static void jobs_come_back_in_order(void **state)
{
    (void)state;
    enum { JOBS = 200 };
    struct place place;
    struct counts counts = {.owner = pthread_self()};
    struct desk *desk = NULL;
    struct err err = {0};

    place_init(&place);
    assert_int_equal(desk_start(place.path, &desk, &err), 0);
    for (int i = 1; i <= JOBS; i++)
        post(desk, &counts, i);
    while (desk_backlog(desk) > 0) {
        struct pollfd poll_fd = {.fd = desk_fd(desk), .events = POLLIN};

        assert_int_equal(poll(&poll_fd, 1, 60000), 1);
        desk_dispatch(desk);
    }
    assert_int_equal(counts.done, JOBS);
    desk_free(desk);
    assert_int_equal(counts.dropped, 0);
    place_done(&place);
}

static void what_was_not_dispatched_is_dropped(void **state)
{
    (void)state;
    struct place place;
    struct counts counts = {.owner = pthread_self()};
    struct desk *desk = NULL;
    struct err err = {0};

    place_init(&place);
    assert_int_equal(desk_start(place.path, &desk, &err), 0);
    for (int i = 1; i <= 10; i++)
        post(desk, &counts, i);
    desk_free(desk);
    assert_int_equal(counts.done, 0);
    assert_int_equal(counts.dropped, 10);
    place_done(&place);
}

static void desk_without_a_store_does_not_start(void **state)
{
    (void)state;
    struct desk *desk = NULL;
    struct err err = {0};

    assert_int_equal(desk_start("/nonexistent/muster.db", &desk, &err), -1);
    assert_null(desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_come_back_in_order),
        cmocka_unit_test(what_was_not_dispatched_is_dropped),
        cmocka_unit_test(desk_without_a_store_does_not_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
