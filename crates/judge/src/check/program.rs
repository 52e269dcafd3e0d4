//! The program that is checked.

use leitai_game::lang::Localizer;
use leitai_game::{GameHandle, LocalizedText};
use leitai_sandbox::Sandbox;
use serde_json::Value;

use crate::messages;
use crate::player::Player;
use crate::referee::RefereeLimits;

/// Rounds of a leg in which only the I/O pattern of the judge is new, or only the answers are
/// compared.
pub const SHORT: u32 = 40;

/// A built program to be checked, and the parameters of the check.
pub struct CheckedProgram {
    /// The game.
    pub game: GameHandle,
    /// The config of the legs it plays.
    pub config: Value,
    /// The seed of the first of them.
    pub seed: u64,
    /// The program; one that could not be built is [`crate::PlayerKind::Broken`].
    pub player: Player,
    /// How it was built, as text.
    pub how: String,
    /// What it may use, where the referee looks. Its waiting allowance is that of the whole check.
    pub limits: RefereeLimits,
    /// What else it may use.
    pub resources: leitai_sandbox::SandboxLimits,
    /// How it is started.
    pub sandbox: Sandbox,
}

impl CheckedProgram {
    /// A text in both languages, with the messages of the judge and of the game.
    pub(super) fn write_both<T: Into<String>>(
        &self,
        write: impl Fn(Localizer<'_>) -> T,
    ) -> LocalizedText {
        messages::catalogue([&*self.game]).write_both(write)
    }
}
