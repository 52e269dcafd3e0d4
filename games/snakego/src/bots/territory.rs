//! A search over the whole turn of all own snakes.
//!
//! Every own snake acts once in a turn, in list order. The bot tries their actions together on copies of the position,
//! keeping the most promising lines (a beam), and judges the position after the turn by
//!
//! - [`evaluation`](super::evaluation): cells, bank, space and items that each side reaches first, room for heads;
//! - [`loops`](super::loops): what each step of a snake leads to, looked at once before the search.
//!
//! It plans once a turn and plays the plan as long as the position is the one it expected. It has no chance and no
//! clock: equal positions get equal turns.

use leitai_game::{Bot, Clock, Seat};

use crate::action::Action;
use crate::bots::evaluation::{Weights, evaluate, rounds_left};
use crate::bots::loops::{CELL, Habits, Prospect, Surroundings};
use crate::position::{MAX_SNAKES, Position, Snake};
use crate::setup::Setup;
use crate::view::View;

/// How hard the bot thinks and what it values.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Lines kept after every snake.
    pub beam: usize,
    /// What it values at a glance.
    pub weights: Weights,
    /// How it looks for loops.
    pub habits: Habits,
    /// A snake that cannot go on for so many moves is in danger.
    pub breath: usize,
    /// How much of a future loop counts, in percent.
    pub trust: i32,
}

impl Default for Style {
    fn default() -> Style {
        Style { beam: 40, weights: Weights::default(), habits: Habits::default(), breath: 8, trust: 70 }
    }
}

/// See the module.
#[derive(Default)]
pub struct Territory {
    style: Style,
    /// The rest of this turn, last action first.
    plan: Vec<(Position, Action)>,
}

impl Territory {
    /// The same bot with other values.
    pub fn with(style: Style) -> Territory {
        Territory { style, plan: Vec::new() }
    }
}

impl Bot<Position> for Territory {
    fn choose(&mut self, setup: &Setup, view: &View<'_>, _: &dyn Clock) -> Action {
        let position = view.position;
        if self.plan.last().is_none_or(|(expected, _)| expected != position) {
            self.plan = Turn::new(setup, position, &self.style).search();
        }
        let (_, action) = self.plan.pop().expect("a search gives an action for the snake that is asked");
        action
    }
}

/// The search of one turn.
struct Turn<'a> {
    setup: &'a Setup,
    style: &'a Style,
    seat: Seat,
    start: Position,
    /// What each own snake's steps lead to, by its index at the start.
    prospects: Vec<(u16, [Prospect; 4])>,
}

/// Some snakes have acted.
#[derive(Clone)]
struct Line {
    position: Position,
    played: Vec<(Position, Action)>,
    /// What the steps so far lead to.
    promise: i32,
    score: i32,
}

impl<'a> Turn<'a> {
    fn new(setup: &'a Setup, position: &Position, style: &'a Style) -> Turn<'a> {
        let seat = position.seat();
        let mut turn = Turn { setup, style, seat, start: *position, prospects: Vec::new() };
        let waiting = &position.snakes(seat)[position.cursor()..];
        turn.prospects = turn.look(position, waiting);
        turn
    }

    /// What the steps of these snakes lead to.
    fn look(&self, position: &Position, snakes: &[Snake]) -> Vec<(u16, [Prospect; 4])> {
        let left = rounds_left(self.setup, position);
        let around = Surroundings::new(position, self.seat, left as usize + 1, self.style.habits);
        let future = self.style.weights.future(position.snakes(self.seat).len() - 1, left);
        snakes.iter().map(|snake| (snake.id, around.prospects(snake, future))).collect()
    }

    /// The best line's actions, last first.
    fn search(&self) -> Vec<(Position, Action)> {
        let first = Line { position: self.start, played: Vec::new(), promise: 0, score: 0 };
        let (mut open, mut best) = (vec![first], None::<Line>);
        while !open.is_empty() {
            let mut next: Vec<Line> = open.iter().flat_map(|line| self.continuations(line)).collect();
            next.sort_by_key(|line| -line.score);
            next.truncate(self.style.beam);
            let (waiting, over) = next.into_iter().partition(|line| self.mine(&line.position));
            open = waiting;
            best = over.into_iter().chain(best).max_by_key(|line| line.score);
        }
        let mut played = best.expect("every line ends and some are kept").played;
        played.reverse();
        played
    }

    /// Whether the turn goes on.
    fn mine(&self, position: &Position) -> bool {
        let same_turn = position.seat() == self.seat && position.round() == self.start.round();
        same_turn && position.end().is_none()
    }

    fn continuations(&self, line: &Line) -> Vec<Line> {
        let legal = Action::ALL.into_iter().filter(|action| line.position.check(*action).is_ok());
        legal.map(|action| self.continued(line, action)).collect()
    }

    fn continued(&self, line: &Line, action: Action) -> Line {
        let snake = *line.position.current().expect("the turn goes on");
        let mut position = line.position;
        position.act(self.setup, action, &mut ());
        let mut played = Vec::with_capacity(MAX_SNAKES);
        played.extend_from_slice(&line.played);
        played.push((line.position, action));
        let promise = line.promise + self.promise(&position, &snake, action);
        let score = promise + evaluate(self.setup, &position, self.seat, &self.style.weights);
        Line { position, played, promise, score }
    }

    /// What the snake can hope for, or has to fear, after its action.
    fn promise(&self, after: &Position, snake: &Snake, action: Action) -> i32 {
        let alive = |id: u16| after.snakes(self.seat).iter().find(|snake| snake.id == id);
        if alive(snake.id).is_none() || after.end().is_some() {
            return 0;
        }
        if let Some(direction) = action.direction() {
            let found = self.prospects.iter().find(|(id, _)| *id == snake.id);
            return found.map_or(0, |(_, by)| self.hope(snake, &by[direction as usize]));
        }
        let pieces: Vec<Snake> =
            after.snakes(self.seat).iter().filter(|piece| self.touched(piece, snake)).copied().collect();
        let looked = self.look(after, &pieces);
        let best = |(piece, (_, by)): (&Snake, &(u16, [Prospect; 4]))| {
            by.iter().map(|prospect| self.hope(piece, prospect)).max().unwrap_or(0)
        };
        pieces.iter().zip(&looked).map(best).sum()
    }

    /// The snake itself, or a piece that was split off it just now.
    fn touched(&self, piece: &Snake, snake: &Snake) -> bool {
        piece.id == snake.id || self.start.snakes(self.seat).iter().all(|old| old.id != piece.id)
    }

    fn hope(&self, snake: &Snake, prospect: &Prospect) -> i32 {
        let breath = self.style.breath.min(rounds_left(self.setup, &self.start) as usize + 1);
        if prospect.lasts >= breath || prospect.loop_worth > 0 {
            return prospect.loop_worth * self.style.trust / 100;
        }
        let death = -i32::from(snake.length + snake.bank) * CELL - 300;
        let doom = prospect.escape.unwrap_or(death).max(death);
        doom * (breath + 4 - prospect.lasts) as i32 / (breath + 4) as i32
    }
}
