/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A host and what is true of it. Facts are text in dotted form (`cpu.vendor`), typed by use: a
 * column whose known values all read as numbers is numeric. Identity facts hardly change; when one
 * does, a new epoch begins. Unknown facts are absent, never "".
 */
#pragma once
#include "base/digest.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum fact_kind { FACT_IDENTITY, FACT_STATE };
struct fact {
    char *name, *value;
    enum fact_kind kind;
    char *from; /* how it was found: "cpuid", "/proc/version", "user" */
};
struct fact_set {
    struct fact *v; /* sorted by name, a name once */
    size_t n, cap;
};
struct fact_set *fact_set_new(void);
void fact_set_free(struct fact_set *set);
MEM_CLEANUP(fact_set)
/* Adds or replaces; value NULL or "" removes. Errors: a name that is no name, a value over
 * LIMIT_FACT_VALUE, more than LIMIT_FACTS. Control bytes in a value are an error. */
MUST_CHECK int fact_set_put(struct fact_set *set, const char *name, const char *value,
                            enum fact_kind kind, const char *from, struct err *err);
const char *fact_set_get(const struct fact_set *set, const char *name); /* NULL when unknown */
struct fact_set *fact_set_copy(const struct fact_set *set);
/* SHA-256 over sorted name=value lines: of all facts, or of the identity facts only (the epoch's
 * key). */
void fact_set_digest(const struct fact_set *set, bool identity_only, char ret[DIGEST_SIZE]);

/* What the coordinator keeps of a host between connections. */
struct host {
    char *name;
    char *key;     /* Z85 of the CURVE public key: the identity. NULL for an imported host */
    char *boot_id; /* agents with one boot_id are co-located: never timed at once */
    char *machine; /* declared or imported fact `machine`: joined into one machine when equal */
    char *agent_version;
    struct fact_set *facts; /* never NULL */
    int64_t seen_wall_us;   /* last sign of life, a label */
    bool connected, approved, drained, held;
};
void host_free(struct host *host);
MEM_CLEANUP(host)
struct host *host_copy(const struct host *host);
