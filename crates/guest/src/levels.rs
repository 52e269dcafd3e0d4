//! Built-in bots that search: levels for every open game whose positions tell their legal actions, by
//! one recipe. They are bound by positions that are looked at and by fuel, so that a level plays the
//! same on every machine.
//!
//! A game that hides something has none: rules cannot deal what a seat may not know, so a search would
//! look at it.

use leitai_game::erased::{AnyBot, AnyLeg};
use leitai_game::{BotClock, Rng, SearchBudget, Seat, Text};

use crate::leg::GuestLeg;
use crate::random_bot::RandomBot;
use crate::search::PositionSearch;

/// One level.
pub(crate) struct Level {
    /// Its name and what it does.
    pub(crate) about: (&'static str, Text),
    /// How many of a hundred actions are any legal one.
    random: usize,
    /// The positions that it looks at for one of the others.
    positions: u64,
}

const fn level(
    name: &'static str,
    random: usize,
    positions: u64,
    en: &'static str,
    zh: &'static str,
) -> Level {
    Level {
        about: (name, Text { en, zh }),
        random,
        positions,
    }
}

/// The weakest first. What they are worth in one game is in docs/game-files.md.
pub(crate) const LEVELS: [Level; 6] = [
    level(
        "level1",
        50,
        15,
        "searches 15 positions for every other action, and plays any legal one else",
        "一半的步搜索 15 个局面，其余随机",
    ),
    level(
        "level2",
        20,
        30,
        "searches 30 positions for four actions in five, and plays any legal one else",
        "五步中有四步搜索 30 个局面，其余随机",
    ),
    level(
        "level3",
        0,
        40,
        "searches 40 positions for each action",
        "每步搜索 40 个局面",
    ),
    level(
        "level4",
        0,
        120,
        "searches 120 positions for each action",
        "每步搜索 120 个局面",
    ),
    level(
        "level5",
        0,
        400,
        "searches 400 positions for each action",
        "每步搜索 400 个局面",
    ),
    level(
        "level6",
        0,
        1_000,
        "searches 1,000 positions for each action",
        "每步搜索 1000 个局面",
    ),
];

/// How a level searches (`crate::search`, playouts, which actions are looked at): counts up when the same
/// number of positions plays otherwise, so that scales of before say so.
const RECIPE: u32 = 1;

/// What every level does, as the rating scale of a game notes it.
pub(crate) fn describe_levels() -> String {
    let levels = LEVELS.iter();
    let said =
        levels.map(|level| format!("{} {} {}", level.about.0, level.random, level.positions));
    format!("{RECIPE}; {}", said.collect::<Vec<_>>().join("; "))
}

/// The level of this name for one leg.
pub(crate) fn make_level(name: &str, seed: u64) -> Option<Box<dyn AnyBot>> {
    let level = LEVELS.iter().find(|level| level.about.0 == name)?;
    let bot = LevelBot {
        random: level.random,
        positions: level.positions,
        chance: Rng::new(seed),
    };
    Some(Box::new(bot))
}

struct LevelBot {
    random: usize,
    positions: u64,
    chance: Rng,
}

impl LevelBot {
    /// `None`: any legal action.
    fn search(&mut self, leg: &GuestLeg, seat: Seat, clock: &dyn BotClock) -> Option<String> {
        let legal = leg.legal_actions(seat);
        if legal.len() < 2 {
            return legal.into_iter().next();
        }
        let begun = clock.time_left();
        // Only where a machine is too slow for what the level looks at.
        let is_late = || {
            let left = clock.time_left().zip(begun);
            left.is_some_and(|(left, begun)| left < begun / 4)
        };
        let chance = self.chance.next_u64();
        let mut search = PositionSearch::new(leg, seat, None, chance, leg.search_fuel());
        search.run(SearchBudget::nodes(self.positions), &is_late);
        if let Some(fault) = search.take_fault() {
            leg.keep_failure(fault);
            return None;
        }
        let (best, _) = search.rank_actions().into_iter().next()?;
        Some(best)
    }
}

impl AnyBot for LevelBot {
    fn choose_action(&mut self, leg: &dyn AnyLeg, seat: Seat, clock: &dyn BotClock) -> String {
        let own = leg.as_any().downcast_ref::<GuestLeg>();
        let searches = self.chance.next_below(100) >= self.random;
        let found = own
            .filter(|_| searches)
            .and_then(|own| self.search(own, seat, clock));
        found.unwrap_or_else(|| {
            let mut any = RandomBot(Rng::new(self.chance.next_u64()));
            any.choose_action(leg, seat, clock)
        })
    }
}
