-- Parts of other arenas that were imported, and the matches that came with them, which this arena did not
-- judge.

CREATE TABLE parts (
    id varchar NOT NULL PRIMARY KEY,
    arena varchar NOT NULL,
    imported bigint NOT NULL,
    said json NOT NULL
);

ALTER TABLE matches ADD COLUMN part varchar;
