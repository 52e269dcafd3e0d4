//! A coding agent, by script and with the official client (the package `mcp` of PyPI), comes in by both
//! doors of a real arena: it reads the rules, writes a bot, checks it, submits it, loses, learns why,
//! mends it and wins. `tests/agents/agent.py` is the script.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::place::{Place, text};
use crate::ports::find_port;

/// The Python with the client, if it is installed.
pub fn find_python() -> Option<PathBuf> {
    let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/venv/bin/python");
    let python = std::env::var_os("LEITAI_MCP_PYTHON").map_or(installed.into(), PathBuf::from);
    let mut asked = Command::new(&python);
    let has_client = asked.args(["-c", "import mcp"]).output();
    if has_client.is_ok_and(|done| done.status.success()) {
        return Some(python);
    }
    let is_required = std::env::var("LEITAI_REQUIRE_MCP").is_ok_and(|value| value == "1");
    assert!(
        !is_required,
        "the client of MCP is not installed: run ./dev test"
    );
    eprintln!("NOT TESTED: agents, as there is no package `mcp`; ./dev test installs it");
    None
}

/// A real server with one worker, and a token of its first account.
pub struct Arena {
    child: Child,
    pub address: String,
    /// Of the first account, ada.
    pub token: String,
}

impl Arena {
    pub fn start(place: &Path) -> Arena {
        let address = format!("127.0.0.1:{}", find_port());
        let mut serve = serve(place, &address);
        let mut child = serve.spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut line = || lines.next().expect("it speaks").expect("UTF-8");
        let (_, _, third) = (line(), line(), line());
        let (_, secret) = third.trim().split_once("#secret=").expect("a new arena");
        let address = format!("http://{address}");
        let who = json!({"name": "ada", "password": "correct horse", "secret": secret});
        let token = make_token(&address, who);
        Arena {
            child,
            address,
            token,
        }
    }
}

/// The command of a server with one worker whose data lie here.
fn serve(place: &Path, address: &str) -> Command {
    let mut serve = Command::new(env!("CARGO_BIN_EXE_leitai"));
    serve
        .args(["serve", "--listen", address, "--slots", "1"])
        // No program at home loses by the clock because the machine is busy.
        .args(["--limit", "person-time=1h"])
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap_or_default())
        .env("HOME", place)
        .env("LEITAI_LANG", "en")
        .env("LEITAI_DATA", place.join("data"))
        .env("LEITAI_ISOLATION", "none")
        .env("LEITAI_LADDER_EVERY", "never")
        .env("LEITAI_HOME_LADDERS", "kob")
        .current_dir(place)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let games = place.join("games");
    if games.is_dir() {
        serve.env("LEITAI_GAMES", games);
    }
    serve
}

impl Arena {
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until somebody kills the server, and starts another one with its data and address.
    pub fn start_again_when_killed(&mut self, place: &Path) {
        self.child.wait().expect("own child");
        let address = self.address.trim_start_matches("http://");
        self.child = serve(place, address).spawn().expect("it starts");
    }

    /// A token of another account.
    pub fn other_token(&self) -> String {
        let who = json!({"name": "eve", "password": "correct horse"});
        make_token(&self.address, who)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn make_token(address: &str, who: Value) -> String {
    let agent = ureq::Agent::new_with_defaults();
    let answer = agent.post(format!("{address}/api/register")).send_json(who);
    let mut answer = answer.expect("it answers");
    let me: Value = answer.body_mut().read_json().expect("JSON");
    let cookie = answer.headers()["set-cookie"]
        .to_str()
        .expect("ASCII")
        .to_owned();
    let wanted = json!({"name": "agent", "scopes": ["submit", "play"]});
    let request = agent.post(format!("{address}/api/me/tokens"));
    let request = request
        .header("cookie", cookie.split(';').next().expect("a cookie"))
        .header("x-leitai-csrf", me["csrf"].as_str().expect("a word"));
    let mut made = request.send_json(wanted).expect("it answers");
    let made: Value = made.body_mut().read_json().expect("JSON");
    made["token"].as_str().expect("a token").to_owned()
}

/// An agent that comes in by this door and plays this game, in an arena of its own.
/// Gives what was asked and answered; nothing where the client is not installed.
fn let_agent_in(door: &str, game: &str, is_long: bool) -> Option<String> {
    let python = find_python()?;
    let place = Place::new();
    let arena = Arena::start(place.path());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/agent.py");
    let mut agent = Command::new(python);
    agent
        .args([script, door, &arena.address, &arena.token])
        .args([env!("CARGO_BIN_EXE_leitai"), game])
        .env("HOME", place.path())
        .env("LEITAI_ISOLATION", "none")
        .current_dir(place.path());
    if is_long {
        agent.env("LEITAI_LONG", "1");
    }
    let done = agent.output().expect("Python starts");
    let said = text(&done);
    assert!(done.status.success(), "{door} {game}: {said}");
    for step in ["came in", "read", "refused", "lost", "won", "done"] {
        assert!(
            said.lines().any(|line| line.starts_with(step)),
            "{step}: {said}"
        );
    }
    Some(said)
}

/// Every question and answer of the transcript on the page was asked and answered, in this order.
fn compare_transcript(page: &str, said: &str) {
    let mut real = said.lines();
    let shown = page.lines().filter(|line| line.starts_with(['>', '<']));
    for line in shown {
        let fits = |own: &str| match line.strip_suffix('…') {
            Some(beginning) => own.starts_with(beginning.trim_end()),
            None => own == line,
        };
        assert!(
            real.any(fits),
            "the page shows {line}\nbut this is what was said:\n{said}"
        );
    }
}

#[test]
fn an_agent_comes_in_over_stdio_loses_learns_why_and_wins() {
    let Some(said) = let_agent_in("stdio", "kob", false) else {
        return;
    };
    for page in [
        include_str!("../../../docs/agents.md"),
        include_str!("../../../docs/agents.zh.md"),
    ] {
        compare_transcript(page, &said);
    }
}

mod long {
    #[test]
    #[ignore = "two minutes; ./dev long"]
    fn agents_come_in_by_both_doors_in_every_game() {
        for game in ["kob", "snakego", "tankcraft"] {
            for door in ["http", "stdio"] {
                super::let_agent_in(door, game, true);
            }
        }
    }
}
