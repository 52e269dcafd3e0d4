//! What is told of a game with a logic process, wherever it is led.

use super::packed::PackedProgram;
use crate::bots::GuestBots;
use crate::meta::{GuestMeta, LogicProtocol};
use crate::starters::Starter;

/// What is told of the game.
pub(super) struct Told {
    pub(super) meta: GuestMeta,
    pub(super) protocol: LogicProtocol,
    pub(super) program: PackedProgram,
    pub(super) bots: GuestBots,
    pub(super) starters: Vec<Starter>,
    pub(super) emblem: Option<String>,
}
