/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Import for remote users: the files were sent like artefacts and are named by digest; the import
 * runs on the writer's connection, all or nothing, and the files are removed afterwards.
 */
#include "coordinator/hall.h"

#include <math.h>
#include <unistd.h>

#include "coordinator/import/import.h"

struct import_job {
    struct coord *coord;
    struct coord_asker asker;
    struct strmap arg;
    char *hosts, *samples; /* paths; hosts may be NULL */
    struct import_options options;
    struct import_result result;
};

static void split_lines(const char *text, struct strlist *ret)
{
    while (text && *text) {
        const char *end = text;
        CLEAN_MEM char *line = NULL;

        while (*end && *end != '\n')
            end++;
        line = mem_strndup(text, (size_t)(end - text));
        strlist_add(ret, line);
        text = *end ? end + 1 : end;
    }
}

static void job_free(struct import_job *job)
{
    if (job->hosts)
        (void)unlink(job->hosts);
    if (job->samples)
        (void)unlink(job->samples);
    mem_free(job->hosts);
    mem_free(job->samples);
    strmap_done(&job->arg);
    strlist_done(&job->options.factor);
    strlist_done(&job->options.part_of_variant);
    strlist_done(&job->options.suspect);
    import_result_done(&job->result);
    mem_free(job);
}

static int read_in(struct store *store, void *arg, struct err *err)
{
    struct import_job *job = arg;

    if (import_run(store, &job->options, &job->result, err) < 0)
        return -1;
    return store_audit(store, job->asker.who, "import", job->options.experiment, err);
}

static void read_in_done(void *arg, int result, const struct err *err)
{
    struct import_job *job = arg;
    CLEAN_DONE(str) struct str text = {0};

    job->coord->pending_submits--;
    if (result < 0) {
        coord_reply_error(job->coord, &job->asker, err);
    } else {
        str_addf(&text, "%s@%lld: %llu samples of %zu variants on %zu hosts\n",
                 job->options.experiment, (long long)job->result.number,
                 (unsigned long long)job->result.n_samples, job->result.n_variants,
                 job->result.n_hosts);
        for (size_t i = 0; i < job->result.warnings.n; i++)
            str_addf(&text, "warning: %s\n", job->result.warnings.v[i]);
        coord_reply_text(job->coord, &job->asker, 0, text.text);
    }
    job_free(job);
}

static int uploaded(struct coord *coord, const char *digest, char **ret_path, struct err *err)
{
    if (!digest || !digest_is_valid(digest) || !coord_artefact_held(coord, digest))
        return err_set(err, ERR_NOT_FOUND, "a file to import was not sent");
    *ret_path = store_artefact_path(coord->store, digest);
    return 0;
}

static int fill(struct coord *coord, struct import_job *job, struct err *err)
{
    const struct strmap *arg = &job->arg;
    const char *min_effect = strmap_get(arg, "min_effect"), *better = strmap_get(arg, "better");

    job->options.min_effect = (double)NAN;
    if (strmap_get(arg, "hosts") && uploaded(coord, strmap_get(arg, "hosts"), &job->hosts, err) < 0)
        return -1;
    if (uploaded(coord, strmap_get(arg, "samples"), &job->samples, err) < 0)
        return -1;
    if (min_effect && str_to_fraction(min_effect, &job->options.min_effect, err) < 0)
        return err_wrap(err, "min_effect");
    if (!strmap_get(arg, "experiment"))
        return err_set(err, ERR_USAGE, "import as which experiment?");
    job->options.format = strmap_get(arg, "format");
    job->options.experiment = strmap_get(arg, "experiment");
    job->options.hosts = job->hosts;
    job->options.samples = job->samples;
    job->options.hosts_name = strmap_get(arg, "hosts_name");
    job->options.samples_name = strmap_get(arg, "samples_name");
    job->options.metric = strmap_get(arg, "metric");
    job->options.unit = strmap_get(arg, "unit");
    job->options.higher_is_better = better && str_eq(better, "higher");
    job->options.base = strmap_get(arg, "base");
    job->options.control = strmap_get(arg, "control");
    split_lines(strmap_get(arg, "factor"), &job->options.factor);
    split_lines(strmap_get(arg, "part_of_variant"), &job->options.part_of_variant);
    split_lines(strmap_get(arg, "suspect"), &job->options.suspect);
    return 0;
}

void coord_import(struct coord *coord, const struct coord_asker *asker,
                  const struct wire_request *request)
{
    struct import_job *job = mem_new(struct import_job);
    struct err err = {0};

    job->coord = coord;
    job->asker = *asker;
    strmap_copy(&job->arg, &request->arg);
    if (fill(coord, job, &err) < 0) {
        coord_reply_error(coord, asker, &err);
        job_free(job);
        return;
    }
    coord->pending_submits++;
    writer_post(coord->writer, read_in, job, read_in_done);
}
