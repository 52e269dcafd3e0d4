//! `leitai rate GAME BOT`

use leitai_series::EntrantRequest;
use leitai_series::rating::{RatingOptions, RatingResult, RatingRun, find_scale, list_entrants};

use crate::cli::RateArgs;
use crate::plan::{SeriesPlan, refuse_legs};
use crate::prelude::*;
use crate::series::{
    INTERRUPTED, NO_NEW_GAMES, PairReport, progress_bar, refuse_broken, show_pairs,
};
use crate::{arguments, files, stop};

/// Exit status when the pairs did not suffice.
const IMPRECISE: u8 = 4;

/// Plays pairs until the rating is precise.
pub fn run(lang: Localizer, args: &RateArgs) -> Result<ExitCode> {
    let options = rating_options(lang, args)?;
    if args.played.series.book.is_some() {
        return Err(usage_error(
            "--book: the scale's levels were measured from the game's beginning, and so are bots on it",
        ));
    }
    let stop = stop::on_interrupt()?;
    let game = arguments::find_game(&args.game)?;
    let bot = EntrantRequest::parse(&*game, &args.bot)?;
    let entrants = list_entrants(bot, find_scale(&*game)?);
    let folder = args.played.folder.as_deref();
    let plan = SeriesPlan::new(&game, entrants, &args.played.series, folder)?;
    let Some(ready) = plan.prepare(lang, stop)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let roster = &ready.roster;
    let advice = lang.label("fix it, `leitai check` helps");
    refuse_broken(lang, roster, advice)?;
    let bar = progress_bar(args.played.json);
    bar.set_length(args.max);
    let listener = |result: &RatingResult| {
        let line = result.progress_line(lang);
        show_pairs(lang, &bar, args.played.json, result.pair_count(), &line);
    };
    let mut rating = RatingRun::open(options, roster, listener)?;
    let ended = ready.play(lang, &mut rating, stop)?;
    let result = rating.into_result();
    bar.finish_and_clear();
    match args.played.json {
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

fn rating_options(lang: Localizer, args: &RateArgs) -> Result<RatingOptions> {
    if !(args.precision >= 1.0 && args.precision <= 1000.0) {
        let precision = args.precision;
        return Err(usage_error(format!(
            "--precision {precision}: a number of Elo from 1 to 1000, such as 40"
        )));
    }
    refuse_legs(lang, "rate", &args.played)?;
    Ok(RatingOptions {
        precision: args.precision,
        seed: args.played.seed(),
        max_pairs: args.max,
        folder: args.played.folder.clone(),
    })
}
