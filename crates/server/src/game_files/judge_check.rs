//! The check of a game that a judge program leads, before it is published: the program is built and started
//! in the sandbox, plays the recorded matches again, and leads a match of two bots that came with it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use leitai_game::replay::verify_replay;
use leitai_game::{AnyGame, GameHandle, Replay};
use leitai_guest::file::golden::verify_recorded;
use leitai_guest::file::parts::{MANIFEST, Parts};
use leitai_guest::file::{FileProblem, LogicFile};
use leitai_judge::Sandbox;
use leitai_store::Json;
use serde_json::json;

use super::said::{LONGEST_PREVIEW, Passed, count_steps, describe, one_problem};

/// A machine that runs programs of strangers.
pub trait ProgramRunner: Send + Sync {
    /// Where they run.
    fn sandbox(&self) -> &Sandbox;
    /// Whether the check should end as soon as it can: another machine makes it.
    fn is_stopped(&self) -> bool;
    /// A match of these bots that came with the game, in the order of seats; why there is none.
    ///
    /// # Errors
    /// A bot cannot be built, or the rules failed.
    fn play_bots(&self, game: &GameHandle, bots: [&str; 2]) -> Result<Replay, String>;
}

/// How long the program may take in all of it.
const LONGEST: Duration = Duration::from_mins(5);

/// What was looked at, or everything that is wrong.
pub(super) fn check(parts: &Parts, runner: &dyn ProgramRunner) -> Result<Passed, Json> {
    let file = LogicFile::load(parts).map_err(|problems| describe(&problems))?;
    let until = Instant::now() + LONGEST;
    let game = file.game.open_until(runner.sandbox(), Some(until));
    game.build().map_err(|why| no_program(&why))?;
    let game: GameHandle = Arc::new(game).into();
    begin_leg(&*game)?;
    let mut is_repeatable = replay_golden(&*game, &file, runner)?;
    let preview = play_preview(&game, runner)?;
    if let Some(replay) = &preview {
        is_repeatable = Some(is_repeatable != Some(false) && is_same_again(&*game, replay)?);
    }
    let text = preview.as_ref().map(Replay::to_text);
    Ok(Passed {
        game: file.about.id,
        said: json!({
            "judge_program": true,
            "golden": file.golden.len(),
            // null: nothing was played.
            "repeatable": is_repeatable,
            "preview": preview.as_ref().map(count_steps),
        }),
        preview: text.filter(|text| text.len() <= LONGEST_PREVIEW),
    })
}

fn no_program(why: &impl ToString) -> Json {
    let problem: FileProblem = LogicFile::no_program(&why.to_string());
    describe(&[problem])
}

fn failed(why: &impl ToString) -> Json {
    one_problem(MANIFEST, &why.to_string())
}

/// It starts, and says who is asked.
fn begin_leg(game: &dyn AnyGame) -> Result<(), Json> {
    let setup = game
        .deal_setup(&Json::Null, 0)
        .map_err(|why| failed(&why))?;
    match setup.start_leg().fault() {
        Some(fault) => Err(failed(&fault)),
        None => Ok(()),
    }
}

/// Plays the recorded matches again; whether all of them are the same then, if there are any.
fn replay_golden(
    game: &dyn AnyGame,
    file: &LogicFile,
    runner: &dyn ProgramRunner,
) -> Result<Option<bool>, Json> {
    let mut is_repeatable = None;
    let going_on = file.golden.iter().take_while(|_| !runner.is_stopped());
    for (name, recorded) in going_on {
        let problem = |why: &dyn ToString| one_problem(name, &why.to_string());
        let found = verify_recorded(game, recorded).map_err(|why| problem(&why))?;
        let verified = found.map_err(|difference| problem(&difference))?;
        is_repeatable = Some(is_repeatable != Some(false) && !verified.is_form_only);
    }
    Ok(is_repeatable)
}

/// Whether a match that was just played is the same when it is played again.
fn is_same_again(game: &dyn AnyGame, replay: &Replay) -> Result<bool, Json> {
    let verified = verify_replay(game, replay).map_err(|why| failed(&why))?;
    let verified = verified.map_err(|difference| failed(&difference))?;
    Ok(!verified.is_form_only)
}

/// A match of the first two bots that came with the game, or of the only one against itself; `None` if none
/// came.
fn play_preview(game: &GameHandle, runner: &dyn ProgramRunner) -> Result<Option<Replay>, Json> {
    let bots: Vec<&str> = game.list_bots().into_iter().map(|(name, _)| name).collect();
    let (Some(first), Some(second)) = (bots.first(), bots.get(1).or(bots.first())) else {
        return Ok(None);
    };
    let played = runner.play_bots(game, [first, second]);
    played.map(Some).map_err(|why| failed(&why))
}
