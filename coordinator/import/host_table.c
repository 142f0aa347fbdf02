/* SPDX-License-Identifier: GPL-3.0-or-later
 * hosts.csv into a table. An empty cell is an unknown fact: absent. */
#include "coordinator/import/host_table.h"

#include <string.h>

#include "coordinator/import/csv.h"
#include "model/limits.h"

void host_table_done(struct host_table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        mem_free(table->v[i].name);
        mem_free(table->v[i].plain);
        mem_free(table->v[i].epoch);
        fact_set_free(table->v[i].facts);
    }
    mem_free(table->v);
    seen_done(&table->index);
    mem_free(table->file);
    strlist_done(&table->fact);
    *table = (struct host_table){0};
}

int host_table_add(struct host_table *table, const char *plain, const char *epoch, size_t *ret,
                   struct err *err)
{
    struct import_host *host = NULL;

    if (table->n >= LIMIT_HOSTS)
        return err_set(err, ERR_INPUT, "more than %d hosts", LIMIT_HOSTS);
    table->v = mem_grow(table->v, &table->cap, table->n + 1, sizeof *table->v);
    host = &table->v[table->n];
    *host = (struct import_host){.plain = mem_strdup(plain), .facts = fact_set_new()};
    host->epoch = epoch && *epoch ? mem_strdup(epoch) : NULL;
    host->name = host->epoch ? mem_printf("%s@%s", plain, host->epoch) : mem_strdup(plain);
    (void)seen_add(&table->index, seen_mix_bytes(host->name, strlen(host->name)),
                   (uint32_t)table->n + 1);
    *ret = table->n++;
    return 0;
}

/* By full name; LIMIT_HOSTS names do not collide in 64 bits, and if they did the loop below finds
 * the host all the same. */
static bool find_name(const struct host_table *table, const char *name, size_t *ret)
{
    size_t place = seen_get(&table->index, seen_mix_bytes(name, strlen(name)));

    if (place == 0)
        return false;
    for (size_t i = place - 1; i < table->n; i++) {
        if (str_eq(table->v[i].name, name)) {
            *ret = i;
            return true;
        }
    }
    return false;
}

int host_table_find(const struct host_table *table, const char *plain, const char *epoch,
                    size_t *ret)
{
    size_t matches = 0;

    if (epoch && *epoch) {
        CLEAN_MEM char *name = mem_printf("%s@%s", plain, epoch);

        return find_name(table, name, ret) ? 0 : HOST_ABSENT;
    }
    if (find_name(table, plain, ret))
        return 0;
    for (size_t i = 0; i < table->n && table->has_epochs; i++) {
        if (!str_eq(table->v[i].plain, plain))
            continue;
        *ret = i;
        matches++;
    }
    return matches == 1 ? 0 : matches ? HOST_AMBIGUOUS : HOST_ABSENT;
}

static int check_columns(const struct csv *csv, struct err *err)
{
    if (csv_find(csv, "host") == SIZE_MAX)
        return csv_fail(csv, csv_header_line(csv), SIZE_MAX, err, "no column host");
    for (size_t i = 0; i < csv_columns(csv); i++) {
        if (!str_is_name(csv_column(csv, i)))
            return csv_fail(csv, csv_header_line(csv), i, err,
                            "no name for a fact: letters, digits and ._:@- are allowed, and no - "
                            "or . in front");
    }
    return 0;
}

static int check_name(const struct csv *csv, const struct csv_field *field, size_t column,
                      struct err *err)
{
    if (field->length > LIMIT_NAME)
        return csv_fail(csv, field->line, column, err, "a name of %zu bytes: at most %d",
                        field->length, LIMIT_NAME);
    if (str_has_control(field->text, field->length))
        return csv_fail(csv, field->line, column, err, "control character in a name");
    return 0;
}

static int add_record(struct host_table *table, const struct csv *csv,
                      const struct csv_field *field, size_t host_at, size_t epoch_at,
                      struct err *err)
{
    const char *epoch = epoch_at == SIZE_MAX ? NULL : field[epoch_at].text;
    size_t place = 0;

    if (field[host_at].length == 0)
        return csv_fail(csv, field[host_at].line, host_at, err, "a host without a name");
    if (check_name(csv, &field[host_at], host_at, err) < 0 ||
        (epoch && check_name(csv, &field[epoch_at], epoch_at, err) < 0))
        return -1;
    if (epoch && field[host_at].length + field[epoch_at].length >= LIMIT_NAME)
        return csv_fail(csv, field[epoch_at].line, epoch_at, err,
                        "host@epoch has more than %d bytes", LIMIT_NAME);
    if (host_table_find(table, field[host_at].text, epoch, &place) == 0 &&
        (epoch == NULL || *epoch || !table->v[place].epoch))
        return csv_fail(csv, field[host_at].line, host_at, err, "%s is listed twice%s",
                        field[host_at].text, epoch && *epoch ? " with this epoch" : "");
    if (host_table_add(table, field[host_at].text, epoch, &place, err) < 0)
        return err_wrap(err, "%s:%llu", csv_name(csv), (unsigned long long)csv_line(csv));
    for (size_t i = 0; i < csv_columns(csv); i++) {
        struct err why = {0};

        if (i == host_at || i == epoch_at)
            continue;
        if (fact_set_put(table->v[place].facts, csv_column(csv, i), field[i].text, FACT_IDENTITY,
                         "import", &why) < 0)
            return csv_fail(csv, field[i].line, i, err, "%s", why.text);
    }
    return 0;
}

int host_table_read(struct host_table *table, const char *path, const char *name, struct err *err)
{
    CLEAN(csv) struct csv *csv = NULL;
    const struct csv_field *field = NULL;
    size_t host_at = 0, epoch_at = 0;
    int rc = 0;

    if (csv_open(path, name, &csv, err) < 0 || check_columns(csv, err) < 0)
        return -1;
    host_at = csv_find(csv, "host");
    epoch_at = csv_find(csv, "epoch");
    table->has_epochs = epoch_at != SIZE_MAX;
    table->file = mem_strdup(csv_name(csv));
    for (size_t i = 0; i < csv_columns(csv); i++) {
        if (i != host_at && i != epoch_at)
            strlist_add(&table->fact, csv_column(csv, i));
    }
    while ((rc = csv_next(csv, &field, err)) > 0) {
        if (add_record(table, csv, field, host_at, epoch_at, err) < 0)
            return -1;
    }
    if (rc == 0 && table->n == 0)
        return csv_fail(csv, csv_line(csv), SIZE_MAX, err, "no hosts");
    return rc;
}
