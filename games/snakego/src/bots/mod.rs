//! Built-in bots.
//!
//! | module | noun |
//! |---|---|
//! | [`random`] | any legal action |
//! | [`greedy`] | the nearest item, and no step into a death in sight |
//! | [`territory`] | a search over the whole turn, guided by [`loops`] and judged by [`evaluation`] |
//! | `flood` | distances and reachable cells, many cells at a time |

use leitai_game::{BotInfo, Text};

use crate::position::Position;

pub mod evaluation;
mod flood;
pub mod greedy;
pub mod loops;
pub mod random;
pub mod territory;

/// All of them, weakest first.
pub const ALL: &[BotInfo<Position>] = &[
    BotInfo {
        name: "random",
        about: Text {
            en: "plays any legal action",
            zh: "随机选择任一合法操作",
        },
        make: |seed| Box::new(random::Random::new(seed)),
    },
    BotInfo {
        name: "greedy",
        about: Text {
            en: "goes for the nearest item and avoids every death it can see",
            zh: "奔向最近的道具，并避开眼前的一切死路",
        },
        make: |_| Box::new(greedy::Greedy),
    },
    BotInfo {
        name: "territory",
        about: Text {
            en: "searches the whole turn of all its snakes for space, items and areas to wall in",
            zh: "搜索己方所有蛇的整个回合，争夺空间、道具与可圈占的区域",
        },
        make: |_| Box::new(territory::TerritoryBot::default()),
    },
];
