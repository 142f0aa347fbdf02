/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of judgement as enums with their names. An effect is a natural-log ratio candidate to
 * base, signed so that > 0 is worse; see docs/STATISTICS.md.
 */
#pragma once

enum verdict {
#define JUDGE_VERDICT(name, word) VERDICT_##name,
#include "model/tbl/judge.def"
#undef JUDGE_VERDICT
};
enum answer_outcome {
#define JUDGE_OUTCOME(name, word) ANSWER_##name,
#include "model/tbl/judge.def"
#undef JUDGE_OUTCOME
};
enum design {
#define JUDGE_DESIGN(name, word) DESIGN_##name,
#include "model/tbl/judge.def"
#undef JUDGE_DESIGN
};
enum heterogeneity {
#define JUDGE_HETEROGENEITY(name, word) HETEROGENEITY_##name,
#include "model/tbl/judge.def"
#undef JUDGE_HETEROGENEITY
};
enum time_class {
#define JUDGE_TIME_CLASS(name, word) TIME_CLASS_##name,
#include "model/tbl/judge.def"
#undef JUDGE_TIME_CLASS
};
enum class_kind {
#define JUDGE_CLASS_KIND(name, word) CLASS_KIND_##name,
#include "model/tbl/judge.def"
#undef JUDGE_CLASS_KIND
};
const char *verdict_name(enum verdict v);
const char *answer_outcome_name(enum answer_outcome o);
const char *design_name(enum design d); /* NULL for DESIGN_NONE: null in JSON */
const char *heterogeneity_name(enum heterogeneity h);
const char *time_class_name(enum time_class c);
const char *class_kind_name(enum class_kind k);
