//! The same work for the benches and for counting instructions (`xtask/instructions`).

use leitai_game::{BySeat, Game, GamePackage, Rng, Untimed};
use leitai_snakego::key::KeyedPosition;
use leitai_snakego::{Action, Config, Position, Setup};

/// A recorded leg.
pub struct Trace {
    /// Its setup.
    pub setup: Setup,
    /// Every action, in order.
    pub actions: Vec<Action>,
}

/// Ten long legs of the built-in bot `greedy` against itself.
pub fn traces() -> Vec<Trace> {
    (1..=10).map(trace).collect()
}

fn trace(seed: u64) -> Trace {
    let setup = Setup::deal(&Config::default(), seed).expect("the default config is sound");
    let greedy = Position::CONTENTS
        .bots
        .iter()
        .find(|bot| bot.name == "greedy")
        .expect("SnakeGo has it");
    let mut bots = BySeat::new((greedy.make)(seed), (greedy.make)(seed + 1));
    let mut position = Position::start(&setup, &mut ());
    let mut actions = Vec::new();
    while position.end().is_none() {
        let seat = position.seat();
        let view = position.view(&setup, leitai_game::Perspective::Seat(seat));
        let action = bots[seat].choose_action(&setup, &view, &Untimed);
        actions.push(action);
        position.play_action(&setup, action, &mut ());
    }
    Trace { setup, actions }
}

/// Plays a trace.
#[inline(never)]
pub fn replay(trace: &Trace) -> Position {
    let mut position = Position::start(&trace.setup, &mut ());
    for action in &trace.actions {
        position.play_action(&trace.setup, *action, &mut ());
    }
    position
}

/// Plays a trace and reads the key after every action.
#[inline(never)]
pub fn replay_keyed(trace: &Trace) -> u64 {
    let mut keyed = KeyedPosition::start(&trace.setup);
    let mut keys = 0;
    for action in &trace.actions {
        keyed.play_action(&trace.setup, *action);
        keys ^= keyed.key();
    }
    keys
}

/// Plays legs with random legal actions until 4,096 actions are done; gives the exact number and
/// all keys.
#[inline(never)]
pub fn playout(setup: &Setup) -> (u64, u64) {
    let mut rng = Rng::new(7);
    let (mut actions, mut keys) = (0, 0);
    while actions < 4096 {
        let mut keyed = KeyedPosition::start(setup);
        while keyed.position().end().is_none() {
            let mask = keyed.position().legal_mask();
            let pick = ((rng.next_u64() >> 32) * u64::from(mask.count_ones())) >> 32;
            keyed.play_action(setup, nth(mask, pick));
            keys ^= keyed.key();
            actions += 1;
        }
    }
    (actions, keys)
}

/// The setup of the playouts and how many actions one call plays.
pub fn playout_length() -> (Setup, u64) {
    let setup = Setup::deal(&Config::default(), 3).expect("the default config is sound");
    let (actions, _) = playout(&setup);
    (setup, actions)
}

/// The action of the n-th set bit.
fn nth(mut mask: u8, n: u64) -> Action {
    for _ in 0..n {
        mask &= mask - 1;
    }
    Action::from_number(mask.trailing_zeros() as u8).expect("a leg that goes on has a legal action")
}
