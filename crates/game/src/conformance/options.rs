//! What the kit tests.

use serde_json::Value;

/// The legs and positions that the kit tests, and their number.
#[derive(Clone, Debug)]
pub struct ConformanceOptions {
    /// The seed of all random choices of the kit.
    pub seed: u64,
    /// The choices with which setups are dealt; `null` for the default config.
    pub config: Value,
    /// Number of random legs. Every second one is played by careful players, who avoid losing
    /// score, so that it lasts longer.
    pub legs: usize,
    /// Number of positions of each leg that are checked closely: the first, the last before the
    /// end, and some in between.
    pub probes: usize,
    /// The most steps of a leg.
    pub max_steps: usize,
    /// Number of damaged setups and configs.
    pub mutations: usize,
    /// Number of legs that every built-in bot plays on either seat.
    pub bot_legs: usize,
    /// Whether [`Game::legal_actions`](crate::Game::legal_actions) lists only some of the actions
    /// that [`Game::check_action`](crate::Game::check_action) accepts.
    pub partial_legal: bool,
    /// Ids of verdict reasons that depend on the order of the legs, so that exchanging the entrants
    /// need not exchange the winner.
    pub ordered_reasons: &'static [&'static str],
}

impl Default for ConformanceOptions {
    fn default() -> ConformanceOptions {
        ConformanceOptions {
            seed: 1,
            config: Value::Null,
            legs: 8,
            probes: 12,
            max_steps: 100_000,
            mutations: 200,
            bot_legs: 1,
            partial_legal: false,
            ordered_reasons: &[],
        }
    }
}
