/* SPDX-License-Identifier: GPL-3.0-or-later
 * Files without a name between an importer and the CSV reader. */
#include "coordinator/import/convert.h"

#include <errno.h>
#include <unistd.h>

#include "base/fdio.h"

int convert_open(struct convert *convert, struct err *err)
{
    convert->samples = tmpfile();
    convert->hosts = tmpfile();
    if (!convert->samples || !convert->hosts)
        return err_sys(err, "temporary file");
    return 0;
}

void convert_done(struct convert *convert)
{
    if (convert->samples)
        fclose(convert->samples);
    if (convert->hosts)
        fclose(convert->hosts);
    *convert = (struct convert){0};
}

void convert_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

const char *convert_name(const struct import_options *options)
{
    return options->samples_name ? options->samples_name : options->samples;
}

int convert_read(const struct import_options *options, struct str *ret, struct err *err)
{
    int rc = str_eq(options->samples, "-")
                 ? fdio_read_fd(STDIN_FILENO, CONVERT_FILE_MAX, ret, err)
                 : fdio_read_file(options->samples, CONVERT_FILE_MAX, ret, err);

    return rc < 0 ? err_wrap(err, "%s", convert_name(options)) : 0;
}

int convert_import(struct convert *convert, struct store *store,
                   const struct import_options *options, struct import_result *ret, struct err *err)
{
    CLEAN_MEM char *samples = mem_printf("/proc/self/fd/%d", fileno(convert->samples));
    CLEAN_MEM char *hosts = mem_printf("/proc/self/fd/%d", fileno(convert->hosts));
    CLEAN_MEM char *name = mem_printf("%s, as CSV", convert_name(options));
    struct import_options csv = *options;

    if (fflush(convert->samples) != 0 || fflush(convert->hosts) != 0 || ferror(convert->samples) ||
        ferror(convert->hosts))
        return err_sys(err, "temporary file");
    csv.samples = samples;
    csv.samples_name = name;
    if (ftell(convert->hosts) > 0) {
        csv.hosts = hosts;
        csv.hosts_name = name;
    }
    return import_csv(store, &csv, ret, err);
}
