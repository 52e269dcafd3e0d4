//! The champion: alpha-beta over rounds with a fitted evaluation.

use std::time::Duration;

use leitai_game::{Bot, BotClock};
use leitai_search::SearchBudget;
use leitai_search::alpha_beta::{AlphaBeta as Search, SearchLimits};

use crate::board::Direction;
use crate::bots::alphabeta::Effort;
use crate::bots::evaluation::WEIGHTS;
use crate::bots::round_search::RoundSearch;
use crate::bots::seat_of;
use crate::position::Position;
use crate::setup::Setup;
use crate::view::View;

/// Searched half-moves without a time limit.
const UNTIMED_NODES: u64 = 20_000;
/// Longest time spent on one move; more gains little.
const MOST_TIME: Duration = Duration::from_secs(1);
/// Deepest search, in half-moves.
const MAX_DEPTH: u32 = 120;

/// The bot. It keeps its transposition table from move to move.
pub struct Champion {
    effort: Effort,
    search: Search<Direction>,
}

impl Champion {
    /// A bot that thinks so much.
    pub fn new(effort: Effort) -> Champion {
        let table_bits = match effort {
            Effort::Clock => 18,
            Effort::Nodes(nodes) => nodes.clamp(1 << 8, 1 << 18).ilog2() + 1,
        };
        Champion {
            effort,
            search: Search::new(table_bits),
        }
    }
}

impl Bot<Position> for Champion {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, clock: &dyn BotClock) -> Direction {
        let game = RoundSearch {
            setup,
            me: seat_of(view),
            weights: &WEIGHTS,
        };
        let budget = match self.effort {
            Effort::Nodes(nodes) => SearchBudget::nodes(nodes),
            Effort::Clock => SearchBudget::clock(clock, MOST_TIME, UNTIMED_NODES),
        };
        let root = game.node(*view.position);
        let mask = view.position.safe_mask(setup, game.me);
        if mask.count_ones() < 2 {
            return Direction::of_mask(mask).next().unwrap_or(Direction::Up);
        }
        let limits = SearchLimits {
            depth: MAX_DEPTH,
            step: 2,
        };
        let found = self.search.search(&game, &root, limits, budget);
        let first = Direction::of_mask(mask).next();
        found
            .line
            .first()
            .copied()
            .or(first)
            .unwrap_or(Direction::Up)
    }
}
