//! `leitai regress add | run | list`

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use leitai_judge::forced_replies::DivergentReply;
use serde_json::{Value, json};

use crate::batch::INTERRUPTED;
use crate::batch::Roster;
use crate::batch::hall::EntrantRequest;
use crate::cli::{RegressAddArgs, RegressListArgs, RegressRunArgs};
use crate::lang::{say, translate};
use crate::pin::position::in_folder;
use crate::pin::{PinnedPosition, RegressionResult, RegressionVerdict, run_position};
use crate::{files, stop};

/// Exit status when a pinned mistake is still made.
const STILL_MADE: u8 = 3;
/// Exit status when the bot could not be built, crashed, did not answer or broke a rule.
const FAILED: u8 = 4;

/// Pins a position.
pub fn add_position(args: &RegressAddArgs) -> anyhow::Result<ExitCode> {
    let (replay, game) = files::read_replay(&args.replay)?;
    let why = args.why.as_deref().unwrap_or_default();
    let pin = PinnedPosition::new(
        game,
        &replay,
        args.leg,
        args.round,
        args.entrant.as_deref(),
        why,
    )
    .with_context(|| args.replay.display().to_string())?;
    // A position that cannot be come to cannot be asked about.
    leitai_judge::ResumePoint::new(game, &pin.replay, pin.replay_point())
        .with_context(|| args.replay.display().to_string())?;
    let path = pin.write_file(&args.folder)?;
    let name = &pin.replay.entrants[pin.entrant].name;
    let folder = match args.folder.to_str() {
        Some("regress") => String::new(),
        _ => format!(" --folder {}", args.folder.display()),
    };
    files::print_stdout(&format!(
        "{} {}: {name} {} {}\n{}: leitai regress run BOT{folder}\n",
        translate("pinned", "已标记"),
        path.display(),
        translate("played", "走了"),
        pin.played.join(" "),
        translate("ask a bot", "检验程序"),
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Lists what is pinned.
pub fn list_positions(args: &RegressListArgs) -> anyhow::Result<ExitCode> {
    for (path, pin) in in_folder(&args.folder)? {
        files::print_stdout(&format!("{}\n", describe_position(&path, &pin)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks a bot in every pinned position; fails while it still makes one of the mistakes, or cannot
/// answer.
pub fn run(args: &RegressRunArgs) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let pins = in_folder(&args.folder)?;
    ensure!(
        !pins.is_empty(),
        "{} {}",
        args.folder.display(),
        translate(
            "has no pinned positions; pin one: leitai regress add REPLAY --round N \"why\"",
            "中没有标记的局面；先用 leitai regress add REPLAY --round N \"原因\" 标记"
        )
    );
    let halls = open_halls(args, &pins)?;
    if let Some(why) = halls.values().find_map(Roster::first_broken) {
        return not_built(args, &why);
    }
    let (mut results, mut count) = (Vec::new(), RegressionCount::default());
    for (path, pin) in &pins {
        let hall = &halls[pin.replay.game.as_str()];
        let rehearsed = run_position(hall.match_template(), hall.players[0].clone(), pin, stop)
            .with_context(|| path.display().to_string())?;
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        count.add_verdict(rehearsed.verdict);
        if !args.json {
            files::print_stdout(&format_line(path, pin, &rehearsed))?;
        }
        results.push(result_json(path, pin, &rehearsed));
    }
    files::print_stdout(&match args.json {
        true => format!("{}\n", count.counts_json(&args.bot, results)),
        false => count.format_counts(pins.len()),
    })?;
    Ok(count.exit_code())
}

/// The bot, ready to play every game that something is pinned of.
fn open_halls<'a>(
    args: &RegressRunArgs,
    pins: &'a [(PathBuf, PinnedPosition)],
) -> anyhow::Result<BTreeMap<&'a str, Roster>> {
    let games: BTreeSet<&str> = pins
        .iter()
        .map(|(_, pin)| pin.replay.game.as_str())
        .collect();
    let open = |game: &'a str| {
        Ok((
            game,
            Roster::build_entrants(game, &[EntrantRequest::from_word(&args.bot)], &args.table)?,
        ))
    };
    games.into_iter().map(open).collect()
}

/// A bot that was never asked has not passed.
fn not_built(args: &RegressRunArgs, why: &str) -> anyhow::Result<ExitCode> {
    if args.json {
        files::print_stdout(&format!(
            "{}\n",
            json!({"bot": args.bot, "error": why, "pins": []})
        ))?;
    }
    files::print_stderr(&format!(
        "{why}; {}",
        translate("no position was asked about", "未检验任何局面")
    ));
    Ok(ExitCode::from(FAILED))
}

/// How many positions ended in which way.
#[derive(Default)]
struct RegressionCount {
    still: usize,
    failed: usize,
    unknown: usize,
}

impl RegressionCount {
    fn add_verdict(&mut self, verdict: RegressionVerdict) {
        match verdict {
            RegressionVerdict::StillMade => self.still += 1,
            RegressionVerdict::Failed => self.failed += 1,
            RegressionVerdict::Unknown => self.unknown += 1,
            RegressionVerdict::Gone => {}
        }
    }

    /// A bot that fails is no better than one that repeats its mistakes, and worse than what one
    /// asks about.
    fn exit_code(&self) -> ExitCode {
        match self {
            RegressionCount { failed: 1.., .. } => ExitCode::from(FAILED),
            RegressionCount { still: 1.., .. } => ExitCode::from(STILL_MADE),
            RegressionCount { unknown: 1.., .. } => ExitCode::FAILURE,
            _ => ExitCode::SUCCESS,
        }
    }

    fn format_counts(&self, pinned: usize) -> String {
        let RegressionCount {
            still,
            failed,
            unknown,
        } = self;
        let more = |count: &usize, en: &'static str, zh: &'static str| match (
            count,
            translate("en", "zh"),
        ) {
            (0, _) => String::new(),
            (count, "zh") => format!("，{zh} {count} 个"),
            (count, _) => format!(", {count} {en}"),
        };
        let failed = more(failed, "failed", "未能应答");
        let unknown = more(unknown, "could not be asked", "无法检验");
        match translate("en", "zh") {
            "zh" => format!("共 {pinned} 个标记局面，仍犯 {still} 个{failed}{unknown}\n"),
            _ => format!("{pinned} pinned, {still} still made{failed}{unknown}\n"),
        }
    }

    fn counts_json(&self, bot: &str, pins: Vec<Value>) -> Value {
        let RegressionCount {
            still,
            failed,
            unknown,
        } = self;
        json!({"bot": bot, "pins": pins, "still_made": still, "failed": failed, "unknown": unknown})
    }
}

/// `regress/kob-1-1-4-B.json: leg 1, round 4, space played 3   "walked into a dead end"`
fn describe_position(path: &Path, pin: &PinnedPosition) -> String {
    let why = if pin.why.is_empty() {
        String::new()
    } else {
        format!("   \"{}\"", pin.why)
    };
    format!(
        "{}: {} {}, {} {}, {} {} {}{why}",
        path.display(),
        translate("leg", "局"),
        pin.leg,
        translate("round", "回合"),
        pin.round,
        pin.replay.entrants[pin.entrant].name,
        translate("played", "走了"),
        pin.played.join(" "),
    )
}

fn format_line(path: &Path, pin: &PinnedPosition, rehearsed: &RegressionResult) -> String {
    let answers = rehearsed.answers.join(" ");
    let verdict = match rehearsed.verdict {
        RegressionVerdict::StillMade => format!("✗ {}: {answers}", translate("still made", "仍犯")),
        RegressionVerdict::Gone => format!(
            "✓ {}: {answers}",
            translate("not made any more; it plays", "不再犯；现在走")
        ),
        RegressionVerdict::Failed => format!("✗ {}", describe_failure(rehearsed)),
        RegressionVerdict::Unknown => format!("? {}", describe_unknown(rehearsed)),
    };
    let divergence = rehearsed
        .divergence
        .as_ref()
        .map_or_else(String::new, |found| {
            let instead = match &found.instead {
                DivergentReply::Action(action) => action.clone(),
                DivergentReply::Fault { code, what } => format!("[{code}] {what}"),
            };
            format!(
                "\n    {} {}: {instead} {} {}",
                translate(
                    "it would not have come here: round",
                    "它本不会走到这里：回合"
                ),
                found.round,
                translate("instead of", "而非"),
                found.recorded
            )
        });
    format!(
        "{}\n  {verdict}{divergence}\n",
        describe_position(path, pin)
    )
}

/// `it crashed [RE]: ended with exit code 3; its last words: …`
fn describe_failure(rehearsed: &RegressionResult) -> String {
    let answer = rehearsed
        .answers
        .last()
        .map(|answer| answer.trim_start_matches('!'))
        .unwrap_or_default();
    let failed = translate("it failed", "未能应答");
    let Some(fault) = &rehearsed.fault else {
        return format!("{failed} [{answer}]");
    };
    let words = match fault.last_words.last() {
        Some(words) => format!("\n    {}: {words}", translate("its last words", "最后输出")),
        None => String::new(),
    };
    format!("{failed} [{}]: {}{words}", fault.code, say(&fault.what))
}

fn describe_unknown(rehearsed: &RegressionResult) -> String {
    let ended = translate("the leg ended before", "该局在此之前已结束");
    let why = rehearsed.void.as_deref().map_or(ended.to_owned(), say);
    format!(
        "{}: {why}",
        translate(
            "it could not be asked, which says nothing about it",
            "无法检验（不代表程序好坏）"
        )
    )
}

fn result_json(path: &Path, pin: &PinnedPosition, rehearsed: &RegressionResult) -> Value {
    json!({
        "pin": path, "why": pin.why, "game": pin.replay.game, "leg": pin.leg, "round": pin.round,
        "played": pin.played, "verdict": rehearsed.verdict, "answers": rehearsed.answers,
        "fault": rehearsed.fault, "divergence": rehearsed.divergence,
    })
}
