/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes a made-up fleet as hosts.csv and samples.csv, as `muster import` takes them: for
 * benchmarks of the whole way. Usage: make-csv DIRECTORY [HOSTS [ROUNDS]]
 */
#include "bench/fleet_model.h"

#include <stdio.h>
#include <stdlib.h>

static FILE *open_in(const char *directory, const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "we");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void write_hosts(const struct fleet *fleet, FILE *out)
{
    const struct fact_set *first = fleet->facts[0];

    fputs("host", out);
    for (size_t f = 0; f < first->n; f++)
        fprintf(out, ",%s", first->v[f].name);
    for (size_t h = 0; h < fleet->n; h++) {
        fprintf(out, "\n%s", fleet->name[h]);
        for (size_t f = 0; f < first->n; f++)
            fprintf(out, ",%s", fact_set_get(fleet->facts[h], first->v[f].name));
    }
    fputc('\n', out);
}

/* Elapsed time and load as drawn, the rest in keeping with them. */
static void write_samples(const struct fleet *fleet, FILE *out)
{
    fputs("host,variant,round,position,elapsed_s,user_s,sys_s,minflt,nvcsw,load_other_cpu,psi_cpu_"
          "some,loadavg1,stdout_kind\n",
          out);
    for (size_t h = 0; h < fleet->n; h++) {
        const struct frame *frame = fleet->frame[h];
        const double *elapsed = frame_find_number(frame, "elapsed_s");
        const double *load = frame_find_number(frame, "load_other_cpu");

        for (size_t i = 0; i < frame->n; i++)
            fprintf(out, "%s,%c,%u,%u,%.7f,%.7f,%.7f,%zu,%zu,%.5f,%.4f,%.5f,pipe\n", fleet->name[h],
                    frame->variant[i] ? 'B' : 'A', frame->round[i], frame->position[i], elapsed[i],
                    elapsed[i] * 0.7, elapsed[i] * 0.2, 30 + i % 7, 5 + i % 3, load[i],
                    load[i] * 30, load[i] * 1.5);
    }
}

int main(int argc, char **argv)
{
    const struct fleet_model model = {.hosts = argc > 2 ? strtoul(argv[2], NULL, 10) : 100,
                                      .rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 5000,
                                      .extra_facts = 10,
                                      .effect = 0.05,
                                      .by_fact = true};
    struct fleet fleet;

    if (argc < 2 || model.hosts < 1 || model.rounds < 1) {
        fprintf(stderr, "usage: make-csv DIRECTORY [HOSTS [ROUNDS]]\n");
        return 2;
    }
    fleet_draw(&model, 1, &fleet);
    FILE *hosts = open_in(argv[1], "hosts.csv"), *samples = open_in(argv[1], "samples.csv");

    write_hosts(&fleet, hosts);
    write_samples(&fleet, samples);
    fleet_done(&fleet);
    return fclose(hosts) != 0 || fclose(samples) != 0;
}
