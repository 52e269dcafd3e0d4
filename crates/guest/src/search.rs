//! A tree search over the rules of a guest game: it plays random legs from the positions of a tree
//! (`leitai_search::mcts`). It counts playouts and fuel, never time, so a seed gives the same result
//! on every machine. Who changes what it finds counts `RECIPE` of `crate::levels` up: scales were measured
//! with it.
//!
//! Where a step asks both seats, the seat that the search is for acts first and the other answers
//! what it sees: the value is the one that nobody can take from it.

use leitai_game::erased::{AnyLeg, TextReplies};
use leitai_game::game::Outcome;
use leitai_game::{BySeat, GameFault, Reply, Rng, Seat, ToMove};
use leitai_search::SearchBudget;
use leitai_search::mcts::{ActionStatistics, SearchTree, TreeGame};

use crate::leg::{Allowance, GuestLeg, Stopped};

/// Random legs from each position that is looked at.
const LEGS: u32 = 1;
/// The most bytes of the positions of a tree.
const MOST_BYTES: u64 = 64 << 20;
/// The most actions of a position that are looked at; of more, so many are drawn.
const MOST_ACTIONS: usize = 256;
/// The most nodes of a tree.
const MOST_NODES: usize = 1 << 17;

/// A search of one position.
pub(crate) struct PositionSearch {
    explorer: Explorer,
    tree: SearchTree<u16>,
}

/// A number that a search found, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    /// The probability to win, a draw counted as half.
    pub(crate) value: f64,
    /// The standard error of the value, as far as the chance of playouts goes.
    pub(crate) spread: f64,
}

impl Found {
    /// The mean of so many positions that were looked at, whose values have this variance.
    fn of_visits(mean: f32, visits: u32, variance: f64) -> Found {
        Found {
            value: f64::from(mean).clamp(0.0, 1.0),
            spread: (variance / f64::from(visits + 2)).sqrt(),
        }
    }

    /// The same for the other seat.
    fn for_other(self) -> Found {
        Found {
            value: 1.0 - self.value,
            ..self
        }
    }
}

/// A position of the tree.
struct Position {
    leg: GuestLeg,
    /// Where both seats are asked: what the searching seat does, which the other answers.
    own: Option<String>,
    /// The actions that were listed, of the seat that acts.
    actions: Vec<String>,
    /// The positions behind them, by the numbers of the actions.
    next: Vec<(u16, u32)>,
}

/// Positions by number; a state of the tree is such a number.
struct Explorer {
    positions: Vec<Position>,
    seat: Seat,
    allowance: Allowance,
    rng: Rng,
    stopped: Option<Stopped>,
    values: Values,
}

/// The values that were found so far.
#[derive(Clone, Copy, Default)]
struct Values {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Values {
    fn add(&mut self, value: f32) {
        let value = f64::from(value);
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    /// Two values more, a win and a loss: few that all agree are not certain.
    fn variance(&self) -> f64 {
        let count = self.count + 2.0;
        let mean = (self.sum + 1.0) / count;
        ((self.squares + 1.0) / count - mean * mean).max(0.0)
    }
}

impl PositionSearch {
    /// A search for a seat that takes at most so much fuel. With an action of the seat, in a step that
    /// asks both, from there on.
    pub(crate) fn new(
        leg: &GuestLeg,
        seat: Seat,
        own: Option<&str>,
        chance: u64,
        fuel: u64,
    ) -> Self {
        let root = Position {
            leg: leg.copy(),
            own: own.map(str::to_owned),
            actions: Vec::new(),
            next: Vec::new(),
        };
        PositionSearch {
            explorer: Explorer {
                positions: vec![root],
                seat,
                allowance: Allowance::new(fuel, MOST_BYTES),
                rng: Rng::new(chance),
                stopped: None,
                values: Values::default(),
            },
            tree: SearchTree::with_capacity(1),
        }
    }

    /// Looks at positions until the budget or the allowance is spent, or until somebody says stop.
    /// Returns how many it looked at.
    pub(crate) fn run(&mut self, budget: SearchBudget<'_>, stop: &dyn Fn() -> bool) -> u64 {
        self.tree = SearchTree::with_capacity(MOST_NODES);
        let mut looked = 0;
        while self.explorer.stopped.is_none() && !budget.is_spent(looked) && !stop() {
            self.tree
                .search(&mut self.explorer, &0, SearchBudget::nodes(1));
            looked += 1;
        }
        looked
    }

    /// The failure of the rules that ended the search.
    pub(crate) fn take_fault(&mut self) -> Option<GameFault> {
        match self.explorer.stopped.take()? {
            Stopped::Failed(fault) => Some(*fault),
            Stopped::Spent => None,
        }
    }

    /// The actions of the seat that acts, the most visited first, with what each is worth to the seat
    /// that the search is for.
    pub(crate) fn rank_actions(&self) -> Vec<(String, Found)> {
        let root = &self.explorer.positions[0];
        let acts = self.explorer.seat_to_act(&0);
        let variance = self.explorer.values.variance();
        let mut seen: Vec<ActionStatistics<u16>> = self.tree.root_statistics().collect();
        seen.retain(|one| one.visits > 0);
        // Stable: of equals the first that was listed.
        seen.sort_by_key(|one| std::cmp::Reverse(one.visits));
        let found = |one: ActionStatistics<u16>| {
            let action = root.actions.get(usize::from(one.action))?.clone();
            let found = Found::of_visits(one.mean, one.visits, variance);
            Some(match acts == self.explorer.seat {
                true => (action, found),
                false => (action, found.for_other()),
            })
        };
        seen.into_iter().filter_map(found).collect()
    }

    /// What the position is worth to the seat that the search is for: by the most visited action.
    pub(crate) fn value(&self) -> Option<Found> {
        self.rank_actions().first().map(|(_, found)| *found)
    }

    /// How many actions there are to choose from.
    pub(crate) fn choices(&self) -> usize {
        self.explorer.positions[0].actions.len()
    }

    /// The most visited line.
    pub(crate) fn best_line(&self) -> Vec<String> {
        let mut at = 0;
        let mut line = Vec::new();
        for action in self.tree.best_line(None) {
            let position = &self.explorer.positions[at];
            line.extend(position.actions.get(usize::from(action)).cloned());
            match position.next.iter().find(|(by, _)| *by == action) {
                Some((_, next)) => at = *next as usize,
                None => break,
            }
        }
        line
    }
}

/// What an outcome is worth to a seat.
pub(crate) fn worth(outcome: &Outcome, seat: Seat) -> f64 {
    match outcome.winner {
        None => 0.5,
        Some(winner) => f64::from(u8::from(winner == seat)),
    }
}

impl Explorer {
    fn keep<T>(&mut self, result: Result<T, Stopped>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(why) => {
                self.stopped.get_or_insert(why);
                None
            }
        }
    }

    /// Draws so many of the actions. Their order is drawn, too: a search of few positions looks at the
    /// first ones.
    fn draw_actions(&mut self, mut legal: Vec<String>) -> Vec<String> {
        let drawn = legal.len().min(MOST_ACTIONS);
        for at in 0..drawn {
            let other = at + self.rng.next_below(legal.len() - at);
            legal.swap(at, other);
        }
        legal.truncate(drawn);
        legal
    }

    /// The position after an action.
    fn follow(&mut self, at: u32, action: u16) -> Result<Position, Stopped> {
        let Explorer {
            positions,
            allowance,
            seat,
            ..
        } = self;
        let position = &positions[at as usize];
        let said = &position.actions[usize::from(action)];
        let leaf = |leg, own| Position {
            leg,
            own,
            actions: Vec::new(),
            next: Vec::new(),
        };
        let replies: TextReplies<'_> = match (position.leg.to_move(), &position.own) {
            (ToMove::Both, None) => {
                return Ok(leaf(position.leg.copy(), Some(said.clone())));
            }
            (ToMove::Both, Some(own)) => both(*seat, own, said),
            (ToMove::One(asked), _) => {
                BySeat::from_fn(|seat| (seat == asked).then_some(Reply::Action(&**said)))
            }
            (ToMove::Nobody, _) => BySeat::new(None, None),
        };
        Ok(leaf(position.leg.step_ahead(&replies, allowance)?, None))
    }

    /// The value for the first seat by random legs.
    fn play_out(&mut self, at: u32) -> Result<f32, Stopped> {
        let chance = self.rng.next_u64();
        let Explorer {
            positions,
            allowance,
            seat,
            rng,
            ..
        } = self;
        let position = &positions[at as usize];
        let answered = match &position.own {
            None => None,
            Some(own) => {
                let leg = &position.leg;
                let said = leg.sample_ahead(seat.other(), rng, allowance)?;
                let replies = both(*seat, own, said.as_deref().unwrap_or_default());
                Some(leg.step_ahead(&replies, allowance)?)
            }
        };
        let leg = answered.as_ref().unwrap_or(&position.leg);
        if let Some(outcome) = leg.outcome() {
            return Ok(worth(&outcome, Seat::First) as f32);
        }
        let [first, _, neither] = leg.play_out_ahead(chance, LEGS, allowance)?;
        Ok((first as f32 + 0.5 * neither as f32) / LEGS as f32)
    }
}

fn both<'a>(seat: Seat, own: &'a str, other: &'a str) -> TextReplies<'a> {
    BySeat::from_fn(|one| Some(Reply::Action(if one == seat { own } else { other })))
}

impl TreeGame for Explorer {
    type State = u32;
    type Action = u16;

    fn seat_to_act(&self, at: &u32) -> Seat {
        let position = &self.positions[*at as usize];
        match (position.leg.to_move(), &position.own) {
            (ToMove::One(seat), _) => seat,
            (ToMove::Both, Some(_)) => self.seat.other(),
            _ => self.seat,
        }
    }

    fn list_actions(&mut self, at: &u32, actions: &mut Vec<(u16, f32)>) {
        let position = &self.positions[*at as usize];
        if self.stopped.is_some() || position.leg.to_move() == ToMove::Nobody {
            return;
        }
        if position.actions.is_empty() {
            let acts = self.seat_to_act(at);
            let position = &self.positions[*at as usize];
            let legal = position.leg.list_ahead(acts, &mut self.allowance);
            let Some(legal) = self.keep(legal) else {
                return;
            };
            let legal = self.draw_actions(legal);
            self.positions[*at as usize].actions = legal;
        }
        let count = self.positions[*at as usize].actions.len() as u16;
        actions.extend((0..count).map(|number| (number, 1.0)));
    }

    fn play_action(&mut self, at: &mut u32, action: u16) {
        let known = self.positions[*at as usize].next.iter();
        if let Some((_, next)) = known.clone().find(|(by, _)| *by == action) {
            *at = *next;
            return;
        }
        if self.stopped.is_some() {
            return;
        }
        let followed = self.follow(*at, action);
        if let Some(position) = self.keep(followed) {
            let next = self.positions.len() as u32;
            self.positions.push(position);
            self.positions[*at as usize].next.push((action, next));
            *at = next;
        }
    }

    fn estimate_value(&mut self, at: &u32) -> f32 {
        const UNKNOWN: f32 = 0.5;
        if let Some(outcome) = self.positions[*at as usize].leg.outcome() {
            let value = worth(&outcome, Seat::First) as f32;
            self.values.add(value);
            return value;
        }
        if self.stopped.is_some() {
            return UNKNOWN;
        }
        let played = self.play_out(*at);
        let Some(value) = self.keep(played) else {
            return UNKNOWN;
        };
        self.values.add(value);
        value
    }
}
