//! What contests say of lanes.

use leitai_contest::file::CandidateRule::{Forbidden, Required};
use leitai_server::contests::routes::lanes::Becoming::{ByHand, ByTest, Lane};
use leitai_server::contests::routes::lanes::refuse_by_rule;
use leitai_store::CandidateLane::{Automatic, Hand, Off};

#[test]
fn a_contest_requires_or_forbids_candidates() {
    let ways = [Lane(Off), Lane(Hand), Lane(Automatic), ByHand, ByTest];
    for (rule, allowed) in [
        (None, [true; 5]),
        (Some(Required), [false, false, true, false, true]),
        (Some(Forbidden), [true, false, false, true, false]),
    ] {
        for (way, is_allowed) in ways.into_iter().zip(allowed) {
            assert_eq!(
                refuse_by_rule(rule, way).is_none(),
                is_allowed,
                "{rule:?} {way:?}"
            );
        }
    }
}
