//! The board in a terminal (`docs/rules/snakego.md`, "For people": first player yellow, second
//! blue).
//!
//! All elements differ without colour:
//!
//! | cell | first player | second player |
//! |---|---|---|
//! | head: place in the order of its side, direction | `1→` (`1●` with length 1) | `1⇒` (`1◎`) |
//! | body | single pipes `─┐` | double pipes `═╗` |
//! | wall | `▓▓` | `░░` |
//! | item in a wall | `▓3` `▓✹` | `░3` `░✹` |
//! | coming item in a wall | `▓·` | `░·` |
//!
//! `+3` is length (`++` for more than 9), `✹` a melting ray, `·3` and `·✹` are coming items; a free
//! cell is `.`.

use leitai_game::render::{
    PaletteColor, PanelLine, RenderOptions, RenderedCell as Glyph, Rendering,
};
use leitai_game::{Game, Seat};

use crate::action::Direction;
use crate::board::{Cell, SIDE};
use crate::items::{Item, ItemKind, LIFETIME};
use crate::position::{Position, Snake};
use crate::setup::Setup;

/// The most coming items in the panel.
#[doc(hidden)] // For tests.
pub const COMING: usize = 8;

/// Draws a position. SnakeGo hides nothing: all perspectives are the same.
pub fn render_board(setup: &Setup, position: &Position, look: &RenderOptions) -> Rendering {
    let mut map = GlyphMap::empty();
    Seat::BOTH
        .into_iter()
        .for_each(|seat| map.draw_walls(position, seat));
    map.draw_coming(setup, position, look.ahead);
    position
        .lying_items(setup)
        .for_each(|(_, item)| map.draw_item(item));
    Seat::BOTH
        .into_iter()
        .for_each(|seat| map.draw_snakes(position, seat));
    Rendering {
        board: map.rows(),
        panel: draw_panel(setup, position, look.ahead),
    }
}

/// The glyphs by [`Cell`].
struct GlyphMap([Glyph; 256]);

impl GlyphMap {
    fn empty() -> GlyphMap {
        GlyphMap(
            [Glyph {
                ink: PaletteColor::Grey,
                ..Glyph::uncoloured(['.', ' '])
            }; 256],
        )
    }

    fn glyph_mut(&mut self, cell: Cell) -> &mut Glyph {
        &mut self.0[usize::from(cell.0)]
    }

    fn draw_walls(&mut self, position: &Position, seat: Seat) {
        let style = SideStyle::for_seat(seat);
        for cell in position.walls(seat).cells() {
            let text = [style.wall, style.wall];
            *self.glyph_mut(cell) = Glyph {
                text,
                ink: style.ink,
                paper: style.ink,
                strong: false,
            };
        }
    }

    /// Marks the cells of items that appear in the next rounds; of several on a cell, the first.
    fn draw_coming(&mut self, setup: &Setup, position: &Position, ahead: u32) {
        let horizon = last_shown_round(setup, position, ahead);
        let mut coming: Vec<&Item> = coming_items(setup, position)
            .take_while(|item| item.time <= horizon)
            .collect();
        coming.reverse();
        for item in coming {
            let glyph = self.glyph_mut(item.cell);
            glyph.text = if in_wall(glyph) {
                [glyph.text[0], '·']
            } else {
                ['·', item_sign(item)]
            };
            glyph.ink = PaletteColor::Grey;
        }
    }

    fn draw_item(&mut self, item: &Item) {
        let glyph = self.glyph_mut(item.cell);
        glyph.text = match item.kind {
            _ if in_wall(glyph) => [glyph.text[0], item_sign(item)],
            ItemKind::Length => ['+', item_sign(item)],
            ItemKind::Ray => [item_sign(item), ' '],
        };
        glyph.ink = match item.kind {
            ItemKind::Length => PaletteColor::Green,
            ItemKind::Ray => PaletteColor::Magenta,
        };
    }

    fn draw_snakes(&mut self, position: &Position, seat: Seat) {
        let style = SideStyle::for_seat(seat);
        let acting = position.current().map(|snake| snake.id);
        for (place, snake) in position.snakes(seat).iter().enumerate() {
            let cells = position.cells_of(snake);
            for (index, cell) in cells.iter().enumerate() {
                let text = match index {
                    0 => style.head_glyph(place, snake),
                    index => style.pipe_glyph(link_mask(&cells, index)),
                };
                let strong = acting == Some(snake.id);
                *self.glyph_mut(*cell) = Glyph {
                    text,
                    ink: style.ink,
                    paper: PaletteColor::Default,
                    strong,
                };
            }
        }
    }

    /// The rows from the top down.
    fn rows(self) -> Vec<Vec<Glyph>> {
        let row = |y| {
            (0..SIDE)
                .map(|x| self.0[usize::from(Cell::new(x, y).0)])
                .collect()
        };
        (0..SIDE).rev().map(row).collect()
    }
}

/// Whether the cell is a wall: only walls have a background.
fn in_wall(glyph: &Glyph) -> bool {
    glyph.paper != PaletteColor::Default
}

/// The directions from a body cell to its neighbours in the snake, one bit each as in
/// [`SideStyle::pipes`].
fn link_mask(cells: &[Cell], index: usize) -> usize {
    let near = [index.checked_sub(1), index.checked_add(1)];
    let near = near
        .into_iter()
        .flatten()
        .filter_map(|index| cells.get(index).copied());
    let towards = near.filter_map(|other| {
        Direction::ALL
            .into_iter()
            .find(|direction| direction.next_from(cells[index]) == Some(other))
    });
    towards.map(|direction| 1 << direction as usize).sum()
}

/// The glyphs and colour of a side.
struct SideStyle {
    ink: PaletteColor,
    name: &'static str,
    wall: char,
    /// Body cells by their links: 1 right, 2 up, 4 left, 8 down.
    pipes: [char; 16],
    /// Heads that face right, up, left, down.
    arrows: [char; 4],
    /// A head of length 1.
    dot: char,
}

impl SideStyle {
    fn for_seat(seat: Seat) -> &'static SideStyle {
        match seat {
            Seat::First => &SideStyle {
                ink: PaletteColor::Yellow,
                name: "Yellow, first player",
                wall: '▓',
                pipes: [
                    ' ', '─', '│', '└', '─', '─', '┘', ' ', '│', '┌', '│', ' ', '┐', ' ', ' ', ' ',
                ],
                arrows: ['→', '↑', '←', '↓'],
                dot: '●',
            },
            Seat::Second => &SideStyle {
                ink: PaletteColor::Blue,
                name: "Blue, second player",
                wall: '░',
                pipes: [
                    ' ', '═', '║', '╚', '═', '═', '╝', ' ', '║', '╔', '║', ' ', '╗', ' ', ' ', ' ',
                ],
                arrows: ['⇒', '⇑', '⇐', '⇓'],
                dot: '◎',
            },
        }
    }

    fn head_glyph(&self, place: usize, snake: &Snake) -> [char; 2] {
        let order = char::from(b'1' + place as u8); // A side has at most four snakes.
        [
            order,
            snake
                .facing()
                .map_or(self.dot, |direction| self.arrows[direction as usize]),
        ]
    }

    fn pipe_glyph(&self, links: usize) -> [char; 2] {
        let right = if links & 1 != 0 { self.pipes[5] } else { ' ' };
        [self.pipes[links & 15], right]
    }
}

/// One character: the length it adds, or a star for a ray.
fn item_sign(item: &Item) -> char {
    match item.kind {
        ItemKind::Ray => '✹',
        ItemKind::Length => char::from_digit(item.param.into(), 10).unwrap_or('+'),
    }
}

/// The items that appear after this round and before the end, in order.
fn coming_items<'a>(
    setup: &'a Setup,
    position: &Position,
) -> impl Iterator<Item = &'a Item> + use<'a> {
    let (round, last) = (position.round(), setup.max_round());
    setup
        .items()
        .iter()
        .skip_while(move |item| item.time <= round)
        .take_while(move |item| item.time <= last)
}

/// The round this many rounds ahead, at most the last.
fn last_shown_round(setup: &Setup, position: &Position, ahead: u32) -> u16 {
    let last = setup.max_round();
    u16::try_from(u32::from(position.round()).saturating_add(ahead))
        .map_or(last, |round| round.min(last))
}

fn draw_panel(setup: &Setup, position: &Position, ahead: u32) -> Vec<PanelLine> {
    let mut lines = vec![
        PanelLine::uncoloured(format!(
            "Round {} of {}",
            position.round(),
            setup.max_round()
        )),
        turn_line(position),
    ];
    for seat in Seat::BOTH {
        lines.extend(side_lines(position, seat));
    }
    let next: Vec<&Item> = coming_items(setup, position).take(COMING).collect();
    let title = if next.is_empty() {
        "No item will come"
    } else {
        "Coming items"
    };
    lines.push(PanelLine::uncoloured(title));
    lines.extend(
        next.into_iter()
            .map(|item| item_line(item, "round", item.time)),
    );
    if ahead > 0 {
        lines.extend(coming_lines(
            setup,
            position,
            last_shown_round(setup, position, ahead),
        ));
    }
    lines
}

/// The side to move, or how the leg ended.
fn turn_line(position: &Position) -> PanelLine {
    if let Some(snake) = position.current() {
        let style = SideStyle::for_seat(position.seat());
        let place = position.cursor() + 1;
        let text = format!("{}: snake {place} acts (id {})", style.name, snake.id);
        return PanelLine {
            text,
            ink: style.ink,
        };
    }
    let outcome = position.outcome();
    match outcome.and_then(|outcome| Some((outcome.winner?, outcome.reason))) {
        Some((winner, reason)) => {
            let style = SideStyle::for_seat(winner);
            PanelLine {
                text: format!("{} won {}", style.name, reason.text.en),
                ink: style.ink,
            }
        }
        None => PanelLine::uncoloured("Over"),
    }
}

/// The score of a side and its snakes in the order of their actions.
fn side_lines(position: &Position, seat: Seat) -> Vec<PanelLine> {
    let style = SideStyle::for_seat(seat);
    let line = |text| PanelLine {
        text,
        ink: style.ink,
    };
    let cells = position.count_cells()[seat];
    let mut lines = vec![line(format!(
        "{} {}: {} {}",
        style.pipes[5],
        style.name,
        cells,
        if cells == 1 { "cell" } else { "cells" }
    ))];
    let acting = position.current().map(|snake| snake.id);
    for (place, snake) in position.snakes(seat).iter().enumerate() {
        let mark = if acting == Some(snake.id) { '>' } else { ' ' };
        let [order, arrow] = style.head_glyph(place, snake);
        let ray = if snake.ray().is_some() {
            ", ray ✹"
        } else {
            ""
        };
        let Snake {
            id, length, bank, ..
        } = snake;
        lines.push(line(format!(
            "{mark} {order}{arrow} id {id}, length {length}, bank {bank}{ray}"
        )));
    }
    lines
}

fn item_line(item: &Item, when: &str, round: u16) -> PanelLine {
    let (x, y) = (item.cell.x(), item.cell.y());
    match item.kind {
        ItemKind::Length => PanelLine {
            text: format!("  +{} at ({x}, {y}), {when} {round}", item.param),
            ink: PaletteColor::Green,
        },
        ItemKind::Ray => PanelLine {
            text: format!("  ✹ at ({x}, {y}), {when} {round}"),
            ink: PaletteColor::Magenta,
        },
    }
}

/// The items on the map in a later round, if none is taken before.
fn coming_lines(setup: &Setup, position: &Position, round: u16) -> Vec<PanelLine> {
    let lying = position.lying_items(setup).map(|(_, item)| item);
    let there = lying.chain(coming_items(setup, position));
    let there: Vec<&Item> = there
        .filter(|item| item.time <= round && round < item.time + LIFETIME)
        .collect();
    let title = if there.is_empty() {
        "No item in"
    } else {
        "Items of"
    };
    let mut lines = vec![PanelLine::uncoloured(format!("{title} round {round}"))];
    lines.extend(
        there
            .into_iter()
            .map(|item| item_line(item, "until round", item.time + LIFETIME - 1)),
    );
    lines
}
