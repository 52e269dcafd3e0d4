//! What the scheduler is told.

use std::time::Duration;

use crate::ladders::LadderOptions;

/// The number of bots of a settled ladder for one match per interval.
pub const FEW: u64 = 8;

/// Options of the scheduler.
#[derive(Clone, Debug)]
pub struct ScheduleOptions {
    /// The name of the server's worker.
    pub name: String,
    /// Matches that this server plays at a time. The slots of live workers are added.
    pub slots: usize,
    /// The time between two matches of a ladder with up to [`FEW`] bots whose ratings have
    /// settled; it keeps a laptop cool. With more bots there are more matches, so that each bot
    /// plays as often. [`NO_LADDER`]: no ladder has matches.
    pub ladder_every: Duration,
    /// Whether there are exhibition matches, one of every game.
    pub exhibitions: bool,
    /// Whether this server runs uploaded programs.
    pub programs: bool,
    /// Whether built-in bots join the ladders of a new arena with their known ratings.
    pub known_ratings: bool,
    /// The ladders; exhibitions are played as on the standard ones.
    pub ladders: LadderOptions,
}

impl ScheduleOptions {
    /// The default options.
    pub fn new(name: impl Into<String>, slots: usize) -> ScheduleOptions {
        let ladder_every = Duration::from_secs(25);
        ScheduleOptions {
            name: name.into(),
            slots,
            ladder_every,
            exhibitions: true,
            programs: true,
            known_ratings: true,
            ladders: LadderOptions::default(),
        }
    }
}

/// The [`ScheduleOptions::ladder_every`] with which ladders rest: only matches that people ask for,
/// checks, contests and exhibitions are played.
pub const NO_LADDER: Duration = Duration::MAX;
