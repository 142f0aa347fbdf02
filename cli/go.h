/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Getting a run under way and told of: a link to the configured coordinator or to one embedded for
 * the occasion, the run followed to its end, the report.
 */
#pragma once
#include "cli/embed.h"
#include "cli/follow.h"
#include "cli/view.h"

struct go {
    struct link *link;
    struct embed *embed; /* NULL: a coordinator is configured */
};
/* Opens the configured coordinator, or embeds one and waits until this machine is its host. From
 * here on SIGINT and SIGTERM are read between messages (link_take_signals). */
MUST_CHECK int go_open(struct go *ret, struct err *err);
void go_done(struct go *go);
/* Follows the run, then prints the report; *ret_exit: 0, with gate 3, 4 or 5, 130 when interrupted.
 */
MUST_CHECK int go_to_the_end(struct go *go, const char *reference, const struct view *view,
                             bool gate, int *ret_exit, struct err *err);
