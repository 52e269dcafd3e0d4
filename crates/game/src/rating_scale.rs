//! The rating scale of a game: built-in bots whose ratings were measured once and stay fixed, so
//! that ratings of different days and machines can be compared.

/// A rating scale. A change of a level's play or of its rating makes a new scale with a new name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingScale {
    /// The name with its year and version: `snakego-2026.1`.
    pub name: &'static str,
    /// The built-in bots that a bot is measured against, the weakest first. Their strength is bound
    /// by nodes, not by time, so it is the same on every machine.
    pub levels: &'static [RatedBot],
    /// The built-in bots of the ladder with the ratings that an arena's ladder gave them, in Elo as
    /// ladders show it (newcomers at 1500). They come along when an arena is made.
    pub ladder_bots: &'static [RatedBot],
    /// Public bots with their measured ratings, for orientation.
    pub public_bots: &'static [RatedBot],
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
