CREATE TABLE runs (
    n       INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT    NOT NULL UNIQUE,
    project BLOB    NOT NULL,
    goal    TEXT    NOT NULL,
    model   TEXT    NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    stage   TEXT    NOT NULL,
    ending  TEXT,
    events  INTEGER NOT NULL,
    -- The lease that counts; each acquisition takes the next number.
    token   INTEGER NOT NULL,
    -- Of what never changes: id, project, goal, model, created.
    digest  BLOB    NOT NULL
) STRICT;

CREATE INDEX runs_by_project ON runs (project, created);

CREATE TABLE events (
    run    INTEGER NOT NULL REFERENCES runs (n),
    seq    INTEGER NOT NULL CHECK (seq >= 1),
    -- The lease under which it was written.
    token  INTEGER NOT NULL,
    body   TEXT    NOT NULL,
    digest BLOB    NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

CREATE TABLE intents (
    run     INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    body    TEXT    NOT NULL,
    digest  BLOB    NOT NULL,
    PRIMARY KEY (run, seq, ordinal),
    FOREIGN KEY (run, seq) REFERENCES events (run, seq)
) STRICT;

CREATE TABLE receipts (
    run    INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    id     TEXT    NOT NULL,
    body   TEXT    NOT NULL,
    digest BLOB    NOT NULL,
    PRIMARY KEY (run, id),
    FOREIGN KEY (run, seq) REFERENCES events (run, seq)
) STRICT;

CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER intents_stay BEFORE UPDATE ON intents
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER intents_remain BEFORE DELETE ON intents
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER receipts_stay BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER receipts_remain BEFORE DELETE ON receipts
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
