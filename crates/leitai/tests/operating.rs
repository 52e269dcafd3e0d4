//! The procedures of docs/operating.md as written: the first account, administration, backup and
//! restore.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use leitai_server::accounts::second_factor::{make_recovery_codes, make_secret};
use leitai_server::experiments::benchmark_file::ResultFile;
use leitai_store::{SessionId, Store, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

#[path = "../../store/tests/contract/ports.rs"]
mod ports;
#[expect(dead_code, reason = "the tests of the store use the rest")]
#[path = "../../store/tests/contract/s3.rs"]
mod s3;

#[path = "operating/judge_game.rs"]
mod judge_game;
#[path = "../../server/tests/kit/programs.rs"]
mod programs;
#[path = "../../telemetry/tests/receiver.rs"]
mod receiver;
#[path = "place/rows.rs"]
mod rows;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../server/tests/kit/seen.rs"]
mod seen;
#[path = "../../server/tests/kit/table.rs"]
mod table;

use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use programs::FIRST_LEGAL;
use receiver::{metrics_of, spans_of, start_collector, text_of};
use s3::S3Server;
use seen::{has, says};
use table::{cells, words};

const BINARY: &str = env!("CARGO_BIN_EXE_leitai");
/// The longest wait on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A temporary folder that is somebody's home.
struct Home(TempDir);

impl Home {
    fn new() -> Home {
        Home(TempDir::new().expect("a folder"))
    }
}

impl Deref for Home {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// A command with an empty environment, whose home is this folder.
fn at_home(home: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    let folder = Path::new(BINARY).parent().expect("it lies in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.display());
    command
        .env_clear()
        .env("HOME", home)
        .env("PATH", path)
        .env("LC_ALL", "C")
        .env("LEITAI_LANG", "en");
    command.stdin(Stdio::null()).current_dir(home);
    command
}

fn admin(home: &Path, line: &str) -> Output {
    let mut command = at_home(home, BINARY);
    let done = command.arg("admin").args(words(line)).output();
    done.expect("the binary starts")
}

/// Rows of how a command of `admin` ends, its line and what it says: `bad | delete-user ada | no account`.
#[track_caller]
fn check_admin(home: &Path, rows: &str) {
    for row in cells(rows) {
        let [how, line, parts @ ..] = &row[..] else {
            panic!("an end and a command: {row:?}")
        };
        check_end(line, &admin(home, line), *how == "good", parts);
    }
}

/// A command line ended well, or not, and said these parts.
#[track_caller]
fn check_end(line: &str, done: &Output, is_good: bool, parts: &[&str]) {
    let text = said(done);
    assert_eq!(done.status.success(), is_good, "{line}: {text}");
    for part in parts {
        assert!(text.contains(part), "{line}: no {part:?} in {text}");
    }
}

/// A command ended well, and its answer has the fields of the row of this command in the documents.
#[track_caller]
fn check_answer(command: &str, done: &Output) -> Value {
    assert!(done.status.success(), "{command}: {}", said(done));
    let answer = json_of(&done.stdout);
    rows::check_row(command, &answer);
    answer
}

#[track_caller]
fn json_of(text: impl AsRef<[u8]>) -> Value {
    serde_json::from_slice(text.as_ref()).expect("JSON alone")
}

/// A command ended well, or not, and said these parts.
#[track_caller]
fn ended(done: &Output, is_good: bool, parts: &[&str]) {
    assert_eq!(done.status.success(), is_good, "{}", said(done));
    says(&said(done), parts);
}

/// Somebody's command line in a folder, logged in at an arena.
struct Client<'a> {
    home: &'a Path,
    server: String,
    token: String,
}

impl<'a> Client<'a> {
    fn at(arena: &ArenaProcess, home: &'a Path, token: &str) -> Client<'a> {
        let (server, token) = (format!("http://{}", arena.address), token.to_owned());
        Client {
            home,
            server,
            token,
        }
    }

    /// Opens the first account of the arena.
    fn open(arena: &ArenaProcess, home: &'a Path) -> Client<'a> {
        let token = ask_arena(arena, home, ORGANISE, "");
        Client::at(arena, home, &token)
    }

    /// A command in this language; its words may be in single quotes.
    fn command(&self, lang: &str, line: &str) -> Command {
        let mut command = at_home(self.home, BINARY);
        command
            .envs([("LEITAI_SERVER", &*self.server), ("LEITAI_LANG", lang)])
            .env("COLUMNS", "120")
            .args(words(line));
        if !self.token.is_empty() {
            command.env("LEITAI_TOKEN", &self.token);
        }
        command
    }

    /// A command ends with one of these codes and says these parts; its output without what is for people.
    #[track_caller]
    fn check(&self, lang: &str, line: &str, codes: &[i32], parts: &[&str]) -> String {
        let done = self
            .command(lang, line)
            .output()
            .expect("the binary starts");
        let (code, text) = (done.status.code().expect("it ended"), said(&done));
        assert!(codes.contains(&code), "{line}: {code} {text}");
        for part in parts {
            assert!(text.contains(part), "{line}: no {part:?} in {text}");
        }
        String::from_utf8(done.stdout).expect("UTF-8")
    }

    /// The same of rows: `en 0 | command | part | part`.
    #[track_caller]
    fn check_rows(&self, rows: &str) {
        for row in cells(rows) {
            let [how, line, parts @ ..] = &row[..] else {
                panic!("a language, codes and a command: {row:?}")
            };
            let (lang, codes) = how.split_once(' ').expect("a language and codes");
            let codes = codes.split(' ').map(|code| code.parse().expect("a code"));
            self.check(lang, line, &codes.collect::<Vec<i32>>(), parts);
        }
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// A running arena, until the value is dropped.
struct ArenaProcess {
    child: Child,
    /// `127.0.0.1:PORT`.
    address: String,
    /// The secret that the first account needs.
    secret: Option<String>,
    /// What it says later is read by nobody, and has to be written somewhere.
    _greeting: BufReader<std::process::ChildStdout>,
}

impl ArenaProcess {
    fn serve(home: &Path) -> ArenaProcess {
        ArenaProcess::serve_with(home, "--slots 0")
    }

    /// With so many slots, and nothing that is not asked for.
    fn serve_quietly(home: &Path, slots: u32) -> ArenaProcess {
        let more = format!("--slots {slots} --ladder-every never --no-exhibitions");
        ArenaProcess::serve_with(home, &more)
    }

    fn serve_with(home: &Path, more: &str) -> ArenaProcess {
        let mut command = at_home(home, BINARY);
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.args(words(more));
        ArenaProcess::start(command, home)
    }

    fn start(mut command: Command, home: &Path) -> ArenaProcess {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut greeting = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = || {
            let mut line = String::new();
            greeting.read_line(&mut line).expect("it speaks");
            line
        };
        let (first, second) = (line(), line());
        let (_, port) = first.trim().rsplit_once(':').expect("an address");
        says(&second, &["database"]);
        // Whether the first account exists: a file of the test records it.
        let secret = (!home.join("opened").exists()).then(|| {
            let third = line();
            let parts = third.trim().split_once("/register#secret=");
            let (link, secret) = parts.expect("a link with a secret");
            let here = format!("http://localhost:{port}");
            assert!(link.ends_with(&here), "{third}");
            secret.to_owned()
        });
        ArenaProcess {
            child,
            address: format!("127.0.0.1:{port}"),
            secret,
            _greeting: greeting,
        }
    }

    /// Opens the first account and returns the answer to it.
    fn register(&self, name: &str) -> String {
        let secret = self.secret.as_deref().expect("nobody administrates yet");
        let who = format!("\"name\": \"{name}\", \"password\": \"correct horse\"");
        let body = format!("{{{who}, \"secret\": \"{secret}\"}}");
        let (status, answer) = self.post("/api/register", &body);
        assert_eq!(status, 200, "{answer}");
        answer
    }

    fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.ask("POST", path, body)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.ask("GET", path, "")
    }

    fn read(&self, path: &str) -> Value {
        let body = self.body(path);
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error}: {body}"))
    }

    /// What a path that there is answers.
    #[track_caller]
    fn body(&self, path: &str) -> String {
        let (status, answer) = self.get(path);
        assert_eq!(status, 200, "{path}: {answer}");
        answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let kind = "content-type: application/json\r\nconnection: close";
        let head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{kind}");
        let sent = write!(
            stream,
            "{head}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        sent.expect("it hears");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
        (status.expect("a status"), answer)
    }

    /// What a file of `/proc` says of the server on the line that begins so.
    fn line_of_process(&self, file: &str, start: &str) -> String {
        let file = format!("/proc/{}/{file}", self.child.id());
        let text = fs::read_to_string(file).expect("it runs");
        let line = text.lines().find_map(|line| line.strip_prefix(start));
        line.expect("the line").trim().to_owned()
    }

    /// Asks the server to stop as a service manager does.
    fn ask_to_stop(&self) {
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status();
        assert!(asked.expect("kill runs").success());
    }

    /// Stops the server, and waits for its end.
    fn stop(mut self) {
        self.ask_to_stop();
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for ArenaProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command blocks below a heading of the document.
fn blocks(heading: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating.md");
    let text = fs::read_to_string(path).expect("the document");
    let (_, section) = text
        .split_once(&format!("\n## {heading}\n"))
        .expect("the heading");
    let section = section.split("\n## ").next().unwrap_or_default();
    section
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()))
        .collect()
}

/// Runs commands of the document, with their folders replaced by the test's own.
fn follow(home: &Path, commands: &str) {
    let backup = home.join("backup").display().to_string();
    let commands = commands
        .replace("/backup", &backup)
        .replace("/srv", &home.display().to_string())
        .replace("$(date +%F)", "2026-01-01");
    let done = at_home(home, "sh").args(["-euc", &commands]).output();
    let done = done.expect("sh runs");
    assert!(done.status.success(), "{commands}\n{}", said(&done));
}

#[test]
fn administration_of_a_missing_arena_creates_none() {
    if Path::new("/var/lib/leitai").exists() {
        return eprintln!("NOT TESTED: this machine has a service of its own, which is left alone");
    }
    let home: &Path = &Home::new();
    for line in [
        "backup copy.db",
        "add-user ada",
        "promote ada",
        "worker-token rack",
        "rebuild-ratings kob",
        "recount",
        "correct-match 1 b --why x",
        "--data elsewhere backup copy.db",
        "--database sqlite:nothing.db add-user ada",
        "add-user ada --database sqlite:nothing.db",
        "backup copy.db --data elsewhere",
    ] {
        let done = admin(home, line);
        let text = said(&done);
        assert!(!done.status.success(), "{line}: {text}");
        let is_told = text.contains("no arena") || text.contains("cannot open the database");
        assert!(is_told, "{line}: {text}");
    }
    let left: Vec<_> = fs::read_dir(home).expect("there").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    // An empty database is no arena, either.
    fs::write(home.join("empty.db"), "").expect("there is room");
    let line = "bad | --database sqlite:empty.db backup copy.db | no arena";
    check_admin(home, line);
}

#[test]
fn backup_and_restore_go_as_documented() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve(home);
    let who = r#"{"name": "ada", "password": "correct horse"}"#;
    assert_eq!(arena.post("/api/register", who).0, 403, "a stranger");
    says(&arena.register("ada"), &["\"admin\":true"]);
    fs::write(home.join("opened"), "").expect("there is room");
    let data = home.join(".local/share/leitai");
    fs::create_dir_all(data.join("blobs/sources")).expect("there is room");
    fs::write(data.join("blobs/sources/one"), "a source").expect("there is room");

    let [backup, restore] = &blocks("Backup")[..] else {
        panic!("one block for each database is expected")
    };
    fs::create_dir(home.join("backup")).expect("there is room");
    follow(home, backup);
    // It overwrites nothing.
    check_admin(home, "bad | backup backup/arena-2026-01-01.db");
    arena.stop();
    fs::remove_dir_all(&data).expect("the disk is lost");
    follow(home, restore);
    let source = fs::read_to_string(data.join("blobs/sources/one"));
    assert_eq!(source.expect("it is back"), "a source");
    let arena = ArenaProcess::serve(home);
    let back = arena.post("/api/login", who).0;
    assert_eq!(back, 200, "the restore brings ada's account back");
    // The options of the arena's place are accepted behind the subcommand, too.
    let rows = "
good | add-user grace | arena.db
good | recount --now | there is nothing to recount
good | worker-token hall-2 --data .local/share/leitai --replays file:///x | LEITAI_WORKER_TOKEN=
";
    check_admin(home, rows);
    arena.stop();
    // The arena moves.
    let [moving] = &blocks("Moving to another machine or database")[..] else {
        panic!("one block is expected")
    };
    follow(home, moving);
    let moved = fs::read_to_string(home.join("arena/blobs/sources/one"));
    assert_eq!(moved.expect("it moved"), "a source");
    let arena = ArenaProcess::serve_with(home, "--slots 0 --data arena");
    assert_eq!(arena.post("/api/login", who).0, 200);
    arena.stop();
    check_admin(home, "bad | import backup/arena --data arena | not empty");
}

/// A friendly match of the two bots of this name, and its number once it is over.
const PLAY: &str = r#"
json='content-type: application/json'
get() { python3 -c 'import json, sys; print(eval(sys.argv[2], json.load(open(sys.argv[1]))))' "$@"; }
curl -sf "$server/api/games/kob/ladder?limit=100" > ladder.json
curl -sf "$server/api/me/bots" -H "authorization: Bearer $token" > own.json
own=$(get own.json 'items[0]["id"]')
other=$(get ladder.json '[row["bot"]["id"] for row in items if row["bot"]["name"] == "safe"][0]')
curl -sf -H "$json" -H "authorization: Bearer $token" -d "{\"game\": \"kob\", \"a\": {\"bot\": $own}, \"b\": {\"bot\": $other}, \"config\": {}}" $server/api/matches > made.json
id=$(get made.json id)
for try in $(seq 600); do
  curl -sf $server/api/matches/$id > match.json
  [ "$(get match.json state)" = finished ] && echo $id && exit
  sleep 0.1
done
exit 1
"#;

#[test]
fn parts_move_between_running_arenas_as_documented() {
    let home: &Path = &Home::new();
    // An arena in use: ada, another person, has a bot of the same name.
    let arena_at = |data: &Path, name: &str| {
        let own = home.join(name);
        fs::create_dir_all(&own).expect("there is room");
        let more = "--slots 1 --ladder-every never --no-exhibitions --data";
        let arena = ArenaProcess::serve_with(&own, &format!("{more} '{}'", data.display()));
        fs::write(own.join("hydra.py"), FIRST_LEGAL).expect("written");
        let client = Client::open(&arena, &own);
        client.check_rows("en 0 | submit kob hydra.py --activate");
        let token = client.token;
        (arena, own, token)
    };
    let (there, own, token) = arena_at(&home.join(".local/share/leitai"), "there");
    let played = ask_arena(&there, &own, PLAY, &token);
    let (here, _, _) = arena_at(&home.join("other"), "here");
    check_admin(home, "good | --data other add-user bea");

    let [moving] = &blocks("Moving parts of an arena")[..] else {
        panic!("one block is expected")
    };
    follow(home, moving);
    let again = admin(home, "import backup/part --data other --json");
    let answer = check_answer("admin import part", &again);
    has(&answer, json!({"already": true, "matches": 1}));
    // The running server shows it: whose it is, how it is called, and what it played.
    let ladder = here.read("/api/games/kob/ladder?limit=100");
    let find = |name: &str| {
        let mut rows = ladder["items"].as_array().expect("a list").iter();
        rows.find(|row| row["bot"]["name"] == name)
            .map(|row| row["bot"].clone())
    };
    let [stranger, moved] = ["hydra", "hydra-2"].map(|name| find(name).expect("it is shown"));
    let owners = [&stranger, &moved].map(|bot| &bot["owner"]);
    assert_eq!(owners, ["ada", "bea"]);
    let matches = here.read(&format!("/api/bots/{}/matches", moved["id"]));
    let id = matches["items"][0]["id"].as_i64().expect("its match");
    // Each arena hands the replay out; it verifies, and only who judged it has signed.
    let replay = |arena: &ArenaProcess, id: &str| {
        let replay = arena.read(&format!("/api/matches/{id}/replay"));
        fs::write(home.join("replay.json"), replay.to_string()).expect("written");
        verify(home, "replay.json", true, &[]);
        replay
    };
    let (was, is) = (replay(&there, &played), replay(&here, &id.to_string()));
    assert!(was["signature"].is_object() && is["signature"].is_null());
    assert_eq!((&was["legs"], &was["seed"]), (&is["legs"], &is["seed"]));
    let frames = here.get(&format!("/api/matches/{id}/frames")).0;
    assert_eq!(frames, 200, "it is shown");
    // What would not come as it is asked for is refused in words.
    let rows = "
bad | export x --bot ada/nobody | there is no bot
bad | export x --bot kob/safe | is built in
bad | export x --match 99 | match 99
bad | export x --ladder kob/none | no ladder kob/none
bad | export backup/part | holds a part of an arena
";
    check_admin(home, rows);
    let json = admin(home, "export ladder --ladder kob --json");
    check_answer("admin export part", &json);
    let line = "import ladder --data other --account ada=bea";
    says(&said(&admin(home, line)), &["kob -> kob/imported (closed"]);
    there.stop();
    here.stop();
}

#[test]
fn accounts_are_deleted_after_the_operator_confirms() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve(home);
    arena.register("root");
    let rows = "
good | add-user ada
bad | delete-user ada | 0 bots | --yes
good | delete-user ada --yes | deleted
bad | delete-user ada --yes | no account
bad | delete-user root --yes | only administrator
bad | delete-bot kob nobody --yes | no bot
bad | delete-bot kob safe --yes | comes with Leitai
bad | delete-version kob safe 7 --yes | no such version
";
    check_admin(home, rows);
    arena.stop();
}

/// Gives an account a second factor, as its page does; the recovery codes.
fn set_second_factor(home: &Path, name: &str) -> Vec<String> {
    let database = home.join(".local/share/leitai/arena.db");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let url = format!("sqlite://{}", database.display());
        let store = Store::open_existing(&url).await.expect("it opens");
        let found = store.user_by_name(name).await.expect("asked");
        let (user, now) = (found.expect("an account").id, Timestamp::now());
        let begun = store.begin_second_factor(user, &make_secret(), now).await;
        assert!(begun.expect("begun"));
        let seen = store.second_factor(user).await.expect("asked");
        let (codes, hashes) = make_recovery_codes(user);
        let (seen, nobody) = (seen.expect("kept"), SessionId(0));
        let done = store.confirm_second_factor(&seen, 1, &hashes, (nobody, now));
        assert!(done.await.expect("confirmed"));
        store.close_store().await.expect("it closes");
        codes
    })
}

#[test]
fn a_second_factor_is_asked_for_on_the_command_line_and_removed_there() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve(home);
    arena.register("root");
    let codes = set_second_factor(home, "root");
    let log_in = |script: &str| {
        let terminal = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terminal.py");
        let mut command = at_home(home, "python3");
        command.args([terminal, "60", script, BINARY, "login"]);
        command.arg(format!("http://{}", arena.address));
        command.args(["--name", "root"]);
        command.output().expect("python3")
    };
    let asked = "password: =>correct horse|or a recovery code: =>";
    let wrong = log_in(&format!("{asked}123456"));
    says(&said(&wrong), &["the code is wrong"]);
    assert_eq!(wrong.status.code(), Some(1), "{}", said(&wrong));
    let code = format!("{asked}{}", codes[0]);
    says(&said(&log_in(&code)), &["logged in as root"]);
    ended(&log_in(&code), false, &[]);

    // Everything is lost: the console is the way in.
    let reset = admin(home, "reset-second-factor ROOT --json");
    let reset = check_answer("admin reset-second-factor", &reset);
    assert_eq!(reset["account"], "root");
    check_admin(
        home,
        "bad | reset-second-factor root | has no second factor",
    );
    let right = log_in("password: =>correct horse");
    ended(&right, true, &[]);
    arena.stop();
}

/// Builds that would keep a server: a pipe in place of a source (which whoever opens it waits for),
/// and one that does not end.
const HOLDING: &[(&str, &str)] = &[
    (
        "pipe",
        "all:\n\tprintf '#!/bin/sh\\nwhile read l; do echo 0; done\\n' > bot && chmod +x bot\n\trm -f main.cpp && mkfifo main.cpp\n",
    ),
    ("sleeper", "all:\n\tsleep 1000\n"),
];

#[test]
fn one_signal_ends_a_server_whatever_its_builds_do() {
    let home: &Path = &Home::new();
    let serve = || ArenaProcess::serve_quietly(home, 2);
    let arena = serve();
    let token = ask_arena(&arena, home, ORGANISE, "");
    fs::write(home.join("opened"), "").expect("there is room");
    let submit = |arena: &ArenaProcess, name: &str| {
        let line = format!("submit kob {name} --no-wait --json");
        let mut command = Client::at(arena, home, &token).command("en", &line);
        let version = json_of(command.output().expect("the binary starts").stdout);
        version["id"].as_u64().expect("a version")
    };
    let state = |arena: &ArenaProcess, id: u64| {
        let version = arena.read(&format!("/api/versions/{id}"));
        assert_ne!(version["how"], "built-in");
        version["state"].as_str().expect("a state").to_owned()
    };
    let is_over = |arena: &ArenaProcess, id| ["ready", "failed"].contains(&&*state(arena, id));
    let holding = HOLDING.iter().map(|(name, makefile)| {
        fs::create_dir(home.join(name)).expect("there is room");
        fs::write(home.join(name).join("Makefile"), makefile).expect("there is room");
        let id = submit(&arena, name);
        wait_until("it is built", || state(&arena, id) != "queued");
        id
    });
    let holding: Vec<u64> = holding.collect();
    let begun = Instant::now();
    arena.stop();
    // Within 20 s, as docs/operating.md says ("Upgrade"), on a machine that does not starve; a build
    // is ended after two minutes.
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(100), "{took:?}");

    // The next start takes an honest version, whatever those do.
    let arena = serve();
    let honest = "while True:\n    input()\n    print(0, flush=True)\n";
    fs::write(home.join("honest.py"), honest).expect("there is room");
    let honest = submit(&arena, "honest.py");
    // Uploads are built one after the other; a deleted one lets the next one go on.
    wait_until("it begins anew", || state(&arena, holding[1]) == "building");
    let url = format!("http://{}/api/versions/{}", arena.address, holding[1]);
    let mut delete = at_home(home, "curl");
    delete.args(["-sf", "-X", "DELETE", &url, "-H"]);
    delete.arg(format!("authorization: Bearer {token}"));
    assert!(delete.status().expect("curl runs").success());
    wait_until("it is checked", || is_over(&arena, honest));
    let failure = arena.get(&format!("/api/versions/{honest}")).1;
    assert!(!failure.contains("error of the arena"), "{failure}");
    wait_until("the pipe stops nobody", || is_over(&arena, holding[0]));
    let aside = said(&admin(home, "set-aside"));
    assert!(!aside.contains("pipe"), "{aside}");
    arena.stop();
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::park_timeout(Duration::from_millis(50));
    }
}

/// A shell that runs `leitai serve` with this limit of open files.
fn serve_limited(home: &Path, open_files: u32, words: &str) -> ArenaProcess {
    let mut command = at_home(home, "sh");
    let serve = format!("ulimit -n {open_files}; exec {BINARY} serve --slots 0 {words}");
    command.args(["-c", &serve]);
    ArenaProcess::start(command, home)
}

/// A connection from this address of the machine. Its reads time out, so that no test hangs.
fn connect_from(
    runtime: &tokio::runtime::Runtime,
    from: [u8; 4],
    arena: &ArenaProcess,
) -> Option<TcpStream> {
    let address = arena.address.parse().expect("an address");
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind((from, 0).into())?;
        socket.connect(address).await?.into_std()
    });
    let stream = stream.ok()?;
    stream.set_nonblocking(false).expect("a socket");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    Some(stream)
}

/// The response of this address to a request without a body.
fn get_at(address: &str, path: &str) -> String {
    get(TcpStream::connect(address).expect("it listens"), path)
}

/// The response to this request without a body.
fn get(mut stream: TcpStream, path: &str) -> String {
    let mut answer = String::new();
    let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let sent = stream.write_all(head.as_bytes());
    // A server may reset the connection; then there is no response.
    let _ = sent.and_then(|()| stream.read_to_string(&mut answer).map(|_| ()));
    answer
}

#[test]
fn incomplete_requests_of_one_address_leave_connections_for_others() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let most = getrlimit(Resource::Nofile).maximum;
    if most.is_some_and(|most| most < 2048) {
        return eprintln!("NOT TESTED: a process may open only {most:?} files here");
    }
    let (current, maximum) = (most, most);
    setrlimit(Resource::Nofile, Rlimit { current, maximum }).expect("its own limit");
    let home: &Path = &Home::new();
    let arena = serve_limited(home, 1024, "--listen 127.0.0.1:0");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut half = Vec::new();
    for _ in 0..1_100 {
        let Some(mut stream) = connect_from(&runtime, [127, 0, 0, 1], &arena) else {
            continue;
        };
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: loc");
        half.push(stream);
    }
    let other = connect_from(&runtime, [127, 0, 0, 2], &arena).expect("it listens");
    let answer = get(other, "/healthz");
    let count = half.len();
    assert!(
        answer.starts_with("HTTP/1.1 200 "),
        "{answer:?} with {count}"
    );
}

#[test]
fn a_server_listens_on_a_name_and_raises_its_descriptors() {
    let home: &Path = &Home::new();
    let arena = serve_limited(home, 1024, "--listen localhost:0");
    assert!(get_at(&arena.address, "/healthz").ends_with("ok\n"));
    arena.stop();
    let script = format!("ulimit -Sn 256; exec {BINARY} serve --slots 0 --listen 127.0.0.1:0");
    let mut command = at_home(home, "sh");
    command.args(["-c", &script]);
    let arena = ArenaProcess::start(command, home);
    let open = arena.line_of_process("limits", "Max open files");
    let soft = open.split_whitespace().next().expect("a soft limit");
    assert!(soft.parse::<u64>().is_ok_and(|soft| soft >= 1024), "{open}");
}

#[test]
fn metrics_have_an_address_of_their_own() {
    let home: &Path = &Home::new();
    let port = ports::find_port();
    let words = format!("--listen 127.0.0.1:0 --metrics 127.0.0.1:{port} --limit tables=7");
    let arena = serve_limited(home, 1024, &words);
    let own = format!("127.0.0.1:{port}");
    // Metrics are not on the public address, and their own address serves them alone.
    for (address, path, start) in [
        (&arena.address, "/metrics", "HTTP/1.1 401 "),
        (&own, "/healthz", "HTTP/1.1 404 "),
    ] {
        let answer = get_at(address, path);
        assert!(answer.starts_with(start), "{address}{path}: {answer}");
    }
    says(&get_at(&own, "/metrics"), &["leitai_jobs_queued"]);
    arena.stop();
    let mut wrong = at_home(home, BINARY);
    let wrong = wrong.args(["serve", "--limit", "chairs=3"]).output();
    let said = said(&wrong.expect("the binary starts"));
    says(&said, &["guest-tables", "chairs=3"]);
}

#[test]
fn many_logins_leave_no_memory_behind() {
    let home: &Path = &Home::new();
    let arena = serve_limited(home, 4096, "--listen 127.0.0.1:0");
    std::thread::scope(|scope| {
        for who in 0..100 {
            let arena = &arena;
            let body = format!("{{\"name\": \"nobody{who}\", \"password\": \"wrong horse\"}}");
            scope.spawn(move || assert_eq!(arena.post("/api/login", &body).0, 401));
        }
    });
    let peak = arena.line_of_process("status", "VmHWM:");
    let kib: u64 = peak.trim_end_matches(" kB").parse().expect("a number");
    assert!(kib < 256 << 10, "{kib} KiB at the peak");
}

#[test]
fn an_unreachable_postgres_is_reported() {
    let home: &Path = &Home::new();
    let address = "postgres://leitai:se@cret@127.0.0.1:1/leitai";
    for words in [
        &["serve", "--database", address][..],
        &["admin", "add-user", "ada", "--database", address],
    ] {
        let mut timeout = at_home(home, "timeout");
        let done = timeout.args(["300", BINARY]).args(words).output();
        let done = done.expect("the binary starts");
        let text = said(&done);
        assert_eq!(done.status.code(), Some(1), "{words:?}: {text}");
        says(&text, &["postgres://leitai:…@127.0.0.1:1/leitai"]);
        says(&text, &["refused", "check that it runs"]);
        assert!(!text.contains("cret"), "{text}");
    }
}

/// A small disk mounted at a folder for the lifetime of the value.
struct SmallDisk<'a>(&'a Path);

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_server_ends_although_its_disk_is_full() {
    let home: &Path = &Home::new();
    let mut mount = Command::new("mount");
    let mounted = mount
        .args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"])
        .arg(home)
        .stderr(Stdio::null());
    if !mounted.status().is_ok_and(|status| status.success()) {
        return eprintln!("NOT TESTED: only root mounts a small disk");
    }
    let _disk = SmallDisk(home);
    // The first start makes the tables, and its end gives back the space of their log.
    ArenaProcess::serve(home).stop();
    let mut arena = ArenaProcess::serve(home);
    // Found by the data folder: the server listens on another port than the usual one.
    check_admin(home, "good | health");
    let mut filler = fs::File::create(home.join("filler")).expect("an empty file");
    while filler.write_all(&[7; 4096]).is_ok() {}
    // An answer holds for a second.
    wait_until("it is ill", || arena.get("/healthz").0 == 500);
    says(&arena.get("/healthz").1, &["the disk takes no more"]);
    check_admin(home, "bad | health");
    let secret = arena.secret.clone().expect("nobody administrates yet");
    let who = format!(r#"{{"name": "ada", "password": "correct horse", "secret": "{secret}"}}"#);
    let refused = arena.post("/api/register", &who);
    assert_eq!(refused.0, 500, "{}", refused.1);
    // Whatever the server still has to write, it exits as a service must and reports the error.
    arena.ask_to_stop();
    let mut status = None;
    wait_until("the server exits", || {
        status = arena.child.try_wait().expect("it is ours");
        status.is_some()
    });
    let status = status.expect("it ended");
    assert!(status.code().is_some(), "by itself: {status}");
}

/// `leitai serve` with its sources and replays in this place of the server's buckets.
fn serve_from_bucket(home: &Path, server: &S3Server, place: &str) -> Command {
    let mut command = at_home(home, BINARY);
    command
        .envs(server.variables("any", "any"))
        .args("serve --listen 127.0.0.1:0 --slots 1 --no-exhibitions".split(' '))
        .args(["--replays", place]);
    command
}

/// Watches until a match of the arena is over: built-in bots play for whoever looks.
fn first_finished(arena: &ArenaProcess) -> String {
    let mut found = Value::Null;
    wait_until("a match ends", || {
        arena.body("/api/status?watching=true");
        let list = arena.read("/api/matches?state=finished&limit=1");
        found = list["items"][0]["id"].clone();
        !found.is_null()
    });
    found.to_string()
}

/// Opens the first account and asks for a match of the weakest bot, which nobody paces for people who watch.
const FRIENDLY: &str = r#"
json='content-type: application/json'
curl -sf -c jar -H "$json" -d "{\"name\": \"ada\", \"password\": \"correct horse\", \"secret\": \"$secret\"}" $server/api/register > me.json
: > opened
curl -sf "$server/api/games/kob/ladder?limit=50" > ladder.json
csrf=$(python3 -c 'import json; print(json.load(open("me.json"))["csrf"])')
bot=$(python3 -c 'import json; print(json.load(open("ladder.json"))["items"][-1]["bot"]["id"])')
match="{\"game\": \"kob\", \"seed\": 1, \"a\": {\"bot\": $bot}, \"b\": {\"bot\": $bot}}"
curl -sf -b jar -H "$json" -H "x-leitai-csrf: $csrf" -d "$match" $server/api/matches
"#;

#[test]
fn a_dataset_is_written_as_documented() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve(home);
    ask_arena(&arena, home, FRIENDLY, "");
    let id = first_finished(&arena);
    let [nightly, _units] = &blocks("The dataset")[..] else {
        panic!("two blocks are expected")
    };
    follow(home, nightly);
    replays_are_signed(home, &arena, &id);
    arena.stop();
    let folder = home.join("datasets");
    let index = json_of(fs::read(folder.join("index.json")).expect("an index"));
    let days = index["days"].as_object().expect("days").values();
    let mut verified = false;
    for day in days.filter(|day| day["file"].is_string()) {
        let archive = folder.join(day["file"].as_str().expect("a name"));
        let file = fs::File::open(archive).expect("the archive");
        let mut archive = zip::ZipArchive::new(file).expect("a zip");
        let name = format!("replays/{id}.json");
        if archive.index_for_name(&name).is_none() {
            continue;
        }
        let extracted = archive.extract(home.join("archive"));
        extracted.expect("there is room");
        let part = format!("signed as match {id} ");
        verify(home, &format!("archive/{name}"), true, &[&part]);
        verified = true;
    }
    assert!(verified, "{index}");
    // Nobody else writes to the folder meanwhile.
    let lock = fs::File::open(folder.join(".lock")).expect("there is one");
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).expect("it is free");
    let mut again = at_home(home, BINARY);
    let refused = again.arg("dataset").arg(&folder).output().expect("it runs");
    ended(&refused, false, &["another `leitai dataset`"]);
}

/// `leitai replay verify` with these words ends well, or not, and says these parts.
#[track_caller]
fn verify(home: &Path, line: &str, is_good: bool, parts: &[&str]) {
    let mut verify = at_home(home, BINARY);
    let done = verify.args(["replay", "verify"]).args(words(line)).output();
    check_end(line, &done.expect("it runs"), is_good, parts);
}

/// The first key's signature is trusted until it is revoked, also after another one signs.
fn replays_are_signed(home: &Path, arena: &ArenaProcess, id: &str) {
    let server = format!("http://{}", arena.address);
    let download = |name: &str| {
        let replay = arena.read(&format!("/api/matches/{id}/replay"));
        fs::write(home.join(name), replay.to_string()).expect("there is room");
        let key = replay["signature"]["key"].as_str().expect("a key");
        (replay.clone(), key.to_owned())
    };
    let check = |rows: &str| {
        for row in cells(&rows.replace("ARENA", &server).replace("ID", id)) {
            verify(home, row[1], row[0] == "good", &row[2..]);
        }
    };
    let (replay, first) = download("first.json");
    let mut changed = replay;
    changed["entrants"][0]["name"] = "somebody".into();
    fs::write(home.join("changed.json"), changed.to_string()).expect("there is room");
    check(
        "
good | first.json | whose key it is, --arena URL asks
good | --arena ARENA first.json | signed by ARENA as match ID
bad | changed.json | CHANGED: the signature does not fit
",
    );
    let [rotate, _revoke] = &blocks("Signed replays")[..] else {
        panic!("two blocks are expected")
    };
    follow(home, rotate);
    let (_, second) = download("second.json");
    assert_ne!(first, second);
    let keys = arena.body("/api/signing-keys");
    fs::write(home.join("keys.json"), keys).expect("there is room");
    fs::write(home.join("none.json"), r#"{"items": []}"#).expect("there is room");
    let row = format!("good | revoke-signing-key {first} --why stolen");
    check_admin(home, &row);
    check(
        "
good | --keys keys.json first.json | signed by
bad | --arena ARENA first.json | NOT TRUSTED
good | --arena ARENA second.json | signed by ARENA as match ID
bad | --keys none.json second.json | NOT SIGNED
",
    );
}

#[test]
fn an_arena_keeps_its_replays_in_a_bucket() {
    let Some(server) = S3Server::start() else {
        return;
    };
    server.make_bucket("arena");
    let home: &Path = &Home::new();
    let serve = || ArenaProcess::start(serve_from_bucket(home, &server, "s3://arena/first"), home);
    let arena = serve();
    ask_arena(&arena, home, FRIENDLY, "");
    let id = first_finished(&arena);
    let replay_of = |arena: &ArenaProcess| {
        let replay = arena.body(&format!("/api/matches/{id}/replay"));
        says(&replay, &["leitai-replay/"]);
        replay
    };
    let replay = replay_of(&arena);
    arena.stop();
    let arena = serve();
    assert_eq!(replay_of(&arena), replay, "after a restart");
    arena.stop();
    // Nothing lies in the data directory.
    assert!(!home.join(".local/share/leitai/blobs/replays").exists());
}

#[test]
fn an_arena_without_its_bucket_says_so_and_does_not_start() {
    let Some(server) = S3Server::start() else {
        return;
    };
    let home: &Path = &Home::new();
    for (language, part) in [("en", "check its name"), ("zh", "请检查它的名称")] {
        let mut serve = serve_from_bucket(home, &server, "s3://elsewhere/x");
        let done = serve.env("LEITAI_LANG", language).output();
        let parts = [part, "NoSuchBucket: ", "s3://elsewhere/x"];
        ended(&done.expect("the binary starts"), false, &parts);
    }
}

/// Opens the first account and prints a token that organises and administers.
const ORGANISE: &str = r#"
json='content-type: application/json'
get() { python3 -c 'import json, sys; print(eval(sys.argv[2], json.load(open(sys.argv[1]))))' "$@"; }
curl -sf -c jar -H "$json" -d "{\"name\": \"ada\", \"password\": \"correct horse\", \"secret\": \"$secret\"}" $server/api/register > me.json
wanted='{"name": "class", "scopes": ["submit", "organise", "admin", "play"]}'
curl -sf -b jar -H "$json" -H "x-leitai-csrf: $(get me.json csrf)" -d "$wanted" $server/api/me/tokens > token.json
get token.json token
"#;

/// A whole game in WebAssembly's text.
const RULES: &str = include_str!("../../guest/tests/data/say_a.wat");

const GAME: &str = r#"interface = "leitai-game/1"
id = "say-a"
rules = "say-a/1"
name = "Say a"
about = "the first player says a and wins"
open = true
authors = ["A. Author"]
licence = "MIT"
"#;

fn write_game(folder: &Path) {
    fs::create_dir(folder).expect("own folder");
    let rules = wat::parse_str(RULES).expect("sound text");
    for (name, bytes) in [
        ("game.toml", GAME.as_bytes()),
        ("rules.wasm", &rules),
        ("guide.md", b"# Say a\n"),
    ] {
        fs::write(folder.join(name), bytes).expect("written");
    }
}

/// In a browser: `browser guest_game`.
#[test]
fn a_game_is_played_while_it_is_written() {
    let home: &Path = &Home::new();
    let game = home.join("mine");
    write_game(&game);
    let mut command = at_home(home, BINARY);
    command.args(words("game play mine")).stdout(Stdio::piped());
    // Whatever the environment says, nobody's arena is touched.
    command.env("LEITAI_DATABASE", "postgres://nobody@127.0.0.1:1/none");
    let mut child = command.spawn().expect("it starts");
    let mut greeting = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    greeting.read_line(&mut line).expect("it speaks");
    let port = line.split([':', '/']).nth(4).expect("a port").to_owned();
    assert!(line.ends_with("/play?game=say-a\n"), "{line}");
    let arena = ArenaProcess {
        child,
        address: format!("127.0.0.1:{port}"),
        secret: None,
        _greeting: greeting,
    };
    let save = |after: u64| arena.read(&format!("/api/saves?after={after}"));
    let names = || arena.get("/api/games").1;
    assert_eq!(save(0)["number"], 1);
    assert!(names().contains("Say a"));
    // A mistake ends nothing: what was saved before is still played.
    let mistake = GAME.replace("open = true", "open = 3");
    fs::write(game.join("game.toml"), mistake).expect("written");
    let said = save(1);
    let problem = said["problem"].as_str().expect("a mistake");
    assert!(problem.contains("game.toml:6: open = 3"), "{said}");
    assert!(names().contains("Say a"));
    fs::write(game.join("game.toml"), GAME.replace("Say a", "Say once")).expect("written");
    wait_until("it is played", || names().contains("Say once"));
    assert!(save(2)["problem"].is_null());
    arena.stop();
    assert!(!home.join(".local").exists());
}

#[test]
fn a_game_is_added_to_an_arena_and_taken_home() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve(home);
    let client = Client::open(&arena, home);
    let guest = Client::at(&arena, home, "");
    write_game(&home.join("mine"));
    for (who, line, part) in [
        (&client, "pack mine -o packed.leitai-game", "packed"),
        (&client, "add mine", "/games/say-a"),
        (&guest, "list .", "say-a"),
        (&guest, "get say-a", "say-a.leitai-game"),
    ] {
        let answer = who.check("en", &format!("game {line} --json"), &[0], &[part]);
        let (command, _) = line.split_once(' ').expect("a command and more");
        rows::check_row(&format!("game {command}"), &json_of(answer));
    }
    guest.check_rows(
        "
en 1 | game get say-a | File exists
zh 1 | game get kob | 没有这个游戏的文件
en 2 | game get ../say-a | cannot be the id
en 1 | game get say-b | no file of this game
en 0 | match ./say-a.leitai-game random random --no-replay | random
",
    );
    arena.stop();
}

#[test]
fn a_class_is_imported_on_the_command_line() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve(home);
    let client = Client::open(&arena, home);
    client.check_rows("en 0 | group new 'AI 2026' --team-size 2 | /groups/1");
    let (list, sheet) = (home.join("students.csv"), home.join("passwords.csv"));
    fs::write(&list, "name,team\nbob,red\nb b,red\ncara,red\nbob\n").expect("written");
    let rows = |rows: &str| {
        let import = "group import 'ai 2026' students.csv --passwords passwords.csv";
        client.check_rows(&rows.replace("IMPORT", import));
    };
    rows(
        r#"
en 1 | IMPORT | line 3: "b b" | line 5: `bob` is on line 2
zh 1 | IMPORT | 行 3: “b b”不能作为账户名 | 行 5: “bob”在第 2 行已出现
"#,
    );
    assert!(!sheet.exists(), "nothing was imported");

    fs::write(list, "name,team\nbob,red\n王小明,red\n").expect("written");
    // The file with passwords stays.
    rows(
        "
en 0 | group import 1 students.csv --check | 2 people, 2 new accounts
en 0 | IMPORT
en 1 | IMPORT
",
    );
    let text = fs::read_to_string(&sheet).expect("it was written");
    let mode = fs::metadata(sheet).expect("it was written").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let line = text.lines().nth(1).expect("bob");
    let password = line.strip_prefix("bob,red,").expect("a password");
    let body = format!("{{\"name\": \"bob\", \"password\": \"{password}\"}}");
    let (status, answer) = arena.post("/api/login", &body);
    assert_eq!(status, 200, "{answer}");
    says(&answer, &["\"must_change_password\":true"]);
    rows(
        "
en 0 | group show 1 | 王小明 | has not logged in yet
en 0 | group quota 1 --uploads 7 --languages python,cpp | 7 | cpp, python
en 0 | group quota 1 --uploads none --source-size 64KiB
zh 0 | group quota 'AI 2026' | 每小时上传次数 | 不限 | 65536 | cpp, python
en 1 | group quota 1 --versions 201 | at most 200
en 0 | group quota 1 --versions 201 --looser on | may go beyond
en 2 | group quota 1 --languages cobol | `cobol`
",
    );
    arena.stop();
}

/// What a script prints that asks a new arena by HTTP, with its address, secret and a token.
fn ask_arena(arena: &ArenaProcess, home: &Path, script: &str, token: &str) -> String {
    let server = format!("http://{}", arena.address);
    let secret = arena.secret.as_deref().expect("a new arena");
    let variables = [("server", &*server), ("secret", secret), ("token", token)];
    let mut command = at_home(home, "sh");
    command.args(["-euc", script]).envs(variables);
    let done = command.output().expect("sh runs");
    ended(&done, true, &[]);
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

#[test]
fn an_organiser_changes_a_contest_on_the_command_line() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve(home);
    let client = Client::open(&arena, home);
    let file = |freezes: &str, title: &str| {
        let text = format!(
            "id = \"cup\"\ngame = \"kob\"\ntime-zone = \"Asia/Shanghai\"\ntitle = {{ en = \"{title}\", zh = \"杯赛\" }}\n\
             [entry]\nwho = \"everybody\"\n[dates]\nopens = 2025-01-01T00:00:00\nfreezes = {freezes}\n\
             [[stage]]\nname = \"All\"\nformat = \"round-robin\"\n"
        );
        fs::write(home.join("cup.toml"), text).expect("written");
    };
    file("2035-01-01T00:00:00", "Cup");
    client.check_rows("en 0 | contest publish cup.toml | contest cup is published");
    let join = r#"for bot in 1 2; do
      curl -fsS "$server/api/contests/cup/join" -H "authorization: Bearer $token" \
        -H 'content-type: application/json' -d "{\"bot\": $(curl -fsS "$server/api/games/kob/ladder" |
          grep -o '"bot":{"id":[0-9]*' | sed -n "${bot}p" | grep -o '[0-9]*$')}"
    done"#;
    let joined = ask_arena(&arena, home, join, &client.token);
    let (_, name) = joined.split_once("\"name\":\"").expect("an entry");
    let (name, _) = name.split_once('"').expect("its end");
    file("2035-01-02T00:00:00", "Cup of spring");
    client.check_rows(
        "
en 0 | contest update cup.toml | contest cup has a new file
en 0 | contest status cup | Cup of spring
",
    );
    file("2025-06-01T00:00:00", "Cup");
    let rows = r#"
en 1 | contest update cup.toml | which has passed; write a later date
zh 1 | contest update cup.toml | 该时间已过
en 0 | contest pause cup | contest cup is paused
en 0 | contest status cup | paused
en 0 | contest resume cup | contest cup goes on
en 1 | contest disqualify cup nobody --why x | no bot "nobody" plays
en 0 | contest disqualify cup NAME --why 'a copy' | is disqualified
en 1 | contest replay cup 999999 --why x | there is no match of the contest
zh 1 | contest take-back cup --stage 1 --why x | 尚未开始
en 0 | contest export cup | wrote cup.zip
"#;
    client.check_rows(&rows.replace("NAME", name));
    let zip = fs::File::open(home.join("cup.zip")).expect("the archive");
    let zip = zip::ZipArchive::new(zip).expect("a zip");
    assert!(zip.index_for_name("report.html").is_some());
    client.check_rows(
        "
en 1 | contest annul cup --why 'no hall' | add --yes to annul it
en 0 | contest annul cup --why 'no hall' --yes | contest cup is annulled
en 1 | contest pause cup | is over already
",
    );
    arena.stop();
}

#[test]
fn an_experiment_is_run_on_the_command_line() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve_quietly(home, 1);
    let client = Client::open(&arena, home);
    client.check_rows("en 0 | experiment list | no experiments yet");
    for more in ["", "# better\n"] {
        fs::write(home.join("viper.py"), format!("{FIRST_LEGAL}{more}")).expect("written");
        client.check_rows("en 0 | submit kob viper.py --activate --by-agent");
    }
    let ladder = arena.body("/api/games/kob/ladder?by_agent=true");
    says(&ladder, &["viper"]);
    assert!(!ladder.contains("greedy"), "{ladder}");
    let start = "experiment start viper --version 1 --elo1 300 --pairs 2 --watch --json";
    let own = json_of(client.check("en", start, &[0, 3, 4, 5], &[]));
    assert!(own["counted"].as_u64() > Some(0), "{own}");
    // `compare` asks the same, as far as the pairs go; a book's positions are read first by the arena,
    // which gives them back.
    let compare = format!("compare kob viper@1 viper@2 --on {}", client.server);
    let rows = |rows: &str| {
        let rows = rows.replace("HERE", &format!("{compare} --max 1 --elo1 300"));
        let rows = rows.replace("ARENA", &client.server);
        client.check_rows(&rows.replace("START", "experiment start viper"));
    };
    rows(
        "
en 0 3 4 5 | experiment watch 1 | viper v1 against viper v2 | LLR
zh 0 | experiment list --bot viper | viper v1 | 被测
en 3 4 5 | HERE | viper v1 against viper v2 | LLR
en 0 | tournament kob space safe --folder t
en 0 | book make t/replays --rounds 3-5 --output kob.book
en 3 4 5 | HERE --book kob.book | starts | positions of the book
zh 3 4 5 | experiment watch 3 | 起始局面 | 个局面
en 0 | experiment lane viper --set off --book kob.book | positions of the book
en 0 | experiment lane viper --set off | positions of the book
en 0 | experiment lane viper --set off --no-book | at the game's beginning
",
    );
    let book = fs::read_to_string(home.join("kob.book")).expect("it was made");
    fs::write(home.join("bad.book"), book.replacen("kob", "nim", 1)).expect("written");
    rows(
        "
zh 1 | HERE --book bad.book | 开局库；这里是
en 2 | HERE --jobs 2 --folder f | leave out --jobs, --folder
en 2 | HERE --bank 60s --increment 1s --memory 512MiB | leave out --bank, --increment, --memory
en 2 | HERE --grace 200ms --strikes 3 --connect tcp | leave out --grace, --strikes, --connect
en 2 | HERE --keep --elo-per match --json-lines | keeps the games: leave out
en 2 | compare kob viper@1 viper@2 --on ARENA --max 2001 | --max 2001: | at most 2000 pairs
zh 2 | HERE --pondering | 擂台按自己的限制 | 请去掉 --pondering
en 1 | HERE --config grow_untl=1 --elo-per leg | grow_untl
en 2 | compare kob viper@1 viper@2 --on https://other.example | you are logged in at
en 2 | compare kob viper@x viper --on ARENA | viper@x: write BOT or BOT@VERSION
en 0 | START --version 1 --pairs 2000 | experiment 4 has begun | at most 2000 pairs
zh 0 | experiment stop 4 | 已停止
en 1 | experiment watch 4 | stopped
en 1 | START --version 2 | would be tested against itself
zh 1 | experiment watch 9
",
    );
}

/// Every way to change one value of a file, by its place; the signature's own value among them.
fn change_each(file: &Value) -> Vec<(String, Value)> {
    fn places(value: &Value, at: &str, found: &mut Vec<String>) {
        let children: Vec<(String, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(key, one)| (key.clone(), one)).collect(),
            Value::Array(items) => {
                let numbered = items.iter().enumerate();
                numbered.map(|(key, one)| (key.to_string(), one)).collect()
            }
            _ => return found.push(at.to_owned()),
        };
        for (key, one) in children {
            places(one, &format!("{at}/{key}"), found);
        }
    }
    let mut found = Vec::new();
    places(file, "", &mut found);
    let change = |place: String| {
        let mut changed = file.clone();
        let value = changed.pointer_mut(&place).expect("it was found there");
        *value = match &*value {
            Value::Bool(it) => (!it).into(),
            Value::Number(it) if it.is_f64() => (it.as_f64().unwrap_or_default() + 0.5).into(),
            Value::Number(it) => (it.as_i64().unwrap_or_default() + 1).into(),
            Value::String(text) if text.ends_with('0') => format!("{text}1").into(),
            Value::String(text) => format!("{}0", &text[..text.len().saturating_sub(1)]).into(),
            _ => "somebody".into(),
        };
        (place, changed)
    };
    found.into_iter().map(change).collect()
}

#[test]
fn an_arena_plays_a_benchmark_and_signs_it() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve_quietly(home, 2);
    let client = Client::open(&arena, home);
    let server = &client.server;
    fs::write(home.join("viper.py"), FIRST_LEGAL).expect("written");
    client.check_rows("en 0 | submit kob viper.py --activate");
    let measure = format!("benchmark kob viper@1 --on {server} --pairs 2");
    let claims = format!("{measure} --agent scripty --cost 1.25 --tokens 7");
    let parts = ["the seeds are committed to by SHA-256", "as experiment 1"];
    client.check("en", &claims, &[0], &parts);
    let name = "benchmark-kob-viper.json";
    let file = json_of(fs::read(home.join(name)).expect("it was written"));
    has(&file, json!({"/author/tokens": 7, "games_played": 4}));
    let source = Sha256::digest(FIRST_LEGAL.as_bytes());
    let source: String = source.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(file["version"], json!({"number": 1, "sha256": source}));

    // Whoever has the key checks it, with the arena or without.
    let key = file["signature"]["key"].as_str().expect("a key");
    let rows = |rows: &str| {
        let rows = rows.replace("MEASURE", &measure).replace("FILE", name);
        let rows = rows.replace("NOUGHT", &"0".repeat(64)).replace("KEY", key);
        client.check_rows(&rows.replace("ARENA", server));
    };
    rows(
        "
en 0 | benchmark --check FILE --on ARENA | signed by http | as experiment 1
zh 0 | benchmark --check FILE --key KEY | 作为实验 1 签名
en 1 | benchmark --check FILE --key NOUGHT | NOT SIGNED BY
en 2 | benchmark --check FILE | does not say which arena
",
    );
    let changes = change_each(&file);
    assert!(changes.len() > 40, "{file}");
    for (place, changed) in changes {
        let read = ResultFile::check(&changed.to_string());
        assert!(read.is_err(), "{place} was changed: {changed}");
    }
    let mut changed = file.clone();
    changed["author"]["agent"] = "somebody".into();
    fs::write(home.join("changed.json"), changed.to_string()).expect("there is room");
    rows(
        r#"en 1 | benchmark --check changed.json --key KEY --json | "altered" | changed after it was signed"#,
    );
    changed.as_object_mut().expect("a file").remove("signature");
    fs::write(home.join("unsigned.json"), changed.to_string()).expect("there is room");
    // The bot plays the same at home, against the same levels on the same seeds.
    rows(
        "
zh 1 | benchmark --check unsigned.json | 没有签名
en 0 | benchmark --repeat FILE viper.py | the same, game for game
en 0 | experiment watch 1 | viper v1 against kob- | measured | rating
",
    );
    // Whoever counts the matches again comes to the same.
    let own = json_of(client.check("en", "experiment watch 1 --json", &[0], &[]));
    let [told, signed] = [&own["result"], &file].map(|one| one["rating"].as_f64());
    let apart = told.expect("a rating") - signed.expect("a rating");
    assert!(apart.abs() < 1e-5, "{own}");
    // A key that was revoked proves nothing.
    rows(
        "
en 0 | admin revoke-signing-key KEY --why stolen
en 1 | benchmark --check FILE --on ARENA | NOT TRUSTED
en 2 | MEASURE --jobs 2 | leave out --jobs
en 2 | benchmark kob viper@x --on ARENA | viper@x: write BOT
en 1 | benchmark kob space --on ARENA | you have no bot
",
    );
    let line = format!("{measure} --no-wait --json");
    let begun = json_of(client.check("en", &line, &[0], &["committed"]));
    assert_eq!(begun["benchmark"]["rating"], Value::Null);
}

/// A ladder beside the standard one.
const LADDERS: &str = r#"
[[ladder]]
game = "kob"
name = "small"
title = "Small boards"
title_zh = "小棋盘"
"#;

/// Makes a bot of this name in two games, and asks for a match of two built-in bots; prints its
/// number.
const ASK: &str = r#"
auth="Authorization: Bearer $token"
json='content-type: application/json'
get() { python3 -c 'import json, sys; print(eval(sys.argv[2], json.load(open(sys.argv[1]))))' "$@"; }
for game in kob snakego; do
  curl -sf -H "$auth" -H "$json" -d "{\"game\": \"$game\", \"name\": \"viper\"}" $server/api/bots > bot.json
done
until curl -sf "$server/api/games/kob/ladder?limit=50" > ladder.json && get ladder.json 'items[1]' > row; do :; done
a="{\"bot\": $(get ladder.json "items[0]['bot']['id']")}"
b="{\"bot\": $(get ladder.json "items[1]['bot']['id']")}"
curl -sf -H "$auth" -H "$json" -d "{\"game\": \"kob\", \"a\": $a, \"b\": $b}" $server/api/matches > match.json
get match.json id
"#;

#[test]
fn ladders_and_tags_are_changed_on_the_command_line() {
    let home: &Path = &Home::new();
    fs::write(home.join("ladders.toml"), LADDERS).expect("written");
    let arena = ArenaProcess::serve_with(home, "--slots 0 --ladders ladders.toml");
    let token = ask_arena(&arena, home, &ORGANISE.replace("organise", "play"), "");
    let number = ask_arena(&arena, home, ASK, &token);
    let client = Client::at(&arena, home, &token);
    let rows = |rows: &str| {
        let rows = rows.replace("VIPER", "standing Viper --game kob");
        client.check_rows(&rows.replace("TAGS", &format!("tags {number}")));
    };
    let opted_out = "opted out";
    let line = "standing Viper --game kob";
    let shown = client.check("en", line, &[0], &["standard", "Small boards"]);
    assert!(!shown.contains(opted_out), "{shown}");
    rows(
        "
zh 0 | VIPER --opt-out small | 小棋盘 | 已退出
en 0 | VIPER | opted out
",
    );
    let bot = json_of(client.check("en", &format!("{line} --json"), &[0], &[]));
    assert_eq!(bot["ladders"][0]["plays"], false);
    let line = format!("{line} --opt-in small");
    let back = client.check("en", &line, &[0], &["small"]);
    assert!(!back.contains(opted_out), "{back}");
    rows(
        r#"
en 1 | standing viper | add --game with one of snakego, kob
zh 1 | standing viper | 请用 --game 指定其一
en 1 | standing cobra | you have no bot "cobra"; your bots: viper
zh 1 | standing cobra | 你的程序：viper
en 1 | VIPER --opt-out huge | kob has no ladder "huge"; there are standard, small
zh 1 | VIPER --opt-out huge | standard, small
en 1 | VIPER --opt-out standard | every bot plays on the standard ladder
zh 1 | VIPER --opt-out standard | 标准天梯
en 2 | VIPER --opt-out small --opt-in small | contradict each other
zh 2 | VIPER --opt-out small --opt-in small | 互相矛盾
en 0 | TAGS | has no tags
en 0 | TAGS '#Late Game' 决赛 | : late-game, 决赛
"#,
    );
    let found = arena.body("/api/matches?tag=late-game");
    says(&found, &[&format!("\"id\":{number},")]);
    rows(&format!(
        r#"
en 0 | TAGS final | : final
en 0 | matches --tag final | {number} | friendly
en 0 | matches --tag opening | no such matches
en 1 | matches --tag a&tag=final | "a&tag=final" has '&' in it
en 0 | matches --game kob --ladder small | no such matches
en 1 | matches --game kob --ladder huge | no ladder "huge"
en 2 | matches --ladder small | --game
"#
    ));
    let json = client.check("en", &format!("tags {number} --json"), &[0], &[]);
    assert_eq!(json.trim(), "{\"tags\":[\"final\"]}");
    rows(
        r#"
en 1 | TAGS a,b | "a,b" has ',' in it
en 1 | tags 999999 a | 999999
en 2 | TAGS a --clear | cannot be used with
zh 0 | TAGS --clear | 没有标签
"#,
    );
    arena.stop();
}

#[test]
fn traces_and_metrics_reach_a_collector() {
    let home: &Path = &Home::new();
    let (collector, received) = start_collector();
    let mut command = at_home(home, BINARY);
    command
        .args("serve --listen 127.0.0.1:0 --slots 1 --no-exhibitions".split(' '))
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector);
    let arena = ArenaProcess::start(command, home);
    ask_arena(&arena, home, FRIENDLY, "");
    first_finished(&arena);
    assert_eq!(arena.get("/api/games").0, 200);
    arena.stop();
    let (mut spans, mut metrics) = (Vec::new(), Vec::new());
    while let Ok((path, body)) = received.try_recv() {
        match path.as_str() {
            "/v1/traces" => spans.extend(spans_of(&body)),
            "/v1/metrics" => metrics.extend(metrics_of(&body)),
            other => panic!("nothing else is sent: {other}"),
        }
    }
    let request = spans.iter().find(|span| {
        let path = text_of(&span.attributes, "path");
        span.name == "request" && path == Some("/api/games")
    });
    assert!(request.is_some(), "{spans:?}");
    let played = spans.iter().find(|span| span.name == "match");
    let played = played.unwrap_or_else(|| panic!("a match: {spans:?}"));
    assert!(text_of(&played.attributes, "job").is_some());
    let mut metric = metrics.iter();
    let queued = metric.find(|metric| metric.name == "leitai_jobs_queued");
    let queued = queued.and_then(|metric| metric.data.as_ref());
    assert!(matches!(queued, Some(Data::Gauge(_))), "{metrics:?}");
}

#[test]
fn a_collector_that_is_none_is_refused() {
    let home: &Path = &Home::new();
    let mut serve = at_home(home, BINARY);
    let refused = serve.args(["serve", "--otlp", "collector:4318"]).output();
    let refused = refused.expect("it starts");
    ended(&refused, false, &["it looks like http://collector:4318"]);
}

#[test]
fn a_search_in_an_arena_goes_on_after_a_kill_and_plays_nothing_twice() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve_quietly(home, 1);
    let client = Client::open(&arena, home);
    let server = &client.server;
    for more in ["", "# newer\n"] {
        fs::write(home.join("viper.py"), format!("{FIRST_LEGAL}{more}")).expect("written");
        client.check_rows("en 0 | submit kob viper.py --activate");
    }
    let more = "--param depth=1..8 --pairs 8 --restarts 0 --proof 0 --json --on";
    let tune = format!("tune kob 'viper@2 --depth {{depth}}' {more} {server}");
    let played = || -> Vec<Value> {
        let found = arena.read("/api/matches?kind=friendly&limit=100");
        found["items"].as_array().expect("a list").clone()
    };
    let mut run = client.command("en", &tune);
    let mut child = run.stdout(Stdio::null()).spawn().expect("it starts");
    wait_until("a match is over", || {
        played().iter().any(|one| one["state"] == "finished")
    });
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    assert!(played().len() < 8, "it was killed on its way");

    // There is no folder: the arena knows what was asked for.
    let found = json_of(client.check("en", &tune, &[4], &[]));
    let tuned = found["tuned"].as_str().unwrap_or_default();
    assert!(tuned.starts_with("viper@2 --depth "), "{found}");
    let all = played();
    let mut seeds: Vec<u64> = (all.iter())
        .map(|one| {
            let one = arena.read(&format!("/api/matches/{}", one["id"]));
            assert_eq!(one["a"]["version"], 2, "{one}");
            let own = one["a"]["settings"].as_str().unwrap_or_default();
            assert!(own.starts_with("--depth "), "{one}");
            one["seed"].as_u64().expect("a seed")
        })
        .collect();
    seeds.sort_unstable();
    assert_eq!(seeds, (1..=8).collect::<Vec<u64>>(), "each pair once");
    let rows = "
en 2 | tune kob viper@9 --param k=1..2 --on ARENA | no such version
en 2 | tune kob viper --param k=1..2 --pondering --on ARENA | leave out --pondering
zh 2 | tune kob viper --param k=1..2 --memory 1GiB --on ARENA | 请去掉 --memory
en 2 | benchmark kob viper --limit 1s --isolation none --on ARENA | leave out --limit, --isolation
";
    client.check_rows(&rows.replace("ARENA", server));

    // What an operator says of it is answered in JSON.
    for line in [
        "health",
        "rerun-match 1",
        "correct-match 1 b --why seen",
        "delete-version kob viper 1 --yes",
        "delete-bot kob viper --yes",
    ] {
        let name = line.split(' ').next().expect("a command");
        let done = admin(home, &format!("{line} --json"));
        check_answer(&format!("admin {name}"), &done);
    }
}
