//! How a rating came about, and against whom.

use crate::{BotBrief, BotId, MatchId, Store, StoreError, Tally, Timestamp};

/// A rating after a match, or after a new version came into play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingPoint {
    /// When.
    pub at: Timestamp,
    /// After which match; nothing where a new version came into play.
    pub match_id: Option<MatchId>,
    /// As shown.
    pub value: f64,
    /// Its standard error, as shown.
    pub error: f64,
}

/// What a bot did against another in rated matches.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadToHead {
    /// The other.
    pub rival: BotBrief,
    /// From the first one's side.
    pub tally: Tally,
}

impl Store {
    /// The last ratings of a bot, oldest first; at most `most` (1 to 2,000).
    pub async fn rating_history(&self, bot: BotId, most: u64) -> Result<Vec<RatingPoint>, StoreError> {
        let _ = (bot, most);
        todo!()
    }

    /// Against whom a bot has played, most often first (at most 500).
    pub async fn head_to_head(&self, bot: BotId) -> Result<Vec<HeadToHead>, StoreError> {
        let _ = bot;
        todo!()
    }
}
