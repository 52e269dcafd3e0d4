//! Programs that do not leave when the match is over. Some judges end every program, and kits that
//! were written for them never look for the end of their input: each is waited for once, not after
//! every leg of a series.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use leitai_sandbox::Program;

/// What tells one program from another while this process runs: its command and its folder.
pub type ProgramKey = (Vec<OsString>, PathBuf);

/// Programs that are remembered; with more, all are asked again.
const MOST: usize = 4096;

static STAYING: Mutex<Option<HashSet<ProgramKey>>> = Mutex::new(None);

/// The key of a program.
pub fn program_key(program: &Program) -> ProgramKey {
    (program.argv.clone(), program.dir.clone())
}

/// Whether it was seen to stay.
pub fn is_known_to_stay(key: &ProgramKey) -> bool {
    let staying = STAYING.lock().unwrap_or_else(PoisonError::into_inner);
    staying
        .as_ref()
        .is_some_and(|staying| staying.contains(key))
}

/// It had its time to leave, and did not.
pub fn remember_staying(key: &ProgramKey) {
    let mut staying = STAYING.lock().unwrap_or_else(PoisonError::into_inner);
    let staying = staying.get_or_insert_default();
    if staying.len() >= MOST {
        staying.clear();
    }
    staying.insert(key.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_command_in_the_same_folder_is_remembered() {
        let of = |word: &str, folder: &str| program_key(&Program::new([word], folder));
        remember_staying(&of("bot", "/a"));
        assert!(is_known_to_stay(&of("bot", "/a")));
        assert!(!is_known_to_stay(&of("bot", "/b")) && !is_known_to_stay(&of("other", "/a")));
    }
}
