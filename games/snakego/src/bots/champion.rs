//! Monte-Carlo tree search over the actions of single snakes, with playouts by a quick policy.
//!
//! Every action of a snake is a move in the tree ([`leitai_search::mcts`]): own snakes and enemy
//! snakes act in the order of the rules. A leaf is played on for some rounds by a random policy that
//! likes items, room and the last free cells of enemy heads ([`super::playout`]), and is worth by how
//! much the lead in cells has grown since the root. Priors are the weights of the same policy.
//! Within a turn the subtree behind the own action is kept.
//!
//! The champion takes the time that its clock gives, shared among its snakes by the roots of their
//! lengths. A level plays a fixed number of playouts, so its strength and its actions depend on the
//! seed alone; weak levels also play them for fewer rounds, and so see less far. The weakest play
//! some or all of their actions in haste: after two playouts, so that they miss the third way.

use std::time::Duration;

use leitai_game::rng::mix_seed;
use leitai_game::{Bot, BotClock, Seat};
use leitai_search::calibration::LogisticCurve;
use leitai_search::mcts::{SearchForest, Selection, TreeGame};
use leitai_search::{Assessment, Assessor, SearchBudget};

use crate::action::Action;
use crate::board::SIDE;
use crate::bots::evaluation::rounds_left;
use crate::bots::playout::{LeadCurve, Outlook, Playout, PlayoutWeights, Step};
use crate::position::{Position, Snake};
use crate::setup::Setup;
use crate::view::View;

/// The effort and the weights of the bot.
#[derive(Clone, Copy, Debug)]
pub struct ChampionStyle {
    /// Playouts an action where nobody counts time, or if the bot is not timed.
    pub nodes: u64,
    /// Whether it uses the time of its clock; if not, it plays `nodes` playouts whatever the clock
    /// says.
    pub is_timed: bool,
    /// The most time a turn.
    pub most: Duration,
    /// Constants of the tree.
    pub selection: Selection,
    /// Playouts.
    pub playout: PlayoutWeights,
    /// The action with the best mean is played among those that were visited at least so many times
    /// as often as the most visited one.
    pub choice_share: f32,
    /// The prior of closing a loop, in parts of the best move's.
    pub loop_prior: f32,
    /// The prior of a split.
    pub split_prior: f32,
    /// The prior of a ray.
    pub ray_prior: f32,
    /// Snakes without a cell within so many rows and columns of the acting head stand still.
    pub sight: u8,
    /// Snakes shorter than this do not split.
    pub least_split: u16,
    /// So many percent of the actions get two playouts only: the third way and what threatens on it
    /// are missed.
    pub hasty_share: u64,
    /// In so many of a thousand actions a snake goes straight on without a look, even into what
    /// stands there.
    pub carelessness: u64,
}

impl Default for ChampionStyle {
    fn default() -> ChampionStyle {
        ChampionStyle {
            nodes: 40,
            is_timed: true,
            most: Duration::from_millis(500),
            selection: Selection {
                exploration: 1.0,
                first_play_reduction: 0.1,
                visits_to_expand: 1,
            },
            playout: PlayoutWeights::default(),
            choice_share: 0.5,
            loop_prior: 0.5,
            split_prior: 0.5,
            ray_prior: 0.5,
            sight: 16,
            least_split: 3,
            hasty_share: 0,
            carelessness: 0,
        }
    }
}

/// What sets the levels apart.
struct LevelEffort {
    /// Playouts an action.
    nodes: u64,
    /// Actions a playout at least, and for every snake in it.
    least_actions: u32,
    actions_per_snake: u32,
    /// See [`ChampionStyle::hasty_share`].
    hasty_share: u64,
    /// See [`ChampionStyle::carelessness`].
    carelessness: u64,
}

/// Levels 1 to 10.
const LEVELS: [LevelEffort; 10] = [
    level_effort(3, 4, 1, 100, 220),
    level_effort(3, 4, 1, 100, 55),
    level_effort(3, 4, 1, 100, 0),
    level_effort(3, 4, 1, 78, 0),
    level_effort(3, 4, 1, 0, 0),
    level_effort(5, 16, 3, 0, 0),
    level_effort(9, 28, 4, 0, 0),
    level_effort(15, 40, 6, 0, 0),
    level_effort(28, 60, 10, 0, 0),
    level_effort(42, 60, 10, 0, 0),
];
/// Level 10 of the scales 2026.1 (as its level 8) and 2026.2.
const FORMER_LEVEL10: LevelEffort = level_effort(70, 60, 10, 0, 0);

const fn level_effort(
    nodes: u64,
    least_actions: u32,
    actions_per_snake: u32,
    hasty_share: u64,
    carelessness: u64,
) -> LevelEffort {
    LevelEffort {
        nodes,
        least_actions,
        actions_per_snake,
        hasty_share,
        carelessness,
    }
}

impl ChampionStyle {
    /// The style of the champion. Levels and assessments have the default values: their scale and
    /// their curves were measured with those.
    pub fn champion() -> ChampionStyle {
        let default = ChampionStyle::default();
        ChampionStyle {
            selection: Selection {
                exploration: 0.5,
                ..default.selection
            },
            playout: PlayoutWeights {
                race: 0.3,
                harvest: 1.0,
                curve: LeadCurve::Steep,
                scale: 6.0,
                split_rarity: 3,
                ..default.playout
            },
            ..default
        }
    }

    /// The style of a level, 1 to 10; a number beyond them is the nearest of them.
    pub fn level(level: usize) -> ChampionStyle {
        ChampionStyle::with_effort(&LEVELS[level.clamp(1, LEVELS.len()) - 1])
    }

    /// Level 10 of the scale snakego-2026.2, which is no level of today's.
    pub fn former_level10() -> ChampionStyle {
        ChampionStyle::with_effort(&FORMER_LEVEL10)
    }

    fn with_effort(effort: &LevelEffort) -> ChampionStyle {
        let default = ChampionStyle::default();
        ChampionStyle {
            nodes: effort.nodes,
            is_timed: false,
            playout: PlayoutWeights {
                least_actions: effort.least_actions,
                actions_per_snake: effort.actions_per_snake,
                ..default.playout
            },
            hasty_share: effort.hasty_share,
            carelessness: effort.carelessness,
            ..default
        }
    }
}

/// Nodes of the pool of a bot that has a clock.
const POOL: usize = 1 << 19;
/// Nodes of the pool for every playout of a bot that has none: the children of a new node, and as
/// many again for the subtree that is kept.
const POOL_PER_PLAYOUT: u64 = 14;

/// The playouts of an action that is played in haste.
const HASTY_PLAYOUTS: u64 = 2;
/// Keep the chances of haste and of carelessness apart from that of the playouts.
const HASTY_SALT: u64 = 0x0068_6173_7465;
const CARELESS_SALT: u64 = 0x0062_6c69_6e64;

/// See the module.
pub struct Champion {
    style: ChampionStyle,
    seed: u64,
    trees: SearchForest<Action>,
    /// The position that the roots of the trees stand for.
    expected: Option<Position>,
    /// The turn that is played, and the time that must be left on the clock at its end.
    turn: Option<(u16, Duration)>,
}

impl Champion {
    /// A bot with these values whose chance comes from the seed.
    pub fn new(style: ChampionStyle, seed: u64) -> Champion {
        let capacity = if style.is_timed {
            POOL
        } else {
            (style.nodes.saturating_mul(POOL_PER_PLAYOUT) as usize).min(POOL)
        };
        Champion {
            style,
            seed,
            trees: SearchForest::with_capacity(capacity),
            expected: None,
            turn: None,
        }
    }

    /// The part of the turn's time that the snake that acts now may use: the snakes that have yet
    /// to act share it by the roots of their lengths.
    fn allot_time(&mut self, position: &Position, clock: &dyn BotClock) -> Duration {
        let left = clock.time_left().unwrap_or_default();
        let round = position.round();
        let reserve = match self.turn {
            Some((of, reserve)) if of == round => reserve,
            _ => left - self.style.most.min(left * 3 / 4),
        };
        self.turn = Some((round, reserve));
        let waiting = &position.snakes(position.seat())[position.cursor()..];
        let weight = |length: u16| f64::from(length.max(1)).sqrt();
        let sum: f64 = waiting.iter().map(|snake| weight(snake.length)).sum();
        let share = weight(position.acting().length) / sum.max(1.0);
        left.saturating_sub(reserve).mul_f64(share.min(1.0))
    }

    /// A number that chance gives this action.
    fn draw(&self, position: &Position, chance: u64) -> u64 {
        let salt = u64::from(position.round()) << 8 | position.cursor() as u64;
        mix_seed(self.seed ^ chance, salt)
    }

    /// The way straight on, if the snake does not look.
    fn go_blindly(&self, position: &Position) -> Option<Action> {
        if self.draw(position, CARELESS_SALT) % 1000 >= self.style.carelessness {
            return None;
        }
        let ahead = position.acting().facing()?.into();
        position.check_action(ahead).is_ok().then_some(ahead)
    }

    /// The playouts of an untimed action.
    fn count_playouts(&self, position: &Position) -> u64 {
        if self.draw(position, HASTY_SALT) % 100 < self.style.hasty_share {
            self.style.nodes.min(HASTY_PLAYOUTS)
        } else {
            self.style.nodes
        }
    }

    /// Grows the trees, whose root must be this position, on so many threads.
    fn search_position(
        &mut self,
        setup: &Setup,
        position: &Position,
        threads: usize,
        budget: SearchBudget<'_>,
    ) {
        let salt = u64::from(position.round()) << 8 | position.cursor() as u64;
        let seed = mix_seed(self.seed, salt);
        let mut part = *position;
        part.freeze_snakes(|snake| self.sees_snake(position, snake));
        let style = &self.style;
        let make_search = |thread: usize| {
            let seed = match thread {
                0 => seed,
                _ => mix_seed(seed, thread as u64),
            };
            let mut playout = Playout::new(setup, &style.playout, &part, seed);
            for seat in Seat::BOTH {
                let frozen = position.snakes(seat).len() - part.snakes(seat).len();
                playout.most_snakes[seat.index()] -= frozen;
            }
            ChampionSearch { style, playout }
        };
        self.trees.first_mut().selection = style.selection;
        self.trees.search(threads, make_search, &part, budget);
    }

    /// Whether a snake lies within sight of the snake that acts.
    fn sees_snake(&self, position: &Position, snake: &Snake) -> bool {
        if self.style.sight >= SIDE {
            return true;
        }
        let head = position.acting().head;
        let near = |a: u8, b: u8| a.abs_diff(b) <= self.style.sight;
        position
            .cells_of(snake)
            .into_iter()
            .any(|cell| near(cell.x(), head.x()) && near(cell.y(), head.y()))
    }
}

impl Bot<Position> for Champion {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, clock: &dyn BotClock) -> Action {
        let position = view.position;
        if let Some(ahead) = self.go_blindly(position) {
            return ahead;
        }
        if self.style.sight < SIDE || self.expected.as_ref() != Some(position) {
            self.trees.clear();
        }
        let budget = if self.style.is_timed {
            let time = self.allot_time(position, clock);
            SearchBudget::clock(clock, time, self.style.nodes)
        } else {
            SearchBudget::nodes(self.count_playouts(position))
        };
        self.search_position(setup, position, budget.threads(), budget);
        let action = self
            .trees
            .best_action(self.style.choice_share)
            .unwrap_or(Action::Right);
        let mut after = *position;
        after.play_action(setup, action, &mut ());
        self.trees.advance_root(action);
        self.expected = Some(after);
        action
    }
}

/// What the tree search needs to know of the game.
struct ChampionSearch<'a> {
    style: &'a ChampionStyle,
    playout: Playout<'a>,
}

impl TreeGame for ChampionSearch<'_> {
    type State = Position;
    type Action = Action;

    fn seat_to_act(&self, position: &Position) -> Seat {
        position.seat()
    }

    fn list_actions(&mut self, position: &Position, actions: &mut Vec<(Action, f32)>) {
        if position.end().is_some() {
            return;
        }
        let outlook = Outlook::new(position);
        let steps = outlook.classify_moves(position);
        let weights = self.playout.weigh_moves(position, &outlook);
        let best = weights.into_iter().max().unwrap_or(1).max(1) as f32;
        for (direction, step) in steps.iter().enumerate() {
            let action = Action::ALL[direction];
            match step {
                Step::Free => {
                    let share = weights[direction] as f32 / best;
                    actions.push((action, share.sqrt()));
                }
                Step::Loop => actions.push((action, self.style.loop_prior)),
                Step::Death | Step::Illegal => {}
            }
        }
        let legal = position.legal_mask();
        let may_fire = legal >> Action::Ray.number() & 1 != 0;
        if may_fire && (actions.is_empty() || self.playout.is_ray_useful(position)) {
            actions.push((Action::Ray, self.style.ray_prior));
        }
        if legal >> Action::Split.number() & 1 != 0
            && self.playout.may_split(position)
            && (position.acting().length >= self.style.least_split || actions.is_empty())
        {
            actions.push((Action::Split, self.style.split_prior));
        }
        if actions.is_empty() {
            let death = steps.iter().position(|step| *step == Step::Death);
            actions.push((Action::ALL[death.unwrap_or(0)], 1.0));
        }
    }

    fn play_action(&mut self, position: &mut Position, action: Action) {
        position.play_action(self.playout.setup, action, &mut ());
    }

    fn estimate_value(&mut self, position: &Position) -> f32 {
        self.playout.play_out(position)
    }
}

impl Assessor<Position> for Champion {
    fn assess(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<Action>> {
        if position.end().is_some() {
            return None;
        }
        self.trees.clear();
        self.expected = None;
        self.search_position(setup, position, 1, budget);
        let weights = &self.style.playout;
        let nodes = self.trees.first().root_visits();
        let judgement = Judgement::new(setup, position, seat, weights, nodes);
        let mean = self.trees.first().root_mean(seat);
        Some(judgement.assess_line(mean, self.trees.first().best_line(None)))
    }

    fn assess_actions(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Vec<(Action, Assessment<Action>)> {
        if position.seat() != seat || self.assess(setup, position, seat, budget).is_none() {
            return Vec::new();
        }
        let weights = &self.style.playout;
        let mut found: Vec<(Action, Assessment<Action>)> = Vec::new();
        for seen in self
            .trees
            .first()
            .root_statistics()
            .filter(|seen| seen.visits > 0)
        {
            let judgement = Judgement::new(setup, position, seat, weights, seen.visits.into());
            let line = self.trees.first().best_line(Some(seen.action));
            found.push((seen.action, judgement.assess_line(seen.mean, line)));
        }
        found.sort_by(|(_, a), (_, b)| b.expected_margin.total_cmp(&a.expected_margin));
        found
    }
}

/// Turns the mean of a search into a probability and a margin.
struct Judgement {
    /// What the seat leads by now, in cells.
    lead: f64,
    /// Rounds until the leg is over, this one counted.
    rounds_left: u32,
    /// How a lead became a value.
    curve: LeadCurve,
    scale: f32,
    nodes: u64,
}

impl Judgement {
    fn new(
        setup: &Setup,
        position: &Position,
        seat: Seat,
        weights: &PlayoutWeights,
        nodes: u64,
    ) -> Judgement {
        let cells = position.count_cells();
        Judgement {
            lead: f64::from(cells[seat]) - f64::from(cells[seat.other()]),
            rounds_left: rounds_left(setup, position).max(0) as u32 + 1,
            curve: weights.curve,
            scale: weights.scale,
            nodes,
        }
    }

    fn assess_line(&self, mean: f32, best_line: Vec<Action>) -> Assessment<Action> {
        let growth = f64::from(self.scale * self.curve.lead_of(mean));
        let expected_margin = self.lead + growth;
        Assessment {
            spread: None,
            win_probability: win_probability(expected_margin, self.rounds_left),
            expected_margin,
            best_line,
            proof: None,
            nodes: self.nodes,
            depth: 0,
        }
    }
}

/// The probability that the expected margin, in cells, wins with so many rounds left (this one
/// counted): a logistic function of [`relative_margin`].
fn win_probability(expected_margin: f64, rounds_left: u32) -> f64 {
    let curve = LogisticCurve {
        offset: 0.0,
        slope: SLOPES[phase_of(rounds_left)],
    };
    curve.probability(relative_margin(expected_margin, rounds_left))
}

/// A margin in cells in units of its spread: what remains to be won or lost spreads with the root
/// of the rounds left, this one counted.
pub fn relative_margin(expected_margin: f64, rounds_left: u32) -> f64 {
    expected_margin / (SPREAD_NOW + f64::from(rounds_left).sqrt())
}

/// The part of a leg, 0 to 3, to which a round belongs, by the rounds left with it.
pub fn phase_of(rounds_left: u32) -> usize {
    PHASE_ENDS.iter().filter(|end| rounds_left <= **end).count()
}

/// The spread of the final margin at the end, in cells.
const SPREAD_NOW: f64 = 0.5;
/// Rounds left in the first round of each phase after the first.
const PHASE_ENDS: [u32; 3] = [412, 256, 62];
/// What a unit of [`relative_margin`] adds to the natural logarithm of the odds, by [`phase_of`].
/// Fitted by `examples/snakego_calibrate.rs`.
const SLOPES: [f64; 4] = [0.55, 0.59, 0.78, 1.11];
