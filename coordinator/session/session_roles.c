/* SPDX-License-Identifier: GPL-3.0-or-later
 * Who may send and ask what. Closed tables: what is not listed is refused. */
#include "coordinator/session/session.h"

#include <string.h>

#define BIT(role) (1u << (role))
#define USERS (BIT(SESSION_VIEWER) | BIT(SESSION_OPERATOR))

static const struct {
    enum wire_kind kind;
    unsigned roles;
} kinds[] = {
    {WIRE_HELLO,        BIT(SESSION_AGENT)   },
    {WIRE_HEARTBEAT,    BIT(SESSION_AGENT)   },
    {WIRE_BATCH,        BIT(SESSION_AGENT)   },
    {WIRE_TRIAL_EVENT,  BIT(SESSION_AGENT)   },
    {WIRE_ARTEFACT_GET, BIT(SESSION_AGENT)   },
    {WIRE_REQUEST,      USERS                },
    {WIRE_PUT,          BIT(SESSION_OPERATOR)},
};

static const struct {
    const char *role, *words;
} requests[] = {
#define WIRE_REQUEST_KIND(name, role, words) {role, words},
#include "model/tbl/requests.def"
#undef WIRE_REQUEST_KIND
};

enum session_role session_role_of(const char *word)
{
    if (strcmp(word, "agent") == 0)
        return SESSION_AGENT;
    if (strcmp(word, "viewer") == 0)
        return SESSION_VIEWER;
    if (strcmp(word, "operator") == 0)
        return SESSION_OPERATOR;
    return SESSION_NOBODY;
}

bool session_may_send(enum session_role role, enum wire_kind kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].kind == kind)
            return role != SESSION_NOBODY && (kinds[i].roles & BIT(role)) != 0;
    return false;
}

bool session_may_ask(enum session_role role, enum wire_request_kind kind)
{
    if ((size_t)kind >= sizeof requests / sizeof requests[0])
        return false;
    switch (session_role_of(requests[kind].role)) {
    case SESSION_VIEWER:
        return role == SESSION_VIEWER || role == SESSION_OPERATOR;
    case SESSION_OPERATOR:
        return role == SESSION_OPERATOR;
    case SESSION_AGENT:
    case SESSION_NOBODY:
        break;
    }
    return false;
}

const char *session_request_words(enum wire_request_kind kind)
{
    return (size_t)kind < sizeof requests / sizeof requests[0] ? requests[kind].words : "ask this";
}
