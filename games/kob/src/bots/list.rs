//! The list of built-in bots.

use leitai_game::{Bot, BotInfo, Rng};

use crate::bots::alphabeta::{AlphaBetaBot, Effort};
use crate::bots::champion::{Champion, ChampionStyle};
use crate::bots::random::Random;
use crate::bots::safe::Safe;
use crate::bots::sample;
use crate::bots::space::Space;
use crate::position::Position;

/// All of them, weakest first.
pub const ALL: &[BotInfo<Position>] = &[
    BotInfo::of_ladder(
        "random",
        "any direction, also a deadly one",
        "随便走，也会送死",
        |seed| box_bot(Random(Rng::new(seed))),
    ),
    BotInfo::of_ladder(
        "sample",
        "the sites' sample bot: the first direction whose cell is empty now",
        "网站的样例 Bot：第一个当前为空的方向",
        |_| box_bot(sample::Sample),
    ),
    BotInfo::of_ladder(
        "safe",
        "a random direction that is not sure to kill",
        "在不会必死的方向里随机选",
        |seed| box_bot(Safe(Rng::new(seed))),
    ),
    BotInfo::of_ladder(
        "space",
        "where the most cells can be reached",
        "走向可达空间最大的方向",
        |seed| box_bot(Space(Rng::new(seed))),
    ),
    BotInfo::of_ladder(
        "alphabeta",
        "looks ahead as deep as its clock allows and weighs who gets to which cell first",
        "在时限内尽量深地搜索，并估计每格谁先到达",
        |_| box_bot(AlphaBetaBot::new(Effort::Clock)),
    ),
    BotInfo::on_request(
        "level1",
        "as level 3, but in most rounds keeps its direction without a look",
        "同 3 级，但多数回合不看路，照直走",
        |seed| box_bot(Champion::new(ChampionStyle::level(1), seed)),
    ),
    BotInfo::on_request(
        "level2",
        "as level 3, but in every fourth or fifth round keeps its direction without a look",
        "同 3 级，但每四五个回合有一次不看路，照直走",
        |seed| box_bot(Champion::new(ChampionStyle::level(2), seed)),
    ),
    BotInfo::on_request(
        "level3",
        "looks two rounds ahead for free cells, and in two rounds of three just goes straight on",
        "只看两回合内能到的空格，三回合里有两回合直接向前走",
        |seed| box_bot(Champion::new(ChampionStyle::level(3), seed)),
    ),
    BotInfo::on_request(
        "level4",
        "looks three rounds ahead for free cells, and in every fourth round goes straight on",
        "只看三回合内能到的空格，约四分之一的回合直接向前走",
        |seed| box_bot(Champion::new(ChampionStyle::level(4), seed)),
    ),
    BotInfo::on_request(
        "former-level5",
        "level 5 of the scale kob-2026.2 (level5@2): looks four rounds ahead for free cells",
        "标尺 kob-2026.2 的 5 级（level5@2）：看四回合内能到的空格",
        |seed| box_bot(Champion::new(ChampionStyle::former_level5(), seed)),
    ),
    BotInfo::on_request(
        "level5",
        "looks six rounds ahead for free cells, and in every tenth round goes straight on",
        "只看六回合内能到的空格，约十分之一的回合直接向前走",
        |seed| box_bot(Champion::new(ChampionStyle::level(5), seed)),
    ),
    BotInfo::on_request(
        "level6",
        "knows who reaches every cell first, but tries out one round only",
        "知道每格谁先到达，但只试走一回合",
        |seed| box_bot(Champion::new(ChampionStyle::level(6), seed)),
    ),
    BotInfo::on_request(
        "level7",
        "knows who reaches every cell first, and tries out two rounds",
        "知道每格谁先到达，并试走两回合",
        |seed| box_bot(Champion::new(ChampionStyle::level(7), seed)),
    ),
    BotInfo::on_request(
        "level8",
        "tries out up to four rounds, more where there is no choice",
        "最多试走四回合，没有选择时看得更远",
        |seed| box_bot(Champion::new(ChampionStyle::level(8), seed)),
    ),
    BotInfo::on_request(
        "former-level8",
        "level 8 of the scale kob-2026.2 (level8@2): tries out up to five rounds, more where there is \
         no choice",
        "标尺 kob-2026.2 的 8 级（level8@2）：最多试走五回合，没有选择时看得更远",
        |seed| box_bot(Champion::new(ChampionStyle::former_level8(), seed)),
    ),
    BotInfo::on_request(
        "level9",
        "searches 8,000 half-moves, about seven rounds deep",
        "搜索八千个半步，深约七回合",
        |seed| box_bot(Champion::new(ChampionStyle::level(9), seed)),
    ),
    BotInfo::on_request(
        "level10",
        "searches 60,000 half-moves, about ten rounds deep",
        "搜索六万个半步，深约十回合",
        |seed| box_bot(Champion::new(ChampionStyle::level(10), seed)),
    ),
    BotInfo::on_request(
        "champion",
        "searches as deep as its clock allows, remembers what it has searched, and follows \
                 moves without a choice to their end",
        "在时限内尽量深地搜索，记住搜索过的局面，并把没有选择的走法一直算到底",
        |seed| box_bot(Champion::new(ChampionStyle::full(Effort::Clock), seed)),
    ),
];

fn box_bot(bot: impl Bot<Position> + 'static) -> Box<dyn Bot<Position>> {
    Box::new(bot)
}
