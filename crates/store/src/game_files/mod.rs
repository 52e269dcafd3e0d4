//! Games that people brought as files: their versions, whom they belong to, quotas and reports.

pub mod game_files;
pub mod game_jobs;
pub mod game_owners;
pub mod game_quota;
pub mod game_reports;
