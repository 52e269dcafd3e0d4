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
    level!(
        1,
        "level1",
        "counts the cells that it reaches in two rounds, and in most rounds just goes straight on",
        "只数两回合内能到的格，大多数回合直接向前走"
    ),
    level!(
        2,
        "level2",
        "counts the cells that it reaches in two rounds, and in every third round goes straight on",
        "只数两回合内能到的格，约三分之一的回合直接向前走"
    ),
    level!(
        3,
        "level3",
        "counts the cells that it reaches in three rounds, and is rarely inattentive",
        "数三回合内能到的格，偶尔走神"
    ),
    level!(
        4,
        "level4",
        "counts the cells that it reaches before its opponent in eight rounds",
        "数八回合内能抢先到达的格"
    ),
    level!(
        5,
        "level5",
        "knows who reaches every cell first, but looks only one round ahead",
        "知道每格谁先到达，但只向前看一回合"
    ),
    level!(
        6,
        "level6",
        "looks at least three rounds ahead and knows who reaches every cell first",
        "至少向前看三回合，并知道每格谁先到达"
    ),
    level!(
        7,
        "level7",
        "looks about six rounds ahead, further where there is no choice",
        "大约向前看六回合，没有选择时看得更远"
    ),
    level!(
        8,
        "level8",
        "looks about eight rounds ahead, further where there is no choice",
        "大约向前看八回合，没有选择时看得更远"
    ),
    BotInfo {
        name: "champion",
        about: Text {
            en: "searches as deep as its clock allows, remembers what it has searched, and follows \
                 moves without a choice to their end",
            zh: "在时限内尽量深地搜索，记住搜索过的局面，并把没有选择的走法一直算到底",
        },
        is_on_ladder: false,
        make: |seed| box_bot(Champion::new(ChampionStyle::full(Effort::Clock), seed)),
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
