//! Built-in bots: bots that come with Leitai and run in its process.

use std::time::Duration;

use crate::game::Game;
use crate::text::Text;

/// A built-in bot in one leg. It sees what its seat may see, and nothing else.
pub trait Bot<G: Game>: Send {
    /// Chooses an action for the seat whose perspective the view has. Called only when that seat is
    /// asked.
    fn choose_action(
        &mut self,
        setup: &G::Setup,
        view: &G::View<'_>,
        clock: &dyn BotClock,
    ) -> G::Action;
}

/// The time of the current period, for bots that search until it is nearly spent. Games read no
/// clock of their own, so whoever calls a bot hands one in.
pub trait BotClock {
    /// Time left in this period; `None` when nobody counts.
    fn time_left(&self) -> Option<Duration>;
}

/// No clock: the bot takes its default effort.
pub struct Untimed;

impl BotClock for Untimed {
    fn time_left(&self) -> Option<Duration> {
        None
    }
}

/// An entry in a game's list of built-in bots.
pub struct BotInfo<G: Game> {
    /// The name on the command line.
    pub name: &'static str,
    /// How it plays, in one sentence.
    pub about: Text,
    /// A bot for one leg; all its chance comes from this seed.
    pub make: fn(seed: u64) -> Box<dyn Bot<G>>,
}
