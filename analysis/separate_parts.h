/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What separate.c and separate_facts.c share. Not for other rooms.
 */
#pragma once
#include "analysis/fact_table.h"
#include "analysis/separate.h"

struct separate {
    const struct separate_input *in;
    const struct separate_host **host; /* by name */
    struct fact_table reading;         /* only what fact_table_value needs */
    double power; /* of seeing the difference between a class's sides with the usual rounds on one
                     more host */
    struct next_step *step;
    size_t n, cap;
};
/* Adds a step (texts and lists empty) and returns it. */
struct next_step *separate_add(struct separate *separate, enum next_do what, double gain);
/* Entropy in bits of a coin with probability p. */
double separate_bits(double p);
/* Switches, hosts to run on and kinds of host that would tell the surviving facts apart. */
void separate_facts(struct separate *separate);
