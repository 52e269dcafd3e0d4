-- The check of a game that a judge program leads is a job of a worker that runs programs.

ALTER TABLE jobs ADD COLUMN game_file_id bigint;
CREATE UNIQUE INDEX jobs_by_game_file_id ON jobs (game_file_id);
