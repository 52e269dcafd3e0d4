//! The tools that ask an arena. They know its API and not the way to it: `leitai mcp` asks over HTTP
//! with the login of `leitai login`, `/mcp` asks the same server with the caller's token. So whatever
//! a person may not do, an agent may not do either, and the refusal is the same.

use std::time::{Duration, Instant};

use leitai_game::Entrant;
use serde_json::{Value, json};

use super::match_report::{entrant_name, report_match};
use super::short::{last_lines, line_of, without_nothing};
use super::tool::Kind::{Flag, Id, Number, Text};
use super::tool::{Arguments, Parameter, Tool, optional, required};

/// A request to the API of an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaRequest {
    /// The method.
    pub method: ArenaMethod,
    /// The path, which holds nothing that an agent chose but ids and numbers.
    pub path: String,
    /// Names and values of the query.
    pub query: Vec<(&'static str, String)>,
    /// The body of `POST`.
    pub body: Option<Value>,
}

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArenaMethod {
    /// Reads.
    Get,
    /// Creates.
    Post,
    /// Changes.
    Patch,
}

/// A way to an arena.
pub trait ArenaApi: Send + Sync {
    /// Sends a request.
    ///
    /// # Errors
    /// What the arena says of a request that it refuses, or why it does not answer.
    fn ask(&self, request: ArenaRequest) -> impl Future<Output = Result<Value, String>> + Send;

    /// The lines that say why a match was lost, from its replay: see
    /// [`explain_replay`](super::match_report::explain_replay).
    ///
    /// # Errors
    /// Why there are none.
    fn explain(
        &self,
        replay: Value,
        entrant: Option<Entrant>,
    ) -> impl Future<Output = Result<Vec<String>, String>> + Send;
}

/// The most bytes of a source in an argument; a larger one goes up as a file (`leitai submit`).
pub const CODE: usize = 400_000;
/// How often the arena is asked whether something is over.
const LOOK: Duration = Duration::from_millis(700);
/// How long a tool waits if it is not told.
const WAIT: u64 = 30;
/// The most rows of a list.
const ROWS: u64 = 30;

const GAME: Parameter = required("game", Id, "the game's id, such as kob; see games.md");
/// How long a tool may wait.
pub const WAIT_PARAMETER: Parameter = optional(
    "wait",
    Number(0, 60),
    "seconds to wait for the end; default 30. What is not over by then goes on",
);
/// Who wrote the bot.
pub const BY_AGENT: Parameter = optional(
    "by_agent",
    Flag,
    "true: the bot's page and the ladder say that an agent wrote it; false: they say it no more",
);
const LIMIT: Parameter = optional("limit", Number(1, ROWS), "the most rows; default 10");

/// Uploads a source.
pub const SUBMIT: Tool = Tool {
    name: "submit",
    about: "Upload the source of a bot to the arena: a new version of your bot of this name, or a new bot. It is \
            built and checked in the arena's queue; if it passes, it plays rated matches on the ladder.",
    reads_only: false,
    parameters: &[
        GAME,
        required("name", Text(100), "the bot's name"),
        required(
            "file_name",
            Text(100),
            "its ending gives the language: bot.py, bot.cpp, Bot.java, bot.js, bot.rs",
        ),
        required(
            "code",
            Text(CODE),
            "the whole source; the files of the game's SDK come along when it names them",
        ),
        optional("notes", Text(2000), "what is new, for yourself and others"),
        BY_AGENT,
        WAIT_PARAMETER,
    ],
};

/// The tools that need nothing but an arena.
pub static ARENA_TOOLS: [&Tool; 6] = [
    &MY_BOTS,
    &VERSION_STATUS,
    &CHALLENGE,
    &LADDER,
    &MATCHES,
    &MATCH_REPORT,
];

static MY_BOTS: Tool = Tool {
    name: "my_bots",
    about: "Your bots in the arena: id, rank and rating on the standard ladder, the active version.",
    reads_only: true,
    parameters: &[],
};
static VERSION_STATUS: Tool = Tool {
    name: "version_status",
    about: "How the build and the check of an uploaded version go, and what to mend if it failed.",
    reads_only: true,
    parameters: &[
        required(
            "version",
            Number(1, i64::MAX as u64),
            "the version's id, from submit",
        ),
        WAIT_PARAMETER,
    ],
};
static CHALLENGE: Tool = Tool {
    name: "challenge",
    about: "Let one of your bots play an unrated match against any bot of its game, and report it.",
    reads_only: false,
    parameters: &[
        GAME,
        required("bot", Text(100), "the name of your bot"),
        required(
            "opponent",
            Text(100),
            "the name of the other bot, such as a built-in one",
        ),
        optional(
            "seed",
            Number(0, i64::MAX as u64),
            "the seed of all chance; default: random",
        ),
        WAIT_PARAMETER,
    ],
};
static LADDER: Tool = Tool {
    name: "ladder",
    about: "The ladder of a game, the best first: ranks with their 95 % interval, ratings in Elo.",
    reads_only: true,
    parameters: &[
        GAME,
        optional(
            "ladder",
            Id,
            "a further ladder of the game; default: standard",
        ),
        LIMIT,
    ],
};
static MATCHES: Tool = Tool {
    name: "matches",
    about: "Matches of the arena, the newest first.",
    reads_only: true,
    parameters: &[
        optional("game", Id, "only of this game"),
        optional("bot", Text(100), "only of your bot of this name"),
        LIMIT,
    ],
};
static MATCH_REPORT: Tool = Tool {
    name: "match_report",
    about: "A match in at most 30 lines: result, faults, the decisions that lost it, the end of your bot's log.",
    reads_only: true,
    parameters: &[
        required("match", Number(1, i64::MAX as u64), "the match's id"),
        WAIT_PARAMETER,
    ],
};

/// Calls a tool of [`ARENA_TOOLS`], or [`SUBMIT`].
///
/// # Errors
/// What was refused, and what to do instead.
pub async fn call_arena_tool(
    api: &impl ArenaApi,
    tool: &str,
    arguments: &Arguments,
) -> Result<Value, String> {
    match tool {
        "submit" => submit(api, arguments).await,
        "my_bots" => list_own_bots(api).await,
        "version_status" => {
            let id = arguments.number("version").unwrap_or_default();
            wait_for_version(api, id, arguments).await
        }
        "challenge" => challenge(api, arguments).await,
        "ladder" => show_ladder(api, arguments).await,
        "matches" => list_matches(api, arguments).await,
        "match_report" => {
            let id = arguments.number("match").unwrap_or_default();
            wait_for_match(api, id, arguments).await
        }
        _ => Err(format!("there is no tool {tool:?} here")),
    }
}

async fn get(
    api: &impl ArenaApi,
    path: String,
    query: Vec<(&'static str, String)>,
) -> Result<Value, String> {
    let request = ArenaRequest {
        method: ArenaMethod::Get,
        path,
        query,
        body: None,
    };
    api.ask(request).await
}

async fn post(api: &impl ArenaApi, path: String, body: Value) -> Result<Value, String> {
    send(api, ArenaMethod::Post, path, body).await
}

async fn send(
    api: &impl ArenaApi,
    method: ArenaMethod,
    path: String,
    body: Value,
) -> Result<Value, String> {
    let request = ArenaRequest {
        method,
        path,
        query: Vec::new(),
        body: Some(body),
    };
    api.ask(request).await
}

async fn submit(api: &impl ArenaApi, arguments: &Arguments) -> Result<Value, String> {
    let text = |name| arguments.needed_text(name);
    let own = find_own(api, text("game"), text("name")).await?;
    let source = json!({
        "file_name": text("file_name"), "code": text("code"), "notes": text("notes"),
    });
    let (bot, version) = match own {
        Some(bot) => {
            let made = post(api, format!("/api/bots/{bot}/versions"), source).await?;
            (Some(bot), made["id"].clone())
        }
        None => {
            let mut body = source;
            body["game"] = text("game").into();
            body["name"] = text("name").into();
            let made = post(api, "/api/bots".to_owned(), body).await?;
            (made["id"].as_u64(), made["versions"][0]["id"].clone())
        }
    };
    if let (Some(bot), Some(by_agent)) = (bot, arguments.flag("by_agent")) {
        let body = json!({ "by_agent": by_agent });
        send(api, ArenaMethod::Patch, format!("/api/bots/{bot}"), body).await?;
    }
    let id = version
        .as_u64()
        .ok_or("the arena's answer names no version; call my_bots")?;
    wait_for_version(api, id, arguments).await
}

/// The id of the caller's bot of this name.
async fn find_own(api: &impl ArenaApi, game: &str, name: &str) -> Result<Option<u64>, String> {
    let mine = get(api, "/api/me/bots".to_owned(), Vec::new()).await?;
    let mut mine = items(&mine);
    let found = mine.find(|bot| bot["game"] == game && same_name(bot, name));
    Ok(found.and_then(|bot| bot["id"].as_u64()))
}

fn same_name(bot: &Value, name: &str) -> bool {
    let own = bot["name"].as_str().unwrap_or_default();
    own.to_lowercase() == name.to_lowercase()
}

fn items(page: &Value) -> impl Iterator<Item = &Value> {
    page["items"].as_array().into_iter().flatten()
}

/// Asks until something is over, or the time that the caller gives it is.
async fn wait_until_over(
    api: &impl ArenaApi,
    path: String,
    arguments: &Arguments,
    is_over: impl Fn(&Value) -> bool,
) -> Result<Value, String> {
    let most = Duration::from_secs(arguments.number("wait").unwrap_or(WAIT));
    let begun = Instant::now();
    loop {
        let seen = get(api, path.clone(), Vec::new()).await?;
        if is_over(&seen) || begun.elapsed() >= most {
            return Ok(seen);
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn wait_for_version(
    api: &impl ArenaApi,
    id: u64,
    arguments: &Arguments,
) -> Result<Value, String> {
    let is_over = |seen: &Value| matches!(seen["state"].as_str(), Some("ready" | "failed"));
    let path = format!("/api/versions/{id}");
    Ok(report_version(
        &wait_until_over(api, path, arguments, is_over).await?,
    ))
}

/// A version with what is to be mended.
pub fn report_version(version: &Value) -> Value {
    let state = line_of(&version["state"]);
    let steps = version["steps"].as_array().into_iter().flatten();
    let failed = steps.filter(|step| step["mark"] == "failed").map(|step| {
        without_nothing(json!({
            "step": step["step"], "seen": line_of(&step["seen"]["en"]), "next": line_of(&step["next"]["en"]),
            "command": step["command"],
        }))
    });
    let next = match &*state {
        "ready" => "it is on the ladder: challenge somebody, or read matches in a while",
        "failed" => "mend it and submit again",
        _ => "it is not over; ask version_status again in some seconds",
    };
    without_nothing(json!({
        "version": version["id"], "bot": version["bot"], "number": version["number"], "state": state,
        "waits": line_of(&version["waiting"]["en"]), "why": line_of(&version["failure"]["en"]),
        "failed_steps": failed.collect::<Vec<_>>(),
        "build_log": match &*state {
            "failed" => last_lines(version["log"].as_str().unwrap_or_default()),
            _ => Vec::new(),
        },
        "next": next,
    }))
}

async fn list_own_bots(api: &impl ArenaApi) -> Result<Value, String> {
    let mine = get(api, "/api/me/bots".to_owned(), Vec::new()).await?;
    let bots = items(&mine).take(ROWS as usize).map(|bot| {
        without_nothing(json!({
            "bot": bot["id"], "name": line_of(&bot["name"]), "game": bot["game"],
            "active_version": bot["active"], "rank": bot["rank"], "rating": bot["rating"]["value"],
            "rating_error": bot["rating"]["error"], "games": bot["games"],
            "wins_draws_losses": [bot["wins"], bot["draws"], bot["losses"]], "faults": bot["faults"],
        }))
    });
    Ok(json!({"bots": bots.collect::<Vec<_>>()}))
}

async fn challenge(api: &impl ArenaApi, arguments: &Arguments) -> Result<Value, String> {
    let text = |name| arguments.needed_text(name);
    let (game, own, other) = (text("game"), text("bot"), text("opponent"));
    let mine = find_own(api, game, own).await?.ok_or_else(|| {
        format!("you have no bot {own:?} for {game}; my_bots lists yours, submit uploads one")
    })?;
    let found = get(api, "/api/search".to_owned(), vec![("q", other.to_owned())]).await?;
    let mut bots = found["bots"].as_array().into_iter().flatten();
    let opponent = bots.find(|bot| bot["game"] == game && same_name(bot, other));
    let opponent = opponent.and_then(|bot| bot["id"].as_u64()).ok_or_else(|| {
        format!("{game} has no bot {other:?}; ladder lists names, games.md the built-in bots")
    })?;
    let mut body = json!({"game": game, "a": {"bot": mine}, "b": {"bot": opponent}});
    if let Some(seed) = arguments.number("seed") {
        body["seed"] = seed.into();
    }
    let made = post(api, "/api/matches".to_owned(), body).await?;
    let id = made["id"]
        .as_u64()
        .ok_or("the arena's answer names no match; call matches")?;
    wait_for_match(api, id, arguments).await
}

async fn wait_for_match(
    api: &impl ArenaApi,
    id: u64,
    arguments: &Arguments,
) -> Result<Value, String> {
    let is_over = |seen: &Value| !matches!(seen["state"].as_str(), Some("queued" | "running"));
    let path = format!("/api/matches/{id}");
    let details = wait_until_over(api, path.clone(), arguments, is_over).await?;
    if details["files"]["replay"].is_null() {
        return Ok(report_match(&details, None, &[]));
    }
    let replay = get(api, format!("{path}/replay"), Vec::new()).await?;
    let entrant = match details["your"].as_str() {
        Some("a") => Some(Entrant::A),
        Some("b") => Some(Entrant::B),
        _ => None,
    };
    let why = match api.explain(replay.clone(), entrant).await {
        Ok(lines) => lines,
        Err(why) => vec![format!("no analysis: {why}")],
    };
    Ok(report_match(&details, Some(&replay), &why))
}

async fn show_ladder(api: &impl ArenaApi, arguments: &Arguments) -> Result<Value, String> {
    let game = arguments.needed_text("game");
    let limit = arguments.number("limit").unwrap_or(10).to_string();
    let mut query = vec![("limit", limit)];
    query.extend(
        arguments
            .text("ladder")
            .map(|name| ("ladder", name.to_owned())),
    );
    let page = get(api, format!("/api/games/{game}/ladder"), query).await?;
    let rows = items(&page).map(|row| {
        without_nothing(json!({
            "rank": row["rank"], "name": line_of(&row["bot"]["name"]), "bot": row["bot"]["id"],
            "owner": line_of(&row["bot"]["owner"]), "rating": row["rating"]["value"],
            "rating_error": row["rating"]["error"], "games": row["games"],
        }))
    });
    Ok(json!({"game": game, "rows": rows.collect::<Vec<_>>(), "more": !page["next"].is_null()}))
}

async fn list_matches(api: &impl ArenaApi, arguments: &Arguments) -> Result<Value, String> {
    let limit = arguments.number("limit").unwrap_or(10).to_string();
    let mut query = vec![("limit", limit)];
    query.extend(arguments.text("game").map(|game| ("game", game.to_owned())));
    if let Some(name) = arguments.text("bot") {
        query.push((
            "bot",
            find_any_own(api, name, arguments.text("game"))
                .await?
                .to_string(),
        ));
    }
    let page = get(api, "/api/matches".to_owned(), query).await?;
    let rows = items(&page).map(|row| {
        without_nothing(json!({
            "match": row["id"], "game": row["game"], "kind": row["kind"], "state": row["state"],
            "a": entrant_name(&row["a"]), "b": entrant_name(&row["b"]), "winner": row["winner"],
            "scores": row["scores"], "faults": row["faults"],
        }))
    });
    let rows: Vec<Value> = rows.collect();
    Ok(json!({"matches": rows, "more": !page["next"].is_null()}))
}

async fn find_any_own(api: &impl ArenaApi, name: &str, game: Option<&str>) -> Result<u64, String> {
    let mine = get(api, "/api/me/bots".to_owned(), Vec::new()).await?;
    let mut mine = items(&mine);
    let fits = |bot: &&Value| same_name(bot, name) && game.is_none_or(|game| bot["game"] == game);
    let found = mine.find(fits).and_then(|bot| bot["id"].as_u64());
    found.ok_or_else(|| format!("you have no bot {name:?} there; my_bots lists yours"))
}
