/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reading verbs share: the options of how an answer is shown, and the way from a parsed
 * command line to a request.
 */
#pragma once
#include "cli/cli.h"
#include "coordinator/report/report.h"

struct view {
    bool json, quiet, ascii;
    int64_t width; /* 0: the terminal's */
};
/* The rows of every reading verb's table; `type` has a `struct view view`. */
#define VIEW_OPTS(type)                                                                            \
    {.name = "json", .help = "print JSON", .kind = OPT_FLAG, .offset = offsetof(type, view.json)}, \
        {.letter = 'q',                                                                            \
         .name = "quiet",                                                                          \
         .help = "print the essential lines alone",                                                \
         .kind = OPT_FLAG,                                                                         \
         .offset = offsetof(type, view.quiet)},                                                    \
        {.name = "ascii",                                                                          \
         .help = "draw with ASCII signs",                                                          \
         .kind = OPT_FLAG,                                                                         \
         .offset = offsetof(type, view.ascii)},                                                    \
    {                                                                                              \
        .name = "width", .arg = "COLUMNS",                                                         \
        .help = "width of the text (default: the terminal's, else 80)", .kind = OPT_COUNT,         \
        .offset = offsetof(type, view.width)                                                       \
    }

/* Parses argv. VIEW_GO_ON: proceed. Otherwise help or an error was printed and the exit code is
 * returned. */
enum { VIEW_GO_ON = -1 };
int view_parse(const struct opt_spec *spec, void *into, int argc, char **argv,
               struct strlist *rest);
/* Takes the word at `at` from rest as argument `name`; false (and a message on stderr) when it is
 * missing. */
bool view_word(const struct opt_spec *spec, const struct strlist *rest, size_t at, const char *name,
               struct strmap *arg);
/* A message and EXIT_USAGE for words nobody asked for; VIEW_GO_ON otherwise. */
int view_no_more(const struct opt_spec *spec, const struct strlist *rest, size_t most);
/* Sets name when text is not NULL; a list is joined by newlines when it has entries. */
void view_set(struct strmap *arg, const char *name, const char *text);
void view_set_list(struct strmap *arg, const char *name, const struct strlist *list);
void view_set_flag(struct strmap *arg, const char *name, bool flag);
/* Adds how to show it, asks, prints; returns the exit code. Frees the request's arguments. */
int view_ask(enum wire_request_kind kind, struct strmap *arg, const struct view *view);
/* How to show what needs no coordinator: the options, else what the terminal can do. */
struct report_style view_style(const struct view *view);
