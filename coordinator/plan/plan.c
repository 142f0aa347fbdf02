/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matching hosts, counting samples, scheduling looks.
 */
#include "coordinator/plan/plan.h"

#include "analysis/sequential.h"
#include "model/expr.h"
#include "model/plan.h"

#include <string.h>

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->n_hosts; i++) {
        mem_free(plan->host[i].name);
        mem_free(plan->host[i].why);
    }
    mem_free(plan->host);
    mem_free(plan->look);
    mem_free(plan);
}

const char *plan_barred(const struct host *host)
{
    if (!host->key)
        return "imported: no agent of this name is enrolled";
    if (!host->approved)
        return "not approved";
    if (host->drained)
        return "drained";
    if (host->held)
        return "held";
    return NULL;
}

static void match(const struct expr *expr, const struct host *host, struct plan_host *ret)
{
    const char *barred = plan_barred(host);

    *ret = (struct plan_host){.name = mem_strdup(host->name), .connected = host->connected};
    if (barred) {
        ret->why = mem_strdup(barred);
        return;
    }
    if (expr) {
        struct str why = {0};
        enum expr_value value = expr_eval(expr, host->name, host->facts, &why);

        ret->why = str_take(&why);
        if (value != EXPR_TRUE)
            return;
        ret->why[0] = '\0';
    }
    ret->target = true;
    if (!host->connected) {
        mem_free(ret->why);
        ret->why = mem_strdup("not connected now");
    }
    if (!ret->why)
        ret->why = mem_strdup("");
}

static void count_samples(const struct experiment *experiment, struct plan *plan)
{
    struct plan_block block = {0};
    uint64_t sittings = experiment->sessions, targets = plan->n_targets, blocks, warm;

    plan_block_build(experiment, 1, "any", 0, 0, &block);
    plan->samples_per_block = block.n_steps;
    plan_block_done(&block);
    warm = experiment->warmup * plan->samples_per_block * sittings;
    plan->samples_min =
        targets * (warm + experiment->min_blocks * plan->samples_per_block * sittings);
    plan->samples_max =
        targets * (warm + experiment->max_blocks * plan->samples_per_block * sittings);
    blocks = (uint64_t)experiment->max_blocks + experiment->warmup;
    plan->time_max_ns = INT64_MAX;
    if (experiment->timeout_ns > 0) {
        double ns =
            (double)(blocks * plan->samples_per_block * sittings) * (double)experiment->timeout_ns;

        if (ns < 9e18)
            plan->time_max_ns = (int64_t)ns;
    }
    if (experiment->budget_ns > 0 && experiment->budget_ns < plan->time_max_ns)
        plan->time_max_ns = experiment->budget_ns;
}

size_t plan_looks(const struct experiment *experiment, uint32_t **ret)
{
    if (experiment->sessions <= 1)
        return sequential_looks(experiment->min_blocks, experiment->max_blocks, ret);
    *ret = mem_array(uint32_t, 1);
    (*ret)[0] = experiment->max_blocks;
    return 1;
}

int plan_make(const struct experiment *experiment, const struct host *const *hosts, size_t n,
              struct plan **ret, struct err *err)
{
    CLEAN(plan) struct plan *plan = mem_new(struct plan);
    CLEAN(expr) struct expr *expr = NULL;

    if (experiment->hosts && expr_parse(experiment->hosts, &expr, err) < 0)
        return err_wrap(err, "hosts");
    plan->host = mem_array(struct plan_host, n);
    for (size_t i = 0; i < n; i++) {
        match(expr, hosts[i], &plan->host[i]);
        plan->n_hosts++;
        plan->n_targets += plan->host[i].target;
    }
    plan->n_looks = plan_looks(experiment, &plan->look);
    count_samples(experiment, plan);
    *ret = mem_steal(&plan);
    return 0;
}

uint32_t plan_next_look(const uint32_t *look, size_t n_looks, uint32_t rounds)
{
    for (size_t i = 0; i < n_looks; i++) {
        if (look[i] > rounds)
            return look[i];
    }
    return 0;
}

bool plan_is_look(const uint32_t *look, size_t n_looks, uint32_t rounds)
{
    for (size_t i = 0; i < n_looks; i++) {
        if (look[i] == rounds)
            return true;
    }
    return false;
}

void plan_targets(const struct plan *plan, struct strlist *ret)
{
    for (size_t i = 0; i < plan->n_hosts; i++) {
        if (plan->host[i].target)
            strlist_add(ret, plan->host[i].name);
    }
}
