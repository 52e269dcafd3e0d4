//! Built-in bots.

use leitai_game::BotInfo;

use crate::position::Position;

/// All of them, weakest first.
pub const ALL: &[BotInfo<Position>] = &[];
