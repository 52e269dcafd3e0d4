//! Tests of `rules`.

use leitai_game::Entrant;
use leitai_game::{BySeat, Fault, Game, Reason, Reply, Scope, Seat, Sink, ToMove, Verdict};
use leitai_tankcraft::orders::{Action, TankOrder};
use leitai_tankcraft::position::{EndCause, Position};
use leitai_tankcraft::rules::*;
use leitai_tankcraft::setup::{Config, Setup};
use leitai_tankcraft::tank::TEAM;
use leitai_tankcraft::tank::TankType;

use crate::table::table;

const TEAM_S: Action = Action::Team([TankType::Striker; TEAM]);
const STOP: Action = Action::Orders([TankOrder::Stop; TEAM]);

fn setup() -> Setup {
    Setup::deal(&Config::default(), 3).expect("a generated map")
}

fn say(action: Action) -> Option<Reply<Action>> {
    Some(Reply::Action(action))
}

fn fault(fault: Fault) -> Option<Reply<Action>> {
    Some(Reply::Fault(fault))
}

/// The position after these replies.
fn after(replies: &[[Option<Reply<Action>>; 2]]) -> Position {
    let setup = setup();
    let mut position = Position::start(&setup);
    for [red, blue] in replies {
        position.step(&setup, BySeat::new(*red, *blue), &mut ());
    }
    position
}

#[test]
fn r8_5_a_fault_loses_the_leg() {
    // What happens, the replies of both seats step by step, the winner, and the faults of both.
    let rows = "
an invalid team | PE team | second | PE -
time | team team, stop TLE | first | - TLE
no reply | team team, stop - | first | - TLE
exit | team team, EXIT stop | second | EXIT -
a team in a round | team team, team stop | second | IA -
orders too early | team stop | first | - IA
both: all is equal | team team, team RE | - | IA RE
";
    let fault_of = |word: &str| Fault::ALL.into_iter().find(|fault| fault.code() == word);
    let reply = |word: &str| match word {
        "team" => say(TEAM_S),
        "stop" => say(STOP),
        word => fault_of(word).map(Reply::Fault),
    };
    let both = |words: &str| {
        let (red, blue) = words.split_once(' ').expect("both seats");
        [red.to_owned(), blue.to_owned()]
    };
    for [rule, replies, winner, faults] in table(rows) {
        let steps = replies
            .split(", ")
            .map(|step| both(step).map(|word| reply(&word)));
        let outcome = after(&steps.collect::<Vec<_>>()).outcome();
        let outcome = outcome.expect("the leg is over");
        let winner = Seat::BOTH
            .into_iter()
            .find(|seat| seat.to_string() == winner);
        let faults = both(faults).map(|word| fault_of(&word));
        let found = (outcome.winner, outcome.faults.into_pair());
        assert_eq!(found, (winner, faults), "{rule}");
        assert_eq!(
            (outcome.reason, outcome.scope),
            (FORFEIT, Scope::Leg),
            "{rule}"
        );
    }
}

struct Checkpoints(usize);

impl Sink<Position> for Checkpoints {
    fn on_checkpoint(&mut self, _: &Setup, _: &Position) {
        self.0 += 1;
    }
}

#[test]
fn r8_5_both_at_once_compare_the_state_before_the_round() {
    let setup = setup();
    let mut position = after(&[[say(TEAM_S), say(TEAM_S)], [say(STOP), say(STOP)]]);
    position.gold = [3, 4];
    let before = position.gold;
    position.step(
        &setup,
        BySeat::new(fault(Fault::Timeout), fault(Fault::Timeout)),
        &mut (),
    );
    let outcome = position.outcome().expect("over");
    assert_eq!(
        (outcome.winner, position.gold),
        (Some(Seat::Second), before)
    );
    assert!(leitai_tankcraft::parity::state_text(&setup, &position).ends_with("|B:forfeit"));
    let over = position;
    let mut told = Checkpoints(0);
    position.step(&setup, BySeat::new(say(STOP), say(STOP)), &mut told);
    assert_eq!(position, over, "a step after the end changes nothing");
    assert_eq!(told.0, 0, "and is no checkpoint");
}

#[test]
fn periods_grow_and_the_team_has_more_time() {
    let setup = setup();
    let mut position = Position::start(&setup);
    assert_eq!((position.period(), Game::round(&position)), (1, 1));
    assert_eq!(position.period_limit(), Some(TEAM_LIMIT));
    position.step(&setup, BySeat::new(say(TEAM_S), say(TEAM_S)), &mut ());
    assert_eq!(
        (
            position.period(),
            Game::round(&position),
            position.period_limit()
        ),
        (2, 1, None)
    );
    position.step(&setup, BySeat::new(say(STOP), say(STOP)), &mut ());
    assert_eq!((position.period(), Game::round(&position)), (3, 2));
    assert_eq!(position.to_move(), ToMove::Both);
}

#[test]
fn a_leg_stops_when_no_play_can_change_its_winner() {
    let ends = |lead: u32, stop_decided| {
        let config = Config {
            rounds: 7,
            stop_decided,
            ..Config::default()
        };
        let setup = Setup::deal(&config, 1).expect("a generated map");
        let mut position = Position::start(&setup);
        position.step(&setup, BySeat::new(say(TEAM_S), say(TEAM_S)), &mut ());
        position.gold = [0, lead];
        position.step(&setup, BySeat::new(say(STOP), say(STOP)), &mut ());
        let outcome = position.outcome();
        outcome.map(|outcome| (outcome.winner, outcome.reason, Game::round(&position)))
    };
    // Six rounds are left, in which red could hold all 13 mines.
    assert_eq!(ends(6 * 13, true), None);
    assert_eq!(
        ends(6 * 13 + 1, true),
        Some((Some(Seat::Second), DECIDED, 1))
    );
    assert_eq!(ends(6 * 13 + 1, false), None);
}

#[test]
fn r8_3_a_leg_of_nothing_but_stop_ends_with_the_rounds() {
    let setup = Setup::deal(
        &Config {
            rounds: 7,
            ..Config::default()
        },
        1,
    )
    .expect("a generated map");
    let mut position = Position::start(&setup);
    position.step(&setup, BySeat::new(say(TEAM_S), say(TEAM_S)), &mut ());
    (0..7).for_each(|_| position.step(&setup, BySeat::new(say(STOP), say(STOP)), &mut ()));
    let outcome = position.outcome().expect("seven rounds were played");
    assert_eq!(
        (outcome.winner, outcome.reason, Game::round(&position)),
        (None, ROUNDS, 7)
    );
    assert_eq!(outcome.scores, BySeat::new(21, 21));
    assert_eq!(position.to_move(), ToMove::Nobody);
}

#[test]
fn the_mixes_are_all_different() {
    let setup = setup();
    let mut legal = Vec::new();
    Position::start(&setup).legal_actions(&setup, Seat::First, &mut legal);
    let mut texts: Vec<String> = legal.into_iter().map(Position::write_action).collect();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 21, "mixes of five from three types");
}

#[track_caller]
fn check_verdict(legs: [([u32; 2], Option<Seat>); 2], winner: Option<Entrant>, reason: Reason) {
    let setup = setup();
    let leg = |(gold, winner): ([u32; 2], Option<Seat>)| {
        let mut position = Position::start(&setup);
        position.gold = gold;
        let end = leitai_tankcraft::position::GameEnd {
            winner,
            cause: EndCause::Goal,
            faults: BySeat::default(),
        };
        position.end = Some(end);
        position
    };
    assert_eq!(
        Position::decide_match(&setup, &legs.map(leg)),
        Verdict { winner, reason }
    );
}

#[test]
fn a_match_is_decided_by_legs_won_then_resources() {
    let (red, blue) = (Some(Seat::First), Some(Seat::Second));
    check_verdict(
        [([1000, 900], red), ([10, 1000], blue)],
        Some(Entrant::A),
        LEG_WINS,
    );
    check_verdict(
        [([1000, 900], red), ([1000, 999], red)],
        Some(Entrant::A),
        RESOURCES,
    );
    check_verdict(
        [([1000, 950], red), ([1001, 900], red)],
        Some(Entrant::B),
        RESOURCES,
    );
    check_verdict([([1000, 900], red), ([1000, 900], red)], None, EQUAL);
    check_verdict(
        [([1000, 1000], None), ([900, 1000], blue)],
        Some(Entrant::A),
        LEG_WINS,
    );
}
