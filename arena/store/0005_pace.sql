-- How long each decision took, for who looks at a match again; kept and given up together with transcripts.

CREATE TABLE pace (
    played_id INTEGER PRIMARY KEY REFERENCES played (id),
    content BLOB NOT NULL                  -- MessagePack array, one a match, a byte a decision: see packing.py
) STRICT;
