-- One row for each table in place of one for each of its matches, and nothing written twice. What a
-- match came to is a dozen characters of `played.outcomes`, its cost a part of `cost.content`; a measurement is
-- still apart from an outcome, and so is a transcript. What a league is has a hash, and its commitment stands.
-- Functions that begin with `old_` are in steps.py.

ALTER TABLE extension ADD COLUMN commitment TEXT NOT NULL DEFAULT ''; -- SHA-256 of the secret, as it was shown
ALTER TABLE extension ADD COLUMN hash TEXT NOT NULL DEFAULT '';       -- SHA-256 of what the league is with it

UPDATE extension SET
    commitment = old_commitment(content),
    hash = old_hash(
        (SELECT league.content FROM league WHERE league.id = extension.league_id),
        (SELECT count(*) FROM extension AS each
            WHERE each.league_id = extension.league_id AND each.id < extension.id),
        content
    );

CREATE TABLE walls (
    id INTEGER PRIMARY KEY,
    layers TEXT NOT NULL UNIQUE            -- JSON array: those that held
) STRICT;

INSERT INTO walls (layers) SELECT DISTINCT layers FROM cost ORDER BY layers;

CREATE TABLE packed AS
SELECT played.id AS id, seating.lineup_id AS lineup_id, min(match.id) AS first_match, min(match.board) AS first_board,
    old_seeds(match.board, match.seed) AS seeds, old_outcomes(match.board, match.outcome) AS outcomes
FROM played
JOIN seating ON seating.id = played.seating_id
JOIN match ON match.played_id = played.id
GROUP BY played.id;

CREATE TABLE block (                       -- consecutive boards of a line-up, dealt alike at one table for each seating
    id INTEGER PRIMARY KEY,
    lineup_id INTEGER NOT NULL REFERENCES lineup (id),
    first_board INTEGER NOT NULL CHECK (first_board >= 0),
    seeds BLOB NOT NULL CHECK (length(seeds) > 0 AND length(seeds) % 32 = 0) -- 32 bytes a board
) STRICT;

CREATE INDEX block_by_lineup ON block (lineup_id, first_board);

INSERT INTO block (lineup_id, first_board, seeds)
SELECT lineup_id, first_board, seeds FROM packed GROUP BY lineup_id, first_board, seeds ORDER BY min(id);

CREATE TABLE played_2 (                    -- a finished table
    id INTEGER PRIMARY KEY,                -- ascending: the order of commit
    league_id INTEGER NOT NULL REFERENCES league (id),
    key TEXT NOT NULL,
    seating_id INTEGER NOT NULL REFERENCES seating (id),
    block_id INTEGER NOT NULL REFERENCES block (id),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    first_match INTEGER NOT NULL UNIQUE CHECK (first_match > 0), -- its matches are numbered from here, one a board
    outcomes TEXT NOT NULL,                -- see packing.py
    UNIQUE (league_id, key),
    UNIQUE (seating_id, block_id)          -- a deal is never counted twice in one seating
) STRICT;

INSERT INTO played_2
SELECT played.id, played.league_id, played.key, played.seating_id, block.id, old_bytes(played.hash),
    packed.first_match, packed.outcomes
FROM played
JOIN packed ON packed.id = played.id
JOIN block ON block.lineup_id = packed.lineup_id AND block.first_board = packed.first_board
    AND block.seeds = packed.seeds;

DROP TABLE packed;

CREATE TABLE transcript_2 (
    played_id INTEGER PRIMARY KEY REFERENCES played_2 (id),
    content BLOB NOT NULL                  -- MessagePack array, one a match
) STRICT;

INSERT INTO transcript_2
SELECT match.played_id, old_transcripts(match.board, transcript.content)
FROM match JOIN transcript ON transcript.match_id = match.id GROUP BY match.played_id;

CREATE TABLE cost_2 (                      -- of a table
    played_id INTEGER PRIMARY KEY REFERENCES played_2 (id),
    finished INTEGER NOT NULL,             -- microseconds since 1970, UTC
    walls_id INTEGER NOT NULL REFERENCES walls (id),
    void TEXT NOT NULL,                    -- JSON array; of most tables an empty one
    content BLOB NOT NULL                  -- of its matches, see packing.py; without what stands in log and sent
) STRICT;

INSERT INTO cost_2
SELECT cost.played_id, old_microseconds(cost.finished), walls.id, cost.void,
    old_measurements(match.board, measurement.content)
FROM cost
JOIN walls ON walls.layers = cost.layers
JOIN match ON match.played_id = cost.played_id
JOIN measurement ON measurement.match_id = match.id
GROUP BY cost.played_id;

CREATE TABLE log_2 (
    match_id INTEGER NOT NULL,
    seat INTEGER NOT NULL CHECK (seat >= 0),
    played_id INTEGER NOT NULL REFERENCES played_2 (id),
    content BLOB NOT NULL,                 -- zlib of UTF-8; a silent bot has no row
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;

INSERT INTO log_2
SELECT log.match_id, log.seat, match.played_id, log.content FROM log JOIN match ON match.id = log.match_id;

CREATE TABLE sent_2 (
    match_id INTEGER NOT NULL,
    fault INTEGER NOT NULL CHECK (fault >= 0), -- which of the outcome's
    played_id INTEGER NOT NULL REFERENCES played_2 (id),
    content BLOB NOT NULL,                 -- zlib of the bytes; of nothing there is no row
    PRIMARY KEY (match_id, fault)
) STRICT, WITHOUT ROWID;

INSERT INTO sent_2
SELECT sent.match_id, sent.fault, match.played_id, sent.content
FROM sent JOIN match ON match.id = sent.match_id;

DROP TABLE sent;
DROP TABLE log;
DROP TABLE measurement;
DROP TABLE transcript;
DROP TABLE cost;
DROP TABLE match;
DROP TABLE played;
ALTER TABLE played_2 RENAME TO played;
ALTER TABLE transcript_2 RENAME TO transcript;
ALTER TABLE cost_2 RENAME TO cost;
ALTER TABLE log_2 RENAME TO log;
ALTER TABLE sent_2 RENAME TO sent;
