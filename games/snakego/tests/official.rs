//! Import and export of the official site's replay.
//!
//! The files in `data/official` were worked out by hand from the rules, not written by the engine.

use leitai_game::replay::{
    EntrantKind, EntrantRecord, LegRecord, MatchStatus, Recorder, Replay, ReplayWalker,
    verify_replay,
};
use leitai_game::{AnyGame, ByEntrant, Entrant, Erased, Game, Rng};
use leitai_snakego::official::FORMAT;
use leitai_snakego::{Action, Position, Setup};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::table::{cells, table};

static SNAKEGO: Erased<Position> = Erased::new();

const ENCLOSURE: &str = include_str!("data/official/enclosure.json");
const ILLEGAL: &str = include_str!("data/official/illegal.json");
const EXTINCT: &str = include_str!("data/official/extinct.json");
const PLAYER_ERROR: &str = include_str!("data/official/player-error.json");
const OUT_OF_TURN: &str = include_str!("data/official/out-of-turn.json");
const INTERNAL_ERROR: &str = include_str!("data/official/internal-error.json");
const FILES: [&str; 6] = [
    ENCLOSURE,
    ILLEGAL,
    EXTINCT,
    PLAYER_ERROR,
    OUT_OF_TURN,
    INTERNAL_ERROR,
];

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("test data is JSON")
}

fn import(text: &str) -> Replay {
    (FORMAT.import)(text).expect("a sound file")
}

fn export(replay: &Replay) -> Value {
    json(&(FORMAT.export)(replay, 0).expect("a replay of ours"))
}

#[test]
fn replays_of_the_first_format_are_read() {
    let text = include_str!("data/replays/replay-1.json");
    let old = Replay::parse(text).expect("the first format");
    assert_eq!(
        old.entrants[Entrant::A].protocol.as_deref(),
        Some("json-lines")
    );
    let verified = verify_replay(&SNAKEGO, &old).expect("the same rules");
    verified.expect("recorded before the change");
}

/// A replay of our own judge, without an origin.
fn native(setup: Value, seed: u64, replies: &str) -> Replay {
    let any = SNAKEGO.read_setup(&setup).expect("a sound setup");
    let source = LegRecord {
        replies: replies.into(),
        ..LegRecord::default()
    };
    let (mut walk, mut recorder) = (ReplayWalker::new(&*any, &source), Recorder::default());
    while let Some(replies) = walk.next(&mut recorder).expect("the tokens are known") {
        recorder.record_replies(&replies);
    }
    let outcome = walk.current_leg().outcome();
    let entrant = || EntrantRecord {
        name: "somebody".into(),
        kind: EntrantKind::Program,
        protocol: None,
        settings: None,
    };
    Replay {
        format: leitai_game::replay::FORMAT.into(),
        game: Position::META.id.into(),
        rules: Position::META.rules.into(),
        engine: "test".into(),
        recorded: None,
        seed: Some(seed),
        config: Value::Null,
        setup,
        entrants: ByEntrant::new(entrant(), entrant()),
        limits: None,
        status: if outcome.is_some() {
            MatchStatus::Complete
        } else {
            MatchStatus::Interrupted
        },
        legs: vec![recorder.finish_leg(outcome)],
        verdict: None,
        forced: None,
        origin: None,
        signature: None,
    }
}

/// Export, import and export again give the same value, and the import verifies.
fn round_trip(replay: &Replay) -> Replay {
    let first = export(replay);
    let imported = import(&first.to_string());
    assert_eq!(export(&imported), first);
    let stored = Replay::parse(&imported.to_text()).expect("own text");
    assert_eq!(export(&stored), first);
    verify_replay(&SNAKEGO, &stored)
        .expect("playable")
        .expect("sound");
    imported
}

#[test]
fn hand_written_files_are_exported_unchanged() {
    for file in FILES {
        let imported = import(file);
        assert_eq!(export(&imported), json(file));
        round_trip(&imported);
    }
}

#[test]
fn an_import_has_these_fields() {
    let check = |file: &str, replies: &str, status: MatchStatus, winner: Option<Entrant>| {
        let replay = import(file);
        assert!(
            replay.legs[0].replies.ends_with(replies),
            "{:?}",
            replay.legs[0].replies
        );
        assert_eq!(replay.status, status);
        assert_eq!(
            replay.verdict.map(|verdict| verdict.winner),
            winner.map(Some)
        );
        assert_eq!(replay.entrants[Entrant::A].kind, EntrantKind::Imported);
    };
    check(
        ENCLOSURE,
        "1 2 2 3 4 3 5",
        MatchStatus::Complete,
        Some(Entrant::A),
    );
    // The turn with the illegal action is missing; the fault is recorded at its beginning.
    check(
        ILLEGAL,
        "1 2 1 2 4 6 4 !IA",
        MatchStatus::Complete,
        Some(Entrant::A),
    );
    check(EXTINCT, "1 4 1 2", MatchStatus::Complete, Some(Entrant::A));
    check(PLAYER_ERROR, "!RE", MatchStatus::Complete, Some(Entrant::B));
    check(OUT_OF_TURN, "1 2", MatchStatus::Interrupted, None);
    check(INTERNAL_ERROR, "1 1 1", MatchStatus::Interrupted, None);
}

#[test]
fn a_fault_has_the_text_of_the_official_judge() {
    let check = |file: &str, code: &str, round: u32, step: usize, what: &str| {
        let [fault] = &import(file).legs[0].faults[..] else {
            panic!("exactly one fault is expected")
        };
        assert_eq!(
            (fault.code.as_str(), fault.round, fault.step),
            (code, round, step)
        );
        assert_eq!(fault.what, what);
    };
    check(ILLEGAL, "IA", 4, 7, "Split length too short!!!");
    check(PLAYER_ERROR, "RE", 1, 0, "player 0 exited with code 1");
    check(OUT_OF_TURN, "PE", 2, 2, "Invalid message format");
}

#[test]
fn our_own_half_is_exported_in_the_official_form() {
    let check = |file: &str, replies: &str| {
        let recorded = json(file);
        let seed = recorded["game_config"]["random_seed"]
            .as_u64()
            .expect("a seed");
        assert_eq!(export(&native(import(file).setup, seed, replies)), recorded);
    };
    check(ENCLOSURE, &import(ENCLOSURE).legs[0].replies);
    check(ILLEGAL, "1 2 1 2 4 6 4 2 6");
    check(EXTINCT, "1 4 1 2");
}

#[test]
fn our_own_unfinished_half_is_exported_as_an_internal_error() {
    let replay = native(import(ILLEGAL).setup, 3, "1 2 1 2 4 6 4 2");
    let file = export(&replay);
    assert_eq!(file["end_info"]["type"], "INTERNAL_ERROR");
    assert_eq!(
        file["operations"].as_array().map(Vec::len),
        Some(7),
        "only completed turns are exported"
    );
    assert_eq!(round_trip(&replay).status, MatchStatus::Interrupted);
}

/// The format has no word for a leg that stopped early: its last round is the last one played.
#[test]
fn a_half_that_stopped_when_it_was_decided_is_exported_as_a_shorter_one() {
    let mut setup = import(EXTINCT).setup;
    setup["stop_decided"] = json!(true);
    let replay = native(setup, 3, "1 4");
    assert_eq!(replay.status, MatchStatus::Complete);
    let file = export(&replay);
    assert_eq!(file["game_config"]["max_round"], 1);
    assert_eq!(file["end_info"]["type"], "NORMAL");
    assert_eq!(file["end_info"]["winner"], 0);
    assert_eq!(round_trip(&replay).status, MatchStatus::Complete);
}

#[test]
fn unknown_keys_are_kept() {
    for file in FILES {
        let mut file = json(file);
        file["players"] = json!(["α", {"deep": [1, 2.5, null]}]);
        file["game_config"]["map"] = json!("round");
        file["end_info"]["memory"] = json!([1, 2]);
        assert_eq!(export(&import(&file.to_string())), file);
    }
}

#[test]
fn the_judges_text_about_an_error_is_kept() {
    let mut file = json(ILLEGAL);
    file["end_info"]["score"] = json!([7, -1]);
    file["end_info"]["err"] = json!("你好");
    assert_eq!(export(&import(&file.to_string())), file);
}

/// Asserts that a file with a change in one place is refused with these words.
#[track_caller]
fn refused(file: &str, pointer: &str, value: Value, parts: &[&str]) {
    let mut file = json(file);
    *file.pointer_mut(pointer).expect("a place in the file") = value;
    let why = (FORMAT.import)(&file.to_string())
        .expect_err(pointer)
        .to_string();
    for part in parts {
        assert!(why.contains(part), "{why:?} does not say {part:?}");
    }
}

/// The same of rows: `place | value | part | part`.
#[track_caller]
fn refused_rows(file: &str, rows: &str) {
    for row in cells(rows) {
        let [place, value, parts @ ..] = &row[..] else {
            panic!("a place and a value: {row:?}")
        };
        refused(file, place, json(value), parts);
    }
}

#[test]
fn every_recorded_effect_is_compared() {
    let rows = |rows: &str| refused_rows(ENCLOSURE, rows);
    rows(
        r#"
/operations/32/0/dead_snake | [0, 2, 3] | round 17, player 0, operation 1: dead_snake is recorded as [0,2,3] | gives [0,3,2]
/operations/32/0/should_solid | false | round 17 | should_solid
/operations/32/0/extra_solid_area/15/y | 14 | round 17 | extra_solid_area | …
/operations/20/0/got_item | -1 | round 11, player 0 | got_item | gives 2
/operations/20/0/extra_length | 8 | extra_length is recorded as 8 | gives 7
/operations/8/1/new_snake_id | 4 | round 5 | operation 2 | new_snake_id | gives 3
/operations/8/1/basic/snake | 0 | basic | "snake":2
/operations/35/0/basic/item_id | -1 | round 18, player 1 | basic | "item_id":1
/round_info/5/gotten_item | [] | round 6, before the turns | gotten_item
/round_info/10/extra_length/0/el | 3 | round 11, before | extra_length
/round_info/16/expired_item | [] | round 17, before | expired_item
/round_info/17/expired_item | [{"item": 1, "snake": -1}] | round 18 | gives []
/round_info/3/invalid_item | [1] | round 4 | invalid_item
/end_info/score | [12, 10] | score is recorded as [12,10] | gives [12,9]
/end_info/winner | 1 | winner is recorded as 1
"#,
    );
}

#[test]
fn turns_that_contradict_the_rules_are_refused() {
    let rows = |rows: &str| refused_rows(ENCLOSURE, rows);
    let right = json(ENCLOSURE)["operations"][1][0].clone();
    refused(
        ENCLOSURE,
        "/operations/34",
        json!([right]),
        &["round 18, player 0, operation 1", "snake 1 of player 1"],
    );
    rows(
        r#"
/operations/1 | [] | round 1, player 1 | 0 operations | snake 1 of player 1
/operations/1/0/basic/direction | 4 | round 1, player 1 | names no action
/operations/4/0/basic/direction | 2 | round 3, player 0 | turned back
/operations/6/0/basic/type | 2 | round 4 | fired a ray it does not hold
/end_info/type | "ILLEGAL_ACTION" | an illegal action of player 1 | the half is over
"#,
    );
    refused_rows(
        ILLEGAL,
        r#"
/end_info/type | "NORMAL" | a normal end is recorded | snake 1 of player 1
/end_info/winner | 1 | an illegal action of player 0 | player 1 is to act
/end_info/winner | 2 | the winner is 2
/round_info/3 | {} | round 4 | expired_item | missing
"#,
    );
}

/// Asserts that a file whose list lost its last entry is refused with these words.
#[track_caller]
fn refused_without_last(file: &str, list: &str, part: &str) {
    let mut file = json(file);
    file[list].as_array_mut().expect("a list").pop();
    let why = (FORMAT.import)(&file.to_string())
        .expect_err(list)
        .to_string();
    assert!(why.contains(part), "{why:?} does not say {part:?}");
}

#[test]
fn missing_turns_and_rounds_are_noticed() {
    let rows = "
enclosure | operations | snake 1 of player 1 is to act in round 18
extinct | operations | 5 turns are recorded, the engine has 6
enclosure | round_info | 17 rounds are recorded, the engine has 18
illegal | round_info | 3 rounds are recorded, the engine has 4
extinct | item_list | round 2, before the turns: extra_length
";
    for [name, list, part] in table(rows) {
        let file = match name {
            "enclosure" => ENCLOSURE,
            "extinct" => EXTINCT,
            _ => ILLEGAL,
        };
        refused_without_last(file, list, part);
    }
}

#[test]
fn files_of_other_shapes_are_refused() {
    let rows = |rows: &str| refused_rows(ENCLOSURE, rows);
    rows(
        r#"
/game_config/width | 20 | width is 20; only 16
/game_config/max_round | 513 | max_round is 513
/game_config/max_round | -1 | max_round is -1
/game_config | 3 | game_config is 3, not an object
/item_list/0/type | 1 | item 0 | type is 1
/item_list/1/time | 1 | item 1 appears in round 1
/item_list/1 | [] | item 1 | x is missing
/item_list/2/param | "3" | item 2 | param is "3", not a number
/item_list/2 | {"x": 0, "y": 0, "time": 7, "type": 0, "param": 1, "w": 0} | w is recorded
/operations | {} | operations is {}, not a list
/operations/3 | 0 | round 2, player 1 | not a list
/operations/3 | [0, 0, 0, 0, 0] | 5 operations | at most 4 snakes
/operations/3/0 | 0 | names no action
"#,
    );
    refused(
        ENCLOSURE,
        "/operations",
        json!(vec![json!([]); 1025]),
        &["1025 entries; at most 1024"],
    );
    rows(
        r#"
/end_info/type | "BORED" | the type "BORED" is not known
/round_info/0 | 1 | round 1 | is recorded as 1
"#,
    );
}

#[test]
fn huge_and_nested_files_are_refused() {
    let check = |text: &str, part: &str| {
        let why = (FORMAT.import)(text).expect_err(part).to_string();
        assert!(why.contains(part), "{why:?} does not say {part:?}");
    };
    check(&" ".repeat(17 << 20), "at most");
    check("", "not an official replay");
    check("[]", "not an official replay");
    check(
        &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        "not an official replay",
    );
    let nest = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let with_deep = |depth| {
        let mut file = json(EXTINCT);
        file["deep"] = nest(depth);
        file.to_string()
    };
    check(&with_deep(33), "nested 33 deep");
    assert!(Replay::parse(&import(&with_deep(32)).to_text()).is_ok());
}

#[test]
fn a_replay_that_the_format_cannot_express_is_refused() {
    let check = |change: fn(&mut Replay), leg: usize, part: &str| {
        let mut replay = import(EXTINCT);
        change(&mut replay);
        let why = (FORMAT.export)(&replay, leg).expect_err(part).to_string();
        assert!(why.contains(part), "{why:?} does not say {part:?}");
    };
    check(|_| (), 1, "there is no leg 2; the replay has 1");
    check(|replay| replay.game = "kob".into(), 0, "a replay of kob");
    check(
        |replay| replay.rules = "snakego/0".into(),
        0,
        "under snakego/0",
    );
    check(|replay| replay.setup = Value::Null, 0, "invalid type");
    check(
        |replay| replay.legs[0].replies.push_str(" 1"),
        0,
        "after the end",
    );
    check(
        |replay| replay.legs[0].replies = "7".into(),
        0,
        "there is no action \"7\"",
    );
    check(
        |replay| replay.legs[0].replies = "!HM".into(),
        0,
        "unknown fault",
    );
    check(
        |replay| replay.origin = Some(json!({"format": "official"})),
        0,
        "origin cannot be read",
    );
}

/// The reply tokens of a corpus game; an unknown op becomes a malformed answer.
fn tokens(ops: &str) -> String {
    let token = |digit: char| match digit {
        '1'..='6' => digit.to_string(),
        _ => "!PE".to_owned(),
    };
    ops.chars().map(token).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_golden_game_survives_export_and_import() {
    let Ok(folder) = std::env::var("LEITAI_CORPORA") else {
        return eprintln!("LEITAI_CORPORA is not set: nothing compared");
    };
    let path = format!("{folder}/snakego/games.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return eprintln!("no corpus at {path}: nothing compared");
    };
    for game in text.lines().map(json) {
        let setup =
            json!({"max_round": game["max_round"], "fault_scope": "half", "items": game["items"]});
        let seed = game["seed"].as_u64().expect("a seed");
        let replay = native(setup, seed, &tokens(game["ops"].as_str().expect("ops")));
        let file = export(&replay);
        assert_eq!(file["end_info"]["score"], game["scores"], "{}", game["id"]);
        for key in ["type", "winner", "err"] {
            assert_eq!(file["end_info"][key], game["end"][key], "{}", game["id"]);
        }
        let turns = game["turns"].as_str().expect("turns").len() / 4;
        assert_eq!(
            file["operations"].as_array().map(Vec::len),
            Some(turns),
            "{}",
            game["id"]
        );
        let imported = round_trip(&replay);
        if file["end_info"]["type"] == "NORMAL" {
            assert_eq!(
                imported.legs[0].final_hash.as_deref(),
                game["final"].as_str()
            );
            assert_eq!(imported.legs[0].replies, replay.legs[0].replies);
        }
    }
}

/// A half of random play on a crowded map. Snakes mostly avoid death; now and then a player makes a
/// fault or stops.
fn random_half(seed: u64) -> Replay {
    let mut rng = Rng::new(seed);
    let max_round = 1 + rng.next_below(60);
    let items: Vec<[u64; 5]> = (1..=60)
        .filter(|round| round % 3 != 0)
        .map(|round| {
            let [x, y, param] = [16, 16, 9].map(|most| rng.next_below(most) as u64);
            [x, y, round, 2 * (param / 6), 1 + param]
        })
        .collect();
    let setup = json!({"max_round": max_round, "fault_scope": "half", "items": items});
    let loaded: Setup = serde_json::from_value(setup.clone()).expect("a sound setup");
    let mut position = Position::start(&loaded, &mut ());
    let mut tokens = Vec::new();
    while position.end().is_none() && rng.next_below(500) > 0 {
        let action = random_action(&loaded, &position, &mut rng);
        position.play_action(&loaded, action, &mut ());
        tokens.push(action.number().to_string());
    }
    if position.end().is_none() {
        tokens.extend(
            ["!TLE", "!PE", "!IA"]
                .get(rng.next_below(5))
                .map(|fault| fault.to_string()),
        );
    }
    native(setup, seed, &tokens.join(" "))
}

fn random_action(setup: &Setup, position: &Position, rng: &mut Rng) -> Action {
    if rng.next_below(400) == 0 {
        return Action::ALL[rng.next_below(6)];
    }
    let seat = position.seat();
    let mut legal = Vec::new();
    position.legal_actions(setup, seat, &mut legal);
    let survives = |action: &Action| {
        let mut after = *position;
        after.play_action(setup, *action, &mut ());
        after.snakes(seat).len() >= position.snakes(seat).len()
    };
    let safe: Vec<Action> = legal.iter().copied().filter(survives).collect();
    let choices = if safe.is_empty() || rng.next_below(20) == 0 {
        &legal
    } else {
        &safe
    };
    choices[rng.next_below(choices.len())]
}

/// Changes a value at one place of a file.
fn mutate(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Array(list) if !list.is_empty() && rng.next_below(8) > 0 => {
            let index = rng.next_below(list.len());
            mutate(&mut list[index], rng);
        }
        Value::Array(list) if !list.is_empty() && rng.next_below(2) == 0 => {
            list.remove(rng.next_below(list.len()));
        }
        Value::Array(list) => list.push(json!({})),
        Value::Object(map) if !map.is_empty() && rng.next_below(8) > 0 => {
            let index = rng.next_below(map.len());
            mutate(
                map.values_mut()
                    .nth(index)
                    .expect("an index below the length"),
                rng,
            );
        }
        Value::Object(map) => {
            map.insert("new".into(), json!(1));
        }
        other => {
            let values = [
                json!(null),
                json!(0),
                json!(1),
                json!(2),
                json!(-1),
                json!(1e300),
                json!(u64::MAX),
            ];
            let texts = [
                json!("NORMAL"),
                json!("PLAYER_ERROR"),
                json!(true),
                json!([]),
                json!({}),
            ];
            *other = values
                .into_iter()
                .chain(texts)
                .nth(rng.next_below(12))
                .expect("twelve values");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_play_survives_export_and_import(seed: u64) {
        round_trip(&random_half(seed));
    }

    #[test]
    fn a_mutated_file_is_refused_or_survives(seed: u64) {
        let mut rng = Rng::new(seed);
        let mut file = if rng.next_below(2) == 0 { export(&random_half(seed)) } else { json(FILES[rng.next_below(6)]) };
        for _ in 0..=rng.next_below(2) {
            mutate(&mut file, &mut rng);
        }
        if let Ok(imported) = (FORMAT.import)(&file.to_string()) {
            prop_assert_eq!(export(&imported), file);
        }
    }

    #[test]
    fn a_mutated_text_never_panics(seed: u64, at: prop::sample::Index, byte: u8) {
        let mut bytes = FILES[seed as usize % 6].as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = (FORMAT.import)(&String::from_utf8_lossy(&bytes)); // It may be refused, but must return.
    }
}
