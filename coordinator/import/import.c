/* SPDX-License-Identifier: GPL-3.0-or-later
 * The door of the import room: which importer, and are its options there. */
#include "coordinator/import/import.h"

void import_result_done(struct import_result *result)
{
    strlist_done(&result->warnings);
}

static size_t find_importer(const char *name)
{
    size_t i = 0;

    while (i < importer_registry_n && !str_eq(importer_registry[i]->name, name))
        i++;
    return i;
}

int import_run(struct store *store, const struct import_options *options, struct import_result *ret,
               struct err *err)
{
    const char *format = options->format ? options->format : "csv";
    size_t importer = find_importer(format);

    if (importer == importer_registry_n) {
        CLEAN_DONE(str) struct str names = {0};

        for (size_t i = 0; i < importer_registry_n; i++)
            str_addf(&names, "%s%s", i ? ", " : "", importer_registry[i]->name);
        return err_set(err, ERR_USAGE, "no importer %s; there are %s", format, str_get(&names));
    }
    if (!options->samples)
        return err_set(err, ERR_USAGE, "no file to import (--samples FILE)");
    if (!options->experiment || !str_is_name(options->experiment))
        return err_set(
            err, ERR_USAGE,
            "an experiment needs a name of letters, digits and ._:@- (--experiment NAME)");
    return importer_registry[importer]->read(store, options, ret, err);
}
