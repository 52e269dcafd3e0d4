//! `leitai game scale`: measures the levels of a game once, and writes what they are worth beside its
//! rules.

use std::sync::Arc;

use clap::builder::Resettable;
use clap::{Args, FromArgMatches};
use leitai_game::{AnyGame, GameHandle, RatedBot};
use leitai_guest::GameFile;
use leitai_guest::file::parts::SCALE;
use leitai_guest::file::scale::{
    ANCHOR, ANCHOR_RATING, MOST_ERROR, MOST_RATING, MeasuredLevel, ScaleFile, rated_names,
};
use leitai_series::EntrantRequest;
use leitai_series::scale::{ScaleOptions, ScaleResult, ScaleRow, ScaleRun};

use crate::cli::{GameScaleArgs, SeriesArgs};
use crate::plan::SeriesPlan;
use crate::prelude::*;
use crate::rerun_command::quote_word;
use crate::series::{INTERRUPTED, print_notice, progress_bar, show_pairs};
use crate::width;
use crate::{files, game_files, stop};

/// The time of a turn, so long that a level never stops before it has looked at all its positions.
const LIMIT: &str = "10m";

/// Measures, and writes `scale.toml`.
pub fn run(lang: Localizer, args: &GameScaleArgs) -> Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let (file, before) = game_files::read_unmeasured(&args.folder)?;
    let (id, measured) = (file.about.id.clone(), file.scale_fingerprint());
    let game: GameHandle = Arc::new(file.game).into();
    let names = rated_bots(&*game, &args.highest)?;
    let anchor = names.iter().position(|name| *name == ANCHOR);
    let anchor = anchor.expect("the highest is no lower");
    let digits = measured.trim_start_matches("sha256:");
    let usual = || PathBuf::from(format!("{id}-scale-{}", &digits[..8]));
    let kept = args.folder_of_games.clone().unwrap_or_else(usual);
    let entrants: Vec<_> = names
        .iter()
        .copied()
        .map(EntrantRequest::from_word)
        .collect();
    let plan = SeriesPlan::new(&game, entrants, &series_args(args)?, Some(&kept))?;
    let Some(ready) = plan.prepare(lang, stop)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let options = ScaleOptions {
        pairs: args.pairs,
        seed: args.seed,
        measured: measured.clone(),
        folder: kept.clone(),
        anchor: (anchor, ANCHOR_RATING),
    };
    let bar = progress_bar(args.form.json);
    let listener = |result: &ScaleResult| {
        let line = result.progress_line(lang);
        show_pairs(lang, &bar, args.form.json, result.pair_count(), &line);
    };
    let mut scale = ScaleRun::open(options, &ready.roster, listener)?;
    bar.set_length(scale.whole());
    let ended = ready.play(lang, &mut scale, stop)?;
    bar.finish_and_clear();
    let result = scale.result();
    if !ended {
        let (done, whole, kept) = (result.pair_count(), scale.whole(), kept.display());
        print_notice(&lang.fill(
            "{} of {} pairs are kept in {}; the same command goes on",
            &[&done, &whole, &kept],
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let written = to_file(&id, result, &names, (args, measured))?;
    let written = keep_name(written, before.as_ref());
    let path = args.folder.join(SCALE);
    files::write_bytes(&path, written.to_text().as_bytes())?;
    report(lang, args, result, (&written, &path))
}

/// `random` and the levels up to this one.
fn rated_bots(game: &dyn AnyGame, highest: &str) -> Result<Vec<&'static str>> {
    let own = game.list_bots();
    let names = rated_names();
    if !names
        .iter()
        .all(|name| own.iter().any(|(own, _)| own == name))
    {
        return Err(usage_error(format!(
            "{} hides something from its players, so it has no levels to measure; \
            `leitai compare` and `leitai tournament` rate bots by each other",
            game.meta().id
        )));
    }
    let at = |wanted: &str| names.iter().position(|name| *name == wanted);
    match (at(highest), at(ANCHOR)) {
        (Some(last), Some(anchor)) if last >= anchor => Ok(names[..=last].to_vec()),
        _ => Err(usage_error(format!(
            "--highest {highest}: {ANCHOR} or a higher one of {}",
            names.join(", ")
        ))),
    }
}

/// Those of a series that nothing else is asked of, whatever the environment says.
fn series_args(args: &GameScaleArgs) -> Result<SeriesArgs> {
    let command = SeriesArgs::augment_args(clap::Command::new("scale"));
    let command = command.mut_args(|arg| arg.env(Resettable::Reset));
    let matches = command.try_get_matches_from(["scale", "--limit", LIMIT])?;
    let fixed = SeriesArgs::from_arg_matches(&matches)?;
    Ok(SeriesArgs {
        jobs: args.jobs,
        ..fixed
    })
}

/// What is written.
fn to_file(
    id: &str,
    result: &ScaleResult,
    names: &[&'static str],
    (args, measured): (&GameScaleArgs, String),
) -> Result<ScaleFile> {
    if let Some(name) = result.unmet() {
        bail!(
            "no game of {name} against the level before it could be judged, so nothing is written"
        );
    }
    let level = |(name, row): (&&'static str, ScaleRow)| {
        let most = f64::from(MOST_RATING);
        let rating = row.rating.round().clamp(-most, most) as i32;
        let error = row.half_width.ceil().min(f64::from(MOST_ERROR)) as u32;
        let games = [row.games.wins, row.games.draws, row.games.losses];
        MeasuredLevel {
            bot: RatedBot::new(name, rating, error),
            games: games.map(u64::from),
        }
    };
    Ok(ScaleFile {
        name: format!("{id}-1"),
        measured,
        seed: args.seed,
        pairs: args.pairs,
        levels: names.iter().zip(result.rows()).map(level).collect(),
    })
}

/// The same under the name of the one before it; under the next name if it says anything else.
fn keep_name(written: ScaleFile, before: Option<&ScaleFile>) -> ScaleFile {
    let Some(before) = before else {
        return written;
    };
    let name = before.name.clone();
    let same = ScaleFile { name, ..written };
    match same == *before {
        true => same,
        false => ScaleFile {
            name: before.next_name(),
            ..same
        },
    }
}

fn report(
    lang: Localizer,
    args: &GameScaleArgs,
    result: &ScaleResult,
    (written, path): (&ScaleFile, &Path),
) -> Result<ExitCode> {
    let mut table = width::table_with_heads(
        lang,
        [
            "level",
            "rating",
            "games against the one before",
            "Elo above it",
        ],
    );
    for row in result.table(lang) {
        table.add_row(row);
    }
    let game = quote_word(&args.folder.display().to_string());
    let path = path.display().to_string();
    let mut lines = vec![table.trim_fmt()];
    lines.push(describe_disorder(lang, written));
    lines.push(result.void_text(lang));
    lines.push(lang.fill(
        "the scale {} is written to {}; leitai rate {} BOT rates a bot on it",
        &[&written.name, &path, &game],
    ));
    lines.retain(|line| !line.is_empty());
    let mut fields = result.to_json();
    fields["scale"] = json!(written.name);
    fields["measured"] = json!(written.measured);
    fields["file"] = json!(path);
    Answer::new("game-scale", fields, lines.join("\n")).print(args.form.json)
}

/// Whether the scale of a game, if it has one, was measured with its rules and levels; says it if not.
pub fn has_current_scale(lang: Localizer, file: &GameFile) -> bool {
    let problem = file.outdated_scale();
    if let Some(problem) = &problem {
        files::print_stderr(&problem.to_line(lang.lang()));
    }
    problem.is_none()
}

/// Says which levels are no stronger than the one before them; empty where all are.
pub fn describe_disorder(lang: Localizer, scale: &ScaleFile) -> String {
    let one = |[level, before]: [&str; 2]| {
        lang.fill(
            "{} is rated no higher than {}: in this game a longer search gains nothing there, or --pairs are too few to tell",
            &[&level, &before],
        )
    };
    let lines: Vec<String> = scale.disordered().into_iter().map(one).collect();
    lines.join("\n")
}
