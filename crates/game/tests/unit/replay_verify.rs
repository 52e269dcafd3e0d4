//! Tests of `replay::verify`.

use leitai_game::Scope;
use leitai_game::lang::{Catalogue, Lang, MESSAGES};
use leitai_game::replay::record::OutcomeRecord;
use leitai_game::replay::verify::*;
use leitai_game::reply::Fault;
use leitai_game::seat::BySeat;
use leitai_game::seat::Seat;

#[test]
fn outcomes_that_differ_are_described_in_both_languages() {
    let outcome = OutcomeRecord {
        winner: Some(Seat::First),
        scores: BySeat::new(3, -1),
        reason: "points".to_owned(),
        faults: BySeat::new(None, None),
        scope: Scope::Leg,
    };
    let check = |outcome: Option<OutcomeRecord>, en: &str, zh: &str| {
        let what = format!(
            "the recorded outcome is no outcome, the engine's {}",
            describe_outcome(&outcome)
        );
        let said = Catalogue::new([&MESSAGES])
            .say(Lang::Zh, &what)
            .into_owned();
        assert!(what.ends_with(en), "{what}");
        assert_eq!(said, format!("记录的结果为没有结果，引擎算出的是{zh}"));
    };
    check(
        Some(outcome.clone()),
        "a win of the first seat by the rule points, scores 3 and -1",
        "先手胜（依据规则 points，比分 3 与 -1）",
    );
    check(None, "no outcome", "没有结果");
    let fault = OutcomeRecord {
        winner: None,
        faults: BySeat::new(None, Some(Fault::Timeout)),
        scope: Scope::Match,
        ..outcome
    };
    let code = Fault::Timeout.code();
    check(
        Some(fault),
        &format!(
            "a draw of the whole match by the rule points, scores 3 and -1, faults none and {code}"
        ),
        &format!("整场平局（依据规则 points，比分 3 与 -1，违规 none 与 {code}）"),
    );
}
