//! Checks of what a fault costs, and which seat it costs.

use super::legs::describe_leg;
use super::random_legs::{KeptReplies, RandomLegs, as_text, kept_reply_token, random_replies};
use crate::erased::AnyLeg;
use crate::game::ToMove;
use crate::reply::{Fault, Reply};
use crate::rng::Rng;
use crate::seat::{BySeat, Seat};

/// Every fault and every illegal action, of either seat and of both, ends the leg with the right
/// culprit or lets it continue.
pub fn faults_cost_the_offender(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(4);
    let mut cases = 0;
    for (_, leg) in bench.all_moments() {
        for offenders in [&[Seat::First][..], &[Seat::Second], &Seat::BOTH] {
            if !offenders.iter().all(|seat| leg.to_move().asks_seat(*seat)) {
                continue;
            }
            for fault in Fault::ALL {
                let mut said = random_replies(leg, &mut rng, false)?;
                offenders
                    .iter()
                    .for_each(|seat| said[*seat] = Some(Reply::Fault(fault)));
                commit_faults(
                    leg,
                    &said,
                    BySeat::from_fn(|s| offenders.contains(&s).then_some(fault)),
                    &mut rng,
                )?;
                cases += 1;
            }
        }
        cases += illegal_actions(bench, leg, &mut rng)?;
    }
    Ok(cases)
}

fn illegal_actions(
    bench: &RandomLegs<'_>,
    leg: &dyn AnyLeg,
    rng: &mut Rng,
) -> Result<usize, String> {
    let mut cases = 0;
    for seat in Seat::BOTH
        .into_iter()
        .filter(|seat| leg.to_move().asks_seat(*seat))
    {
        for word in bench
            .vocabulary
            .iter()
            .filter(|word| leg.check_action(seat, word).is_err())
        {
            let mut said = random_replies(leg, rng, false)?;
            said[seat] = Some(Reply::Action(word.clone()));
            let mut faults = BySeat::default();
            faults[seat] = Some(Fault::Illegal);
            commit_faults(leg, &said, faults, rng)?;
            cases += 1;
        }
    }
    Ok(cases)
}

fn commit_faults(
    leg: &dyn AnyLeg,
    said: &KeptReplies,
    faults: BySeat<Option<Fault>>,
    rng: &mut Rng,
) -> Result<(), String> {
    let at = |why: String| {
        format!(
            "{why} after {} in\n{}",
            kept_reply_token(said),
            leg.state_text()
        )
    };
    let mut after = leg.clone_leg();
    after.step(as_text(said), &mut ());
    let Some(outcome) = after.outcome() else {
        let over = after.to_move() == ToMove::Nobody;
        return if over {
            Err(at("nobody is asked, but there is no outcome".into()))
        } else {
            go_on(after, rng)
        };
    };
    if after.to_move() != ToMove::Nobody {
        return Err(at("there is an outcome, but somebody is asked".into()));
    }
    for seat in Seat::BOTH {
        if outcome.faults[seat].is_some() && outcome.faults[seat] != faults[seat] {
            return Err(at(format!(
                "{seat} is blamed for {:?}",
                outcome.faults[seat]
            )));
        }
        let alone = outcome.faults[seat].is_some() && outcome.faults[seat.other()].is_none();
        if alone && outcome.winner == Some(seat) {
            return Err(at(format!("{seat} wins by its own fault")));
        }
    }
    if outcome.faults == BySeat::default() && !ends_anyway(leg, rng)? {
        return Err(at("the leg ended, but nobody is blamed".into()));
    }
    Ok(())
}

/// Whether the leg can end in this step without any fault.
fn ends_anyway(leg: &dyn AnyLeg, rng: &mut Rng) -> Result<bool, String> {
    for _ in 0..8 {
        let mut after = leg.clone_leg();
        after.step(as_text(&random_replies(leg, rng, false)?), &mut ());
        if after.outcome().is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Checks that a leg that survived a fault can be played on.
fn go_on(mut leg: Box<dyn AnyLeg>, rng: &mut Rng) -> Result<(), String> {
    for _ in 0..20 {
        if leg.to_move() == ToMove::Nobody {
            return Ok(());
        }
        let replies = random_replies(&*leg, rng, false)?;
        leg.step(as_text(&replies), &mut ());
    }
    Ok(())
}

/// A missing reply of a seat that is asked counts as [`Fault::Timeout`].
pub fn missing_replies_are_timeouts(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(5);
    let mut cases = 0;
    for (_, leg) in bench.all_moments() {
        for seat in Seat::BOTH
            .into_iter()
            .filter(|seat| leg.to_move().asks_seat(*seat))
        {
            let mut said = random_replies(leg, &mut rng, false)?;
            said[seat] = None;
            let missing = describe_after_step(leg, &said);
            said[seat] = Some(Reply::Fault(Fault::Timeout));
            let late = describe_after_step(leg, &said);
            if missing != late {
                return Err(format!(
                    "no reply of {seat} leads to\n{missing}, a timeout to\n{late}"
                ));
            }
            cases += 1;
        }
    }
    Ok(cases)
}

/// The reply of a seat that is not asked changes nothing.
pub fn unasked_replies_are_ignored(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(6);
    let mut cases = 0;
    for (_, leg) in bench.all_moments() {
        for seat in Seat::BOTH
            .into_iter()
            .filter(|seat| !leg.to_move().asks_seat(*seat))
        {
            let mut said = random_replies(leg, &mut rng, false)?;
            let alone = describe_after_step(leg, &said);
            let word = rng.next_below(bench.vocabulary.len());
            let words = bench.vocabulary.get(word).cloned().map(Reply::Action);
            for unasked in words.into_iter().chain(Fault::ALL.map(Reply::Fault)) {
                said[seat] = Some(unasked);
                if describe_after_step(leg, &said) != alone {
                    return Err(format!(
                        "{seat} is not asked, but {:?} changes the step",
                        said[seat]
                    ));
                }
                cases += 1;
            }
        }
    }
    Ok(cases)
}

fn describe_after_step(leg: &dyn AnyLeg, said: &KeptReplies) -> String {
    let mut after = leg.clone_leg();
    after.step(as_text(said), &mut ());
    describe_leg(&*after)
}
