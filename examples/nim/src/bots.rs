//! Built-in bots.

use leitai_game::{Bot, BotClock, BotInfo, Rng};

use crate::{Nim, Setup, View};

/// All of them, weakest first.
pub const ALL: &[BotInfo<Nim>] = &[
    BotInfo::of_ladder("random", "takes whatever it may", "随意取", |seed| {
        Box::new(Random(Rng::new(seed)))
    }),
    BotInfo::of_ladder(
        "perfect",
        "wins whenever it can be won",
        "能赢必赢",
        |_| Box::new(Perfect),
    ),
];

/// Takes a random legal number.
pub struct Random(Rng);

impl Bot<Nim> for Random {
    fn choose_action(&mut self, _: &Setup, view: &View, _: &dyn BotClock) -> u8 {
        1 + self.0.next_below(view.heap.min(3).into()) as u8
    }
}

/// Leaves a multiple of four, from which nobody can win; if the heap is a multiple itself, takes a
/// single coin.
pub struct Perfect;

impl Bot<Nim> for Perfect {
    fn choose_action(&mut self, _: &Setup, view: &View, _: &dyn BotClock) -> u8 {
        (view.heap % 4).max(1)
    }
}
