/* SPDX-License-Identifier: GPL-3.0-or-later
 * The experiment that imported samples answer: variants with the base first, the metric, the
 * factors with their levels. */
#pragma once
#include "coordinator/import/samples.h"

/* ret_variant: LIMIT_VARIANTS places, from order of appearance to place in the experiment.
 * ERR_INPUT when the base or the control is no variant of the file. */
MUST_CHECK int spec_from_samples(const struct import_options *options,
                                 const struct sample_reader *reader, uint32_t *ret_variant,
                                 struct experiment **ret, struct err *err);
/* "s" for elapsed_s, "ops/s" for ops_per_s; "" when the name does not tell. */
const char *spec_unit(const char *column);
