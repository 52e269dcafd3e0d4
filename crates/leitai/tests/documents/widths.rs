//! The output of the binary fits a terminal of 80 columns, in both languages, into a terminal and
//! into a pipe.

use std::process::{Command, Output};

use ratatui::text::Span;

use crate::reader::{Reader, equip, said};

/// Columns of the widest line.
fn widest(text: &str) -> (usize, &str) {
    let width = |line: &str| Span::raw(line).width();
    let widest = text
        .lines()
        .max_by_key(|line| width(line))
        .unwrap_or_default();
    (width(widest), widest)
}

fn run(reader: &Reader, language: &str, words: &[&str], columns: Option<&str>) -> Output {
    let mut command: Command = reader.command(crate::reader::BINARY);
    command.env("LEITAI_LANG", language).args(words);
    columns.map(|columns| command.env("COLUMNS", columns));
    command.output().expect("the binary starts")
}

#[test]
fn tables_fit_80_columns() {
    equip();
    for language in ["en", "zh"] {
        let reader = Reader::new();
        let lines = "games
            bots snakego
            bots kob
            bots tankcraft
            tournament snakego random greedy territory first=random second_of_a_long_name=greedy --config max_round=20
            ladder kob bots --with random --with safe --with space --max 12";
        for line in lines.lines() {
            let words = &line.split_whitespace().collect::<Vec<_>>()[..];
            let narrow = ["games", "bots"].contains(&words[0]).then_some("60");
            for columns in [None, Some("80"), narrow] {
                let done = run(&reader, language, words, columns);
                let text = String::from_utf8_lossy(&done.stdout).into_owned();
                let most = columns
                    .and_then(|columns| columns.parse().ok())
                    .unwrap_or(80);
                let (width, line) = widest(&text);
                assert!(
                    width <= most,
                    "{language} {words:?}: {width} of {most} columns: {line}"
                );
                assert!(text.len() > 100, "{language} {words:?}: {}", said(&done));
            }
        }
    }
}

#[test]
fn progress_is_printed_into_a_pipe() {
    equip();
    let reader = Reader::new();
    let told = |words: &[&str], part: &str| {
        let done = run(&reader, "en", words, None);
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(
            text.lines().any(|line| line.contains(part)),
            "{words:?} lacks {part:?}: {text}"
        );
    };
    told(
        &["tournament", "kob", "random", "space", "--rounds", "3"],
        "2/3  ",
    );
    told(
        &[
            "ladder", "kob", "bots", "--with", "random", "--with", "space", "--max", "3",
        ],
        "2 matches   ",
    );
}

/// A line of a help text is broken once: no line is followed by a single left-over word.
#[test]
fn help_is_broken_into_lines_once() {
    equip();
    let reader = Reader::new();
    for command in "match check compare tournament ladder regress_run play serve login".split(' ') {
        let command = command.replace('_', " ");
        for columns in ["80", "60"] {
            let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
            // Only help adapts to the terminal's width.
            let typed = format!("stty cols {columns}; leitai-binary {}", words.join(" "));
            let mut script = reader.command("script");
            let done = script
                .args(["-qec", &typed, "/dev/null"])
                .env("TERM", "dumb")
                .output()
                .expect("it runs");
            let text = said(&done).replace('\r', "");
            let most: usize = columns.parse().expect("a number");
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines.len() > 20, "{text}");
            for pair in lines.windows(2) {
                let is_prose = |line: &str| line.starts_with(|c: char| c.is_ascii_alphanumeric());
                let first = pair[1].split(' ').next().unwrap_or_default();
                let had_room = Span::raw(pair[0]).width() + 1 + Span::raw(first).width() <= most;
                let ends = pair[0].ends_with([':', '.', ')']);
                let broken_twice = is_prose(pair[0]) && is_prose(pair[1]) && had_room && !ends;
                assert!(
                    !broken_twice,
                    "{words:?} at {columns}: {:?} and then {:?}",
                    pair[0], pair[1]
                );
            }
        }
    }
}

/// Sentences are broken between words. A word longer than the line, such as a path, stays whole.
#[test]
fn sentences_fit_80_columns() {
    equip();
    for language in ["en", "zh"] {
        let reader = Reader::new();
        let long = "./a_folder_with_a_long_name";
        std::fs::create_dir(reader.folder().join(long)).expect("there is room");
        for (from, to) in [("v7", "v7"), ("mybot.py", "mybot.py")] {
            let to = reader.folder().join(long).join(to);
            std::fs::copy(reader.folder().join(from), to).expect("there is room");
        }
        let [bad, good] = ["v7", "mybot.py"].map(|name| format!("{long}/{name}"));
        let compare = format!("compare snakego {good} random --max 1 --config max_round=20");
        for line in ["doctor", &format!("check snakego {bad}"), &compare] {
            let words = &line.split(' ').collect::<Vec<_>>()[..];
            let done = run(&reader, language, words, Some("80"));
            let text = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(
                text.lines().count() > 3,
                "{language} {words:?}: {}",
                said(&done)
            );
            for line in text.lines().filter(|line| Span::raw(*line).width() > 80) {
                let is_word = line
                    .trim_start_matches([' ', '✓', '✗', '-', 'i', '!'])
                    .split(' ')
                    .count()
                    == 1;
                assert!(
                    is_word,
                    "{language} {words:?}: {} columns: {line}",
                    Span::raw(line).width()
                );
            }
        }
    }
}
