-- Version 2: approvals of risky runs, and what a healed target is now. Times are milliseconds since 1970.

CREATE TABLE approvals (
    id          TEXT PRIMARY KEY,
    label       TEXT NOT NULL,
    script_hash TEXT NOT NULL,
    inputs_hash TEXT NOT NULL,
    inputs      TEXT NOT NULL,
    created_ms  INTEGER NOT NULL,
    expires_ms  INTEGER NOT NULL,
    used_ms     INTEGER,
    used_by     TEXT
) WITHOUT ROWID;

ALTER TABLE heals ADD COLUMN repointed TEXT;
