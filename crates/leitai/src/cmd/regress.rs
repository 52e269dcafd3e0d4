//! `leitai regress add | run | list`

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use leitai_judge::script::Instead;
use serde_json::{Value, json};

use crate::batch::Hall;
use crate::batch::INTERRUPTED;
use crate::batch::hall::Asked;
use crate::cli::{RegressAddArgs, RegressListArgs, RegressRunArgs};
use crate::lang::t;
use crate::pin::position::in_folder;
use crate::pin::{Pin, Rehearsed, Verdict, rehearse};
use crate::{files, stop};

/// Exit status when a pinned mistake is still made.
const STILL_MADE: u8 = 3;

/// Pins a position.
pub fn add(args: &RegressAddArgs) -> anyhow::Result<ExitCode> {
    let (replay, game) = files::replay(&args.replay)?;
    let why = args.why.as_deref().unwrap_or_default();
    let pin = Pin::new(game, &replay, args.leg, args.round, args.entrant.as_deref(), why)
        .with_context(|| args.replay.display().to_string())?;
    // A position that cannot be come to cannot be asked about.
    leitai_judge::Resume::new(game, &pin.replay, pin.moment())
        .with_context(|| args.replay.display().to_string())?;
    let path = pin.keep(&args.folder)?;
    let name = &pin.replay.entrants[pin.entrant].name;
    let folder = match args.folder.to_str() {
        Some("regress") => String::new(),
        _ => format!(" --folder {}", args.folder.display()),
    };
    files::print(&format!(
        "{} {}: {name} {} {}\n{}: leitai regress run BOT{folder}\n",
        t("pinned", "已标记"),
        path.display(),
        t("played", "走了"),
        pin.played.join(" "),
        t("ask a bot", "检验程序"),
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Lists what is pinned.
pub fn list(args: &RegressListArgs) -> anyhow::Result<ExitCode> {
    for (path, pin) in in_folder(&args.folder)? {
        files::print(&format!("{}\n", about(&path, &pin)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks a bot in every pinned position; fails while it still makes one of the mistakes.
pub fn run(args: &RegressRunArgs) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let pins = in_folder(&args.folder)?;
    ensure!(
        !pins.is_empty(),
        "{} {}",
        args.folder.display(),
        t(
            "has no pinned positions; pin one: leitai regress add REPLAY --round N \"why\"",
            "中没有标记的局面；先用 leitai regress add REPLAY --round N \"原因\" 标记"
        )
    );
    let mut halls: BTreeMap<String, Hall> = BTreeMap::new();
    let (mut results, mut still) = (Vec::new(), 0);
    for (path, pin) in &pins {
        let game = pin.replay.game.as_str();
        if !halls.contains_key(game) {
            halls.insert(game.to_owned(), Hall::open(game, &[Asked::word(&args.bot)], &args.table)?);
        }
        let hall = &halls[game];
        let rehearsed = rehearse(hall.table(), hall.players[0].clone(), pin, stop)
            .with_context(|| path.display().to_string())?;
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        still += usize::from(rehearsed.verdict == Verdict::StillMade);
        if !args.json {
            files::print(&line(path, pin, &rehearsed))?;
        }
        results.push(result(path, pin, &rehearsed));
    }
    let summary = match args.json {
        true => format!("{}\n", json!({"bot": args.bot, "pins": results, "still_made": still})),
        false => match t("en", "zh") {
            "zh" => format!("共 {} 个标记局面，仍犯 {still} 个\n", pins.len()),
            _ => format!("{} pinned, {still} still made\n", pins.len()),
        },
    };
    files::print(&summary)?;
    Ok(if still == 0 { ExitCode::SUCCESS } else { ExitCode::from(STILL_MADE) })
}

/// `regress/kob-1-1-4-B.json: leg 1, round 4, space played 3   "walked into a dead end"`
fn about(path: &Path, pin: &Pin) -> String {
    let why = if pin.why.is_empty() { String::new() } else { format!("   \"{}\"", pin.why) };
    format!(
        "{}: {} {}, {} {}, {} {} {}{why}",
        path.display(),
        t("leg", "局"),
        pin.leg,
        t("round", "回合"),
        pin.round,
        pin.replay.entrants[pin.entrant].name,
        t("played", "走了"),
        pin.played.join(" "),
    )
}

fn line(path: &Path, pin: &Pin, rehearsed: &Rehearsed) -> String {
    let answers = rehearsed.answers.join(" ");
    let verdict = match rehearsed.verdict {
        Verdict::StillMade => format!("✗ {}: {answers}", t("still made", "仍犯")),
        Verdict::Gone => format!("✓ {}: {answers}", t("not made any more; it plays", "不再犯；现在走")),
        Verdict::Unknown => format!("? {}", t("it did not answer", "没有应答")),
    };
    let divergence = rehearsed.divergence.as_ref().map_or_else(String::new, |found| {
        let instead = match &found.instead {
            Instead::Action(action) => action.clone(),
            Instead::Fault { code, what } => format!("[{code}] {what}"),
        };
        format!(
            "\n    {} {}: {instead} {} {}",
            t("it would not have come here: round", "它本不会走到这里：回合"),
            found.round,
            t("instead of", "而非"),
            found.recorded
        )
    });
    format!("{}\n  {verdict}{divergence}\n", about(path, pin))
}

fn result(path: &Path, pin: &Pin, rehearsed: &Rehearsed) -> Value {
    json!({
        "pin": path, "why": pin.why, "game": pin.replay.game, "leg": pin.leg, "round": pin.round,
        "played": pin.played, "verdict": rehearsed.verdict, "answers": rehearsed.answers,
        "divergence": rehearsed.divergence,
    })
}
