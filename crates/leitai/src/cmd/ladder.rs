//! `leitai ladder GAME FOLDER`

use leitai_game::AnyGame;
use leitai_ladder::most_informative::Precision;
use leitai_series::EntrantRequest;
use leitai_series::ladder::{
    Ladder, LadderOptions, LadderUpdate, journal_folder, list_bots, remembered_game,
};

use crate::cli::LadderArgs;
use crate::plan::SeriesPlan;
use crate::prelude::*;
use crate::series::{
    INTERRUPTED, NO_NEW_GAMES, describe_time_left, format_game, print_progress, progress_bar,
};
use crate::standings_table::format_standings;
use crate::{arguments, files, stop};

/// The exit status if the matches were not sufficient.
const OPEN: u8 = 4;

/// Plays until the order is settled.
pub fn run(lang: Localizer, args: LadderArgs) -> Result<ExitCode> {
    check_arguments(&args)?;
    let stop = stop::on_interrupt()?;
    let game = arguments::find_game(&chosen_game(lang, &args)?)?;
    let entrants = ladder_entrants(&*game, &args)?;
    let folder = journal_folder(&args.folder);
    let plan = SeriesPlan::new(&game, entrants, &args.series, Some(&folder))?;
    let Some(ready) = plan.prepare(lang, stop)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let roster = &ready.roster;
    let bar = progress_bar(args.json);
    let names = roster.entrant_names();
    let listener = |update: &LadderUpdate<'_>| {
        bar.set_length(update.gaps as u64);
        bar.set_position(update.settled as u64);
        let line = format!(
            "{}   {}",
            lang.fill_count("{} match", "{} matches", update.matches),
            format_game(&names, update.game)
        );
        print_progress(&bar, args.json, update.matches as u64, || {
            line.clone() + &describe_time_left(lang, &bar, 0)
        });
        bar.set_message(line);
    };
    let mut ladder = Ladder::open(ladder_options(&args), roster, listener)?;
    let ended = ready.play(lang, &mut ladder, stop)?;
    bar.finish_and_clear();
    let text = match args.json {
        true => format!("{}\n", ladder.to_json()),
        false => format!(
            "{}\n{}",
            format_standings(lang, &ladder.standings()),
            ladder.to_text(lang)
        ),
    };
    files::print_stdout(&text)?;
    Ok(match (ladder.is_settled(), ended) {
        (true, _) => ExitCode::SUCCESS,
        (false, true) if ladder.has_no_new_games() => ExitCode::from(NO_NEW_GAMES),
        (false, true) => ExitCode::from(OPEN),
        (false, false) => ExitCode::from(INTERRUPTED),
    })
}

fn check_arguments(args: &LadderArgs) -> Result<()> {
    if !(args.confidence > 0.5 && args.confidence < 1.0) {
        let confidence = args.confidence;
        return Err(usage_error(format!(
            "--confidence {confidence}: a share between 0.5 and 1, such as 0.95"
        )));
    }
    if !args.folder.is_dir() {
        return Err(usage_error(format!(
            "{} is not a folder",
            args.folder.display()
        )));
    }
    Ok(())
}

/// The given game, or the one stored in the folder.
fn chosen_game(lang: Localizer, args: &LadderArgs) -> Result<String> {
    let remembered = remembered_game(&args.folder)?;
    let named = args.game.clone().or_else(|| args.game_option.clone());
    named.or(remembered).ok_or_else(|| usage_error(lang.label("which game? Name it before the folder: leitai ladder GAME FOLDER (`leitai games` lists them); it is remembered \
         in the folder")))
}

fn ladder_entrants(game: &dyn AnyGame, args: &LadderArgs) -> Result<Vec<EntrantRequest>> {
    let mut asked = list_bots(&args.folder)?;
    asked.extend(arguments::read_entrants(game, &args.with)?);
    if asked.len() < 2 {
        return Err(usage_error(format!(
            "{}: a ladder has two or more bots, not {} (--with adds built-in bots)",
            args.folder.display(),
            asked.len()
        )));
    }
    Ok(asked)
}

fn ladder_options(args: &LadderArgs) -> LadderOptions {
    LadderOptions {
        folder: args.folder.clone(),
        precision: Precision {
            confidence: args.confidence,
            equal_within: args.equal_within,
        },
        elo: args.elo.into(),
        seed: args.series.options.seed.unwrap_or(1),
        max_matches: args.max,
    }
}
