//! Tests of `map`.

use leitai_tankcraft::cell::Cell;
use leitai_tankcraft::map::*;

const CROSSROADS: &str = include_str!("../../maps/crossroads.txt");

fn base() -> Glyphs {
    read_glyphs(CROSSROADS.lines().filter(|line| !line.starts_with(';'))).expect("21 lines of 21")
}

/// Writes `glyph` at a cell, and its image at the cell's image.
fn put(glyphs: &mut Glyphs, row: u8, col: u8, glyph: u8) {
    set_glyph(glyphs, Cell::new(row, col), glyph);
    set_glyph(
        glyphs,
        Cell::new(row, col).rotate_half_turn(),
        mirror_glyph(glyph).expect("a glyph"),
    );
}

#[track_caller]
fn check(rule: &str, change: impl Fn(&mut Glyphs), expected: &[&str]) {
    let mut glyphs = base();
    change(&mut glyphs);
    let found: Vec<String> = find_violations(&glyphs)
        .iter()
        .map(Violation::to_string)
        .collect();
    assert_eq!(found.len(), expected.len(), "{rule}: {found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            found.contains(expected) && found.contains(rule),
            "{rule}: {found}"
        );
    }
}

#[test]
fn every_violation_of_a_map_is_named() {
    check("", |_| (), &[]);
    for (rule, [row, col], glyph, expected) in [
        ("R1.2", [2, 2], b'x', "'x' at (2,2) is no glyph"),
        (
            "R1.3",
            [2, 2],
            b'2',
            "'2' at (2,2) does not match '.' at (20,20)",
        ),
        ("R1.4", [11, 11], b'.', "6 mines 'n', 7 are needed"),
    ] {
        check(rule, |g| put_raw(g, row, col, glyph), &[expected]);
    }
    let none = ["0 spawns 'A'", "0 spawns 'F'"];
    check("R1.5", |g| put(g, 1, 3, b'.'), &none);
    let near = |g: &mut Glyphs| {
        put(g, 4, 5, b'.');
        put(g, 2, 4, b'r');
    };
    let spawn = "(2,4) is nearer than 3 to the spawn at (1,3)";
    check("R1.6", near, &[spawn, "(20,18)"]);
    let close = |g: &mut Glyphs| {
        put(g, 1, 3, b'.');
        put(g, 11, 7, b'A');
    };
    let spawns = "the spawns at (11,7) and (11,15) are nearer than 9";
    check("R1.6", close, &[spawns]);
    let walled = |g: &mut Glyphs| {
        [(1, 2), (1, 4), (2, 3)]
            .into_iter()
            .for_each(|(r, c)| put(g, r, c, b'2'))
    };
    let spawns = ["(1,3)", "(21,19)"].map(|at| format!("spawn at {at} has no neighbour"));
    check("R1.6", walled, &[&spawns[0], &spawns[1]]);
    let shut = |g: &mut Glyphs| {
        [(3, 5), (4, 4), (4, 6)]
            .into_iter()
            .for_each(|(r, c)| put(g, r, c, b'#'));
        put(g, 5, 5, b'#');
    };
    let mut glyphs = base();
    shut(&mut glyphs);
    let found = find_violations(&glyphs);
    assert_eq!(found.len(), 20, "two mines, ten spawns: {found:?}");
    let one = Violation::Unreachable {
        mine: Cell::new(4, 5),
        spawn: Cell::new(1, 3),
    };
    assert!(found.contains(&one));
}

#[test]
fn shapes_are_checked_and_comments_ignored() {
    assert_eq!(
        TankMap::parse(CROSSROADS).map(|map| map.to_lines().len()),
        Ok(21)
    );
    let check = |text: &str, expected: &str| {
        let why = TankMap::parse(text).expect_err("not a map").to_string();
        assert!(why.contains(expected), "{why}");
    };
    check("; nothing\n\n", "it has 0 lines");
    check(&CROSSROADS.replacen("..A", ".A", 1), "line 1 has 20 glyphs");
    check(
        &CROSSROADS.replacen("..A", "é.A", 1),
        "'?' at (1,1) is no glyph",
    );
    check(&".\n".repeat(100), "it has 100 lines");
    assert!(
        describe_violations(&vec![Violation::Lines { found: 1 }; 30]).ends_with("; and 18 more")
    );
}

#[test]
fn r1_4_mines_are_numbered_row_by_row() {
    let map = TankMap::parse(CROSSROADS).expect("a sound map");
    assert!(map.mines.is_sorted());
    assert_eq!(map.owners, [0b111, 0b111 << 10]);
    assert_eq!(
        (map.mines[6], map.mine_at(Cell::new(11, 11))),
        (Cell::new(11, 11), Some(6))
    );
    assert_eq!(
        (map.spawns[0], map.spawns[5]),
        (Cell::new(1, 3), Cell::new(21, 19))
    );
}

fn put_raw(glyphs: &mut Glyphs, row: u8, col: u8, glyph: u8) {
    set_glyph(glyphs, Cell::new(row, col), glyph);
}
