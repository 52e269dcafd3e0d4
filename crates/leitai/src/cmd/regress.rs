//! `leitai regress add | run | list`

use std::collections::{BTreeMap, BTreeSet};

use leitai_series::regression::pack::read_positions;
use leitai_series::regression::report::{
    broken_json, describe_position, describe_result, result_json,
};
use leitai_series::regression::{
    AskedBot, PinnedPosition, RegressionCount, RegressionVerdict, run_position,
};
use leitai_series::{EntrantRequest, Roster};

use crate::cli::{RegressAddArgs, RegressListArgs, RegressRunArgs};
use crate::lang::format_error;
use crate::plan::MatchPlan;
use crate::prelude::*;
use crate::series::INTERRUPTED;
use crate::{arguments, files, replay_file, stop};

/// The exit status if a pinned mistake is still made.
const STILL_MADE: u8 = 3;
/// The exit status if the bot could not be built, crashed, did not answer or broke a rule.
const FAILED: u8 = 4;

/// Pins a position.
pub fn add_position(lang: Localizer, args: &RegressAddArgs) -> Result<ExitCode> {
    let (replay, game) = replay_file::read_replay(&args.replay)?;
    let why = args.why.as_deref().unwrap_or_default();
    let file = || args.replay.display().to_string();
    let (leg, round, entrant) = (args.leg, args.round, args.entrant.as_deref());
    let pin = PinnedPosition::new(&*game, &replay, leg, round, entrant, why).with_context(file);
    let pin = pin.map_err(UsageError::wrap)?;
    // A position that cannot be reached cannot be tested.
    leitai_judge::ResumePoint::new(&*game, &pin.replay, pin.replay_point())
        .with_context(file)
        .map_err(UsageError::wrap)?;
    let answer = |path: &std::path::Path, before: bool, text: String| {
        let fields = json!({
            "position": path.display().to_string(), "pinned_before": before,
            "entrant": pin.replay.entrants[pin.entrant].name, "played": pin.played,
        });
        Answer::new("regress-add", fields, text).print(args.form.json)
    };
    if let Some(path) = pin.find_same(&args.folder)? {
        let words = lang.label("is pinned already");
        let text = format!("{words}{}{}", lang.label(": "), path.display());
        return answer(&path, true, text);
    }
    let path = pin.write_file(&args.folder)?;
    let name = &pin.replay.entrants[pin.entrant].name;
    let folder = match args.folder.to_str() {
        Some("regress") => String::new(),
        _ => format!(" --folder {}", args.folder.display()),
    };
    let colon = lang.label(": ");
    let text = format!(
        "{} {}{colon}{name} {} {}\n{}{colon}leitai regress run BOT{folder}",
        lang.label("pinned"),
        path.display(),
        lang.label("played"),
        pin.played.join(" "),
        lang.label("test a bot"),
    );
    answer(&path, false, text)
}

/// Lists the pinned positions.
pub fn list_positions(lang: Localizer, args: &RegressListArgs) -> Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let mut positions = Vec::new();
    for (path, pin) in read_positions(&args.folder)? {
        match pin {
            Ok(pin) if args.json => positions.push(json!({
                "position": path.display().to_string(), "why": pin.why, "game": pin.replay.game, "leg": pin.leg,
                "round": pin.round, "entrant": pin.replay.entrants[pin.entrant].name,
                "played": pin.played,
            })),
            Ok(pin) => {
                files::print_stdout(&format!("{}\n", describe_position(&path, &pin, lang)))?;
            }
            Err(why) => {
                positions.push(json!({"position": path.display().to_string(), "error": print_broken(lang, &why)}));
                code = ExitCode::FAILURE;
            }
        }
    }
    if args.json {
        let answer = json!({"format": "leitai-pins/1", "positions": positions});
        files::print_stdout(&format!("{answer}\n"))?;
    }
    Ok(code)
}

/// Prints why a file is no position that could be asked, and returns it.
fn print_broken(lang: Localizer, why: &anyhow::Error) -> String {
    let why = format_error(lang, why);
    files::print_stderr(&format!("leitai: {why}"));
    why
}

/// Asks a bot in every pinned position; fails if it repeats a mistake or cannot answer.
pub fn run(lang: Localizer, args: &RegressRunArgs) -> Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let found = read_positions(&args.folder)?;
    if found.is_empty() {
        let how = lang
            .label("has no pinned positions; pin one: leitai regress add REPLAY --round N \"why\"");
        return Err(usage_error(format!("{} {how}", args.folder.display())));
    }
    let (mut results, mut count) = (Vec::new(), RegressionCount::default());
    let mut pins = Vec::new();
    for (path, pin) in found {
        match pin {
            Ok(pin) => pins.push((path, pin)),
            Err(why) => {
                count.add_verdict(RegressionVerdict::Unknown);
                results.push(broken_json(&path, &print_broken(lang, &why)));
            }
        }
    }
    let all = pins.len() + results.len();
    let rosters = build_rosters(lang, args, &pins)?;
    if let Some(broken) = rosters.values().find_map(Roster::first_broken) {
        return not_built(
            lang,
            args,
            &format!("{} {}", broken.name, lang.say(&broken.why)),
        );
    }
    for (path, pin) in &pins {
        let roster = &rosters[pin.replay.game.as_str()];
        let result = run_position(&AskedBot::of_roster(roster), pin, stop);
        let result = match result.with_context(|| path.display().to_string()) {
            Ok(result) => result,
            Err(why) => {
                count.add_verdict(RegressionVerdict::Unknown);
                results.push(broken_json(path, &print_broken(lang, &why)));
                continue;
            }
        };
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        count.add_verdict(result.verdict);
        if !args.json {
            files::print_stdout(&describe_result(path, pin, &result, lang))?;
        }
        results.push(result_json(path, pin, &result));
    }
    files::print_stdout(&match args.json {
        true => format!("{}\n", count.to_json(&args.bot, results)),
        false => count.to_line(all, lang),
    })?;
    Ok(exit_code(&count))
}

/// The bot, ready to play every game with pinned positions.
fn build_rosters<'a>(
    lang: Localizer,
    args: &RegressRunArgs,
    pins: &'a [(PathBuf, PinnedPosition)],
) -> Result<BTreeMap<&'a str, Roster>> {
    let games: BTreeSet<&str> = pins
        .iter()
        .map(|(_, pin)| pin.replay.game.as_str())
        .collect();
    let open = |game: &'a str| {
        let plan = MatchPlan::new(&arguments::find_game(game)?, &args.options)?;
        let bot = EntrantRequest::parse(&*plan.game, &args.bot)?;
        Ok((game, plan.build_roster(lang, &[bot])?))
    };
    games.into_iter().map(open).collect()
}

/// A bot that could not be asked has not passed.
fn not_built(lang: Localizer, args: &RegressRunArgs, why: &str) -> Result<ExitCode> {
    if args.json {
        files::print_stdout(&format!(
            "{}\n",
            json!({"bot": args.bot, "error": why, "positions": []})
        ))?;
    }
    files::print_stderr(&format!("{why}; {}", lang.label("no position was tested")));
    Ok(ExitCode::from(FAILED))
}

/// A failing bot is no better than one that repeats its mistakes, and worse than one with the
/// mistakes in question.
fn exit_code(count: &RegressionCount) -> ExitCode {
    match count {
        RegressionCount { failed: 1.., .. } => ExitCode::from(FAILED),
        RegressionCount { still: 1.., .. } => ExitCode::from(STILL_MADE),
        RegressionCount { unknown: 1.., .. } => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}
