-- Version 4: what tasks have learnt, by owner; an entry with a name is a skill. One audit row for each step that was done.

CREATE TABLE tasks (
    owner     TEXT NOT NULL,
    key       TEXT NOT NULL,
    name      TEXT,
    goal      TEXT NOT NULL,
    url       TEXT NOT NULL,
    script    TEXT NOT NULL,
    stored_at TEXT NOT NULL,
    uses      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, key)
) WITHOUT ROWID;
CREATE UNIQUE INDEX skills ON tasks (owner, name) WHERE name IS NOT NULL;

CREATE TABLE audit (
    id      INTEGER PRIMARY KEY,
    run     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number  INTEGER NOT NULL,
    at      TEXT NOT NULL,
    hand    TEXT NOT NULL,
    what    TEXT NOT NULL,
    outcome TEXT NOT NULL
);
CREATE INDEX audit_of_run ON audit (run, id);
