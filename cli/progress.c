/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the coordinator's report to a line: blocks done, samples a second, hosts by state, time
 * left.
 */
#include "cli/progress.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/str.h"
#include "cli/terminal.h"

#define PLAIN_NS (10 * CLK_NS_PER_S)

void progress_init(struct progress *progress, bool quiet)
{
    *progress = (struct progress){.quiet = quiet,
                                  .redraws = terminal_redraws(STDERR_FILENO),
                                  .width = terminal_width(STDERR_FILENO)};
}

static const char *text_of(const json_t *root, const char *name)
{
    const char *text = json_string_value(json_object_get(root, name));

    return text ? text : "?";
}

static double number_of(const json_t *root, const char *name)
{
    return json_number_value(json_object_get(root, name));
}

static void add_eta(struct str *line, const json_t *root)
{
    const json_t *eta = json_object_get(root, "eta_s");
    double s = json_number_value(eta);

    if (!json_is_number(eta))
        return;
    if (s >= 5400)
        str_addf(line, ", at most %.1f h", s / 3600);
    else if (s >= 90)
        str_addf(line, ", at most %.0f min", s / 60);
    else
        str_addf(line, ", at most %.0f s", s);
}

static void make_line(const json_t *root, struct str *line)
{
    json_t *hosts = json_object_get(root, "hosts");
    const char *name;
    json_t *count;
    const char *separator = "; hosts: ";

    str_addf(line, "%s %s: %.0f of %.0f blocks, %.0f samples (%.1f/s)", text_of(root, "run"),
             text_of(root, "state"), number_of(root, "blocks_done"),
             number_of(root, "blocks_total"), number_of(root, "samples"),
             number_of(root, "samples_per_s"));
    json_object_foreach(hosts, name, count)
    {
        str_addf(line, "%s%lld %s", separator, (long long)json_integer_value(count), name);
        separator = ", ";
    }
    add_eta(line, root);
}

static void draw(struct progress *progress, const char *line)
{
    CLEAN_MEM char *shown = str_visible(line, progress->width > 4 ? progress->width - 4 : 16);

    (void)fprintf(stderr, "\r%s\033[K", shown);
    (void)fflush(stderr);
    progress->drawn = true;
}

void progress_show(struct progress *progress, const char *json)
{
    json_t *root = json_loads(json, 0, NULL);
    CLEAN_DONE(str) struct str line = {0};
    int64_t now_ns = clk_mono_ns();
    bool ended;

    if (!root)
        return;
    ended = strcmp(text_of(root, "state"), "running") != 0;
    progress->ended = ended;
    progress->cancelled = strcmp(text_of(root, "state"), "cancelled") == 0;
    progress->partial = strcmp(text_of(root, "state"), "partial") == 0;
    make_line(root, &line);
    json_decref(root);
    if (progress->quiet)
        return;
    if (progress->redraws) {
        draw(progress, str_get(&line));
    } else if (ended || !progress->told_ns || now_ns - progress->told_ns >= PLAIN_NS) {
        progress->told_ns = now_ns;
        (void)fprintf(stderr, "%s\n", str_get(&line));
    }
}

void progress_end(struct progress *progress)
{
    if (progress->drawn)
        (void)fputc('\n', stderr);
    progress->drawn = false;
}
