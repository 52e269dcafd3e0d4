//! Situation packs: what is read, what is refused, and how answers are judged.

use leitai_game::text::LocalizedText;
use leitai_game::{ByEntrant, Entrant};
use leitai_judge::{MatchSpec, NoHumans, Player, PlayerKind, play_match};
use leitai_series::regression::pack::MAX_MOMENTS;
use leitai_series::regression::{PinnedPosition, RegressionVerdict, SituationPack};
use serde_json::{Value, json};

use crate::table::table;

/// A pack of one moment of a match of built-in bots.
fn pack() -> SituationPack {
    let game = leitai_games::find_game("kob").expect("a built-in game");
    let config = game.read_config(&Value::Null).expect("the default");
    let player = |name: &str| Player {
        name: name.into(),
        kind: PlayerKind::BuiltIn(name.into()),
    };
    let players = ByEntrant::new(player("safe"), player("random"));
    let spec = MatchSpec::new(game, config, 7, players).expect("the default");
    let stop = std::sync::atomic::AtomicBool::new(false);
    let played = play_match(&spec, &mut NoHumans, &mut (), &stop).expect("they play");
    let name = Entrant::A.to_string();
    let moment = PinnedPosition::new(game, &played.replay, Some(1), 1, Some(&name), "why");
    SituationPack {
        name: LocalizedText {
            en: "Walls".to_owned(),
            zh: "墙".to_owned(),
        },
        game: "kob".to_owned(),
        moments: vec![moment.expect("it moved")],
    }
}

/// Changes a value of the moment.
fn with(change: impl Fn(&mut Value)) -> String {
    let text = pack().to_text();
    let (head, moment) = text.trim_end().split_once('\n').expect("two lines");
    let mut moment: Value = serde_json::from_str(moment).expect("JSON");
    change(&mut moment);
    format!("{head}\n{moment}\n")
}

#[test]
fn a_hostile_pack_is_refused_with_a_cure() {
    let game = leitai_games::find_game("kob").expect("a built-in game");
    let good = pack().to_text();
    let set = |pointer: &str, value: Value| {
        with(|moment| *moment.pointer_mut(pointer).expect("it is there") = value.clone())
    };
    let lists = |key: &str, format: &str, value: Value| {
        with(|moment| {
            moment["format"] = format.into();
            moment[key] = value.clone();
        })
    };
    let (head, moment) = good.trim_end().split_once('\n').expect("two lines");
    let many = format!("{head}\n{}", format!("{moment}\n").repeat(MAX_MOMENTS + 1));
    let flip = |moment: &mut Value| {
        let hashes = &mut moment["replay"]["legs"][0]["hashes"];
        let text = hashes.as_str().expect("a text");
        let other = if text.starts_with('0') { "1" } else { "0" };
        *hashes = json!(format!("{other}{}", &text[1..]));
    };
    let (why, long) = (json!("x".repeat(201)), json!("1/1 ".repeat(100_001)));
    let most = json!(vec![["1"]; 33]);
    let newer = good.replace("situations/1", "situations/2");
    let foreign = good.replace("\"kob\"}", "\"snakego\"}");
    let rows = [
        (String::new(), "no head of a pack"),
        ("x".repeat(2 << 20), "has 2097152 bytes; leave out moments"),
        (good.replace("Walls", ""), "write 1 to 80"),
        (head.to_owned(), "it may have 1 to 64"),
        (many, "65 moments; it may have 1 to 64"),
        (newer, "this version reads"),
        (foreign, "a pack of \"snakego\", not of kob"),
        (set("/why", why), "why has 201 characters"),
        (
            set("/replay/legs/0/replies", long),
            "leave out moments until they have",
        ),
        (with(flip), "not what the rules say"),
        (lists("fails", "leitai-pin/2", most), "list at most 32"),
    ];
    let values = r#"
/replay/game | "snakego" | not of kob
/replay/rules | "kob-0" | judged by the rules
/leg | 9 | moment 1: there is no leg 9
/leg | 0 | there is no leg 0
/round | 9999 | moment 1: leg 1
/played | ["x"] | write played as it is recorded
/replay/seed | 8 | not the one that seed 8 deals
passes leitai-pin/2 | [["9"]] | "9" is no legal action in round 1
passes leitai-pin/2 | [[]] | is no legal action
fails leitai-pin/1 | [["1"]] | with passes or fails
pases leitai-pin/2 | [["1"]] | unknown field
"#;
    let values = table(values).map(|[at, value, part]| {
        let value = serde_json::from_str(value).expect("JSON");
        let text = match at.split_once(' ') {
            Some((key, format)) => lists(key, format, value),
            None => set(at, value),
        };
        (text, part)
    });
    for (text, part) in values.chain(rows) {
        let read = SituationPack::parse(&text).and_then(|pack| pack.check(game));
        let why = format!("{:#}", read.expect_err(part));
        assert!(why.contains(part), "{part}: {why}");
    }
    let read = SituationPack::parse(&good).expect("it is a pack");
    read.check(game).expect("it is sound");
    assert_eq!(read, pack());
}

#[test]
fn an_answer_is_judged_by_what_passes_and_what_fails() {
    use RegressionVerdict::{Failed, Gone, StillMade, Unknown};
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let lists = |text: &str| match text {
        "" => Vec::new(),
        text => text.split(',').map(words).collect(),
    };
    let rows = [
        ("1", "", "", "1", StillMade),
        ("1", "", "", "2", Gone),
        ("1", "", "2,3", "2", StillMade),
        ("1", "", "2,3", "0", Gone),
        ("1", "1,2", "", "1", Gone),
        ("1", "1,2", "", "2", Gone),
        ("1", "1,2", "", "3", StillMade),
        ("1", "", "", "!TLE", Failed),
        ("1", "2", "", "!TLE", Failed),
        ("!TLE", "", "", "!TLE", StillMade),
        ("1", "", "", "", Unknown),
        ("1 2", "", "", "1", Unknown),
        ("1 2", "", "", "1 2", StillMade),
        ("1 2", "", "", "1 3", Gone),
        // After the first other reply the questions are others.
        ("1 2", "3 4", "", "3", Gone),
        ("1 2", "1 4", "", "1 4", Gone),
        ("1 2", "1 4", "", "3", StillMade),
        ("1 2", "", "3 4", "3", StillMade),
    ];
    let moment = pack().moments.remove(0);
    for (played, passes, fails, answers, expected) in rows {
        let own = PinnedPosition {
            played: words(played),
            passes: lists(passes),
            fails: lists(fails),
            ..moment.clone()
        };
        let found = own.judge(&words(answers));
        assert_eq!(found, expected, "{played} {passes} {fails} {answers}");
    }
}

#[test]
fn the_games_of_the_house_come_with_sound_packs() {
    for game in leitai_games::ALL {
        let pack = SituationPack::of_game(*game).expect("a pack");
        pack.check(*game).expect("it is sound");
        assert!(pack.moments.len() >= 3, "{}", pack.game);
    }
}
