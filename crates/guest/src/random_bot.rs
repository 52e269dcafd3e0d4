//! The bot that every guest game has.

use leitai_game::erased::{AnyBot, AnyLeg};
use leitai_game::{BotClock, Rng, Seat, Text};

/// Its name and what it does.
pub(crate) const ABOUT: (&str, Text) = (
    "random",
    Text::new("plays any legal action", "随机选择合法动作"),
);

/// Plays any legal action.
pub(crate) struct RandomBot(pub(crate) Rng);

impl AnyBot for RandomBot {
    fn choose_action(&mut self, leg: &dyn AnyLeg, seat: Seat, _: &dyn BotClock) -> String {
        // Where there is no legal action the leg has failed, and nobody plays this one.
        leg.sample_action(seat, &mut self.0).unwrap_or_default()
    }
}
