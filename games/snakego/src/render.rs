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
const COMING: usize = 8;

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

#[cfg(test)]
mod tests {
    use leitai_game::Perspective;

    use super::*;
    use crate::action::Action;

    fn play(max_round: u16, items: &str, ops: &str) -> (Setup, Position) {
        let setup = format!(r#"{{"max_round":{max_round},"fault_scope":"half","items":{items}}}"#);
        let setup: Setup = serde_json::from_str(&setup).expect("a sound setup");
        let mut position = Position::start(&setup, &mut ());
        for op in ops.bytes().filter(u8::is_ascii_digit) {
            position.play_action(
                &setup,
                Action::from_number(op - b'0').expect("an op"),
                &mut (),
            );
        }
        (setup, position)
    }

    fn look(ahead: u32) -> RenderOptions {
        RenderOptions {
            perspective: Perspective::All,
            ahead,
        }
    }

    /// The game of `tests/data/official/enclosure.json` after `ops` operations.
    fn enclosure(ops: usize) -> (Setup, Position) {
        const OPS: &str =
            "12 12 42 62 162 4442 4422 3142 3142 3222 2442 2222 2442 1223 1443 1223 43 5";
        const ITEMS: &str =
            "[[8,8,1,0,2],[15,3,6,2,18],[0,13,9,0,3],[3,13,11,0,5],[5,5,18,2,18],[5,6,400,0,1]]";
        let ops: String = OPS.chars().filter(char::is_ascii_digit).take(ops).collect();
        play(18, ITEMS, &ops)
    }

    /// Compares rows of the board, given as row (y) and text.
    #[track_caller]
    fn check_rows((setup, position): &(Setup, Position), ahead: u32, rows: &[(usize, &str)]) {
        let board = render_board(setup, position, &look(ahead)).plain_board();
        let lines: Vec<&str> = board.lines().collect();
        assert_eq!(lines.len(), 16);
        for (y, expected) in rows {
            assert_eq!(lines[15 - y], *expected, "row {y} of\n{board}");
        }
    }

    #[track_caller]
    fn check_panel((setup, position): &(Setup, Position), ahead: u32, expected: &[&str]) {
        let picture = render_board(setup, position, &look(ahead));
        let lines: Vec<&str> = picture
            .panel
            .iter()
            .map(|line| line.text.as_str())
            .collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn the_start_is_drawn_with_both_heads() {
        let free = ". . . . . . . . . . . . . . . .";
        let top = "1●. . . . . . . . . . . . . . .";
        let bottom = ". . . . . . . . . . . . . . . 1◎";
        check_rows(
            &play(2, "[]", ""),
            0,
            &[(15, top), (14, free), (1, free), (0, bottom)],
        );
    }

    #[test]
    fn bodies_are_pipes_and_heads_point() {
        // First: right, right, down, down, left. Second: up, up, left, left, up.
        let rows = [
            (15, "────┐ . . . . . . . . . . . . ."),
            (14, ". . │ . . . . . . . . . . . . ."),
            (13, ". 1←┘ . . . . . . . . . . . . ."),
            (3, ". . . . . . . . . . . . . 1⇑. ."),
            (2, ". . . . . . . . . . . . . ╚═══╗"),
            (1, ". . . . . . . . . . . . . . . ║"),
            (0, ". . . . . . . . . . . . . . . ║"),
        ];
        check_rows(&play(20, "[]", "12 12 43 43 32"), 0, &rows);
    }

    #[test]
    fn pieces_of_a_split_carry_their_order() {
        // Round 4: snake 0 has split into itself at (2, 14), (2, 15) and a piece that faces (0, 15).
        let rows = [
            (15, "2←─ │ . . . . . . . . . . . . ."),
            (14, ". . 1↓. . . . . . . . . . . . ."),
        ];
        check_rows(&enclosure(7), 0, &rows);
    }

    #[test]
    fn walls_are_solid_until_a_ray_opens_them() {
        // Round 17: the first player has enclosed the corner; in round 18 the ray has opened row 13.
        let wall = "▓▓▓▓▓▓▓▓. . . . . . . . . . . .";
        let before = [
            (15, wall),
            (14, wall),
            (13, "▓▓▓▓▓▓▓▓. . . . . . . . 1⇐════╗"),
            (12, "▓▓▓▓▓▓▓▓. . . . . . . . . . . ║"),
            (11, ". . . . . . . . . . . . . . . ║"),
        ];
        check_rows(&enclosure(56), 0, &before);
        let after = [
            (14, wall),
            (13, ". . . . . . . . . . . 1⇐══════╗"),
            (12, before[3].1),
        ];
        check_rows(&enclosure(58), 0, &after);
    }

    #[test]
    fn items_on_the_map_and_coming_items_are_drawn() {
        let game = play(
            9,
            "[[8,8,1,0,2],[9,8,2,2,9],[8,9,3,0,12],[8,8,5,0,4],[9,9,7,2,9]]",
            "12 12",
        );
        let bare = ". . . . . . . . . . . . . . . .";
        check_rows(
            &game,
            0,
            &[
                (9, ". . . . . . . . ++. . . . . . ."),
                (8, ". . . . . . . . +2✹ . . . . . ."),
            ],
        );
        check_rows(
            &game,
            3,
            &[
                (9, ". . . . . . . . ++. . . . . . ."),
                (8, ". . . . . . . . +2✹ . . . . . ."),
            ],
        );
        check_rows(
            &game,
            4,
            &[(9, ". . . . . . . . ++·✹. . . . . ."), (7, bare)],
        );
    }

    #[test]
    fn the_panel_lists_snakes_scores_and_items() {
        // Round 11: snake 0 has just got 5, snake 1 holds a ray; item 5 would come after the last
        // round.
        let expected = [
            "Round 11 of 18",
            "Yellow, first player: snake 1 acts (id 0)",
            "─ Yellow, first player: 8 cells",
            "> 1← id 0, length 6, bank 5",
            "  2● id 2, length 1, bank 0",
            "  3● id 3, length 1, bank 0",
            "═ Blue, second player: 9 cells",
            "  1⇑ id 1, length 9, bank 0, ray ✹",
            "Coming items",
            "  ✹ at (5, 5), round 18",
        ];
        check_panel(&enclosure(31), 0, &expected);
        let later = [
            "Items of round 18",
            "  +3 at (0, 13), until round 24",
            "  ✹ at (5, 5), until round 33",
        ];
        check_panel(&enclosure(31), 7, &[&expected[..], &later].concat());
        check_panel(&enclosure(31), u32::MAX, &[&expected[..], &later].concat());
    }

    #[test]
    fn the_panel_at_the_end_names_the_winner() {
        let expected = [
            "Round 3 of 3",
            "Yellow, first player won by more cells",
            "─ Yellow, first player: 4 cells",
            "  1→ id 0, length 4, bank 0",
            "═ Blue, second player: 0 cells",
            "No item will come",
        ];
        let game = play(3, "[]", "14 1 1");
        check_panel(&game, 0, &expected);
        check_panel(&game, 2, &[&expected[..], &["No item in round 3"]].concat());
    }

    #[test]
    fn at_most_eight_coming_items_are_listed() {
        let items: Vec<[u16; 5]> = (1..=12).map(|round| [7, 7, round, 0, 1]).collect();
        let items = serde_json::to_string(&items).expect("plain data");
        let (setup, position) = play(20, &items, "");
        let picture = render_board(&setup, &position, &look(0));
        let listed = picture
            .panel
            .iter()
            .filter(|line| line.text.starts_with("  +1"))
            .count();
        assert_eq!(listed, COMING);
    }

    #[test]
    fn sides_have_colours_and_the_acting_snake_is_emphasised() {
        let check =
            |(setup, position): &(Setup, Position), (x, y): (usize, usize), expected: Glyph| {
                assert_eq!(
                    render_board(setup, position, &look(7)).board[15 - y][x],
                    expected,
                    "({x}, {y})"
                );
            };
        let glyph = |text, ink, paper, strong| Glyph {
            text,
            ink,
            paper,
            strong,
        };
        let game = enclosure(31);
        check(
            &game,
            (0, 12),
            glyph(
                ['1', '←'],
                PaletteColor::Yellow,
                PaletteColor::Default,
                true,
            ),
        );
        check(
            &game,
            (3, 14),
            glyph(
                ['│', ' '],
                PaletteColor::Yellow,
                PaletteColor::Default,
                true,
            ),
        );
        check(
            &game,
            (1, 14),
            glyph(
                ['3', '●'],
                PaletteColor::Yellow,
                PaletteColor::Default,
                false,
            ),
        );
        check(
            &game,
            (15, 10),
            glyph(['1', '⇑'], PaletteColor::Blue, PaletteColor::Default, false),
        );
        check(
            &game,
            (0, 13),
            glyph(
                ['+', '3'],
                PaletteColor::Green,
                PaletteColor::Default,
                false,
            ),
        );
        check(
            &game,
            (5, 5),
            glyph(['·', '✹'], PaletteColor::Grey, PaletteColor::Default, false),
        );
        check(
            &game,
            (9, 9),
            glyph(['.', ' '], PaletteColor::Grey, PaletteColor::Default, false),
        );
        check(
            &enclosure(56),
            (1, 13),
            glyph(
                ['▓', '▓'],
                PaletteColor::Yellow,
                PaletteColor::Yellow,
                false,
            ),
        );
    }

    #[test]
    fn items_in_walls_keep_the_wall() {
        // Round 4: the second player closes the four cells at its corner; round 6: an item appears
        // there.
        let game = play(9, "[[15,1,6,0,3],[14,0,8,2,9]]", "12 13 14 11 1");
        let free = ". ".repeat(14);
        check_rows(
            &game,
            0,
            &[(1, &format!("{free}░░░3")), (0, &format!("{free}░░░░"))],
        );
        check_rows(
            &game,
            1,
            &[(1, &format!("{free}░░░3")), (0, &format!("{free}░░░░"))],
        );
        check_rows(
            &game,
            2,
            &[(1, &format!("{free}░░░3")), (0, &format!("{free}░·░░"))],
        );
        let cell = render_board(&game.0, &game.1, &look(0)).board[14][15];
        assert_eq!(
            cell,
            Glyph {
                text: ['░', '3'],
                ink: PaletteColor::Green,
                paper: PaletteColor::Blue,
                strong: false
            }
        );
        // The same for the first player, with a ray.
        let game = play(9, "[[1,15,6,2,9]]", "12 42 32 22 2");
        let free = ". ".repeat(13);
        check_rows(
            &game,
            0,
            &[(15, &format!("▓▓▓✹{free}.")), (14, &format!("▓▓▓▓{free}."))],
        );
    }
}
