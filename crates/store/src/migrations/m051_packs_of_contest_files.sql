-- The file beside a contest's of which a situation pack is, who left the pool of an experiment, and the
-- version of the messages that a worker must speak to do a job.

ALTER TABLE situation_packs ADD COLUMN file text;

ALTER TABLE experiments ADD COLUMN pool_left json;

ALTER TABLE jobs ADD COLUMN wire integer NOT NULL DEFAULT 0;
