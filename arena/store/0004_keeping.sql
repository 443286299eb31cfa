-- What was taken out of the database on purpose, so that nobody takes it for damage.

CREATE TABLE gone (                        -- numbers of matches whose leagues were deleted: they are not given again
    first_match INTEGER PRIMARY KEY CHECK (first_match > 0),
    matches INTEGER NOT NULL CHECK (matches > 0)
) STRICT;

CREATE TABLE trimmed (
    league_id INTEGER NOT NULL REFERENCES league (id),
    what TEXT NOT NULL CHECK (what IN ('logs', 'transcripts')),
    through INTEGER NOT NULL,              -- the last table (played.id) whose were taken away
    PRIMARY KEY (league_id, what)
) STRICT, WITHOUT ROWID;
