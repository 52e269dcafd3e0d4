//! Properties of whole random games on generated maps.

use leitai_game::conformance::random_leg_tokens;
use leitai_game::replay::{LegRecord, ReplayWalker};
use leitai_game::{AnyGame, BySeat, Erased, Game, GamePackage, Rng, Seat};
use leitai_tankcraft::tank::{TANKS, TEAM, TankType, side_of};
use leitai_tankcraft::{
    Action, Cell, Config, Direction, Position, Setup, TankMap, TankOrder, rules::join_orders,
};
use proptest::prelude::*;

fn setup(seed: u64) -> Setup {
    Setup::deal(
        &Config {
            goal: 300,
            rounds: 120,
            ..Config::default()
        },
        seed,
    )
    .expect("a generated map")
}

fn teams(rng: &mut Rng) -> BySeat<[TankType; TEAM]> {
    let mut team = || [(); TEAM].map(|()| TankType::ALL[rng.next_below(3)]);
    BySeat::new(team(), team())
}

/// Random orders, drawn without care: tanks that are sent into walls and friends test most rules.
fn wild(setup: &Setup, position: &Position, rng: &mut Rng) -> [TankOrder; TANKS] {
    let sensible = Seat::BOTH.map(|seat| position.sample_action(setup, seat, rng));
    let [Some(Action::Orders(red)), Some(Action::Orders(blue))] = sensible else {
        panic!("both seats are asked")
    };
    join_orders(red, blue).map(|order| match rng.next_below(8) {
        0 => TankOrder::Unread,
        1 | 2 => TankOrder::Go(Direction::ALL[rng.next_below(4)]),
        3 => TankOrder::Fire {
            row: rng.next_below(25) as i32 - 1,
            col: rng.next_below(25) as i32 - 1,
        },
        _ => order,
    })
}

fn gold(position: &Position) -> [u32; 2] {
    Seat::BOTH.map(|seat| position.gold(seat))
}

/// Asserts the invariants of the position after a round.
fn sound(setup: &Setup, before: &Position, now: &Position) {
    assert_eq!(now.round(), before.round() + 1);
    let living: Vec<_> = now.tanks().iter().filter(|tank| tank.is_alive()).collect();
    for (n, tank) in living.iter().enumerate() {
        assert!(
            Cell::on_map(tank.cell.row.into(), tank.cell.col.into()).is_some(),
            "{tank:?}"
        );
        assert!(
            !setup.map().stone.has(tank.cell) && now.brick(tank.cell) == 0,
            "{tank:?} in a wall"
        );
        assert!(
            living[..n].iter().all(|other| other.cell != tank.cell),
            "two tanks on {}",
            tank.cell
        );
        assert!(
            tank.life <= tank.kind.life() && tank.noharm <= 2 && tank.revive == 0,
            "{tank:?}"
        );
        assert!(
            setup
                .mine_at(tank.cell)
                .is_none_or(|mine| now.owner(mine).is_some()),
            "{tank:?} stands on a mine that was not taken"
        );
    }
    for (tank, was) in now.tanks().iter().zip(before.tanks()) {
        assert!(
            tank.is_alive() || (now.round()..now.round() + 2).contains(&tank.revive),
            "{tank:?}"
        );
        assert_eq!(tank.kind, was.kind, "R2.3: types never change");
        assert!(
            !(tank.is_alive() && was.is_alive())
                || tank.cell.distance(was.cell) <= 1
                || tank.noharm == 2
        );
    }
    for seat in Seat::BOTH {
        assert_eq!(now.gold(seat), before.gold(seat) + now.mines(seat), "R5.6");
        assert!(now.kills(seat) >= before.kills(seat));
    }
    assert!(
        Cell::all().all(|cell| now.brick(cell) <= before.brick(cell)),
        "bricks never increase"
    );
    assert_eq!(
        now.end().is_some(),
        gold(now).iter().any(|gold| *gold >= 300) || now.round() > 120,
        "R8"
    );
}

#[test]
fn every_round_leads_to_a_sound_position() {
    for seed in 0..40 {
        let (setup, mut rng) = (setup(seed), Rng::new(seed));
        let mut position = Position::start(&setup);
        position.choose_teams(&setup, teams(&mut rng), &mut ());
        while position.end().is_none() {
            let before = position;
            let orders = wild(&setup, &position, &mut rng);
            position.play_round(&setup, &orders, &mut ());
            sound(&setup, &before, &position);
        }
    }
}

/// The orders of the other side after half a turn of the map. The rule "lower number" holds inside
/// a side, so the numbers stay.
fn turned(orders: &[TankOrder; TANKS]) -> [TankOrder; TANKS] {
    std::array::from_fn(|tank| match orders[(tank + TEAM) % TANKS] {
        TankOrder::Go(direction) => TankOrder::Go(direction.back()),
        TankOrder::Fire { row, col } => TankOrder::Fire {
            row: 22 - row,
            col: 22 - col,
        },
        order => order,
    })
}

fn is_turned(one: &Position, other: &Position) {
    for (tank, now) in one.tanks().iter().enumerate() {
        let image = other.tanks()[(tank + TEAM) % TANKS];
        assert_eq!(
            (now.life, now.noharm, now.revive),
            (image.life, image.noharm, image.revive)
        );
        assert!(
            !now.is_alive() || now.cell == image.cell.rotate_half_turn(),
            "tank {tank}"
        );
        assert_ne!(side_of(tank), side_of((tank + TEAM) % TANKS));
    }
    for seat in Seat::BOTH {
        assert_eq!(one.gold(seat), other.gold(seat.other()));
        assert_eq!(one.kills(seat), other.kills(seat.other()));
    }
    assert!((0..13).all(|mine| one.owner(mine) == other.owner(12 - mine).map(Seat::other)));
    assert!(Cell::all().all(|cell| one.brick(cell) == other.brick(cell.rotate_half_turn())));
    assert_eq!(
        one.end().map(|end| end.winner),
        other.end().map(|end| end.winner.map(Seat::other))
    );
}

#[test]
fn r1_3_a_half_turn_of_the_map_with_exchanged_sides_is_the_same_game() {
    for seed in 100..130 {
        let (setup, mut rng) = (setup(seed), Rng::new(seed));
        let (mut one, mut other) = (Position::start(&setup), Position::start(&setup));
        let teams = teams(&mut rng);
        one.choose_teams(&setup, teams, &mut ());
        other.choose_teams(&setup, teams.swap_values(), &mut ());
        while one.end().is_none() {
            let orders = wild(&setup, &one, &mut rng);
            one.play_round(&setup, &orders, &mut ());
            other.play_round(&setup, &turned(&orders), &mut ());
            is_turned(&one, &other);
        }
    }
}

#[test]
fn listed_and_drawn_actions_are_legal_and_survive_their_notation() {
    for seed in 0..10 {
        let (setup, mut rng) = (setup(seed), Rng::new(seed));
        let mut position = Position::start(&setup);
        for _ in 0..30 {
            let replies = BySeat::from_fn(|seat| {
                let mut said = Vec::new();
                position.legal_actions(&setup, seat, &mut said);
                said.extend(position.sample_action(&setup, seat, &mut rng));
                for action in &said {
                    assert_eq!(position.check_action(&setup, seat, *action), Ok(()));
                    assert_eq!(
                        Position::read_action(&Position::write_action(*action)),
                        Some(*action)
                    );
                }
                said.last().copied().map(leitai_game::Reply::Action)
            });
            position.step(&setup, replies, &mut ());
        }
        assert_eq!(
            Game::round(&position),
            30,
            "30 steps are expected: the teams and 29 rounds"
        );
    }
}

#[test]
fn positions_are_small_and_plain() {
    assert!(
        size_of::<Position>() <= 512,
        "{} bytes",
        size_of::<Position>()
    );
    fn plain<T: Copy>() {}
    plain::<Position>();
}

proptest! {
    #[test]
    fn readers_never_panic(text in "[ -~\n;.#21rbnA-J]{0,600}", bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = TankMap::parse(&text);
        let _ = TankMap::from_lines(text.split(';'));
        let cases = |text: &str| {
            let mut cases = 0;
            Position::compare_corpus(text, &mut |case| {
                assert!(case.result.is_err());
                cases += 1;
            });
            cases
        };
        prop_assert!(text.trim() == "[]" || cases(&text) > 0);
        let setup = setup(1);
        let mut position = Position::start(&setup);
        for info in Position::CONTENTS.protocols {
            let mut protocol = (info.make)();
            let _ = protocol.read(&setup, &position, Seat::First, &bytes);
            position.choose_teams(&setup, teams(&mut Rng::new(1)), &mut ());
            let _ = protocol.read(&setup, &position, Seat::Second, &bytes);
        }
    }

    #[test]
    fn nearly_sound_maps_never_panic(row in 1u8..=21, col in 1u8..=21, glyph in "[.#21rbnA-J x]") {
        let mut lines = setup(2).map().to_lines();
        lines[usize::from(row) - 1].replace_range(usize::from(col) - 1..usize::from(col), &glyph);
        let read = TankMap::from_lines(&lines);
        prop_assert!(read.is_err() || read.is_ok_and(|map| map.to_lines() == lines));
    }
}

#[test]
fn malformed_documents_of_a_corpus_are_named() {
    let check = |text: &str, expected: &str| {
        let mut cases = Vec::new();
        Position::compare_corpus(text, &mut |case| cases.push(case));
        let [case] = cases.as_slice() else {
            panic!("{text}: {cases:?}")
        };
        let why = case.result.clone().expect_err("no sense");
        assert!(why.contains(expected), "{text}: {why}");
    };
    check("", "not a JSON list");
    check("{}", "not a JSON list");
    check("[{}]", "not a corpus document");
    check(r#"[{"kind":"dance"}]"#, "dance");
    check(r#"[{"kind":"gen","seed":"x","map":[]}]"#, "\"x\"");
    check(
        r#"[{"kind":"map","map":[],"valid":true}]"#,
        "it has 0 lines",
    );
    check(&"[".repeat(100_000), "recursion limit");
}

#[test]
fn the_erased_game_plays_by_notation() {
    static GAME: Erased<Position> = Erased::new();
    let setup = GAME
        .deal_setup(&serde_json::json!({"map": "keep", "rounds": 20}), 1)
        .expect("built in");
    let again = GAME.read_setup(&setup.to_json()).expect("its own text");
    let replies = random_leg_tokens(&*again, 4)
        .expect("both are asked")
        .join(" ");
    let record = LegRecord {
        replies,
        ..LegRecord::default()
    };
    let mut walk = ReplayWalker::new(&*again, &record);
    while walk.next(&mut ()).expect("it was played").is_some() {}
    let leg = walk.into_leg();
    assert_eq!(
        (leg.round(), leg.outcome().map(|outcome| outcome.reason.id)),
        (20, Some("rounds"))
    );
}
