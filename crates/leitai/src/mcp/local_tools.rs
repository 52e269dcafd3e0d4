//! The tools of `leitai mcp` that work on this machine: they run the commands of this binary. A path is
//! a file of the user, as in a shell; it is never taken for an option.

use leitai_server::mcp::arena_tools::{BY_AGENT, WAIT_PARAMETER, call_arena_tool};
use leitai_server::mcp::match_report::explain_replay;
use leitai_server::mcp::short::{LINE, WHY, line_of, short_line, without_nothing};
use leitai_server::mcp::tool::Kind::{Number, Text};
use leitai_server::mcp::tool::{Arguments, Parameter, Tool, optional, required};
use serde_json::{Value, json};

use super::arena::{LoggedInArena, PATIENCE};
use super::own_command::run_command;
use crate::lang::format_error;
use crate::replay_file;

/// The most bytes of a path.
const PATH: usize = 4096;

const GAME: Parameter = required(
    "game",
    Text(PATH),
    "the game's id, such as kob, or the path of a game file",
);
const LIMIT: Parameter = optional(
    "limit",
    Text(20),
    "CPU time of a turn, such as 500ms; default: the game's",
);
const SEED: Parameter = optional("seed", Number(0, u64::MAX), "the seed of all chance");

/// The tools of this machine, and `submit`, which takes a file of it.
pub static LOCAL_TOOLS: [&Tool; 7] = [&NEW_BOT, &CHECK, &PLAY, &ANALYSE, &COMPARE, &RATE, &SUBMIT];

static NEW_BOT: Tool = Tool {
    name: "new_bot",
    about: "Write a complete bot to start from. An existing file is never overwritten.",
    reads_only: false,
    parameters: &[
        GAME,
        optional(
            "language",
            Text(20),
            "python, cpp, java, javascript, rust, typescript, go, csharp or kotlin, where the game has it",
        ),
        optional(
            "folder",
            Text(PATH),
            "the folder to write; default: GAME-bot",
        ),
    ],
};
static CHECK: Tool = Tool {
    name: "check",
    about: "Build a bot and check whether an arena would accept it, with advice for every step that fails.",
    reads_only: true,
    parameters: &[
        GAME,
        required(
            "program",
            Text(PATH),
            "a source file, a folder, an executable or a zip",
        ),
        LIMIT,
    ],
};
static PLAY: Tool = Tool {
    name: "play",
    about: "Play a match between two bots: built-in ones by name, programs by path. The replay is written to a file.",
    reads_only: false,
    parameters: &[
        GAME,
        required(
            "a",
            Text(PATH),
            "entrant A: a built-in bot, or a path with a slash such as ./bot.py",
        ),
        required("b", Text(PATH), "entrant B"),
        SEED,
        optional(
            "legs",
            Number(1, 64),
            "the number of legs; default: the game's",
        ),
        LIMIT,
        optional(
            "replay",
            Text(PATH),
            "the file of the replay; default: a new one in matches/",
        ),
    ],
};
static ANALYSE: Tool = Tool {
    name: "analyse",
    about: "Say in at most 30 lines why a match was lost: faults, blunders with the better move, when it was decided.",
    reads_only: true,
    parameters: &[required(
        "replay",
        Text(PATH),
        "the file of a replay, from play",
    )],
};
static COMPARE: Tool = Tool {
    name: "compare",
    about: "Test whether a new version is better than an old one, by pairs of games with seats swapped.",
    reads_only: true,
    parameters: &[
        GAME,
        required("new", Text(PATH), "the new version"),
        required("base", Text(PATH), "the version to beat, or a built-in bot"),
        optional(
            "pairs",
            Number(1, 2000),
            "the most pairs of games; default 50",
        ),
        SEED,
        LIMIT,
    ],
};
static RATE: Tool = Tool {
    name: "rate",
    about: "Measure how strong a bot is on the scale of the game's levels, in Elo with a 95 % interval.",
    reads_only: true,
    parameters: &[
        GAME,
        required("bot", Text(PATH), "the bot"),
        optional(
            "pairs",
            Number(1, 2000),
            "the most pairs of games; default 30",
        ),
        SEED,
        LIMIT,
    ],
};
static SUBMIT: Tool = Tool {
    name: "submit",
    about: "Upload a bot to the arena of `leitai login`: a new version of your bot of this name, or a new bot. It is \
            built and checked there; if it passes, it plays rated matches on the ladder.",
    reads_only: false,
    parameters: &[
        GAME,
        required("program", Text(PATH), "a source file, a folder or a zip"),
        optional(
            "name",
            Text(100),
            "the bot's name; default: the program's name",
        ),
        optional("notes", Text(2000), "what is new, for yourself and others"),
        BY_AGENT,
        WAIT_PARAMETER,
    ],
};

/// Calls a tool of [`LOCAL_TOOLS`].
///
/// # Errors
/// What was refused, and what to do instead.
pub async fn call_local_tool(
    arena: &LoggedInArena,
    tool: &str,
    arguments: &Arguments,
    cancelled: impl Future<Output = ()>,
) -> Result<Value, String> {
    if tool == ANALYSE.name {
        return analyse(arena, arguments.needed_text("replay").to_owned()).await;
    }
    let said = run_command(command_of(tool, arguments), cancelled).await?;
    match tool {
        "new_bot" => Ok(json!({"lines": cut_lines(&said.lines()?)})),
        "check" => Ok(shorten_check(&said.json()?)),
        "play" => Ok(shorten_match(&said.json()?)),
        "compare" => Ok(keep(&said.json()?, &COMPARED)),
        "rate" => Ok(keep(&said.json()?, &RATED)),
        _ => wait_for_check(arena, &said.json()?, arguments).await,
    }
}

/// The words of the command: options with their values in one word, then `--`, then what is named.
fn command_of(tool: &str, arguments: &Arguments) -> Vec<String> {
    let text = |name| arguments.needed_text(name).to_owned();
    let (command, named) = match tool {
        "new_bot" => (
            "new",
            vec![
                Some(text("game")),
                arguments.text("language").map(str::to_owned),
            ],
        ),
        "check" => ("check", vec![Some(text("game")), Some(text("program"))]),
        "play" => (
            "match",
            vec![Some(text("game")), Some(text("a")), Some(text("b"))],
        ),
        "compare" => (
            "compare",
            vec![Some(text("game")), Some(text("new")), Some(text("base"))],
        ),
        "rate" => ("rate", vec![Some(text("game")), Some(text("bot"))]),
        _ => ("submit", vec![Some(text("game")), Some(text("program"))]),
    };
    let mut words = vec![command.to_owned()];
    for (argument, option) in [
        ("folder", "--folder"),
        ("limit", "--limit"),
        ("replay", "--replay"),
        ("name", "--bot"),
        ("notes", "--notes"),
    ] {
        words.extend(
            arguments
                .text(argument)
                .map(|value| format!("{option}={value}")),
        );
    }
    for (argument, option) in [("seed", "--seed"), ("legs", "--legs"), ("pairs", "--max")] {
        words.extend(
            arguments
                .number(argument)
                .map(|value| format!("{option}={value}")),
        );
    }
    let by_agent = arguments.flag("by_agent");
    words.extend(by_agent.map(|value| format!("--by-agent={value}")));
    let pairs = match (tool, arguments.number("pairs")) {
        ("compare", None) => Some("--max=50"),
        ("rate", None) => Some("--max=30"),
        _ => None,
    };
    words.extend(pairs.map(str::to_owned));
    match tool {
        "new_bot" => {}
        "submit" => words.extend(["--json", "--no-wait"].map(str::to_owned)),
        _ => words.push("--json".to_owned()),
    }
    words.push("--".to_owned());
    words.extend(named.into_iter().flatten());
    words
}

fn cut_lines(lines: &[&str]) -> Vec<String> {
    lines
        .iter()
        .take(WHY)
        .map(|line| short_line(line))
        .collect()
}

/// The verdict, and the steps that did not pass.
fn shorten_check(said: &Value) -> Value {
    let steps = said["steps"].as_array().into_iter().flatten();
    let (passed, others): (Vec<&Value>, Vec<&Value>) =
        steps.partition(|step| step["mark"] == "passed");
    let describe = |step: &&Value| {
        without_nothing(json!({
            "step": step["step"], "mark": step["mark"], "seen": line_of(&step["seen"]["en"]),
            "next": line_of(&step["next"]["en"]), "command": step["command"],
            "stderr": step["last_words"],
        }))
    };
    let next = match said["passed"] == true {
        true => "play it against built-in bots, then submit",
        false => "mend the failed steps and check again",
    };
    json!({
        "accepted": said["passed"], "undecided": said["undecided"], "steps_passed": passed.len(),
        "other_steps": others.iter().map(describe).collect::<Vec<_>>(), "next": next,
    })
}

/// Who won, leg by leg, with the faults.
fn shorten_match(said: &Value) -> Value {
    let legs = said["legs"].as_array().into_iter().flatten().map(|leg| {
        let faults = leg["faults"].as_array().into_iter().flatten().take(4);
        let faults = faults.map(|fault| {
            let last = fault["last_words"].as_array().and_then(|lines| lines.last());
            let stderr = last.map(line_of).unwrap_or_default();
            without_nothing(json!({
                "entrant": fault["entrant"], "round": fault["round"], "code": fault["code"],
                "what": line_of(&fault["what"]), "stderr": stderr,
            }))
        });
        without_nothing(json!({
            "first": leg["first"], "winner": leg["winner"], "scores": leg["scores"], "reason": leg["reason"],
            "faults": faults.collect::<Vec<_>>(),
        }))
    });
    let legs: Vec<Value> = legs.collect();
    without_nothing(json!({
        "winner": said["winner"], "draw": said["draw"], "reason": said["reason"], "seed": said["seed"],
        "a": said["entrants"][0]["name"], "b": said["entrants"][1]["name"], "legs": legs,
        "void": said["void"], "replay": said["replay"], "next": "analyse the replay of a loss",
    }))
}

/// What is kept of a comparison.
const COMPARED: [&str; 9] = [
    "decision",
    "entrants",
    "elo",
    "elo_interval",
    "confidence",
    "games",
    "games_played",
    "faults",
    "expected_games_to_go",
];
/// What is kept of a rating.
const RATED: [&str; 9] = [
    "bot",
    "rating",
    "rating_interval",
    "confidence",
    "scale",
    "between",
    "games_played",
    "faults",
    "status",
];

fn keep(said: &Value, names: &[&str]) -> Value {
    let kept = names
        .iter()
        .map(|name| ((*name).to_owned(), said[*name].clone()));
    without_nothing(Value::Object(kept.collect()))
}

async fn analyse(arena: &LoggedInArena, file: String) -> Result<Value, String> {
    let lang = arena.lang;
    let work = move || {
        let read = replay_file::replay_or_import(lang, file.as_ref());
        let (replay, game) = read.map_err(|error| format_error(lang, &error))?;
        explain_replay(&*game, &replay, None, PATIENCE)
    };
    let lines = tokio::task::spawn_blocking(work).await;
    Ok(json!({"lines": lines.map_err(|why| why.to_string())??}))
}

/// Waits for the check of a version as the arena's tool does.
async fn wait_for_check(
    arena: &LoggedInArena,
    version: &Value,
    arguments: &Arguments,
) -> Result<Value, String> {
    let Some(id) = version["id"].as_u64() else {
        let shown: String = version.to_string().chars().take(LINE).collect();
        return Err(format!("the arena's answer names no version: {shown}"));
    };
    let arguments = arguments.with_number("version", id);
    call_arena_tool(arena, "version_status", &arguments).await
}
