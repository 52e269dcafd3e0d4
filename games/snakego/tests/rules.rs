//! One row for every sentence of the rules (`docs/rules/snakego.md`; quoted literally, or from
//! the contest's page of rules where it says more).
//!
//! A row plays ops from the start of a leg on a given item list and compares the resulting map,
//! written as in the canonical state text: `S<side> <id> <bank> <ray> <cells from head to tail>`,
//! walls, items, cells of both sides, and the end. A cell is two hexadecimal digits, x then y;
//! player 0 starts at `0f`, player 1 at `f0`.
//!
//! Ops are grouped by rounds for the reader; `4x7` is `4` seven times, `23x2` is `2323`. In many
//! rows player 1 walks off the map in round 1 (op 4), so that player 0 is alone.

use leitai_game::{BySeat, Fault, Game, Reply, Scope, Seat, Sink, ToMove};
use leitai_snakego::setup::FaultScope;
use leitai_snakego::{Action, Event, IllegalAction, Item, Position, Setup};

use crate::table::table;

type Items<'a> = &'a [[i64; 5]];

const NONE: Items<'static> = &[];

fn setup(max_round: u16, scope: FaultScope, items: Items) -> Setup {
    let items = items
        .iter()
        .map(|raw| Item::from_numbers(*raw).expect("a row's items are sound"));
    Setup::new(max_round, scope, items.collect()).expect("a row's setup is sound")
}

fn digits(ops: &str) -> String {
    let group = |group: &str| match group.split_once('x') {
        Some((ops, times)) => ops.repeat(times.parse().expect("x and a number")),
        None => group.to_owned(),
    };
    ops.split_whitespace().map(group).collect()
}

fn play(setup: &Setup, ops: &str) -> Position {
    let mut position = Position::start(setup, &mut ());
    for (index, digit) in digits(ops).bytes().enumerate() {
        assert!(
            position.end().is_none(),
            "{ops}: the leg ended before op {index}"
        );
        let action = Action::from_number(digit - b'0').expect("ops are 1 to 6");
        position.play_action(setup, action, &mut ());
    }
    position
}

fn show(setup: &Setup, position: &Position) -> String {
    let mut text = String::new();
    position
        .state_text(setup, &mut text)
        .expect("a String takes every text");
    let told = |line: &&str| !line.starts_with('T') && !line.ends_with(' ');
    let mut parts: Vec<String> = text.lines().filter(told).map(str::to_owned).collect();
    if let Some(end) = position.outcome() {
        let winner = end.winner.expect("SnakeGo has no draws");
        let [first, second] = end.scores.into_pair();
        parts.push(format!("{}: {winner} {first}:{second}", end.reason.id));
    }
    parts.join(" | ")
}

fn check_in(max_round: u16, sentence: &str, items: Items, ops: &str, expected: &str) {
    let setup = setup(max_round, FaultScope::Half, items);
    assert_eq!(show(&setup, &play(&setup, ops)), expected, "{sentence}");
}

fn check(sentence: &str, items: Items, ops: &str, expected: &str) {
    check_in(512, sentence, items, ops, expected);
}

/// Two lines a row: the sentence, then items if there are any, ops, `->` and the map.
fn check_rows(rows: &str) {
    check_rows_in(512, rows);
}

/// The same in a leg of so many rounds.
fn check_rows_in(max_round: u16, rows: &str) {
    let lines = rows.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    for row in lines.collect::<Vec<_>>().chunks(2) {
        let (played, expected) = row[1].split_once("-> ").expect("ops -> map");
        let (items, ops) = played.rsplit_once("]]").unwrap_or(("", played));
        let items: Vec<[i64; 5]> = match items {
            "" => Vec::new(),
            items => serde_json::from_str(&format!("{items}]]")).expect("items are rows"),
        };
        check_in(max_round, row[0], &items, ops, expected);
    }
}

#[test]
fn board_and_items() {
    check_rows(
        "
        Player 0 starts at (0,15) with snake 0; player 1 at (15,0) with snake 1; length 1, bank 0, no ray
            -> S0 0 0 -1 0f | S1 1 0 -1 f0 | P 1 1
        1 is +x
            1 -> S0 0 0 -1 1f0f | S1 1 0 -1 f0 | P 2 1
        2 is +y
            42 -> S0 0 0 -1 0e0f | S1 1 0 -1 f1f0 | P 2 2
        3 is -x
            43 -> S0 0 0 -1 0e0f | S1 1 0 -1 e0f0 | P 2 2
        4 is -y
            4 -> S0 0 0 -1 0e0f | S1 1 0 -1 f0 | P 2 1
        Type 0 adds param to the length bank
            [[0, 15, 1, 0, 3]] -> S0 0 3 -1 0f | S1 1 0 -1 f0 | P 1 1
        Type 2 is the melting ray
            [[15, 0, 1, 2, 512]] -> S0 0 0 -1 0f | S1 1 0 0 f0 | P 1 1
        id = index
            [[5, 5, 1, 0, 1], [0, 15, 2, 2, 512]] 42 -> S0 0 0 1 0e0f | S1 1 0 -1 f1f0 | I 0 | P 2 2
        First edition: the newcomer replaces what lies on the cell
            [[3, 3, 1, 0, 1], [3, 3, 2, 0, 2]] 42 -> S0 0 0 -1 0e0f | S1 1 0 -1 f1f0 | I 1 | P 2 2
        ",
    );
}

#[test]
fn an_item_list_can_be_given_and_is_checked() {
    let check = |max_round: u32, items: &str, expected: &str| {
        let text =
            format!(r#"{{"max_round": {max_round}, "fault_scope": "half", "items": {items}}}"#);
        let found = serde_json::from_str::<Setup>(&text)
            .err()
            .map(|why| why.to_string())
            .unwrap_or_default();
        assert!(
            found.contains(expected) && found.is_empty() == expected.is_empty(),
            "{text}: {found:?}"
        );
    };
    check(512, "[]", "");
    check(1, "[[0, 0, 1, 0, 1], [15, 15, 512, 2, 512]]", "");
    check(0, "[]", "max_round is 0");
    check(513, "[]", "max_round is 513");
    check(
        9,
        "[[0, 0, 3, 0, 1], [0, 1, 3, 0, 1]]",
        "item 1 appears in round 3",
    );
    check(
        9,
        "[[0, 0, 3, 0, 1], [0, 1, 2, 0, 1]]",
        "item 1 appears in round 2",
    );
    check(9, "[[0, 0, 3, 1, 1]]", "type is 1");
    check(9, "[[16, 0, 3, 0, 1]]", "x is 16");
    check(9, "[[0, 0, 3, 0]]", "invalid length 4");
    check(9, "[], \"more\": 1", "unknown field");
}

#[test]
fn the_beginning_of_a_round() {
    let item: Items = &[[3, 3, 1, 0, 1]];
    let alone = "S0 0 0 -1 000102030405060708";
    check(
        "An item lies on the map 16 rounds",
        item,
        "44 4x14",
        &format!("{alone} | I 0 | P 9 0"),
    );
    check(
        "Items lying on the map with time + 16 <= r vanish",
        item,
        "44 4x14 1",
        "S0 0 0 -1 100001020304050607 | P 9 0",
    );
    check_rows(
        "
        If a snake covers the cell, that snake gets it at once
            [[0, 15, 9, 0, 2]] 44 4x7 -> S0 0 2 -1 0708090a0b0c0d0e0f | P 9 0
        Length usable this round
            [[0, 15, 9, 0, 2]] 44 4x7 4 -> S0 0 1 -1 060708090a0b0c0d0e0f | P 10 0
        Ray usable this round
            [[0, 14, 2, 2, 512]] 44 5 -> S0 0 0 -1 0e0f | P 2 0
        Else it lies there
            [[3, 3, 1, 0, 1]] -> S0 0 0 -1 0f | S1 1 0 -1 f0 | I 0 | P 1 1
        Also inside a wall
            [[1, 14, 9, 0, 1]] 12 12 42 42 32 32 22 22 -> S1 1 0 -1 f8f7f6f5f4f3f2f1f0 | W0 0d0e0f1d1e1f2d2e2f | I 0 | P 9 9
        ",
    );
}

#[test]
fn turns() {
    check_rows(
        "
        A piece split off in this turn does not act
            42 62 -> S0 0 0 -1 0e | S0 2 0 -1 0f | S1 1 0 -1 f2f1f0 | P 2 3
        Snakes act once each, in list order
            44 6 11 -> S0 0 0 -1 1e0e | S0 2 0 -1 1f | P 3 0
        A snake killed in this turn before its action is skipped and not asked
            [[3, 14, 9, 0, 100]] 14 4 6 14 14 41 41 44 32 34 22 24 2 -> W0 1b1c1d1e2b2c2d2e3b3c3d3e | P 12 0 | cells: first 12:0
        No snakes: an empty turn
            2 2 2 -> S1 1 0 -1 f2f1f0 | P 0 3
        The half ends when both sides have no snake
            24 -> P 0 0 | equal-cells: first 0:0
        One side extinct: the other plays on alone
            44 4 4 4 -> S0 0 0 -1 0b0c0d0e0f | P 5 0
        ",
    );
    check_rows_in(
        3,
        "
        The half ends when r = max_round
            44 4 4 -> S0 0 0 -1 0c0d0e0f | P 4 0 | cells: first 4:0
        ",
    );
}

#[test]
fn moves_that_kill() {
    let left = "S1 1 0 -1 f0 | P 0 1";
    check("h off the map: this snake is removed (+y)", NONE, "2", left);
    check("h off the map: this snake is removed (-x)", NONE, "3", left);
    check_rows(
        "
        h off the map: this snake is removed (-y)
            44 -> S0 0 0 -1 0e0f | P 2 0
        h off the map: this snake is removed (+x)
            41 -> S0 0 0 -1 0e0f | P 2 0
        // Player 0 walls 0e 0f 1e 1f in; player 1 runs into it along y = 14.
        h a wall of the other colour: this snake is removed
            12 42 32 22 2x10 3x14 -> W0 0e0f1e1f | P 4 0 | cells: first 4:0
        // Snake 0 walls 1e 1f 2e 2f in, then snake 2 runs into it from 0e.
        h a wall of the own colour: this snake is removed
            14 1 6 44 32 24 2 1 -> W0 1e1f2e2f | P 4 0 | cells: first 4:0
        h covered by another snake, own: this snake is removed, the other is unharmed
            42 62 2 -> S0 2 0 -1 0f | S1 1 0 -1 f2f1f0 | P 1 3
        h covered by another snake, enemy: this snake is removed, the other is unharmed
            43x15 -> S0 0 0 -1 000102030405060708 | P 9 0
        Another snake's tail cell is deadly, even if that snake would move later
            44 4 4 1 2 6 3 -> S0 2 0 -1 0f0e0d | P 3 0
        ",
    );
}

#[test]
fn turning_back() {
    check_rows(
        "
        h is the second body cell and length > 2: illegal action
            44 4x8 2 -> S0 0 0 -1 060708090a0b0c0d0e | P 9 0 | illegal-action: second 0:0
        Length = 2 and the snake will grow (rounds 1..8 count the same as the bank): illegal action
            42 2 -> S0 0 0 -1 0e0f | S1 1 0 -1 f1f0 | P 2 2 | illegal-action: second 0:2
        Length = 2 and the snake will grow from its bank: illegal action
            [[0, 15, 4, 0, 1]] 44 4 4 6 14 -> S0 0 0 -1 1c0c0d | S0 2 1 -1 0f0e | P 5 0 | illegal-action: second 0:0
        Length 2 without growth may reverse
            44 4 4 6 14 -> S0 0 0 -1 1c0c0d | S0 2 0 -1 0e0f | P 5 0
        Length 1 may reverse
            44 6 11 13 -> S0 0 0 -1 2e1e0e | S0 2 0 -1 0f | P 4 0
        ",
    );
}

#[test]
fn growth() {
    check_rows(
        "
        r <= 8 and this is the initial snake: it grows, bank untouched
            [[0, 15, 1, 0, 3]] 44 -> S0 0 3 -1 0e0f | P 2 0
        In round 8 it still grows
            44 4x7 -> S0 0 0 -1 0708090a0b0c0d0e0f | P 9 0
        In round 9 it does not
            44 4x8 -> S0 0 0 -1 060708090a0b0c0d0e | P 9 0
        Else bank > 0: bank - 1, it grows; growing means that the tail stays
            [[0, 15, 1, 0, 3]] 44 4x8 -> S0 0 2 -1 060708090a0b0c0d0e0f | P 10 0
        The head piece keeps the id and grows on; a round with split gives none, by round number
            44 4 6 41x5 41 -> S0 0 0 -1 0708090a0b0c0d | S0 2 0 -1 6f | P 8 0
        A round with ray gives no growth
            [[0, 15, 1, 2, 512]] 44 5 4x6 4 -> S0 0 0 -1 0708090a0b0c0d0e | P 8 0
        An item on h is taken: length into the bank, effective from the next move
            [[1, 15, 3, 0, 2]] 44 6 11 -> S0 0 0 -1 1e0e | S0 2 2 -1 1f | P 3 0
        … and from the next move on it grows
            [[1, 15, 3, 0, 2]] 44 6 11 11 -> S0 0 0 -1 2e1e0e | S0 2 1 -1 2f1f | P 5 0
        A ray replaces the held one
            [[0, 15, 1, 2, 512], [0, 13, 2, 2, 512]] 44 4 -> S0 0 0 1 0d0e0f | P 3 0
        A move that kills eats nothing
            [[0, 14, 2, 0, 5]] 22 2 -> S1 1 0 -1 f2f1f0 | I 0 | P 0 3
        ",
    );
}

#[test]
fn solidify() {
    check_rows(
        "
        h on the own tail when not growing: the tail leaves, the move stands
            14 4 3 4x4 6 44 -> S0 0 0 -1 090a0b0c | S0 2 0 -1 0e0f1f1e | P 8 0
        Length 4 plus growth can
            [[0, 15, 8, 0, 1]] 14 4 3 4x4 6 44 -> S0 0 0 -1 090a0b0c | W0 0e0f1e1f | P 8 0
        Growth of rounds 1..8 counts the same for the own tail
            14 4 3 2 -> W0 0e0f1e1f | P 4 0 | cells: first 4:0
        Loop and area become walls of the mover; the mover is removed
            14 1 4 4 3 3 2 2 -> W0 0d0e0f1d1e1f2d2e2f | P 9 0 | cells: first 9:0
        Its cells behind the loop vanish
            14 4 4 1 2 3 -> W0 1d1e2d2e | P 4 0 | cells: first 4:0
        … or become wall if inside the area
            [[4, 4, 28, 0, 100]] 44 4x11 1x5 2x2 1x2 2 3x3 4x2 1x3 2 -> W0 444546545556646566747576 | P 12 0 | cells: first 12:0
        // With the item in its corner the snake of player 0 can grow with every move.
        Pockets that the loop pinches off outside itself count
            [[0, 15, 1, 0, 100]] 14 1x3 4x4 3x4 2x2 1 4 1x2 2x2 3x3 2 -> W0 0b0c0d0e0f1b1c1d1e1f2b2c2d2e2f3b3c3d3e3f4b4c4d4e4f | P 25 0 | cells: first 25:0
        // The loop does not enclose 0d, which lies between its two arms and the left edge.
        The map's edge is no fence
            [[0, 15, 1, 0, 100]] 14 1 4x4 3 3 2 1 2 2 3 2 -> W0 0b0c0e0f1b1c1d1e1f2b2c2d2e2f | P 14 0 | cells: first 14:0
        Existing walls of both colours in the area too
            [[15, 0, 1, 0, 100]] 12 42 42 12 22 32 2x6 3x15 2x3 1x3 4x3 -> W1 0c0d0e0f1c1d1e1f2c2d2e2f3c3d3e3f | P 0 16 | cells: second 0:16
        Every other snake with a cell in the area is removed, the enemy's too
            [[0, 15, 1, 0, 100]] 13x3 12x5 12x3 42 41 44x4 43 42x4 11 14x2 24x2 23 22x3 32 31 3 -> W0 b4b5b6b7b8b9bac4c5c6c7c8c9cad4d5d6d7d8d9dae4e5e6e7e8e9ea | P 28 0 | cells: first 28:0
        Items inside stay
            [[1, 14, 2, 0, 1]] 12 12 42 42 32 32 22 22 -> S1 1 0 -1 f8f7f6f5f4f3f2f1f0 | W0 0d0e0f1d1e1f2d2e2f | I 0 | P 9 9
        Items inside age
            [[1, 14, 2, 0, 1]] 12 12 42 42 32 32 22 22 2x7 3x2 -> S1 1 0 -1 dfeffffefdfcfbfaf9 | W0 0d0e0f1d1e1f2d2e2f | P 9 9
        Items inside can be eaten once a ray has opened the cell
            [[15, 0, 1, 2, 512], [1, 14, 20, 0, 2]] 12 12 42 42 32 32 22 22 2x6 3x12 5 3 3 -> S1 1 2 -1 1e2e3e4e5e6e7e8e9e | W0 0d0f1d1f2d2f | P 6 9
        ",
    );
}

#[test]
fn split() {
    check_rows(
        "
        Illegal with length < 2
            6 -> S0 0 0 -1 0f | S1 1 0 -1 f0 | P 1 1 | illegal-action: second 0:0
        ",
    );
    let four = "S0 0 0 -1 0809 | S0 3 0 -1 0b0a | S0 2 0 -1 0f0e | S0 4 0 -1 0c0d | P 8 0";
    check(
        "The tail piece comes directly behind the parent in the order",
        NONE,
        "44 4x6 6 66",
        four,
    );
    check(
        "Illegal with 4 own snakes",
        NONE,
        "44 4x6 6 66 6",
        &format!("{four} | illegal-action: second 0:0"),
    );
    check_rows(
        "
        Head piece: first ceil(L/2) cells, keeps ray, bank 0; tail piece: the rest, the whole bank, no ray
            [[0, 15, 1, 2, 512], [0, 14, 2, 0, 5]] 44 4 6 -> S0 0 0 0 0d0e | S0 2 5 -1 0f | P 3 0
        Tail piece: the remaining cells reversed (old tail tip = head)
            44 4 4 1 6 -> S0 0 0 -1 1c0c0d | S0 2 0 -1 0f0e | P 5 0
        One counter from 2 for both players
            42 66 -> S0 0 0 -1 0e | S0 2 0 -1 0f | S1 1 0 -1 f1 | S1 3 0 -1 f0 | P 2 2
        ",
    );
}

#[test]
fn ray() {
    check_rows(
        "
        Illegal without a ray
            42 5 -> S0 0 0 -1 0e0f | S1 1 0 -1 f1f0 | P 2 2 | illegal-action: second 0:2
        Illegal with length < 2
            [[0, 15, 1, 2, 512]] 5 -> S0 0 0 0 0f | S1 1 0 -1 f0 | P 1 1 | illegal-action: second 0:0
        It is used up even if it hit nothing
            [[0, 15, 1, 2, 512]] 44 5 -> S0 0 0 -1 0e0f | P 2 0
        Walls from the cell in front of the head to the edge vanish; snakes do not stop it
            [[15, 0, 1, 2, 512]] 12 12 62 442 342 212 12 12 2242x3 2343x5 25 -> S0 2 0 -1 3e | S1 1 0 -1 5e6e7e8e9eaebecede | W0 1f2f | P 3 9
        Direction body[0] - body[1], of a tail piece that has never moved, too
            [[3, 14, 36, 2, 512]] 12 12 42 42 32 32 22 22 2x4 3x12 2x2 1x8 6 15 -> S1 1 0 -1 cebeae9e8e | S1 2 0 -1 3e4e5e6e | W0 0d0f1d1f2d2f | P 6 9
        A held ray never expires
            [[0, 15, 1, 2, 512]] 44 4x14 1x9 5 -> S0 0 0 -1 908070605040302010 | P 9 0
        ",
    );
}

#[test]
fn what_is_checked_first() {
    let check = |sentence: &str, ops: &str, action, expected| {
        let setup = setup(512, FaultScope::Half, NONE);
        assert_eq!(
            play(&setup, ops).check_action(action),
            Err(expected),
            "{sentence}"
        );
    };
    // Four snakes of length 1: after the splits of rounds 4 and 5.
    check(
        "Split: 4 own snakes, then length",
        "44 4x2 6 66",
        Action::Split,
        IllegalAction::TooManySnakes,
    );
    check(
        "Ray: without a ray, then length",
        "",
        Action::Ray,
        IllegalAction::NoRay,
    );
}

#[test]
fn the_end_of_a_half() {
    check_rows_in(
        1,
        "
        More cells wins
            44 -> S0 0 0 -1 0e0f | P 2 0 | cells: first 2:0
        More cells wins, player 1
            22 -> S1 1 0 -1 f1f0 | P 0 2 | cells: second 0:2
        Equal: player 0
            42 -> S0 0 0 -1 0e0f | S1 1 0 -1 f1f0 | P 2 2 | equal-cells: first 2:2
        ",
    );
    check_rows(
        "
        Illegal action: the offender's score is 0, the opponent keeps that of the last completed round
            42 44 -> S0 0 0 -1 0d0e0f | S1 1 0 -1 f1f0 | P 3 2 | illegal-action: first 2:0
        ",
    );
}

#[test]
fn what_a_fault_loses() {
    let check = |sentence: &str, config: FaultScope, fault: Fault, expected: Scope| {
        let setup = setup(512, config, NONE);
        let mut position = play(&setup, "42 4");
        position.step(
            &setup,
            BySeat::new(None, Some(Reply::Fault(fault))),
            &mut (),
        );
        let end = position.outcome().expect("a fault ends the leg");
        let found = (end.winner, end.scores, end.faults, end.scope);
        let faults = BySeat::new(None, Some(fault));
        assert_eq!(
            found,
            (Some(Seat::First), BySeat::new(2, 0), faults, expected),
            "{sentence} ({fault})"
        );
    };
    let illegal = "Illegal action: that half is lost; the other half still counts";
    check(illegal, FaultScope::Half, Fault::Illegal, Scope::Leg);
    check(
        "fault_scope = match",
        FaultScope::Match,
        Fault::Illegal,
        Scope::Match,
    );
    for fault in Fault::ALL
        .into_iter()
        .filter(|fault| *fault != Fault::Illegal)
    {
        let lost = "Crash, time, output, malformed answer, memory: the match is lost at once";
        check(lost, FaultScope::Half, fault, Scope::Match);
        check(lost, FaultScope::Match, fault, Scope::Match);
    }
}

/// Legs of 8 rounds on one setup. `!` at the end of a leg's ops is a crash of the seat to act.
fn verdict(sentence: &str, scope: FaultScope, items: Items, legs: &[&str], expected: &str) {
    let setup = setup(8, scope, items);
    let legs: Vec<Position> = legs
        .iter()
        .map(|ops| {
            let mut leg = play(&setup, ops.trim_end_matches('!'));
            if ops.ends_with('!') {
                leg.record_fault(Fault::Crashed);
            }
            assert!(
                leg.outcome().is_some(),
                "{sentence}: {ops} must be a whole leg"
            );
            leg
        })
        .collect();
    let verdict = Position::decide_match(&setup, &legs);
    let winner = verdict.winner.expect("SnakeGo has no draws");
    assert_eq!(
        format!("{winner} {}", verdict.reason.id),
        expected,
        "{sentence}"
    );
}

#[test]
fn the_verdict_follows_from_both_halves() {
    // A sentence, what a fault loses, the items, the legs and the verdict. Both sides walk for 8 rounds; a
    // side that splits once has a cell less. In an illegal leg player 0 turns back in round 2: 0 to 2.
    let rows = "
Half wins > total score | half | | 9:8; 9:0; 9:8 | A leg-wins
Seats swapped: each wins as first player | half | | 9:0; 9:8 | A total-score
Total score, B | half | | 9:8; 9:0 | B total-score
// The first player's item appears under its tail, or the second's.
> who ate first in the first half | half | [[0, 15, 2, 2, 512]] | 9:8; 9:8 | A first-item
> who ate first in the first half | half | [[15, 0, 2, 2, 512]] | 9:8; 9:8 | B first-item
In the first half, not in the second | half | [[0, 13, 1, 2, 512]] | 9:8; 12x7 16 | A first-item
By round number | half | [[15, 0, 2, 2, 1], [0, 15, 3, 2, 1]] | 9:9; 9:9 | B first-item
Same round or nobody: the second player of the first half | half | | 9:8; 9:8 | B second-in-first-leg
Same round or nobody: the second player of the first half | half | [[15, 2, 1, 2, 512], [0, 15, 2, 2, 512]] | 9:8; 9:8 | B second-in-first-leg
Illegal action: the other half still counts | half | | illegal; illegal | B second-in-first-leg
… and its score | half | | illegal; 9:8 | B leg-wins
… and its score | half | | 9:8; illegal | A leg-wins
Both illegal, 2 to 9 | half | | illegal; 22 2x7 | A total-score
fault_scope = match: A loses at once | match | | illegal | B forfeit
fault_scope = match: B loses at once | match | | 9:0; illegal | A forfeit
Crash: the match is lost at once | half | | ! | B forfeit
Crash in leg 2, by the entrant that won leg 1 | half | | 22 2x7; 44! | A forfeit
--legs 1: that leg decides | half | | 9:8 | A leg-wins
--legs 1: equal cells, player 0 | half | | 9:9 | A leg-wins
";
    for [sentence, scope, items, legs, expected] in table(rows) {
        let scope = match scope {
            "match" => FaultScope::Match,
            _ => FaultScope::Half,
        };
        let items: Vec<[i64; 5]> = match items {
            "" => Vec::new(),
            items => serde_json::from_str(items).expect("items are rows"),
        };
        let ops = |leg: &'static str| match leg {
            "9:8" => "42x7 46",
            "9:0" => "44 4x7",
            "9:9" => "42x8",
            "illegal" => "42 2",
            ops => ops,
        };
        let legs: Vec<&str> = legs.split("; ").map(ops).collect();
        verdict(sentence, scope, &items, &legs, expected);
    }
}

#[derive(Debug)]
struct SeenEvents(Vec<String>);

impl Sink<Position> for SeenEvents {
    fn on_event(&mut self, event: Event) {
        self.0
            .push(serde_json::to_string(&event).expect("plain data"));
    }
}

#[test]
fn steps_tell_what_happened_and_rounds_are_counted() {
    let setup = setup(512, FaultScope::Half, NONE);
    let mut position = Position::start(&setup, &mut ());
    let mut heard = SeenEvents(Vec::new());
    for (op, round) in [(1, 1), (2, 2), (1, 2), (2, 3)] {
        let reply = Some(Reply::Action(Action::from_number(op).expect("1 to 6")));
        let replies = match position.to_move() {
            ToMove::One(Seat::First) => BySeat::new(reply, None),
            _ => BySeat::new(None, reply),
        };
        position.step(&setup, replies, &mut heard);
        assert_eq!(Game::round(&position), round, "after op {op}");
    }
    let last = [
        r#"{"event":"moved","snake":1,"x":15,"y":2}"#,
        r#"{"event":"round","round":3}"#,
        r#"{"event":"turn","seat":"first"}"#,
    ];
    assert!(heard.0.ends_with(&last.map(str::to_owned)), "{heard:?}");
}

#[test]
fn score_of_an_illegal_half_on_the_official_wire() {
    let setup = setup(512, FaultScope::Half, NONE);
    let outcome = play(&setup, "42 2").outcome().expect("illegal");
    assert_eq!(
        leitai_snakego::saiblo::official_scores(&outcome),
        [-100, 2],
        "0 in the engine, -100 in the official message"
    );
}

/// The helper itself must be able to fail.
#[test]
#[should_panic(expected = "a sentence")]
fn a_wrong_row_fails() {
    check(
        "a sentence",
        NONE,
        "4",
        "S0 0 0 -1 0e | S1 1 0 -1 f0 | P 2 1",
    );
}
