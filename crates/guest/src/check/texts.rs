//! State texts must tell every two positions apart: a replay is verified by them.

use leitai_game::Perspective;
use leitai_game::conformance::{RandomLegs, as_text, random_replies};
use leitai_game::erased::AnyLeg;

use super::input::{input_line, tokens};

/// Different replies that are tried in each position.
const REPLIES: usize = 5;

/// Positions after different replies that have one text show one view and score.
pub(super) fn check_texts_differ(bench: &RandomLegs<'_>) -> Result<usize, (String, String)> {
    let mut cases = 0;
    let mut rng = bench.salted_rng(33);
    for played in &bench.played {
        let mut leg = played.setup.start_leg();
        for (step, said) in played.said.iter().enumerate() {
            let mut ahead: Vec<Box<dyn AnyLeg>> = Vec::new();
            let input = || input_line(bench, played.seed, &tokens(&played.said[..step]));
            for _ in 0..REPLIES {
                let replies = random_replies(&*leg, &mut rng, false);
                let replies = replies.map_err(|why| (why, input()))?;
                let mut after = leg.clone_leg();
                after.step(as_text(&replies), &mut ());
                for other in &ahead {
                    compare(&*after, &**other).map_err(|why| (why, input()))?;
                    cases += 1;
                }
                ahead.push(after);
            }
            leg.step(as_text(said), &mut ());
        }
    }
    Ok(cases)
}

fn compare(one: &dyn AnyLeg, other: &dyn AnyLeg) -> Result<(), String> {
    let text = one.state_text();
    if text != other.state_text() {
        return Ok(());
    }
    let views = [one, other].map(|leg| leg.view(Perspective::All));
    if views[0] != views[1] {
        return Err(format!(
            "two positions have the same text, but differ: {} and {}; the text is {text:?}",
            views[0], views[1]
        ));
    }
    let known = [one, other].map(|leg| (leg.to_move(), leg.scores(), leg.outcome()));
    match known[0] == known[1] {
        true => Ok(()),
        false => Err(format!(
            "two positions have the same text, but other scores, seats to move or ends; the text is {text:?}"
        )),
    }
}
