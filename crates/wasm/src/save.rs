//! A match that was played in the page, as a replay file that verifies.

use leitai_game::replay::{
    EntrantKind, EntrantRecord, FORMAT, ForcedRecord, LegRecord, MatchStatus, Recorder, Replay,
    VerdictRecord,
};
use leitai_game::{AnyLeg, ByEntrant, Entrant, InvalidSetup, Scope};
use serde_json::json;

use crate::errors::CallError;
use crate::play::{Start, play_tokens};
use crate::request::SaveCall;

/// Writes the replay file.
pub(crate) fn save(call: SaveCall, file: &[u8]) -> Result<String, CallError> {
    let start = Start::read(&call.start, file)?;
    let (mut legs, mut ends) = copy_legs(&start, call.start.leg)?;
    let mut kept = start.kept.clone();
    for replies in &call.legs {
        let tokens = format!("{kept} {replies}").trim().to_owned();
        kept.clear();
        let mut recorder = Recorder::default();
        let (replies, end) = play_tokens(&start, tokens, &mut recorder)?;
        let mut record = recorder.finish_leg(end.outcome());
        record.replies = replies;
        legs.push(record);
        ends.push(end);
    }
    let is_complete = is_over(&start, &ends, call.match_legs);
    let verdict = is_complete.then(|| VerdictRecord::from(&start.setup.decide_match(&ends)));
    let mut faults = ends.iter().filter_map(|end| end.fault());
    if let Some(fault) = start.setup.fault().or_else(|| faults.next()) {
        return Err(start.refuse(InvalidSetup::new(fault)));
    }
    let status = match is_complete {
        true => MatchStatus::Complete,
        false => MatchStatus::Interrupted,
    };
    let forced = find_forced(&start, &call, legs.len())?;
    let replay = write_replay(&start, call);
    let replay = Replay {
        status,
        forced,
        legs,
        verdict,
        ..replay
    };
    Ok(json!({"replay": replay.to_text(), "complete": is_complete}).to_string())
}

/// Legs as they are recorded, and how they ended.
type PlayedLegs = (Vec<LegRecord>, Vec<Box<dyn AnyLeg>>);

/// The recorded legs before this one, and how they ended.
fn copy_legs(start: &Start, leg: usize) -> Result<PlayedLegs, CallError> {
    let recorded = start.replay.as_ref().map_or(&[][..], |replay| &replay.legs);
    let (mut legs, mut ends) = (Vec::new(), Vec::new());
    for record in recorded.iter().take(leg.saturating_sub(1)) {
        let (_, end) = play_tokens(start, record.replies.clone(), &mut ())?;
        legs.push(record.clone());
        ends.push(end);
    }
    Ok((legs, ends))
}

fn is_over(start: &Start, ends: &[Box<dyn AnyLeg>], match_legs: Option<usize>) -> bool {
    let outcomes: Option<Vec<_>> = ends.iter().map(|end| end.outcome()).collect();
    let Some(outcomes) = outcomes else {
        return false;
    };
    let recorded = start.replay.as_ref();
    let complete = recorded.filter(|replay| replay.status == MatchStatus::Complete);
    let recorded = complete.map(|replay| replay.legs.len());
    let legs = match_legs.or(recorded).unwrap_or(start.game.meta().legs);
    let ends_match = outcomes.last().is_some_and(|end| end.scope == Scope::Match);
    ends_match || outcomes.len() >= legs
}

/// The moment from which a recorded leg was played on, if it is the last one.
fn find_forced(
    start: &Start,
    call: &SaveCall,
    legs: usize,
) -> Result<Option<ForcedRecord>, CallError> {
    let leg = call.start.leg;
    if start.replay.is_none() || leg != legs {
        return Ok(None);
    }
    let (_, at) = play_tokens(start, start.kept.clone(), &mut ())?;
    let round = at.round();
    Ok(Some(ForcedRecord {
        leg,
        round,
        each_leg: false,
    }))
}

/// Everything but what was played.
fn write_replay(start: &Start, call: SaveCall) -> Replay {
    let source = start.replay.as_ref();
    // The setup of a foreign replay is its own: no seed deals it.
    let seed = source.map_or(Some(call.start.seed), |replay| {
        replay.seed.filter(|_| replay.origin.is_none())
    });
    let config = match source {
        Some(replay) => replay.config.clone(),
        None => start
            .game
            .read_config(&call.start.config)
            .unwrap_or_default(),
    };
    let mut given = call.entrants;
    Replay {
        format: FORMAT.to_owned(),
        game: start.game.meta().id.to_owned(),
        rules: start.game.meta().rules.to_owned(),
        engine: concat!("leitai ", env!("CARGO_PKG_VERSION")).to_owned(),
        recorded: call.recorded,
        seed,
        config,
        setup: start.setup.to_json(),
        entrants: ByEntrant::from_fn(|entrant: Entrant| {
            let recorded = source.map(|replay| replay.entrants[entrant].clone());
            given[entrant]
                .take()
                .or(recorded)
                .unwrap_or_else(unknown_entrant)
        }),
        limits: None,
        status: MatchStatus::Interrupted,
        forced: None,
        legs: Vec::new(),
        verdict: None,
        origin: None,
        signature: None,
    }
}

fn unknown_entrant() -> EntrantRecord {
    EntrantRecord {
        name: "?".to_owned(),
        kind: EntrantKind::Human,
        protocol: None,
        settings: None,
    }
}
