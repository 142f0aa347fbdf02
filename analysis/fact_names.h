/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Questions about a fact's name that only the fact table asks.
 */
#pragma once
#include <stdbool.h>

/* CPU family, model, stepping, microcode, device ids by their dotted names (cpu.model): names even
 * when they read as numbers. Columns with plain names (cpu_model, as imported) are taken as they
 * stand. */
bool fact_names_is_code(const char *fact);
