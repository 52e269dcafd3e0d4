//! A leg as an official file.

use leitai_game::lang::say;
use leitai_game::replay::{LegRecord, Replay, parse_token};
use leitai_game::{Fault, Game, InvalidSetup, Reply};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::official::file::{ImportOrigin, ListedItem, NAME};
use crate::official::playback::Playback;
use crate::position::{GameEnd, Position};
use crate::saiblo::{EndType, end_type, official_scores};
use crate::setup::Setup;

/// Writes one leg of a replay. An interrupted leg ends with `INTERNAL_ERROR`, winner -1.
pub fn export_leg(replay: &Replay, leg: usize) -> Result<String, InvalidSetup> {
    let (game, rules) = (Position::META.id, Position::META.rules);
    if replay.game != game || replay.rules != rules {
        let (found, under) = (&replay.game, &replay.rules);
        return Err(InvalidSetup(say!(
            "a replay of {found} under {under}; only {game} under {rules} has this format"
        )));
    }
    let Some(record) = replay.legs.get(leg) else {
        return Err(InvalidSetup(say!(
            "there is no leg {}; the replay has {}",
            leg + 1,
            replay.legs.len()
        )));
    };
    let setup = Setup::deserialize(&replay.setup).map_err(InvalidSetup::new)?;
    let (playback, error) = play_record(&setup, record)?;
    let origin = match kept_origin(replay)? {
        Some(origin) => origin,
        None => export_native(replay, &setup, &playback, error),
    };
    Ok(write(&setup, &playback, origin).to_string())
}

/// The data that an import stored.
fn kept_origin(replay: &Replay) -> Result<Option<ImportOrigin>, InvalidSetup> {
    let own = |origin: &&Value| origin.get("format").and_then(Value::as_str) == Some(NAME);
    let Some(origin) = replay.origin.as_ref().filter(own) else {
        return Ok(None);
    };
    let origin = ImportOrigin::deserialize(origin);
    origin
        .map(Some)
        .map_err(|why| InvalidSetup(say!("the replay's origin cannot be read: {why}")))
}

/// Replays a leg. Also returns the judge's text for the fault that ended it.
fn play_record<'a>(
    setup: &'a Setup,
    record: &LegRecord,
) -> Result<(Playback<'a>, Option<String>), InvalidSetup> {
    let mut playback = Playback::new(setup);
    let mut error = None;
    for (step, token) in record.replies.split_ascii_whitespace().enumerate() {
        let position = playback.position();
        let invalid = |why| InvalidSetup(say!("step {step}: {why}"));
        let replies = parse_token(token, position.to_move()).map_err(invalid)?;
        match replies[position.seat()] {
            Some(Reply::Action(text)) => {
                let action = Position::read_action(text);
                let action =
                    action.ok_or_else(|| invalid(format!("there is no action {text:?}")))?;
                error = playback
                    .play_action(action)
                    .err()
                    .map(|why| why.official().to_owned());
            }
            Some(Reply::Fault(fault)) => {
                playback.record_fault(fault);
                error = Some(fault_message(fault).to_owned());
            }
            None => return Err(invalid("nobody replied".into())),
        }
    }
    Ok((playback, error))
}

fn fault_message(fault: Fault) -> &'static str {
    match fault {
        Fault::Illegal => "Illegal action",
        Fault::Malformed => "Invalid message format",
        other => other.phrase(),
    }
}

/// The judge's messages around a leg that it did not judge.
fn export_native(
    replay: &Replay,
    setup: &Setup,
    playback: &Playback,
    error: Option<String>,
) -> ImportOrigin {
    // The format has no word for a leg that stopped when it was decided: its last round is the one
    // that was played last.
    let max_round = match playback.position().end() {
        Some(GameEnd::Decided) => playback.position().round(),
        _ => setup.max_round(),
    };
    let game_config = json!({
        "length": 16, "width": 16, "max_round": max_round, "random_seed": replay.seed.unwrap_or(0),
    });
    let end_info = match playback.position().outcome() {
        Some(outcome) => json!({
            "type": end_type(&outcome).name(),
            "winner": outcome.winner.map_or(-1, |seat| seat.index() as i32),
            "score": official_scores(&outcome),
            "err": error,
        }),
        None => json!({
            "type": EndType::InternalError.name(),
            "winner": -1,
            "score": playback.position().count_cells(),
            "err": "the match was interrupted",
        }),
    };
    ImportOrigin {
        format: NAME.into(),
        game_config,
        end_info,
        extra: Map::new(),
        cut: None,
    }
}

/// "The erring player's last turn is missing": only completed turns are written.
fn write(setup: &Setup, playback: &Playback, origin: ImportOrigin) -> Value {
    let items: Vec<ListedItem> = setup.items().iter().map(Into::into).collect();
    let (mut turns, mut rounds) = (playback.completed_rounds(), playback.rounds().len());
    if let Some(cut) = origin.cut {
        (turns, rounds) = (turns.min(cut.turns), rounds.min(cut.rounds));
    }
    let mut file = json!({
        "game_config": origin.game_config,
        "item_list": items,
        "round_info": playback.rounds()[..rounds],
        "operations": playback.turns()[..turns],
        "end_info": origin.end_info,
    });
    if let Value::Object(file) = &mut file {
        file.extend(origin.extra);
    }
    file
}
