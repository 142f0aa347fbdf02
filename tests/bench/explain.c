/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long an explanation takes, and how that grows: the whole of judge_* on made-up fleets of
 * growing size, all cores, 999 draws. Prints the time at the given size, and the exponents of time
 * in samples and in hosts x facts. Usage: explain [HOSTS [FACTS [ROUNDS]]]
 */
#include "base/clk.h"
#include "bench/fleet_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double seconds(size_t hosts, size_t facts, size_t rounds)
{
    const struct fleet_model model = {
        .hosts = hosts, .rounds = rounds, .extra_facts = facts, .effect = 0.05, .by_fact = true};
    struct fleet fleet;
    double taken;

    fleet_draw(&model, 7, &fleet);
    const int64_t start = clk_raw_ns();
    struct answer *answer = fleet_judge(&fleet, 7, 0);

    taken = (double)(clk_raw_ns() - start) / (double)CLK_NS_PER_S;
    printf("%6zu hosts %6zu facts %6zu rounds %8.3f s  claim %d, %zu classes\n", hosts, facts + 11,
           rounds, taken, answer->comparison[0].facts.claim,
           answer->comparison[0].facts.candidates);
    fflush(stdout);
    answer_free(answer);
    fleet_done(&fleet);
    return taken;
}

int main(int argc, char **argv)
{
    const size_t hosts = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000,
                 facts = argc > 2 ? strtoul(argv[2], NULL, 10) : 200,
                 rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 30;

    if (hosts < 8 || facts < 44 || rounds < 8) {
        fprintf(stderr, "usage: explain [HOSTS>=8 [FACTS>=44 [ROUNDS>=8]]]\n");
        return 2;
    }
    const double whole = seconds(hosts, facts - 11, rounds);
    const double few_hosts = seconds(hosts / 4, facts - 11, rounds),
                 few_facts = seconds(hosts, facts / 4 - 11, rounds);
    const double few_samples = seconds(hosts, facts - 11, rounds / 4),
                 many_samples = seconds(hosts, facts - 11, rounds * 8);

    printf("{\"bench\": \"explain\", \"figures\": {\"seconds\": %.3f, \"hosts\": %zu, \"facts\": "
           "%zu, \"rounds\": %zu, "
           "\"exponent_hosts\": %.3f, \"exponent_facts\": %.3f, \"exponent_samples\": %.3f, "
           "\"exponent_samples_many\": %.3f}, "
           "\"n\": 1, \"notes\": \"judge only; exponents from a quarter of the size\"}\n",
           whole, hosts, facts, rounds, log(whole / few_hosts) / log(4),
           log(whole / few_facts) / log(4), log(whole / few_samples) / log(4),
           log(many_samples / whole) / log(8));
    return 0;
}
