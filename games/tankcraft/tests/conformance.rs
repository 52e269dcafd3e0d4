//! TankCraft passes the conformance kit (`leitai_game::conformance`).

use std::time::Duration;

use leitai_game::{AnyGame, BotClock, BySeat, Erased, Reply, Seat};
use leitai_tankcraft::Position;
use serde_json::{Value, json};

#[path = "../../kob/tests/conformance/contract.rs"]
mod contract;
use contract::keeps_the_contract;

#[test]
fn on_generated_maps() {
    keeps_the_contract(Value::Null, |options| {
        options.partial_legal = true;
        options.bot_legs = 0;
        options.legs = 4;
    });
}

/// Short legs, in which the built-in bots play, too.
#[test]
fn in_short_legs_with_the_fog_of_2010() {
    let config = json!({"map": "corners", "fog": "sdk", "goal": 60, "rounds": 12});
    keeps_the_contract(config, |options| {
        options.partial_legal = true;
        options.seed = 2;
    });
}

/// A clock without time: bots search as little as they can, and still update their beliefs from
/// round to round.
struct InAHurry;

impl BotClock for InAHurry {
    fn time_left(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
}

/// Plays a leg between two built-in bots to its end.
#[track_caller]
fn plays_to_the_end(fog: &str, names: [&str; 2], seed: u64) {
    let game = Erased::<Position>::new();
    let config = game
        .read_config(&json!({"fog": fog, "rounds": 120}))
        .expect("a sound config");
    let setup = game.deal_setup(&config, seed).expect("a generated map");
    let mut bots = names.map(|name| game.make_bot(name, seed).expect("it is built in"));
    let mut leg = setup.start_leg();
    while leg.outcome().is_none() {
        let actions =
            Seat::BOTH.map(|seat| bots[seat.index()].choose_action(&*leg, seat, &InAHurry));
        Seat::BOTH.into_iter().for_each(|seat| {
            assert_eq!(
                leg.check_action(seat, &actions[seat.index()]),
                Ok(()),
                "{names:?} {seed}"
            );
        });
        leg.step(
            BySeat::from_fn(|seat: Seat| Some(Reply::Action(actions[seat.index()].as_str()))),
            &mut (),
        );
    }
}

/// The fog of 2010 shows the HP of tanks that are out of sight: a tank that was believed dead may
/// turn out to be alive.
#[test]
fn every_built_in_bot_plays_in_every_fog() {
    for seed in 0..6 {
        for fog in ["sdk", "strict"] {
            plays_to_the_end(fog, ["squad", "squad"], seed);
            plays_to_the_end(fog, ["squad", "miner"], seed);
            plays_to_the_end(fog, ["random", "squad"], seed);
            plays_to_the_end(fog, ["champion", "miner"], seed);
        }
    }
}
