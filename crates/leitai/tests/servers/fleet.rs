//! Servers and workers of one arena as real processes, with a person who plays there.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use leitai_store::Store;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::nats::NatsServer;
use crate::postgres::Postgres;
use crate::s3::S3Server;

/// The longest wait on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(400);
/// The rounds of a leg: a bot pauses in each.
const ROUNDS: u32 = 60;
/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(50);
/// Short matches on ladders, so that a worker is soon free.
pub const SHORT: &str = "snakego:max_round=12 kob:inner_pairs=0 tankcraft:rounds=12";
const BINARY: &str = env!("CARGO_BIN_EXE_leitai");

/// A bot that thinks a little before each answer of a [`match_of`], so that it lasts until the test
/// wants its end ([`Fleet::hurry`]); a check does not wait for it.
const BOT: &str = r#"# leitai: dialect=json-lines
import json, os, random, sys, time

pause = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start" and message["setup"]["rounds"] == ROUNDS:
        pause = PAUSE
    if message["type"] == "turn":
        time.sleep(0 if os.path.exists("HURRY") else pause)
        print(json.dumps({"action": random.choice(message["legal"])}), flush=True)
"#;

/// The file of a fleet whose bots do not pause while it is there.
const HURRY: &str = "hurry";

/// A database with its tables, of which fleets get copies.
const TEMPLATE: &str = "template";

/// The PostgreSQL server of this test binary, with [`TEMPLATE`].
static SHARED: LazyLock<Option<&Postgres>> = LazyLock::new(|| {
    let postgres = Postgres::shared()?;
    let template = postgres.database(TEMPLATE);
    // A thread of its own: this one may belong to another runtime.
    let prepared = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let store = Store::open_url(&template).await.expect("it opens");
            store.close_store().await.expect("it closes");
        });
    });
    prepared.join().expect("it is prepared");
    Some(postgres)
});

/// A database, a bus and a folder, which servers share.
pub struct Fleet {
    /// A PostgreSQL server of its own, which a test may restart.
    pub postgres: Option<Mutex<Postgres>>,
    pub nats: Mutex<NatsServer>,
    /// Stops with the fleet.
    _s3: Option<S3Server>,
    folder: TempDir,
    database: String,
    /// The binary of the processes that start from now on.
    binary: Mutex<PathBuf>,
    /// Further variables of its processes: where sources and replays are, and with which keys.
    variables: Vec<(String, String)>,
}

/// The variable of servers whose ladders do not rest.
fn plays_ladders() -> (String, String) {
    ("LEITAI_LADDER_EVERY".to_owned(), "3s".to_owned())
}

/// A name for a database.
pub fn new_name() -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    format!("arena{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// A server or worker, which is killed when the value is dropped.
pub struct Process {
    child: Child,
    log: PathBuf,
}

/// A server.
pub struct Server {
    pub process: Process,
    /// `127.0.0.1:PORT`.
    pub address: String,
    stdout: Mutex<BufReader<ChildStdout>>,
}

/// A server that does not listen yet.
pub struct StartingServer {
    process: Process,
    stdout: ChildStdout,
}

/// An account with a token that may do everything.
#[derive(Clone)]
pub struct Person {
    token: String,
}

impl Fleet {
    /// `None` where PostgreSQL or nats-server is not installed.
    pub fn start() -> Option<Fleet> {
        let nats = NatsServer::start()?;
        let database = (*SHARED)?.database_like(TEMPLATE, &new_name());
        Some(Fleet::start_on(None, database, nats))
    }

    /// The same as [`Fleet::start`] on a PostgreSQL server of its own, which a test may stop.
    pub fn start_with_own_postgres() -> Option<Fleet> {
        let nats = NatsServer::start()?;
        let postgres = Postgres::start()?;
        let database = postgres.database(&new_name());
        Some(Fleet::start_on(Some(postgres), database, nats))
    }

    fn start_on(postgres: Option<Postgres>, database: String, nats: NatsServer) -> Fleet {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let blobs = format!("file://{}/blobs", folder.path().display());
        Fleet {
            postgres: postgres.map(Mutex::new),
            nats: Mutex::new(nats),
            _s3: None,
            folder,
            database,
            binary: Mutex::new(BINARY.into()),
            variables: vec![("LEITAI_REPLAYS".to_owned(), blobs)],
        }
    }

    /// One of these parts, with these variables for its servers.
    pub fn of_parts(
        database: String,
        nats: NatsServer,
        s3: S3Server,
        mut variables: Vec<(String, String)>,
    ) -> Fleet {
        variables.push(plays_ladders());
        Fleet {
            _s3: Some(s3),
            variables,
            ..Fleet::start_on(None, database, nats)
        }
    }

    /// The same as [`Fleet::start`] with an empty database, on a PostgreSQL server of its own if it
    /// is to be restarted, with a bus for batches, too, and with sources and replays in a bucket of
    /// S3; `None` also where there is no moto.
    pub fn start_with_s3(restarts_postgres: bool) -> Option<Fleet> {
        let nats = NatsServer::start_with_jetstream("")?;
        let own = match restarts_postgres {
            true => Some(Postgres::start()?),
            false => None,
        };
        let database = own.as_ref().or(*SHARED)?.database(&new_name());
        let s3 = S3Server::start()?;
        s3.make_bucket("arena");
        let (id, secret) = s3.require_keys();
        let mut variables = s3.variables(&id, &secret);
        variables.push(("LEITAI_REPLAYS".to_owned(), "s3://arena/one".to_owned()));
        variables.push(plays_ladders());
        Some(Fleet {
            _s3: Some(s3),
            variables,
            ..Fleet::start_on(own, database, nats)
        })
    }

    /// Processes that start from now on have this binary, or the one that is tested.
    pub fn use_binary(&self, binary: Option<&Path>) {
        let binary = binary.unwrap_or(Path::new(BINARY));
        *self.binary.lock().expect("nobody panics with it") = binary.to_owned();
    }

    /// The database, as a process of the arena opens it.
    pub async fn open_store(&self) -> Store {
        Store::open_url(&self.database).await.expect("it opens")
    }

    /// Sets a variable of the processes that start from now on.
    pub fn set_variable(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// The address of the database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The address of the bus.
    pub fn bus(&self) -> String {
        self.nats.lock().expect("nobody panics with it").url()
    }

    /// A command of the binary with an empty environment.
    fn bare_command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("setpriv");
        let binary = self.binary.lock().expect("nobody panics with it");
        command.arg("--pdeathsig=KILL").arg(&*binary).args(words);
        command
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("LC_ALL", "C")
            .env("LEITAI_LANG", "en")
            .env("LEITAI_ISOLATION", "none")
            .env("LEITAI_LADDER_EVERY", "never")
            .env("LEITAI_LADDER_CONFIG", SHORT)
            .env("LEITAI_LOG_FILTER", "info,leitai_server=debug")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// The same, which knows where everything is.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bare_command(words);
        command
            .env("LEITAI_DATABASE", &self.database)
            .env("LEITAI_BUS", self.bus())
            // Several servers always have exhibitions: three matches that nobody here watches.
            .env("LEITAI_NO_EXHIBITIONS", "true")
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The output of `leitai serve` that ends by itself, with this bus.
    pub fn serve_in_vain(&self, bus: &str) -> String {
        let words = ["serve", "--listen", "127.0.0.1:0", "--data", "vain"];
        let Output { status, stderr, .. } = self
            .command(&words)
            .env("LEITAI_BUS", bus)
            .output()
            .expect("it starts");
        assert!(!status.success());
        String::from_utf8(stderr).expect("UTF-8")
    }

    /// Starts a server with this name for its folder and its log.
    pub fn serve(&self, name: &str) -> Server {
        self.serve_at(name, "127.0.0.1:0", "")
    }

    /// Starts a server at this address with these limits.
    pub fn serve_at(&self, name: &str, address: &str, limits: &str) -> Server {
        self.launch(name, address, limits).wait_for_greeting()
    }

    /// Starts a server and does not wait for it.
    pub fn launch(&self, name: &str, address: &str, limits: &str) -> StartingServer {
        let words = ["serve", "--listen", address, "--slots", "0"];
        self.launch_with(&words, name, limits)
    }

    /// Starts a server by these words and does not wait for it.
    pub fn launch_with(&self, words: &[&str], name: &str, limits: &str) -> StartingServer {
        let mut command = self.command(words);
        command
            .env("LEITAI_DATA", self.folder.path().join(name))
            .env("LEITAI_LIMITS", limits);
        let (process, stdout) = self.start_process(command, name);
        StartingServer { process, stdout }
    }

    /// Starts a worker by these words; it knows these variables alone.
    pub fn work_with(&self, words: &[&str], variables: &[(String, String)], name: &str) -> Process {
        let mut command = self.bare_command(words);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        self.start_process(command, name).0
    }

    /// The output of `leitai admin` with these words.
    pub fn admin(&self, words: &[&str]) -> String {
        let mut command = self.command(&["admin"]);
        let made = command.args(words).output().expect("it runs");
        let said = [made.stdout, made.stderr].concat();
        let said = String::from_utf8(said).expect("UTF-8");
        assert!(made.status.success(), "{said}");
        said
    }

    /// What `leitai admin worker-token` prints on stdout.
    pub fn print_worker_token(&self, name: &str) -> String {
        let made = self.command(&["admin", "worker-token", name]).output();
        let made = made.expect("it runs");
        assert!(made.status.success(), "{made:?}");
        String::from_utf8(made.stdout).expect("UTF-8")
    }

    /// Starts a worker of these servers, which begins with the first one.
    pub fn work_for(&self, servers: &[&Server], name: &str) -> Process {
        let made = self.admin(&["worker-token", name]);
        let urls: Vec<String> = servers
            .iter()
            .map(|server| format!("http://{}", server.address))
            .collect();
        let urls = urls.join(",");
        let mut command =
            self.command(&["worker", "--server", &urls, "--name", name, "--slots", "1"]);
        command.env("LEITAI_WORKER_TOKEN", find_token(&made));
        self.start_process(command, name).0
    }

    /// Its bots do not pause from now on.
    pub fn hurry(&self) {
        fs::write(self.path(HURRY), "").expect("own folder");
    }

    /// Its bots pause again.
    pub fn slow_down(&self) {
        fs::remove_file(self.path(HURRY)).expect("they hurry");
    }

    /// A file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a command that knows nothing of the arena; all that it prints is in its log.
    pub fn run_beside(&self, words: &[&str], name: &str) -> Process {
        let log = self.path(&format!("{name}.log"));
        let mut command = self.bare_command(words);
        let (out, error) = (open_log(&log), open_log(&log));
        let child = command.stdout(out).stderr(error).spawn();
        let child = child.expect("it starts");
        Process { child, log }
    }

    fn start_process(&self, mut command: Command, name: &str) -> (Process, ChildStdout) {
        let log = self.path(&format!("{name}.log"));
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(open_log(&log))
            .spawn()
            .expect("it starts");
        let stdout = child.stdout.take().expect("piped");
        (Process { child, log }, stdout)
    }
}

/// A log is continued by a process that has the same name.
fn open_log(log: &Path) -> File {
    let file = File::options().create(true).append(true).open(log);
    file.expect("own folder")
}

impl StartingServer {
    /// Waits until the server listens.
    pub fn wait_for_greeting(self) -> Server {
        let StartingServer {
            mut process,
            stdout,
        } = self;
        let mut stdout = BufReader::new(stdout);
        let mut read_line = || {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("UTF-8");
            if line.is_empty() {
                _ = process.child.wait();
                panic!("it did not start: {}", process.log());
            }
            line
        };
        let (first, second) = (read_line(), read_line());
        assert!(second.contains("database"), "{second}");
        let (_, port) = first.trim().rsplit_once(':').expect("an address");
        Server {
            address: format!("127.0.0.1:{port}"),
            process,
            stdout: Mutex::new(stdout),
        }
    }
}

impl Process {
    /// What it logged.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Kills it at once.
    pub fn kill(mut self) {
        self.end();
    }

    /// Waits for its end, and gives its exit status.
    pub fn wait(&mut self) -> Option<i32> {
        let mut ended = None;
        wait_until("the command ends", || {
            ended = self.child.try_wait().expect("it is ours");
            ended.is_some()
        });
        ended.and_then(|status| status.code())
    }

    /// Kills it, if it runs.
    pub fn end(&mut self) {
        // It may have ended already.
        _ = self.child.kill();
        _ = self.child.wait();
    }

    /// Sends a signal, such as `STOP`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.child.id().to_string())
            .status();
        assert!(sent.expect("kill runs").success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
        if std::thread::panicking() {
            let lines = self.log();
            let lines: Vec<&str> = lines.lines().collect();
            let last = lines.len().saturating_sub(60);
            eprintln!("{}:\n{}\n", self.log.display(), lines[last..].join("\n"));
        }
    }
}

impl Server {
    /// Opens the first account.
    pub fn register_first(&self) -> Person {
        self.register_first_by(self)
    }

    /// Opens the first account with the secret that this other server printed.
    pub fn register_first_by(&self, other: &Server) -> Person {
        let mut line = String::new();
        let mut stdout = other.stdout.lock().expect("nobody panics with it");
        stdout.read_line(&mut line).expect("UTF-8");
        let (_, secret) = line.trim().split_once("#secret=").expect("a new arena");
        let who = json!({"name": "ada", "password": "correct horse", "secret": secret});
        let agent = agent();
        let registered = agent
            .post(self.url("/api/register"))
            .send_json(&who)
            .expect("it answers");
        assert_eq!(registered.status(), 200, "{registered:?}");
        let cookie = registered.headers()["set-cookie"].to_str().expect("ASCII");
        let cookie = cookie.split(';').next().expect("a cookie").to_owned();
        let mut me = agent
            .get(self.url("/api/me"))
            .header("cookie", &cookie)
            .call()
            .expect("it answers");
        let me: Value = me.body_mut().read_json().expect("JSON");
        let wanted = json!({"name": "test", "scopes": ["submit", "play", "admin"]});
        let mut made = agent
            .post(self.url("/api/me/tokens"))
            .header("cookie", &cookie)
            .header("x-leitai-csrf", me["csrf"].as_str().expect("text"))
            .send_json(&wanted)
            .expect("it answers");
        let made: Value = made.body_mut().read_json().expect("JSON");
        Person {
            token: made["token"].as_str().expect("a token").to_owned(),
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The status and the body of a GET request; `None` if the server does not answer.
    pub fn try_get(&self, path: &str) -> Option<(u16, Value)> {
        read_answer(agent().get(self.url(path)).call())
    }

    /// The same by a person.
    pub fn try_get_as(&self, by: &Person, path: &str) -> Option<(u16, Value)> {
        let request = agent().get(self.url(path));
        read_answer(request.header("authorization", by.header()).call())
    }

    /// The body of a GET request.
    pub fn get(&self, path: &str) -> Value {
        let (status, body) = self.try_get(path).expect("it answers");
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// The status and the body of a POST request; `None` if the server does not answer.
    pub fn try_post(&self, by: &Person, path: &str, body: &Value) -> Option<(u16, Value)> {
        let request = agent().post(self.url(path));
        let request = match by.token.is_empty() {
            true => request,
            false => request.header("authorization", by.header()),
        };
        read_answer(request.send_json(body))
    }

    /// The body of a POST request.
    pub fn post(&self, by: &Person, path: &str, body: &Value) -> Value {
        let (status, body) = self.try_post(by, path, body).expect("it answers");
        assert!((200..300).contains(&status), "{path}: {status} {body}");
        body
    }

    /// The status and the body of a request of the person with this seat.
    pub fn ask_from_seat(&self, method: &str, path: &str, seat: &Value, body: &Value) -> Value {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(self.url(path))
            .header("leitai-seat", seat["token"].as_str().expect("text"));
        if !body.is_null() {
            request = request.header("content-type", "application/json");
        }
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let request = request.body(body).expect("it is well-formed");
        let (status, body) = read_answer(agent().run(request)).expect("it answers");
        json!({"status": status, "body": body})
    }

    /// Makes a bot of this game.
    pub fn make_bot(&self, by: &Person, game: &str, name: &str) -> i64 {
        let made = self.post(by, "/api/bots", &json!({"game": game, "name": name}));
        made["id"].as_i64().expect("a number")
    }

    /// Uploads a version that pauses so long before each answer of a [`match_of`]; returns its number in the arena if it was accepted.
    pub fn try_upload(&self, by: &Person, bot: i64, pause: Duration) -> Option<i64> {
        let source = BOT.replace("PAUSE", &pause.as_secs_f64().to_string());
        let source = source.replace("ROUNDS", &ROUNDS.to_string());
        let hurry = self.process.log.with_file_name(HURRY);
        let source = source.replace("HURRY", &hurry.display().to_string());
        let body = format!(
            "--limit\r\nContent-Disposition: form-data; name=\"file\"; filename=\"bot.py\"\r\n\r\n\
             {source}\r\n--limit--\r\n"
        );
        let request = agent().post(self.url(&format!("/api/bots/{bot}/versions")));
        let answer = request
            .header("authorization", by.header())
            .header("content-type", "multipart/form-data; boundary=limit")
            .send(body);
        let (status, body) = read_answer(answer)?;
        (status == 201).then(|| body["id"].as_i64().expect("a number"))
    }

    /// Waits until a version is checked.
    pub fn wait_for_version(&self, version: i64) {
        wait_until("a version is ready", || {
            let found = self.get(&format!("/api/versions/{version}"));
            assert_ne!(found["state"], "failed", "{found}");
            found["state"] == "ready"
        });
    }

    /// The number of a bot by its name.
    pub fn bot_named(&self, game: &str, name: &str) -> i64 {
        let ladder = self.get(&format!("/api/games/{game}/ladder?limit=50"));
        let rows = ladder["items"].as_array().expect("a list");
        let row = rows.iter().find(|row| row["bot"]["name"] == name);
        row.expect("it is on the ladder")["bot"]["id"]
            .as_i64()
            .expect("a number")
    }

    /// Asks for a match of TankCraft between these bots.
    pub fn ask_for_match(&self, by: &Person, a: i64, b: i64) -> i64 {
        let wanted = match_of(a, b);
        let made = self.post(by, "/api/matches", &wanted);
        made["id"].as_i64().expect("a number")
    }
}

/// A match of TankCraft with few rounds.
pub fn match_of(a: i64, b: i64) -> Value {
    json!({
        "game": "tankcraft", "a": {"bot": a}, "b": {"bot": b}, "seed": 1, "config": {"rounds": ROUNDS},
    })
}

impl Person {
    /// Somebody without an account.
    pub fn guest() -> Person {
        Person {
            token: String::new(),
        }
    }

    /// The token, as a command takes it.
    pub fn token(&self) -> &str {
        &self.token
    }

    fn header(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(PATIENCE))
        .build()
        .new_agent()
}

fn read_answer(
    answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Option<(u16, Value)> {
    let mut answer = answer.ok()?;
    let body = answer.body_mut().read_to_string().ok()?;
    let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
    Some((answer.status().as_u16(), body))
}

fn find_token(text: &str) -> &str {
    let mut words = text.split_whitespace();
    words
        .find_map(|word| word.strip_prefix("LEITAI_WORKER_TOKEN="))
        .unwrap_or_else(|| panic!("no token: {text}"))
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        std::thread::park_timeout(LOOK);
    }
}
