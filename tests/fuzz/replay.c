/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drives a fuzz target without libFuzzer: every file of the corpus as it is, then a fixed number of
 * mutations of them, always the same ones (seeded by the program's name).
 *
 *     fuzz_NAME [--trace] [--mutations N] FILE-OR-DIRECTORY…
 *
 * --trace prints the number of each input before it is run; --only N runs and prints that one
 * alone.
 */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>

#include "base/fdio.h"
#include "base/rng.h"
#include "base/str.h"

#define INPUT_MAX (1024 * 1024)
#define OPERATIONS_MAX 8

struct corpus {
    struct str *v;
    size_t n, cap;
};
struct settings {
    uint64_t mutations, only;
    bool trace, has_only;
};

static void stop_on(const struct err *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(2);
}

static void add_file(struct corpus *corpus, const char *path)
{
    struct err err = {0};

    corpus->v = mem_grow(corpus->v, &corpus->cap, corpus->n + 1, sizeof *corpus->v);
    corpus->v[corpus->n] = (struct str){0};
    if (fdio_read_file(path, INPUT_MAX, &corpus->v[corpus->n], &err) < 0)
        stop_on(&err);
    corpus->n++;
}

/* Files in order of name, so that the mutations are the same everywhere. */
static void add_path(struct corpus *corpus, const char *path)
{
    struct strlist names = {0};
    DIR *dir = opendir(path);

    if (!dir) {
        add_file(corpus, path);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            strlist_add(&names, entry->d_name);
    closedir(dir);
    strlist_sort(&names);
    for (size_t i = 0; i < names.n; i++) {
        CLEAN_MEM char *file = mem_printf("%s/%s", path, names.v[i]);

        add_file(corpus, file);
    }
    strlist_done(&names);
}

static uint8_t odd_byte(struct rng *rng)
{
    static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, '\n', '"', ',', '-', '{', ':', '0', '9'};

    return rng_below(rng, 2) ? odd[rng_below(rng, sizeof odd)] : (uint8_t)rng_below(rng, 256);
}

/* One change of input: a bit, a byte, a stretch doubled, cut out, made of odd bytes or taken from
 * elsewhere. */
static void mutate(struct rng *rng, struct str *input, const struct corpus *corpus)
{
    struct str old = *input, out = {0};
    const size_t at = (size_t)rng_below(rng, old.length + 1);
    const size_t left = old.length - at;
    const size_t n = (size_t)rng_below(rng, (left < 64 ? left : 64) + 1);
    const struct str *other = &corpus->v[rng_below(rng, corpus->n)];

    str_add_bytes(&out, str_get(&old), at);
    switch (rng_below(rng, 7)) {
    case 0:
        if (left) {
            str_addc(&out, (char)(old.text[at] ^ (1 << rng_below(rng, 8))));
            str_add_bytes(&out, old.text + at + 1, left - 1);
        }
        break;
    case 1:
        str_addc(&out, (char)odd_byte(rng));
        str_add_bytes(&out, str_get(&old) + at + (left > 0), left - (left > 0));
        break;
    case 2:
        str_addc(&out, (char)odd_byte(rng));
        str_add_bytes(&out, str_get(&old) + at, left);
        break;
    case 3: /* out */
        str_add_bytes(&out, str_get(&old) + at + n, left - n);
        break;
    case 4: /* twice */
        str_add_bytes(&out, str_get(&old) + at, n);
        str_add_bytes(&out, str_get(&old) + at, left);
        break;
    case 5: /* the tail of another */
        if (other->length) {
            const size_t from = (size_t)rng_below(rng, other->length);

            str_add_bytes(&out, other->text + from, other->length - from);
        }
        break;
    case 6: /* cut here */
        break;
    }
    if (out.length > INPUT_MAX)
        out.length = INPUT_MAX;
    str_done(&old);
    *input = out;
}

/* The input in memory of just its size, so that a sanitizer sees a read past its end. */
static void run(const struct settings *settings, uint64_t number, const struct str *input)
{
    if (settings->has_only && settings->only != number)
        return;
    if (settings->trace)
        fprintf(stderr, "input %llu, %zu bytes\n", (unsigned long long)number, input->length);
    if (settings->has_only)
        fwrite(str_get(input), 1, input->length, stdout);
    uint8_t *copy = malloc(input->length ? input->length : 1);
    if (!copy)
        abort();
    if (input->length)
        memcpy(copy, input->text, input->length);
    FUZZ_HOLDS(LLVMFuzzerTestOneInput(copy, input->length) == 0);
    free(copy);
}

static uint64_t number_of(const char *text)
{
    struct err err = {0};
    uint64_t value = 0;

    if (!text || str_to_u64(text, &value, &err) < 0) {
        fprintf(stderr, "a number is expected\n");
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    struct settings settings = {.mutations = 3000};
    struct corpus corpus = {0};
    struct str empty = {0};
    uint64_t number = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--trace") == 0) {
            settings.trace = true;
        } else if (strcmp(argv[i], "--mutations") == 0) {
            settings.mutations = number_of(argv[++i]);
        } else if (strcmp(argv[i], "--only") == 0) {
            settings.has_only = true;
            settings.only = number_of(argv[++i]);
        } else {
            add_path(&corpus, argv[i]);
        }
    }
    if (corpus.n == 0) {
        fprintf(stderr, "usage: %s [--trace] [--mutations N] [--only N] FILE-OR-DIRECTORY...\n",
                argv[0]);
        return 2;
    }
    const char *slash = strrchr(argv[0], '/');
    const uint64_t seed = rng_hash(slash ? slash + 1 : argv[0]);

    run(&settings, number++, &empty);
    for (size_t i = 0; i < corpus.n; i++)
        run(&settings, number++, &corpus.v[i]);
    for (uint64_t i = 0; i < settings.mutations; i++) {
        struct str input = {0};
        struct rng rng;

        rng_seed_stream(&rng, seed, i);
        const struct str *origin = &corpus.v[rng_below(&rng, corpus.n)];
        str_add_bytes(&input, str_get(origin), origin->length);
        for (uint64_t k = 1 + rng_below(&rng, OPERATIONS_MAX); k > 0; k--)
            mutate(&rng, &input, &corpus);
        run(&settings, number++, &input);
        str_done(&input);
    }
    printf("%s: %llu inputs\n", argv[0], (unsigned long long)number);
    for (size_t i = 0; i < corpus.n; i++)
        str_done(&corpus.v[i]);
    mem_free(corpus.v);
    return 0;
}
