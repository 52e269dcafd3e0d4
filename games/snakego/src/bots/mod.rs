//! Built-in bots.
//!
//! | module | noun |
//! |---|---|
//! | [`random`] | any legal action |
//! | [`greedy`] | the nearest item, and no step into a death in sight |
//! | [`territory`] | a search over the whole turn, guided by [`loops`] and judged by [`evaluation`] |
//! | [`champion`] | a Monte-Carlo tree search with playouts by [`playout`]; also the levels |
//! | [`decision`] | the champion as a judge of recorded decisions |
//! | `harvest` | what the items in reach are worth |
//! | `flood` | distances and reachable cells, many cells at a time |

use leitai_game::{BotInfo, Text};

use crate::bots::champion::{Champion, ChampionStyle};
use crate::position::Position;

pub mod champion;
pub mod decision;
pub mod evaluation;
#[doc(hidden)] // For tests.
pub mod flood;
pub mod greedy;
#[doc(hidden)] // For tests.
pub mod harvest;
pub mod loops;
pub mod playout;
pub mod random;
pub mod territory;

/// An entry of a level. A macro, because an entry's maker is a plain function.
macro_rules! level {
    ($style:expr, $name:literal, $en:literal, $zh:literal) => {
        BotInfo {
            name: $name,
            about: Text { en: $en, zh: $zh },
            is_on_ladder: false,
            make: |seed| Box::new(Champion::new($style, seed)),
        }
    };
}

/// All of them, weakest first.
pub const ALL: &[BotInfo<Position>] = &[
    BotInfo {
        name: "random",
        about: Text::new("plays any legal action", "随机选择任一合法操作"),
        is_on_ladder: true,
        make: |seed| Box::new(random::Random::new(seed)),
    },
    level!(
        ChampionStyle::level(1),
        "level1",
        "as level 3, but in every fifth action goes straight on without a look, even into a wall",
        "同 3 级，但约五分之一的操作不看路照直走，甚至撞墙"
    ),
    level!(
        ChampionStyle::level(2),
        "level2",
        "as level 3, but in one action of eighteen goes straight on without a look, even into a wall",
        "同 3 级，但约十八分之一的操作不看路照直走，甚至撞墙"
    ),
    level!(
        ChampionStyle::level(3),
        "level3",
        "looks at two ways only, one round ahead, and misses the third",
        "只看两种走法、一回合，漏掉第三种"
    ),
    BotInfo {
        name: "greedy",
        about: Text::new(
            "goes for the nearest item and avoids every death it can see",
            "奔向最近的道具，并避开眼前的一切死路",
        ),
        is_on_ladder: true,
        make: |_| Box::new(greedy::Greedy),
    },
    level!(
        ChampionStyle::level(4),
        "level4",
        "looks one round ahead; three times in four it misses the third way",
        "只看一回合，四次里有三次漏掉第三种走法"
    ),
    level!(
        ChampionStyle::level(5),
        "level5",
        "looks at every way, one round ahead",
        "每种走法都看，但只看一回合"
    ),
    level!(
        ChampionStyle::level(6),
        "level6",
        "sees about three rounds ahead and compares a few ways",
        "大约看三回合，比较少数几种走法"
    ),
    level!(
        ChampionStyle::level(7),
        "level7",
        "sees about four rounds ahead; misses most traps",
        "大约看四回合，多数陷阱看不出来"
    ),
    level!(
        ChampionStyle::level(8),
        "level8",
        "sees about six rounds ahead; misses traps that take a plan",
        "大约看六回合，需要计划的陷阱看不出来"
    ),
    level!(
        ChampionStyle::level(9),
        "level9",
        "sees about ten rounds ahead and weighs its chances roughly",
        "大约看十回合，粗略估计得失"
    ),
    level!(
        ChampionStyle::level(10),
        "level10",
        "sees about ten rounds ahead and weighs its chances fairly well",
        "大约看十回合，较准确地估计得失"
    ),
    level!(
        ChampionStyle::former_level10(),
        "former-level10",
        "level 10 of the scale snakego-2026.2 (level10@2): weighs its chances a good deal better",
        "标尺 snakego-2026.2 的 10 级（level10@2）：估计得失准确得多"
    ),
    BotInfo {
        name: "territory",
        about: Text::new(
            "searches the whole turn of all its snakes for space, items and areas to wall in",
            "搜索己方所有蛇的整个回合，争夺空间、道具与可圈占的区域",
        ),
        is_on_ladder: true,
        make: |_| Box::new(territory::TerritoryBot::default()),
    },
    BotInfo {
        name: "champion",
        about: Text::new(
            "tries its snakes' actions out in thousands of random continuations, as long as its clock lets it",
            "在时限内对每条蛇的操作做成千上万次随机推演（蒙特卡洛树搜索）",
        ),
        is_on_ladder: false,
        make: |seed| Box::new(Champion::new(ChampionStyle::champion(), seed)),
    },
];
