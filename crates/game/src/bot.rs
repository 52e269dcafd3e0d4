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

impl<G: Game> BotInfo<G> {
    /// A bot that an arena ranks: its name, what it does in both languages, and its maker.
    pub const fn of_ladder(
        name: &'static str,
        en: &'static str,
        zh: &'static str,
        make: fn(seed: u64) -> Box<dyn Bot<G>>,
    ) -> BotInfo<G> {
        BotInfo {
            name,
            about: Text::new(en, zh),
            is_on_ladder: true,
            make,
        }
    }

    /// The same for a bot that plays on request only.
    pub const fn on_request(
        name: &'static str,
        en: &'static str,
        zh: &'static str,
        make: fn(seed: u64) -> Box<dyn Bot<G>>,
    ) -> BotInfo<G> {
        BotInfo {
            is_on_ladder: false,
            ..BotInfo::of_ladder(name, en, zh, make)
        }
    }
}
