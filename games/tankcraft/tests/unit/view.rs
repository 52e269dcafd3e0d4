//! Tests of `view`.

use leitai_game::{BySeat, Game, GamePackage, JsonLines, Rng, Untimed};
use leitai_game::{Perspective, Seat};
use leitai_tankcraft::cell::Cell;
use leitai_tankcraft::orders::Action;
use leitai_tankcraft::position::Position;
use leitai_tankcraft::rules::join_orders;
use leitai_tankcraft::setup::Config;
use leitai_tankcraft::setup::{Fog, Setup};
use leitai_tankcraft::tank::{Tank, TankType};
use leitai_tankcraft::view::*;

use crate::table::table;

fn setup(seed: u64, fog: Fog) -> Setup {
    Setup::deal(
        &Config {
            fog,
            ..Config::default()
        },
        seed,
    )
    .expect("a generated map")
}

/// A position of a random game.
fn reached(setup: &Setup, rounds: usize, rng: &mut Rng) -> Position {
    let mut position = Position::start(setup);
    let mut team = || [(); 5].map(|()| TankType::ALL[rng.next_below(3)]);
    position.choose_teams(setup, BySeat::new(team(), team()), &mut ());
    for _ in 0..rounds {
        let said = Seat::BOTH.map(|seat| position.sample_action(setup, seat, rng));
        let [Some(Action::Orders(red)), Some(Action::Orders(blue))] = said else {
            break;
        };
        position.play_round(setup, &join_orders(red, blue), &mut ());
    }
    position
}

/// The same position with a change of everything that the seat must not know.
fn changed_out_of_sight(setup: &Setup, position: &Position, seat: Seat, rng: &mut Rng) -> Position {
    let mut other = *position;
    let seen = position.count_seen(setup, seat);
    for enemy in
        leitai_tankcraft::tank::team_range(seat.other()).filter(|enemy| seen >> enemy & 1 == 0)
    {
        let tank = &mut other.tanks[enemy];
        let told = *tank;
        let cell = unseen_cell(setup, position, seat, rng);
        *tank = match (setup.fog(), rng.next_below(3)) {
            (Fog::Sdk, _) if told.is_alive() => Tank { cell, ..told },
            (Fog::Sdk, _) => told,
            (Fog::Strict, 0) => Tank::dead_tank(told.kind, position.round + 1),
            (Fog::Strict, n) => Tank {
                life: n as u8,
                noharm: n as u8,
                ..Tank::new_tank(told.kind, cell)
            },
        };
    }
    other
}

fn unseen_cell(setup: &Setup, position: &Position, seat: Seat, rng: &mut Rng) -> Cell {
    let sees = |cell: Cell| {
        let own = leitai_tankcraft::tank::team_range(seat).map(|tank| position.tanks[tank]);
        setup.is_lit(cell)
            || own
                .into_iter()
                .any(|tank| tank.is_alive() && tank.cell.distance(cell) <= 4)
    };
    let dark: Vec<Cell> = Cell::all().filter(|cell| !sees(*cell)).collect();
    dark[rng.next_below(dark.len())]
}

#[test]
fn changes_out_of_sight_change_nothing_that_a_side_gets() {
    let mut changed = 0;
    for seed in 0..40 {
        let setup = setup(seed, if seed % 2 == 0 { Fog::Strict } else { Fog::Sdk });
        let mut rng = Rng::new(seed);
        let rounds = rng.next_below(60);
        let position = reached(&setup, rounds, &mut rng);
        for seat in Seat::BOTH {
            let other = changed_out_of_sight(&setup, &position, seat, &mut rng);
            changed += usize::from(position != other);
            let looks = [position, other].map(|position| looks(&setup, &position, seat));
            assert_eq!(looks[0], looks[1], "seed {seed}, {seat}");
        }
    }
    assert!(
        changed > 60,
        "only {changed} positions had a change out of sight"
    );
}

/// Everything that a player on this seat gets from the game.
fn looks(setup: &Setup, position: &Position, seat: Seat) -> (View, Vec<Vec<u8>>, Option<Action>) {
    let mut bytes = vec![
        JsonLines.ask_bytes(setup, position, seat),
        JsonLines.bye_bytes(setup, position, seat),
    ];
    for info in Position::CONTENTS.protocols {
        let mut protocol = (info.make)();
        bytes.push(protocol.write_start(setup, position, seat));
        bytes.push(protocol.write_question(setup, position, seat));
        bytes.push(protocol.write_step(setup, position, seat, &BySeat::default()));
        bytes.push(protocol.write_end(setup, position, seat));
    }
    let mut legal = Vec::new();
    position.legal_actions(setup, seat, &mut legal);
    bytes.extend(
        legal
            .into_iter()
            .map(|action| Position::write_action(action).into_bytes()),
    );
    let picture = position.render_position(
        setup,
        &leitai_game::render::RenderOptions {
            perspective: Perspective::Seat(seat),
            ahead: 0,
        },
    );
    bytes.push(picture.plain_board().into_bytes());
    bytes.push(position.list_options(setup, seat).to_string().into_bytes());
    let sample = position.sample_action(setup, seat, &mut Rng::new(5));
    (
        View::new(setup, position, Perspective::Seat(seat)),
        bytes,
        sample,
    )
}

/// Views in Leitai's JSON lines.
trait ViewRequest {
    fn ask_bytes(&mut self, setup: &Setup, position: &Position, seat: Seat) -> Vec<u8>;
    fn bye_bytes(&mut self, setup: &Setup, position: &Position, seat: Seat) -> Vec<u8>;
}

impl ViewRequest for JsonLines {
    fn ask_bytes(&mut self, setup: &Setup, position: &Position, seat: Seat) -> Vec<u8> {
        leitai_game::Protocol::<Position>::write_question(self, setup, position, seat)
    }

    fn bye_bytes(&mut self, setup: &Setup, position: &Position, seat: Seat) -> Vec<u8> {
        leitai_game::Protocol::<Position>::write_end(self, setup, position, seat)
    }
}

#[test]
fn bots_do_not_depend_on_what_is_out_of_sight() {
    for seed in 0..6 {
        let setup = setup(seed, Fog::Strict);
        let mut rng = Rng::new(seed);
        let position = reached(&setup, 20, &mut rng);
        let other = changed_out_of_sight(&setup, &position, Seat::Second, &mut rng);
        for info in Position::CONTENTS.bots {
            let chosen = [position, other].map(|position| {
                let view = View::new(&setup, &position, Perspective::Seat(Seat::Second));
                (info.make)(seed).choose_action(&setup, &view, &Untimed)
            });
            assert_eq!(chosen[0], chosen[1], "{}", info.name);
            assert_eq!(
                position.check_action(&setup, Seat::Second, chosen[0]),
                Ok(()),
                "{}",
                info.name
            );
        }
    }
}

#[test]
fn seen_marks_exactly_the_cells_on_which_enemies_are_seen() {
    let setup = setup(4, Fog::Strict);
    let position = reached(&setup, 30, &mut Rng::new(4));
    for seat in Seat::BOTH {
        let view = View::new(&setup, &position, Perspective::Seat(seat));
        let lines = view.seen_lines().expect("a side's perspective");
        for cell in Cell::all() {
            let mut other = position;
            let enemy = leitai_tankcraft::tank::team_range(seat.other()).start;
            other.tanks[enemy] = Tank::new_tank(TankType::Striker, cell);
            let seen = other.count_seen(&setup, seat) >> enemy & 1 != 0;
            let glyph = lines[usize::from(cell.row) - 1].as_bytes()[usize::from(cell.col) - 1];
            assert_eq!(glyph == b'.', seen, "{cell} for {seat}");
        }
    }
    assert_eq!(
        View::new(&setup, &position, Perspective::All).seen_lines(),
        None
    );
}

#[track_caller]
fn check(rule: &str, enemy: Option<Cell>, own: Cell, fog: Fog, expected: &str) {
    let config = Config {
        map: leitai_tankcraft::setup::MapSource::Named(
            leitai_tankcraft::setup::MapName::Crossroads,
        ),
        fog,
        ..Config::default()
    };
    let setup = Setup::deal(&config, 0).expect("built in");
    let mut position = Position::start(&setup);
    let teams = BySeat::new([TankType::Striker; 5], [TankType::Sniper; 5]);
    position.choose_teams(&setup, teams, &mut ());
    position.tanks[0].cell = own;
    match enemy {
        Some(cell) => position.tanks[5].cell = cell,
        None => position.tanks[5] = Tank::dead_tank(TankType::Sniper, 9),
    }
    let view = View::new(&setup, &position, Perspective::Seat(Seat::First));
    let text = leitai_tankcraft::text_protocol::write_round(&view);
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("TANK 5 Sniper "));
    assert_eq!(line, Some(expected), "{rule}");
}

#[test]
fn r7_the_knowledge_of_a_side() {
    // The rule, where the enemy and the own tank are, the fog, and what is told of the enemy.
    let rows = "
R7.1: within 4 of a tank | 20.2 | 17.1 | strict | 20 2 2 0 -1
R7.1: not within 5 | 20.2 | 16.1 | strict | -2 -2 -1 -1 -1
R7.1: within 2 of a mine | 17.6 | 1.3 | strict | 17 6 2 0 -1
R7.1: not within 3 of a mine | 16.6 | 1.3 | strict | -2 -2 -1 -1 -1
R7.1: behind stone | 7.1 | 7.4 | strict | 7 1 2 0 -1
R7.3: dead | dead | 12.16 | strict | -2 -2 -1 -1 -1
R7.3: fog=sdk | 20.2 | 16.1 | sdk | -2 -2 2 0 -1
R7.3: fog=sdk, dead | dead | 11.16 | sdk | -2 -2 0 0 9
";
    for [rule, enemy, own, fog, expected] in table(rows) {
        let cell = |text: &str| {
            let (row, col) = text.split_once('.')?;
            Some(Cell::new(
                row.parse().expect("a row"),
                col.parse().expect("a column"),
            ))
        };
        let own = cell(own).expect("row.col");
        let fog = if fog == "sdk" { Fog::Sdk } else { Fog::Strict };
        check(rule, cell(enemy), own, fog, expected);
    }
}
