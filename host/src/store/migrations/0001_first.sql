-- Version 1. Append-only: a change is a new file with the next number.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE tests (
    name       TEXT PRIMARY KEY,
    definition TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL
) WITHOUT ROWID;

-- One row a slot that is filled.
CREATE TABLE scripts (
    test      TEXT NOT NULL REFERENCES tests (name) ON DELETE CASCADE,
    slot      TEXT NOT NULL CHECK (slot IN ('promoted', 'pending')),
    text      TEXT NOT NULL,
    hash      TEXT NOT NULL,
    steps     INTEGER NOT NULL,
    stored_at TEXT NOT NULL,
    PRIMARY KEY (test, slot)
) WITHOUT ROWID;

-- `test` is no foreign key: a run of a script file has none, and history outlives its test.
CREATE TABLE runs (
    id         TEXT PRIMARY KEY,
    test       TEXT,
    script     TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at   TEXT,
    ending     TEXT,
    steps      INTEGER NOT NULL DEFAULT 0,
    healed     INTEGER NOT NULL DEFAULT 0,
    result     TEXT,
    evidence   TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX runs_of_test ON runs (test, started_at);

CREATE TABLE steps (
    run    TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;

-- The heal ledger.
CREATE TABLE heals (
    id         INTEGER PRIMARY KEY,
    run        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    test       TEXT,
    step       INTEGER NOT NULL,
    rung       TEXT NOT NULL,
    confidence REAL NOT NULL,
    margin     REAL NOT NULL,
    reason     TEXT NOT NULL,
    runner_up  TEXT
);
CREATE INDEX heals_of_test ON heals (test, run);

CREATE TABLE recordings (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    url        TEXT NOT NULL,
    started_at TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'finished', 'interrupted')),
    owner      INTEGER NOT NULL
) WITHOUT ROWID;

-- Every captured step as it comes: a killed process loses nothing.
CREATE TABLE journal (
    id        INTEGER PRIMARY KEY,
    recording TEXT NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    kind      TEXT NOT NULL CHECK (kind IN ('head', 'step', 'retracted')),
    step      INTEGER NOT NULL,
    body      TEXT NOT NULL
);
CREATE INDEX journal_of_recording ON journal (recording, id);
