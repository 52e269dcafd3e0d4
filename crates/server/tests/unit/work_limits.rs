//! Tests of `work::limits`.

use leitai_judge::{Grace, RefereeLimits};
use leitai_server::config::WaitingAllowances;
use leitai_server::match_limits::MatchLimits;
use leitai_server::work::limits::*;
use leitai_store::Json;
use serde_json::json;
use std::time::Duration;

#[test]
fn a_program_may_wait_for_a_turn_at_least_unless_the_operator_says_less() {
    let check = |period: u64, own: Option<u64>, expected: [u64; 2]| {
        let limits = RefereeLimits::new(Duration::from_secs(period), 1024);
        let own = own.map(Duration::from_secs);
        let allowances = WaitingAllowances {
            of_match: own,
            of_check: own,
        };
        let seen = [allowances.in_match(&limits), allowances.in_check(&limits)];
        assert_eq!(seen, expected.map(Duration::from_secs), "{period} {own:?}");
    };
    check(5, None, [30, 60]);
    check(50, None, [50, 60]);
    check(600, None, [600, 600]);
    check(5, Some(2), [2, 2]);
    check(5, Some(90), [90, 90]);
}

#[test]
fn a_match_may_request_another_time_within_bounds() {
    let game = leitai_games::ALL[0];
    let usual = game.meta().period_limit;
    let check = |asked: Json, period: Duration| {
        assert_eq!(referee_limits(game, &asked).period, period, "{asked}")
    };
    check(json!(null), usual);
    check(json!({}), usual);
    check(json!({"period_ms": 250}), Duration::from_millis(250));
    check(json!({"period_ms": 0}), usual);
    check(json!({"period_ms": "9"}), usual);
    check(json!({"period_ms": u64::MAX}), usual);
    // A time bank bounds a turn where nothing else does.
    check(
        json!({"bank_ms": 900, "increment_ms": 100}),
        Duration::from_secs(1),
    );
    check(
        json!({"bank_ms": 900, "period_ms": 50}),
        Duration::from_millis(50),
    );
    check(json!({"increment_ms": 100}), usual);
    let bank = referee_limits(game, &json!({"bank_ms": 900}))
        .bank
        .expect("a bank");
    fields!(bank, {time.as_millis(): 900, increment.as_millis(): 0});
    let grace = Grace {
        time: Duration::from_millis(200),
        strikes: 3,
    };
    let soft = json!({"grace_ms": 200, "strikes": 3});
    assert_eq!(referee_limits(game, &soft).grace, Some(grace));
    let keeps = |asked: Json| referee_limits(game, &asked).keeps;
    assert!(keeps(json!({"keeps": true})) && !keeps(Json::Null));
}

#[test]
fn whoever_asks_for_a_match_makes_no_turn_longer() {
    let game = leitai_games::ALL[0];
    let own = game.meta().period_limit.as_millis() as u64;
    let check = |asked: Json, expected: Result<Json, &str>| {
        let wanted = serde_json::from_value(asked.clone()).expect("limits");
        let read = check_limits(game, wanted);
        let read = read.map(MatchLimits::to_json).map_err(|(key, _)| key);
        assert_eq!(read, expected, "{asked}");
    };
    check(json!({}), Ok(Json::Null));
    check(json!({"period_ms": 250}), Ok(json!({"period_ms": 250})));
    let bank = json!({"period_ms": own, "bank_ms": 60_000, "increment_ms": 500});
    check(json!({"bank_ms": 60_000, "increment_ms": 500}), Ok(bank));
    check(json!({"period_ms": own + 1}), Err("period_ms"));
    check(json!({"bank_ms": 3_600_001}), Err("bank_ms"));
    check(json!({"bank_ms": 1}), Err("bank_ms"));
    check(json!({"increment_ms": 500}), Err("increment_ms"));
    let soft = json!({"grace_ms": 200, "strikes": 3, "keeps": true});
    check(soft.clone(), Ok(soft));
    check(json!({"grace_ms": own + 1, "strikes": 3}), Err("grace_ms"));
    check(json!({"grace_ms": 200}), Err("grace_ms"));
    check(json!({"strikes": 3}), Err("strikes"));
    check(json!({"grace_ms": 200, "strikes": 1001}), Err("strikes"));
}
