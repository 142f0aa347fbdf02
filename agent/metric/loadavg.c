/* SPDX-License-Identifier: GPL-3.0-or-later
 * The load average of the last minute and the number of runnable tasks, for the record: read before
 * the sample, so that the sample itself is not in them. */
#include "agent/metric.h"

#include <stdlib.h>
#include <string.h>

struct average {
    double one, runnable;
    bool is_known;
};

static void begin_loadavg(void *state, const struct platform *platform)
{
    struct average *average = state;
    CLEAN_DONE(str) struct str text = {0};
    char *end = NULL;

    if (!platform_text(platform, "/proc/loadavg", &text))
        return;
    average->one = strtod(str_get(&text), &end);
    const char *slash = end ? strchr(end, '/') : NULL;
    if (!slash)
        return;
    const char *number = slash;
    while (number > end && number[-1] >= '0' && number[-1] <= '9')
        number--;
    average->runnable = strtod(number, NULL) - 1; /* the reader itself runs */
    if (average->runnable < 0)
        average->runnable = 0;
    average->is_known = true;
}

static void end_loadavg(const void *state, const struct metric_window *window, double *value)
{
    const struct average *average = state;

    (void)window;
    if (!average->is_known)
        return;
    value[0] = average->one;
    value[1] = average->runnable;
}

static const char *missing_loadavg(const struct platform *platform, size_t column)
{
    (void)column;
    return platform_exists(platform, "/proc/loadavg") ? NULL : "/proc/loadavg cannot be read";
}

const struct metric_ops metric_loadavg = {
    .name = "loadavg",
    .help = "load average and runnable tasks before the sample",
    .column = {{"loadavg1", "", "load average of the last minute"},
               {"runnable", "", "runnable tasks besides the agent"}},
    .begin = begin_loadavg,
    .end = end_loadavg,
    .missing = missing_loadavg,
};
