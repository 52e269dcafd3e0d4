//! Tests of `work::continuation`.

use leitai_server::work::continuation::*;
use leitai_store::Json;
use serde_json::json;

#[test]
fn the_origin_is_kept_beside_the_limits() {
    let origin = MatchOrigin {
        match_id: 7,
        leg: 2,
        round: 37,
    };
    let stored = origin.with_limits(&json!({"period_ms": 250}));
    assert_eq!(MatchOrigin::of_limits(&stored), Some(origin));
    assert_eq!(without_origin(stored), json!({"period_ms": 250}));
    assert_eq!(without_origin(origin.with_limits(&Json::Null)), Json::Null);
    assert_eq!(MatchOrigin::of_limits(&Json::Null), None);
    assert_eq!(MatchOrigin::of_limits(&json!({"from": 3})), None);
}
