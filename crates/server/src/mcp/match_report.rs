//! A match in a few lines: who won by which rule, the faults, and why it was lost.

use leitai_analysis::digest::write_digest;
use leitai_analysis::{AnalysisError, AnalysisOptions, AnalysisProgress, analyze_replay};
use leitai_game::lang::{Catalogue, Lang, Localizer};
use leitai_game::{AnyGame, Entrant, Replay};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::short::{WHY, last_lines, line_of, short_line, without_nothing};

/// The most faults that a report repeats; a match ends with the first ones.
const FAULTS: usize = 4;

/// What a match was. `details` is the arena's answer about the match; `replay` is its replay, of which
/// the caller may read all that is in it; `why` are the lines of the analysis.
pub fn report_match(details: &Value, replay: Option<&Value>, why: &[String]) -> Value {
    let state = line_of(&details["state"]);
    let your = details["your"].as_str().unwrap_or_default();
    let outcome = match (details["winner"].as_str(), your) {
        (Some("draw"), _) => "draw",
        (Some(winner), "a" | "b") if winner == your => "you won",
        (Some(_), "a" | "b") => "you lost",
        _ => "",
    };
    let faults = replay.map(list_faults).unwrap_or_default();
    let log = replay
        .map(|replay| own_log(replay, your))
        .unwrap_or_default();
    let room = WHY.saturating_sub(faults.len() + log.len());
    let why: Vec<&String> = why.iter().take(room).collect();
    let next = match (&*state, outcome) {
        ("queued" | "running", _) => "it is not over; ask match_report again in some seconds",
        (_, "you lost") => "mend the first blunder or fault above, then submit again",
        _ => "",
    };
    without_nothing(json!({
        "match": details["id"], "game": details["game"], "kind": details["kind"], "state": state,
        "a": entrant_name(&details["a"]), "b": entrant_name(&details["b"]),
        "you": your, "outcome": outcome, "winner": details["winner"],
        "reason": line_of(&details["reason"]["en"]), "scores": details["scores"],
        "waits": line_of(&details["waiting"]["en"]),
        "faults": faults, "why": why, "your_log": log, "next": next,
    }))
}

/// The name of an entrant, with its version.
pub fn entrant_name(entrant: &Value) -> String {
    let name = line_of(&entrant["name"]);
    match entrant["version"].as_u64() {
        Some(version) => format!("{name} v{version}"),
        None => name,
    }
}

/// `leg 1, round 3: A answered 7, which is no direction [IA]; it said: …`.
fn list_faults(replay: &Value) -> Vec<String> {
    let legs = replay["legs"].as_array().into_iter().flatten().enumerate();
    let faults = legs.flat_map(|(leg, record)| {
        let faults = record["faults"].as_array().into_iter().flatten();
        faults.map(move |fault| describe_fault(leg + 1, fault))
    });
    faults.take(FAULTS).collect()
}

fn describe_fault(leg: usize, fault: &Value) -> String {
    let (who, what, code) = (
        line_of(&fault["entrant"]),
        line_of(&fault["what"]),
        line_of(&fault["code"]),
    );
    let said = fault["last_words"]
        .as_array()
        .and_then(|lines| lines.last());
    let said = said.map(|line| format!("; its stderr ends: {}", line_of(line)));
    let round = &fault["round"];
    short_line(&format!(
        "leg {leg}, round {round}: {who} {what} [{code}]{}",
        said.unwrap_or_default()
    ))
}

/// The last lines that the caller's bot wrote to stderr in the last leg.
fn own_log(replay: &Value, your: &str) -> Vec<String> {
    let legs = replay["legs"].as_array().into_iter().flatten();
    let logs = legs.flat_map(|leg| leg["logs"].as_array().into_iter().flatten());
    let own = logs.filter(|log| line_of(&log["entrant"]).eq_ignore_ascii_case(your));
    let text = own.filter_map(|log| log["text"].as_str()).next_back();
    last_lines(text.unwrap_or_default())
}

/// Why a match was lost, in at most [`WHY`] lines: the digest of `leitai analyze`.
///
/// # Errors
/// If the game has no judge of positions, the replay does not fit the rules, or the time was too short.
pub fn explain_replay(
    game: &dyn AnyGame,
    replay: &Replay,
    entrant: Option<Entrant>,
    most: Duration,
) -> Result<Vec<String>, String> {
    let options = AnalysisOptions {
        budget: None,
        leg: None,
        entrant,
    };
    let begun = Instant::now();
    let go_on = &mut |_: AnalysisProgress<'_>| match begun.elapsed() < most {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let analysis = analyze_replay(game, replay, options, go_on).map_err(|why| match why {
        AnalysisError::Stopped => {
            let most = most.as_secs();
            format!("it takes longer than {most} s; run `leitai analyze` on the replay")
        }
        why => why.to_string(),
    })?;
    static WORDS: LazyLock<Catalogue> = LazyLock::new(|| {
        Catalogue::new([&leitai_analysis::messages::MESSAGES])
            .with_labels(&leitai_analysis::messages::LABELS)
    });
    let digest = write_digest(&analysis, Localizer::new(Lang::En, &WORDS));
    Ok(digest.lines().take(WHY).map(short_line).collect())
}
