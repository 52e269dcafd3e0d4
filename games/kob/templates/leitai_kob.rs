//! King of Bots for bots in Rust: `play(choose)` asks `choose` for a direction in every round.
//!
//! Cells are (row, column) from the upper left, both from 0. What you draw with `viewer::mark`, `line`, `text`, `tag` and
//! `value` is shown on the viewer of your matches, to you alone. Standard output belongs to the judge: use `eprintln!`.
#![allow(dead_code)]

use std::collections::HashSet;

pub type Cell = (i32, i32);

/// A round before both snakes move.
pub struct State {
    pub round: i32,
    /// Whether the tails stay in this round.
    pub grows: bool,
    /// Directions to choose from.
    pub legal: Vec<String>,
    /// Cells from head to tail.
    pub me: Vec<Cell>,
    pub other: Vec<Cell>,
    /// Walls and snakes.
    pub taken: HashSet<Cell>,
}

impl State {
    fn new(view: &Json, legal: &Json) -> State {
        let snakes = &view.get("snakes").items;
        let is_mine = |snake: &&Json| snake.get("seat").word == view.get("you").word;
        let cells = |snake: Option<&Json>| snake.map_or(Vec::new(), |snake| snake.get("cells").cells());
        let me = cells(snakes.iter().find(is_mine));
        let other = cells(snakes.iter().find(|snake| !is_mine(snake)));
        let mut taken: HashSet<Cell> = me.iter().chain(&other).copied().collect();
        for (row, line) in (0..).zip(view.get("map").words()) {
            taken.extend((0..).zip(line.chars()).filter(|(_, kind)| *kind == '1').map(|(column, _)| (row, column)));
        }
        let (round, grows) = (view.get("round").number(), view.get("grows").word == "true");
        State { round, grows, legal: legal.words(), me, other, taken }
    }

    /// The cell of your head after a move.
    pub fn after(&self, direction: &str) -> Cell {
        step(self.me[0], direction)
    }

    /// How many free cells can be reached from this one, itself included; 0 if it is taken.
    pub fn reach(&self, cell: Cell) -> usize {
        let mut seen = self.taken.clone();
        let mut open: Vec<Cell> = seen.insert(cell).then_some(cell).into_iter().collect();
        let mut at = 0;
        while at < open.len() {
            let near = ["0", "1", "2", "3"].map(|direction| step(open[at], direction));
            open.extend(near.into_iter().filter(|next| seen.insert(*next)));
            at += 1;
        }
        open.len()
    }
}

/// The neighbour of a cell in a direction: "0" up, "1" right, "2" down, "3" left.
pub fn step((row, column): Cell, direction: &str) -> Cell {
    match direction {
        "0" => (row - 1, column),
        "1" => (row, column + 1),
        "2" => (row + 1, column),
        _ => (row, column - 1),
    }
}

/// Plays a game: `choose(state)` gives a direction.
pub fn play(mut choose: impl FnMut(&State) -> String) {
    answer_all(|view, legal, _| choose(&State::new(view, legal)));
}
