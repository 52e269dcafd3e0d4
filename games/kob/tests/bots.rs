//! The champion, the levels and the assessor: deterministic, never into a death in sight, honest
//! about what is proven.

use leitai_game::{Bot, BySeat, Game, Perspective, Seat, Untimed};
use leitai_kob::bots::{Champion, ChampionAssessor, ChampionStyle, Effort};
use leitai_kob::setup::MapSource;
use leitai_kob::{Config, Direction, Position, Setup};
use leitai_search::{Assessor, ProvenResult, SearchBudget};

/// The directions that two bots of this style play against each other.
fn play_leg(style: ChampionStyle, seed: u64) -> Vec<[Direction; 2]> {
    let setup = Setup::deal(&Config::default(), seed).expect("sound");
    let mut position = Position::start(&setup);
    let mut bots = BySeat::from_fn(|seat: Seat| Champion::new(style, seed + seat.index() as u64));
    let mut moves = Vec::new();
    while !position.is_over() {
        let chosen = Seat::BOTH.map(|seat| {
            let view = position.view(&setup, Perspective::Seat(seat));
            bots[seat].choose_action(&setup, &view, &Untimed)
        });
        position.play_round(&setup, chosen);
        moves.push(chosen);
    }
    moves
}

#[test]
fn levels_play_the_same_leg_from_the_same_seed() {
    for number in 1..=7 {
        let style = ChampionStyle::level(number);
        assert_eq!(play_leg(style, 3), play_leg(style, 3), "level {number}");
    }
    let few = ChampionStyle {
        effort: Effort::Nodes(300),
        ..ChampionStyle::level(10)
    };
    assert_eq!(play_leg(few, 3), play_leg(few, 3));
}

#[test]
fn unknown_levels_play_as_the_nearest_one() {
    let effort = |number| ChampionStyle::level(number).effort;
    assert_eq!(effort(0), effort(1));
    assert_eq!(effort(200), effort(10));
}

#[test]
fn both_seats_agree_on_a_position() {
    let setup = Setup::deal(&Config::default(), 5).expect("sound");
    let mut position = Position::start(&setup);
    for chosen in play_leg(ChampionStyle::level(6), 5) {
        let [first, second] = Seat::BOTH.map(|seat| {
            let budget = SearchBudget::nodes(400);
            let mut assessor = ChampionAssessor::default();
            assessor
                .assess(&setup, &position, seat, budget)
                .expect("not over")
        });
        let sum = first.win_probability + second.win_probability;
        assert!((sum - 1.0).abs() < 1e-9, "{first:?} {second:?}");
        let opposite = |result| match result {
            ProvenResult::Win => ProvenResult::Loss,
            ProvenResult::Draw => ProvenResult::Draw,
            ProvenResult::Loss => ProvenResult::Win,
        };
        let results = [first.proof, second.proof].map(|proof| proof.map(|proof| proof.result));
        assert_eq!(results[0], results[1].map(opposite));
        position.play_round(&setup, chosen);
    }
    let mut assessor = ChampionAssessor::default();
    let budget = SearchBudget::nodes(0);
    assert_eq!(
        assessor.assess(&setup, &position, Seat::First, budget),
        None
    );
    assert!(
        assessor
            .assess_actions(&setup, &position, Seat::First, budget)
            .is_empty()
    );
}

/// Two corridors: A's has three cells, B's five. Every round grows, so A dies in round 3.
#[test]
fn a_shorter_corridor_is_a_proven_loss() {
    let map = ["1111111", "0001111", "1111111", "0000011", "1111111"].concat();
    let config = Config {
        map: MapSource::Given(map),
        rows: 5,
        cols: 7,
        a: Some([1, 0]),
        b: Some([3, 0]),
        ..Config::default()
    };
    let setup = Setup::deal(&config, 0).expect("sound");
    let position = Position::start(&setup);
    let mut assessor = ChampionAssessor::default();
    let budget = SearchBudget::nodes(1000);
    let loss = assessor
        .assess(&setup, &position, Seat::First, budget)
        .expect("not over");
    let proof = loss.proof.expect("proven");
    assert_eq!((proof.result, proof.rounds), (ProvenResult::Loss, 3));
    assert_eq!(loss.win_probability, 0.0);
    let win = assessor
        .assess(&setup, &position, Seat::Second, budget)
        .expect("not over");
    assert_eq!(win.best_line[..2], [Direction::Right; 2]);
    assert_eq!(win.proof.map(|proof| proof.result), Some(ProvenResult::Win));
    let actions = assessor.assess_actions(&setup, &position, Seat::Second, budget);
    assert_eq!(actions.len(), 4);
    assert_eq!(actions[0].0, Direction::Right);
    assert!(
        actions[1..]
            .iter()
            .all(|(_, one)| one.win_probability == 0.0),
        "{actions:?}"
    );
}
