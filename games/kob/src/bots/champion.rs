//! The champion, and the levels below it: alpha-beta over rounds with a fitted evaluation.

use std::time::Duration;

use leitai_game::rng::mix_seed;
use leitai_game::{Bot, BotClock};
use leitai_search::SearchBudget;
use leitai_search::alpha_beta::{AlphaBeta, SearchLimits};

use crate::board::Direction;
use crate::bots::alphabeta::Effort;
use crate::bots::evaluation::{CELLS_ONLY, WEIGHTS, Weights};
use crate::bots::round_search::{Oversight, RoundSearch};
use crate::position::Position;
use crate::setup::Setup;
use crate::view::View;

/// Searched half-moves without a time limit.
const UNTIMED_NODES: u64 = 20_000;
/// Longest time spent on one move; more gains little.
const MOST_TIME: Duration = Duration::from_secs(1);
/// Deepest search, in half-moves.
pub const MAX_DEPTH: u32 = 120;
/// Half-moves by which an iteration is deeper than the one before: a round.
pub const DEPTH_STEP: u32 = 2;
/// Most bits of a transposition table's size: 2^18 entries of 24 bytes.
const MOST_TABLE_BITS: u32 = 18;

/// How a champion or a level plays.
#[derive(Clone, Copy, Debug)]
pub struct ChampionStyle {
    /// How long it thinks.
    pub effort: Effort,
    /// Deepest search, in half-moves with a choice.
    pub depth: u32,
    /// How it weighs positions, and how many rounds it looks ahead for that.
    pub weights: Weights,
    /// How many in 1024 of the other side's answers it overlooks.
    pub oversight: u16,
    /// In how many of 1024 rounds it does not look ahead at all: it keeps its direction if that is
    /// not sure to kill.
    pub inattention: u16,
    /// In how many of 1024 rounds it does not look at all: it keeps its direction even into what
    /// stands there.
    pub carelessness: u16,
}

impl ChampionStyle {
    /// The strongest play for so much effort.
    pub fn full(effort: Effort) -> ChampionStyle {
        ChampionStyle {
            effort,
            depth: MAX_DEPTH,
            weights: WEIGHTS,
            oversight: 0,
            inattention: 0,
            carelessness: 0,
        }
    }

    /// A level from 1 to 10; others count as the nearest. A level looks less far ahead than the next
    /// one; the lowest ones do not pay attention in every round.
    pub fn level(number: u8) -> ChampionStyle {
        ChampionStyle::of_row(LEVELS[usize::from(number.clamp(1, 10)) - 1])
    }

    /// Level 5 of the scale kob-2026.2, which is no level of today's.
    pub fn former_level5() -> ChampionStyle {
        ChampionStyle::of_row((200, 2, 4, 0, 0))
    }

    /// Level 8 of the scale kob-2026.2, which is no level of today's.
    pub fn former_level8() -> ChampionStyle {
        ChampionStyle::of_row((4_000, 10, 40, 0, 0))
    }

    fn of_row((nodes, depth, horizon, inattention, carelessness): LevelRow) -> ChampionStyle {
        ChampionStyle {
            effort: Effort::Nodes(nodes),
            depth,
            weights: Weights {
                horizon,
                ..CELLS_ONLY
            },
            oversight: 0,
            inattention,
            carelessness,
        }
    }
}

/// Half-moves searched, depth in half-moves, rounds looked ahead in the evaluation, and rounds of
/// 1024 without attention and without a look.
type LevelRow = (u64, u32, u16, u16, u16);

/// Level 1 first.
const LEVELS: [LevelRow; 10] = [
    (200, 2, 2, 700, 620),
    (200, 2, 2, 700, 230),
    (200, 2, 2, 700, 0),
    (200, 2, 3, 250, 0),
    (200, 2, 6, 100, 0),
    (200, 2, 40, 0, 0),
    (800, 4, 40, 0, 0),
    (4_000, 8, 40, 0, 0),
    (8_000, MAX_DEPTH, 40, 0, 0),
    (60_000, MAX_DEPTH, 40, 0, 0),
];

/// The bot. It keeps its transposition table from move to move.
pub struct Champion {
    style: ChampionStyle,
    seed: u64,
    search: AlphaBeta<Direction>,
}

impl Champion {
    /// A bot that plays in this style; what it overlooks comes from the seed.
    pub fn new(style: ChampionStyle, seed: u64) -> Champion {
        let table_bits = match style.effort {
            Effort::Clock => MOST_TABLE_BITS,
            Effort::Nodes(nodes) => nodes.clamp(1 << 8, 1 << (MOST_TABLE_BITS - 1)).ilog2() + 1,
        };
        Champion {
            style,
            seed,
            search: AlphaBeta::new(table_bits),
        }
    }
}

impl Champion {
    fn is_inattentive(&self, position: &Position) -> bool {
        let draw = mix_seed(position.key() ^ self.seed, 7) & 1023;
        draw < u64::from(self.style.inattention)
    }

    fn is_careless(&self, position: &Position) -> bool {
        let draw = mix_seed(position.key() ^ self.seed, 8) & 1023;
        draw < u64::from(self.style.carelessness)
    }
}

impl Bot<Position> for Champion {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, clock: &dyn BotClock) -> Direction {
        let game = RoundSearch {
            setup,
            me: view.seat(),
            weights: &self.style.weights,
            oversight: Oversight {
                share: self.style.oversight,
                seed: self.seed,
            },
        };
        let budget = match self.style.effort {
            Effort::Nodes(nodes) => SearchBudget::nodes(nodes),
            Effort::Clock => SearchBudget::clock(clock, MOST_TIME, UNTIMED_NODES),
        };
        let safe = view.position.safe_mask(setup, game.me);
        let first = Direction::of_mask(safe).next().unwrap_or(Direction::Up);
        if self.is_careless(view.position) {
            return view.position.facing(game.me).unwrap_or(first);
        }
        if safe.count_ones() < 2 {
            return first;
        }
        if self.is_inattentive(view.position) {
            let ahead = view.position.facing(game.me).unwrap_or(first);
            return if safe >> ahead.number() & 1 != 0 {
                ahead
            } else {
                first
            };
        }
        let limits = SearchLimits {
            depth: self.style.depth,
            step: DEPTH_STEP,
            threads: budget.threads(),
        };
        let root = game.node(*view.position);
        let found = self.search.search(&game, &root, limits, budget);
        found.line.first().copied().unwrap_or(first)
    }
}
