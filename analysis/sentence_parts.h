/* SPDX-License-Identifier: GPL-3.0-or-later
 * Private to sentence*.c: the parts of the sentence; each adds its words, or nothing. */
#pragma once
#include "analysis/sentence.h"

struct sentence {
    const struct comparison_answer *c;
    const struct sentence_options *options;
    size_t regressed, improved, small, unchanged, inconclusive; /* hosts; small ones count twice */
    struct str text;
};

/* "4.9", "12", "0.35": about two significant digits of a percentage. */
void sentence_percent(struct sentence *s, double pct, bool sign);
/* "+4.9 % [+4.1, +5.7]" of a log effect; without an interval only the number. */
void sentence_effect(struct sentence *s, double effect, struct range ci);
/* sentence_facts.c: what the effect goes with, or that nothing is shown to; load; how it was
 * measured. */
void sentence_facts(struct sentence *s);
void sentence_load(struct sentence *s);
void sentence_harness(struct sentence *s);
