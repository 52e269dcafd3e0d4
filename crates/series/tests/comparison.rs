//! A comparison of two built-in bots, and its journal.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use leitai_game::Lang;
use leitai_ladder::Decision;
use leitai_series::comparison::{
    Comparison, ComparisonOptions, ComparisonResult, ComparisonUpdate, compare,
};
use leitai_series::{EntrantRequest, Language, MatchOptions, Roster, messages, play_series};

fn roster(new: &str, base: &str) -> Roster {
    let game = leitai_games::find_game("kob").expect("it is listed");
    let options = MatchOptions::new(game).expect("the game's own config");
    let entrants = [new, base].map(EntrantRequest::from_word);
    Roster::build_entrants(game, &entrants, &options, &mut |_| {}).expect("built-in bots")
}

/// Options of a test that a few pairs do not decide.
fn options(folder: Option<&Path>, max_pairs: u64) -> ComparisonOptions {
    let mut options = ComparisonOptions {
        max_pairs,
        folder: folder.map(Path::to_owned),
        ..ComparisonOptions::default()
    };
    (options.sprt.elo0, options.sprt.elo1) = (-1.0, 1.0);
    options
}

fn play(roster: &Roster, options: ComparisonOptions) -> anyhow::Result<(ComparisonResult, bool)> {
    compare(roster, options, 1, &AtomicBool::new(false), &mut |_| {
        panic!("matches of built-in bots are judged")
    })
}

#[test]
fn the_stronger_bot_is_accepted() {
    let roster = roster("space", "random");
    let (result, ended) = play(&roster, ComparisonOptions::default()).expect("it is played");
    assert!(ended && result.decision() == Decision::Accepted);
    let catalogue = messages::catalogue([&**roster.game()]);
    let text = |lang| result.to_text(Language::new(lang, &catalogue));
    assert!(text(Lang::En).contains("accepted: space is better than random"));
    assert!(text(Lang::Zh).contains("接受：space 强于 random"));
    assert_eq!(result.to_json()["decision"], "accepted");
}

#[test]
fn an_interrupted_comparison_continues_from_its_journal() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let roster = roster("safe", "safe");
    let (whole, _) = play(&roster, options(None, 6)).expect("it is played");

    let stop = AtomicBool::new(false);
    let listener = |update: &ComparisonUpdate<'_>| {
        if update.result.pair_count() == 2 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let mut first =
        Comparison::open(options(Some(folder.path()), 6), &roster, listener).expect("a new folder");
    let ended = play_series(&mut first, &roster, 1, &stop, &mut |_| {}).expect("it is played");
    assert!(!ended && first.result().pair_count() < 6);
    drop(first);

    // A kill while a line is written.
    let journal = folder.path().join("journal.jsonl");
    let mut text = fs::read_to_string(&journal).expect("the journal");
    text.push_str("{\"number\":");
    fs::write(&journal, text).expect("own folder");

    let (resumed, ended) = play(&roster, options(Some(folder.path()), 6)).expect("it continues");
    assert!(ended);
    assert_eq!(resumed.pair_count(), 6);
    assert_eq!((resumed.pairs, resumed.games), (whole.pairs, whole.games));
    let lines = fs::read_to_string(&journal).expect("the journal");
    assert_eq!(lines.lines().count(), 1 + 6, "no pair is played twice");
}

#[test]
fn a_journal_of_another_comparison_or_version_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    play(&roster("safe", "random"), options(Some(folder.path()), 1)).expect("a new folder");
    let refused = |roster: &Roster| {
        let error = play(roster, options(Some(folder.path()), 1)).expect_err("it is refused");
        format!("{error:#}")
    };
    let why = refused(&roster("space", "random"));
    assert!(
        why.contains("holds another comparison: entrants was"),
        "{why}"
    );

    let journal = folder.path().join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("the journal");
    fs::write(
        &journal,
        text.replace("leitai-compare/2", "leitai-compare/1"),
    )
    .expect("own folder");
    let why = refused(&roster("safe", "random"));
    assert!(
        why.contains("a journal in the format leitai-compare/1; this version of Leitai reads leitai-compare/2"),
        "{why}"
    );
    let catalogue = messages::catalogue([&**roster("safe", "random").game()]);
    let chinese = Language::new(Lang::Zh, &catalogue).say(&why);
    assert!(chinese.contains("日志文件格式为"), "{chinese}");
}
