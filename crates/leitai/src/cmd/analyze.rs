//! `leitai analyze`: why was a match lost, and how are matches lost typically?

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use indicatif::ProgressBar;
use leitai_analysis::digest::{grade_word, list_decisions, write_digest};
use leitai_analysis::typical::{LossExample, entrants_named, find_common_entrant, write_typical};
use leitai_analysis::{AnalysisError, AnalysisOptions, ManyMatches, MatchAnalysis, analyze_replay};
use leitai_game::replay::EntrantKind;
use leitai_game::{AnyGame, Entrant, GameHandle, Replay};

use crate::cli::AnalyzeArgs;
use crate::lang;
use crate::prelude::*;
use crate::rerun_command::quote_word;
use crate::series::{INTERRUPTED, progress_bar};
use crate::wording::with_note;
use crate::{files, replay_file, stop};

/// Analyses replays.
pub fn run(lang: Localizer, args: &AnalyzeArgs) -> Result<ExitCode> {
    if args.budget == Some(0) {
        return Err(usage_error(
            "--budget 0: at least 1 node a decision is needed; leave it out for the game's own \
            number",
        ));
    }
    let stop = stop::on_interrupt()?;
    match &args.replays[..] {
        [file] if !file.is_dir() => analyze_one(lang, args, file, stop),
        paths => analyze_many(lang, args, &list_files(paths)?, stop),
    }
}

fn analyze_one(
    lang: Localizer,
    args: &AnalyzeArgs,
    file: &Path,
    stop: &AtomicBool,
) -> Result<ExitCode> {
    let (replay, game) = replay_file::replay_or_import(lang, file)?;
    let entrant = args
        .entrant
        .as_deref()
        .map(|asked| find_entrant(&replay, asked))
        .transpose()?;
    let bar = progress_bar(args.json);
    let found = analyze(args.budget, args.leg, &*game, &replay, entrant, &bar, stop);
    bar.finish_and_clear();
    let analysis = match found {
        Err(AnalysisError::Stopped) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(why @ AnalysisError::NoLeg { .. }) => return Err(usage_error(why.to_string())),
        found => found.with_context(|| file.display().to_string())?,
    };
    let text = if args.json {
        let json = serde_json::to_string(&analysis).expect("an analysis is plain data");
        format!("{json}\n")
    } else if args.decisions {
        list_decisions(&analysis, lang)
    } else {
        let is_own = replay_file::read_replay(file).is_ok();
        let pin = worst_loss(&analysis, &replay).filter(|_| is_own);
        let pin = pin.map(|(leg, round, entrant)| {
            let command = pin_command(file, leg, round, entrant, "");
            format!("{}{command}\n", lang.label("pin it: "))
        });
        write_digest(&analysis, lang) + &pin.unwrap_or_default()
    };
    files::print_stdout(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Leg, round and entrant of the decision that stands for the first lost leg; of a built-in bot only where
/// both are, since nobody asks a pinned position of one.
fn worst_loss(analysis: &MatchAnalysis, replay: &Replay) -> Option<(usize, u32, Entrant)> {
    let is_built_in = |one: Entrant| replay.entrants[one].kind == EntrantKind::BuiltIn;
    let are_both = Entrant::BOTH.into_iter().all(is_built_in);
    let legs = analysis.legs.iter();
    let mut lost = legs.flat_map(|leg| {
        let sides = Entrant::BOTH.into_iter().filter_map(|one| leg.side_of(one));
        sides.filter_map(move |side| {
            let decision = &leg.decisions[side.lost?.decision?];
            Some((leg.leg, decision.round, side.entrant))
        })
    });
    lost.find(|&(_, _, one)| are_both || !is_built_in(one))
}

/// A replay of several, with its game.
struct ReadReplay<'a> {
    path: &'a Path,
    replay: Replay,
    game: GameHandle,
}

fn analyze_many(
    lang: Localizer,
    args: &AnalyzeArgs,
    paths: &[PathBuf],
    stop: &AtomicBool,
) -> Result<ExitCode> {
    let (mut replays, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        match replay_file::read_replay(path) {
            Ok((replay, game)) => replays.push(ReadReplay { path, replay, game }),
            Err(error) => failed.push((path, lang::format_error(lang, &error))),
        }
    }
    for (_, why) in &failed {
        files::print_stderr(&format!("leitai: {why}"));
    }
    if replays.is_empty() {
        return Err(usage_error(format!(
            "none of the {} files could be read as a replay",
            paths.len()
        )));
    }
    let names: Vec<[&str; 2]> = replays.iter().map(|one| names_of(&one.replay)).collect();
    let name = find_common_entrant(&names, args.entrant.as_deref())
        .map_err(|why| usage_error(why.to_string()))?;
    let mut many = ManyMatches::new(&name);
    for (path, why) in failed {
        many.add_failure(&path.display().to_string(), why);
    }
    let bar = progress_bar(args.json);
    let mut ended = ControlFlow::Continue(());
    for one in &replays {
        ended = add_replay(lang, args, one, &mut many, &bar, stop);
        if ended.is_break() {
            break;
        }
    }
    bar.finish_and_clear();
    print_many(lang, args, &many)?;
    Ok(match (ended.is_break(), many.failed.is_empty()) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}

/// Analyses one of several matches. Breaks if it was interrupted.
fn add_replay(
    lang: Localizer,
    args: &AnalyzeArgs,
    one: &ReadReplay<'_>,
    many: &mut ManyMatches,
    bar: &ProgressBar,
    stop: &AtomicBool,
) -> ControlFlow<()> {
    let entrants = entrants_named(names_of(&one.replay), &many.entrant);
    let only = match entrants[..] {
        [] => return ControlFlow::Continue(()),
        [only] => Some(only),
        _ => None,
    };
    let shown = one.path.display().to_string();
    bar.set_message(shown.clone());
    match analyze(
        args.budget,
        args.leg,
        &*one.game,
        &one.replay,
        only,
        bar,
        stop,
    ) {
        Ok(analysis) => {
            let pin = |example: &LossExample| pin_example(lang, one.path, example);
            for entrant in entrants {
                many.add_match(&shown, &analysis, entrant, pin);
            }
        }
        Err(AnalysisError::Stopped) => return ControlFlow::Break(()),
        Err(why) => {
            let why = lang::format_error(lang, &anyhow!(why).context(shown.clone()));
            files::print_stderr(&format!("leitai: {why}"));
            many.add_failure(&shown, why);
        }
    }
    ControlFlow::Continue(())
}

fn print_many(lang: Localizer, args: &AnalyzeArgs, many: &ManyMatches) -> Result<()> {
    if args.json {
        let json = serde_json::to_string(many).expect("an analysis is plain data");
        return files::print_stdout(&format!("{json}\n"));
    }
    files::print_stdout(&write_typical(many, lang))?;
    if !many.failed.is_empty() {
        files::print_stderr(&lang.fill(
            "{} of the files could not be analysed",
            &[&many.failed.len()],
        ));
    }
    Ok(())
}

/// Analyses a replay under a bar.
pub fn analyze(
    budget: Option<u64>,
    leg: Option<usize>,
    game: &dyn AnyGame,
    replay: &Replay,
    entrant: Option<Entrant>,
    bar: &ProgressBar,
    stop: &AtomicBool,
) -> Result<MatchAnalysis, AnalysisError> {
    let options = AnalysisOptions {
        budget,
        leg,
        entrant,
    };
    analyze_replay(game, replay, options, &mut |progress| {
        bar.set_length(progress.all as u64);
        bar.set_position(progress.done as u64);
        match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })
}

pub fn names_of(replay: &Replay) -> [&str; 2] {
    Entrant::BOTH.map(|entrant| replay.entrants[entrant].name.as_str())
}

fn find_entrant(replay: &Replay, asked: &str) -> Result<Entrant> {
    let names = names_of(replay);
    let found = entrants_named(names, asked).first().copied();
    found.ok_or_else(|| {
        usage_error(format!(
            "{asked:?} did not play; it is A ({}) or B ({})",
            names[0], names[1]
        ))
    })
}

/// The replays: the files themselves, and the `.json` files of folders, by name; each file once.
pub fn list_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = list_named_files(paths)?;
    let mut seen = BTreeSet::new();
    all.retain(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    Ok(all)
}

fn list_named_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let name = path.display();
        let read =
            std::fs::read_dir(path).with_context(|| format!("cannot read the folder {name}"));
        let read = read.map_err(UsageError::wrap)?;
        let mut files: Vec<PathBuf> = read.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
        if files.is_empty() {
            return Err(usage_error(format!(
                "{name} has no replays (files that end in .json); `leitai match` writes them into \
                matches/"
            )));
        }
        files.sort();
        all.extend(files);
    }
    Ok(all)
}

fn pin_example(lang: Localizer, path: &Path, one: &LossExample) -> String {
    let played = clean_line(&one.played).into_owned();
    let best = format!("{} {}", lang.label("best"), clean_line(&one.best));
    let played = with_note(lang, &played, &best);
    let why = format!(
        "{}{}{played}",
        grade_word(lang, one.grade),
        lang.label(": ")
    );
    pin_command(path, one.leg, one.round, one.entrant, &why)
}

/// The command that pins a decision.
fn pin_command(path: &Path, leg: usize, round: u32, entrant: Entrant, why: &str) -> String {
    let file = quote_word(&path.display().to_string());
    let mut command =
        format!("leitai regress add {file} --leg {leg} --round {round} --entrant {entrant}");
    if !why.is_empty() {
        command.push(' ');
        command.push_str(&quote_word(why));
    }
    command
}
