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

use leitai_game::BotInfo;

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

/// All of them, weakest first.
pub const ALL: &[BotInfo<Position>] = &[
    BotInfo::of_ladder(
        "random",
        "plays any legal action",
        "随机选择任一合法操作",
        |seed| Box::new(random::Random::new(seed)),
    ),
    BotInfo::on_request(
        "level1",
        "as level 3, but in every fifth action goes straight on without a look, even into a wall",
        "同 3 级，但约五分之一的操作不看路照直走，甚至撞墙",
        |seed| Box::new(Champion::new(ChampionStyle::level(1), seed)),
    ),
    BotInfo::on_request(
        "level2",
        "as level 3, but in one action of eighteen goes straight on without a look, even into a wall",
        "同 3 级，但约十八分之一的操作不看路照直走，甚至撞墙",
        |seed| Box::new(Champion::new(ChampionStyle::level(2), seed)),
    ),
    BotInfo::on_request(
        "level3",
        "looks at two ways only, one round ahead, and misses the third",
        "只看两种走法、一回合，漏掉第三种",
        |seed| Box::new(Champion::new(ChampionStyle::level(3), seed)),
    ),
    BotInfo::of_ladder(
        "greedy",
        "goes for the nearest item and avoids every death it can see",
        "奔向最近的道具，并避开眼前的一切死路",
        |_| Box::new(greedy::Greedy),
    ),
    BotInfo::on_request(
        "level4",
        "looks one round ahead; three times in four it misses the third way",
        "只看一回合，四次里有三次漏掉第三种走法",
        |seed| Box::new(Champion::new(ChampionStyle::level(4), seed)),
    ),
    BotInfo::on_request(
        "level5",
        "looks at every way, one round ahead",
        "每种走法都看，但只看一回合",
        |seed| Box::new(Champion::new(ChampionStyle::level(5), seed)),
    ),
    BotInfo::on_request(
        "level6",
        "sees about three rounds ahead and compares a few ways",
        "大约看三回合，比较少数几种走法",
        |seed| Box::new(Champion::new(ChampionStyle::level(6), seed)),
    ),
    BotInfo::on_request(
        "level7",
        "sees about four rounds ahead; misses most traps",
        "大约看四回合，多数陷阱看不出来",
        |seed| Box::new(Champion::new(ChampionStyle::level(7), seed)),
    ),
    BotInfo::on_request(
        "level8",
        "sees about six rounds ahead; misses traps that take a plan",
        "大约看六回合，需要计划的陷阱看不出来",
        |seed| Box::new(Champion::new(ChampionStyle::level(8), seed)),
    ),
    BotInfo::on_request(
        "level9",
        "sees about ten rounds ahead and weighs its chances roughly",
        "大约看十回合，粗略估计得失",
        |seed| Box::new(Champion::new(ChampionStyle::level(9), seed)),
    ),
    BotInfo::on_request(
        "level10",
        "sees about ten rounds ahead and weighs its chances fairly well",
        "大约看十回合，较准确地估计得失",
        |seed| Box::new(Champion::new(ChampionStyle::level(10), seed)),
    ),
    BotInfo::on_request(
        "former-level10",
        "level 10 of the scale snakego-2026.2 (level10@2): weighs its chances a good deal better",
        "标尺 snakego-2026.2 的 10 级（level10@2）：估计得失准确得多",
        |seed| Box::new(Champion::new(ChampionStyle::former_level10(), seed)),
    ),
    BotInfo::of_ladder(
        "territory",
        "searches the whole turn of all its snakes for space, items and areas to wall in",
        "搜索己方所有蛇的整个回合，争夺空间、道具与可圈占的区域",
        |_| Box::new(territory::TerritoryBot::default()),
    ),
    BotInfo::on_request(
        "champion",
        "tries its snakes' actions out in thousands of random continuations, as long as its clock lets it",
        "在时限内对每条蛇的操作做成千上万次随机推演（蒙特卡洛树搜索）",
        |seed| Box::new(Champion::new(ChampionStyle::champion(), seed)),
    ),
];
