//! Checks of setups and configs as JSON.

use serde_json::Value;

use super::mutate::mutate_value;
use super::random_legs::{RandomLegs, as_text, random_replies};
use crate::erased::AnySetup;
use crate::game::ToMove;
use crate::rng::Rng;

/// A setup that is written and read again, as text, is the same and starts the same leg.
pub fn setups_read_back(bench: &RandomLegs<'_>) -> Result<usize, String> {
    for played in &bench.played {
        let json = played.setup.to_json();
        let text = json.to_string();
        let read: Value = serde_json::from_str(&text).map_err(|why| format!("{text}: {why}"))?;
        let loaded = bench
            .game
            .read_setup(&read)
            .map_err(|why| format!("the own setup is refused: {why}; {text}"))?;
        if loaded.to_json() != json {
            return Err(format!(
                "the setup {json} is read back as {}",
                loaded.to_json()
            ));
        }
        let (start, again) = (played.setup.start_leg(), loaded.start_leg());
        if start.state_text() != again.state_text()
            || played.setup.max_rounds() != loaded.max_rounds()
        {
            return Err(format!("the setup {json} read back starts another leg"));
        }
        if !super::legs::go_the_same_way(&played.said, &*played.setup, &*loaded) {
            return Err(format!("the setup {json} read back plays differently"));
        }
    }
    Ok(bench.played.len())
}

/// A damaged setup is refused, or is valid: it can be played and read back. Nothing panics.
pub fn mutated_setups_are_checked(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(7);
    for index in 0..bench.options.mutations {
        let Some(played) = bench.played.get(index % bench.played.len().max(1)) else {
            return Ok(0);
        };
        let mut damaged = played.setup.to_json();
        for _ in 0..=rng.next_below(3) {
            damaged = mutate_value(&damaged, &mut rng);
        }
        if let Ok(setup) = bench.game.read_setup(&damaged) {
            try_out(&*setup, &mut rng)
                .map_err(|why| format!("the setup {damaged} is accepted, but {why}"))?;
        }
    }
    Ok(bench.options.mutations)
}

/// A damaged config is refused, or deals a valid setup. Nothing panics.
pub fn mutated_configs_are_checked(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let again = bench
        .game
        .read_config(&bench.config)
        .map_err(|why| format!("the own config is refused: {why}"))?;
    if again != bench.config {
        return Err(format!(
            "the config {} is read back as {again}",
            bench.config
        ));
    }
    let mut rng = bench.salted_rng(8);
    for _ in 0..bench.options.mutations {
        let damaged = mutate_value(&bench.config, &mut rng);
        let _refused = bench.game.read_config(&damaged); // The test is that it returns.
        if let Ok(setup) = bench.game.deal_setup(&damaged, rng.next_u64()) {
            try_out(&*setup, &mut rng)
                .map_err(|why| format!("the config {damaged} is accepted, but {why}"))?;
        }
    }
    Ok(bench.options.mutations)
}

fn try_out(setup: &dyn AnySetup, rng: &mut Rng) -> Result<(), String> {
    let mut leg = setup.start_leg();
    for _ in 0..100 {
        if leg.to_move() == ToMove::Nobody {
            break;
        }
        let replies = random_replies(&*leg, rng, false)?;
        leg.step(as_text(&replies), &mut ());
    }
    if leg.round() > setup.max_rounds() {
        return Err(format!(
            "round {} comes after the last, {}",
            leg.round(),
            setup.max_rounds()
        ));
    }
    Ok(())
}
