//! The recorded matches of a game file. An author writes them with a program of its own, so what only
//! Leitai could write may be left out: who played, the verdict, and the hashes of states.

use leitai_game::erased::AnyGame;
use leitai_game::replay::{
    Difference, FORMAT, LegRecord, Recorder, ReplayWalker, Verified, verify_replay,
};
use leitai_game::{InvalidSetup, Replay};
use leitai_toml_reader::problem::both;
use serde_json::{Map, Value, json};

use super::FileProblem;
use super::about::About;
use super::parts::Parts;

/// Reads the recorded matches; what is wrong with one is a problem.
pub(super) fn read(
    parts: &Parts,
    about: Option<&About>,
    problems: &mut Vec<FileProblem>,
) -> Vec<(String, Replay)> {
    let mut golden = Vec::new();
    for name in parts.golden() {
        let Some(text) = parts.text(name, problems) else {
            continue;
        };
        match Replay::parse(&complete(text, about)) {
            Ok(replay) => golden.push((name.to_owned(), replay)),
            Err(why) => problems.push(FileProblem::new(
                name,
                both(
                    format!("this is no recorded match: {why}"),
                    format!("这不是对局记录：{why}"),
                ),
                both(
                    r#"write {"setup": …, "legs": [{"replies": "…", "outcome": {"winner": "first", "scores": [3, 1], "reason": "…"}}]} (docs/game-files.md, "Recorded matches"), or record one with leitai match … --replay FILE"#,
                    r#"请写成 {"setup": …, "legs": [{"replies": "…", "outcome": {"winner": "first", "scores": [3, 1], "reason": "…"}}]}（见 docs/game-files.zh.md“对局记录”），或用 leitai match … --replay 文件 录制"#,
                ),
            )),
        }
    }
    golden
}

/// The same record with every member that may be left out.
fn complete(text: &str, about: Option<&About>) -> String {
    let Ok(Value::Object(mut record)) = serde_json::from_str(text) else {
        return text.to_owned();
    };
    let (game, rules) = about.map_or(("", ""), |about| (&about.id, &about.rules));
    let has_verdict = record
        .get("verdict")
        .is_some_and(|verdict| !verdict.is_null());
    let entrant = |name: &str| json!({"name": name, "kind": "imported"});
    let missing = [
        ("format", json!(FORMAT)),
        ("game", json!(game)),
        ("rules", json!(rules)),
        ("engine", json!("golden")),
        ("entrants", json!([entrant("one"), entrant("other")])),
        (
            "status",
            json!(if has_verdict {
                "complete"
            } else {
                "interrupted"
            }),
        ),
    ];
    for (name, value) in missing {
        record.entry(name).or_insert(value);
    }
    let legs = record.get_mut("legs").and_then(Value::as_array_mut);
    for leg in legs.into_iter().flatten() {
        let outcome: Option<&mut Map<String, Value>> =
            leg.get_mut("outcome").and_then(Value::as_object_mut);
        if let Some(outcome) = outcome {
            outcome.entry("scope").or_insert(json!("leg"));
        }
    }
    Value::Object(record).to_string()
}

/// Plays a recorded match again and compares what it tells. A leg without hashes is compared by its
/// replies and its end.
///
/// # Errors
/// A record that cannot be played at all, or rules that fail.
pub fn verify_recorded(
    game: &dyn AnyGame,
    recorded: &Replay,
) -> Result<Result<Verified, Difference>, InvalidSetup> {
    let is_bare = |leg: &LegRecord| leg.hashes.is_empty() && leg.final_hash.is_none();
    if !recorded.legs.iter().any(is_bare) {
        return verify_replay(game, recorded);
    }
    let setup = game.read_setup(&recorded.setup)?;
    let mut filled = recorded.clone();
    for leg in filled.legs.iter_mut().filter(|leg| is_bare(leg)) {
        let source = leg.clone();
        let mut walk = ReplayWalker::new(&*setup, &source);
        let mut recorder = Recorder::default();
        // Where the replies cannot go on, the comparison below says so.
        while let Ok(Some(_)) = walk.next(&mut recorder) {}
        let seen = recorder.finish_leg(None);
        (leg.hashes, leg.final_hash) = (seen.hashes, seen.final_hash);
    }
    verify_replay(game, &filled)
}
