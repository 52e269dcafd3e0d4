//! Checks of whole legs: determinism, copies, steps after the end, and the verdict.

use super::random_legs::{
    KeptReplies, RandomLeg, RandomLegs, as_text, kept_reply_token, random_replies,
};
use crate::erased::{AnyLeg, AnySetup, AnySink, Checkpoint};
use crate::game::{Scope, ToMove, Verdict};
use crate::reply::{Fault, Reply};
use crate::seat::{BySeat, Seat};

/// The results that must be the same when a leg is played again.
#[derive(PartialEq)]
struct LegTrace {
    setup: String,
    hashes: Vec<u64>,
    text: String,
    outcome: String,
}

impl AnySink for LegTrace {
    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        self.hashes.push(at.hash());
    }
}

fn trace_leg(setup: &dyn AnySetup, said: &[KeptReplies]) -> LegTrace {
    let (hashes, text, outcome) = Default::default();
    let mut trace = LegTrace {
        setup: setup.to_json().to_string(),
        hashes,
        text,
        outcome,
    };
    let mut leg = setup.start_leg();
    for replies in said {
        leg.step(as_text(replies), &mut trace);
        trace.hashes.push(leg.hash());
    }
    trace.text = leg.state_text();
    trace.outcome = format!("{:?}", leg.outcome());
    trace
}

/// The same seed deals the same setup, and the same replies lead to the same states.
pub fn same_replies_same_states(bench: &RandomLegs<'_>) -> Result<usize, String> {
    for played in &bench.played {
        let (one, other) = (
            bench.deal_setup(played.seed)?,
            bench.deal_setup(played.seed)?,
        );
        let (one, other) = (
            trace_leg(&*one, &played.said),
            trace_leg(&*other, &played.said),
        );
        let (what, same) = match () {
            () if one.setup != other.setup => ("the setup", false),
            () if one.hashes != other.hashes => ("a state hash", false),
            () => (
                "the end",
                one == other && one.text == played.end.state_text(),
            ),
        };
        if !same {
            return Err(format!(
                "seed {}: {what} differs when the leg is played again",
                played.seed
            ));
        }
    }
    Ok(bench.played.len())
}

/// Whether two setups lead to the same states under the same replies.
pub(super) fn go_the_same_way(
    said: &[KeptReplies],
    one: &dyn AnySetup,
    other: &dyn AnySetup,
) -> bool {
    trace_leg(one, said) == trace_leg(other, said)
}

/// A copy does not change with its original, and reaches the same states under the same replies.
pub fn clones_are_independent(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(2);
    for (_, leg) in bench.all_moments() {
        let replies = random_replies(leg, &mut rng, false)?;
        let before = leg.state_text();
        let (mut one, mut other) = (leg.clone_leg(), leg.clone_leg());
        one.step(as_text(&replies), &mut ());
        if other.state_text() != before || leg.state_text() != before {
            return Err(format!(
                "a copy changed when its original was played on from\n{before}"
            ));
        }
        let after = one.state_text();
        other.step(as_text(&replies), &mut ());
        if other.state_text() != after || one.state_text() != after {
            return Err(format!(
                "a copy went another way under {} from\n{before}",
                kept_reply_token(&replies)
            ));
        }
    }
    Ok(bench.all_moments().count())
}

/// A step after the end changes nothing.
pub fn over_is_over(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let word = bench.vocabulary.first().cloned().unwrap_or_default();
    let action = Some(Reply::Action(word));
    let fault = Some(Reply::Fault(Fault::Crashed));
    let rows = [
        KeptReplies::new(None, None),
        KeptReplies::new(action.clone(), action.clone()),
        KeptReplies::new(fault.clone(), None),
        KeptReplies::new(None, fault.clone()),
        KeptReplies::new(fault, action),
    ];
    for played in &bench.played {
        let mut leg = played.end.clone_leg();
        for row in &rows {
            leg.step(as_text(row), &mut ());
            if describe_leg(&*leg) != describe_leg(&*played.end) {
                return Err(format!(
                    "the replies {} changed a leg that was over",
                    kept_reply_token(row)
                ));
            }
        }
    }
    Ok(bench.played.len() * rows.len())
}

/// Everything that a leg reports about itself.
pub(super) fn describe_leg(leg: &dyn AnyLeg) -> String {
    let outcome = leg.outcome();
    format!(
        "{:?} {} {outcome:?} {:?}\n{}",
        leg.to_move(),
        leg.period(),
        leg.scores(),
        leg.state_text()
    )
}

/// Any number of legs has a verdict, and exchanging the entrants exchanges the winner.
pub fn verdict_is_total(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut cases = 0;
    for played in &bench.played {
        let ends = play_all_to_end(bench, played)?;
        for count in 0..=ends.len().min(4) {
            let legs: Vec<_> = ends[..count].iter().map(|leg| leg.clone_leg()).collect();
            let (once, again) = (
                played.setup.decide_match(&legs),
                played.setup.decide_match(&legs),
            );
            if once != again {
                return Err(format!(
                    "the verdict over the same {count} legs differs: {once:?}, {again:?}"
                ));
            }
            cases += 1;
        }
        for one in &ends {
            for other in &ends {
                exchange_legs(bench, &*played.setup, &**one, &**other)?;
                cases += 1;
            }
        }
    }
    Ok(cases)
}

/// Finished legs of one setup: random ones, and legs that end by a fault of either seat.
fn play_all_to_end(
    bench: &RandomLegs<'_>,
    played: &RandomLeg,
) -> Result<Vec<Box<dyn AnyLeg>>, String> {
    let mut rng = bench.salted_rng(3);
    let mut ends = vec![played.end.clone_leg()];
    for careful in [false, true] {
        let mut leg = played.setup.start_leg();
        while leg.to_move() != ToMove::Nobody {
            let replies = random_replies(&*leg, &mut rng, careful)?;
            leg.step(as_text(&replies), &mut ());
        }
        ends.push(leg);
    }
    for seat in Seat::BOTH {
        for moment in &played.moments {
            if moment.to_move().asks_seat(seat) {
                let mut leg = moment.clone_leg();
                let mut said = random_replies(&*leg, &mut rng, false)?;
                said[seat] = Some(Reply::Fault(Fault::Crashed));
                leg.step(as_text(&said), &mut ());
                if leg.outcome().is_some() {
                    ends.push(leg);
                    break;
                }
            }
        }
    }
    Ok(ends)
}

/// Exchanges the entrants: `[one, other]` with A first in leg 1 becomes `[other, one]`.
fn exchange_legs(
    bench: &RandomLegs<'_>,
    setup: &dyn AnySetup,
    one: &dyn AnyLeg,
    other: &dyn AnyLeg,
) -> Result<(), String> {
    let decisive = [one, other].map(|leg| leg.outcome().map(|outcome| outcome.scope));
    if decisive == [Some(Scope::Match); 2] {
        return Ok(()); // The match had ended before its second leg.
    }
    let verdict: Verdict = setup.decide_match(&[one.clone_leg(), other.clone_leg()]);
    let exchanged = setup.decide_match(&[other.clone_leg(), one.clone_leg()]);
    let ordered = |verdict: &Verdict| bench.options.ordered_reasons.contains(&verdict.reason.id);
    if ordered(&verdict) || ordered(&exchanged) {
        return Ok(());
    }
    if verdict.winner != exchanged.winner.map(|winner| winner.other())
        || verdict.reason != exchanged.reason
    {
        let scores: BySeat<i32> = one.scores();
        return Err(format!(
            "the verdict is {verdict:?}, with exchanged entrants {exchanged:?}; leg scores {scores:?} and {:?}",
            other.scores()
        ));
    }
    Ok(())
}
