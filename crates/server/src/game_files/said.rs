//! What checks of game files say.

use leitai_game::LocalizedText;
use leitai_game::replay::{LegRecord, Replay};
use leitai_guest::file::FileProblem;
use leitai_store::{GameCheckEnd, Json};
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

/// How a check ended, for the database.
pub fn check_end(checked: Result<Passed, Json>) -> GameCheckEnd {
    let passed = checked.is_ok();
    let (said, preview) = match checked {
        Ok(passed) => (passed.said, passed.preview),
        Err(problems) => (problems, None),
    };
    GameCheckEnd {
        passed,
        said,
        preview,
        forbidden: broken_off("whoever brought this file may not publish it; ask an administrator"),
    }
}

/// How a worker says that a check ended, if that can be kept.
///
/// # Errors
/// It says too much, or nothing that a check says.
pub fn check_end_of_worker(
    passed: bool,
    said: Json,
    preview: Option<String>,
) -> Result<GameCheckEnd, &'static str> {
    if !said.is_object() || said.to_string().len() > LONGEST_SAID {
        return Err("what a check says is an object of at most 256 KiB");
    }
    let is_sound = |text: &String| text.len() <= LONGEST_PREVIEW && Replay::parse(text).is_ok();
    if !preview.as_ref().is_none_or(is_sound) {
        return Err("the preview of a game is a replay of at most 1 MiB");
    }
    let game = String::new();
    let passed_with = |said| Passed {
        game,
        said,
        preview,
    };
    Ok(check_end(match passed {
        true => Ok(passed_with(said)),
        false => Err(said),
    }))
}

/// The most that a check says, in bytes.
const LONGEST_SAID: usize = 256 << 10;
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
