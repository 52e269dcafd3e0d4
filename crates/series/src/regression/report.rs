//! What a bot did in pinned positions, in words and as JSON.

use std::path::Path;

use leitai_game::Lang;
use leitai_judge::forced_replies::DivergentReply;
use serde_json::{Value, json};

use crate::Language;
use crate::regression::{PinnedPosition, RegressionResult, RegressionVerdict};

/// How many positions ended in which way.
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
        let more =
            |count: &usize, en: &'static str, zh: &'static str| match (count, language.lang()) {
                (0, _) => String::new(),
                (count, Lang::Zh) => format!("，{zh} {count} 个"),
                (count, Lang::En) => format!(", {count} {en}"),
            };
        let failed = more(failed, "failed", "未能应答");
        let unknown = more(unknown, "could not be asked", "无法检验");
        match language.lang() {
            Lang::Zh => format!("共 {pinned} 个标记局面，仍犯 {still} 个{failed}{unknown}\n"),
            Lang::En => format!("{pinned} pinned, {still} still made{failed}{unknown}\n"),
        }
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
    format!(
        "{}: {} {}, {} {}, {} {} {}{why}",
        path.display(),
        language.text("leg", "局"),
        pinned.leg,
        language.text("round", "回合"),
        pinned.round,
        pinned.replay.entrants[pinned.entrant].name,
        language.text("played", "走了"),
        pinned.played.join(" "),
    )
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
        RegressionVerdict::StillMade => {
            format!("✗ {}: {answers}", language.text("still made", "仍犯"))
        }
        RegressionVerdict::Gone => format!(
            "✓ {}: {answers}",
            language.text("not made any more; it plays", "不再犯；现在走")
        ),
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
            format!(
                "\n    {} {}: {instead} {} {}",
                language.text(
                    "it would not have come here: round",
                    "它本不会走到这里：回合"
                ),
                found.round,
                language.text("instead of", "而非"),
                found.recorded
            )
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
    let failed = language.text("it failed", "未能应答");
    let Some(fault) = &result.fault else {
        return format!("{failed} [{answer}]");
    };
    let words = match fault.last_words.last() {
        Some(words) => format!(
            "\n    {}: {words}",
            language.text("its last words", "最后输出")
        ),
        None => String::new(),
    };
    format!(
        "{failed} [{}]: {}{words}",
        fault.code,
        language.say(&fault.what)
    )
}

fn describe_unknown(result: &RegressionResult, language: Language<'_>) -> String {
    let ended = language.text("the leg ended before", "该局在此之前已结束");
    let why = result
        .void
        .as_deref()
        .map_or_else(|| ended.to_owned(), |why| language.say(why));
    format!(
        "{}: {why}",
        language.text(
            "it could not be asked, which says nothing about it",
            "无法检验（不代表程序好坏）"
        )
    )
}

/// The result of one position, for programs.
pub fn result_json(path: &Path, pinned: &PinnedPosition, result: &RegressionResult) -> Value {
    json!({
        "position": path, "why": pinned.why, "game": pinned.replay.game, "leg": pinned.leg, "round": pinned.round,
        "played": pinned.played, "verdict": result.verdict, "answers": result.answers,
        "fault": result.fault, "divergence": result.divergence,
    })
}
