-- SPDX-License-Identifier: GPL-3.0-or-later
-- Version 1 of the store. A new file runs this page and then every migrate_NNN.sql; an older file runs those it lacks
-- (the file's version is PRAGMA user_version). Changes are additive: a column is never given another meaning.
-- Times are microseconds since 1970 (labels). 64-bit unsigned numbers are kept in SQLite's signed integers.

-- Facts by content: digest is SHA-256 over the sorted name=value lines, blob a packed fact set.
CREATE TABLE fact_set (
    digest TEXT PRIMARY KEY,
    blob BLOB NOT NULL
) WITHOUT ROWID;

-- A name once. listed = 0: only named by a run, or removed from the pool; samples keep their host.
CREATE TABLE host (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    listed INTEGER NOT NULL DEFAULT 0,
    key TEXT,
    boot_id TEXT,
    machine TEXT,
    agent_version TEXT,
    facts TEXT REFERENCES fact_set (digest),
    seen_us INTEGER NOT NULL DEFAULT 0,
    connected INTEGER NOT NULL DEFAULT 0,
    approved INTEGER NOT NULL DEFAULT 0,
    drained INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0
);

-- spec is a packed experiment; lists are lines.
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    experiment TEXT NOT NULL,
    number INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    state INTEGER NOT NULL,
    created_us INTEGER NOT NULL,
    ended_us INTEGER NOT NULL DEFAULT 0,
    token TEXT UNIQUE,
    design_unknown INTEGER NOT NULL DEFAULT 0,
    aa INTEGER NOT NULL DEFAULT 0,
    look_min INTEGER NOT NULL DEFAULT 0,
    look_max INTEGER NOT NULL DEFAULT 0,
    part_of_variant TEXT NOT NULL DEFAULT '',
    suspect TEXT NOT NULL DEFAULT '',
    spec BLOB NOT NULL,
    UNIQUE (experiment, number)
);

-- One host's share of a run. stored_seq only grows, and only with a batch in the same transaction.
CREATE TABLE trial (
    run INTEGER NOT NULL REFERENCES run (id),
    host_id INTEGER NOT NULL REFERENCES host (id),
    state INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    since_us INTEGER NOT NULL DEFAULT 0,
    epoch INTEGER NOT NULL DEFAULT 0,
    stored_seq INTEGER NOT NULL DEFAULT 0,
    session INTEGER NOT NULL DEFAULT 0,
    rounds_done INTEGER NOT NULL DEFAULT 0,
    granted_upto INTEGER NOT NULL DEFAULT 0,
    facts TEXT REFERENCES fact_set (digest),
    epoch_name TEXT,
    PRIMARY KEY (run, host_id)
) WITHOUT ROWID;

-- Samples first_seq .. first_seq + n - 1 as a packed frame. The key makes a repeated batch harmless.
CREATE TABLE batch (
    run INTEGER NOT NULL,
    host_id INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    n INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    blob BLOB NOT NULL,
    PRIMARY KEY (run, host_id, first_seq),
    FOREIGN KEY (run, host_id) REFERENCES trial (run, host_id)
) WITHOUT ROWID;

-- Samples that came under an epoch older than the trial's: kept, counted, never judged.
CREATE TABLE quarantine (
    run INTEGER NOT NULL,
    host_id INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    n INTEGER NOT NULL,
    arrived_us INTEGER NOT NULL,
    blob BLOB NOT NULL,
    PRIMARY KEY (run, host_id, epoch, first_seq),
    FOREIGN KEY (run, host_id) REFERENCES trial (run, host_id)
) WITHOUT ROWID;

-- What a failed sample printed, cut at a limit.
CREATE TABLE output (
    run INTEGER NOT NULL,
    host_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    text BLOB NOT NULL,
    PRIMARY KEY (run, host_id, seq),
    FOREIGN KEY (run, host_id) REFERENCES trial (run, host_id)
) WITHOUT ROWID;

-- Names of columns seen in a run: kind 0 numbers, 1 texts.
CREATE TABLE run_column (
    run INTEGER NOT NULL REFERENCES run (id),
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (run, kind, name)
) WITHOUT ROWID;

-- Enrolled public keys and what they may do.
CREATE TABLE key (
    key TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    revoked INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- hash = SHA-256 of the previous row's hash and this row: a changed or removed row breaks the chain.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    wall_us INTEGER NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    detail TEXT NOT NULL,
    hash TEXT NOT NULL
);
