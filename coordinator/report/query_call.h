/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to the report room: one question while it is answered, and the functions that answer each
 * kind.
 */
#pragma once
#include "coordinator/report/page.h"
#include "coordinator/store/store.h"

struct query_call {
    struct store *store;
    const struct strmap *arg;
    FILE *out;
    struct report_style style;
    bool json;
    int exit; /* 0 unless the answer asks for another */
};
/* Argument readers: NULL, false or the given value when absent. Wrong text is ERR_USAGE with the
 * argument's name. */
const char *query_text(const struct query_call *call, const char *name);
bool query_flag(const struct query_call *call, const char *name);
MUST_CHECK int query_fraction(const struct query_call *call, const char *name, double *ret,
                              struct err *err);
MUST_CHECK int query_count(const struct query_call *call, const char *name, uint64_t most,
                           uint64_t *ret, struct err *err);
/* The run an argument `run` names; ERR_USAGE without one. */
MUST_CHECK int query_run(const struct query_call *call, struct run **ret, struct err *err);
/* The host an argument names, of the pool. */
MUST_CHECK int query_host(const struct query_call *call, const char *name, struct host **ret,
                          struct err *err);
/* Lines of a list argument. */
void query_lines(const struct query_call *call, const char *name, struct strlist *ret);

MUST_CHECK int query_explain(struct query_call *call, struct err *err);
MUST_CHECK int query_show(struct query_call *call, struct err *err); /* show.c */
MUST_CHECK int query_runs(struct query_call *call, struct err *err);
MUST_CHECK int query_hosts(struct query_call *call, struct err *err);
MUST_CHECK int query_host_show(struct query_call *call, struct err *err);
MUST_CHECK int query_host_facts(struct query_call *call, struct err *err);
MUST_CHECK int query_host_diff(struct query_call *call, struct err *err);
MUST_CHECK int query_export(struct query_call *call, struct err *err);
MUST_CHECK int query_confirm(struct query_call *call, struct err *err);
