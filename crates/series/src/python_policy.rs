//! A word `python:NAME`: a policy that comes with the Python package, which is a file.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{EntrantRequest, invalid_request};

/// Before the name of a policy.
const PREFIX: &str = "python:";
/// What tells where a policy is: the interpreter that will run it.
const INTERPRETER: &str = "python3";
const MODULE: &str = "leitai.network";
/// Its exit code where there is no such policy.
const UNKNOWN: i32 = 2;

/// Puts the file of a policy into the place of its name.
///
/// # Errors
/// If there is no such policy, or no Python package.
pub(crate) fn find_policy(
    game: &str,
    mut request: EntrantRequest,
) -> anyhow::Result<EntrantRequest> {
    let Some(name) = request.word.strip_prefix(PREFIX) else {
        return Ok(request);
    };
    if Path::new(&request.word).exists() {
        return Ok(request);
    }
    if Path::new(name).extension().is_some_and(|one| one == "npz") {
        request.word = name.to_owned();
        return Ok(request);
    }
    request.name.get_or_insert_with(|| name.to_owned());
    request.word = ask_package(game, name)?.display().to_string();
    Ok(request)
}

/// Asks from a folder where nobody else's module `leitai` lies.
fn ask_package(game: &str, name: &str) -> anyhow::Result<PathBuf> {
    let mut command = Command::new(INTERPRETER);
    command.args(["-m", MODULE, game, name]).current_dir("/");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let why = match command.output() {
        Ok(told) if told.status.success() => return Ok(PathBuf::from(text(&told.stdout))),
        Ok(told) if told.status.code() == Some(UNKNOWN) => {
            return Err(invalid_request(text(&told.stderr)));
        }
        Ok(told) => text(&told.stderr),
        Err(why) => why.to_string(),
    };
    let why = why.lines().next_back().unwrap_or("no answer");
    Err(invalid_request(format!(
        "{PREFIX}{name} needs the Python package of Leitai under {INTERPRETER} (`pip install .` in a clone), which says: {why}"
    )))
}
