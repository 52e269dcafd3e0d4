//! The bots in the players' guides of the games: the same bot in six languages, in both files of a
//! guide. Each plays a match as it stands in the document, and some are checked.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use crate::blocks::{self, Block};
use crate::reader::{BINARY, said};
use crate::root;

/// The languages in the order of a guide, with the files' names.
const LANGUAGES: &[(&str, &str)] = &[
    ("python", "bot.py"),
    ("js", "bot.js"),
    ("cpp", "bot.cpp"),
    ("c", "bot.c"),
    ("java", "Main.java"),
    ("rust", "bot.rs"),
];

/// The opponent of each game, which answers the same whatever the time, and a short game.
const GAMES: &[(&str, &str, &[&str])] = &[
    ("snakego", "greedy", &["--config", "max_round=40"]),
    ("kob", "safe", &[]),
    (
        "tankcraft",
        "miner",
        &["--config", "rounds=40", "--config", "map=crossroads"],
    ),
];

/// Bots that play at the same time.
const AT_ONCE: usize = 2;

#[test]
fn every_bot_in_a_guide_plays_as_it_stands_and_the_same_in_every_language() {
    let known = GAMES.iter().map(|(game, ..)| *game);
    let all: Vec<&str> = leitai_games::ALL
        .iter()
        .map(|game| game.meta().id)
        .collect();
    assert_eq!(known.collect::<Vec<_>>(), all);
    let cache = tempfile::tempdir().expect("a folder");
    for game in GAMES {
        let (english, chinese) = (bots(game.0, "guide.md"), bots(game.0, "guide.zh.md"));
        for (english, chinese) in english.iter().zip(&chinese) {
            assert_twins(english, chinese);
        }
        let played = play_all(game, &english, cache.path());
        for (bot, replies) in english.iter().zip(&played) {
            assert_eq!(
                replies,
                &played[0],
                "{} plays other than {}",
                bot.place(),
                english[0].place()
            );
        }
    }
}

/// The bots of a guide, one a language.
fn bots(game: &str, file: &str) -> Vec<Block> {
    let document = format!("games/{game}/{file}");
    let is_program = |block: &Block| LANGUAGES.iter().any(|(name, _)| *name == block.language);
    let blocks = blocks::of(&root(), &document);
    let bots: Vec<Block> = blocks.into_iter().filter(is_program).collect();
    let languages: Vec<&str> = bots.iter().map(|bot| &*bot.language).collect();
    let expected: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
    assert_eq!(languages, expected, "{document}");
    bots
}

/// Programs of both files are equal but for comments, which are in the language of the file.
fn assert_twins(english: &Block, chinese: &Block) {
    let place = format!("{} and {}", english.place(), chinese.place());
    let is_han = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    assert_eq!(
        english.text.lines().count(),
        chinese.text.lines().count(),
        "{place}"
    );
    for (english_line, chinese_line) in english.text.lines().zip(chinese.text.lines()) {
        let (code, comment) = split_comment(&english.language, english_line);
        let (twin, translated) = split_comment(&chinese.language, chinese_line);
        assert_eq!(
            (code, comment.is_some()),
            (twin, translated.is_some()),
            "{place}"
        );
        let is_english = !comment.is_some_and(|comment| comment.contains(is_han));
        let is_chinese = translated.is_none_or(|comment| comment.contains(is_han));
        assert!(is_english && is_chinese, "{place}: {chinese_line}");
    }
}

/// The code and the comment of a line. A word to the judge (`leitai: …`) counts as code.
fn split_comment<'a>(language: &str, line: &'a str) -> (&'a str, Option<&'a str>) {
    let mark = if language == "python" { "# " } else { "// " };
    line.split_once(mark)
        .filter(|(_, comment)| !comment.starts_with("leitai: "))
        .map_or((line, None), |(code, comment)| (code, Some(comment)))
}

/// What happened in each bot's match, in the order of the bots.
fn play_all(game: &(&str, &str, &[&str]), bots: &[Block], cache: &Path) -> Vec<Value> {
    let (next, played) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(bot) = bots.get(at) else { break };
                    let begun = Instant::now();
                    let replies = play(game, bot, LANGUAGES[at].1, cache);
                    eprintln!("{} {:.1?}", bot.place(), begun.elapsed());
                    played.lock().expect("nobody panicked").push((at, replies));
                }
            });
        }
    });
    let mut played = played.into_inner().expect("nobody panicked");
    played.sort_by_key(|(at, _)| *at);
    let replies = played.into_iter().map(|(_, replies)| replies);
    replies
        .map(|replies| replies.unwrap_or_else(|wrong| panic!("{wrong}")))
        .collect()
}

/// Whether `leitai check` is run for a bot: for two of the six of each game, other ones in each.
fn is_checked(game: &str, file: &str) -> bool {
    let game = GAMES.iter().position(|(other, ..)| *other == game);
    let language = LANGUAGES.iter().position(|(_, other)| *other == file);
    game == language.map(|language| language % GAMES.len())
}

/// Plays a match of two legs, one on each seat, and checks some of the bots; returns the replies of
/// both legs.
fn play(
    (game, opponent, config): &(&str, &str, &[&str]),
    bot: &Block,
    file: &str,
    cache: &Path,
) -> Result<Value, String> {
    let place = tempfile::tempdir().expect("a folder");
    fs::write(place.path().join(file), &bot.text).expect("there is room");
    let path = format!("./{file}");
    let is_checked = is_checked(game, file);
    let file = path.as_str();
    let wrong = |what: &str, output: &Output| format!("{}: {what}\n{}", bot.place(), said(output));

    if is_checked {
        let words = [&["check", game, file], *config].concat();
        let output = leitai(&place, cache, &words);
        if !output.status.success() {
            return Err(wrong("the check fails", &output));
        }
    }

    let words = ["match", game, file, opponent, "--json", "--seed", "3"];
    let words = [&words[..], &["--replay", "game.json"], *config].concat();
    let output = leitai(&place, cache, &words);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let legs = result["legs"].as_array().map_or(&[][..], Vec::as_slice);
    let is_clean = |leg: &Value| {
        leg["codes"] == serde_json::json!(["OK", "OK"]) && leg["faults"] == serde_json::json!([])
    };
    if legs.len() != 2 || !legs.iter().all(is_clean) {
        return Err(wrong("the match has faults", &output));
    }
    let replay = fs::read(place.path().join("game.json")).expect("it was written");
    let replay: Value = serde_json::from_slice(&replay).expect("JSON");
    let legs = replay["legs"].as_array().expect("legs").iter();
    let replies: Value = legs.map(|leg| leg["replies"].clone()).collect();
    // In TankCraft a line that is no order is no fault, and stands as `?` in the replay.
    if replies.to_string().contains('?') {
        return Err(wrong(&format!("an answer is no order: {replies}"), &output));
    }
    Ok(replies)
}

fn leitai(place: &TempDir, cache: &Path, words: &[&str]) -> Output {
    // In tier C a program runs as another user, who may not read an interpreter in a home folder.
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(BINARY);
    command
        .args(words)
        .current_dir(place.path())
        .env("PATH", format!("/usr/local/bin:/usr/bin:/bin:{path}"))
        .env("LEITAI_CACHE", cache)
        .env("LEITAI_LANG", "en")
        .stdin(Stdio::null());
    command.output().expect("the binary starts")
}

#[test]
fn comments_are_told_from_code() {
    let check = |language, line, expected| {
        assert_eq!(split_comment(language, line), expected, "{line}");
    };
    check("c", "int a;  // one", ("int a;  ", Some("one")));
    check(
        "python",
        "a = b // 12  # one",
        ("a = b // 12  ", Some("one")),
    );
    check("python", "a = split(\"#\")", ("a = split(\"#\")", None));
    let word = "// leitai: protocol=json-lines";
    check("rust", word, (word, None));
}
