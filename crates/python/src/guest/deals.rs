//! What the legs of one config share.

use std::sync::Arc;

use leitai_game::InvalidSetup;
use leitai_game::encode::play::SetupPool;
use leitai_game::erased::{AnyGame, AnySetup};
use serde_json::Value;

use super::numbers::ViewNumbers;

/// What the legs of one config share.
pub struct GuestDeals {
    pub game: &'static dyn AnyGame,
    pub config: Value,
    pub numbers: Arc<ViewNumbers>,
    pub pool: SetupPool<dyn AnySetup>,
}

impl GuestDeals {
    /// A setup of this seed, from the pool if there is one.
    pub fn deal(&self, seed: u64) -> Result<Arc<dyn AnySetup>, InvalidSetup> {
        let deal = |seed| self.game.deal_setup(&self.config, seed);
        self.pool.deal_one(seed, deal)
    }
}
