//! Formats that programs and other sites read and write: the line protocol, views, state texts,
//! records and renderings.

use leitai_game::render::{Key, RenderOptions};
use leitai_game::replay::{LimitName, Replay, verify_replay};
use leitai_game::{
    AnyGame, BySeat, Erased, Fault, Framing, Game, GamePackage, Perspective, Reply, Seat,
};
use leitai_kob::setup::MapSource;
use leitai_kob::{Config, Direction, Position, Setup, record};
use serde_json::{Value, json};

static KOB: Erased<Position> = Erased::new();

fn small() -> Setup {
    let map = MapSource::Given("1111110001100111000111111".into());
    let config = Config {
        map,
        rows: 5,
        cols: 5,
        ..Config::default()
    };
    Setup::deal(&config, 0).expect("a sound config")
}

fn step(setup: &Setup, position: &mut Position, a: u8, b: u8) -> [Option<Reply<Direction>>; 2] {
    let moves = [a, b].map(|number| Direction::from_number(number).expect("0 to 3"));
    position.play_round(setup, moves);
    moves.map(|direction| Some(Reply::Action(direction)))
}

#[test]
fn replays_of_the_first_format_are_read_and_written_in_the_second() {
    let old = Replay::parse(include_str!("data/replay-1.json")).expect("the first format");
    let protocols = old
        .entrants
        .each_ref()
        .map_values(|own| own.protocol.as_deref());
    assert_eq!(protocols.into_pair(), [Some("line"), None]);
    let verified = verify_replay(&KOB, &old).expect("the same rules");
    let verified = verified.expect("recorded before the change");
    assert_eq!(verified.legs, 2);
    let text = old.to_text();
    assert!(text.contains(r#""format":"leitai-replay/2""#), "{text}");
    assert!(
        text.contains(r#""protocol":"line""#) && !text.contains("dialect"),
        "{text}"
    );
    assert_eq!(Replay::parse(&text).as_ref(), Ok(&old));
}

#[test]
fn a_fault_of_the_first_format_is_read_as_code_and_limit() {
    let old = Replay::parse(include_str!("data/replay-1-timeout.json")).expect("a replay");
    let fault = &old.legs[0].faults[0];
    assert_eq!(fault.code, Fault::Timeout);
    let limit = fault.limit.as_ref().expect("a limit was broken");
    assert_eq!(limit.name, LimitName::PeriodWall);
    let later = include_str!("data/replay-1-timeout.json").replace("replay/1", "replay/3");
    let error = Replay::parse(&later)
        .expect_err("a format of the future")
        .to_string();
    assert!(error.contains("\"leitai-replay/3\""), "{error}");
}

#[test]
fn the_line_protocol_has_these_bytes() {
    let (setup, mut position) = (small(), Position::start(&small()));
    let mut sides = BySeat::from_fn(|_: Seat| (Position::CONTENTS.protocols[0].make)());
    let asked = |sides: &mut BySeat<Box<dyn leitai_game::Protocol<Position>>>,
                 position: &Position| {
        Seat::BOTH.map(|seat| {
            String::from_utf8(sides[seat].write_question(&setup, position, seat)).expect("ASCII")
        })
    };
    for seat in Seat::BOTH {
        assert_eq!(sides[seat].write_start(&setup, &position, seat), b"");
        assert_eq!(sides[seat].message_framing(&position), Framing::Lines(1));
        assert!(!sides[seat].may_answer_early());
    }
    let map = "1111110001100111000111111";
    let [a, b] = asked(&mut sides, &position);
    assert_eq!(
        (a, b),
        (
            format!("{map}#3#1#()#1#3#()\n"),
            format!("{map}#1#3#()#3#1#()\n")
        )
    );
    let [a, b] = step(&setup, &mut position, 0, 3);
    for seat in Seat::BOTH {
        assert_eq!(
            sides[seat].write_step(&setup, &position, seat, &BySeat::new(a, b)),
            b""
        );
        // A round that is not played is missing in the string.
        let failed = BySeat::new(a, Some(Reply::Fault(Fault::Timeout)));
        sides[seat].write_step(&setup, &position, seat, &failed);
    }
    let [a, b] = asked(&mut sides, &position);
    assert_eq!(
        (a, b),
        (
            format!("{map}#3#1#(0)#1#3#(3)\n"),
            format!("{map}#1#3#(3)#3#1#(0)\n")
        )
    );
    assert_eq!(
        sides[Seat::First].write_end(&setup, &position, Seat::First),
        b""
    );
}

#[test]
fn answer_lines_are_read_as_actions_or_faults() {
    let (setup, position) = (small(), Position::start(&small()));
    let mut line = (Position::CONTENTS.protocols[0].make)();
    let mut read = |body: &[u8]| {
        line.read(&setup, &position, Seat::First, body)
            .ok()
            .map(Direction::number)
    };
    let rows: [(&[u8], Option<u8>); 12] = [
        (b"0", Some(0)),
        (b"3\n", Some(3)),
        (b" 2 \r\n", Some(2)),
        (b"\t1", Some(1)),
        (b"4", None),
        (b"-1", None),
        (b"00", None),
        (b"0 1", None),
        (b"", None),
        (b"up", None),
        (b"1.0", None),
        ("１".as_bytes(), None),
    ];
    for (body, expected) in rows {
        assert_eq!(read(body), expected, "{:?}", String::from_utf8_lossy(body));
    }
}

#[test]
fn the_view_and_the_state_text_have_these_fields() {
    let (setup, mut position) = (small(), Position::start(&small()));
    step(&setup, &mut position, 0, 3);
    let view = serde_json::to_value(position.view(&setup, Perspective::Seat(Seat::Second)))
        .expect("plain data");
    let expected = json!({
        "round": 2, "rounds": setup.rounds(), "rows": 5, "cols": 5, "you": "second", "grows": true, "length": 2,
        "map": ["11111", "10001", "10011", "10001", "11111"],
        "snakes": [{"seat": "first", "facing": 0, "cells": [[2, 1], [3, 1]]},
                   {"seat": "second", "facing": 3, "cells": [[1, 2], [1, 3]]}],
    });
    assert_eq!(view, expected);
    step(&setup, &mut position, 3, 2);
    let mut text = String::new();
    position
        .state_text(&setup, &mut text)
        .expect("a String takes every text");
    assert_eq!(text, "R 2\nA 3,1 2,1 2,0\nB 1,3 1,2 2,2\nE wall -\n");
}

#[test]
fn renderings_are_complete_without_colour() {
    let draw = |position: &Position| {
        let picture = position.render_position(
            &small(),
            &RenderOptions {
                perspective: Perspective::All,
                ahead: 0,
            },
        );
        (
            picture.plain_board(),
            picture
                .panel
                .into_iter()
                .map(|line| line.text)
                .collect::<Vec<_>>(),
        )
    };
    let (setup, mut position) = (small(), Position::start(&small()));
    assert_eq!(
        draw(&position).0,
        "##########\n## . .B ##\n## . .####\n##A  . .##\n##########\n"
    );
    step(&setup, &mut position, 0, 3);
    step(&setup, &mut position, 1, 3);
    assert_eq!(
        draw(&position).0,
        "##########\n##B<bbb'##\n##aaA>####\n##a' . .##\n##########\n"
    );
    step(&setup, &mut position, 1, 2);
    let (board, panel) = draw(&position);
    assert_eq!(
        board,
        "##########\n##bbbbb'##\n##B*aaA*##\n##a' . .##\n##########\n"
    );
    assert_eq!(
        panel[1..],
        ["A length 4, died: wall", "B length 4, died: opponent"]
    );
}

#[test]
fn keys_are_the_same_as_on_the_sites() {
    let keys = |seat| {
        Position::key_bindings(seat)
            .iter()
            .map(|key| (key.keys[0], key.action))
            .collect::<Vec<_>>()
    };
    let letters = [('w', "0"), ('d', "1"), ('s', "2"), ('a', "3")];
    assert_eq!(
        keys(Seat::First),
        letters.map(|(letter, action)| (Key::Char(letter), action))
    );
    let arrows = [
        (Key::Up, "0"),
        (Key::Right, "1"),
        (Key::Down, "2"),
        (Key::Left, "3"),
    ];
    assert_eq!(keys(Seat::Second), arrows);
}

/// A record in the corpus's format, made from one of its lines.
fn record_of(line: &Value) -> Value {
    json!({
        "map": line["map"], "a_sx": line["a"][0], "a_sy": line["a"][1], "b_sx": line["b"][0],
        "b_sy": line["b"][1], "a_steps": line["a_steps"], "b_steps": line["b_steps"], "loser": line["loser"],
    })
}

#[test]
fn every_game_of_the_corpus_survives_import_verification_and_export() {
    let lines = include_str!("../golden/own.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let games: Vec<Value> = lines
        .filter(|line: &Value| line.get("loser").is_some())
        .collect();
    for line in &games {
        let record = record_of(line);
        let replay = (record::FORMAT.import)(&record.to_string()).expect("a sound record");
        assert_eq!(
            verify_replay(&KOB, &replay)
                .expect("playable")
                .map(|verified| verified.legs),
            Ok(1),
            "{record}"
        );
        let exported = (record::FORMAT.export)(&replay, 0).expect("a played leg");
        assert_eq!(
            exported,
            record.to_string(),
            "an export restores the imported text"
        );
        let mut without_origin = replay.clone();
        without_origin.origin = None;
        let exported = (record::FORMAT.export)(&without_origin, 0).expect("a played leg");
        assert_eq!(
            serde_json::from_str::<Value>(&exported).expect("JSON"),
            record,
            "also after the record was removed from the replay"
        );
    }
    assert!(games.len() >= 60);
}

#[test]
fn a_game_with_both_heads_on_one_cell_keeps_the_sites_result() {
    let lines = include_str!("../golden/own.jsonl").lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let meeting = lines
        .iter()
        .find(|line| line["as_judged"]["result"] == "A")
        .expect("one of them is won by A");
    let mut record = record_of(meeting);
    record["loser"] = json!("B");
    let replay = (record::FORMAT.import)(&record.to_string()).expect("a sound record");
    assert_eq!(replay.setup["heads_may_share"], true);
}

#[test]
fn maps_are_read_in_the_formats_of_sites_and_people() {
    let text = Setup::deal(&Config::default(), 1)
        .expect("sound")
        .map()
        .text();
    let rows: Vec<&str> = (0..13).map(|row| &text[14 * row..14 * row + 14]).collect();
    for map in [
        json!(text),
        json!(rows.join("\n")),
        json!(format!("{}\r\n", rows.join("\r\n"))),
        json!(rows),
    ] {
        let config = KOB.read_config(&json!({"map": map})).expect("a sound map");
        assert_eq!(config["map"], text, "{map}");
    }
    // A map that the command line takes for a number.
    let small = json!({"rows": 3, "cols": 3, "map": 100_000_001, "a": [0, 1], "b": [2, 1]});
    assert_eq!(
        KOB.deal_setup(&small, 1).expect("sound").to_json()["map"],
        "100000001"
    );
    let why = KOB
        .read_config(&json!({"map": true}))
        .expect_err("no map")
        .to_string();
    assert!(why.contains("13 lines of 14"), "{why}");
}

#[test]
fn a_record_inside_a_sites_response_is_read() {
    let map = Setup::deal(&Config::default(), 1)
        .expect("sound")
        .map()
        .text();
    let plain = json!({"map": map, "a_sx": 11, "a_sy": 1, "b_sx": 1, "b_sy": 12, "a_steps": "3", "b_steps": "2",
                       "loser": "A"});
    let bean = json!({"id": 7, "aid": 1, "asx": 11, "asy": 1, "bid": 2, "bsx": 1, "bsy": 12, "asteps": "3",
                      "bsteps": "2", "map": map, "loser": "A", "createtime": "2022-07-20 14:05:11"});
    let import = |value: &Value| (record::FORMAT.import)(&value.to_string());
    let names = |value: &Value| {
        import(value)
            .expect("sound")
            .entrants
            .map_values(|entrant| entrant.name)
    };
    let expected = import(&plain).expect("sound");
    let item = json!({"a_photo": "x", "a_username": "ann\u{1b}", "b_photo": "y", "b_username": "bob", "result": "B胜",
                      "record": bean});
    let page = json!({"records": [item], "records_count": 1});
    for value in [&bean, &json!({"record": bean}), &item, &page] {
        let replay = import(value).expect("sound");
        assert_eq!(
            (&replay.setup, &replay.legs),
            (&expected.setup, &expected.legs),
            "{value}"
        );
    }
    assert_eq!(names(&item).into_pair(), [r"ann\u001b", "bob"]);
    assert_eq!(names(&bean).into_pair(), ["A", "B"]);
    let many = json!({"records": [item, item]});
    assert!(
        import(&many)
            .expect_err("which one?")
            .to_string()
            .contains("has 2 records")
    );
    assert!(
        import(&json!({"record": 3}))
            .expect_err("no record")
            .to_string()
            .contains("not a record")
    );
    assert!(
        import(&json!({"records": {}}))
            .expect_err("no list")
            .to_string()
            .contains("records a list")
    );
}

#[test]
fn records_that_contradict_themselves_are_refused() {
    let map = Setup::deal(&Config::default(), 1)
        .expect("sound")
        .map()
        .text();
    let sound = json!({"map": map, "a_sx": 11, "a_sy": 1, "b_sx": 1, "b_sy": 12, "a_steps": "3", "b_steps": "2",
                       "loser": "A", "createtime": "kept, not read"});
    let check = |key: &str, value: Value, part: &str| {
        let mut record = sound.clone();
        record[key] = value;
        let why = (record::FORMAT.import)(&record.to_string())
            .expect_err("contradicts itself")
            .to_string();
        assert!(why.contains(part), "{why}");
    };
    assert!((record::FORMAT.import)(&sound.to_string()).is_ok());
    check("loser", json!("B"), "the recorded loser is B");
    check("loser", json!("C"), "not a record");
    check("a_steps", json!("30"), "a_steps has 2 steps, b_steps 1");
    check("a_steps", json!("4"), "not a digit 0 to 3");
    check("a_steps", json!("é"), "not a digit 0 to 3");
    check("map", json!("01"), "2 characters");
    check("a_sx", json!(12), "[12, 1]");
    check("b_sx", json!(99), "outside");
}

#[test]
fn a_board_that_the_sites_do_not_have_has_no_record() {
    let map = Setup::deal(&Config::default(), 1)
        .expect("sound")
        .map()
        .text();
    let record = json!({"map": map, "a_sx": 11, "a_sy": 1, "b_sx": 1, "b_sy": 12, "a_steps": "", "b_steps": "",
                        "loser": "all"});
    let mut replay = (record::FORMAT.import)(&record.to_string()).expect("sound");
    assert!(
        (record::FORMAT.export)(&replay, 1)
            .expect_err("one leg")
            .to_string()
            .contains("no leg 2")
    );
    replay.setup["grow_until"] = json!(9);
    assert!(
        (record::FORMAT.export)(&replay, 0)
            .expect_err("another growth")
            .to_string()
            .contains("growth")
    );
    replay.setup = KOB
        .deal_setup(&json!({"rows": 11}), 0)
        .expect("sound")
        .to_json();
    assert!(
        (record::FORMAT.export)(&replay, 0)
            .expect_err("another size")
            .to_string()
            .contains("11 rows")
    );
    replay.game = "snakego".into();
    assert!((record::FORMAT.export)(&replay, 0).is_err());
}

#[test]
fn unsound_configs_are_refused_with_the_value() {
    let check = |choices: Value, part: &str| {
        let why = KOB
            .deal_setup(&choices, 1)
            .map(|_| ())
            .expect_err("unsound")
            .to_string();
        assert!(why.contains(part), "{choices}: {why}");
    };
    check(json!({"rows": 17}), "17");
    check(json!({"cols": 2}), "2");
    check(json!({"inner_pairs": 200}), "inner_pairs is 200");
    check(json!({"grow_until": 300}), "grow_until is 300");
    check(json!({"grow_period": 0}), "grow_period is 0");
    check(json!({"grow_period": 100}), "grow_period is 100");
    check(json!({"grow_phase": 3}), "grow_phase is 3");
    check(json!({"a": [0, 0]}), "border");
    check(json!({"a": [1, 12]}), "both snakes start at [1, 12]");
    check(json!({"a": [13, 0]}), "outside");
    check(json!({"map": "1".repeat(182)}), "obstacle");
    check(
        json!({"map": "0".repeat(182), "heads_may_share": true}),
        "182 free cells",
    );
    check(json!({"map": "0"}), "1 characters");
    check(json!({"cols": 15, "rows": 15, "inner_pairs": 83}), "no map");
}
