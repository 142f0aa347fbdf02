/* SPDX-License-Identifier: GPL-3.0-or-later
 * Leases: one holder a host, an end without renewal, epochs that only grow. */
#include "coordinator/lease/lease.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"

#define TTL 100

static void lease_has_one_holder_a_host(void **state)
{
    (void)state;
    CLEAN(lease_book) struct lease_book *book = lease_book_new(TTL);
    struct err err = {0};

    assert_int_equal(lease_grant(book, "n1", 1, 1, 0, &err), 0);
    assert_int_equal(lease_grant(book, "n1", 2, 1, 0, &err), LEASE_BUSY);
    assert_int_equal(lease_grant(book, "n2", 2, 1, 0, &err), 0);
    assert_int_equal(lease_holder(book, "n1")->run, 1);
    assert_int_equal(lease_count(book), 2);
    lease_end(book, "n1", 2); /* not the holder: nothing happens */
    assert_non_null(lease_holder(book, "n1"));
    lease_end(book, "n1", 1);
    assert_null(lease_holder(book, "n1"));
    assert_int_equal(lease_grant(book, "n1", 2, 7, 0, &err), 0);
}

static void lease_expires_when_agent_silent(void **state)
{
    (void)state;
    CLEAN(lease_book) struct lease_book *book = lease_book_new(TTL);
    struct err err = {0};

    assert_int_equal(lease_grant(book, "n1", 1, 1, 0, &err), 0);
    assert_int_equal(lease_grant(book, "n2", 1, 1, 0, &err), 0);
    assert_int_equal(lease_renew(book, "n2", 1, 1, 50, 0), 0);
    assert_null(lease_expired(book, TTL - 1));
    assert_string_equal(lease_expired(book, TTL)->host, "n1");
    lease_end(book, "n1", 1);
    assert_null(lease_expired(book, TTL));
    assert_string_equal(lease_expired(book, 150)->host, "n2");
}

static void lease_of_a_sleeping_agent_lives_through_its_sample(void **state)
{
    (void)state;
    CLEAN(lease_book) struct lease_book *book = lease_book_new(TTL);
    struct err err = {0};

    assert_int_equal(lease_grant(book, "n1", 1, 1, 0, &err), 0);
    assert_int_equal(lease_renew(book, "n1", 1, 1, 10, 1000), 0);
    assert_int_equal(lease_renew(book, "n1", 1, 1, 20, 0), 0); /* never shortens */
    assert_null(lease_expired(book, 10 + TTL + 1000 - 1));
    assert_non_null(lease_expired(book, 10 + TTL + 1000));
}

static void epoch_that_does_not_grow_is_refused(void **state)
{
    (void)state;
    CLEAN(lease_book) struct lease_book *book = lease_book_new(TTL);
    struct err err = {0};

    assert_int_equal(lease_grant(book, "n1", 1, 5, 0, &err), 0);
    assert_int_equal(lease_grant(book, "n1", 1, 5, 0, &err), -1);
    assert_int_equal(err.code, ERR_STATE);
    assert_int_equal(lease_grant(book, "n1", 1, 6, 0, &err), 0);
    assert_int_equal(lease_renew(book, "n1", 1, 5, 0, 0), LEASE_STALE);
    assert_int_equal(lease_renew(book, "n1", 1, 6, 0, 0), 0);
    assert_int_equal(lease_resume(book, "n1", 1, 6, 0, &err), 0);
    assert_int_equal(lease_resume(book, "n1", 2, 6, 0, &err), LEASE_BUSY);
    assert_int_equal(lease_resume(book, "n3", 2, 6, 0, &err), 0);
}

/* Against a plain array: the book agrees after any sequence of calls. */
static void book_agrees_with_a_plain_array(void **state)
{
    (void)state;
    enum { HOSTS = 40, CALLS = 50000 };
    static const char *const names[HOSTS / 10] = {"a", "b", "c", "d"};
    struct {
        int64_t run, until;
        uint64_t epoch;
    } model[HOSTS] = {0};
    CLEAN(lease_book) struct lease_book *book = lease_book_new(TTL);
    struct rng rng;
    int64_t now = 0;

    rng_seed(&rng, 7);
    for (int call = 0; call < CALLS; call++) {
        size_t h = rng_below(&rng, HOSTS);
        int64_t run = 1 + (int64_t)rng_below(&rng, 3);
        uint64_t epoch = rng_below(&rng, 4) + model[h].epoch;
        struct err err = {0};
        char host[8] = {names[h / 10][0], (char)('0' + h % 10), '\0'};
        const struct lease_hold *hold;

        now += (int64_t)rng_below(&rng, 3);
        switch (rng_below(&rng, 4)) {
        case 0: {
            int want = model[h].run == 0     ? 0
                       : model[h].run != run ? LEASE_BUSY
                                             : (epoch > model[h].epoch ? 0 : -1);

            assert_int_equal(lease_grant(book, host, run, epoch, now, &err), want);
            if (want == 0) {
                model[h].run = run;
                model[h].epoch = epoch;
                model[h].until = now + TTL;
            }
            break;
        }
        case 1:
            assert_int_equal(lease_renew(book, host, run, epoch, now, 0),
                             model[h].run == run && model[h].epoch == epoch ? 0 : LEASE_STALE);
            if (model[h].run == run && model[h].epoch == epoch)
                model[h].until = now + TTL;
            break;
        case 2:
            lease_end(book, host, run);
            if (model[h].run == run)
                model[h].run = 0;
            break;
        default:
            while ((hold = lease_expired(book, now))) {
                size_t e = (size_t)(hold->host[0] - 'a') * 10 + (size_t)(hold->host[1] - '0');

                assert_true(model[e].run == hold->run && model[e].until <= now);
                model[e].run = 0;
                lease_end(book, hold->host, hold->run);
            }
            for (size_t i = 0; i < HOSTS; i++)
                assert_true(model[i].run == 0 || model[i].until > now);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lease_has_one_holder_a_host),
        cmocka_unit_test(lease_expires_when_agent_silent),
        cmocka_unit_test(lease_of_a_sleeping_agent_lives_through_its_sample),
        cmocka_unit_test(epoch_that_does_not_grow_is_refused),
        cmocka_unit_test(book_agrees_with_a_plain_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
