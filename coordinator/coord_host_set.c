/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes of the pool by users: enrol, approve, drain, hold, remove. They hold from the next
 * message on, without a restart.
 */
#include "coordinator/hall.h"

#include <stdio.h>

static int add(struct coord *coord, struct coord_member *member, const struct strmap *arg,
               struct err *err)
{
    const char *name = strmap_get(arg, "host"), *key = strmap_get(arg, "key");

    if (!key)
        return err_set(err, ERR_USAGE, "host add NAME PUBLICKEY: the key is missing");
    if (member && member->host->key && str_eq(member->host->key, key) && coord_key(coord, key))
        return err_set(err, ERR_EXISTS, "host %s has this key already", name);
    if (coord_key_add(coord, key, name, "agent", err) < 0)
        return -1;
    if (member && member->host->connected)
        coord_agent_forget(coord, member); /* under its former key */
    (void)coord_member_add(coord, name, key);
    return 0;
}

static int approve(struct coord *coord, struct coord_member *member, const struct strmap *arg,
                   struct err *err)
{
    (void)coord, (void)arg;
    if (!member->host->key)
        return err_set(err, ERR_STATE, "host %s was imported: `muster host add` gives it a key",
                       member->host->name);
    member->host->approved = true;
    member->host->drained = member->host->held = false;
    return 0;
}

static int drain(struct coord *coord, struct coord_member *member, const struct strmap *arg,
                 struct err *err)
{
    (void)coord, (void)arg, (void)err;
    member->host->drained = true;
    return 0;
}

static int hold(struct coord *coord, struct coord_member *member, const struct strmap *arg,
                struct err *err)
{
    (void)coord, (void)arg, (void)err;
    member->host->held = true;
    return 0;
}

static int rm(struct coord *coord, struct coord_member *member, const struct strmap *arg,
              struct err *err)
{
    (void)arg, (void)err;
    coord_key_revoke(coord, member->host->name);
    if (member->host->connected)
        coord_agent_forget(coord, member);
    coord_member_remove(coord, member->host->name);
    return 0;
}

static const struct {
    const char *name, *past;
    bool makes, removes;
    int (*run)(struct coord *coord, struct coord_member *member, const struct strmap *arg,
               struct err *err);
} actions[] = {
    {"add",     "enrolled",           true,  false, add    },
    {"approve", "approved",           false, false, approve},
    {"drain",   "takes no more work", false, false, drain  },
    {"hold",    "held",               false, false, hold   },
    {"rm",      "removed",            false, true,  rm     },
};

static int set(struct coord *coord, const struct coord_asker *asker, const struct strmap *arg,
               struct str *ret_text, struct err *err)
{
    const char *action = strmap_get(arg, "action"), *name = strmap_get(arg, "host");
    struct coord_member *member;

    if (!action || !name)
        return err_set(err, ERR_USAGE, "which host, and what of it?");
    if (!str_is_name(name))
        return err_set(err, ERR_INPUT, "\"%s\" is no name (letters, digits and . _ : @ -)", name);
    member = coord_member(coord, name);
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (!str_eq(action, actions[i].name))
            continue;
        if (!member && !actions[i].makes)
            return err_set(err, ERR_NOT_FOUND, "no host %s", name);
        if (actions[i].run(coord, member, arg, err) < 0)
            return -1;
        if (!actions[i].removes)
            coord_member_store(coord, coord_member(coord, name));
        coord_audit(coord, asker->who, actions[i].name, name);
        str_addf(ret_text, "%s: %s\n", name, actions[i].past);
        return 0;
    }
    return err_set(err, ERR_USAGE, "no action %s", action);
}

void coord_host_set(struct coord *coord, const struct coord_asker *asker,
                    const struct wire_request *request)
{
    CLEAN_DONE(str) struct str text = {0};
    struct err err = {0};

    if (set(coord, asker, &request->arg, &text, &err) < 0)
        coord_reply_error(coord, asker, &err);
    else
        coord_reply_text(coord, asker, 0, str_get(&text));
}
