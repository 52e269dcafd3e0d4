//! The map in a terminal.
//!
//! A tank is the letter of its type (`S`triker, `P`ioneer, s`N`iper) and its number, in the colour
//! of its side; an invincible one is emphasised. A mine is `$` and the letter of its owner (`r`,
//! `b`, `n`), stone `##`, a brick `%` and its HP. From the perspective of a side, visible open
//! ground is marked `·`.

use leitai_game::render::{
    PaletteColor, PanelLine, RenderOptions, RenderedCell as Drawn, Rendering,
};
use leitai_game::{Perspective, Seat};

use crate::cell::{Cell, Grid, SIDE};
use crate::position::Position;
use crate::setup::{SIGHT, Setup};
use crate::tank::{TankType, side_of};
use crate::view::{SeenTank, View};

/// Draws a position.
pub fn render_map(setup: &Setup, position: &Position, look: &RenderOptions) -> Rendering {
    let view = View::new(setup, position, look.perspective);
    let mut board: Vec<Vec<Drawn>> =
        vec![vec![Drawn::uncoloured([' ', ' ']); SIDE.into()]; SIDE.into()];
    let sight = seen_cells(setup, &view);
    for cell in Cell::all() {
        *at(&mut board, cell) = ground_cell(setup, &view, &sight, cell);
    }
    for (number, tank) in view.tanks.iter().enumerate() {
        if let Some(cell) = tank.cell {
            *at(&mut board, cell) = tank_cell(number, tank);
        }
    }
    Rendering {
        board,
        panel: draw_panel(&view),
    }
}

fn at(board: &mut [Vec<Drawn>], cell: Cell) -> &mut Drawn {
    &mut board[usize::from(cell.row) - 1][usize::from(cell.col) - 1]
}

/// The cells that a side sees; none from the perspective of all.
fn seen_cells(setup: &Setup, view: &View) -> Grid {
    let Some(seat) = view.own_seat() else {
        return Grid::EMPTY;
    };
    let lit = Grid::from_cells(Cell::all().filter(|cell| setup.is_lit(*cell)));
    let tanks = view
        .tanks
        .iter()
        .enumerate()
        .filter(|(number, _)| side_of(*number) == seat);
    tanks
        .filter_map(|(_, tank)| tank.cell)
        .fold(lit, |seen, cell| seen | Grid::cells_within(cell, SIGHT))
}

fn ground_cell(setup: &Setup, view: &View, sight: &Grid, cell: Cell) -> Drawn {
    let (text, ink) = match (setup.map().mine_at(cell), view.brick(cell)) {
        (Some(mine), _) => owner_mark(view.owner(mine)),
        (None, 1) => (['%', '1'], PaletteColor::Magenta),
        (None, 2) => (['%', '2'], PaletteColor::Magenta),
        _ if view.stone.has(cell) => (['#', '#'], PaletteColor::White),
        _ if sight.has(cell) => (['·', ' '], PaletteColor::Grey),
        _ => ([' ', ' '], PaletteColor::Default),
    };
    Drawn {
        text,
        ink,
        paper: PaletteColor::Default,
        strong: false,
    }
}

fn owner_mark(owner: Option<Seat>) -> ([char; 2], PaletteColor) {
    match owner {
        None => (['$', 'n'], PaletteColor::Green),
        Some(seat) => (
            ['$', side_letter(seat).to_ascii_lowercase()],
            side_color(seat),
        ),
    }
}

fn side_letter(seat: Seat) -> char {
    if seat == Seat::First { 'R' } else { 'B' }
}

/// The colour of a side.
pub(crate) fn side_color(seat: Seat) -> PaletteColor {
    if seat == Seat::First {
        PaletteColor::Red
    } else {
        PaletteColor::Blue
    }
}

fn tank_cell(number: usize, tank: &SeenTank) -> Drawn {
    let strong = tank.noharm.is_some_and(|counter| counter > 0);
    Drawn {
        text: tank_mark(number, tank.kind),
        ink: side_color(side_of(number)),
        paper: PaletteColor::Default,
        strong,
    }
}

/// The letter of the type and the number, such as `S0`.
pub(crate) fn tank_mark(number: usize, kind: Option<TankType>) -> [char; 2] {
    [kind_letter(kind), char::from(b'0' + number as u8)]
}

fn kind_letter(kind: Option<TankType>) -> char {
    match kind {
        None => 'T',
        Some(TankType::Striker) => 'S',
        Some(TankType::Pioneer) => 'P',
        Some(TankType::Sniper) => 'N',
    }
}

fn draw_panel(view: &View) -> Vec<PanelLine> {
    let whose = match view.perspective {
        Perspective::All => "everything".to_owned(),
        Perspective::Seat(seat) => format!("what {} sees", side_letter(seat)),
    };
    let mut lines = vec![PanelLine::uncoloured(format!(
        "round {}, {whose}",
        view.round
    ))];
    for seat in Seat::BOTH {
        let n = seat.index();
        let text = format!(
            "{}  resources {:4}  mines {:2}  kills {}",
            side_letter(seat),
            view.gold[n],
            view.owners[n].count_ones(),
            view.kills[n]
        );
        lines.push(PanelLine {
            text,
            ink: side_color(seat),
        });
    }
    // A commander knows the own tanks from the orders; where space is short, the enemy's matter
    // more and come first.
    let mut tanks: Vec<(usize, &SeenTank)> = view.tanks.iter().enumerate().collect();
    tanks.sort_by_key(|(number, _)| view.own_seat() == Some(side_of(*number)));
    lines.extend(tanks.into_iter().map(|(number, tank)| PanelLine {
        text: tank_line(number, tank),
        ink: side_color(side_of(number)),
    }));
    lines
}

fn tank_line(number: usize, tank: &SeenTank) -> String {
    let name = tank.kind.map_or("?", |kind| kind.name());
    let start = format!("{number} {name:<8}");
    match (tank.cell, tank.life, tank.revive) {
        (Some(cell), Some(life), _) => format!("{start}{life} HP at {cell}{}", shield_text(tank)),
        (Some(cell), None, _) => format!("{start}at {cell}"),
        (None, _, Some(round)) => format!("{start}back in round {round}"),
        (None, Some(life), None) => format!("{start}{life} HP, not seen"),
        (None, None, None) => format!("{start}not seen"),
    }
}

fn shield_text(tank: &SeenTank) -> String {
    match tank.noharm {
        Some(counter) if counter > 0 => format!(", invincible {counter}"),
        _ => String::new(),
    }
}
