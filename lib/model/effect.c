/* SPDX-License-Identifier: GPL-3.0-or-later
 * The words of judgement, by table. */
#include "model/effect.h"

#include <stddef.h>

#define NAME_IN(table, index)                                                                      \
    ((size_t)(index) < sizeof(table) / sizeof *(table) ? (table)[index] : NULL)

const char *verdict_name(enum verdict v)
{
    static const char *const words[] = {
#define JUDGE_VERDICT(name, word) word,
#include "model/tbl/judge.def"
#undef JUDGE_VERDICT
    };
    return NAME_IN(words, v);
}

const char *answer_outcome_name(enum answer_outcome o)
{
    static const char *const words[] = {
#define JUDGE_OUTCOME(name, word) word,
#include "model/tbl/judge.def"
#undef JUDGE_OUTCOME
    };
    return NAME_IN(words, o);
}

const char *design_name(enum design d)
{
    static const char *const words[] = {
#define JUDGE_DESIGN(name, word) word,
#include "model/tbl/judge.def"
#undef JUDGE_DESIGN
    };
    return d == DESIGN_NONE ? NULL : NAME_IN(words, d);
}

const char *heterogeneity_name(enum heterogeneity h)
{
    static const char *const words[] = {
#define JUDGE_HETEROGENEITY(name, word) word,
#include "model/tbl/judge.def"
#undef JUDGE_HETEROGENEITY
    };
    return NAME_IN(words, h);
}

const char *time_class_name(enum time_class c)
{
    static const char *const words[] = {
#define JUDGE_TIME_CLASS(name, word) word,
#include "model/tbl/judge.def"
#undef JUDGE_TIME_CLASS
    };
    return NAME_IN(words, c);
}

const char *class_kind_name(enum class_kind k)
{
    static const char *const words[] = {
#define JUDGE_CLASS_KIND(name, word) word,
#include "model/tbl/judge.def"
#undef JUDGE_CLASS_KIND
    };
    return NAME_IN(words, k);
}
