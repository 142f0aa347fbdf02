/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every hard bound of muster, in one place. A bound met by input is ERR_LIMIT with the bound in the
 * message.
 */
#pragma once

/* names and text */
#define LIMIT_NAME 128            /* bytes of a host, variant, experiment, fact or metric name */
#define LIMIT_FIELD (64 * 1024)   /* bytes of a CSV field */
#define LIMIT_FACT_VALUE 4096     /* bytes of a fact's value */
#define LIMIT_COMMAND (64 * 1024) /* bytes of a workload's command line */
#define LIMIT_REASON 512          /* bytes of a reason */

/* experiments */
#define LIMIT_EXPERIMENT_FILE (1024 * 1024)
#define LIMIT_YAML_DEPTH 16
#define LIMIT_YAML_NODES 20000
#define LIMIT_VARIANTS 16
#define LIMIT_FACTORS 8
#define LIMIT_LEVELS 64
#define LIMIT_CELLS 1024 /* variants x levels of all factors */
#define LIMIT_BLOCKS 100000
#define LIMIT_METRICS 64
#define LIMIT_SESSIONS 64

/* hosts */
#define LIMIT_HOSTS 20000
#define LIMIT_FACTS 1024 /* per host */

/* wire */
#define LIMIT_CONTROL_FRAME (256 * 1024)
#define LIMIT_SAMPLE_FRAME (4 * 1024 * 1024)
#define LIMIT_UNPACK_FACTOR                                                                        \
    8 /* memory an unpacked message may take, as a multiple of LIMIT_SAMPLE_FRAME */
#define LIMIT_BATCH_SAMPLES 4096
#define LIMIT_BATCH_COLUMNS 256
#define LIMIT_PENDING_FRAMES 1000 /* high-water mark of every socket */

/* artefacts */
#define LIMIT_CHUNK (128 * 1024)
#define LIMIT_ARTEFACT (4LL * 1024 * 1024 * 1024)
#define LIMIT_ARTEFACT_FILES 100000
#define LIMIT_PATH 4096

/* samples and their output */
#define LIMIT_OUTPUT_KEPT (1024 * 1024)     /* bytes of a sample's output read for metrics */
#define LIMIT_OUTPUT_ON_FAILURE (16 * 1024) /* bytes of a failed sample's output stored */
#define LIMIT_ENV_PADDING 4096
#define LIMIT_DIR_PADDING 200
#define LIMIT_SPOOL (1LL * 1024 * 1024 * 1024)

/* import */
#define LIMIT_CSV_COLUMNS 4096
#define LIMIT_CSV_RECORD (16 * 1024 * 1024)
#define LIMIT_WARNINGS 1000
#define LIMIT_GROUP 256 /* writes in one transaction of the store's writer */
