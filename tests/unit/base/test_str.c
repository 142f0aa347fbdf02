/* SPDX-License-Identifier: GPL-3.0-or-later
 * Growing text, lists and maps, and ownership passed by mem_steal. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void text_grows_and_is_taken(void **state)
{
    (void)state;
    struct str s = {0};

    assert_string_equal(str_get(&s), "");
    str_add(&s, "ab");
    str_addc(&s, 'c');
    str_addf(&s, "%d-%s", 42, "x");
    str_add_bytes(&s, "\0z", 2);
    assert_int_equal(s.length, 9);
    assert_memory_equal(s.text, "abc42-x\0z", 10);
    str_clear(&s);
    assert_int_equal(s.length, 0);
    assert_string_equal(str_get(&s), "");
    str_add(&s, "again");
    CLEAN_MEM char *taken = str_take(&s);
    assert_string_equal(taken, "again");
    assert_null(s.text);
    CLEAN_MEM char *empty = str_take(&s);
    assert_string_equal(empty, "");
}

static void formatted_text_longer_than_any_buffer_is_whole(void **state)
{
    (void)state;
    CLEAN_DONE(str) struct str s = {0};
    enum { WIDTH = 100000 };

    str_addf(&s, "%*d", WIDTH, 1);
    assert_int_equal(s.length, WIDTH);
    assert_int_equal(s.text[WIDTH - 1], '1');
}

static void list_keeps_order_finds_sorts_and_copies(void **state)
{
    (void)state;
    CLEAN_DONE(strlist) struct strlist list = {0}, copy = {0};
    static const char *const words[] = {"pear", "Apple", "fig", "apple"};

    strlist_sort(&list);
    for (size_t i = 0; i < 4; i++)
        strlist_add(&list, words[i]);
    assert_int_equal(list.n, 4);
    assert_string_equal(list.v[0], "pear");
    assert_true(strlist_has(&list, "fig"));
    assert_false(strlist_has(&list, "figs"));
    strlist_add(&copy, "old");
    strlist_copy(&copy, &list);
    strlist_sort(&list);
    assert_string_equal(list.v[0], "Apple");
    assert_string_equal(list.v[3], "pear");
    assert_int_equal(copy.n, 4);
    assert_string_equal(copy.v[0], "pear");
    strlist_copy(&copy, &copy);
    assert_int_equal(copy.n, 4);
}

static void map_keeps_order_and_replaces(void **state)
{
    (void)state;
    CLEAN_DONE(strmap) struct strmap map = {0}, copy = {0};

    assert_null(strmap_get(&map, "a"));
    for (int i = 0; i < 100; i++) {
        CLEAN_MEM char *key = mem_printf("k%d", i);
        strmap_set(&map, key, "v");
    }
    strmap_set(&map, "k7", "seven");
    strmap_set(&map, "k8", strmap_get(&map, "k7"));
    assert_int_equal(map.n, 100);
    assert_string_equal(map.key[7], "k7");
    assert_string_equal(strmap_get(&map, "k7"), "seven");
    assert_string_equal(strmap_get(&map, "k8"), "seven");
    strmap_copy(&copy, &map);
    strmap_set(&map, "k7", "changed");
    assert_string_equal(strmap_get(&copy, "k7"), "seven");
    /* A value may be set from itself. */
    strmap_set(&copy, "k7", strmap_get(&copy, "k7"));
    assert_string_equal(strmap_get(&copy, "k7"), "seven");
}

static void steal_moves_ownership(void **state)
{
    (void)state;
    char *text = mem_strdup("x");
    CLEAN_MEM char *owner = mem_steal(&text);

    assert_null(text);
    assert_string_equal(owner, "x");
    assert_null(mem_strdup(NULL));
}

static void grow_doubles_and_keeps_contents(void **state)
{
    (void)state;
    size_t cap = 0;
    CLEAN_MEM int *v = NULL;

    for (int i = 0; i < 1000; i++) {
        v = mem_grow(v, &cap, (size_t)i + 1, sizeof *v);
        v[i] = i;
    }
    assert_int_equal(cap, 1024);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v[i], i);
}

static void memory_of_size_zero_may_be_freed(void **state)
{
    (void)state;
    CLEAN_MEM void *none = mem_alloc(0, 8);
    CLEAN_MEM void *dup = mem_dup("", 0);
    CLEAN_MEM char *cut = mem_strndup("abcdef", 3);

    assert_non_null(none);
    assert_non_null(dup);
    assert_string_equal(cut, "abc");
    none = mem_resize(none, 0, 4);
    assert_non_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_is_taken),
        cmocka_unit_test(formatted_text_longer_than_any_buffer_is_whole),
        cmocka_unit_test(list_keeps_order_finds_sorts_and_copies),
        cmocka_unit_test(map_keeps_order_and_replaces),
        cmocka_unit_test(steal_moves_ownership),
        cmocka_unit_test(grow_doubles_and_keeps_contents),
        cmocka_unit_test(memory_of_size_zero_may_be_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
