/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The quiet gate: is the host quiet enough to measure? Looks at other programs' CPU over a short
 * stretch right before a sample, outside the timed part.
 */
#pragma once
#include "agent/platform/platform.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define QUIET_WINDOW_NS (INT64_C(200) * 1000000)
#define QUIET_CPU_MAX 0.10 /* CPUs busy with other programs */
struct quiet_look;         /* a look under way */
struct quiet_look *quiet_begin(const struct platform *platform);
void quiet_look_free(struct quiet_look *look);
MEM_CLEANUP(quiet_look)
/* QUIET_WINDOW_NS after quiet_begin: true when the host is quiet or cannot be judged. *ret_why
 * names the CPUs busy and the programs that used most when not. */
bool quiet_is(const struct quiet_look *look, struct str *ret_why);
