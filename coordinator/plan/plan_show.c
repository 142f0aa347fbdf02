/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plan as text for people and as JSON for programs: what `muster run --dry-run` prints.
 */
#include "coordinator/plan/plan.h"

#include "base/clk.h"

#include <jansson.h>
#include <stdlib.h>

static void add_duration(struct str *out, int64_t ns)
{
    int64_t s = ns / CLK_NS_PER_S;

    if (s >= 7200)
        str_addf(out, "%lld h %02lld min", (long long)(s / 3600), (long long)(s % 3600 / 60));
    else if (s >= 120)
        str_addf(out, "%lld min", (long long)(s / 60));
    else
        str_addf(out, "%lld s", (long long)s);
}

static void add_hosts(struct str *out, const struct plan *plan, bool targets)
{
    for (size_t i = 0; i < plan->n_hosts; i++) {
        const struct plan_host *host = &plan->host[i];

        if (host->target != targets)
            continue;
        str_addf(out, "  %s", host->name);
        if (host->why[0])
            str_addf(out, "  (%s)", host->why);
        str_addc(out, '\n');
    }
}

void plan_text(const struct plan *plan, const struct experiment *experiment, struct str *ret)
{
    str_addf(ret, "experiment %s: %zu variants x %zu cells, metric %s\n", experiment->name,
             experiment->n_variants, experiment_cells(experiment), experiment->metric);
    str_addf(ret, "%zu of %zu hosts match", plan->n_targets, plan->n_hosts);
    if (experiment->hosts)
        str_addf(ret, " (%s)", experiment->hosts);
    str_add(ret, plan->n_targets ? ":\n" : "\n");
    add_hosts(ret, plan, true);
    if (plan->n_targets < plan->n_hosts) {
        str_add(ret, "not matched:\n");
        add_hosts(ret, plan, false);
    }
    str_addf(ret, "samples: %llu a block and host, %llu to %llu in all\n",
             (unsigned long long)plan->samples_per_block, (unsigned long long)plan->samples_min,
             (unsigned long long)plan->samples_max);
    str_add(ret, "looks after blocks:");
    for (size_t i = 0; i < plan->n_looks; i++)
        str_addf(ret, " %u", plan->look[i]);
    str_addc(ret, '\n');
    if (plan->time_max_ns < INT64_MAX) {
        str_add(ret, "at most ");
        add_duration(ret, plan->time_max_ns);
        str_add(ret, " a host; hosts on one machine take turns\n");
    }
}

void plan_json(const struct plan *plan, const struct experiment *experiment, struct str *ret)
{
    json_t *hosts = json_array(), *looks = json_array(), *root;
    char *text;

    for (size_t i = 0; i < plan->n_hosts; i++) {
        const struct plan_host *host = &plan->host[i];

        (void)json_array_append_new(hosts, json_pack("{s:s, s:b, s:b, s:s}", "host", host->name,
                                                     "target", (int)host->target, "connected",
                                                     (int)host->connected, "why", host->why));
    }
    for (size_t i = 0; i < plan->n_looks; i++)
        (void)json_array_append_new(looks, json_integer((json_int_t)plan->look[i]));
    root =
        json_pack("{s:i, s:s, s:I, s:I, s:o, s:I, s:I, s:I, s:o}", "schema", 1, "experiment",
                  experiment->name, "variants", (json_int_t)experiment->n_variants, "cells",
                  (json_int_t)experiment_cells(experiment), "hosts", hosts, "samples_per_block",
                  (json_int_t)plan->samples_per_block, "samples_min", (json_int_t)plan->samples_min,
                  "samples_max", (json_int_t)plan->samples_max, "looks", looks);
    (void)json_object_set_new(
        root, "time_max_s",
        plan->time_max_ns < INT64_MAX ? json_real((double)plan->time_max_ns / 1e9) : json_null());
    text = json_dumps(root, JSON_INDENT(1));
    if (text) {
        str_add(ret, text);
        str_addc(ret, '\n');
        free(text);
    }
    json_decref(root);
}
