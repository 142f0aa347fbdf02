/* SPDX-License-Identifier: GPL-3.0-or-later
 * Names of CPU microarchitectures by vendor, family and model, as the vendors' manuals and the
 * Linux kernel number them. */
#pragma once

/* NULL when it is not in the table. */
const char *microarch_x86(const char *vendor, unsigned family, unsigned model);
/* Of MIDR_EL1's implementer and part ("0x41", "0xd0c"). */
const char *microarch_arm(unsigned implementer, unsigned part);
