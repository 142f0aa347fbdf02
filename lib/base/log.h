/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One line per event on stderr: time, level, text, key=value fields. Called only by whoever stops
 * an error (coordinator, agent, cli); libraries return errors instead. Control bytes are shown as
 * \xNN.
 */
#pragma once
#include "base/err.h"

/* czmq.h brings syslog.h along, whose macros have two of our names: read it first, then drop them.
 */
#include <syslog.h>
#undef LOG_DEBUG
#undef LOG_INFO

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };
void log_set_level(enum log_level level);
void log_set_name(const char *process); /* "agent n1": printed on every line; copied */
void log_at(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);
void log_err(enum log_level level, const struct err *err, const char *fmt, ...) PRINTF_LIKE(3, 4);
#define log_debug(...) log_at(LOG_DEBUG, __VA_ARGS__)
#define log_info(...) log_at(LOG_INFO, __VA_ARGS__)
#define log_warn(...) log_at(LOG_WARN, __VA_ARGS__)
#define log_error(...) log_at(LOG_ERROR, __VA_ARGS__)
