//! What a terminal shows of a view: the declared board, else text, else short JSON.

use leitai_game::render::PaletteColor;
use leitai_guest::picture::draw;
use serde_json::{Value, json};

/// The board's lines, then the panel's.
fn lines_of(view: &Value) -> Vec<String> {
    let drawn = draw(view);
    let board = drawn.plain_board();
    let panel = drawn.panel.iter().map(|line| line.text.clone());
    board.lines().map(String::from).chain(panel).collect()
}

#[test]
fn a_view_is_drawn_as_it_declares() {
    let pieces = json!({"k": {"seat": "second", "sign": "♔", "name": "king"}, "w": {"sign": "宽"}});
    for (view, expected) in [
        (
            json!({"board": ["X.", ".O"], "you": "first"}),
            &["X ·", "· O"][..],
        ),
        (json!({"board": [[16, null], ["abc", 2]]}), &["16·", "a…2"]),
        (json!({"board": ["kw"], "pieces": pieces}), &["♔ w"]),
        // Rows of different lengths, marks outside, members of another shape.
        (
            json!({"board": ["X", "..", 7], "marks": [[9, 9], "x"], "facts": 3, "pieces": []}),
            &["X ·", "· ·", "· ·"],
        ),
        (
            json!({"board": ["."], "columns": ["a"], "rows": [1], "question": {"zh": "走", "en": "move"}, "told": "begun",
                   "facts": [{"seat": "first", "name": {"en": "coins"}, "value": 3}, {"name": "left", "value": "all"}]}),
            &[
                "·",
                "columns: a",
                "rows: 1",
                "first: coins 3",
                "left all",
                "begun",
                "move",
            ],
        ),
        (
            json!({"text": ["one", "two"], "secret": 1}),
            &["one", "two"],
        ),
        (
            json!({"board": [], "hand": [1, 2], "own": {"bids": [], "list": [[1], [2]]}}),
            &[
                "board: []",
                "hand: [1,2]",
                "own: ",
                "  bids: []",
                "  list: [",
                "    [1]",
                "    [2]",
                "  ]",
            ],
        ),
        (json!({"board": [["\u{1b}[2J"]]}), &["\\…"]),
    ] {
        assert_eq!(lines_of(&view), expected, "{view}");
    }
}

#[test]
fn a_piece_has_the_colour_of_its_seat_and_a_mark_is_strong() {
    let drawn = draw(&json!({"board": ["XO"], "marks": [[1, 0]]}));
    let cells = drawn.board[0].iter().map(|cell| (cell.ink, cell.strong));
    let expected = [(PaletteColor::Blue, false), (PaletteColor::Red, true)];
    assert_eq!(cells.collect::<Vec<_>>(), expected);
}

#[test]
fn a_huge_view_is_cut() {
    let rows: Vec<String> = vec!["X".repeat(5_000); 5_000];
    let drawn = draw(&json!({"board": rows, "text": vec!["x"; 5_000]}));
    assert_eq!((drawn.board.len(), drawn.board[0].len()), (64, 64));
    assert!(drawn.panel.len() <= 200, "{}", drawn.panel.len());
    let nested = draw(&json!({"numbers": vec![vec![1; 100]; 1_000]}));
    assert!(nested.panel.len() <= 200, "{}", nested.panel.len());
}
