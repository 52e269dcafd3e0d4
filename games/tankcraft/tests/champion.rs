//! The champion keeps to its time, levels play alike everywhere, assessments say what they must.

use std::cell::Cell;
use std::time::Duration;

use leitai_game::{
    Bot, BotClock, BySeat, Game, GamePackage, Perspective, Reply, Rng, Seat, Untimed,
};
use leitai_search::{Assessor, ProvenResult, SearchBudget};
use leitai_tankcraft::bots::assess::TankAssessor;
use leitai_tankcraft::bots::proof::prove_result;
use leitai_tankcraft::{Action, Config, Fog, Position, Setup, TankType, View};

fn setup(seed: u64, fog: Fog) -> Setup {
    let config = Config {
        fog,
        rounds: 40,
        ..Config::default()
    };
    Setup::deal(&config, seed).expect("a generated map")
}

fn make_bot(name: &str, seed: u64) -> Box<dyn Bot<Position>> {
    let info = Position::CONTENTS
        .bots
        .iter()
        .find(|info| info.name == name);
    (info.expect("it is built in").make)(seed)
}

/// Plays some rounds and returns what the first seat said.
fn play_rounds(names: [&str; 2], seed: u64, rounds: usize, clock: &dyn BotClock) -> Vec<Action> {
    let fog = [Fog::Strict, Fog::Sdk][seed as usize % 2];
    let setup = setup(seed, fog);
    let mut bots = names.map(|name| make_bot(name, seed));
    let mut position = Position::start(&setup);
    let mut said = Vec::new();
    for _ in 0..=rounds {
        let actions = Seat::BOTH.map(|seat| {
            let view = View::new(&setup, &position, Perspective::Seat(seat));
            let action = bots[seat.index()].choose_action(&setup, &view, clock);
            assert_eq!(
                position.check_action(&setup, seat, action),
                Ok(()),
                "{names:?}"
            );
            action
        });
        said.push(actions[0]);
        let replies = BySeat::from_fn(|seat: Seat| Some(Reply::Action(actions[seat.index()])));
        position.step(&setup, replies, &mut ());
    }
    said
}

/// A clock on which every look costs a millisecond; a whole second again with every start.
struct LooksCost(Cell<u64>);

impl BotClock for LooksCost {
    fn time_left(&self) -> Option<Duration> {
        self.0.set(self.0.get() + 1);
        let left = 1000_u64.checked_sub(self.0.get());
        Some(Duration::from_millis(
            left.expect("the bot stopped in time"),
        ))
    }
}

#[test]
fn the_champion_stops_before_its_time_is_up() {
    let setup = setup(3, Fog::Strict);
    let mut position = Position::start(&setup);
    let team = [TankType::Striker; 5];
    position.choose_teams(&setup, BySeat::new(team, team), &mut ());
    let view = View::new(&setup, &position, Perspective::Seat(Seat::First));
    let clock = LooksCost(Cell::new(700));
    let action = make_bot("champion", 1).choose_action(&setup, &view, &clock);
    assert_eq!(position.check_action(&setup, Seat::First, action), Ok(()));
    assert!(clock.0.get() < 1000, "{} ms were used", clock.0.get());
}

#[test]
fn levels_play_alike_whatever_the_clock_says() {
    for name in ["level1", "level3", "level7", "level8"] {
        let untimed = play_rounds([name, "miner"], 4, 6, &Untimed);
        let timed = play_rounds([name, "miner"], 4, 6, &LooksCost(Cell::new(0)));
        assert_eq!(untimed, timed, "{name}");
    }
}

#[test]
fn champion_and_levels_are_never_illegal() {
    for (seed, name) in (0..).zip(["champion", "level2", "level6", "level9"]) {
        play_rounds([name, "random"], seed, 8, &Untimed);
    }
}

/// A position some rounds after the start.
fn reached(setup: &Setup, rounds: usize) -> Position {
    let mut position = Position::start(setup);
    let team = [TankType::Striker; 5];
    position.choose_teams(setup, BySeat::new(team, team), &mut ());
    let mut rng = Rng::new(7);
    for _ in 0..rounds {
        let said = BySeat::from_fn(|seat| position.sample_action(setup, seat, &mut rng));
        let replies = BySeat::from_fn(|seat| said[seat].map(Reply::Action));
        position.step(setup, replies, &mut ());
    }
    position
}

#[test]
fn an_assessment_is_of_both_sides_and_the_same_every_time() {
    let setup = setup(5, Fog::Strict);
    let position = reached(&setup, 12);
    let assess = |seat| {
        let budget = SearchBudget::nodes(60);
        let assessment = TankAssessor::new(1).assess(&setup, &position, seat, budget);
        assessment.expect("the leg is not over")
    };
    let (red, blue) = (assess(Seat::First), assess(Seat::Second));
    assert_eq!(red, assess(Seat::First));
    assert!((red.win_probability + blue.win_probability - 1.0).abs() < 0.25);
    assert!(!red.best_line.is_empty() && red.nodes >= 60);
    let rated =
        TankAssessor::new(1).assess_actions(&setup, &position, Seat::First, SearchBudget::nodes(1));
    assert!(rated.len() > 5, "{} actions", rated.len());
    let worth = rated.iter().map(|(_, rated)| rated.win_probability);
    assert!(worth.is_sorted_by(|better, worse| better >= worse));
}

#[test]
fn a_leg_that_is_over_has_no_assessment() {
    let setup = setup(5, Fog::Strict);
    let position = reached(&setup, 40);
    assert!(position.end().is_some());
    let mut assessor = TankAssessor::new(1);
    let budget = || SearchBudget::nodes(1);
    assert_eq!(
        assessor.assess(&setup, &position, Seat::First, budget()),
        None
    );
    let actions = assessor.assess_actions(&setup, &position, Seat::First, budget());
    assert_eq!(actions, Vec::new());
}

/// Round 1 of a generated map: each side owns three mines, and nobody reaches one in two rounds
/// (R1.6).
#[track_caller]
fn check_proof(gold: [u32; 2], expected: Option<(ProvenResult, u32)>) {
    let setup = setup(5, Fog::Strict);
    let mut json = serde_json::to_value(reached(&setup, 0)).expect("it is plain data");
    json["gold"] = serde_json::json!(gold);
    let position: Position = serde_json::from_value(json).expect("only the resources changed");
    let proof = prove_result(&setup, &position, Seat::First);
    assert_eq!(
        proof.map(|proof| (proof.result, proof.rounds)),
        expected,
        "{gold:?}"
    );
}

#[test]
fn a_goal_that_nobody_can_prevent_is_proven() {
    check_proof([997, 900], Some((ProvenResult::Win, 1)));
    check_proof([994, 900], Some((ProvenResult::Win, 2)));
    check_proof([900, 995], Some((ProvenResult::Loss, 2)));
    check_proof([997, 999], Some((ProvenResult::Loss, 1)));
    check_proof([0, 0], None);
    check_proof([997, 997], None);
    check_proof([900, 800], None);
}

/// Legs of `miner` against `random`, in which one side is far ahead in the end.
#[test]
fn what_is_proven_happens() {
    let mut proofs = 0;
    for seed in 0..16 {
        let config = Config {
            goal: 100,
            ..Config::default()
        };
        let setup = Setup::deal(&config, seed).expect("a generated map");
        let names = [["miner", "random"], ["random", "miner"]][seed as usize % 2];
        let mut bots = names.map(|name| make_bot(name, seed));
        let (mut position, mut proven) = (Position::start(&setup), None);
        while position.end().is_none() {
            proven = proven.or(prove_result(&setup, &position, Seat::First));
            let replies = BySeat::from_fn(|seat: Seat| {
                let view = View::new(&setup, &position, Perspective::Seat(seat));
                let bot = &mut bots[seat.index()];
                Some(Reply::Action(bot.choose_action(&setup, &view, &Untimed)))
            });
            position.step(&setup, replies, &mut ());
        }
        if let Some(proof) = proven {
            proofs += 1;
            let expected = match proof.result {
                ProvenResult::Win => Some(Seat::First),
                ProvenResult::Loss => Some(Seat::Second),
                ProvenResult::Draw => None,
            };
            let winner = position.end().and_then(|end| end.winner);
            assert_eq!(winner, expected, "seed {seed}: {proof:?}");
        }
    }
    assert!(
        proofs > 5,
        "only {proofs} legs had a proof before their end"
    );
}
