//! Checks of recorded matches: they verify, and every change is found.

use serde_json::json;

use super::random_legs::{KeptReplies, RandomLeg, RandomLegs, as_text, random_replies};
use crate::erased::{AnyLeg, AnySetup};
use crate::game::{Scope, ToMove};
use crate::invalid::InvalidSetup;
use crate::replay::{
    Difference, EntrantKind, EntrantRecord, FORMAT, LegRecord, MatchStatus, Recorder, Replay,
    ReplayWalker, VerdictRecord, Verified, verify_replay,
};
use crate::reply::{Fault, Reply};
use crate::rng::Rng;
use crate::seat::{ByEntrant, Entrant, Seat};

/// Recorded matches, complete and interrupted, are written, read and verified.
pub fn replays_verify(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(9);
    for played in &bench.played {
        for fault in [false, true] {
            let replay = record_played(bench, played, fault, &mut rng)?;
            let read =
                Replay::parse(&replay.to_text()).map_err(|why| format!("an own replay: {why}"))?;
            if read != replay {
                return Err(format!(
                    "a replay is read back changed:\n{}",
                    replay.to_text()
                ));
            }
            let verified = verify_agrees(bench, &read)?;
            if !verified.complete || verified.legs != replay.legs.len() || verified.hashes == 0 {
                return Err(format!(
                    "only {verified:?} was compared of {} legs",
                    replay.legs.len()
                ));
            }
            verify_agrees(bench, &interrupt_replay(replay, &*played.setup)?)?;
        }
    }
    Ok(3 * bench.played.len())
}

fn verify_agrees(bench: &RandomLegs<'_>, replay: &Replay) -> Result<Verified, String> {
    let verified = verify_replay(bench.game, replay)
        .map_err(|why| format!("an own replay cannot be played: {why}"))?;
    verified.map_err(|difference| format!("an own replay differs: {difference}"))
}

/// Plays a match on the leg's setup; `fault` ends the last leg by one.
fn record_played(
    bench: &RandomLegs<'_>,
    played: &RandomLeg,
    fault: bool,
    rng: &mut Rng,
) -> Result<Replay, String> {
    let meta = bench.game.meta();
    let (mut legs, mut ends) = (Vec::new(), Vec::new());
    for index in 0..meta.legs {
        let stop = (fault && index + 1 == meta.legs).then_some(played.said.len() / 2);
        let (leg, end) = record_leg(&*played.setup, stop, rng)?;
        legs.push(leg);
        let decided = end
            .outcome()
            .is_some_and(|outcome| outcome.scope == Scope::Match);
        ends.push(end);
        if decided {
            break;
        }
    }
    let entrant = |name: &str| EntrantRecord {
        name: name.into(),
        kind: EntrantKind::BuiltIn,
        protocol: None,
        settings: None,
    };
    Ok(Replay {
        format: FORMAT.into(),
        game: meta.id.into(),
        rules: meta.rules.into(),
        engine: "conformance kit".into(),
        recorded: None,
        seed: Some(played.seed),
        config: bench.config.clone(),
        setup: played.setup.to_json(),
        entrants: ByEntrant::new(entrant("one"), entrant("other")),
        limits: None,
        status: MatchStatus::Complete,
        legs,
        verdict: Some(VerdictRecord::from(&played.setup.decide_match(&ends))),
        forced: None,
        origin: None,
        signature: None,
    })
}

/// Records a leg. Legs that will be stopped by a fault are played carefully, so that they last
/// until then.
fn record_leg(
    setup: &dyn AnySetup,
    stop: Option<usize>,
    rng: &mut Rng,
) -> Result<(LegRecord, Box<dyn AnyLeg>), String> {
    let mut leg = setup.start_leg();
    let mut recorder = Recorder::default();
    while leg.to_move() != ToMove::Nobody {
        let mut said: KeptReplies = random_replies(&*leg, rng, stop.is_some())?;
        if stop.is_some_and(|stop| recorder.step_count() >= stop) {
            let seat = Seat::BOTH
                .into_iter()
                .find(|seat| leg.to_move().asks_seat(*seat))
                .unwrap_or(Seat::First);
            said[seat] = Some(Reply::Fault(Fault::Memory));
        }
        recorder.record_replies(&as_text(&said));
        leg.step(as_text(&said), &mut recorder);
    }
    Ok((recorder.finish_leg(leg.outcome()), leg))
}

/// The same match, aborted in the middle of its last leg.
fn interrupt_replay(mut replay: Replay, setup: &dyn AnySetup) -> Result<Replay, String> {
    if let Some(last) = replay.legs.last_mut() {
        let tokens: Vec<&str> = last.replies.split_ascii_whitespace().collect();
        *last = cut_leg(setup, &tokens[..tokens.len() / 2])?;
    }
    (replay.status, replay.verdict) = (MatchStatus::Interrupted, None);
    Ok(replay)
}

fn cut_leg(setup: &dyn AnySetup, tokens: &[&str]) -> Result<LegRecord, String> {
    let source = LegRecord {
        replies: tokens.join(" "),
        ..LegRecord::default()
    };
    record_again(setup, &source).map_err(|why| format!("an own leg cannot be played: {why}"))
}

/// The record that results from the replies of this one.
fn record_again(setup: &dyn AnySetup, source: &LegRecord) -> Result<LegRecord, InvalidSetup> {
    let mut walk = ReplayWalker::new(setup, source);
    let mut recorder = Recorder::default();
    while walk.next(&mut recorder)?.is_some() {}
    let record = recorder.finish_leg(walk.current_leg().outcome());
    Ok(LegRecord {
        replies: source.replies.clone(),
        ..record
    })
}

/// The name of a planted change, and the changed replay.
type Planted = (String, Replay);

/// A change of a reply, hash, outcome, verdict, seed or rule set is found.
pub fn planted_changes_are_found(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(10);
    let mut cases = 0;
    for (index, played) in bench.played.iter().enumerate() {
        let replay = record_played(bench, played, index % 2 == 1, &mut rng)?;
        let mut planted = changed_ends(&replay);
        planted.extend(changed_hashes(&replay, &mut rng));
        planted.extend(changed_replies(bench, &replay, &*played.setup, &mut rng)?);
        planted.extend(changed_seed(bench, &replay)?);
        for (what, changed) in &planted {
            if let Ok(Ok(verified)) = verify_replay(bench.game, changed) {
                return Err(format!(
                    "{what} is not found: {verified:?} in\n{}",
                    changed.to_text()
                ));
            }
        }
        cases += planted.len();
    }
    Ok(cases)
}

fn changed_ends(replay: &Replay) -> Vec<Planted> {
    let mut planted = Vec::new();
    let mut plant = |what: &str, change: &dyn Fn(&mut Replay)| {
        let mut changed = replay.clone();
        change(&mut changed);
        planted.push((what.to_owned(), changed));
    };
    plant("another rule set", &|replay| replay.rules.push('x'));
    plant("another verdict", &|replay| {
        let verdict = replay.verdict.as_mut().expect("the match is complete");
        verdict.winner = other_value(verdict.winner, Entrant::A, Entrant::B);
    });
    plant("another reason of the verdict", &|replay| {
        replay
            .verdict
            .as_mut()
            .expect("the match is complete")
            .reason
            .push('x');
    });
    plant("a missing verdict", &|replay| replay.verdict = None);
    for leg in 0..replay.legs.len() {
        let mut plant_end = |what: &str, change: &dyn Fn(&mut crate::replay::OutcomeRecord)| {
            plant(&format!("{what} of leg {}", leg + 1), &|replay| {
                change(
                    replay.legs[leg]
                        .outcome
                        .as_mut()
                        .expect("the match is complete"),
                );
            });
        };
        plant_end("another winner", &|end| {
            end.winner = other_value(end.winner, Seat::First, Seat::Second);
        });
        plant_end("another score", &|end| end.scores[Seat::Second] += 1);
        plant_end("another reason", &|end| end.reason.push('x'));
        plant_end("another scope", &|end| {
            end.scope = if end.scope == Scope::Leg {
                Scope::Match
            } else {
                Scope::Leg
            };
        });
        plant_end("another fault", &|end| {
            let fault = &mut end.faults[Seat::First];
            *fault = if *fault == Some(Fault::Output) {
                None
            } else {
                Some(Fault::Output)
            };
        });
        plant(
            &format!("a missing outcome of leg {}", leg + 1),
            &|replay| replay.legs[leg].outcome = None,
        );
    }
    planted
}

/// The first of two values, or the second where the first is there already.
fn other_value<T: PartialEq>(now: Option<T>, first: T, second: T) -> Option<T> {
    Some(if now.as_ref() == Some(&first) {
        second
    } else {
        first
    })
}

fn changed_hashes(replay: &Replay, rng: &mut Rng) -> Vec<Planted> {
    let mut planted = Vec::new();
    for (index, leg) in replay.legs.iter().enumerate() {
        if leg.hashes.is_empty() {
            continue;
        }
        let digit = rng.next_below(leg.hashes.len());
        let mut other = replay.clone();
        flip_digit(&mut other.legs[index].hashes, digit);
        planted.push((format!("hash digit {digit} of leg {}", index + 1), other));
        let mut last = replay.clone();
        last.legs[index]
            .final_hash
            .iter_mut()
            .for_each(|hash| flip_digit(hash, 15));
        planted.push((format!("the final hash of leg {}", index + 1), last));
        let mut short = replay.clone();
        short.legs[index].hashes.truncate(leg.hashes.len() - 2);
        if leg.hashes.len() > 2 {
            planted.push((format!("a missing last hash of leg {}", index + 1), short));
        }
    }
    planted
}

/// Replaces the hexadecimal digit at this place.
fn flip_digit(text: &mut String, place: usize) {
    let other = if text.as_bytes().get(place) == Some(&b'0') {
        "1"
    } else {
        "0"
    };
    text.replace_range(place..=place, other);
}

/// Exchanges, omits, adds and damages replies; keeps the changes that lead to other states.
fn changed_replies(
    bench: &RandomLegs<'_>,
    replay: &Replay,
    setup: &dyn AnySetup,
    rng: &mut Rng,
) -> Result<Vec<Planted>, String> {
    let mut planted = Vec::new();
    for (index, leg) in replay.legs.iter().enumerate() {
        let tokens: Vec<&str> = leg.replies.split_ascii_whitespace().collect();
        for _ in 0..12 {
            let place = rng.next_below(tokens.len());
            let mut changed = tokens.clone();
            let word = bench
                .vocabulary
                .get(rng.next_below(bench.vocabulary.len()))
                .map_or("", String::as_str);
            let other = [word, "!RE", "no-such-action", "!XX"][rng.next_below(4)];
            let both = tokens[place]
                .split_once('/')
                .map(|(first, _)| format!("{first}/{other}"));
            match rng.next_below(4) {
                0 => drop(changed.remove(place)),
                1 => changed.insert(place, tokens[place]),
                _ => changed[place] = both.as_deref().unwrap_or(other),
            }
            let record = LegRecord {
                replies: changed.join(" "),
                ..leg.clone()
            };
            if record_again(setup, &record)
                .is_ok_and(|again| again == *leg || same_states(&again, leg))
            {
                continue;
            }
            let what = format!(
                "leg {}, reply {place} ({}) -> {other:?}",
                index + 1,
                tokens[place]
            );
            let mut replay = replay.clone();
            replay.legs[index] = record;
            planted.push((what, replay));
        }
    }
    Ok(planted)
}

/// Whether two records have the same states: the change was another notation of the same replies.
fn same_states(one: &LegRecord, other: &LegRecord) -> bool {
    (&one.hashes, &one.final_hash, &one.outcome)
        == (&other.hashes, &other.final_hash, &other.outcome)
}

fn changed_seed(bench: &RandomLegs<'_>, replay: &Replay) -> Result<Option<Planted>, String> {
    let seed = replay.seed.map(|seed| seed ^ 1);
    let other = bench.deal_setup(seed.unwrap_or(0))?;
    let planted = (
        "another seed".to_owned(),
        Replay {
            seed,
            ..replay.clone()
        },
    );
    Ok((other.to_json() != replay.setup).then_some(planted))
}

/// An export in a foreign format is imported as a replay that verifies and exports the same text.
/// Garbage is refused without a panic.
pub fn formats_read_back(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(11);
    let mut cases = 0;
    for format in bench.game.replay_formats() {
        for garbage in ["", "x", "{}", "[]", "[[[[", "null", "{\"legs\":[]}"] {
            let _refused = (format.import)(garbage); // The test is that it returns.
        }
        for played in &bench.played {
            let replay = record_played(bench, played, false, &mut rng)?;
            for leg in 0..=replay.legs.len() {
                let Ok(text) = (format.export)(&replay, leg) else {
                    continue;
                };
                let name = format.name;
                round_trip(bench, format, &text)
                    .map_err(|why| format!("{name}, leg {}: {why}", leg + 1))?;
                damage_text(format, &text, &mut rng);
                cases += 1;
            }
        }
    }
    Ok(cases)
}

fn round_trip(
    bench: &RandomLegs<'_>,
    format: &crate::replay::ReplayFormat,
    text: &str,
) -> Result<(), String> {
    let import =
        (format.import)(text).map_err(|why| format!("the own export is refused: {why}"))?;
    let verified: Result<Verified, Difference> = verify_replay(bench.game, &import)
        .map_err(|why| format!("the import cannot be played: {why}"))?;
    verified.map_err(|difference| format!("the import differs: {difference}"))?;
    let again =
        (format.export)(&import, 0).map_err(|why| format!("the import is not exported: {why}"))?;
    let same = again == text || json_of(&again).is_some_and(|value| Some(value) == json_of(text));
    same.then_some(())
        .ok_or_else(|| format!("exported\n{text}\nand again\n{again}"))
}

fn json_of(text: &str) -> Option<serde_json::Value> {
    serde_json::from_str(text).ok()
}

fn damage_text(format: &crate::replay::ReplayFormat, text: &str, rng: &mut Rng) {
    let value = json_of(text).unwrap_or_else(|| json!(text));
    for _ in 0..8 {
        if let Ok(import) = (format.import)(&super::mutate_value(&value, rng).to_string()) {
            let _exported = (format.export)(&import, 0); // The test is that both return.
        }
    }
}
