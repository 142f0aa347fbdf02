/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the state table's actions work on. Private to the session room. */
#pragma once
#include "coordinator/session/session.h"

struct session_step {
    struct session *session;
    int64_t now_ns, heartbeat_ns, sleeping_ns;
    const struct chan_peer *peer;
    const struct wire_hello *hello; /* of the HELLO events */
    struct session_answer *answer;  /* of the HELLO events */
};
/* The event a hello is, given what the session knows of its key. */
enum session_event session_classify(const struct session_step *step);
