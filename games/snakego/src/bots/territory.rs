//! A search over the whole turn of all own snakes.
//!
//! Every own snake acts once in a turn, in list order. The bot tries their actions together on
//! copies of the position, keeping the most promising lines (a beam), and judges the position after
//! the turn by
//!
//! - [`evaluation`](super::evaluation): cells, bank, space and items that each side reaches first,
//!   room for heads;
//! - [`loops`](super::loops): what each step of a snake leads to, looked at once before the search.
//!
//! The best few lines are then played on for some turns, in which each side moves one snake after
//! the other to what looks best; the line that ends best is played. In self-play this foresight
//! weighed more than everything else: without it snakes are walled in or cut off by the very next
//! turn of the opponent.
//!
//! It plans once a turn and plays the plan as long as the position is the one it expected. It has
//! no chance and no clock: the same leg gets the same turns again.

use leitai_game::{Bot, BotClock, Seat};

use crate::action::Action;
use crate::bots::evaluation::{Weights, evaluate_position, rounds_left};
use crate::bots::loops::{CELL, EstimateWeights, Prospect, Surroundings};
use crate::position::{MAX_SNAKES, Position, Snake};
use crate::setup::Setup;
use crate::view::View;

/// The effort and the weights of the bot.
#[derive(Clone, Copy, Debug)]
pub struct SearchStyle {
    /// Lines kept after every snake.
    pub beam: usize,
    /// Finished lines that are judged after some more turns …
    pub answered: usize,
    /// … so many.
    pub foresight: usize,
    /// What it values at a glance.
    pub weights: Weights,
    /// How it looks for loops.
    pub habits: EstimateWeights,
    /// A snake that cannot go on for so many moves is in danger.
    pub breath: usize,
    /// How much of a future loop counts, in percent.
    pub trust: i32,
}

impl Default for SearchStyle {
    fn default() -> SearchStyle {
        SearchStyle {
            beam: 8,
            answered: 10,
            foresight: 4,
            weights: Weights::default(),
            habits: EstimateWeights::default(),
            breath: 8,
            trust: 70,
        }
    }
}

/// See the module.
#[derive(Default)]
pub struct TerritoryBot {
    style: SearchStyle,
    /// The rest of this turn, last action first.
    plan: Vec<(Position, Action)>,
}

impl TerritoryBot {
    /// The same bot with other values.
    pub fn with_style(style: SearchStyle) -> TerritoryBot {
        TerritoryBot {
            style,
            plan: Vec::new(),
        }
    }
}

impl Bot<Position> for TerritoryBot {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, _: &dyn BotClock) -> Action {
        let position = view.position;
        if self
            .plan
            .last()
            .is_none_or(|(expected, _)| expected != position)
        {
            self.plan = TurnSearch::new(setup, position, &self.style).search_lines();
        }
        let (_, action) = self
            .plan
            .pop()
            .expect("a search gives an action for the snake that is asked");
        action
    }
}

/// A snake's id, and the prospects of its first steps by direction.
type Outlook = (u16, [Prospect; 4]);

/// The search of one turn.
struct TurnSearch<'a> {
    setup: &'a Setup,
    style: &'a SearchStyle,
    seat: Seat,
    start: Position,
    prospects: Vec<Outlook>,
}

/// Some snakes have acted.
struct SearchLine {
    position: Position,
    played: Vec<(Position, Action)>,
    /// What the steps so far lead to.
    promise: i32,
    score: i32,
}

impl<'a> TurnSearch<'a> {
    fn new(setup: &'a Setup, position: &Position, style: &'a SearchStyle) -> TurnSearch<'a> {
        let seat = position.seat();
        let mut turn = TurnSearch {
            setup,
            style,
            seat,
            start: *position,
            prospects: Vec::new(),
        };
        let waiting = &position.snakes(seat)[position.cursor()..];
        turn.prospects = turn.assess_snakes(position, waiting);
        turn
    }

    /// What the steps of these snakes lead to.
    fn assess_snakes(&self, position: &Position, snakes: &[Snake]) -> Vec<Outlook> {
        let left = rounds_left(self.setup, position);
        let around = Surroundings::new(position, self.seat, left as usize + 1, self.style.habits);
        let last = position.snakes(self.seat).len() - 1;
        let future = |snake| self.style.weights.future_value(snake, last, left);
        snakes
            .iter()
            .map(|snake| (snake.id, around.find_prospects(snake, future(snake))))
            .collect()
    }

    /// The best line's actions, last first.
    fn search_lines(&self) -> Vec<(Position, Action)> {
        let first = SearchLine {
            position: self.start,
            played: Vec::new(),
            promise: 0,
            score: 0,
        };
        let (mut open, mut over) = (vec![first], Vec::new());
        while !open.is_empty() {
            let mut next: Vec<SearchLine> = open
                .iter()
                .flat_map(|line| self.extend_line(line))
                .collect();
            next.sort_by_key(|line| -line.score);
            next.truncate(self.style.beam);
            let (waiting, done): (Vec<SearchLine>, Vec<SearchLine>) = next
                .into_iter()
                .partition(|line| self.is_my_turn(&line.position));
            open = waiting;
            over.extend(done);
        }
        over.sort_by_key(|line| -line.score);
        over.truncate(self.style.answered);
        let best = over
            .into_iter()
            .max_by_key(|line| line.promise + self.foreseen_value(&line.position));
        let mut played = best.expect("every line ends and some are kept").played;
        played.reverse();
        played
    }

    /// The worth of a position after some more turns in which each side moves one snake after the
    /// other to what looks best.
    fn foreseen_value(&self, position: &Position) -> i32 {
        let mut now = *position;
        let mut last = self.seat;
        for _ in 0..self.style.foresight {
            if now.end().is_some() {
                break;
            }
            last = now.seat();
            self.play_plainly(&mut now);
        }
        let worth = evaluate_position(self.setup, &now, last, &self.style.weights);
        if last == self.seat { worth } else { -worth }
    }

    /// Plays one turn, one snake after the other.
    fn play_plainly(&self, now: &mut Position) {
        let (seat, round) = (now.seat(), now.round());
        for _ in 0..MAX_SNAKES {
            if now.end().is_some() || now.seat() != seat || now.round() > round {
                return;
            }
            let after = Action::ALL
                .into_iter()
                .filter(|action| now.check_action(*action).is_ok())
                .map(|action| {
                    let mut after = *now;
                    after.play_action(self.setup, action, &mut ());
                    after
                });
            let best = after.max_by_key(|after| {
                evaluate_position(self.setup, after, seat, &self.style.weights)
            });
            *now = best.expect("some move is always legal");
        }
    }

    /// Whether it is still this side's turn.
    fn is_my_turn(&self, position: &Position) -> bool {
        let same_turn = position.seat() == self.seat && position.round() == self.start.round();
        same_turn && position.end().is_none()
    }

    fn extend_line(&self, line: &SearchLine) -> Vec<SearchLine> {
        let legal = Action::ALL
            .into_iter()
            .filter(|action| line.position.check_action(*action).is_ok());
        legal.map(|action| self.play_line(line, action)).collect()
    }

    fn play_line(&self, line: &SearchLine, action: Action) -> SearchLine {
        let mut position = line.position;
        position.play_action(self.setup, action, &mut ());
        let mut played = Vec::with_capacity(MAX_SNAKES);
        played.extend_from_slice(&line.played);
        played.push((line.position, action));
        let promise = line.promise + self.promised_value(&line.position, &position, action);
        let score =
            promise + evaluate_position(self.setup, &position, self.seat, &self.style.weights);
        SearchLine {
            position,
            played,
            promise,
            score,
        }
    }

    /// What the snake can hope for, or has to fear, after its action.
    fn promised_value(&self, before: &Position, after: &Position, action: Action) -> i32 {
        let snake = before.current().expect("the turn went on");
        if after.end().is_some()
            || after
                .snakes(self.seat)
                .iter()
                .all(|alive| alive.id != snake.id)
        {
            return 0;
        }
        if let Some(direction) = action.direction() {
            let found = self.prospects.iter().find(|(id, _)| *id == snake.id);
            return found.map_or(0, |(_, by)| {
                self.prospect_value(snake, &by[direction as usize])
            });
        }
        // It stands still, perhaps in two pieces now: they are looked at as they are.
        let older = |id| id != snake.id && before.snakes(self.seat).iter().any(|old| old.id == id);
        let pieces = after
            .snakes(self.seat)
            .iter()
            .filter(|piece| !older(piece.id));
        let pieces: Vec<Snake> = pieces.copied().collect();
        let best = |(piece, (_, by)): (&Snake, &Outlook)| {
            by.iter()
                .map(|prospect| self.prospect_value(piece, prospect))
                .max()
                .unwrap_or(0)
        };
        pieces
            .iter()
            .zip(&self.assess_snakes(after, &pieces))
            .map(best)
            .sum()
    }

    fn prospect_value(&self, snake: &Snake, prospect: &Prospect) -> i32 {
        let breath = self
            .style
            .breath
            .min(rounds_left(self.setup, &self.start) as usize + 1);
        if prospect.lasts >= breath || prospect.loop_worth > 0 {
            return prospect.loop_worth * self.style.trust / 100;
        }
        let death = -i32::from(snake.length + snake.bank) * CELL - 300;
        let doom = prospect.escape.unwrap_or(death).max(death);
        doom * (breath + 4 - prospect.lasts) as i32 / (breath + 4) as i32
    }
}
