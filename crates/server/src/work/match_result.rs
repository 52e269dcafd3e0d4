//! Computes the recorded result from a replay. Workers are not trusted: the legs are replayed by
//! the rules.

use leitai_game::replay::{FaultRecord, Replay};
use leitai_game::{AnyGame, AnyLeg, ByEntrant, Entrant, Outcome, Seat, Text};
use leitai_series::game_record::JudgedMatch;
use leitai_store::{Json, MatchResult, MatchWinner, PerSide};
use serde_json::json;

/// The result of a match from its replay. The error says why the replay does not belong to this
/// match.
pub fn match_result(
    game: &dyn AnyGame,
    replay: &Replay,
    longest_us: &ByEntrant<u64>,
    key: Option<String>,
) -> Result<MatchResult, String> {
    let judged = JudgedMatch::of_replay(game, replay)?;
    Ok(leg_summaries(replay, &judged, longest_us, key))
}

/// The result of a match of an experiment, with the summary by which its pair is counted. `legs` is the
/// most that were to be played. Who of the pair is which entrant is known to the experiment.
pub fn experiment_result(
    game: &dyn AnyGame,
    replay: &Replay,
    (seed, legs): (u64, usize),
    longest_us: &ByEntrant<u64>,
) -> Result<MatchResult, String> {
    let judged = JudgedMatch::of_replay(game, replay)?;
    let mut record = json!(judged.record([0, 1], (seed, legs), replay));
    // What a benchmark says of how it was played.
    record["rules"] = json!(replay.rules);
    record["isolation"] = json!(replay.limits.as_ref().map(|limits| &limits.isolation));
    Ok(MatchResult {
        record: Some(record),
        ..leg_summaries(replay, &judged, longest_us, None)
    })
}

fn leg_summaries(
    replay: &Replay,
    judged: &JudgedMatch,
    longest_us: &ByEntrant<u64>,
    key: Option<String>,
) -> MatchResult {
    let JudgedMatch {
        ends,
        outcomes,
        verdict,
        ..
    } = judged;
    let legs = replay.legs.iter().zip(1..);
    let faults: Vec<(usize, &FaultRecord)> = legs
        .flat_map(|(leg, number)| leg.faults.iter().map(move |fault| (number, fault)))
        .collect();
    let count = |entrant: Entrant| {
        faults
            .iter()
            .filter(|(_, fault)| fault.entrant == entrant)
            .count() as i32
    };
    let longest = |entrant: Entrant| i64::try_from(longest_us[entrant]).ok();
    let scores: Vec<[i32; 2]> = outcomes
        .iter()
        .enumerate()
        .map(|(index, leg)| entrant_scores(index, leg))
        .collect();
    let legs: Vec<Json> = outcomes
        .iter()
        .enumerate()
        .map(|(index, _)| leg_summary(replay, ends, outcomes, index))
        .collect();
    MatchResult {
        winner: match_winner(verdict.winner),
        reason: localized_json(verdict.reason.id, verdict.reason.text),
        scores: json!(scores),
        leg_outcomes: Json::Array(legs),
        faults: faults
            .iter()
            .map(|(leg, fault)| fault_summary(*leg, fault))
            .collect(),
        fault_counts: PerSide {
            a: count(Entrant::A),
            b: count(Entrant::B),
        },
        longest_us: PerSide {
            a: longest(Entrant::A),
            b: longest(Entrant::B),
        },
        cpu_us: measured_cpu(replay),
        replay: key,
        games: replay.list_games(),
        record: None,
    }
}

/// The CPU time of both entrants in all legs, in microseconds; wall time where CPU time was not
/// measured.
fn measured_cpu(replay: &Replay) -> i64 {
    let legs = replay.legs.iter().flat_map(|leg| {
        let wall = leg.times_us.iter().enumerate();
        wall.map(|(at, wall)| leg.cpu_us.get(at).copied().flatten().unwrap_or(*wall))
    });
    i64::try_from(legs.fold(0, u64::saturating_add)).unwrap_or(i64::MAX)
}

/// A fault in lists: entrant, code and place.
fn fault_summary(leg: usize, fault: &FaultRecord) -> Json {
    let FaultRecord {
        entrant,
        code,
        round,
        step,
        ..
    } = fault;
    json!({"entrant": side_name(*entrant), "code": code, "leg": leg, "round": round, "step": step})
}

fn leg_summary(
    replay: &Replay,
    ends: &[Box<dyn AnyLeg>],
    outcomes: &[Outcome],
    index: usize,
) -> Json {
    let (record, outcome) = (&replay.legs[index], &outcomes[index]);
    let faults: Vec<Json> = record
        .faults
        .iter()
        .map(|fault| json!({"entrant": side_name(fault.entrant), "code": fault.code, "round": fault.round, "what": fault.what}))
        .collect();
    json!({
        "first": side_name(Seat::First.entrant_in_leg(index)),
        "winner": match_winner(outcome.winner.map(|seat| seat.entrant_in_leg(index))),
        "scores": entrant_scores(index, outcome),
        "reason": localized_json(outcome.reason.id, outcome.reason.text),
        "rounds": ends[index].round(),
        "steps": record.replies.split_ascii_whitespace().count(),
        "faults": faults,
        "reruns": record.reruns.len(),
    })
}

fn entrant_scores(index: usize, outcome: &Outcome) -> [i32; 2] {
    Entrant::BOTH.map(|entrant| outcome.scores[entrant.seat_in_leg(index)])
}

fn localized_json(id: &str, text: Text) -> Json {
    json!({"id": id, "en": text.en, "zh": text.zh})
}

fn side_name(entrant: Entrant) -> &'static str {
    match entrant {
        Entrant::A => "a",
        Entrant::B => "b",
    }
}

fn match_winner(entrant: Option<Entrant>) -> MatchWinner {
    match entrant {
        Some(Entrant::A) => MatchWinner::A,
        Some(Entrant::B) => MatchWinner::B,
        None => MatchWinner::Draw,
    }
}
