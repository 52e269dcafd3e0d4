//! Any JSON as a config and as a setup: what is accepted reads back and can be played to its end.
#![no_main]

use leitai_game::conformance::{as_text, random_replies};
use leitai_game::{AnySetup, Rng, ToMove};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: (u64, &str)| {
    let (seed, text) = data;
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return;
    };
    let game = leitai_games::ALL[seed as usize % leitai_games::ALL.len()];
    if let Ok(setup) = game.read_setup(&value) {
        assert_eq!(
            game.read_setup(&setup.to_json()).expect("an own setup").to_json(),
            setup.to_json()
        );
        play(&*setup, seed);
    }
    if let Ok(config) = game.read_config(&value) {
        assert_eq!(game.read_config(&config).as_ref(), Ok(&config));
        if let Ok(setup) = game.deal_setup(&config, seed) {
            play(&*setup, seed);
        }
    }
});

fn play(setup: &dyn AnySetup, seed: u64) {
    let (mut leg, mut rng) = (setup.start_leg(), Rng::new(seed));
    while leg.to_move() != ToMove::Nobody {
        let replies =
            random_replies(&*leg, &mut rng, false).expect("who is asked has a legal action");
        leg.step(as_text(&replies), &mut ());
    }
}
