-- A fork names where it left another run.
ALTER TABLE runs ADD COLUMN parent TEXT;
ALTER TABLE runs ADD COLUMN parent_event INTEGER;

-- Intents held whole prompts, most of the file. What was wished for follows from the events, so
-- nothing is lost with them. From now on an intent is small and stands in its event's row: it can't
-- be lost without its event, and a step writes one page less.
DROP TABLE intents;

ALTER TABLE receipts RENAME TO receipts_v1;
ALTER TABLE events RENAME TO events_v1;

-- In the order of (run, seq) by one number, so that no index stands beside the table.
CREATE TABLE events (
    place   INTEGER PRIMARY KEY, -- run << 32 | seq
    run     INTEGER NOT NULL AS (place >> 32) REFERENCES runs (n),
    seq     INTEGER NOT NULL AS (place & 0xffffffff) CHECK (seq >= 1),
    -- The lease under which it was written.
    token   INTEGER NOT NULL,
    body    TEXT    NOT NULL,
    -- A list; NULL where nothing was wished for.
    intents TEXT,
    -- Of the body and, where there are any, the intents.
    digest  BLOB    NOT NULL
) STRICT;

CREATE TABLE receipts (
    place  INTEGER PRIMARY KEY REFERENCES events (place),
    run    INTEGER NOT NULL AS (place >> 32),
    seq    INTEGER NOT NULL AS (place & 0xffffffff),
    id     TEXT    NOT NULL,
    body   TEXT    NOT NULL,
    digest BLOB    NOT NULL
) STRICT;

INSERT INTO events (place, token, body, digest)
    SELECT run << 32 | seq, token, body, digest FROM events_v1 ORDER BY run, seq;
INSERT INTO receipts (place, id, body, digest)
    SELECT run << 32 | seq, id, body, digest FROM receipts_v1 ORDER BY run, seq;

DROP TABLE receipts_v1;
DROP TABLE events_v1;

CREATE UNIQUE INDEX receipts_by_id ON receipts (run, id);

-- Who drives the run and when it last said so. Not part of the journal: overwritten in place, and
-- the latest may be lost with the machine.
CREATE TABLE heartbeats (
    run   INTEGER PRIMARY KEY REFERENCES runs (n),
    token INTEGER NOT NULL,
    at    INTEGER NOT NULL,
    pid   INTEGER NOT NULL,
    host  TEXT    NOT NULL
) STRICT;

CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER receipts_stay BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER receipts_remain BEFORE DELETE ON receipts
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
