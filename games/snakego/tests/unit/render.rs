//! Tests of `render`.

use leitai_game::Perspective;
use leitai_game::render::{PaletteColor, RenderOptions, RenderedCell as Glyph};
use leitai_snakego::action::Action;
use leitai_snakego::position::Position;
use leitai_snakego::render::*;
use leitai_snakego::setup::Setup;

use crate::table::table;

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
    const OPS: &str = "12 12 42 62 162 4442 4422 3142 3142 3222 2442 2222 2442 1223 1443 1223 43 5";
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
    // The place of the leg, x, y, the two letters, their colour, that of the cell, and whether they are bold.
    let rows = "
31 | 0 | 12 | 1← | yellow | default | strong
31 | 3 | 14 | │ | yellow | default | strong
31 | 1 | 14 | 3● | yellow | default | -
31 | 15 | 10 | 1⇑ | blue | default | -
31 | 0 | 13 | +3 | green | default | -
31 | 5 | 5 | ·✹ | grey | default | -
31 | 9 | 9 | . | grey | default | -
56 | 1 | 13 | ▓▓ | yellow | yellow | -
";
    let color = |name: &str| match name {
        "yellow" => PaletteColor::Yellow,
        "blue" => PaletteColor::Blue,
        "green" => PaletteColor::Green,
        "grey" => PaletteColor::Grey,
        _ => PaletteColor::Default,
    };
    for row in table::<7>(rows) {
        let [at, x, y] = [0, 1, 2].map(|cell| row[cell].parse::<usize>().expect("a number"));
        let (setup, position) = enclosure(at);
        let mut letters = row[3].chars().chain([' ']);
        let expected = Glyph {
            text: [0, 1].map(|_| letters.next().expect("a letter")),
            ink: color(row[4]),
            paper: color(row[5]),
            strong: row[6] == "strong",
        };
        let board = render_board(&setup, &position, &look(7)).board;
        assert_eq!(board[15 - y][x], expected, "{row:?}");
    }
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
