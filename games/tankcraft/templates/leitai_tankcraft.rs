//! TankCraft for bots in Rust: `play(team, order)` names five tanks, then asks `order` for each of them in every round.
//!
//! Cells are (row, column) from the upper left, both from 1. What you draw with `viewer::mark`, `line`, `text`, `tag` and
//! `value` is shown on the viewer of your matches, to you alone. Standard output belongs to the judge: use `eprintln!`.
#![allow(dead_code)]

use std::collections::HashSet;

pub type Cell = (i32, i32);

#[derive(Clone, Debug)]
pub struct Tank {
    pub id: i32,
    /// Striker, Pioneer or Sniper.
    pub kind: String,
    pub cell: Cell,
    pub life: i32,
}

#[derive(Clone, Debug)]
pub struct Mine {
    pub cell: Cell,
    /// R, B, or N for nobody.
    pub owner: char,
}

/// A round as your side sees it.
pub struct State {
    pub round: i32,
    /// R or B.
    pub me: char,
    /// Rows of `.` open, `#` stone, `1` and `2` bricks.
    pub terrain: Vec<String>,
    pub mines: Vec<Mine>,
    pub own: Vec<Tank>,
    /// Those that are seen and alive.
    pub enemies: Vec<Tank>,
}

impl State {
    fn new(view: &Json, setup: &Json) -> State {
        let me = if view.get("you").word == "first" { 'R' } else { 'B' };
        let mut owners = view.get("owners").word.chars();
        let mut mines = Vec::new();
        for (row, line) in (1..).zip(setup.get("map").words()) {
            let found = (1..).zip(line.chars()).filter(|(_, kind)| "rbn".contains(*kind));
            mines.extend(found.map(|(column, _)| Mine { cell: (row, column), owner: owners.next().unwrap_or('N') }));
        }
        let tanks = view.get("tanks").items.iter().map(|tank| Tank {
            id: tank.get("id").number(),
            kind: tank.get("type").word.clone(),
            cell: tank.get("cell").cell(),
            life: tank.get("life").number(),
        });
        let (own, others): (Vec<Tank>, Vec<Tank>) = tanks.partition(|tank| (tank.id < 5) == (me == 'R'));
        let enemies = others.into_iter().filter(|tank| tank.life > 0 && tank.cell.0 > 0).collect();
        let (round, terrain) = (view.get("round").number(), view.get("terrain").words());
        State { round, me, terrain, mines, own, enemies }
    }

    /// The order that begins a shortest way to one of these cells, through bricks too, round your other tanks.
    pub fn towards(&self, tank: &Tank, goals: &[Cell]) -> String {
        let alive = self.own.iter().filter(|own| own.life > 0);
        let mut seen: HashSet<Cell> = alive.map(|own| own.cell).collect();
        let mut open = vec![(tank.cell, "STOP".to_owned())];
        let mut at = 0;
        while at < open.len() {
            let (cell, first) = open[at].clone();
            if first != "STOP" && goals.contains(&cell) {
                return first;
            }
            for (order, down, right) in [("GOUP", -1, 0), ("GODOWN", 1, 0), ("GOLEFT", 0, -1), ("GORIGHT", 0, 1)] {
                let near = (cell.0 + down, cell.1 + right);
                let kind = self.terrain_at(near);
                if kind == '#' || !seen.insert(near) {
                    continue;
                }
                let begins = if kind == '.' { order.to_owned() } else { fire(near) };
                open.push((near, if first == "STOP" { begins } else { first.clone() }));
            }
            at += 1;
        }
        "STOP".to_owned()
    }

    /// What is on a cell; `#` outside of the board.
    pub fn terrain_at(&self, (row, column): Cell) -> char {
        let line = usize::try_from(row - 1).ok().and_then(|row| self.terrain.get(row));
        let kind = line.and_then(|line| line.chars().nth(usize::try_from(column - 1).ok()?));
        kind.unwrap_or('#')
    }
}

/// The order to shoot at a cell.
pub fn fire((row, column): Cell) -> String {
    format!("FIRE:{row}:{column}")
}

/// Whether the one can hit the other.
pub fn in_range(tank: &Tank, other: &Tank) -> bool {
    let range = match tank.kind.as_str() {
        "Striker" => 3,
        "Sniper" => 5,
        _ => 1,
    };
    (tank.cell.0 - other.cell.0).abs() + (tank.cell.1 - other.cell.1).abs() <= range
}

/// Plays a leg with five types: `order(state, tank)` gives an order for each tank of yours that is alive.
pub fn play(team: [&str; 5], mut order: impl FnMut(&State, &Tank) -> String) {
    answer_all(|view, _, setup| {
        if view.get("round").number() == 0 {
            return format!("Team;{}", team.join(";"));
        }
        let state = State::new(view, setup);
        let orders = state.own.iter().map(|tank| match tank.life > 0 {
            true => order(&state, tank),
            false => "STOP".to_owned(),
        });
        orders.collect::<Vec<_>>().join(";")
    });
}
