//! Built-in bots: bots that come with Leitai and run in its process.

use std::time::Duration;

use crate::game::Game;
use crate::text::Text;

/// A built-in bot in one leg. It gets the view of its seat, and nothing else.
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

/// What a bot may use for its decision: the remaining time of the current period, for bots that
/// search until the time is nearly over, and threads. Games read no clock, so the caller of a bot
/// provides one.
pub trait BotClock {
    /// The time left in this period; `None` if there is no limit.
    fn time_left(&self) -> Option<Duration>;

    /// The threads that the bot may search on at once, its own counted. Bots whose decisions
    /// depend on the seed alone use one.
    fn threads(&self) -> usize {
        1
    }
}

/// A clock without a limit: the bot searches with its default effort.
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
    /// One sentence about how it plays.
    pub about: Text,
    /// Whether an arena ranks it on the game's ladder. The other bots play on request only: levels,
    /// whose rating is fixed, and bots that search until their time is nearly over.
    pub is_on_ladder: bool,
    /// Makes a bot for one leg; all its random choices come from this seed.
    pub make: fn(seed: u64) -> Box<dyn Bot<G>>,
}
