//! What the legs of one config share.

use std::sync::Arc;

use leitai_game::InvalidSetup;
use leitai_game::erased::{AnyGame, AnySetup};
use leitai_game::rng::mix_seed;
use serde_json::Value;

use super::numbers::ViewNumbers;

/// What the legs of one config share.
pub struct GuestDeals {
    pub game: &'static dyn AnyGame,
    pub config: Value,
    pub numbers: Arc<ViewNumbers>,
    pub pool: Vec<Arc<dyn AnySetup>>,
}

impl GuestDeals {
    /// A setup of this seed, from the pool if there is one.
    pub fn deal(&self, seed: u64) -> Result<Arc<dyn AnySetup>, InvalidSetup> {
        match self.pool.len() {
            0 => self.game.deal_setup(&self.config, seed),
            count => Ok(self.pool[(mix_seed(seed, 0) % count as u64) as usize].clone()),
        }
    }
}
