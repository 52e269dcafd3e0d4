//! The answers of a bot in pinned positions, as text and as JSON.

use std::path::Path;

use leitai_judge::forced_replies::DivergentReply;
use serde_json::{Value, json};

use crate::Language;
use crate::regression::{PinnedPosition, RegressionResult, RegressionVerdict};

/// The number of positions by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegressionCount {
    /// The mistake is still made.
    pub still: usize,
    /// The bot crashed, did not answer, or broke a rule.
    pub failed: usize,
    /// The bot could not be asked.
    pub unknown: usize,
}

impl RegressionCount {
    /// Counts a position.
    pub fn add_verdict(&mut self, verdict: RegressionVerdict) {
        match verdict {
            RegressionVerdict::StillMade => self.still += 1,
            RegressionVerdict::Failed => self.failed += 1,
            RegressionVerdict::Unknown => self.unknown += 1,
            RegressionVerdict::Gone => {}
        }
    }

    /// The counts in one line.
    pub fn to_line(&self, pinned: usize, language: Language<'_>) -> String {
        let RegressionCount {
            still,
            failed,
            unknown,
        } = self;
        let mut line = language.fill("{} pinned, {} still made", &[&pinned, still]);
        if *failed > 0 {
            line += &language.fill(", {} failed", &[failed]);
        }
        if *unknown > 0 {
            line += &language.fill(", {} could not be asked", &[unknown]);
        }
        line + "\n"
    }

    /// The counts with the result of every position, for programs.
    pub fn to_json(&self, bot: &str, positions: Vec<Value>) -> Value {
        let RegressionCount {
            still,
            failed,
            unknown,
        } = self;
        json!({"bot": bot, "positions": positions, "still_made": still, "failed": failed, "unknown": unknown})
    }
}

/// `regress/kob-1-1-4-B.json: leg 1, round 4, space played 3   "walked into a dead end"`
pub fn describe_position(path: &Path, pinned: &PinnedPosition, language: Language<'_>) -> String {
    let why = if pinned.why.is_empty() {
        String::new()
    } else {
        format!("   \"{}\"", pinned.why)
    };
    let position = language.fill(
        "{}: leg {}, round {}, {} played {}",
        &[
            &path.display(),
            &pinned.leg,
            &pinned.round,
            &pinned.replay.entrants[pinned.entrant].name,
            &pinned.played.join(" "),
        ],
    );
    position + &why
}

/// The position and the bot's answer, in lines for people.
pub fn describe_result(
    path: &Path,
    pinned: &PinnedPosition,
    result: &RegressionResult,
    language: Language<'_>,
) -> String {
    let answers = result.answers.join(" ");
    let verdict = match result.verdict {
        RegressionVerdict::StillMade if result.answers != pinned.played => {
            language.fill("✗ it plays: {}", &[&answers])
        }
        RegressionVerdict::StillMade => language.fill("✗ still made: {}", &[&answers]),
        RegressionVerdict::Gone if !pinned.passes.is_empty() => {
            language.fill("✓ it plays: {}", &[&answers])
        }
        RegressionVerdict::Gone => language.fill("✓ not made any more; it plays: {}", &[&answers]),
        RegressionVerdict::Failed => format!("✗ {}", describe_failure(result, language)),
        RegressionVerdict::Unknown => format!("? {}", describe_unknown(result, language)),
    };
    let divergence = result
        .divergence
        .as_ref()
        .map_or_else(String::new, |found| {
            let instead = match &found.instead {
                DivergentReply::Action(action) => action.clone(),
                DivergentReply::Fault { code, what } => format!("[{code}] {what}"),
            };
            let line = language.fill(
                "it would not have come here: round {}: {} instead of {}",
                &[&found.round, &instead, &found.recorded],
            );
            format!("\n    {line}")
        });
    format!(
        "{}\n  {verdict}{divergence}\n",
        describe_position(path, pinned, language)
    )
}

/// `it crashed [RE]: ended with exit code 3; its last words: …`
fn describe_failure(result: &RegressionResult, language: Language<'_>) -> String {
    let answer = result
        .answers
        .last()
        .map(|answer| answer.trim_start_matches('!'))
        .unwrap_or_default();
    let Some(fault) = &result.fault else {
        return language.fill("it failed [{}]", &[&answer]);
    };
    let failure = language.fill("it failed [{}]: {}", &[&fault.code, &language.say(fault)]);
    match fault.last_words.last() {
        Some(words) => {
            let words = language.fill("its last words: {}", &[words]);
            format!("{failure}\n    {words}")
        }
        None => failure,
    }
}

fn describe_unknown(result: &RegressionResult, language: Language<'_>) -> String {
    let ended = language.label("the leg ended before");
    let why = result
        .void
        .as_deref()
        .map_or_else(|| ended.to_owned(), |why| language.say(why));
    language.fill(
        "it could not be asked (this says nothing about the bot): {}",
        &[&why],
    )
}

/// A file that is no position that could be asked, for programs.
pub fn broken_json(path: &Path, why: &str) -> Value {
    json!({"position": path, "verdict": RegressionVerdict::Unknown, "error": why})
}

/// The result of one position, for programs.
pub fn result_json(path: &Path, pinned: &PinnedPosition, result: &RegressionResult) -> Value {
    json!({
        "position": path, "why": pinned.why, "game": pinned.replay.game, "leg": pinned.leg, "round": pinned.round,
        "category": pinned.category, "passes": pinned.passes,
        "played": pinned.played, "verdict": result.verdict, "answers": result.answers,
        "fault": result.fault, "divergence": result.divergence,
    })
}
