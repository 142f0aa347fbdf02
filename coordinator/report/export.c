/* SPDX-License-Identifier: GPL-3.0-or-later
 * The door of export: which format, which part. */
#include "coordinator/report/export.h"

#include <errno.h>
#include <string.h>

static const struct export_ops *find_format(const char *name)
{
    for (size_t i = 0; i < export_registry_n; i++) {
        if (str_eq(export_registry[i]->name, name))
            return export_registry[i];
    }
    return NULL;
}

static int no_format(const char *name, struct err *err)
{
    CLEAN_DONE(str) struct str names = {0};

    for (size_t i = 0; i < export_registry_n; i++)
        str_addf(&names, "%s%s", i ? ", " : "", export_registry[i]->name);
    return err_set(err, ERR_USAGE, "format: found %s, allowed: %s", name, str_get(&names));
}

int export_run(struct store *store, const struct run *run, const char *format, const char *what,
               FILE *out, struct err *err)
{
    const struct export_ops *ops = find_format(format ? format : "csv");
    enum export_part part = str_eq(what, "hosts") ? EXPORT_HOSTS : EXPORT_SAMPLES;

    if (!ops)
        return no_format(format, err);
    if (what && part == EXPORT_SAMPLES && !str_eq(what, "samples"))
        return err_set(err, ERR_USAGE, "what: found %s, allowed: samples, hosts", what);
    if (part == EXPORT_HOSTS && !ops->has_hosts)
        return err_set(err, ERR_USAGE, "what: %s has no hosts of their own", ops->name);
    if (ops->write(store, run, part, out, err) < 0)
        return err_wrap(err, "export of %s@%lld", run->experiment, (long long)run->number);
    if (fflush(out) != 0 || ferror(out))
        return err_sys(err, "export of %s@%lld", run->experiment, (long long)run->number);
    return 0;
}

int export_facts(struct store *store, const struct trial *trial, struct fact_set **ret,
                 struct err *err)
{
    CLEAN(host) struct host *host = NULL;
    struct err why = {0};

    if (trial->facts[0])
        return store_facts_get(store, trial->facts, ret, err);
    if (store_host_get(store, trial->host, &host, &why) == 0) {
        *ret = fact_set_copy(host->facts);
        return 0;
    }
    if (why.code != ERR_NOT_FOUND)
        return err_set(err, why.code, "%s", why.text);
    *ret = fact_set_new();
    return 0;
}

char *export_plain_host(const struct trial *trial)
{
    CLEAN_MEM char *suffix =
        trial->epoch_name ? mem_printf("@%s", trial->epoch_name) : mem_strdup("");

    if (*suffix && str_ends(trial->host, suffix))
        return mem_strndup(trial->host, strlen(trial->host) - strlen(suffix));
    return mem_strdup(trial->host);
}

bool export_judged(const struct frame *frame, size_t row)
{
    return frame->outcome[row] == OUTCOME_OK &&
           !(frame->flags[row] & (FRAME_WARMUP | FRAME_PROFILED));
}
