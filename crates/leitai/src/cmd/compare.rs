//! `leitai compare GAME NEW BASE`

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_ladder::{Decision, Sprt};
use leitai_series::comparison::{
    Comparison, ComparisonOptions, ComparisonResult, ComparisonUpdate,
};

use super::experiment;
use crate::cli::CompareArgs;
use crate::plan::{SeriesPlan, named_arena, refuse_legs};
use crate::prelude::*;
use crate::series::{
    INTERRUPTED, NO_NEW_GAMES, PairReport, is_quiet, print_progress, refuse_broken,
};
use crate::width::wrap_sentence;
use crate::{arguments, files, stop};

/// The exit status if the new version is not better.
const REJECTED: u8 = 3;
/// The exit status if the pairs were not sufficient.
pub const UNDECIDED: u8 = 4;

/// Plays pairs until the test decides.
pub fn run(lang: Localizer, args: &CompareArgs) -> Result<ExitCode> {
    let options = comparison_options(lang, args)?;
    if let Some(arena) = named_arena(&args.played.series) {
        return experiment::compare_in_arena(lang, args, arena);
    }
    let stop = stop::on_interrupt()?;
    let game = arguments::find_game(&args.game)?;
    let entrants = arguments::read_entrants(&*game, [&args.new, &args.base])?;
    let folder = args.played.folder.as_deref();
    let plan = SeriesPlan::new(&game, entrants, &args.played.series, folder)?;
    let Some(ready) = plan.prepare(lang, stop)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let roster = &ready.roster;
    let advice = lang.label("a comparison with it would say nothing: fix it, `leitai check` helps");
    refuse_broken(lang, roster, advice)?;
    let quiet = args.played.json || args.json_lines;
    let bar = progress_bar(lang, quiet);
    let listener = |update: &ComparisonUpdate<'_>| {
        show_progress(lang, &bar, quiet, update);
        if let (true, Some(pair)) = (args.json_lines, update.pair) {
            // Whoever closed stdout does not want to know.
            _ = files::print_stdout(&format!("{}\n", update.result.pair_json(pair)));
        }
    };
    let mut comparison = Comparison::open(options, roster, listener)?;
    let ended = ready.play(lang, &mut comparison, stop)?;
    let result = comparison.into_result();
    bar.finish_and_clear();
    match quiet {
        true => files::print_stdout(&format!("{}\n", result.to_json()))?,
        false => PairReport {
            rows: result.rows(lang),
            void_text: result.void_text(lang),
            lost_replay: result.lost_replay.as_deref(),
        }
        .print(lang, folder, ended)?,
    }
    Ok(exit_code(&result, ended))
}

/// The exit status of a result, and of a run that came to its end or was interrupted.
pub fn exit_code(result: &ComparisonResult, ended: bool) -> ExitCode {
    match result.decision() {
        Decision::Accepted => ExitCode::SUCCESS,
        Decision::Rejected => ExitCode::from(REJECTED),
        Decision::Undecided if ended && result.is_exhausted() => ExitCode::from(NO_NEW_GAMES),
        Decision::Undecided if ended => ExitCode::from(UNDECIDED),
        Decision::Undecided => ExitCode::from(INTERRUPTED),
    }
}

fn comparison_options(lang: Localizer, args: &CompareArgs) -> Result<ComparisonOptions> {
    let sprt = Sprt {
        elo0: args.elo0,
        elo1: args.elo1,
        alpha: args.alpha,
        beta: args.beta,
    };
    sprt.check_parameters().map_err(usage_error)?;
    refuse_legs(lang, "compare", &args.played)?;
    Ok(ComparisonOptions {
        sprt,
        seed: args.played.seed(),
        max_pairs: args.max,
        folder: args.played.folder.clone(),
        elo: args.elo.into(),
    })
}

/// A bar that fills as the test comes near its decision.
pub fn progress_bar(lang: Localizer, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::new(1000);
    let style =
        ProgressStyle::with_template("{prefix} {bar:20} {msg}").expect("a constant template");
    bar.set_style(style.progress_chars("━╸─"));
    bar.set_prefix(lang.label("LLR between its bounds"));
    if quiet || is_quiet() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}

/// The progress line; without a terminal on stderr, separate lines at intervals.
pub fn show_progress(
    lang: Localizer,
    bar: &ProgressBar,
    quiet: bool,
    update: &ComparisonUpdate<'_>,
) {
    if quiet {
        return;
    }
    let result = update.result;
    let line = result.progress_line(update.pairs_per_second, lang);
    bar.set_position((1000.0 * result.progress_share()) as u64);
    bar.set_message(line.clone());
    if update.pair.is_some() {
        print_progress(bar, quiet, result.pair_count(), || wrap_sentence(&line, 2));
    }
}
