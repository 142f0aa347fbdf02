/* SPDX-License-Identifier: GPL-3.0-or-later
 * Private to the confirm room: a confirming experiment while it is made. */
#pragma once
#include "coordinator/confirm/confirm.h"

enum { SIDE_WITH, SIDE_WITHOUT, SIDES };
struct confirm {
    const struct confirm_request *request;
    struct experiment *experiment;
    struct strlist side[SIDES]; /* hosts that show the effect most, and that do not */
    size_t switched;            /* factors crossed by us */
    struct str words;
};
/* switch.c: what the user asks for; 0 or ERR_USAGE. */
MUST_CHECK int confirm_asked(struct confirm *confirm, struct err *err);
/* switch.c: what the answer's surviving explanations, its sinks and the hosts' environments offer;
 * confirm->switched counts them. */
void confirm_found(struct confirm *confirm);
const struct confirm_host *confirm_host_find(const struct confirm *confirm, const char *name);
