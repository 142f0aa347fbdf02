/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * FOLLOW, with progress, and CANCEL on a signal.
 */
#include "cli/follow.h"

#include <stdio.h>

#include "cli/progress.h"

struct follow {
    struct link *link;
    const char *reference;
    struct progress progress;
    bool cancels, interrupted;
};

static void on_progress(void *arg, const char *json)
{
    progress_show(&((struct follow *)arg)->progress, json);
}

static bool on_signal(void *arg)
{
    struct follow *follow = arg;
    CLEAN_DONE(strmap) struct strmap words = {0};
    struct wire_request request = {.kind = WIRE_REQUEST_CANCEL};
    struct err err = {0};

    if (follow->interrupted || !follow->cancels) {
        follow->interrupted = true;
        return false;
    }
    follow->interrupted = true;
    progress_end(&follow->progress);
    (void)fprintf(stderr, "muster: cancelling %s; once more to leave it to the coordinator\n",
                  follow->reference);
    strmap_set(&words, "run", follow->reference);
    request.arg = words;
    if (link_tell(follow->link, &request, &err) < 0) {
        (void)cli_fail(&err);
        return false;
    }
    return true;
}

int follow_run(struct link *link, const char *reference, bool quiet, bool cancels,
               struct follow_end *ret, struct err *err)
{
    struct follow follow = {.link = link, .reference = reference, .cancels = cancels};
    CLEAN_DONE(strmap) struct strmap words = {0};
    struct wire_request request = {.kind = WIRE_REQUEST_FOLLOW};
    const struct link_sink sink = {
        .on_progress = on_progress, .on_signal = on_signal, .arg = &follow};
    int code = EXIT_FAILED, result;

    strmap_set(&words, "run", reference);
    request.arg = words;
    progress_init(&follow.progress, quiet);
    result = link_ask(link, &request, &sink, &code, err);
    progress_end(&follow.progress);
    if (result < 0)
        return -1;
    *ret = (struct follow_end){.interrupted = follow.interrupted,
                               .cancelled = follow.progress.cancelled,
                               .partial = follow.progress.partial,
                               .exit_code = follow.interrupted ? EXIT_INTERRUPTED : code};
    return 0;
}
