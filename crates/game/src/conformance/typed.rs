//! Checks that need types: equality of actions, setups and positions.

use serde_json::Value;

use super::ConformanceOptions;
use crate::game::Replies;
use crate::game::{Game, ToMove};
use crate::reply::Reply;
use crate::rng::{Rng, mix_seed};
use crate::seat::Seat;

/// Every legal action is read back from its notation, and two actions never share a notation.
pub fn actions_read_back<G: Game>(options: &ConformanceOptions) -> Result<usize, String> {
    let mut cases = 0;
    every_position::<G>(options, |_, position, setup, _| {
        for seat in Seat::BOTH {
            let mut legal = Vec::new();
            position.legal_actions(setup, seat, &mut legal);
            for action in legal {
                let text = G::write_action(action);
                let read = G::read_action(&text);
                if read != Some(action) {
                    return Err(format!(
                        "{action:?} is written {text:?} and read back as {read:?}"
                    ));
                }
                cases += 1;
            }
        }
        Ok(())
    })?;
    Ok(cases)
}

/// Positions along a leg, and the positions after two different replies, have equal state texts
/// exactly when they are equal. Positions of different legs are not compared: a text may omit facts
/// of the past.
pub fn equal_texts_mean_equal_positions<G: Game>(
    options: &ConformanceOptions,
) -> Result<usize, String> {
    let mut cases = 0;
    let (mut when, mut seen) = ((0, 0), Vec::new());
    every_position::<G>(options, |leg, position, setup, rng| {
        let here = (position.clone(), write_state_text(position, setup));
        // Only positions of one period are compared: different periods differ anyway.
        if when != (leg, position.period()) {
            when = (leg, position.period());
            seen.clear();
        }
        seen.iter()
            .try_for_each(|earlier| check_equal(earlier, &here))?;
        seen.push(here);
        let ahead = list_successors(position, setup, rng);
        for (index, one) in ahead.iter().enumerate() {
            for other in &ahead[..index] {
                check_equal(one, other)?;
                cases += 1;
            }
        }
        Ok(())
    })?;
    Ok(cases)
}

fn check_equal<G: Game>(one: &(G, String), other: &(G, String)) -> Result<(), String> {
    if (one.0 == other.0) == (one.1 == other.1) {
        return Ok(());
    }
    let (which, what) = if one.1 == other.1 {
        ("texts", "positions")
    } else {
        ("positions", "texts")
    };
    Err(format!(
        "equal {which}, but different {what}:\n{}{}{:?}\n{:?}",
        one.1, other.1, one.0, other.0
    ))
}

/// The positions after a few different legal replies.
fn list_successors<G: Game>(position: &G, setup: &G::Setup, rng: &mut Rng) -> Vec<(G, String)> {
    let mut ahead = Vec::new();
    for _ in 0..6 {
        let Some(replies) = sample_reply(position, setup, rng) else {
            break;
        };
        let mut after = position.clone();
        after.step(setup, replies, &mut ());
        let text = write_state_text(&after, setup);
        ahead.push((after, text));
    }
    ahead
}

/// A setup equals itself read back, and deals again as itself; the position it starts too.
pub fn setups_stay_equal<G: Game>(options: &ConformanceOptions) -> Result<usize, String> {
    for index in 0..options.legs {
        let (config, seed) = (
            read_config::<G>(options)?,
            mix_seed(options.seed, index as u64 + 1),
        );
        let setup = deal_setup::<G>(&config, seed)?;
        let text = serde_json::to_string(&setup)
            .map_err(|why| format!("{setup:?} is not written: {why}"))?;
        let read: G::Setup =
            serde_json::from_str(&text).map_err(|why| format!("{text} is not read: {why}"))?;
        if read != setup || deal_setup::<G>(&config, seed)? != setup {
            return Err(format!(
                "seed {seed}: the setup {setup:?} does not stay equal"
            ));
        }
        if G::start(&read) != G::start(&setup) {
            return Err(format!(
                "seed {seed}: equal setups start different positions"
            ));
        }
    }
    Ok(options.legs)
}

/// Plays random legs and shows every position but the last of each, with the index of its leg.
fn every_position<G: Game>(
    options: &ConformanceOptions,
    mut visit: impl FnMut(usize, &G, &G::Setup, &mut Rng) -> Result<(), String>,
) -> Result<(), String> {
    let config = read_config::<G>(options)?;
    for index in 0..options.legs {
        let seed = mix_seed(options.seed, index as u64 + 1);
        let setup = deal_setup::<G>(&config, seed)?;
        let mut rng = Rng::new(seed);
        let mut position = G::start(&setup);
        for _ in 0..options.max_steps {
            if position.to_move() == ToMove::Nobody {
                break;
            }
            visit(index, &position, &setup, &mut rng)
                .map_err(|why| format!("seed {seed}: {why}"))?;
            let Some(replies) = choose_careful_reply(&position, &setup, &mut rng) else {
                break;
            };
            position.step(&setup, replies, &mut ());
        }
    }
    Ok(())
}

/// The first of a few random replies after which nobody has a lower score, if there is one.
fn choose_careful_reply<G: Game>(
    position: &G,
    setup: &G::Setup,
    rng: &mut Rng,
) -> Option<Replies<G>> {
    let before = position.scores();
    let mut replies = sample_reply(position, setup, rng)?;
    for _ in 0..4 {
        let mut after = position.clone();
        after.step(setup, replies, &mut ());
        let scores = after.scores();
        if Seat::BOTH
            .into_iter()
            .all(|seat| scores[seat] >= before[seat])
        {
            break;
        }
        replies = sample_reply(position, setup, rng)?;
    }
    Some(replies)
}

fn sample_reply<G: Game>(position: &G, setup: &G::Setup, rng: &mut Rng) -> Option<Replies<G>> {
    let mut replies = Replies::<G>::new(None, None);
    for seat in Seat::BOTH
        .into_iter()
        .filter(|seat| position.to_move().asks_seat(*seat))
    {
        replies[seat] = Some(Reply::Action(position.sample_action(setup, seat, rng)?));
    }
    Some(replies)
}

fn write_state_text<G: Game>(position: &G, setup: &G::Setup) -> String {
    let mut text = String::new();
    position
        .state_text(setup, &mut text)
        .expect("a String takes every text");
    text
}

fn read_config<G: Game>(options: &ConformanceOptions) -> Result<G::Config, String> {
    match &options.config {
        Value::Null => Ok(G::Config::default()),
        choices => serde::Deserialize::deserialize(choices)
            .map_err(|why| format!("the config is refused: {why}")),
    }
}

fn deal_setup<G: Game>(config: &G::Config, seed: u64) -> Result<G::Setup, String> {
    G::deal(config, seed).map_err(|why| format!("seed {seed} deals no setup: {why}"))
}
