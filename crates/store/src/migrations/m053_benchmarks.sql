-- The benchmarks that the arena plays: scale, nonce of the seeds, what the author says, and the result.

ALTER TABLE experiments ADD COLUMN benchmark json;
