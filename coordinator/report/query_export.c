/* SPDX-License-Identifier: GPL-3.0-or-later
 * `muster export`, and `muster show --as csv`, which is the same. */
#include "coordinator/report/export.h"
#include "coordinator/report/query_call.h"

int query_export(struct query_call *call, struct err *err)
{
    CLEAN(run) struct run *run = NULL;

    if (query_run(call, &run, err) != 0)
        return -1;
    return export_run(call->store, run, query_text(call, "format"), query_text(call, "what"),
                      call->out, err);
}
