//! A word `python:NAME`: a policy that comes with the Python package, which is a file; and such a file.

use std::ffi::OsStr;
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

/// Puts the file of a policy into the place of its name. Of a file it is asked whether it can play this game.
///
/// # Errors
/// If there is no such policy, no Python package, or the file is of another game.
pub(crate) fn find_policy(
    game: &str,
    mut request: EntrantRequest,
) -> anyhow::Result<EntrantRequest> {
    let name = request.word.strip_prefix(PREFIX);
    if name.is_some() && Path::new(&request.word).exists() {
        return Ok(request);
    }
    let word = name.unwrap_or(&request.word).to_owned();
    if Path::new(&word).extension().is_some_and(|one| one == "npz") {
        if let Ok(file) = Path::new(&word).canonicalize() {
            ask_package(game, &word, file.as_os_str())?;
        }
        request.word = word;
    } else if name.is_some() {
        let file = ask_package(game, &request.word, word.as_ref())?;
        request.word = file.display().to_string();
        request.name.get_or_insert(word);
    }
    Ok(request)
}

/// Asks from a folder where nobody else's module `leitai` lies.
fn ask_package(game: &str, word: &str, name: &OsStr) -> anyhow::Result<PathBuf> {
    let mut command = Command::new(INTERPRETER);
    command
        .args(["-m", MODULE, game])
        .arg(name)
        .current_dir("/");
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
        "{word} needs the Python package of Leitai under {INTERPRETER}; activate the environment that has it, or install \
        it there with pip. {INTERPRETER} says: {why}"
    )))
}
