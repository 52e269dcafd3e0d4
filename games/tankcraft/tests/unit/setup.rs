//! Tests of `setup`.

use leitai_tankcraft::setup::*;
use serde_json::{Value, json};

#[track_caller]
fn check(choices: Value, expected: Result<(), &str>) {
    let read = serde_json::from_value::<Config>(choices.clone()).map_err(|why| why.to_string());
    let dealt = read.and_then(|config| Setup::deal(&config, 5).map_err(|why| why.to_string()));
    match (dealt, expected) {
        (Ok(setup), Ok(())) => {
            let json = serde_json::to_value(&setup).expect("plain data");
            assert_eq!(
                serde_json::from_value::<Setup>(json).expect("its own text"),
                setup
            );
        }
        (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
        (dealt, _) => panic!("{choices}: {dealt:?}"),
    }
}

#[test]
fn configs_are_read_and_checked() {
    check(json!({}), Ok(()));
    for name in "generate crossroads corners keep gen-7 gen-2010".split_whitespace() {
        check(json!({"map": name}), Ok(()));
    }
    let lines = Setup::deal(&Config::default(), 9)
        .expect("a map")
        .map()
        .to_lines();
    check(
        json!({"map": &lines, "fog": "sdk", "goal": 50, "rounds": 20}),
        Ok(()),
    );
    let file = format!("; a comment\n\n{}\n", lines.join("\r\n"));
    check(json!({"map": file}), Ok(()));
    check(
        json!({"map": "...\n"}),
        Err("it has 1 lines, 21 are needed"),
    );
    check(json!({"map": "desert"}), Err("map must be \"generate\""));
    check(
        json!({"map": ["..."]}),
        Err("it has 1 lines, 21 are needed"),
    );
    check(json!({"stop_decided": true}), Ok(()));
    check(json!({"goal": 0}), Err("goal is 0"));
    check(json!({"rounds": 2001}), Err("rounds is 2001; 1 to 2000"));
    check(json!({"fog": "none"}), Err("none"));
    check(json!({"speed": 3}), Err("speed"));
}
