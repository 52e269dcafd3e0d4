-- Bots whose authors let others fetch the active version, to train against it.

ALTER TABLE bots ADD COLUMN fetchable boolean NOT NULL DEFAULT FALSE;
