//! Built-in bots. Each sees the [`View`](crate::View) of its seat and the setup, nothing else.
//!
//! Ties between equally good ways are broken by chance, not by the order in which cells are
//! scanned: a bot that scans in reading order plays blue better than red
//! (`docs/rules/tankcraft.md`, "Seen while playing it").

mod belief;
mod drive;
mod miner;
mod random;
mod squad;

use leitai_game::{BotInfo, Text};

use crate::position::Position;

/// All of them, weakest first.
pub const ALL: &[BotInfo<Position>] = &[
    BotInfo {
        name: "random",
        about: Text {
            en: "drives and fires at random, never into stone",
            zh: "随机行走与开火，但不撞石墙",
        },
        make: |seed| Box::new(random::Random::new(seed)),
    },
    BotInfo {
        name: "miner",
        about: Text {
            en: "sends every tank to the nearest mine it does not own and shoots whatever it sees in range",
            zh: "各车奔向最近的非己方矿点，见到射程内的敌人就开火",
        },
        make: |seed| Box::new(miner::Miner::new(seed)),
    },
    BotInfo {
        name: "squad",
        about: Text {
            en: "remembers and guesses where the enemies are, and tries every tank's orders out some rounds ahead",
            zh: "记忆并推测敌人位置，把每辆车的各种指令向前推演若干回合后择优",
        },
        make: |seed| Box::new(squad::Squad::new(seed)),
    },
];
