//! `leitai replay …`

use std::io::IsTerminal;

use anyhow::anyhow;
use leitai_game::AnyGame;
use leitai_game::erased::{AnySink, Checkpoint};
use leitai_game::frames::make_frames;
use leitai_game::leg_frames::{LegFramesRequest, verify_as_json, write_leg_frames};
use leitai_game::replay::{self, Replay, ReplayFormat, ReplayRefusal, ReplayWalker};
use leitai_game::{Entrant, Perspective, Seat};
use leitai_server::http::replay_page::{ShownBy, write_replay_page};

use crate::arguments::{MISUSED, did_you_mean};
use crate::cli::{
    ExportArgs, FramesArgs, ImportArgs, PerspectiveArg, ShowArgs, TraceArgs, VerifyArgs,
};
use crate::cmd::replay_gif::{GifLook, find_steps, write_gif};
use crate::cmd::replay_signature::{PublishedKeys, describe_proof};
use crate::lang;
use crate::prelude::*;
use crate::{files, replay_file, tui};

/// Shows a replay in the terminal, also one in another site's format.
pub fn show_replay(lang: Localizer, args: &ShowArgs) -> Result<ExitCode> {
    let (replay, game) = replay_file::replay_or_import(lang, &args.file)?;
    check_leg(&replay, args.leg)?;
    tui::replay_viewer::run(
        lang,
        &*game,
        &replay,
        args.leg - 1,
        args.round,
        describe_doubt(lang, &*game, &replay),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The first difference of a replay from the rules. If the replay cannot be played to its end, the
/// text names the place.
fn describe_doubt(lang: Localizer, game: &dyn AnyGame, replay: &Replay) -> Option<String> {
    let why = match replay::verify_replay(game, replay) {
        Ok(verified) => replay::locate_difference(lang, &verified.err()?),
        Err(why) => lang.say(&why.to_string()),
    };
    let words = lang.label("this replay does not follow the rules");
    Some(format!("{words}{}{why}", lang.label(": ")))
}

/// Verifies replays; fails if any differs, or is not signed as it has to be.
pub fn verify_replays(lang: Localizer, args: &VerifyArgs) -> Result<ExitCode> {
    let keys = PublishedKeys::load(lang, args)?;
    let (mut sound, mut readable) = (true, true);
    let mut found = Vec::new();
    for file in &args.files {
        let text = files::read(file);
        readable &= text.is_ok();
        let line = match text.and_then(|text| verify_text(lang, file, &text, keys.as_ref())) {
            Ok((words, agrees)) => {
                sound &= agrees;
                found.push(
                    json!({"file": file.display().to_string(), "agrees": agrees, "says": words}),
                );
                format!("{}{}{words}\n", file.display(), lang.label(": "))
            }
            Err(error) => {
                sound = false;
                let words = lang::format_error(lang, &error);
                found.push(
                    json!({"file": file.display().to_string(), "agrees": false, "says": words}),
                );
                format!("{words}\n")
            }
        };
        if !args.json {
            files::print_stdout(&line)?;
        }
    }
    if args.json {
        let answer = json!({"format": "leitai-verify/1", "agrees": sound, "files": found});
        files::print_stdout(&format!("{answer}\n"))?;
    }
    Ok(match (readable, sound) {
        (false, _) => ExitCode::from(MISUSED),
        (true, false) => ExitCode::FAILURE,
        (true, true) => ExitCode::SUCCESS,
    })
}

/// What was found, as a line, and whether the replay agrees and is signed as it has to be; fails on
/// a file that cannot be played at all.
fn verify_text(
    lang: Localizer,
    file: &Path,
    text: &str,
    keys: Option<&PublishedKeys>,
) -> Result<(String, bool)> {
    let (replay, game) = replay_file::parse_replay(text, file)?;
    let found =
        replay::verify_replay(&*game, &replay).with_context(|| file.display().to_string())?;
    let words = replay::describe_verification(lang, &replay, &found);
    if found.is_err() {
        return Ok((words, false));
    }
    let value = serde_json::from_str(text).with_context(|| file.display().to_string())?;
    let (proof, is_proven) = describe_proof(lang, &value, keys);
    Ok((format!("{words}{}{proof}", lang.label("; ")), is_proven))
}

/// Writes a leg in a foreign format or as a GIF, or the match as a page.
pub fn export_replay(lang: Localizer, args: &ExportArgs) -> Result<ExitCode> {
    if args.to == "gif" {
        return export_gif(lang, args);
    }
    if args.rounds.is_some() || args.speed.is_some() || args.size.is_some() {
        return Err(usage_error(
            "--rounds, --speed and --size belong to --to gif; leave them out",
        ));
    }
    if args.to == "html" {
        return export_page(lang, args);
    }
    let (replay, game) = replay_file::read_replay(&args.file)?;
    let formats = game.replay_formats();
    let format = find_format(formats.iter(), &args.to, &["gif", "html"])?;
    let leg = chosen_leg(&replay, args)?;
    let text =
        (format.export)(&replay, leg - 1).with_context(|| args.file.display().to_string())?;
    files::write_or_print(args.output.as_ref(), &text)?;
    Ok(ExitCode::SUCCESS)
}

/// The leg that is asked for, or the only one.
fn chosen_leg(replay: &Replay, args: &ExportArgs) -> Result<usize> {
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
    check_leg(replay, leg)?;
    Ok(leg)
}

/// Writes a leg as a moving picture.
fn export_gif(lang: Localizer, args: &ExportArgs) -> Result<ExitCode> {
    let (replay, game) = replay_file::replay_or_import(lang, &args.file)?;
    let leg = chosen_leg(&replay, args)?;
    let is_stdout = args.output.as_deref().is_none_or(files::is_stdout);
    if is_stdout && std::io::stdout().is_terminal() {
        return Err(usage_error(
            "a GIF is not for a terminal; add --output FILE.gif",
        ));
    }
    let setup = game
        .read_setup(&replay.setup)
        .with_context(|| args.file.display().to_string())?;
    let record = &replay.legs[leg - 1];
    let look = GifLook {
        pixels: args.size.unwrap_or(480),
        steps_a_second: args.speed.unwrap_or(4.0),
    };
    let steps = find_steps(&*setup, record, args.rounds)
        .with_context(|| format!("{}, leg {leg}", args.file.display()))?;
    let bytes = write_gif(&*setup, record, steps, look)?;
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    files::write_bytes(output, &bytes)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the whole match as one HTML file that opens without a server.
fn export_page(lang: Localizer, args: &ExportArgs) -> Result<ExitCode> {
    if args.leg.is_some() {
        return Err(usage_error(
            "--to html holds every leg of the match; leave out --leg",
        ));
    }
    let (replay, game) = replay_file::replay_or_import(lang, &args.file)?;
    let [a, b] = [Entrant::A, Entrant::B].map(|entrant| &replay.entrants[entrant].name);
    let title = format!("{}: {a} – {b}", lang.pick(game.meta().title));
    let page = match leitai_games::find_game(game.meta().id) {
        Some(_) => write_replay_page(&replay.to_text(), &title, ShownBy::Engine)?,
        None => {
            let frames = write_all_frames(&*game, &replay)?;
            write_replay_page(&replay.to_text(), &title, ShownBy::Frames(&frames))?
        }
    };
    files::write_or_print(args.output.as_ref(), &page)?;
    Ok(ExitCode::SUCCESS)
}

/// The frames of every leg from every perspective, for a page without the rules of the game.
fn write_all_frames(game: &dyn AnyGame, replay: &Replay) -> Result<String> {
    let catalogue = leitai_server::messages::catalogue([game]);
    let refused = |why: ReplayRefusal| anyhow!(why.message);
    let verified = verify_as_json(game, replay, &catalogue).map_err(refused)?;
    let mut all = Vec::new();
    for leg in 1..=replay.legs.len() {
        let [first, second] = Seat::BOTH.map(Perspective::Seat);
        for perspective in [Perspective::All, first, second] {
            let request = LegFramesRequest {
                leg,
                perspective,
                summary: Value::Null,
                verified: Some(verified.clone()),
                most: None,
            };
            all.push(write_leg_frames(game, replay, request, &catalogue).map_err(refused)?);
        }
    }
    Ok(format!("[{}]", all.join(",")))
}

/// Reads a foreign replay.
pub fn import_replay(lang: Localizer, args: &ImportArgs) -> Result<ExitCode> {
    let Some(from) = &args.from else {
        return import_any(lang, args);
    };
    let text = files::read(&args.file)?;
    let games = leitai_games::ALL
        .iter()
        .filter(|game| args.game.as_deref().is_none_or(|id| id == game.meta().id));
    let format = find_format(games.flat_map(|game| game.replay_formats()), from, &[])?;
    let replay = (format.import)(&text).with_context(|| args.file.display().to_string());
    let replay = replay.map_err(UsageError::wrap)?;
    files::write_or_print(args.output.as_ref(), &replay.to_text())?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a replay in any known format.
fn import_any(lang: Localizer, args: &ImportArgs) -> Result<ExitCode> {
    let (replay, game) = replay_file::replay_or_import(lang, &args.file)?;
    if let Some(id) = args.game.as_deref().filter(|id| *id != game.meta().id) {
        return Err(usage_error(format!(
            "{} is of {}, not of {id}",
            args.file.display(),
            game.meta().id
        )));
    }
    files::write_or_print(args.output.as_ref(), &replay.to_text())?;
    Ok(ExitCode::SUCCESS)
}

fn find_format<'a>(
    formats: impl Iterator<Item = &'a ReplayFormat>,
    name: &str,
    others: &[&'static str],
) -> Result<&'a ReplayFormat> {
    let formats: Vec<&ReplayFormat> = formats.collect();
    let found = formats.iter().find(|format| format.name == name).copied();
    let own = formats.iter().map(|format| format.name);
    let names: Vec<&str> = own.chain(others.iter().copied()).collect();
    found.ok_or_else(|| {
        let near = did_you_mean(name, names.iter().copied(), "leitai replay export --help");
        usage_error(format!(
            "there is no format {name:?} here; there is: {}; {near}",
            names.join(", ")
        ))
    })
}

/// Prints the canonical state texts.
pub fn print_trace(args: &TraceArgs) -> Result<ExitCode> {
    let (replay, game) = replay_file::read_replay(&args.file)?;
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
pub fn print_frames(args: &FramesArgs) -> Result<ExitCode> {
    let (replay, game) = replay_file::read_replay(&args.file)?;
    check_leg(&replay, args.leg)?;
    let perspective = match args.perspective {
        PerspectiveArg::All => Perspective::All,
        PerspectiveArg::First => Perspective::Seat(Seat::First),
        PerspectiveArg::Second => Perspective::Seat(Seat::Second),
    };
    let setup = game
        .read_setup(&replay.setup)
        .with_context(|| args.file.display().to_string())?;
    let frames = make_frames(&*game, &*setup, &replay.legs[args.leg - 1], perspective)
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

fn check_leg(replay: &Replay, leg: usize) -> Result<()> {
    let legs = replay.legs.len();
    match (1..=legs).contains(&leg) {
        true => Ok(()),
        false => Err(usage_error(format!(
            "there is no leg {leg}; the replay has {legs}"
        ))),
    }
}
