//! Tests of `frames`.

use leitai_game::frames::*;
use leitai_game::seat::BySeat;
use proptest::prelude::*;
use serde_json::Value;
use serde_json::json;

#[track_caller]
fn check(before: Value, after: Value, expected: Value) {
    assert_eq!(diff_values(&before, &after), Some(expected.clone()));
    let mut value = before;
    apply_change(&mut value, &expected).expect("it was made for it");
    assert_eq!(value, after);
}

#[test]
fn equal_members_are_omitted() {
    check(
        json!({"a": [1, 2, 3], "b": "x"}),
        json!({"a": [1, 2, 4], "b": "x"}),
        json!({"a": {"2": [4]}}),
    );
    check(
        json!([[1, 2], [3, 4], "long enough"]),
        json!([[1, 2], [3], "long enough"]),
        json!({"1": [[3]]}),
    );
    check(json!({"a": null}), json!({"a": 7}), json!([{"a": 7}]));
}

#[test]
fn other_members_or_lengths_are_replaced() {
    check(json!({"a": 1}), json!({"b": 1}), json!([{"b": 1}]));
    check(json!([1]), json!([1, 2]), json!([[1, 2]]));
    check(json!(1), json!([1]), json!([[1]]));
    check(
        json!([[1, 2], [3, 4]]),
        json!([[5, 6], [7, 8]]),
        json!([[[5, 6], [7, 8]]]),
    );
}

#[test]
fn a_change_of_another_value_is_refused() {
    for (value, change) in [
        (json!({"a": 1}), json!({"b": [1]})),
        (json!([1]), json!({"1": [1]})),
        (json!(1), json!({"0": [1]})),
        (json!(1), json!(2)),
        (json!(1), json!([1, 2])),
    ] {
        let mut value = value;
        assert!(apply_change(&mut value, &change).is_err(), "{change}");
    }
}

#[test]
fn times_are_assigned_to_the_seats_that_replied() {
    let replies = |first: bool, second: bool| {
        BySeat::new(first, second)
            .map_values(|said| said.then_some(leitai_game::Reply::Action("x")))
    };
    let (mut times, list) = (ReplyTimes::default(), [10, 20, 30]);
    assert_eq!(
        times.next(&list, &replies(true, false)),
        BySeat::new(Some(10), None)
    );
    assert_eq!(
        times.next(&list, &replies(true, true)),
        BySeat::new(Some(20), Some(30))
    );
    // Older replays have no times, or not for every reply.
    assert_eq!(times.next(&list, &replies(false, true)), BySeat::default());
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..5).prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn changes_lead_from_any_value_to_any_other(before in any_value(), after in any_value()) {
        let mut value = before.clone();
        if let Some(change) = diff_values(&before, &after) {
            apply_change(&mut value, &change).expect("it was made for it");
        }
        prop_assert_eq!(value, after);
    }
}
