/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One line at a time; the kind of file is told by its first lines: perf says "# Overhead" or
 * "# Children" above its columns.
 */
#include "coordinator/offline/profile_read.h"

#include "base/fdio.h"

#include <math.h>
#include <string.h>

#define FILE_MOST (64 * 1024 * 1024)
#define SYMBOL_MOST 4096

void profile_ticks_done(struct profile_ticks *ticks)
{
    for (size_t i = 0; i < ticks->n; i++)
        mem_free(ticks->v[i].symbol);
    mem_free(ticks->v);
    *ticks = (struct profile_ticks){0};
}

struct lines { /* a walk over text, line by line */
    const char *file, *next;
    size_t number; /* of the current line, from 1 */
    char *line;    /* without its end; freed by the next step */
    size_t profile;
    struct profile_ticks *ret;
    struct err *err;
};

static bool step(struct lines *lines)
{
    mem_free(lines->line);
    lines->line = NULL;
    if (*lines->next == '\0')
        return false;

    size_t length = strcspn(lines->next, "\n");

    lines->line = mem_strndup(lines->next, length);
    if (length > 0 && lines->line[length - 1] == '\r')
        lines->line[length - 1] = '\0';
    lines->next += length + (lines->next[length] == '\n');
    lines->number++;
    return true;
}

static int fail(const struct lines *lines, const char *allowed)
{
    CLEAN_MEM char *shown = str_visible(lines->line ? lines->line : "", 80);

    return err_set(lines->err, ERR_INPUT, "%s:%zu: found \"%s\"; allowed: %s", lines->file,
                   lines->number, shown, allowed);
}

static int add(const struct lines *lines, const char *symbol, size_t length, double ticks,
               size_t profile)
{
    struct profile_ticks *ret = lines->ret;

    if (length == 0 || length > SYMBOL_MOST || !str_is_utf8(symbol, length))
        return fail(lines, "a symbol of 1 to 4096 bytes of UTF-8");
    if (!(ticks >= 0.0 && ticks <= 1e15))
        return fail(lines, "ticks from 0 to 1e15");
    ret->v = mem_grow(ret->v, &ret->cap, ret->n + 1, sizeof *ret->v);
    ret->v[ret->n++] = (struct profile_tick){mem_strndup(symbol, length), ticks, profile};
    return 0;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static size_t word_length(const char *text)
{
    return strcspn(text, " \t");
}

static bool read_number(const char *text, size_t length, double *ret)
{
    CLEAN_MEM char *word = mem_strndup(text, length);

    return str_to_double(word, ret, NULL) == 0;
}

static size_t trimmed(const char *text, size_t length)
{
    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    return length;
}

/* ---- ticks and symbols ---- */

static const char *last_word(const char *text, size_t length)
{
    const char *word = text + length;

    while (word > text && !strchr(" \t", word[-1]))
        word--;
    return word;
}

static int tick_line(const struct lines *lines)
{
    static const char allowed[] = "\"TICKS SYMBOL\" or \"SYMBOL TICKS\"";
    const char *text = skip_blanks(lines->line);
    size_t length = trimmed(text, strlen(text)), first = word_length(text);
    double ticks, ignored;

    if (length == 0 || text[0] == '#')
        return 0;
    if (read_number(text, first, &ticks)) {
        const char *symbol = skip_blanks(text + first);
        size_t left = length - (size_t)(symbol < text + length ? symbol - text : (ptrdiff_t)length);
        size_t word = left > 0 ? word_length(symbol) : 0;
        const char *third = skip_blanks(symbol + word);

        if (left == 0)
            return fail(lines, allowed);
        if (word < left && third + word_length(third) == text + length &&
            read_number(third, word_length(third), &ignored))
            left = word; /* readprofile's load, for the symbol's size */
        return add(lines, symbol, left, ticks, lines->profile);
    }

    const char *last = last_word(text, length);

    if (last == text || !read_number(last, (size_t)(text + length - last), &ticks))
        return fail(lines, allowed);
    return add(lines, text, trimmed(text, (size_t)(last - text)), ticks, lines->profile);
}

/* ---- perf report ---- */

struct perf {
    double samples;           /* of the event; NaN: not said yet */
    bool children, has_count; /* columns: children before self; samples behind the percents */
    bool begun;
    size_t rows;
};

/* "# Samples: 12K of event 'cycles'" */
static int perf_samples(const struct lines *lines, struct perf *perf, const char *text)
{
    static const char units[] = "KMG";
    size_t length = strcspn(text, " \t");
    const char *unit = length > 0 ? strchr(units, text[length - 1]) : NULL;
    double number;

    if (!isnan(perf->samples))
        return fail(lines, "one event: report each event alone");
    if (!read_number(text, length - (unit ? 1 : 0), &number) || !(number > 0.0))
        return fail(lines, "# Samples: NUMBER of event NAME");
    perf->samples = unit ? number * pow(1000.0, (double)(unit - units) + 1.0) : number;
    return 0;
}

static int perf_header(const struct lines *lines, struct perf *perf)
{
    const char *text = skip_blanks(lines->line + 1);

    if (str_starts(text, "Samples:"))
        return perf_samples(lines, perf, skip_blanks(text + strlen("Samples:")));
    if (!str_starts(text, "Overhead") && !str_starts(text, "Children"))
        return 0;
    perf->begun = true;
    perf->children = str_starts(text, "Children");
    perf->has_count = strstr(text, " Samples") != NULL;
    if (!strstr(text, " Symbol"))
        return fail(lines, "a column Symbol (perf report --stdio --sort symbol)");
    return 0;
}

/* "12.34%" at *text, which moves behind it. */
static bool perf_percent(const char **text, double *ret)
{
    const char *word = skip_blanks(*text);
    size_t length = word_length(word);

    if (length < 2 || word[length - 1] != '%' || !read_number(word, length - 1, ret))
        return false;
    *text = word + length;
    return true;
}

/* "[.] name" and what stands behind the brackets' letter. */
static const char *perf_symbol(const char *text)
{
    for (const char *open = strchr(text, '['); open; open = strchr(open + 1, '['))
        if (open[1] && open[2] == ']' && open[3] == ' ')
            return open + 4;
    return NULL;
}

/* Lines without a percent at their start are call chains. */
static int perf_row(const struct lines *lines, struct perf *perf)
{
    const char *text = lines->line, *symbol;
    double percent, count;

    if (*text != ' ' && *text != '\t')
        return fail(lines, "a row of perf report --stdio");
    if (!perf_percent(&text, &percent))
        return 0;
    if (perf->children && !perf_percent(&text, &percent))
        return fail(lines, "percents of children and self");
    if (perf->has_count) {
        text = skip_blanks(text);
        if (!read_number(text, word_length(text), &count))
            return fail(lines, "a number of samples behind the percents");
    } else {
        if (isnan(perf->samples))
            return fail(lines, "a line \"# Samples:\" above, or a column of samples (perf report "
                               "--stdio -n)");
        count = percent / 100.0 * perf->samples;
    }
    symbol = perf_symbol(text);
    if (!symbol)
        return fail(lines, "a symbol as \"[.] name\"");

    const char *gap = strstr(symbol, "  "); /* further columns */

    perf->rows++;
    if (!(count > 0.0)) /* only on the way to others */
        return 0;
    return add(lines, symbol, trimmed(symbol, gap ? (size_t)(gap - symbol) : strlen(symbol)), count,
               lines->profile);
}

static int parse_perf(struct lines *lines)
{
    struct perf perf = {.samples = NAN};

    while (step(lines)) {
        const char *text = skip_blanks(lines->line);
        int result = 0;

        if (lines->line[0] == '#')
            result = perf_header(lines, &perf);
        else if (*text)
            result = perf.begun ? perf_row(lines, &perf) : fail(lines, "the header of perf report");
        if (result < 0)
            return -1;
    }
    return perf.rows > 0 ? 0 : err_set(lines->err, ERR_INPUT, "%s: no symbols", lines->file);
}

static bool is_perf(const char *text)
{
    return str_starts(text, "# Overhead") || str_starts(text, "# Children") ||
           strstr(text, "\n# Overhead") || strstr(text, "\n# Children");
}

static int parse_ticks(struct lines *lines)
{
    size_t before = lines->ret->n;

    while (step(lines))
        if (tick_line(lines) < 0)
            return -1;
    return lines->ret->n > before ? 0
                                  : err_set(lines->err, ERR_INPUT, "%s: no symbols", lines->file);
}

int profile_parse(const char *file, const char *text, size_t profile, struct profile_ticks *ret,
                  struct err *err)
{
    struct lines lines = {.file = file, .next = text, .profile = profile, .ret = ret, .err = err};
    int result = is_perf(text) ? parse_perf(&lines) : parse_ticks(&lines);

    mem_free(lines.line);
    return result;
}

/* ---- differences ---- */

static int diff_line(const struct lines *lines)
{
    const char *text = lines->line, *last = strrchr(text, ','), *middle = last;
    double delta, percent, before;

    while (middle && middle > text && *--middle != ',')
        ;
    if (!last || *middle != ',' || !read_number(last + 1, strlen(last + 1), &percent) ||
        !read_number(middle + 1, (size_t)(last - middle - 1), &delta))
        return fail(lines, "SYMBOL,DELTA,PERCENT");
    if (percent != 0.0 && (percent < 0.0) != (delta < 0.0) && delta != 0.0)
        return fail(lines, "a percent of the same sign as the difference");
    before = percent == 0.0 ? 0.0 : round(100.0 * delta / percent);
    if (add(lines, text, (size_t)(middle - text), before, 0) < 0)
        return -1;
    return add(lines, text, (size_t)(middle - text), before + delta, 1);
}

int profile_parse_diff(const char *file, const char *text, struct profile_ticks *ret,
                       struct err *err)
{
    struct lines lines = {.file = file, .next = text, .ret = ret, .err = err};
    bool headed = false;
    int result = 0;

    while (result == 0 && step(&lines)) {
        if (lines.line[0] == '#' || lines.line[0] == '\0')
            continue;
        if (headed)
            result = diff_line(&lines);
        else if (strcmp(lines.line, "symbol,delta_ticks,pct") != 0)
            result = fail(&lines, "the columns symbol,delta_ticks,pct");
        headed = true;
    }
    mem_free(lines.line);
    if (result == 0 && ret->n == 0)
        return err_set(err, ERR_INPUT, "%s: no symbols", file);
    return result;
}

/* ---- files ---- */

static int load(const char *path, struct str *ret, struct err *err)
{
    if (fdio_read_file(path, FILE_MOST, ret, err) < 0) {
        if (err && err->sys_errno != 0) /* a file that cannot be read is a wrong file */
            err->code = ERR_INPUT;
        return -1;
    }
    if (ret->length > 0 && strlen(ret->text) != ret->length)
        return err_set(err, ERR_INPUT, "%s: found a NUL byte; allowed: text", path);
    return 0;
}

int profile_read(const char *path, size_t profile, struct profile_ticks *ret, struct err *err)
{
    CLEAN_DONE(str) struct str text = {0};

    return load(path, &text, err) < 0 ? -1 : profile_parse(path, str_get(&text), profile, ret, err);
}

int profile_read_diff(const char *path, struct profile_ticks *ret, struct err *err)
{
    CLEAN_DONE(str) struct str text = {0};

    return load(path, &text, err) < 0 ? -1 : profile_parse_diff(path, str_get(&text), ret, err);
}
