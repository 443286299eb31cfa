-- What a bot sent where it committed a fault, and why a table that the machine had spoiled was played twice.

CREATE TABLE sent (
    match_id INTEGER NOT NULL REFERENCES match (id),
    fault INTEGER NOT NULL CHECK (fault >= 0), -- which of the outcome's
    content BLOB NOT NULL,                     -- zlib of the bytes; of nothing there is no row
    PRIMARY KEY (match_id, fault)
) STRICT;

ALTER TABLE cost ADD COLUMN void TEXT NOT NULL DEFAULT '[]'; -- JSON array; of most tables an empty one
