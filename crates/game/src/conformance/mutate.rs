//! JSON values damaged at random, to test that readers check their input.

use serde_json::{Map, Value, json};

use crate::rng::Rng;

/// A copy of the value, damaged in one place: a part is replaced, removed or doubled, or an unknown
/// key is added.
///
/// ```
/// use leitai_game::{Rng, conformance::mutate_value};
/// let value = serde_json::json!({"rounds": 3, "items": [[1, 2], [3, 4]]});
/// let damaged = mutate_value(&value, &mut Rng::new(1));
/// assert!(damaged.to_string().len() < 20_000);
/// ```
pub fn mutate_value(value: &Value, rng: &mut Rng) -> Value {
    let paths = list_paths(value);
    let path = &paths[rng.next_below(paths.len())];
    let other = value
        .pointer(&paths[rng.next_below(paths.len())])
        .cloned()
        .unwrap_or_default();
    let mut damaged = value.clone();
    if let Some(part) = damaged.pointer_mut(path) {
        match (rng.next_below(4), &mut *part) {
            (0, Value::Array(list)) => change_list(list, rng),
            (0, Value::Object(map)) => change_map(map, rng),
            (1, part) => *part = other,
            (_, part) => *part = odd_value(rng),
        }
    }
    damaged
}

/// The JSON pointers of a value and all its parts, the value itself first.
pub fn list_paths(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        match value.pointer(&path) {
            Some(Value::Array(list)) => {
                found.extend((0..list.len()).map(|i| format!("{path}/{i}")))
            }
            Some(Value::Object(map)) => {
                found
                    .extend(map.keys().map(|key| {
                        format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
                    }));
            }
            _ => {}
        }
        next += 1;
    }
    found
}

fn change_list(list: &mut Vec<Value>, rng: &mut Rng) {
    let index = rng.next_below(list.len());
    match (list.get(index).cloned(), rng.next_below(3)) {
        (None, _) => list.push(odd_value(rng)),
        (Some(_), 0) => drop(list.remove(index)),
        (Some(part), 1) => list.insert(index, part),
        (Some(_), _) => list.reverse(),
    }
}

fn change_map(map: &mut Map<String, Value>, rng: &mut Rng) {
    let key = map.keys().nth(rng.next_below(map.len())).cloned();
    match (key, rng.next_below(2)) {
        (Some(key), 0) => drop(map.remove(&key)),
        _ => drop(map.insert("unknown".into(), odd_value(rng))),
    }
}

fn odd_value(rng: &mut Rng) -> Value {
    let nested = (0..100).fold(json!([]), |inner, _| json!([inner]));
    let odd = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(16),
        json!(255),
        json!(65_536),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1.5),
        json!(1e308),
        json!(""),
        json!("x".repeat(1000)),
        json!([]),
        json!([[]]),
        json!({}),
        nested,
    ];
    odd[rng.next_below(odd.len())].clone()
}
