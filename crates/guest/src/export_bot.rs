//! A bot that is a function of the module: it is told the view of its seat, the legal actions and a
//! number, and keeps nothing between two calls.

use leitai_game::erased::{AnyBot, AnyLeg};
use leitai_game::{BotClock, Rng, Seat};

use crate::leg::GuestLeg;

/// Asks the module.
pub(crate) struct ExportBot {
    pub(crate) name: String,
    pub(crate) rng: Rng,
}

impl AnyBot for ExportBot {
    fn choose_action(&mut self, leg: &dyn AnyLeg, seat: Seat, _: &dyn BotClock) -> String {
        let chance = self.rng.next_u64();
        let leg = leg.as_any().downcast_ref::<GuestLeg>();
        // Where the module fails the leg has failed, and nobody plays this one.
        leg.and_then(|leg| leg.ask_bot(&self.name, seat, chance))
            .unwrap_or_default()
    }
}
