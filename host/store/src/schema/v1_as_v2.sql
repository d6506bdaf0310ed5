-- What a file of version 1 is to a reader of version 2: views that stand before the tables.
CREATE TEMP VIEW runs AS
    SELECT n, id, project, goal, model, created, updated, stage, ending, events, token, digest,
           NULL AS parent, NULL AS parent_event
    FROM main.runs;
CREATE TEMP VIEW events AS
    SELECT run << 32 | seq AS place, run, seq, token, body, NULL AS intents, digest FROM main.events;
CREATE TEMP VIEW receipts AS
    SELECT run << 32 | seq AS place, run, seq, id, body, digest FROM main.receipts;
CREATE TEMP VIEW heartbeats AS
    SELECT 0 AS run, 0 AS token, 0 AS at, 0 AS pid, '' AS host WHERE false;
