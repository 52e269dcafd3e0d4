//! Positions whose best actions, and a mistake, are proven by exhaustive search
//! (`examples/find_blunders.rs`): the analysis finds nearly all of them within its default budget.

use leitai_analysis::Grade;
use leitai_analysis::decision::{Decision, DecisionPlace};
use leitai_game::replay::{LegRecord, ReplayWalker};
use leitai_game::{BySeat, Entrant, Reply, SearchBudget};

use crate::kit::exhaustive::{ProvenPosition, value_of_action, value_of_last_orders};

/// One position a line.
const POSITIONS: &str = include_str!("blunders.jsonl");
/// The least share that is found, in percent.
const LEAST_FOUND: usize = 95;

fn positions() -> Vec<ProvenPosition> {
    let read = |line: &str| serde_json::from_str(line).expect("a position");
    POSITIONS.lines().map(read).collect()
}

/// The position, reached by its replies.
fn reach(at: &ProvenPosition) -> Box<dyn leitai_game::AnyLeg> {
    let game = leitai_games::find_game(&at.game).expect("a listed game");
    let config = game.read_config(&at.config).expect("a valid config");
    let setup = game.deal_setup(&config, at.seed).expect("a valid config");
    let record = LegRecord {
        replies: at.replies.clone(),
        ..LegRecord::default()
    };
    let mut walk = ReplayWalker::new(&*setup, &record);
    while walk.next(&mut ()).expect("own replies").is_some() {}
    walk.into_leg()
}

/// The decision for an action, as the analysis judges it at its default budget.
fn judge(at: &ProvenPosition, action: &str) -> Decision {
    let game = leitai_games::find_game(&at.game).expect("a listed game");
    let (leg, mut assessor) = (reach(at), game.make_assessor().expect("an assessor"));
    let budget = SearchBudget::nodes(game.decision_nodes().expect("an assessor"));
    let mut replies = BySeat::new(None, None);
    replies[at.seat] = Some(Reply::Action(action));
    let found = assessor.assess_decision(&*leg, at.seat, &replies, budget);
    let place = DecisionPlace {
        step: 0,
        round: leg.round(),
        seat: at.seat,
        entrant: Entrant::A,
        time_us: None,
    };
    let found = found.expect("the seat is asked");
    Decision::new(place, action.to_owned(), None, found, None)
}

/// Orders of tanks that cannot change anything may differ from the listed ones.
fn is_as_good(at: &ProvenPosition, action: &str) -> bool {
    let leg = reach(at);
    let value = |action: &str| value_of_last_orders(&*leg, at.seat, action);
    at.game == "tankcraft" && value(action) == value(&at.best[0])
}

#[track_caller]
fn check_share(what: &str, found: &[bool], missed: &[String]) {
    let (right, all) = (found.iter().filter(|is| **is).count(), found.len());
    eprintln!("{what}: {right} of {all}");
    assert!(all >= 60, "{what}: only {all} positions");
    assert!(
        right * 100 >= all * LEAST_FOUND,
        "{what}: {right} of {all}; missed {missed:#?}"
    );
}

#[test]
fn the_proven_best_action_is_found() {
    let (mut found, mut missed) = (Vec::new(), Vec::new());
    for at in positions() {
        let one = judge(&at, &at.mistake);
        let is_found = at.best.contains(&one.best) || is_as_good(&at, &one.best);
        if !is_found {
            missed.push(format!("{at:?}: {} {}", one.best, one.before));
        }
        found.push(is_found);
    }
    check_share("best actions", &found, &missed);
}

#[test]
fn the_proven_mistake_is_graded_as_one() {
    let (mut found, mut missed) = (Vec::new(), Vec::new());
    for at in positions() {
        let one = judge(&at, &at.mistake);
        let is_found = one.grade >= Grade::Mistake;
        if !is_found {
            missed.push(format!("{at:?}: {} {} {}", one.best, one.before, one.after));
        }
        found.push(is_found);
    }
    check_share("mistakes", &found, &missed);
}

#[test]
fn a_few_of_the_proofs_hold() {
    // The rest was proven when the file was made.
    for at in positions()
        .iter()
        .filter(|at| at.game == "snakego")
        .step_by(7)
    {
        let leg = reach(at);
        let value = |action: &str| value_of_action(&*leg, at.seat, action, 64);
        assert!(value(&at.mistake) < value(&at.best[0]), "{at:?}");
    }
}
