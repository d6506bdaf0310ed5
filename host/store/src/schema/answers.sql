CREATE TABLE answers (
    key TEXT NOT NULL PRIMARY KEY,
    -- Over key and body.
    hash BLOB NOT NULL,
    body BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    -- Larger for what was used later.
    used INTEGER NOT NULL
) STRICT;

CREATE INDEX answers_by_use ON answers (used, bytes);
