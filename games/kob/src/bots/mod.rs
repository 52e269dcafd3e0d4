//! Built-in bots.

mod alphabeta;
mod assessor;
pub mod champion;
pub mod evaluation;
mod random;
pub mod round_search;
mod safe;
pub mod sample;
mod space;
pub mod territory;

pub use alphabeta::{AlphaBeta, Effort};
pub use assessor::ChampionAssessor;
pub use champion::{Champion, ChampionStyle};
use leitai_game::{Bot, BotInfo, Perspective, Rng, Seat, Text};
pub use random::Random;
pub use safe::Safe;
pub use space::Space;

use crate::board::Direction;
use crate::position::Position;
use crate::view::View;

/// An entry of a level. A macro, because an entry's maker is a plain function.
macro_rules! level {
    ($number:literal, $name:literal, $en:literal, $zh:literal) => {
        BotInfo {
            name: $name,
            about: Text { en: $en, zh: $zh },
            is_on_ladder: false,
            make: |seed| box_bot(Champion::new(ChampionStyle::level($number), seed)),
        }
    };
}

/// All of them, weakest first.
pub const ALL: &[BotInfo<Position>] = &[
    BotInfo {
        name: "random",
        about: Text {
            en: "any direction, also a deadly one",
            zh: "随便走，也会送死",
        },
        is_on_ladder: true,
        make: |seed| box_bot(Random(Rng::new(seed))),
    },
    BotInfo {
        name: "sample",
        about: Text {
            en: "the sites' sample bot: the first direction whose cell is empty now",
            zh: "网站的样例 Bot：第一个当前为空的方向",
        },
        is_on_ladder: true,
        make: |_| box_bot(sample::Sample),
    },
    BotInfo {
        name: "safe",
        about: Text {
            en: "a random direction that is not sure to kill",
            zh: "在不会必死的方向里随机选",
        },
        is_on_ladder: true,
        make: |seed| box_bot(Safe(Rng::new(seed))),
    },
    BotInfo {
        name: "space",
        about: Text {
            en: "where the most cells can be reached",
            zh: "走向可达空间最大的方向",
        },
        is_on_ladder: true,
        make: |seed| box_bot(Space(Rng::new(seed))),
    },
    BotInfo {
        name: "alphabeta",
        about: Text {
            en: "looks ahead as deep as its clock allows and weighs who gets to which cell first",
            zh: "在时限内尽量深地搜索，并估计每格谁先到达",
        },
        is_on_ladder: true,
        make: |_| box_bot(AlphaBeta::new(Effort::Clock)),
    },
];

fn box_bot(bot: impl Bot<Position> + 'static) -> Box<dyn Bot<Position>> {
    Box::new(bot)
}

/// The seat whose perspective the view has; a bot gets no other.
fn seat_of(view: &View<'_>) -> Seat {
    match view.perspective {
        Perspective::Seat(seat) => seat,
        Perspective::All => Seat::First,
    }
}

/// A random direction of the bit set; up if it is empty, because a bot must answer.
fn pick_direction(mask: u8, rng: &mut Rng) -> Direction {
    let count = mask.count_ones() as usize;
    Direction::of_mask(mask)
        .nth(rng.next_below(count))
        .unwrap_or(Direction::Up)
}
