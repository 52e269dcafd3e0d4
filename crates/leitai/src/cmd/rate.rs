//! `leitai rate GAME BOT`

use std::process::ExitCode;

use leitai_series::EntrantRequest;
use leitai_series::rating::{RatingOptions, RatingResult, RatingRun, find_scale, list_entrants};

use crate::arguments::usage_error;
use crate::cli::RateArgs;
use crate::lang::Localizer;
use crate::plan::SeriesPlan;
use crate::series::{
    INTERRUPTED, NO_NEW_GAMES, PairReport, describe_time_left, print_progress, progress_bar,
    refuse_broken,
};
use crate::width::wrap_sentence;
use crate::{arguments, files, stop};

/// Exit status when the pairs did not suffice.
const IMPRECISE: u8 = 4;

/// Plays pairs until the rating is precise.
pub fn run(lang: Localizer, args: &RateArgs) -> anyhow::Result<ExitCode> {
    let options = rating_options(lang, args)?;
    let stop = stop::on_interrupt()?;
    let game = arguments::find_game(&args.game)?;
    let bot = EntrantRequest::parse(&*game, &args.bot)?;
    let entrants = list_entrants(bot, find_scale(&*game)?);
    let folder = args.folder.as_deref();
    let plan = SeriesPlan::new(&game, entrants, &args.series, folder)?;
    let Some(ready) = plan.prepare(lang, stop)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let roster = &ready.roster;
    let advice = lang.label("fix it, `leitai check` helps");
    refuse_broken(lang, roster, advice)?;
    let bar = progress_bar(args.json);
    bar.set_length(args.max);
    let listener = |result: &RatingResult| {
        let line = result.progress_line(lang);
        bar.set_position(result.pair_count());
        bar.set_message(line.clone());
        print_progress(&bar, args.json, result.pair_count(), || {
            wrap_sentence(&(line.clone() + &describe_time_left(lang, &bar, 0)), 2)
        });
    };
    let mut rating = RatingRun::open(options, roster, listener)?;
    let ended = ready.play(lang, &mut rating, stop)?;
    let result = rating.into_result();
    bar.finish_and_clear();
    match args.json {
        true => files::print_stdout(&format!("{}\n", result.to_json()))?,
        false => PairReport {
            rows: result.rows(lang),
            void_text: result.void_text(lang),
            lost_replay: result.lost_replay.as_deref(),
        }
        .print(lang, folder, ended)?,
    }
    let is_known = result.is_precise() || result.is_off_scale() || result.depends_on_opponent();
    Ok(match is_known {
        true => ExitCode::SUCCESS,
        false if ended && result.is_exhausted() => ExitCode::from(NO_NEW_GAMES),
        false if ended => ExitCode::from(IMPRECISE),
        false => ExitCode::from(INTERRUPTED),
    })
}

fn rating_options(lang: Localizer, args: &RateArgs) -> anyhow::Result<RatingOptions> {
    if !(args.precision >= 1.0 && args.precision <= 1000.0) {
        let precision = args.precision;
        return Err(usage_error(format!(
            "--precision {precision}: a number of Elo from 1 to 1000, such as 40"
        )));
    }
    if args.series.options.legs.is_some() {
        return Err(usage_error(lang.label(
            "`leitai rate` plays pairs of legs with seats swapped; leave out --legs",
        )));
    }
    Ok(RatingOptions {
        precision: args.precision,
        seed: args.series.options.seed.unwrap_or(1),
        max_pairs: args.max,
        folder: args.folder.clone(),
    })
}
