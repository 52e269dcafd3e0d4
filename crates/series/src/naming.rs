//! Names of entrants: given (`NAME=PATH`), or made from the name of the file or the folder, and
//! unique among the entrants of a series.

use std::path::Path;

use anyhow::ensure;
use leitai_game::AnyGame;
use unicode_normalization::UnicodeNormalization;

use crate::entrant_request::EntrantRequest;

pub use crate::entrant_request::split_name;

/// The most characters of a name.
const LONGEST: usize = 40;
/// The number of parent folders whose names may be used.
const LEVELS: usize = 4;

/// Names of files and folders that many programs have.
const COMMON: [&str; 18] = [
    "main", "bot", "a.out", "program", "player", "index", "run", "src", "source", "code", "build",
    "bin", "release", "debug", "target", "out", "dist", "lib",
];

/// Refuses names that would break lines and tables.
pub fn check_name(name: &str) -> anyhow::Result<()> {
    let shown = name.escape_debug();
    ensure!(
        name.chars().count() <= LONGEST,
        "the name {shown} is too long; give one of at most {LONGEST} characters"
    );
    ensure!(
        !name.chars().any(char::is_control),
        "the name {shown} has control characters; leave them out"
    );
    Ok(())
}

/// Names of entrants that play together, each from its word, the given name and, where words are
/// equal, its settings. Equal requests have equal names.
pub fn name_entrants(game: &dyn AnyGame, entrants: &[&EntrantRequest]) -> Vec<String> {
    let choices: Vec<Vec<String>> = entrants
        .iter()
        .map(|request| name_choices(game, request))
        .collect();
    let first: Vec<&String> = choices.iter().map(|choices| &choices[0]).collect();
    let is_shared = |index: usize| first.iter().filter(|name| **name == first[index]).count() > 1;
    // Each entrant with a shared name takes the first of its other choices that no other entrant
    // could take; a built-in bot has no other choice.
    let free = |index: usize| {
        let others = || {
            choices
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index)
        };
        choices[index]
            .iter()
            .skip(1)
            .find(|name| !others().any(|(_, theirs)| theirs.contains(name)))
    };
    let name = |index: usize| {
        if is_shared(index) {
            free(index).unwrap_or(first[index])
        } else {
            first[index]
        }
    };
    (0..choices.len())
        .map(|index| name(index).clone())
        .collect()
}

/// The name of a program that is submitted alone.
pub fn of_program(path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    of_path(&real, real.is_dir()).swap_remove(0)
}

/// The possible names of an entrant, the best first.
fn name_choices(game: &dyn AnyGame, request: &EntrantRequest) -> Vec<String> {
    if let Some(name) = &request.name {
        return vec![name.nfc().collect()];
    }
    let word = request.word.as_str();
    let mut choices = match game.find_bot(word) {
        Some(bot) => vec![bot.to_owned()],
        None => of_word(word),
    };
    if let Some(settings) = request.settings.to_text() {
        let telling = show_name(&format!("{} {settings}", choices[0]));
        choices.insert(1, telling);
    }
    choices
}

/// The possible names of the program of a word.
fn of_word(word: &str) -> Vec<String> {
    let path = Path::new(word);
    let path = if path.exists() {
        path
    } else {
        word.split_once(':')
            .map_or(path, |(_, path)| Path::new(path))
    };
    of_path(
        &path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        path.is_dir(),
    )
}

/// The file's own name; if that is common, the folder's; then both, then more of the path.
fn of_path(path: &Path, is_folder: bool) -> Vec<String> {
    let text =
        |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let file = text(path.file_name()).unwrap_or_else(|| "program".to_owned());
    let own = if is_folder {
        file.clone()
    } else {
        text(path.file_stem()).unwrap_or_else(|| file.clone())
    };
    let above = || {
        path.ancestors()
            .skip(1)
            .take(LEVELS)
            .filter_map(|folder| text(folder.file_name()))
    };
    let is_archive = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
    let telling = above().find(|folder| !is_common(folder));
    let joined = above().map(|folder| format!("{folder}-{own}"));
    let first = match telling {
        // The folder of an archive is not related to its content.
        _ if is_archive => own.clone(),
        Some(folder) if is_common(&file) || is_common(&own) => folder,
        Some(folder) if own.chars().count() == 1 => format!("{folder}-{own}"),
        _ => own.clone(),
    };
    std::iter::once(first)
        .chain(joined)
        .chain([file])
        .map(|name| show_name(&name))
        .collect()
}

/// A file name made safe for lines and tables; letters with accents in one way (NFC), so that names
/// that look equal are.
fn show_name(name: &str) -> String {
    let name: String = name.nfc().collect();
    let clean = |c: char| if c.is_control() { '?' } else { c };
    match name.chars().count() > LONGEST {
        true => name
            .chars()
            .take(LONGEST - 1)
            .map(clean)
            .chain(['…'])
            .collect(),
        false => name.chars().map(clean).collect(),
    }
}

fn is_common(name: &str) -> bool {
    COMMON
        .iter()
        .any(|common| name.eq_ignore_ascii_case(common))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_names(words: &[&str], expected: &[&str]) {
        let game = leitai_games::ALL[0];
        let read = |word: &&str| EntrantRequest::parse(game, word).expect(word);
        let entrants: Vec<EntrantRequest> = words.iter().map(read).collect();
        assert_eq!(
            name_entrants(game, &entrants.iter().collect::<Vec<_>>()),
            expected,
            "{words:?}"
        );
    }

    #[test]
    fn common_file_names_are_replaced_by_folder_names() {
        check_names(&["/x/greedy.py"], &["greedy"]);
        check_names(
            &["/x/team/main.py", "/x/other/Bot.java"],
            &["team", "other"],
        );
        check_names(&["/x/team/src/main.cpp"], &["team"]);
        check_names(&["/x/team/a.out"], &["team"]);
        check_names(&["/x/team/a.py", "/x/team/b.py"], &["team-a", "team-b"]);
        check_names(&["/docs/bot.zip"], &["bot"]);
        check_names(&["/main.py"], &["main"]);
        check_names(
            &[&format!("/x/a\u{1b}{}.py", "n".repeat(50))],
            &[&format!("a?{}…", "n".repeat(37))],
        );
    }

    #[test]
    fn no_two_names_are_equal_where_the_paths_are_not() {
        check_names(&["/x/v1/fast.py", "/x/v2/fast.py"], &["v1-fast", "v2-fast"]);
        check_names(
            &["/x/bots/bot.py", "/x/bots/main.py"],
            &["bots-bot", "bots-main"],
        );
        check_names(&["/x/a/bot.zip", "/x/b/bot.zip"], &["a-bot", "b-bot"]);
        check_names(
            &["/x/a/caf\u{e9}.py", "/x/b/cafe\u{301}.py"],
            &["a-caf\u{e9}", "b-caf\u{e9}"],
        );
        check_names(&["cafe\u{301}=/x/bot.py"], &["caf\u{e9}"]);
        let bot = leitai_games::ALL[0].list_bots()[0].0;
        check_names(
            &[bot, &format!("/x/mine/{bot}.py")],
            &[bot, &format!("mine-{bot}")],
        );
    }

    #[test]
    fn settings_tell_equal_programs_apart() {
        let bot = leitai_games::ALL[0].list_bots()[0].0;
        let slow = format!("{bot} @limit=20ms");
        check_names(&[bot, &slow], &[bot, &slow]);
        check_names(&[&slow, "/x/b.py"], &[bot, "x-b"]);
        check_names(
            &[
                "/x/deep.py -d 5",
                "/x/deep.py -d 6",
                "/x/deep.py -d 6 @name=six",
            ],
            &["deep -d 5", "deep -d 6", "six"],
        );
    }

    #[test]
    fn a_name_can_be_given() {
        check_names(&["new=/x/bot.py", "/x/bot.py"], &["new", "x"]);
        assert_eq!(split_name("=x"), (None, "=x"));
        assert_eq!(split_name("/x/a=b/c.py"), (None, "/x/a=b/c.py"));
        assert!(
            check_name("v1").is_ok()
                && check_name("a\nb").is_err()
                && check_name(&"x".repeat(41)).is_err()
        );
    }
}
