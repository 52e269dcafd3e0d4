//! The rating scale of a game: built-in bots whose ratings were measured once and stay fixed, so
//! that ratings of different days and machines can be compared.

use std::borrow::Cow;

/// A rating scale. A change of a level's play or of its rating makes a new scale with a new name.
/// What played under a level's name before goes on under `NAME@NUMBER`, so that what was recorded
/// and written down keeps its meaning: `level3@1` is what level 3 was on the first scale.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingScale {
    /// The name with its year and version: `snakego-2026.1`; of a game file with its version alone:
    /// `othello-1`.
    pub name: Cow<'static, str>,
    /// The built-in bots that a bot is measured against, the weakest first. Their strength is bound
    /// by nodes, not by time, so it is the same on every machine.
    pub levels: Cow<'static, [RatedBot]>,
    /// The built-in bots of the ladder with the ratings that an arena's ladder gave them, in Elo as
    /// ladders show it (newcomers at 1500). They come along when an arena is made.
    pub ladder_bots: &'static [RatedBot],
    /// Public bots with their measured ratings, for orientation.
    pub public_bots: &'static [RatedBot],
    /// Levels of earlier scales that are none of this one: bots of their own, with their ratings.
    pub former: &'static [RatedBot],
    /// The levels of the scales before this one, the oldest first; number 1 is the first.
    pub earlier: &'static [EarlierLevels],
}

/// The levels of an earlier scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlierLevels {
    /// The name of the scale.
    pub scale: &'static str,
    /// The names by which its levels play today, level 1 first.
    pub levels: &'static [&'static str],
}

impl RatingScale {
    /// The number of this scale among those of its game: 1 for the first.
    pub fn number(&self) -> u32 {
        self.earlier.len() as u32 + 1
    }

    /// The version that plays under this name today: the number of the scale for a level, 1 for
    /// another bot.
    pub fn version_of(&self, name: &str) -> u32 {
        match level_number(name) {
            Some(_) => self.number(),
            None => 1,
        }
    }

    /// Today's name of what played under this name in this version. Unknown versions of a bot that
    /// is no level do not exist.
    pub fn find_version<'n>(&'n self, name: &'n str, version: u32) -> Option<&'n str> {
        if version == self.version_of(name) {
            return Some(name);
        }
        let earlier = self.earlier.get(version.checked_sub(1)? as usize)?;
        earlier
            .levels
            .get(level_number(name)?.checked_sub(1)?)
            .copied()
    }

    /// The level that played under this name in this version.
    pub fn find_level(&self, name: &str, version: u32) -> Option<&RatedBot> {
        let name = self.find_version(name, version)?;
        let mut known = self.levels.iter().chain(self.former);
        known.find(|level| level.name == name)
    }
}

/// Why a game has no rating scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingScale {
    /// It has no levels to measure.
    NoLevels,
    /// Nobody measured its levels.
    NeverMeasured,
    /// It was measured with other rules or other levels.
    Outdated,
}

/// The number of a level by its name: 3 for `level3`.
pub fn level_number(name: &str) -> Option<usize> {
    let number = name.strip_prefix("level")?;
    let number: usize = number.parse().ok()?;
    (name == format!("level{number}")).then_some(number)
}

/// A bot with its measured rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedBot {
    /// The name: of a built-in bot, or of a public one.
    pub name: &'static str,
    /// Its rating in Elo on the scale.
    pub rating: i32,
    /// Half the width of the rating's 95 % interval; 0 for the level that anchors the scale.
    pub error: u32,
}

impl RatedBot {
    /// A bot, its rating and half its interval.
    pub const fn new(name: &'static str, rating: i32, error: u32) -> RatedBot {
        RatedBot {
            name,
            rating,
            error,
        }
    }
}
