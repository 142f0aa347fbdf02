/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From words to requests for the verbs that only read.
 */
#include "cli/view.h"

#include <inttypes.h>
#include <unistd.h>

#include "cli/terminal.h"

int view_parse(const struct opt_spec *spec, void *into, int argc, char **argv, struct strlist *rest)
{
    struct err err = {0};
    int outcome = opt_parse(spec, into, argc, argv, false, rest, &err);
    if (outcome == OPT_HELP) {
        opt_help(spec, stdout);
        return 0;
    }
    return outcome < 0 ? cli_fail(&err) : VIEW_GO_ON;
}

static int usage(const struct opt_spec *spec, const char *what)
{
    struct err err = {0};
    (void)err_set(&err, ERR_USAGE, "%s; usage: %s", what, spec->usage);
    return cli_fail(&err);
}

bool view_word(const struct opt_spec *spec, const struct strlist *rest, size_t at, const char *name,
               struct strmap *arg)
{
    if (at >= rest->n) {
        CLEAN_MEM char *what = mem_printf("%s is missing", name);
        (void)usage(spec, what);
        return false;
    }
    strmap_set(arg, name, rest->v[at]);
    return true;
}

int view_no_more(const struct opt_spec *spec, const struct strlist *rest, size_t most)
{
    if (rest->n <= most) {
        return VIEW_GO_ON;
    }
    CLEAN_MEM char *shown = str_visible(rest->v[most], 100);
    CLEAN_MEM char *what = mem_printf("%s is one word too many", shown);
    return usage(spec, what);
}

void view_set(struct strmap *arg, const char *name, const char *text)
{
    if (text != NULL) {
        strmap_set(arg, name, text);
    }
}

void view_set_list(struct strmap *arg, const char *name, const struct strlist *list)
{
    struct str lines CLEAN_DONE(str) = {0};
    for (size_t i = 0; i < list->n; i++) {
        str_add(&lines, i == 0 ? "" : "\n");
        str_add(&lines, list->v[i]);
    }
    if (list->n > 0) {
        strmap_set(arg, name, str_get(&lines));
    }
}

void view_set_flag(struct strmap *arg, const char *name, bool flag)
{
    if (flag) {
        strmap_set(arg, name, "1");
    }
}

int view_ask(enum wire_request_kind kind, struct strmap *arg, const struct view *view)
{
    cli_add_terminal(arg);
    view_set_flag(arg, "json", view->json);
    view_set_flag(arg, "quiet", view->quiet);
    view_set_flag(arg, "ascii", view->ascii);
    if (view->width > 0) {
        CLEAN_MEM char *width = mem_printf("%" PRId64, view->width);
        strmap_set(arg, "width", width);
    }
    struct wire_request request = {.kind = kind, .arg = *arg};
    *arg = (struct strmap){0};
    int code = cli_ask(&request, NULL, NULL);
    strmap_done(&request.arg);
    return code;
}

struct report_style view_style(const struct view *view)
{
    return (struct report_style){.width = view->width > 0 && view->width <= 1000
                                              ? (unsigned)view->width
                                              : terminal_width(STDOUT_FILENO),
                                 .colour = terminal_colour(STDOUT_FILENO),
                                 .ascii = view->ascii || terminal_ascii(),
                                 .quiet = view->quiet};
}
