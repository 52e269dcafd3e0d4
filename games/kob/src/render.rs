//! The board in a terminal. Without colour: `##` obstacle, ` .` free, `aa` and `bb` bodies, `a'`
//! and `b'` tails, `A^` `A>` `Av` `A<` a head and its direction, `A*` a dead head, `AB` two heads
//! on one cell.

use leitai_game::Seat;
use leitai_game::render::{
    PaletteColor, PanelLine, RenderOptions, RenderedCell as Drawn, Rendering,
};

use crate::board::{Cell, Direction};
use crate::position::{Loss, Position};
use crate::setup::Setup;

const INKS: [PaletteColor; 2] = [PaletteColor::Blue, PaletteColor::Red];
const NAMES: [char; 2] = ['A', 'B'];

/// Draws a position.
pub fn render_board(setup: &Setup, position: &Position, _: &RenderOptions) -> Rendering {
    let mut board = draw_obstacles(setup);
    for seat in Seat::BOTH {
        draw_body(position, seat, &mut board);
    }
    // Heads are drawn last, so that a dead one is visible on the cell that it hit.
    for seat in Seat::BOTH {
        draw_head(position, seat, &mut board);
    }
    Rendering {
        board,
        panel: draw_panel(setup, position),
    }
}

fn draw_obstacles(setup: &Setup) -> Vec<Vec<Drawn>> {
    let map = setup.map();
    let cell = |x, y| match map.walls().has(Cell::new(x, y)) {
        true => Drawn {
            ink: PaletteColor::Grey,
            paper: PaletteColor::Grey,
            ..Drawn::uncoloured(['#', '#'])
        },
        false => Drawn {
            ink: PaletteColor::Grey,
            ..Drawn::uncoloured([' ', '.'])
        },
    };
    (0..map.rows())
        .map(|x| (0..map.cols()).map(|y| cell(x, y)).collect())
        .collect()
}

fn draw_body(position: &Position, seat: Seat, board: &mut [Vec<Drawn>]) {
    let letter = NAMES[seat.index()].to_ascii_lowercase();
    let cells = position.cells(seat);
    for (index, (x, y)) in cells[..cells.len() - 1].iter().enumerate() {
        let text = [letter, if index == 0 { '\'' } else { letter }];
        put_cell(
            board,
            *x,
            *y,
            Drawn {
                ink: INKS[seat.index()],
                ..Drawn::uncoloured(text)
            },
        );
    }
}

fn draw_head(position: &Position, seat: Seat, board: &mut [Vec<Drawn>]) {
    let dead = matches!(position.losses()[seat], Some(Loss::Died(_)));
    let sign = match position.facing(seat) {
        _ if dead => '*',
        None => ' ',
        Some(Direction::Up) => '^',
        Some(Direction::Right) => '>',
        Some(Direction::Down) => 'v',
        Some(Direction::Left) => '<',
    };
    let shared = position.head(Seat::First) == position.head(Seat::Second);
    let text = if shared && !dead {
        NAMES
    } else {
        [NAMES[seat.index()], sign]
    };
    if let Some((x, y)) = position.cells(seat).last() {
        put_cell(
            board,
            *x,
            *y,
            Drawn {
                ink: INKS[seat.index()],
                strong: true,
                ..Drawn::uncoloured(text)
            },
        );
    }
}

/// Draws a cell. A head that left the grid is not drawn; the panel describes its end.
fn put_cell(board: &mut [Vec<Drawn>], x: i8, y: i8, drawn: Drawn) {
    let row = usize::try_from(x).ok().and_then(|x| board.get_mut(x));
    if let Some(cell) = row.and_then(|row| row.get_mut(usize::try_from(y).ok()?)) {
        *cell = drawn;
    }
}

fn draw_panel(setup: &Setup, position: &Position) -> Vec<PanelLine> {
    let round = position.round();
    let grows = setup.growth().grows_at(round);
    let tails = if grows { "both grow" } else { "tails move on" };
    let mut lines = vec![PanelLine::uncoloured(format!(
        "round {round} of at most {}: {tails}",
        setup.rounds()
    ))];
    for seat in Seat::BOTH {
        let (name, length) = (NAMES[seat.index()], position.length());
        let state = match position.losses()[seat] {
            None => "alive".to_owned(),
            Some(Loss::Died(cause)) => format!("died: {}", cause.name()),
            Some(Loss::Failed(fault)) => fault.phrase().to_owned(),
        };
        lines.push(PanelLine {
            text: format!("{name} length {length}, {state}"),
            ink: INKS[seat.index()],
        });
    }
    lines
}
