/* SPDX-License-Identifier: GPL-3.0-or-later
 * hosts.csv and samples.csv, the form that export writes. */
#include "coordinator/import/import.h"

extern const struct importer_ops importer_csv;
const struct importer_ops importer_csv = {
    .name = "csv",
    .help = "samples.csv (host,variant,round,position and metrics) with hosts.csv (host and facts)",
    .read = import_csv,
};
