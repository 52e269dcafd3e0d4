//! Requests to an arena; a refusal becomes an error with the arena's message.

use std::io::Read;
use std::time::Duration;

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use leitai_game::clean_text::clean_line;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use ureq::http::Response;
use ureq::typestate::WithBody;
use ureq::{Agent, Body, RequestBuilder};

use super::{ReadingLogin, SavedLogin};
use crate::arguments::id_at_arena;
use crate::lang::Localizer;

/// The time limit of one request.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most bytes of an answer.
const MOST: u64 = 64 << 20;
/// How long an archive is waited for.
const LONG_PATIENCE: Duration = Duration::from_secs(1800);
/// The type of bodies in JSON.
const JSON: &str = "application/json";

/// A text of an arena's answer, safe for a terminal; empty if it is none.
pub fn text(value: &Value) -> String {
    clean_line(value.as_str().unwrap_or_default()).into_owned()
}

/// A request that an arena refused.
#[derive(Debug)]
pub struct Refusal {
    /// The status of HTTP.
    pub status: u16,
    /// When it may be asked again.
    pub wait: Option<Duration>,
    /// Why, in the arena's words.
    pub text: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

/// An arena and the account of the requests.
pub struct ArenaClient {
    lang: Localizer,
    agent: Agent,
    server: String,
    token: Option<String>,
}

impl ArenaClient {
    /// A client without an account.
    pub fn without_login(lang: Localizer, server: &str) -> ArenaClient {
        // No answer sends to another place: it would get what is meant for this arena.
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .max_redirects(0)
            .http_status_as_error(false);
        let agent = config
            .user_agent(concat!("leitai/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        ArenaClient {
            lang,
            agent,
            server: server.to_owned(),
            token: None,
        }
    }

    /// A client with this account.
    pub fn from_login(lang: Localizer, account: &SavedLogin) -> ArenaClient {
        ArenaClient {
            token: Some(account.token.clone()),
            ..ArenaClient::without_login(lang, &account.server)
        }
    }

    /// A client for public data, with an account if there is one.
    pub fn for_reading(lang: Localizer) -> anyhow::Result<ArenaClient> {
        Ok(match SavedLogin::for_reading(lang)? {
            ReadingLogin::Account(account) => ArenaClient::from_login(lang, &account),
            ReadingLogin::Guest(server) => ArenaClient::without_login(lang, &server),
        })
    }

    /// The address of a page.
    pub fn page_url(&self, path: &str) -> String {
        format!("{}{path}", self.server)
    }

    /// Requests an answer in JSON.
    pub fn get(&self, path: &str) -> anyhow::Result<Value> {
        parse_json(decode_text(self.get_bytes(path)?)?)
    }

    /// Requests an answer in JSON to a query of names and values.
    pub fn get_with<'a>(
        &self,
        path: &str,
        query: impl IntoIterator<Item = (&'a str, String)>,
    ) -> anyhow::Result<Value> {
        let request = self.agent.get(self.page_url(path)).query_pairs(query);
        parse_json(self.read_text(self.sign_request(request).call())?)
    }

    /// The caller's own bots.
    pub fn own_bots(&self) -> anyhow::Result<Vec<Value>> {
        let mine = self.get("/api/me/bots")?;
        mine["items"]
            .as_array()
            .cloned()
            .context("the arena's answer has no list")
    }

    /// The caller's bot of this name, of this game if one is given.
    pub fn find_own_bot(&self, name: &str, game: Option<&str>) -> anyhow::Result<Value> {
        let game = game.map(id_at_arena);
        let game = game.as_deref();
        let bots = self.own_bots()?;
        let folded = name.to_lowercase();
        let fits = |bot: &&Value| {
            text(&bot["name"]).to_lowercase() == folded
                && game.is_none_or(|game| bot["game"] == game)
        };
        let found: Vec<&Value> = bots.iter().filter(fits).collect();
        let list = |bots: &[&Value], key: &str| {
            let words: Vec<String> = bots.iter().map(|bot| text(&bot[key])).collect();
            words.join(", ")
        };
        match (&found[..], game) {
            ([bot], _) => Ok((*bot).clone()),
            ([], Some(game)) => {
                bail!("you have no bot {name:?} for {game}; upload one with leitai submit")
            }
            ([], None) if bots.is_empty() => {
                bail!("you have no bot {name:?} and no other; upload one with leitai submit")
            }
            ([], None) => {
                let known = list(&bots.iter().collect::<Vec<_>>(), "name");
                bail!("you have no bot {name:?}; your bots: {known}")
            }
            (several, _) => {
                let games = list(several, "game");
                bail!("you have a bot {name:?} in several games; add --game with one of {games}")
            }
        }
    }

    /// The id of any bot of a game, which is named by its name, or by its id as in the address of its page.
    pub fn find_bot(&self, word: &str, game: &str) -> anyhow::Result<u64> {
        if let Ok(id) = word.parse() {
            return Ok(id);
        }
        let game = id_at_arena(game);
        let found = self.get_with("/api/search", [("q", word.to_owned())])?;
        let bots = found["bots"].as_array().cloned().unwrap_or_default();
        let name = word.to_lowercase();
        let fits = |bot: &&Value| {
            let own = bot["name"].as_str().unwrap_or_default().to_lowercase();
            bot["game"] == game && own == name
        };
        let id = bots.iter().find(fits).and_then(|bot| bot["id"].as_u64());
        id.with_context(|| {
            self.lang.fill(
                "the arena has no bot {} for {}; name one of its ladder, or its id",
                &[&word, &game],
            )
        })
    }

    /// Requests an answer of any kind.
    pub fn get_bytes(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        self.read_bytes(
            self.sign_request(self.agent.get(self.page_url(path)))
                .call(),
        )
    }

    /// Requests a file, and compares it with the SHA-256 that the arena names.
    pub fn get_verified(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        let request = self.sign_request(self.agent.get(self.page_url(path)));
        let answer = request
            .call()
            .with_context(|| self.describe_unreachable())?;
        let said = answer.headers().get("repr-digest");
        let said = said.and_then(|said| Some(said.to_str().ok()?.to_owned()));
        let bytes = self.read_bytes(Ok(answer))?;
        let own = format!("sha-256=:{}:", STANDARD.encode(Sha256::digest(&bytes)));
        match said {
            Some(said) if said == own => Ok(bytes),
            _ => bail!(
                "{}",
                self.lang.fill(
                    "what came from {} is not what was sent; try again",
                    &[&self.server]
                )
            ),
        }
    }

    /// Sends JSON with a method that changes data.
    pub fn patch_json(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let request = self.agent.patch(self.page_url(path));
        self.send(request, JSON, body.to_string().as_bytes())
    }

    /// Sends JSON that replaces what is there.
    pub fn put_json(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let request = self.agent.put(self.page_url(path));
        self.send(request, JSON, body.to_string().as_bytes())
    }

    /// Sends JSON.
    pub fn post_json(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.post_bytes(path, JSON, body.to_string().as_bytes())
    }

    /// Sends bytes.
    pub fn post_bytes(&self, path: &str, kind: &str, body: &[u8]) -> anyhow::Result<Value> {
        self.send(self.agent.post(self.page_url(path)), kind, body)
    }

    fn send(
        &self,
        request: RequestBuilder<WithBody>,
        kind: &str,
        body: &[u8],
    ) -> anyhow::Result<Value> {
        let request = self.sign_request(request).content_type(kind);
        parse_json(self.read_text(request.send(body))?)
    }

    /// Takes something away.
    pub fn delete(&self, path: &str) -> anyhow::Result<()> {
        let request = self.sign_request(self.agent.delete(self.page_url(path)));
        self.read_bytes(request.call()).map(drop)
    }

    /// Requests an archive, which may be large and take its time, and gives it as it comes.
    pub fn get_archive(&self, path: &str) -> anyhow::Result<impl Read + use<>> {
        let request = self.sign_request(self.agent.get(self.page_url(path)));
        let request = request.config().timeout_global(Some(LONG_PATIENCE)).build();
        let answer = request
            .call()
            .with_context(|| self.describe_unreachable())?;
        if !answer.status().is_success() {
            self.read_bytes(Ok(answer))?;
            bail!("{}", self.describe_unreachable());
        }
        Ok(ArchiveReader(answer.into_body().into_reader()))
    }

    fn sign_request<Any>(&self, request: RequestBuilder<Any>) -> RequestBuilder<Any> {
        match &self.token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        }
    }

    fn read_bytes(&self, answer: Result<Response<Body>, ureq::Error>) -> anyhow::Result<Vec<u8>> {
        let mut answer = answer.with_context(|| self.describe_unreachable())?;
        let body = answer.body_mut().with_config().limit(MOST).read_to_vec();
        let bytes = body.with_context(|| self.describe_unreachable())?;
        self.check_place(&answer)?;
        if !answer.status().is_success() {
            let (status, body) = (answer.status().as_u16(), String::from_utf8_lossy(&bytes));
            let wait = answer.headers().get("retry-after");
            let wait = wait.and_then(|wait| wait.to_str().ok()?.parse().ok());
            return Err(anyhow::Error::new(Refusal {
                status,
                wait: wait.map(Duration::from_secs),
                text: describe_refusal(self.lang, self.token.is_some(), status, &body),
            }));
        }
        Ok(bytes)
    }

    /// Refuses an answer that sends to another address.
    fn check_place(&self, answer: &Response<Body>) -> anyhow::Result<()> {
        if !answer.status().is_redirection() {
            return Ok(());
        }
        let other = answer.headers().get("location");
        let other = other.and_then(|other| other.to_str().ok());
        let other = clean_line(other.unwrap_or("?")).into_owned();
        bail!(
            "{}",
            self.lang.fill(
                "{} sends to {}, where nothing was sent; if that is the arena, use its address",
                &[&self.server, &other]
            )
        )
    }

    fn read_text(&self, answer: Result<Response<Body>, ureq::Error>) -> anyhow::Result<String> {
        decode_text(self.read_bytes(answer)?)
    }

    fn describe_unreachable(&self) -> String {
        format!("{} {}", self.lang.label("no answer from"), self.server)
    }

    /// Logs in with a password, and if the account has a second factor with what `ask_code` says, and
    /// returns a new API token; `wanted` contains its name, scopes and days.
    pub fn log_in(
        &self,
        name: &str,
        password: &str,
        ask_code: impl FnOnce() -> anyhow::Result<String>,
        wanted: &Value,
    ) -> anyhow::Result<String> {
        let mut body = json!({"name": name, "password": password});
        let (status, cookie, text) = self.try_login(&body)?;
        let (status, cookie, text) = match needs_code(status, &text) {
            true => {
                body["code"] = ask_code()?.into();
                self.try_login(&body)?
            }
            false => (status, cookie, text),
        };
        if !(200..300).contains(&status) {
            bail!("{}", describe_refusal(self.lang, false, status, &text));
        }
        let cookie = cookie.context("the arena gave no session; is this a Leitai server?")?;
        let me = parse_json(text)?;
        let csrf = me["csrf"].as_str().unwrap_or_default();
        let post = |path: &str, body: &Value| {
            let request = self
                .agent
                .post(self.page_url(path))
                .header("cookie", &cookie);
            let request = request.header("x-leitai-csrf", csrf).content_type(JSON);
            self.read_text(request.send(body.to_string().as_bytes()))
        };
        let made = post("/api/me/tokens", wanted).and_then(parse_json);
        // The session ends, also if there is no token.
        let ended = post("/api/logout", &json!({}));
        let token = made?["token"]
            .as_str()
            .context("the arena gave no token")?
            .to_owned();
        ended?;
        Ok(token)
    }

    /// The status, the session's cookie and the text of the answer to a login.
    fn try_login(&self, body: &Value) -> anyhow::Result<(u16, Option<String>, String)> {
        let request = self.agent.post(self.page_url("/api/login"));
        let request = request.content_type(JSON);
        let answer = request.send(body.to_string().as_bytes());
        let mut answer = answer.with_context(|| self.describe_unreachable())?;
        let cookie = session_cookie(&answer);
        let text = answer.body_mut().with_config().limit(MOST).read_to_vec();
        self.check_place(&answer)?;
        let text = decode_text(text.with_context(|| self.describe_unreachable())?)?;
        Ok((answer.status().as_u16(), cookie, text))
    }
}

/// Whether the password was right and a code of the second factor is missing.
fn needs_code(status: u16, text: &str) -> bool {
    let said: Option<Value> = serde_json::from_str(text).ok();
    status == 401 && said.is_some_and(|said| said["error"]["code"] == "second-factor")
}

/// The session's cookie in the form of a request.
fn session_cookie(answer: &Response<Body>) -> Option<String> {
    let cookies = answer
        .headers()
        .get_all("set-cookie")
        .iter()
        .filter_map(|value| value.to_str().ok());
    let pairs = cookies
        .filter_map(|cookie| cookie.split(';').next())
        .map(str::trim);
    pairs
        .filter(|pair| pair.contains("leitai="))
        .map(str::to_owned)
        .next()
}

fn decode_text(bytes: Vec<u8>) -> anyhow::Result<String> {
    String::from_utf8(bytes).context("the answer is not UTF-8; is this a Leitai server?")
}

fn parse_json(text: String) -> anyhow::Result<Value> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&text).context("the answer is not JSON; is this a Leitai server?")
}

/// The arena's message for a refused request. Only a request with a token can have a stale login;
/// without one (a wrong password) the arena's own message is shown.
fn describe_refusal(lang: Localizer, has_token: bool, status: u16, text: &str) -> String {
    let said: Option<Value> = serde_json::from_str(text).ok();
    let message = said
        .as_ref()
        .and_then(|said| said["error"]["message"].as_str());
    match (status, message) {
        (401, Some(message)) if !has_token => message.to_owned(),
        (401, _) => lang
            .label("the arena does not accept this login; run `leitai login` again")
            .to_owned(),
        (_, Some(message)) => {
            describe_problems(lang, said.as_ref()).unwrap_or_else(|| message.to_owned())
        }
        (status, None) => format!(
            "{} {status}: {}",
            lang.label("the arena answered"),
            text.chars().take(200).collect::<String>()
        ),
    }
}

/// The wrong lines of a list in the user's language, if that is what was refused.
fn describe_problems(lang: Localizer, said: Option<&Value>) -> Option<String> {
    let problems = said?["error"]["problems"].as_array()?;
    let key = crate::lang::language_key(lang);
    let lines = problems.iter().filter_map(|problem| {
        let text = clean_line(problem[key].as_str()?).into_owned();
        Some(format!(
            "{} {}: {text}",
            lang.label("line"),
            problem["line"]
        ))
    });
    let lines: Vec<String> = lines.collect();
    let head = lang.label("nothing was imported, because lines are wrong:");
    (!lines.is_empty()).then(|| format!("{head}\n{}", lines.join("\n")))
}

/// An archive as it comes; an archive without its end is an error.
struct ArchiveReader<R>(R);

impl<R: Read> Read for ArchiveReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer).map_err(|error| {
            let why = format!("the archive ended early ({error}); try again");
            std::io::Error::new(error.kind(), why)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_contain_the_arenas_message() {
        let said =
            r#"{"error": {"code": "taken", "message": "the name x is taken", "field": "name"}}"#;
        assert_eq!(
            describe_refusal(crate::lang::english(), true, 409, said),
            "the name x is taken"
        );
        assert_eq!(
            describe_refusal(crate::lang::english(), true, 502, "<html>Bad gateway"),
            "the arena answered 502: <html>Bad gateway"
        );
        assert!(describe_refusal(crate::lang::english(), true, 401, said).contains("leitai login"));
        let wrong = describe_refusal(crate::lang::english(), false, 401, said);
        assert_eq!(wrong, "the name x is taken");
    }
}
