//! Programs that do not leave when the match is over. Some judges end every program, and kits that were written for them
//! never look for the end of their input: each is waited for once, not after every leg of a series.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use leitai_sandbox::Program;

/// What tells one program from another while this process runs: its command and its folder.
pub type Key = (Vec<OsString>, PathBuf);

/// Programs that are remembered; with more, all are asked again.
const MOST: usize = 4096;

static STAYING: Mutex<Option<HashSet<Key>>> = Mutex::new(None);

/// The key of a program.
pub fn key(program: &Program) -> Key {
    (program.argv.clone(), program.dir.clone())
}

/// Whether it was seen to stay.
pub fn stays(key: &Key) -> bool {
    let staying = STAYING.lock().unwrap_or_else(PoisonError::into_inner);
    staying.as_ref().is_some_and(|staying| staying.contains(key))
}

/// It had its time to leave, and did not.
pub fn remember(key: &Key) {
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
        let of = |word: &str, folder: &str| key(&Program::new([word], folder));
        remember(&of("bot", "/a"));
        assert!(stays(&of("bot", "/a")));
        assert!(!stays(&of("bot", "/b")) && !stays(&of("other", "/a")));
    }
}
