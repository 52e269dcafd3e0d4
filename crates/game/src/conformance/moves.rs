//! Checks of actions: their notation, and which of them are legal.

use std::collections::BTreeSet;

use super::RandomLegs;
use crate::erased::AnyLeg;
use crate::seat::Seat;

/// Notations are not empty, not `-`, and ASCII without white space, `/` or `!`, so that a replay
/// can contain them.
pub fn notation_is_plain(bench: &RandomLegs<'_>) -> Result<usize, String> {
    for word in &bench.vocabulary {
        let plain = word
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'/' && byte != b'!');
        if !plain || word.is_empty() || word == "-" {
            return Err(format!("the notation {word:?} cannot stand in a replay"));
        }
        if !bench.all_moments().all(|(_, leg)| leg.knows_action(word)) {
            return Err(format!("the notation {word:?} is written, but not read"));
        }
    }
    Ok(bench.vocabulary.len())
}

/// Every listed action passes the check; every word of the game that passes it is listed (unless
/// lists are partial); a seat that is not asked has no legal action, an asked seat has at least
/// one.
pub fn legal_agrees_with_check(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut cases = 0;
    let ends = bench.played.iter().map(|played| &*played.end);
    for leg in bench.all_moments().map(|(_, leg)| leg).chain(ends) {
        for seat in Seat::BOTH {
            cases += compare_legal_actions(bench, leg, seat)
                .map_err(|why| format!("{why} in\n{}", leg.state_text()))?;
        }
    }
    Ok(cases)
}

fn compare_legal_actions(
    bench: &RandomLegs<'_>,
    leg: &dyn AnyLeg,
    seat: Seat,
) -> Result<usize, String> {
    let listed = leg.legal_actions(seat);
    let legal: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
    if legal.len() != listed.len() {
        return Err(format!("legal lists an action of {seat} twice: {listed:?}"));
    }
    if legal.is_empty() == leg.to_move().asks_seat(seat) {
        return Err(format!(
            "{:?} to move, but legal lists {listed:?} for {seat}",
            leg.to_move()
        ));
    }
    for &action in &legal {
        leg.check_action(seat, action)
            .map_err(|why| format!("legal lists {action:?} of {seat}, check says {why}"))?;
    }
    let partial = bench.options.partial_legal && leg.to_move().asks_seat(seat);
    for word in bench
        .vocabulary
        .iter()
        .filter(|word| !partial && !legal.contains(word.as_str()))
    {
        if leg.check_action(seat, word).is_ok() {
            return Err(format!(
                "check accepts {word:?} of {seat}, legal lists only {listed:?}"
            ));
        }
    }
    Ok(bench.vocabulary.len())
}

/// A sample is legal, and exactly the asked seats have one.
pub fn samples_are_legal(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(1);
    let mut cases = 0;
    let ends = bench.played.iter().map(|played| &*played.end);
    for leg in bench.all_moments().map(|(_, leg)| leg).chain(ends) {
        for seat in [Seat::First, Seat::Second, Seat::First, Seat::Second] {
            cases += 1;
            match leg.sample_action(seat, &mut rng) {
                Some(action) => {
                    leg.check_action(seat, &action)
                        .map_err(|why| format!("the sample {action:?} of {seat} {why}"))?;
                }
                None if leg.to_move().asks_seat(seat) => {
                    return Err(format!("no sample for {seat}, who is asked"));
                }
                None => {}
            }
        }
    }
    Ok(cases)
}
