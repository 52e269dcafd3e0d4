//! Checks a game that a judge program leads, for the job source.

use std::sync::Arc;

use super::leases::HeldLease;
use super::previews::previews_of;
use super::program_cache::ProgramCache;
use super::source::{GameFileTask, JobReport, JobSource};
use super::task_context::{TaskOutcome, insist};
use crate::game_files::check::{CheckBounds, check_file};

/// Fetches the file, and checks it where this machine runs programs of strangers.
pub fn check_game_file(
    source: &Arc<dyn JobSource>,
    programs: &ProgramCache,
    held: &HeldLease,
    file: &GameFileTask,
) -> TaskOutcome {
    let bytes = match insist(held, || source.fetch_game_file(&held.lease)) {
        Ok(bytes) => bytes,
        Err(_) if held.is_stopped() => return TaskOutcome::Back,
        Err(error) => return TaskOutcome::failed(error),
    };
    let runner = previews_of(programs, held.stop.clone());
    let checked = check_file(&bytes, &file.hash, CheckBounds::ARENA, runner.as_deref());
    if held.is_stopped() {
        return TaskOutcome::Back;
    }
    let (passed, said, preview) = match checked {
        Ok(Some(found)) => (true, found.said, found.preview),
        Ok(None) => return TaskOutcome::failed("this worker runs no programs of strangers"),
        Err(said) => (false, said, None),
    };
    TaskOutcome::Report(JobReport::GameFile {
        passed,
        said,
        preview,
    })
}
