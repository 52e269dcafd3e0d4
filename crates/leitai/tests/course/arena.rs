//! A server as a real process on a folder, and people with tokens.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::ports::find_port;

/// The longest wait for a step of a large course on a busy machine.
const PATIENCE: Duration = Duration::from_secs(3000);
/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(100);
const BINARY: &str = env!("CARGO_BIN_EXE_leitai");

/// Somebody's API token.
pub struct Person {
    token: String,
}

/// A running server, which is killed when the value is dropped.
pub struct Arena {
    /// `127.0.0.1:PORT`, the same after a restart.
    pub address: String,
    place: PathBuf,
    data: String,
    slots: usize,
    child: Child,
    /// Stays open, so that the server can print.
    stdout: BufReader<ChildStdout>,
}

impl Arena {
    /// Starts a server on the folder `data` in `place`, with a worker of so many slots.
    pub fn start(place: &Path, data: &str, slots: usize) -> Arena {
        Arena::start_at(
            place.to_owned(),
            data.to_owned(),
            slots,
            format!("127.0.0.1:{}", find_port()),
        )
    }

    fn start_at(place: PathBuf, data: String, slots: usize, address: String) -> Arena {
        let log = File::options()
            .create(true)
            .append(true)
            .open(place.join(format!("{data}.log")))
            .expect("own folder");
        let mut command = Command::new("setpriv");
        command.arg("--pdeathsig=KILL").arg(BINARY);
        command
            .args(["serve", "--listen", &address, "--slots", &slots.to_string()])
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap_or_default())
            .env("HOME", &place)
            .env("LC_ALL", "C")
            .env("LEITAI_LANG", "en")
            .env("LEITAI_DATA", place.join(&data))
            .env("LEITAI_ISOLATION", "none")
            .env("LEITAI_LADDER_EVERY", "never")
            .env("LEITAI_LIMITS", LIMITS)
            .current_dir(&place)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log);
        let mut child = command.spawn().expect("it starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        for part in ["http://", "database"] {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("UTF-8");
            if !line.contains(part) {
                _ = child.wait();
                let log = fs::read_to_string(place.join(format!("{data}.log")));
                panic!("it did not start: {line}{}", log.unwrap_or_default());
            }
        }
        Arena {
            address,
            place,
            data,
            slots,
            child,
            stdout,
        }
    }

    /// Stops the server as a service manager does, and waits for its end.
    pub fn stop(&mut self) {
        let sent = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        assert!(self.child.wait().expect("it ends").success());
    }

    /// Stops the server, and starts it with a worker of so many slots.
    pub fn restart(mut self, slots: usize) -> Arena {
        self.stop();
        let (place, data) = (self.place.clone(), self.data.clone());
        Arena::start_at(place, data, slots, self.address.clone())
    }

    /// Kills the server (SIGKILL), and starts it again.
    pub fn kill_and_start(mut self) -> Arena {
        self.child.kill().expect("it ran");
        self.child.wait().expect("it is gone");
        let (place, data) = (self.place.clone(), self.data.clone());
        Arena::start_at(place, data, self.slots, self.address.clone())
    }

    /// Opens the first account.
    pub fn register_first(&mut self, name: &str) -> Person {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("UTF-8");
        let (_, secret) = line.trim().split_once("#secret=").expect("a new arena");
        let who = json!({"name": name, "password": "correct horse", "secret": secret});
        self.open_session("/api/register", &who)
            .make_token(&["organise", "admin"])
    }

    /// Opens an account.
    pub fn register(&self, name: &str, password: &str, scopes: &[&str]) -> Person {
        let who = json!({"name": name, "password": password});
        self.open_session("/api/register", &who).make_token(scopes)
    }

    /// Logs in with a one-time password, and chooses another.
    pub fn choose_password(&self, name: &str, old: &str, new: &str, scopes: &[&str]) -> Person {
        let who = json!({"name": name, "password": old});
        let session = self.open_session("/api/login", &who);
        session.post("/api/me/password", &json!({"old": old, "new": new}));
        let who = json!({"name": name, "password": new});
        self.open_session("/api/login", &who).make_token(scopes)
    }

    fn open_session(&self, path: &str, who: &Value) -> Session {
        let answer = agent().post(url(&self.address, path)).send_json(who);
        let mut answer = answer.expect("it answers");
        let body: Value = answer.body_mut().read_json().expect("JSON");
        assert_eq!(answer.status(), 200, "{body}");
        let cookie = answer.headers()["set-cookie"].to_str().expect("ASCII");
        Session {
            address: self.address.clone(),
            cookie: cookie.split(';').next().expect("a cookie").to_owned(),
            csrf: body["csrf"].as_str().expect("text").to_owned(),
        }
    }

    /// The body of a GET request of a guest.
    pub fn get(&self, path: &str) -> Value {
        read_good(path, agent().get(url(&self.address, path)).call())
    }

    /// The body of a GET request.
    pub fn get_as(&self, person: &Person, path: &str) -> Value {
        let request = agent().get(url(&self.address, path));
        read_good(
            path,
            request.header("authorization", person.header()).call(),
        )
    }

    /// The body of a POST request.
    pub fn post(&self, person: &Person, path: &str, body: &Value) -> Value {
        let (status, answer) = post_to(&self.address, person, path, body).expect("it answers");
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
        answer
    }

    /// Downloads the archive of a contest with `leitai contest export`, and unpacks it.
    pub fn export(&self, person: &Person, contest: &str, folder: &Path) {
        fs::create_dir(folder).expect("own folder");
        let done = Command::new(BINARY)
            .args(["contest", "export", contest])
            .env_clear()
            .env("HOME", &self.place)
            .env("LEITAI_SERVER", format!("http://{}", self.address))
            .env("LEITAI_TOKEN", &person.token)
            .current_dir(folder)
            .output()
            .expect("it runs");
        assert!(done.status.success(), "{done:?}");
        let file = File::open(folder.join(format!("{contest}.zip"))).expect("it is written");
        let mut archive = zip::ZipArchive::new(file).expect("a ZIP");
        archive.extract(folder).expect("it unpacks");
        for part in "report.html standings.json contest.toml matches.csv".split_whitespace() {
            assert!(folder.join(part).is_file(), "{part}");
        }
    }

    /// Verifies all replays in a folder, of which there are so many.
    pub fn verify_replays(&self, folder: &Path, count: usize) {
        let files: Vec<PathBuf> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("it is there").path())
            .collect();
        assert_eq!(files.len(), count);
        for some in files.chunks(100) {
            let done = Command::new(BINARY)
                .args(["replay", "verify"])
                .args(some)
                .env("LEITAI_LANG", "en")
                .output()
                .expect("it runs");
            assert!(done.status.success(), "{done:?}");
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // It may have ended already.
        _ = self.child.kill();
        _ = self.child.wait();
        if std::thread::panicking() {
            let log = fs::read_to_string(self.place.join(format!("{}.log", self.data)));
            let log = log.unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            eprintln!("{}", lines[lines.len().saturating_sub(60)..].join("\n"));
        }
    }
}

/// A class behind one address.
const LIMITS: &str = "registrations=1000/1h logins=1000/1h account-logins=100/1h uploads=100/1h";

struct Session {
    address: String,
    cookie: String,
    csrf: String,
}

impl Session {
    fn post(&self, path: &str, body: &Value) -> Option<Value> {
        let answer = agent()
            .post(url(&self.address, path))
            .header("cookie", &self.cookie)
            .header("x-leitai-csrf", &self.csrf)
            .send_json(body);
        let (status, answer) = read_answer(answer).expect("it answers");
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
        (!answer.is_null()).then_some(answer)
    }

    fn make_token(&self, scopes: &[&str]) -> Person {
        let wanted = json!({"name": "course", "scopes": scopes});
        let made = self.post("/api/me/tokens", &wanted).expect("a body");
        let token = made["token"].as_str().expect("a token").to_owned();
        Person { token }
    }
}

impl Person {
    fn header(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

/// The status and the body of a POST request; `None` if the server does not answer.
pub fn post_to(address: &str, person: &Person, path: &str, body: &Value) -> Option<(u16, Value)> {
    let request = agent().post(url(address, path));
    read_answer(
        request
            .header("authorization", person.header())
            .send_json(body),
    )
}

fn url(address: &str, path: &str) -> String {
    format!("http://{address}{path}")
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(300)))
        .build()
        .new_agent()
}

type Answer = Result<ureq::http::Response<ureq::Body>, ureq::Error>;

fn read_answer(answer: Answer) -> Option<(u16, Value)> {
    let mut answer = answer.ok()?;
    let body = answer.body_mut().read_to_string().ok()?;
    let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
    Some((answer.status().as_u16(), body))
}

fn read_good(path: &str, answer: Answer) -> Value {
    let (status, body) = read_answer(answer).expect("it answers");
    assert_eq!(status, 200, "{path}: {body}");
    body
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        std::thread::park_timeout(LOOK);
    }
}
