-- What the versions of an experiment alone play with.

ALTER TABLE experiments ADD COLUMN settings json;
