//! Remembers programs that do not exit when the match is over. Some judges kill every program, and
//! bots written for them never detect the end of their input: the judge waits for each of them
//! once, not after every leg of a series.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use leitai_sandbox::Program;

/// The identity of a program during this process: its command and its folder.
pub type ProgramKey = (Vec<OsString>, PathBuf);

/// The most remembered programs; with more, all are forgotten.
const MOST: usize = 4096;

static STAYING: Mutex<Option<HashSet<ProgramKey>>> = Mutex::new(None);

/// The key of a program.
pub fn program_key(program: &Program) -> ProgramKey {
    (program.argv.clone(), program.dir.clone())
}

/// Whether the program is known not to exit.
pub fn is_known_to_stay(key: &ProgramKey) -> bool {
    let staying = STAYING.lock().unwrap_or_else(PoisonError::into_inner);
    staying
        .as_ref()
        .is_some_and(|staying| staying.contains(key))
}

/// Remembers that the program did not exit in its time.
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
