//! SnakeGo for bots in Rust: `play(choose)` asks `choose` for an action whenever one of your snakes has to act.
//!
//! Cells are (x, y) from the lower left, both from 0. What you draw with `viewer::mark`, `line`, `text`, `tag` and `value`
//! is shown on the viewer of your matches, to you alone. Standard output belongs to the judge: use `eprintln!`.
#![allow(dead_code)]

use std::collections::HashSet;

pub type Cell = (i32, i32);

#[derive(Clone, Debug)]
pub struct Snake {
    pub id: i32,
    pub mine: bool,
    /// Cells it will still grow.
    pub bank: i32,
    pub ray: bool,
    /// From head to tail.
    pub cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub cell: Cell,
    /// 0 grows by `param` cells, 2 brings a ray.
    pub kind: i32,
    pub param: i32,
    /// The last round in which it lies there.
    pub expires: i32,
}

/// A moment in which one of your snakes acts.
pub struct State {
    /// The board's length and width.
    pub size: Cell,
    pub round: i32,
    pub rounds: i32,
    /// Actions to choose from.
    pub legal: Vec<String>,
    /// The one that acts.
    pub snake: Snake,
    pub snakes: Vec<Snake>,
    pub items: Vec<Item>,
    pub my_walls: Vec<Cell>,
    pub other_walls: Vec<Cell>,
    /// Walls and snakes.
    pub taken: HashSet<Cell>,
}

impl State {
    fn new(view: &Json, legal: &Json, setup: &Json) -> State {
        let snakes: Vec<Snake> = view.get("snakes").items.iter().map(|own| read_snake(own, view)).collect();
        let acting = snakes.iter().find(|snake| snake.id == view.get("snake").number());
        let mut walls = view.get("walls").items.iter().map(Json::cells);
        let (mut my_walls, mut other_walls) = (walls.next().unwrap_or_default(), walls.next().unwrap_or_default());
        if view.get("you").word != "first" {
            std::mem::swap(&mut my_walls, &mut other_walls);
        }
        let bodies = snakes.iter().flat_map(|snake| &snake.cells);
        State {
            size: (setup.get("length").number_or(16), setup.get("width").number_or(16)),
            round: view.get("round").number(),
            rounds: view.get("rounds").number(),
            legal: legal.words(),
            snake: acting.expect("one snake acts").clone(),
            taken: bodies.chain(&my_walls).chain(&other_walls).copied().collect(),
            items: view.get("items").items.iter().map(read_item).collect(),
            snakes,
            my_walls,
            other_walls,
        }
    }

    /// The cell of the head after an action; a ray and a split leave it where it is.
    pub fn after(&self, action: &str) -> Cell {
        step(self.snake.cells[0], action)
    }

    /// Whether it is on the board, and neither wall nor snake.
    pub fn is_free(&self, cell: Cell) -> bool {
        let inside = (0..self.size.0).contains(&cell.0) && (0..self.size.1).contains(&cell.1);
        inside && !self.taken.contains(&cell)
    }
}

fn read_snake(own: &Json, view: &Json) -> Snake {
    Snake {
        id: own.get("id").number(),
        mine: own.get("seat").word == view.get("you").word,
        bank: own.get("bank").number(),
        ray: own.get("ray").word == "true",
        cells: own.get("cells").cells(),
    }
}

fn read_item(item: &Json) -> Item {
    let number = |key| item.get(key).number();
    Item { cell: (number("x"), number("y")), kind: number("type"), param: number("param"), expires: number("expires") }
}

/// The neighbour of a cell: "1" +x, "2" +y, "3" -x, "4" -y; "5", a ray, and "6", a split, stay where they are.
pub fn step((x, y): Cell, action: &str) -> Cell {
    match action {
        "1" => (x + 1, y),
        "2" => (x, y + 1),
        "3" => (x - 1, y),
        "4" => (x, y - 1),
        _ => (x, y),
    }
}

/// The steps between two cells on an empty board.
pub fn distance(one: Cell, other: Cell) -> i32 {
    (one.0 - other.0).abs() + (one.1 - other.1).abs()
}

/// Plays a leg: `choose(state)` gives an action.
pub fn play(mut choose: impl FnMut(&State) -> String) {
    answer_all(|view, legal, setup| choose(&State::new(view, legal, setup)));
}
