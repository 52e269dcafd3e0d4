//! The file that a command about contests reads.

use std::path::Path;

use leitai_contest::file::{Contest, Games, check_contest};
use leitai_contest::problem::Problem;
use serde_json::json;

use crate::files::{self, print_stdout};
use crate::lang::{Localizer, catalogue};

/// The contest of a file and its text. If the file is not valid, everything that is wrong with it is
/// printed, and there is none.
pub fn read_file(
    lang: Localizer,
    path: &Path,
    json: bool,
) -> anyhow::Result<Option<(Contest, String)>> {
    let text = files::read(path)?;
    let games = Games::new(leitai_games::ALL, catalogue().clone());
    match check_contest(&text, &games) {
        Ok(contest) => return Ok(Some((contest, text))),
        Err(problems) if json => print_stdout(&format!("{}\n", json!({"problems": problems})))?,
        Err(problems) => print_problems(lang, path, &problems),
    }
    Ok(None)
}

/// Prints problems to stderr, one a line, with the file's name before the line's number.
fn print_problems(lang: Localizer, path: &Path, problems: &[Problem]) {
    for problem in problems {
        let line = problem.to_line(lang.lang());
        files::print_stderr(&format!("{}:{line}", path.display()));
    }
    let count = lang.fill_count("{} problem", "{} problems", problems.len());
    files::print_stderr(&format!("{}: {count}", path.display()));
}
