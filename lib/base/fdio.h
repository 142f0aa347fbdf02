/* SPDX-License-Identifier: GPL-3.0-or-later
 * Files and descriptors: read whole files with a cap, write atomically, make directories, own
 * modes. Every descriptor is CLOEXEC at birth. */
#pragma once
#include "base/err.h"
#include "base/str.h"

#include <stdint.h>
#include <sys/types.h>

void fdio_close(int *fd); /* for __attribute__((cleanup)): closes when >= 0 and sets -1 */
#define CLEAN_FD __attribute__((cleanup(fdio_close)))

/* Whole file into ret (NUL-terminated); more than max bytes is ERR_LIMIT. Works on /proc (size
 * unknown). */
MUST_CHECK int fdio_read_file(const char *path, size_t max, struct str *ret, struct err *err);
MUST_CHECK int fdio_read_file_at(int dir_fd, const char *path, size_t max, struct str *ret,
                                 struct err *err);
MUST_CHECK int fdio_read_fd(int fd, size_t max, struct str *ret, struct err *err);
MUST_CHECK int fdio_write_all(int fd, const void *bytes, size_t length, struct err *err);
/* Temporary file beside path, fdatasync, rename, fsync of the directory. */
MUST_CHECK int fdio_write_atomic(const char *path, const void *bytes, size_t length, mode_t mode,
                                 struct err *err);
/* mkdir -p; directories made get mode. */
MUST_CHECK int fdio_make_dirs(const char *path, mode_t mode, struct err *err);
/* rm -r without following links; absence is fine. */
MUST_CHECK int fdio_remove_tree(const char *path, struct err *err);
/* Fails with ERR_AUTH when path is readable or writable by group or others, or not ours. */
MUST_CHECK int fdio_check_private(const char *path, struct err *err);
/* $XDG_x_HOME/muster or its default; kind is one of the enum. Not created. */
enum fdio_place { FDIO_CONFIG, FDIO_DATA, FDIO_STATE, FDIO_CACHE, FDIO_RUNTIME };
char *fdio_place(enum fdio_place place);
