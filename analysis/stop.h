/* SPDX-License-Identifier: GPL-3.0-or-later
 * The stop rule of one host at a look, over all its comparisons. Pure: the coordinator asks it with
 * the samples stored so far. */
#pragma once
#include "analysis/judge.h"
#include "analysis/sequential.h"

/* SEQUENTIAL_STOP_DECIDED or _UNCHANGED when every candidate (the control aside) in every cell is
 * sure at this look, CONTINUE when one is not, STOP_MAX at the last look. look_min and look_max of
 * options give the looks. */
enum sequential_decision stop_rule(const struct frame *frame, const struct judge_options *options);
