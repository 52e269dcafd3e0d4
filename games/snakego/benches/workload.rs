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

/// The actions of one call of [`playout`].
pub const PLAYOUT_ACTIONS: u64 = 4096;

/// The setup of the playouts.
pub fn playout_setup() -> Setup {
    Setup::deal(&Config::default(), 3).expect("the default config is sound")
}

/// Plays legs with random legal actions, as many as [`PLAYOUT_ACTIONS`]; gives all keys. The
/// numbers go on from call to call: a processor learns the same few thousand moves by heart, and
/// then plays them half as fast again as new ones.
#[inline(never)]
pub fn playout(setup: &Setup, rng: &mut Rng) -> u64 {
    let (mut actions, mut keys) = (0, 0);
    while actions < PLAYOUT_ACTIONS {
        let mut keyed = KeyedPosition::start(setup);
        while keyed.position().end().is_none() && actions < PLAYOUT_ACTIONS {
            let mask = keyed.position().legal_mask();
            let pick = ((rng.next_u64() >> 32) * u64::from(mask.count_ones())) >> 32;
            let action = Action::nth_of(mask, pick as usize);
            keyed.play_action(
                setup,
                action.expect("a leg that goes on has a legal action"),
            );
            keys ^= keyed.key();
            actions += 1;
        }
    }
    keys
}
