//! One row for every sentence of the rules (`docs/rules/kob.md`). Boards are drawn as text: `#`
//! obstacle, `.` free, `A` and `B` the starts; moves are the digits of the sites.

use leitai_game::{BySeat, Entrant, Fault, Game, Outcome, Reply, Scope, Seat, Sink, ToMove};
use leitai_kob::setup::Growth;
use leitai_kob::{Cell, Direction, Event, ObstacleMap, Position, Setup};

use crate::table::table;

const SITES: Growth = Growth {
    until: 10,
    period: 3,
    phase: 1,
};
const NEVER: Growth = Growth {
    until: 0,
    period: 64,
    phase: 0,
};

fn setup(rows: &[&str], growth: Growth, heads_may_share: bool) -> Setup {
    let find = |letter| {
        let mut places = rows
            .iter()
            .enumerate()
            .filter_map(|(x, row)| Some((x, row.find(letter)?)));
        let (x, y) = places.next().expect("the board shows both starts");
        Cell::new(x as u8, y as u8)
    };
    let text: String = rows
        .iter()
        .flat_map(|row| row.chars())
        .map(|c| if c == '#' { '1' } else { '0' })
        .collect();
    let map = ObstacleMap::parse(rows.len() as u8, rows[0].len() as u8, &text)
        .expect("the board is sound");
    Setup::new(map, [find('A'), find('B')], growth, heads_may_share).expect("the setup is sound")
}

fn directions(digits: &str) -> Vec<Direction> {
    digits
        .bytes()
        .map(|digit| Direction::from_digit(digit).expect("digits 0 to 3"))
        .collect()
}

fn play(setup: &Setup, a: &str, b: &str) -> Position {
    let mut position = Position::start(setup);
    for (a, b) in directions(a).into_iter().zip(directions(b)) {
        assert!(
            !position.is_over(),
            "the leg ended before its last round: {position:?}"
        );
        position.play_round(setup, [a, b]);
    }
    position
}

/// The result of the leg so far: `-` not over; `A wall` A won because B ran into a wall; `draw wall
/// self` the causes of death of A and B in a draw.
fn verdict(position: &Position) -> String {
    use leitai_kob::Loss::{Died, Failed};
    let name = |loss| match loss {
        Died(cause) => cause.name(),
        Failed(fault) => Fault::code(fault),
    };
    match position.losses().into_pair() {
        [None, None] => "-".into(),
        [None, Some(b)] => format!("A {}", name(b)),
        [Some(a), None] => format!("B {}", name(a)),
        [Some(a), Some(b)] => format!("draw {} {}", name(a), name(b)),
    }
}

#[test]
fn a_round_of_moves() {
    let open = "....../....../..A.../....../...B../......";
    // What is told | board | moves of A | of B | verdict
    let rows = "
        nobody dead: next round                    | open           | 0     | 2     | -
        0 is up, and above the grid is death       | open           | 000   | 110   | B wall
        1 is right, and right of the grid is death | open           | 1111  | 3330  | B wall
        2 is down, and below the grid is death     | open           | 2222  | 1100  | B wall
        3 is left, and left of the grid is death   | open           | 333   | 110   | B wall
        the same for B                             | open           | 00    | 22    | A wall
        on an obstacle                             | ...#/A.../...B | 11    | 00    | A wall
        on an obstacle, A                          | .#../A.../...B | 01    | 00    | B wall
        both dead: draw                            | #.../A.../...B | 0     | 2     | draw wall wall
        another cell of its own body               | open           | 33012 | 11000 | B self
        turning back dies from round 2 on          | open           | 02    | 11    | B self
        turning back, both                         | open           | 02    | 13    | draw self self
        the other snake's body                     | open           | 221   | 110   | B opponent
        the other snake's body, B                  | open           | 110   | 330   | -
        each into the other                        | open           | 21    | 03    | draw opponent opponent
    ";
    for row in rows.lines().filter(|row| !row.trim().is_empty()) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let board = if cells[1] == "open" { open } else { cells[1] };
        let setup = setup(&board.split('/').collect::<Vec<_>>(), SITES, false);
        let position = play(&setup, cells[2], cells[3]);
        assert_eq!(verdict(&position), cells[4], "{row}");
    }
}

#[test]
fn growing_rounds() {
    let check =
        |round: u16, expected: bool| assert_eq!(SITES.grows_at(round), expected, "round {round}");
    (1..=10).for_each(|round| check(round, true));
    [11, 12, 14, 15, 17, 18, 20]
        .into_iter()
        .for_each(|round| check(round, false));
    [13, 16, 19, 22, 148]
        .into_iter()
        .for_each(|round| check(round, true));
}

#[test]
fn lengths_follow_the_growing_rounds() {
    let rows = [
        &["A.............."; 1][..],
        &["..............."; 13],
        &["..............B"; 1],
    ]
    .concat();
    let setup = setup(&rows, SITES, false);
    let mut position = Position::start(&setup);
    let (a, b) = (directions(&snaking(1, 2, 3)), directions(&snaking(3, 0, 1)));
    let mut lengths = Vec::new();
    for (a, b) in a.into_iter().zip(b).take(19) {
        position.play_round(&setup, [a, b]);
        lengths.push(position.length());
        assert_eq!(
            position.cells(Seat::First).len(),
            usize::from(position.length())
        );
    }
    assert_eq!(
        lengths,
        [
            2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14
        ]
    );
}

/// Moves row by row: `out` cells forth, `across` cells sideways, `back` cells back.
fn snaking(out: u8, across: u8, back: u8) -> String {
    let digit = |direction: u8, times| direction.to_string().repeat(times);
    [
        digit(out, 14),
        digit(across, 1),
        digit(back, 14),
        digit(across, 1),
    ]
    .concat()
}

#[test]
fn tails_that_leave_and_tails_that_stay() {
    // In the first board A circles a block of 2 x 2 cells: in round 4 it enters the cell where it started.
    let rows = "
entering the own tail cell that leaves this round is legal | ...../.A.../...../...../....B | 3 | 1230 | 0000 | -
in a growing round it kills | ...../.A.../...../...../....B | 4 | 1230 | 0000 | B self
the cell that the other snake's tail leaves may be entered | ...../..A../...../..B../..... | 1 | 22 | 11 | -
in a growing round that cell kills | ...../..A../...../..B../..... | 2 | 22 | 11 | B opponent
";
    for [sentence, board, until, a, b, expected] in table(rows) {
        let board: Vec<&str> = board.split('/').collect();
        let until = until.parse().expect("a round");
        let position = play(&setup(&board, Growth { until, ..NEVER }, false), a, b);
        assert_eq!(verdict(&position), expected, "{sentence}");
    }
}

#[test]
fn meeting_heads_are_judged_by_the_rules() {
    // What is told | board | growth | moves of A | of B | whether heads may share a cell | verdict
    let rows = "
        two heads that swap cells both die | ...../.AB../...../..... | sites | 1   | 3   | -     | draw opponent opponent
        unless nothing of them stays       | ...../.AB../...../..... | never | 1   | 3   | -     | -
        both heads on one cell: both die   | ...../.A.B./...../..... | sites | 1   | 3   | -     | draw opponent opponent
        as the sites judge it, both live   | ...../.A.B./...../..... | sites | 1   | 3   | share | -
        and go on from there               | ...../.A.B./...../..... | sites | 10  | 32  | share | -
        also together                      | ...../.A.B./...../..... | sites | 122 | 322 | share | -
        but bodies still kill              | ...../.A.B./...../..... | sites | 11  | 30  | share | B opponent
        and own bodies                     | ...../.A.B./...../..... | sites | 13  | 31  | share | draw self self
        both heads in one wall             | ...../.A#B./.....       | sites | 1   | 3   | share | draw wall wall
    ";
    for row in rows.lines().filter(|row| !row.trim().is_empty()) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let growth = if cells[2] == "never" { NEVER } else { SITES };
        let board: Vec<&str> = cells[1].split('/').collect();
        let position = play(
            &setup(&board, growth, cells[5] == "share"),
            cells[3],
            cells[4],
        );
        assert_eq!(verdict(&position), cells[6], "{row}");
    }
}

#[test]
fn a_shared_cell_stays_covered_until_both_have_left_it() {
    let rows = ["......", ".A.B..", "......", "......", "......"];
    let setup = setup(&rows, Growth { until: 3, ..NEVER }, true);
    let position = play(&setup, "1222", "3222");
    assert_eq!(
        position.bodies().len(),
        4,
        "both bodies cover the same four cells below their starts"
    );
    assert_eq!(position.cells(Seat::First), position.cells(Seat::Second));
}

fn last(a: Option<Reply<Direction>>, b: Option<Reply<Direction>>) -> (Position, Position, Outcome) {
    let setup = setup(&["......", ".A....", "....B.", "......"], SITES, false);
    let before = play(&setup, "1", "3");
    let mut after = before;
    after.step(&setup, BySeat::new(a, b), &mut ());
    let outcome = after.outcome().expect("a fault ends the leg");
    (before, after, outcome)
}

#[test]
fn a_fault_decides_the_leg() {
    // The ruling, what A and B say, the verdict and its reason.
    let rows = "
no move within the limit: that side loses | TLE | go | B TLE | timeout
the other side's move is not judged | die | TLE | A TLE | timeout
no reply is no move | - | go | B TLE | timeout
both silent: draw | - | TLE | draw TLE TLE | both-failed
one silent, one illegal: draw | - | PE | draw TLE PE | both-failed
illegal value | PE | go | B PE | malformed
crash, with its own reason | go | RE | A RE | crashed
compile error, with its own reason | go | CE | A CE | compile
";
    let reply = |said: &str| match said {
        "go" => Some(Reply::Action(Direction::Right)),
        "die" => Some(Reply::Action(Direction::Left)),
        "-" => None,
        code => {
            let fault = Fault::ALL.into_iter().find(|fault| fault.code() == code);
            Some(Reply::Fault(fault.expect("a known code")))
        }
    };
    for [ruling, a, b, expected, reason] in table(rows) {
        let (before, after, outcome) = last(reply(a), reply(b));
        assert_eq!(verdict(&after), expected, "{ruling}");
        assert_eq!(outcome.reason.id, reason, "{ruling}");
        let scope = "the other game of the match is still played";
        assert_eq!(outcome.scope, Scope::Leg, "{scope}");
        assert_eq!(after.round(), 2, "{ruling}");
        let [was, is] = [before, after].map(|position| position.cells(Seat::First));
        assert_eq!(is, was, "the round of the fault is not played: {ruling}");
    }
}

#[test]
fn scores_and_reasons() {
    let rows = ["....", "A...", "...B"];
    let check = |a, b, winner, scores, reason| {
        let outcome = play(&setup(&rows, SITES, false), a, b)
            .outcome()
            .expect("over");
        assert_eq!(
            (
                outcome.winner,
                outcome.scores.into_pair(),
                outcome.reason.id
            ),
            (winner, scores, reason)
        );
        assert_eq!(outcome.faults, BySeat::new(None, None));
    };
    check("3", "0", Some(Seat::Second), [0, 1], "wall");
    check("1", "2", Some(Seat::First), [1, 0], "wall");
    check("3", "2", None, [0, 0], "both-died");
    check("13", "00", Some(Seat::Second), [0, 1], "self");
    check("111", "003", Some(Seat::Second), [0, 1], "opponent");
}

#[test]
fn a_snake_of_one_cell_is_shown_where_it_died() {
    let check = |a: &str, b: &str, expected: [[i8; 2]; 2]| {
        let position = play(&setup(&["A..", "...", "..B"], NEVER, false), a, b);
        let cells = Seat::BOTH.map(|seat| position.cells(seat));
        assert_eq!(cells, expected.map(|[x, y]| vec![(x, y)]), "{a} {b}");
    };
    check("0", "0", [[-1, 0], [1, 2]]);
    check("3", "0", [[0, -1], [1, 2]]);
    check("1", "1", [[0, 1], [2, 3]]);
    check("3", "2", [[0, -1], [3, 2]]);
    check("12", "02", [[1, 1], [2, 2]]);
}

#[test]
fn both_seats_are_asked_until_the_end_and_every_round_is_a_period() {
    let setup = setup(&["....", "A...", "...B"], SITES, false);
    let mut position = Position::start(&setup);
    assert_eq!(
        (
            position.to_move(),
            position.period(),
            Game::round(&position)
        ),
        (ToMove::Both, 1, 1)
    );
    position.play_round(&setup, [Direction::Right, Direction::Up]);
    assert_eq!(
        (
            position.to_move(),
            position.period(),
            Game::round(&position)
        ),
        (ToMove::Both, 2, 2)
    );
    position.play_round(&setup, [Direction::Left, Direction::Up]);
    assert_eq!(
        (position.to_move(), Game::round(&position)),
        (ToMove::Nobody, 2)
    );
    let end = position;
    position.play_round(&setup, [Direction::Up, Direction::Up]);
    let (mut heard, up) = (SeenEvents::default(), Some(Reply::Action(Direction::Up)));
    for replies in [BySeat::new(None, None), BySeat::new(up, up)] {
        position.step(&setup, replies, &mut heard);
        assert_eq!(position, end, "a step after the end changes nothing");
    }
    assert_eq!((heard.events.len(), heard.checkpoints), (0, 0));
}

#[test]
fn the_verdict_of_a_match_follows_from_its_legs() {
    let setup = setup(&["....", "A...", "...B"], SITES, false);
    let (first, second, drawn) = (
        play(&setup, "1", "1"),
        play(&setup, "3", "0"),
        play(&setup, "3", "1"),
    );
    let check = |legs: &[Position], winner, reason| {
        let verdict = Position::decide_match(&setup, legs);
        assert_eq!((verdict.winner, verdict.reason.id), (winner, reason));
    };
    check(&[first, second], Some(Entrant::A), "leg-wins");
    check(&[second, first], Some(Entrant::B), "leg-wins");
    check(&[first, drawn], Some(Entrant::A), "leg-wins");
    check(&[first, first], None, "equal-legs");
    check(&[drawn, drawn], None, "equal-legs");
    check(&[second], Some(Entrant::B), "leg-wins");
    check(&[], None, "equal-legs");
}

#[derive(Default)]
struct SeenEvents {
    events: Vec<String>,
    checkpoints: usize,
}

impl Sink<Position> for SeenEvents {
    fn on_event(&mut self, event: Event) {
        self.events
            .push(serde_json::to_string(&event).expect("plain data"));
    }

    fn on_checkpoint(&mut self, _: &Setup, _: &Position) {
        self.checkpoints += 1;
    }
}

#[test]
fn events_describe_the_fatal_round() {
    let setup = setup(&["....", "A...", "...B"], SITES, false);
    let mut heard = SeenEvents::default();
    let moves = BySeat::new(
        Some(Reply::Action(Direction::Left)),
        Some(Reply::Action(Direction::Up)),
    );
    Position::start(&setup).step(&setup, moves, &mut heard);
    let expected = [
        r#"{"event":"moved","seat":"first","direction":3,"x":1,"y":-1}"#,
        r#"{"event":"moved","seat":"second","direction":0,"x":1,"y":3}"#,
        r#"{"event":"grew","length":2}"#,
        r#"{"event":"died","seat":"first","cause":"wall"}"#,
    ];
    assert_eq!(heard.events, expected);
    assert_eq!(heard.checkpoints, 1);
}

#[test]
fn a_round_that_is_not_played_is_no_checkpoint() {
    let setup = setup(&["....", "A...", "...B"], SITES, false);
    let mut heard = SeenEvents::default();
    Position::start(&setup).step(
        &setup,
        BySeat::new(None, Some(Reply::Action(Direction::Up))),
        &mut heard,
    );
    assert_eq!(
        heard.events,
        [r#"{"event":"failed","seat":"first","fault":"timeout"}"#]
    );
    assert_eq!(heard.checkpoints, 0);
}

#[test]
fn safe_directions_are_those_that_are_not_certain_to_kill() {
    let check = |rows: &[&str], growth, a: &str, b: &str, expected: [u8; 2]| {
        let setup = setup(rows, growth, false);
        let position = play(&setup, a, b);
        assert_eq!(
            Seat::BOTH.map(|seat| position.safe_mask(&setup, seat)),
            expected,
            "{rows:#?} {a} {b}"
        );
    };
    check(&["....", "A...", "...B"], SITES, "", "", [0b0111, 0b1001]);
    check(&["#...", "A...", "...B"], SITES, "1", "0", [0b0111, 0b1001]);
    let until = |until| Growth { until, ..NEVER };
    let open = [".....", ".A...", ".....", ".....", "....B"];
    check(&open, until(3), "123", "000", [0b1101, 0b1001]);
    check(&open, until(4), "123", "000", [0b1100, 0b1001]);
    check(&["A..", "...", "..B"], SITES, "0", "2", [0, 0]);
}
