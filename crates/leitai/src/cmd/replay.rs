//! `leitai replay …`

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use leitai_game::AnyGame;
use leitai_game::erased::{AnySink, Checkpoint};
use leitai_game::frames::make_frames;
use leitai_game::replay::{self, Difference, MatchStatus, Replay, ReplayFormat, ReplayWalker};

use leitai_game::{Perspective, Seat};

use crate::arguments::{did_you_mean, usage_error};
use crate::cli::{
    ExportArgs, FramesArgs, ImportArgs, PerspectiveArg, ShowArgs, TraceArgs, VerifyArgs,
};
use crate::lang::{say, say_error, translate};
use crate::{files, tui};

/// Shows a replay in the terminal, also one in another site's format.
pub fn show_replay(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let (replay, game) = files::replay_or_import(crate::lang::localizer(), &args.file)?;
    check_leg(&replay, args.leg)?;
    tui::replay_viewer::run(
        crate::lang::localizer(),
        game,
        &replay,
        args.leg - 1,
        args.round,
        describe_doubt(game, &replay),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Why a replay is not what the rules give, if it is not. One that cannot be played to its end says
/// so where it stops.
fn describe_doubt(game: &dyn AnyGame, replay: &Replay) -> Option<String> {
    let why = match replay::verify_replay(game, replay) {
        Ok(verified) => verified_words(&verified.err()?),
        Err(why) => say(&why.to_string()),
    };
    Some(format!(
        "{}: {why}",
        translate(
            "this replay is not as the rules have it",
            "此回放与规则不符"
        )
    ))
}

/// Verifies replays; fails if any differs.
pub fn verify_replays(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let mut sound = true;
    for file in &args.files {
        let line = match verify_one(file) {
            Ok(Ok(line)) => format!("{}: {line}\n", file.display()),
            Ok(Err(difference)) => {
                sound = false;
                format!(
                    "{}: {}: {}\n",
                    file.display(),
                    translate("DIFFERS", "不一致"),
                    verified_words(&difference)
                )
            }
            Err(error) => {
                sound = false;
                format!("{}\n", say_error(&error))
            }
        };
        files::print_stdout(&line)?;
    }
    Ok(if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What was compared, or the first difference; fails on a file that cannot be played at all.
fn verify_one(file: &Path) -> anyhow::Result<Result<String, Difference>> {
    let (replay, game) = files::read_replay(file)?;
    let verified =
        replay::verify_replay(game, &replay).with_context(|| file.display().to_string())?;
    let end = match &replay.verdict {
        Some(verdict) => format!(
            "{} ({})",
            translate("outcomes and verdict", "结果与胜负"),
            verdict.reason
        ),
        None if replay.status == MatchStatus::Void => translate(
            "no verdict: the machine was too busy to judge it",
            "无胜负：机器过忙，无法裁判",
        )
        .to_owned(),
        None => translate(
            "no verdict: the match was interrupted",
            "无胜负：比赛被中断",
        )
        .to_owned(),
    };
    Ok(verified.map(|done| match translate("en", "zh") {
        "zh" => format!(
            "一致：{} 局，{} 个回答，{} 个状态哈希，{end}",
            done.legs, done.steps, done.hashes
        ),
        _ => {
            format!(
                "agrees: {} legs, {} replies, {} state hashes, {end}",
                done.legs, done.steps, done.hashes
            )
        }
    }))
}

/// Where a replay differs, and in what.
fn verified_words(difference: &Difference) -> String {
    let Difference {
        leg,
        round,
        step,
        what,
    } = difference;
    if translate("en", "zh") == "en" {
        return difference.to_string();
    }
    let places = [
        leg.map(|leg| format!("第 {leg} 局")),
        round.map(|round| format!("第 {round} 回合")),
        step.map(|step| format!("第 {step} 步")),
    ];
    let places: Vec<String> = places.into_iter().flatten().collect();
    let place = if places.is_empty() {
        String::new()
    } else {
        format!("{}：", places.join("，"))
    };
    format!("{place}{}", say(what))
}

/// Writes a leg in a foreign format.
pub fn export_replay(args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let (replay, game) = files::read_replay(&args.file)?;
    let formats = game.replay_formats();
    let format = find_format(formats.iter(), &args.to)?;
    let leg = match (args.leg, replay.legs.len()) {
        (Some(leg), _) => leg,
        (None, 1) => 1,
        (None, legs) => {
            let to = &args.to;
            return Err(usage_error(format!(
                "the replay has {legs} legs, the format {to} holds one; add --leg N"
            )));
        }
    };
    check_leg(&replay, leg)?;
    let text =
        (format.export)(&replay, leg - 1).with_context(|| args.file.display().to_string())?;
    files::write_or_print(args.output.as_ref(), &text)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a foreign replay.
pub fn import_replay(args: &ImportArgs) -> anyhow::Result<ExitCode> {
    let Some(from) = &args.from else {
        return import_any(args);
    };
    let text = files::read(&args.file)?;
    let games = leitai_games::ALL
        .iter()
        .filter(|game| args.game.as_deref().is_none_or(|id| id == game.meta().id));
    let format = find_format(games.flat_map(|game| game.replay_formats()), from)?;
    let replay = (format.import)(&text).with_context(|| args.file.display().to_string())?;
    files::write_or_print(args.output.as_ref(), &replay.to_text())?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a replay of whatever format fits.
fn import_any(args: &ImportArgs) -> anyhow::Result<ExitCode> {
    let (replay, game) = files::replay_or_import(crate::lang::localizer(), &args.file)?;
    if let Some(id) = args.game.as_deref().filter(|id| *id != game.meta().id) {
        bail!(
            "{} is of {}, not of {id}",
            args.file.display(),
            game.meta().id
        );
    }
    files::write_or_print(args.output.as_ref(), &replay.to_text())?;
    Ok(ExitCode::SUCCESS)
}

fn find_format<'a>(
    formats: impl Iterator<Item = &'a ReplayFormat>,
    name: &str,
) -> anyhow::Result<&'a ReplayFormat> {
    let formats: Vec<&ReplayFormat> = formats.collect();
    let found = formats.iter().find(|format| format.name == name).copied();
    let names: Vec<&str> = formats.iter().map(|format| format.name).collect();
    found.ok_or_else(|| {
        let near = did_you_mean(name, names.iter().copied(), "leitai replay export --help");
        usage_error(format!(
            "there is no format {name:?} here; there is: {}; {near}",
            names.join(", ")
        ))
    })
}

/// Prints the canonical state texts.
pub fn print_trace(args: &TraceArgs) -> anyhow::Result<ExitCode> {
    let (replay, game) = files::read_replay(&args.file)?;
    if let Some(leg) = args.leg {
        check_leg(&replay, leg)?;
    }
    let setup = game
        .read_setup(&replay.setup)
        .with_context(|| args.file.display().to_string())?;
    let wanted = |leg: usize| args.leg.is_none_or(|asked| asked == leg + 1);
    for (index, record) in replay
        .legs
        .iter()
        .enumerate()
        .filter(|(index, _)| wanted(*index))
    {
        let mut texts = CheckpointTexts(String::new());
        if replay.legs.len() > 1 && args.leg.is_none() {
            texts.0 = format!("# leg {} of {}\n", index + 1, replay.legs.len());
        }
        let mut walk = ReplayWalker::new(&*setup, record);
        while walk
            .next(&mut texts)
            .with_context(|| format!("leg {}", index + 1))?
            .is_some()
        {}
        files::print_stdout(&texts.0)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the frames of a leg.
pub fn print_frames(args: &FramesArgs) -> anyhow::Result<ExitCode> {
    let (replay, game) = files::read_replay(&args.file)?;
    check_leg(&replay, args.leg)?;
    let eye = match args.eye {
        PerspectiveArg::All => Perspective::All,
        PerspectiveArg::First => Perspective::Seat(Seat::First),
        PerspectiveArg::Second => Perspective::Seat(Seat::Second),
    };
    let setup = game
        .read_setup(&replay.setup)
        .with_context(|| args.file.display().to_string())?;
    let frames = make_frames(game, &*setup, &replay.legs[args.leg - 1], eye)
        .with_context(|| format!("{}, leg {}", args.file.display(), args.leg))?;
    for frame in frames {
        let line = serde_json::to_string(&frame).expect("a frame is plain data");
        files::print_stdout(&format!("{line}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

struct CheckpointTexts(String);

impl AnySink for CheckpointTexts {
    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        self.0.push_str(&at.state_text());
        if !self.0.ends_with('\n') {
            self.0.push('\n');
        }
    }
}

fn check_leg(replay: &Replay, leg: usize) -> anyhow::Result<()> {
    let legs = replay.legs.len();
    match (1..=legs).contains(&leg) {
        true => Ok(()),
        false => Err(usage_error(format!(
            "the replay has {legs} legs; there is no leg {leg}"
        ))),
    }
}
