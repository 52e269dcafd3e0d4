//! What checks of game files say.

use leitai_game::LocalizedText;
use leitai_game::replay::{LegRecord, Replay};
use leitai_guest::file::FileProblem;
use leitai_store::Json;
use serde_json::json;

use crate::messages;

/// A file that passed.
#[derive(Debug)]
pub struct Passed {
    /// The id of the game.
    pub game: String,
    /// What was looked at.
    pub said: Json,
    /// The replay of the match of two random bots, unless it is too long to be kept.
    pub preview: Option<String>,
}

/// The longest replay that is kept, in bytes.
pub const LONGEST_PREVIEW: usize = 1 << 20;

/// What a preview took.
pub fn count_steps(replay: &Replay) -> Json {
    let steps = |leg: &LegRecord| leg.replies.split_ascii_whitespace().count();
    let steps: Vec<usize> = replay.legs.iter().map(steps).collect();
    json!({"legs": steps.len(), "steps": steps.iter().sum::<usize>()})
}

/// The problems of parts, as the page shows them.
pub fn describe(problems: &[FileProblem]) -> Json {
    let one = |problem: &FileProblem| {
        json!({
            "part": problem.part, "line": problem.line, "what": problem.what, "cure": problem.cure,
        })
    };
    json!({"problems": problems.iter().map(one).collect::<Vec<_>>()})
}

/// A check that did not come to an end.
pub fn broken_off(why: &str) -> Json {
    one_problem("", why)
}

/// One thing that is wrong with a part.
pub fn one_problem(part: &str, why: &str) -> Json {
    let what = messages::catalogue([]).write_both(|lang| lang.say(why));
    let cure = LocalizedText {
        en: "run leitai game check on it".to_owned(),
        zh: "请对它运行 leitai game check".to_owned(),
    };
    json!({"problems": [{"part": part, "line": null, "what": what, "cure": cure}]})
}
