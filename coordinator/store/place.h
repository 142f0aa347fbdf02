/* SPDX-License-Identifier: GPL-3.0-or-later
 * Private to the store and its tests: is this place on disk fit for a store. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Name of the network file system with this statfs type; NULL for a local one. */
const char *place_network_fs(long type);
/* The directory a path is in; caller frees. */
char *place_directory(const char *path);
/* Less than 512 MiB or less than 5 % are left. */
bool place_space_low(uint64_t free_bytes, uint64_t total_bytes);
