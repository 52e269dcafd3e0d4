//! Built-in bots. Each sees the [`View`](crate::View) of its seat and the setup, nothing else.
//!
//! Ties between equally good ways are broken by chance, not by the order in which cells are
//! scanned: a bot that scans in reading order plays blue better than red
//! (`docs/rules/tankcraft.md`, "Seen while playing it").

pub mod assess;
mod belief;
pub mod champion;
pub mod decision;
mod drive;
pub mod last_round;
mod levels;
mod miner;
pub mod proof;
mod random;
mod rollout;
mod squad;

use leitai_game::BotInfo;

use crate::position::Position;

/// All of them, weakest first.
pub const ALL: &[BotInfo<Position>] = &[
    BotInfo::of_ladder(
        "random",
        "drives and fires at random, never into stone",
        "随机行走与开火，但不撞石墙",
        |seed| Box::new(random::Random::new(seed)),
    ),
    BotInfo::on_request(
        "level1",
        "drives to the nearest mines, overlooks every third enemy that is three cells away",
        "奔向最近的矿点，三格外的敌人三个看漏一个",
        |seed| levels::make_level(1, seed),
    ),
    BotInfo::on_request(
        "level2",
        "drives to the nearest mines, overlooks every sixth enemy that is three cells away",
        "奔向最近的矿点，三格外的敌人六个看漏一个",
        |seed| levels::make_level(2, seed),
    ),
    BotInfo::on_request(
        "level3",
        "drives to the nearest mines, notices an enemy only within three cells",
        "奔向最近的矿点，敌人到了三格内才察觉",
        |seed| levels::make_level(3, seed),
    ),
    BotInfo::on_request(
        "level4",
        "drives to the nearest mines, overlooks every second enemy that is four cells away",
        "奔向最近的矿点，四格外的敌人有一半看漏",
        |seed| levels::make_level(4, seed),
    ),
    BotInfo::of_ladder(
        "miner",
        "sends every tank to the nearest mine it does not own and shoots whatever it sees in range",
        "各车奔向最近的非己方矿点，见到射程内的敌人就开火",
        |seed| Box::new(miner::Miner::new(seed)),
    ),
    BotInfo::on_request(
        "level5",
        "drives to the nearest mines and shoots at enemies within four cells",
        "奔向最近的矿点，向四格内的敌人开火",
        |seed| levels::make_level(5, seed),
    ),
    BotInfo::on_request(
        "level6",
        "drives to the nearest mines, overlooks every second enemy that is five cells away",
        "奔向最近的矿点，五格外的敌人有一半看漏",
        |seed| levels::make_level(6, seed),
    ),
    BotInfo::on_request(
        "level7",
        "drives to the nearest mines and shoots at every enemy within five cells",
        "奔向最近的矿点，向五格内的敌人开火",
        |seed| levels::make_level(7, seed),
    ),
    BotInfo::on_request(
        "level8",
        "remembers enemies, and tries out 78 times a move what its orders lead to",
        "会记住敌人，每步推演七十八次，看指令会带来什么",
        |seed| levels::make_level(8, seed),
    ),
    BotInfo::of_ladder(
        "squad",
        "remembers and guesses where the enemies are, and tries every tank's orders out some rounds ahead",
        "记忆并推测敌人位置，把每辆车的各种指令向前推演若干回合后择优",
        |seed| Box::new(squad::Squad::new(seed)),
    ),
    BotInfo::on_request(
        "level9",
        "thinks as the champion does, with 97 trials a move",
        "与 champion 同样思考，每步只推演 97 次",
        |seed| levels::make_level(9, seed),
    ),
    BotInfo::on_request(
        "level10",
        "thinks as the champion does, with 136 trials a move",
        "与 champion 同样思考，每步只推演 136 次",
        |seed| levels::make_level(10, seed),
    ),
    BotInfo::on_request(
        "champion",
        "uses its time to race whole plans of its side against each other in many possible worlds",
        "用足思考时间，在多种可能局面中反复推演整队方案，择优执行",
        |seed| Box::new(champion::Champion::new(seed)),
    ),
];
