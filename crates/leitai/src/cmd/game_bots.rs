//! The part of `leitai game check` that lets the bots of a game play: each from both seats, as a match
//! would, programs in the sandbox.

use std::sync::atomic::AtomicBool;

use leitai_game::replay::FaultRecord;
use leitai_game::{Entrant, GameHandle};
use leitai_judge::build::BuildError;
use leitai_judge::{NoHumans, PlayerKind, play_match};
use leitai_series::entrant::{self, EntrantSpec, is_program};
use leitai_series::{EntrantRequest, MatchOptions};

use crate::prelude::*;
use crate::{files, game_files, isolation};

/// The bot that every game of a module has.
const RANDOM: &str = "random";

/// How a bot did.
enum BotCheck {
    Sound,
    /// This machine cannot run it.
    Unchecked(String),
    /// Its program cannot be built.
    Broken(String),
    Fault(FaultRecord),
}

/// Lets every bot of the game play, and tells of those that are faulty or cannot be run here; whether
/// none is faulty.
pub fn check_bots(lang: Localizer, game: &GameHandle) -> Result<bool> {
    let bots = game
        .list_bots()
        .into_iter()
        .map(|(name, _)| name.to_owned());
    let bots: Vec<String> = bots.filter(|name| name != RANDOM).collect();
    let mut options = MatchOptions {
        leitai: std::env::current_exe()?,
        legs: 2,
        ..MatchOptions::new(&**game)?
    };
    let is_program = |name: &str| is_program(&**game, name);
    let mut no_sandbox = None;
    if bots.iter().any(|name| is_program(name)) {
        let asked = game_files::asked_isolation();
        match isolation::open_sandbox(lang, asked, &mut files::print_stderr) {
            Ok(sandbox) => options.sandbox = sandbox,
            Err(why) => no_sandbox = Some(format!("{why:#}")),
        }
    }
    let mut sound = true;
    for name in &bots {
        let unsafe_here = no_sandbox.clone().filter(|_| is_program(name));
        let checked = match unsafe_here {
            Some(why) => BotCheck::Unchecked(why),
            None => check_bot(game, name, &options)?,
        };
        let line = match checked {
            BotCheck::Sound => continue,
            BotCheck::Unchecked(why) => {
                lang.fill("the bot {} was not checked: {}", &[name, &lang.say(&why)])
            }
            BotCheck::Broken(why) => {
                sound = false;
                lang.fill("the bot {} cannot be built: {}", &[name, &lang.say(&why)])
            }
            BotCheck::Fault(fault) => {
                sound = false;
                let (round, what) = (fault.round, lang.say(&fault.what));
                lang.fill(
                    "the bot {} broke a rule in round {}: {}",
                    &[name, &round, &what],
                )
            }
        };
        files::print_stderr(&line);
    }
    Ok(sound)
}

/// A match against the random bot; where there is none, against itself.
fn check_bot(game: &GameHandle, name: &str, options: &MatchOptions) -> Result<BotCheck> {
    let has_random = game.find_bot(RANDOM).is_some();
    let opponent = if has_random { RANDOM } else { name };
    let entrant = |word: &str| EntrantSpec::Bot(EntrantRequest::from_word(word));
    let entrants = [entrant(name), entrant(opponent)];
    let ready = match entrant::make_ready(&**game, &entrants, options, &mut |_| ()) {
        Ok(ready) => ready,
        Err(error) => {
            let missing = error.chain().any(|cause| {
                let cause = cause.downcast_ref::<BuildError>();
                cause.is_some_and(BuildError::is_infrastructure_error)
            });
            return match missing {
                true => Ok(BotCheck::Unchecked(error.to_string())),
                false => Err(error),
            };
        }
    };
    if let PlayerKind::Broken(why) = &ready.players[Entrant::A].kind {
        return Ok(BotCheck::Broken(why.clone()));
    }
    let setup = game.deal_setup(&options.config, 1)?;
    let spec = options.make_match(game, ready.players.clone(), 1, setup);
    let played = play_match(&spec, &mut NoHumans, &mut (), &AtomicBool::new(false))?;
    if let Some(void) = &played.void {
        return Ok(BotCheck::Unchecked(void.why.to_string()));
    }
    let mut faults = played.replay.legs.iter().flat_map(|leg| &leg.faults);
    let own = faults.find(|fault| fault.entrant == Entrant::A || !has_random);
    Ok(own.cloned().map_or(BotCheck::Sound, BotCheck::Fault))
}
