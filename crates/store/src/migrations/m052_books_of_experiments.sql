-- The position books of experiments and of candidates: the SHA-256 of the file, and how many positions it has.

ALTER TABLE experiments ADD COLUMN book text;
ALTER TABLE experiments ADD COLUMN book_positions integer;

ALTER TABLE candidate_lanes ADD COLUMN book text;
ALTER TABLE candidate_lanes ADD COLUMN book_positions integer;
