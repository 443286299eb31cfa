-- The workspace's database, version 1. What a match came to (match) and what it cost (cost, measurement,
-- log) never share a table, and transcripts stand apart: a leaderboard reads none of the big columns.

CREATE TABLE bot (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,           -- the name without case, so that Bob and bob are one
    current TEXT NOT NULL,                 -- the version submitted last
    retired INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0, 1)),
    FOREIGN KEY (current) REFERENCES version (hash) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE version (
    id INTEGER PRIMARY KEY,                -- ascending: the order of submission
    hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
    bot_id INTEGER NOT NULL REFERENCES bot (id),
    games TEXT NOT NULL,                   -- JSON array of names
    submitted TEXT NOT NULL,               -- ISO 8601, UTC
    sandbox TEXT NOT NULL                  -- the walls its acceptance matches were played behind
) STRICT;

CREATE INDEX version_by_bot ON version (bot_id);

CREATE TABLE league (
    id INTEGER PRIMARY KEY,                -- ascending: the order of creation
    name TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL                  -- JSON of the league without its extensions
) STRICT;

CREATE TABLE extension (
    id INTEGER PRIMARY KEY,
    league_id INTEGER NOT NULL REFERENCES league (id),
    content TEXT NOT NULL                  -- JSON of entrants, boards, secret
) STRICT;

CREATE INDEX extension_by_league ON extension (league_id);

CREATE TABLE lineup (
    id INTEGER PRIMARY KEY,
    league_id INTEGER NOT NULL REFERENCES league (id),
    bots TEXT NOT NULL,                    -- JSON of its first seating, the smallest of the rotations
    seatings INTEGER NOT NULL CHECK (seatings > 0),
    UNIQUE (league_id, bots)
) STRICT;

CREATE TABLE seating (
    id INTEGER PRIMARY KEY,
    lineup_id INTEGER NOT NULL REFERENCES lineup (id),
    bots TEXT NOT NULL,                    -- JSON, by seat
    UNIQUE (lineup_id, bots)
) STRICT;

CREATE TABLE played (                      -- a finished table
    id INTEGER PRIMARY KEY,
    league_id INTEGER NOT NULL REFERENCES league (id),
    key TEXT NOT NULL,
    seating_id INTEGER NOT NULL REFERENCES seating (id),
    hash TEXT NOT NULL CHECK (length(hash) = 64),
    UNIQUE (league_id, key),
    UNIQUE (id, seating_id)
) STRICT;

CREATE TABLE match (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: people write these numbers down
    played_id INTEGER NOT NULL,
    seating_id INTEGER NOT NULL,
    board INTEGER NOT NULL CHECK (board >= 0),
    seed BLOB NOT NULL CHECK (length(seed) = 32),
    outcome TEXT NOT NULL,                 -- JSON
    UNIQUE (seating_id, seed),             -- a deal is never counted twice in one seating
    UNIQUE (played_id, board),
    FOREIGN KEY (played_id, seating_id) REFERENCES played (id, seating_id)
) STRICT;

CREATE TABLE transcript (
    match_id INTEGER PRIMARY KEY REFERENCES match (id),
    content BLOB NOT NULL
) STRICT;

CREATE TABLE cost (                        -- of a table
    played_id INTEGER PRIMARY KEY REFERENCES played (id),
    finished TEXT NOT NULL,                -- ISO 8601, UTC
    layers TEXT NOT NULL                   -- JSON array: the walls that held
) STRICT;

CREATE TABLE measurement (                 -- of a match
    match_id INTEGER PRIMARY KEY REFERENCES match (id),
    content TEXT NOT NULL                  -- JSON, without the logs
) STRICT;

CREATE TABLE log (
    match_id INTEGER NOT NULL REFERENCES match (id),
    seat INTEGER NOT NULL CHECK (seat >= 0),
    content BLOB NOT NULL,                 -- zlib of UTF-8; a silent bot has no row
    PRIMARY KEY (match_id, seat)
) STRICT;
