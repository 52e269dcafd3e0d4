//! The procedures of docs/operating.md as written: the first account, administration, backup and
//! restore.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use leitai_server::accounts::second_factor::{make_recovery_codes, make_secret};
use leitai_server::experiments::benchmark_file::ResultFile;
use leitai_store::{SessionId, Store, Timestamp};
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
use seen::says;
use table::{cells, words};

const BINARY: &str = env!("CARGO_BIN_EXE_leitai");
/// The longest wait on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A command with an empty environment, whose home is this folder.
fn at_home(home: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    let folder = Path::new(BINARY)
        .parent()
        .expect("it lies in a folder")
        .display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    command
        .env_clear()
        .env("HOME", home)
        .env("PATH", path)
        .env("LC_ALL", "C")
        .env("LEITAI_LANG", "en");
    command.stdin(Stdio::null()).current_dir(home);
    command
}

fn admin(home: &Path, words: &[&str]) -> Output {
    at_home(home, BINARY)
        .arg("admin")
        .args(words)
        .output()
        .expect("the binary starts")
}

/// A command ended well, and its answer has the fields of the row of this command in the documents.
#[track_caller]
fn check_answer(command: &str, done: &Output) {
    assert!(done.status.success(), "{command}: {}", said(done));
    let answer = serde_json::from_slice(&done.stdout).expect("JSON");
    rows::check_row(command, &answer);
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
    greeting: BufReader<std::process::ChildStdout>,
}

impl ArenaProcess {
    fn serve(home: &Path) -> ArenaProcess {
        let mut command = at_home(home, BINARY);
        command.args(["serve", "--listen", "127.0.0.1:0", "--slots", "0"]);
        ArenaProcess::start(command, home)
    }

    /// With so many slots, and nothing that is not asked for.
    fn serve_quietly(home: &Path, slots: &str) -> ArenaProcess {
        let mut command = at_home(home, BINARY);
        command.args(["serve", "--listen", "127.0.0.1:0", "--slots", slots]);
        command.args(["--ladder-every", "never", "--no-exhibitions"]);
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
        let port = first
            .trim()
            .rsplit_once(':')
            .expect("an address")
            .1
            .to_owned();
        says(&second, &["database"]);
        let mut arena = ArenaProcess {
            child,
            address: format!("127.0.0.1:{port}"),
            secret: None,
            greeting,
        };
        if !arena.has_admin(home) {
            let mut third = String::new();
            arena.greeting.read_line(&mut third).expect("it speaks");
            let (link, secret) = third
                .trim()
                .split_once("/register#secret=")
                .expect("a link with a secret");
            assert!(
                link.ends_with(&format!("http://localhost:{port}")),
                "{third}"
            );
            arena.secret = Some(secret.to_owned());
        }
        arena
    }

    /// Whether the first account exists; a file of the test records it.
    fn has_admin(&self, home: &Path) -> bool {
        home.join("opened").exists()
    }

    fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.ask("POST", path, body)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.ask("GET", path, "")
    }

    fn read(&self, path: &str) -> serde_json::Value {
        let (status, answer) = self.get(path);
        let body = answer.split_once("\r\n\r\n").map_or("", |parts| parts.1);
        let read = serde_json::from_str(body);
        read.unwrap_or_else(|error| panic!("{path}: {status} {error}: {answer}"))
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        );
        write!(
            stream,
            "{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )
        .expect("it hears");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|word| word.parse().ok())
            .expect("a status");
        (status, answer)
    }

    /// Stops the server as a service manager does, and waits for its end.
    fn stop(mut self) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .expect("kill runs")
                .success()
        );
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
    let done = at_home(home, "sh")
        .args(["-euc", &commands])
        .output()
        .expect("sh runs");
    assert!(done.status.success(), "{commands}\n{}", said(&done));
}

#[test]
fn administration_of_a_missing_arena_creates_none() {
    if Path::new("/var/lib/leitai").exists() {
        return eprintln!("NOT TESTED: this machine has a service of its own, which is left alone");
    }
    let home = TempDir::new().expect("a folder");
    let elsewhere = home.path().join("elsewhere");
    let file = home.path().join("copy.db");
    let (elsewhere, file) = (
        elsewhere.to_str().expect("UTF-8"),
        file.to_str().expect("UTF-8"),
    );
    for words in [
        &["backup", file][..],
        &["add-user", "ada"],
        &["promote", "ada"],
        &["worker-token", "rack"],
        &["rebuild-ratings", "kob"],
        &["recount"],
        &["correct-match", "1", "b", "--why", "x"],
        &["--data", elsewhere, "backup", file],
        &["--database", "sqlite:nothing.db", "add-user", "ada"],
        &["add-user", "ada", "--database", "sqlite:nothing.db"],
        &["backup", file, "--data", elsewhere],
    ] {
        let done = admin(home.path(), words);
        assert!(!done.status.success(), "{words:?}: {}", said(&done));
        let text = said(&done);
        assert!(
            text.contains("no arena") || text.contains("cannot open the database"),
            "{words:?}: {text}"
        );
    }
    let left: Vec<_> = fs::read_dir(home.path())
        .expect("it is there")
        .flatten()
        .collect();
    assert!(left.is_empty(), "{left:?}");
    // An empty database is no arena, either.
    fs::write(home.path().join("empty.db"), "").expect("there is room");
    let done = admin(
        home.path(),
        &["--database", "sqlite:empty.db", "backup", file],
    );
    ended(&done, false, &["no arena"]);
}

#[test]
fn backup_and_restore_go_as_documented() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    let arena = ArenaProcess::serve(home);
    let secret = arena.secret.clone().expect("nobody administrates yet");
    let who = r#""name": "ada", "password": "correct horse""#;
    assert_eq!(
        arena.post("/api/register", &format!("{{{who}}}")).0,
        403,
        "a stranger"
    );
    let opened = arena.post(
        "/api/register",
        &format!("{{{who}, \"secret\": \"{secret}\"}}"),
    );
    assert!(
        opened.0 == 200 && opened.1.contains("\"admin\":true"),
        "{}",
        opened.1
    );
    fs::write(home.join("opened"), "").expect("there is room");
    let data = home.join(".local/share/leitai");
    fs::create_dir_all(data.join("blobs/sources")).expect("there is room");
    fs::write(data.join("blobs/sources/one"), "a source").expect("there is room");

    let [backup, restore] = &blocks("Backup")[..] else {
        panic!("one block for each database is expected")
    };
    fs::create_dir(home.join("backup")).expect("there is room");
    follow(home, backup);
    let again = admin(
        home,
        &[
            "backup",
            home.join("backup/arena-2026-01-01.db")
                .to_str()
                .expect("UTF-8"),
        ],
    );
    assert!(
        !again.status.success(),
        "the backup overwrites nothing: {}",
        said(&again)
    );
    arena.stop();
    fs::remove_dir_all(&data).expect("the disk is lost");
    follow(home, restore);
    assert_eq!(
        fs::read_to_string(data.join("blobs/sources/one")).expect("it is back"),
        "a source"
    );
    let arena = ArenaProcess::serve(home);
    assert_eq!(
        arena.post("/api/login", &format!("{{{who}}}")).0,
        200,
        "the restore brings ada's account back"
    );
    let made = admin(home, &["add-user", "grace"]);
    assert!(
        made.status.success() && said(&made).contains("arena.db"),
        "the output names the arena: {}",
        said(&made)
    );
    let recounted = admin(home, &["recount", "--now"]);
    ended(&recounted, true, &["there is nothing to recount"]);
    // The options of the arena's place are accepted behind the subcommand, too.
    let named = [
        "worker-token",
        "hall-2",
        "--data",
        data.to_str().expect("UTF-8"),
        "--replays",
        "file:///x",
    ];
    let made = admin(home, &named);
    ended(&made, true, &["LEITAI_WORKER_TOKEN="]);
    arena.stop();
    // The arena moves.
    let [moving] = &blocks("Moving to another machine or database")[..] else {
        panic!("one block is expected")
    };
    follow(home, moving);
    let elsewhere = home.join("arena");
    let moved = fs::read_to_string(elsewhere.join("blobs/sources/one"));
    assert_eq!(moved.expect("it moved"), "a source");
    let mut command = at_home(home, BINARY);
    command.args(["serve", "--listen", "127.0.0.1:0", "--slots", "0", "--data"]);
    command.arg(&elsewhere);
    let arena = ArenaProcess::start(command, home);
    assert_eq!(arena.post("/api/login", &format!("{{{who}}}")).0, 200);
    arena.stop();
    let twice = ["import", "backup/arena", "--data", "arena"];
    let twice = admin(home, &twice);
    let said = said(&twice);
    assert!(
        !twice.status.success() && said.contains("not empty"),
        "{said}"
    );
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
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
    // An arena in use: ada, another person, has a bot of the same name.
    let other = home.join("other");
    let arena_at = |data: &Path, name: &str| {
        let own = home.join(name);
        fs::create_dir_all(&own).expect("there is room");
        let mut command = at_home(&own, BINARY);
        command.args(["serve", "--listen", "127.0.0.1:0", "--slots", "1"]);
        command.args(["--ladder-every", "never", "--no-exhibitions", "--data"]);
        command.arg(data);
        let arena = ArenaProcess::start(command, &own);
        let token = ask_arena(&arena, &own, ORGANISE, "");
        let variables = [
            ("LEITAI_SERVER", format!("http://{}", arena.address)),
            ("LEITAI_TOKEN", token.clone()),
        ];
        fs::write(own.join("hydra.py"), FIRST_LEGAL).expect("written");
        let mut submit = at_home(&own, BINARY);
        submit
            .envs(variables)
            .args(["submit", "kob", "hydra.py", "--activate"]);
        let done = submit.output().expect("the binary starts");
        ended(&done, true, &[]);
        (arena, own, token)
    };
    let (there, own, token) = arena_at(&home.join(".local/share/leitai"), "there");
    let played = ask_arena(&there, &own, PLAY, &token);
    let (here, _, _) = arena_at(&other, "here");
    assert!(
        admin(home, &["--data", "other", "add-user", "bea"])
            .status
            .success()
    );

    let [moving] = &blocks("Moving parts of an arena")[..] else {
        panic!("one block is expected")
    };
    follow(home, moving);
    let again = ["import", "backup/part", "--data", "other", "--json"];
    let again = admin(home, &again);
    check_answer("admin import part", &again);
    let answer: serde_json::Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert_eq!(
        (&answer["already"], &answer["matches"]),
        (&true.into(), &1.into())
    );
    // The running server shows it: whose it is, how it is called, and what it played.
    let ladder = here.read("/api/games/kob/ladder?limit=100");
    let find = |name: &str| {
        let mut rows = ladder["items"].as_array().expect("a list").iter();
        rows.find(|row| row["bot"]["name"] == name)
            .map(|row| row["bot"].clone())
    };
    let [stranger, moved] = ["hydra", "hydra-2"].map(|name| find(name).expect("it is shown"));
    assert_eq!(
        (&stranger["owner"], &moved["owner"]),
        (&"ada".into(), &"bea".into())
    );
    let path = format!("/api/bots/{}/matches", moved["id"]);
    let matches = here.read(&path);
    let id = matches["items"][0]["id"].as_i64().expect("its match");
    // Each arena hands the replay out; it verifies, and only who judged it has signed.
    let replay = |arena: &ArenaProcess, id: &str| {
        let replay = arena.read(&format!("/api/matches/{id}/replay"));
        let file = home.join("replay.json");
        fs::write(&file, replay.to_string()).expect("written");
        let mut verify = at_home(home, BINARY);
        let done = verify.args(["replay", "verify", "replay.json"]).output();
        let done = done.expect("the binary starts");
        ended(&done, true, &[]);
        replay
    };
    let (was, is) = (replay(&there, &played), replay(&here, &id.to_string()));
    assert!(was["signature"].is_object() && is["signature"].is_null());
    assert_eq!((&was["legs"], &was["seed"]), (&is["legs"], &is["seed"]));
    let frames = here.get(&format!("/api/matches/{id}/frames")).0;
    assert_eq!(frames, 200, "it is shown");
    // What would not come as it is asked for is refused in words.
    for (words, part) in [
        (
            &["export", "x", "--bot", "ada/nobody"][..],
            "there is no bot",
        ),
        (&["export", "x", "--bot", "kob/safe"], "is built in"),
        (&["export", "x", "--match", "99"], "match 99"),
        (
            &["export", "x", "--ladder", "kob/none"],
            "no ladder kob/none",
        ),
        (&["export", "backup/part"], "holds a part of an arena"),
    ] {
        let done = admin(home, words);
        ended(&done, false, &[part]);
    }
    let json = admin(home, &["export", "ladder", "--ladder", "kob", "--json"]);
    check_answer("admin export part", &json);
    let come = [
        "import",
        "ladder",
        "--data",
        "other",
        "--account",
        "ada=bea",
    ];
    let come = said(&admin(home, &come));
    says(&come, &["kob -> kob/imported (closed"]);
    there.stop();
    here.stop();
}

#[test]
fn accounts_are_deleted_after_the_operator_confirms() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    let arena = ArenaProcess::serve(home);
    let secret = arena.secret.clone().expect("nobody administrates yet");
    let who = r#""name": "root", "password": "correct horse""#;
    assert_eq!(
        arena
            .post(
                "/api/register",
                &format!("{{{who}, \"secret\": \"{secret}\"}}")
            )
            .0,
        200
    );
    assert!(admin(home, &["add-user", "ada"]).status.success());
    let asked = admin(home, &["delete-user", "ada"]);
    let text = said(&asked);
    assert!(
        !asked.status.success() && text.contains("0 bots") && text.contains("--yes"),
        "{text}"
    );
    let done = admin(home, &["delete-user", "ada", "--yes"]);
    ended(&done, true, &["deleted"]);
    let again = admin(home, &["delete-user", "ada", "--yes"]);
    ended(&again, false, &["no account"]);
    let last = admin(home, &["delete-user", "root", "--yes"]);
    ended(&last, false, &["only administrator"]);
    for (words, expected) in [
        (&["delete-bot", "kob", "nobody", "--yes"][..], "no bot"),
        (&["delete-bot", "kob", "safe", "--yes"], "comes with Leitai"),
        (
            &["delete-version", "kob", "safe", "7", "--yes"],
            "no such version",
        ),
    ] {
        let refused = admin(home, words);
        let text = said(&refused);
        assert!(
            !refused.status.success() && text.contains(expected),
            "{words:?}: {text}"
        );
    }
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
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    let arena = ArenaProcess::serve(home);
    let secret = arena.secret.clone().expect("nobody administrates yet");
    let who = r#""name": "root", "password": "correct horse""#;
    let opened = format!("{{{who}, \"secret\": \"{secret}\"}}");
    assert_eq!(arena.post("/api/register", &opened).0, 200);
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
    assert!(
        said(&wrong).contains("the code is wrong"),
        "{}",
        said(&wrong)
    );
    assert_eq!(wrong.status.code(), Some(1), "{}", said(&wrong));
    let right = log_in(&format!("{asked}{}", codes[0]));
    assert!(
        said(&right).contains("logged in as root"),
        "{}",
        said(&right)
    );
    let used = log_in(&format!("{asked}{}", codes[0]));
    ended(&used, false, &[]);

    // Everything is lost: the console is the way in.
    let reset = admin(home, &["reset-second-factor", "ROOT", "--json"]);
    check_answer("admin reset-second-factor", &reset);
    assert!(said(&reset).contains("\"account\":\"root\""));
    let again = admin(home, &["reset-second-factor", "root"]);
    assert!(said(&again).contains("has no second factor"));
    assert!(!again.status.success());
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
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
    let serve = || ArenaProcess::serve_quietly(home, "2");
    let arena = serve();
    let token = ask_arena(&arena, home, ORGANISE, "");
    fs::write(home.join("opened"), "").expect("there is room");
    let submit = |arena: &ArenaProcess, name: &str| {
        let mut command = at_home(home, BINARY);
        command
            .env("LEITAI_SERVER", format!("http://{}", arena.address))
            .env("LEITAI_TOKEN", &token)
            .args(["submit", "kob", name, "--no-wait", "--json"]);
        let done = command.output().expect("the binary starts");
        let version: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
        version["id"].as_u64().expect("a version")
    };
    let state = |arena: &ArenaProcess, id: u64| {
        let answer = arena.get(&format!("/api/versions/{id}")).1;
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        let version: serde_json::Value = serde_json::from_str(body).expect("JSON");
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
    let aside = admin(home, &["set-aside"]);
    assert!(!said(&aside).contains("pipe"), "{}", said(&aside));
    arena.stop();
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::park_timeout(Duration::from_millis(50));
    }
}

/// A shell that runs `leitai serve` with this limit of open files.
fn serve_with(home: &Path, open_files: u32, words: &str) -> ArenaProcess {
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

/// The response to this request without a body.
fn get(mut stream: TcpStream, path: &str) -> String {
    let mut answer = String::new();
    let sent = write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    );
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
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: most,
            maximum: most,
        },
    )
    .expect("its own limit");
    let home = TempDir::new().expect("a folder");
    let arena = serve_with(home.path(), 1024, "--listen 127.0.0.1:0");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
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
    assert!(
        answer.starts_with("HTTP/1.1 200 "),
        "{answer:?} with {} half requests",
        half.len()
    );
}

#[test]
fn a_server_listens_on_a_name_and_raises_its_descriptors() {
    let home = TempDir::new().expect("a folder");
    let arena = serve_with(home.path(), 1024, "--listen localhost:0");
    assert!(
        get(
            TcpStream::connect(&arena.address).expect("it listens"),
            "/healthz"
        )
        .ends_with("ok\n")
    );
    arena.stop();
    let script = format!("ulimit -Sn 256; exec {BINARY} serve --slots 0 --listen 127.0.0.1:0");
    let mut command = at_home(home.path(), "sh");
    command.args(["-c", &script]);
    let arena = ArenaProcess::start(command, home.path());
    let limits = fs::read_to_string(format!("/proc/{}/limits", arena.child.id())).expect("it runs");
    let open = limits
        .lines()
        .find(|line| line.starts_with("Max open files"))
        .expect("a limit");
    let numbers: Vec<&str> = open.split_whitespace().skip(3).take(2).collect();
    assert!(
        numbers[0] != "256" && numbers[0].parse::<u64>().is_ok_and(|soft| soft >= 1024),
        "{open}"
    );
}

#[test]
fn metrics_have_an_address_of_their_own() {
    let home = TempDir::new().expect("a folder");
    let port = ports::find_port();
    let words = format!("--listen 127.0.0.1:0 --metrics 127.0.0.1:{port} --limit tables=7");
    let arena = serve_with(home.path(), 1024, &words);
    let ask =
        |address: &str, path: &str| get(TcpStream::connect(address).expect("it listens"), path);
    assert!(
        ask(&arena.address, "/metrics").starts_with("HTTP/1.1 401 "),
        "metrics are not on the public address"
    );
    let own = ask(&format!("127.0.0.1:{port}"), "/metrics");
    says(&own, &["leitai_jobs_queued"]);
    assert!(
        ask(&format!("127.0.0.1:{port}"), "/healthz").starts_with("HTTP/1.1 404 "),
        "the metrics address serves metrics alone"
    );
    arena.stop();
    let wrong = at_home(home.path(), BINARY)
        .args(["serve", "--limit", "chairs=3"])
        .output();
    let said = said(&wrong.expect("the binary starts"));
    says(&said, &["guest-tables", "chairs=3"]);
}

#[test]
fn many_logins_leave_no_memory_behind() {
    let home = TempDir::new().expect("a folder");
    let arena = serve_with(home.path(), 4096, "--listen 127.0.0.1:0");
    std::thread::scope(|scope| {
        for who in 0..100 {
            let arena = &arena;
            let body = format!("{{\"name\": \"nobody{who}\", \"password\": \"wrong horse\"}}");
            scope.spawn(move || assert_eq!(arena.post("/api/login", &body).0, 401));
        }
    });
    let status = fs::read_to_string(format!("/proc/{}/status", arena.child.id())).expect("it runs");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("a peak");
    let kib: u64 = peak
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .expect("a number");
    assert!(kib < 256 << 10, "{kib} KiB at the peak");
}

#[test]
fn an_unreachable_postgres_is_reported() {
    let home = TempDir::new().expect("a folder");
    let address = "postgres://leitai:se@cret@127.0.0.1:1/leitai";
    for words in [
        &["serve", "--database", address][..],
        &["admin", "add-user", "ada", "--database", address],
    ] {
        let mut timeout = at_home(home.path(), "timeout");
        let done = timeout
            .args(["300", BINARY])
            .args(words)
            .output()
            .expect("the binary starts");
        let text = said(&done);
        assert_eq!(done.status.code(), Some(1), "{words:?}: {text}");
        for part in [
            "postgres://leitai:…@127.0.0.1:1/leitai",
            "refused",
            "check that it runs",
        ] {
            assert!(text.contains(part), "{words:?} lacks {part:?}: {text}");
        }
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
    let home = TempDir::new().expect("a folder");
    let mut mount = Command::new("mount");
    let mounted = mount
        .args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"])
        .arg(home.path())
        .stderr(Stdio::null());
    if !mounted.status().is_ok_and(|status| status.success()) {
        return eprintln!("NOT TESTED: only root mounts a small disk");
    }
    let _disk = SmallDisk(home.path());
    // The first start makes the tables, and its end gives back the space of their log.
    ArenaProcess::serve(home.path()).stop();
    let mut arena = ArenaProcess::serve(home.path());
    // Found by the data folder: the server listens on another port than the usual one.
    let asked = admin(home.path(), &["health"]);
    ended(&asked, true, &[]);
    let mut filler = fs::File::create(home.path().join("filler")).expect("an empty file");
    while filler.write_all(&[7; 4096]).is_ok() {}
    // An answer holds for a second.
    let begun = Instant::now();
    let health = loop {
        let health = arena.get("/healthz");
        if health.0 == 500 || begun.elapsed() > PATIENCE {
            break health;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(health.0, 500, "{}", health.1);
    assert!(health.1.contains("the disk takes no more"), "{}", health.1);
    let asked = admin(home.path(), &["health"]);
    ended(&asked, false, &[]);
    let secret = arena.secret.clone().expect("nobody administrates yet");
    let who = format!(r#"{{"name": "ada", "password": "correct horse", "secret": "{secret}"}}"#);
    let refused = arena.post("/api/register", &who);
    assert_eq!(refused.0, 500, "{}", refused.1);
    // Whatever the server still has to write, it exits as a service must and reports the error.
    let id = arena.child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .expect("kill runs")
            .success()
    );
    let begun = Instant::now();
    let status = loop {
        match arena.child.try_wait().expect("it is ours") {
            Some(status) => break status,
            None => assert!(begun.elapsed() < PATIENCE, "the server does not exit"),
        }
        std::thread::park_timeout(Duration::from_millis(50));
    };
    assert!(
        status.code().is_some(),
        "the server exits by itself: {status}"
    );
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
    let start = Instant::now();
    loop {
        assert_eq!(arena.get("/api/status?watching=true").0, 200);
        let (status, list) = arena.get("/api/matches?state=finished&limit=1");
        assert_eq!(status, 200, "{list}");
        let finished = list
            .split_once("\"id\":")
            .and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next());
        if let Some(id) = finished {
            return id.to_owned();
        }
        assert!(start.elapsed() < PATIENCE, "no match ends");
        std::thread::sleep(Duration::from_millis(100));
    }
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
    let home = TempDir::new().expect("a folder");
    let home = home.path();
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
    let index = fs::read_to_string(folder.join("index.json")).expect("an index");
    let index: serde_json::Value = serde_json::from_str(&index).expect("JSON");
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
        archive
            .extract(home.join("archive"))
            .expect("there is room");
        let mut verify = at_home(home, BINARY);
        let replay = home.join("archive").join(name);
        let done = verify.args(["replay", "verify"]).arg(replay).output();
        let done = done.expect("it runs");
        ended(&done, true, &[]);
        let text = said(&done);
        assert!(text.contains(&format!("signed as match {id} ")), "{text}");
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

/// The first key's signature is trusted until it is revoked, also after another one signs.
fn replays_are_signed(home: &Path, arena: &ArenaProcess, id: &str) {
    let server = format!("http://{}", arena.address);
    let body = |path: &str| {
        let (status, answer) = arena.get(path);
        assert_eq!(status, 200, "{answer}");
        answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
    };
    let download = |name: &str| {
        let replay = body(&format!("/api/matches/{id}/replay"));
        fs::write(home.join(name), &replay).expect("there is room");
        let replay: serde_json::Value = serde_json::from_str(&replay).expect("JSON");
        let key = replay["signature"]["key"].as_str().expect("a key");
        (replay.clone(), key.to_owned())
    };
    let verify = |words: &[&str], is_good: bool, part: &str| {
        let mut verify = at_home(home, BINARY);
        let done = verify.args(["replay", "verify"]).args(words).output();
        let done = done.expect("it runs");
        let text = said(&done);
        assert!(
            done.status.success() == is_good && text.contains(part),
            "{words:?}: {text}"
        );
    };
    let (replay, first) = download("first.json");
    let signed = format!("signed by {server} as match {id}");
    verify(&["first.json"], true, "whose key it is, --arena URL asks");
    verify(&["--arena", &server, "first.json"], true, &signed);
    let mut changed = replay;
    changed["entrants"][0]["name"] = "somebody".into();
    fs::write(home.join("changed.json"), changed.to_string()).expect("there is room");
    verify(
        &["changed.json"],
        false,
        "CHANGED: the signature does not fit",
    );
    let [rotate, _revoke] = &blocks("Signed replays")[..] else {
        panic!("two blocks are expected")
    };
    follow(home, rotate);
    let (_, second) = download("second.json");
    assert_ne!(first, second);
    fs::write(home.join("keys.json"), body("/api/signing-keys")).expect("there is room");
    let done = admin(home, &["revoke-signing-key", &first, "--why", "stolen"]);
    ended(&done, true, &[]);
    verify(&["--keys", "keys.json", "first.json"], true, "signed by");
    verify(&["--arena", &server, "first.json"], false, "NOT TRUSTED");
    verify(&["--arena", &server, "second.json"], true, &signed);
    fs::write(home.join("none.json"), r#"{"items": []}"#).expect("there is room");
    verify(&["--keys", "none.json", "second.json"], false, "NOT SIGNED");
}

#[test]
fn an_arena_keeps_its_replays_in_a_bucket() {
    let Some(server) = S3Server::start() else {
        return;
    };
    server.make_bucket("arena");
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    let serve = || ArenaProcess::start(serve_from_bucket(home, &server, "s3://arena/first"), home);
    let arena = serve();
    ask_arena(&arena, home, FRIENDLY, "");
    let id = first_finished(&arena);
    let replay_of = |arena: &ArenaProcess| {
        let (status, answer) = arena.get(&format!("/api/matches/{id}/replay"));
        assert!(
            status == 200 && answer.contains("leitai-replay/"),
            "{answer}"
        );
        answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
    };
    let replay = replay_of(&arena);
    arena.stop();
    let arena = serve();
    assert_eq!(replay_of(&arena), replay, "after a restart");
    arena.stop();
    assert!(
        !home.join(".local/share/leitai/blobs/replays").exists(),
        "nothing lies in the data directory"
    );
}

#[test]
fn an_arena_without_its_bucket_says_so_and_does_not_start() {
    let Some(server) = S3Server::start() else {
        return;
    };
    let home = TempDir::new().expect("a folder");
    for (language, says) in [("en", "check its name"), ("zh", "请检查它的名称")] {
        let done = serve_from_bucket(home.path(), &server, "s3://elsewhere/x")
            .env("LEITAI_LANG", language)
            .output()
            .expect("the binary starts");
        let text = said(&done);
        assert!(!done.status.success(), "{text}");
        assert!(
            text.contains(says)
                && text.contains("NoSuchBucket: ")
                && text.contains("s3://elsewhere/x"),
            "{text}"
        );
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
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
    let game = home.join("mine");
    write_game(&game);
    let mut command = at_home(home, BINARY);
    command
        .args(["game", "play", "mine"])
        .stdout(Stdio::piped());
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
        greeting,
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
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
    let arena = ArenaProcess::serve(home);
    let client = Client::open(&arena, home);
    let guest = Client::at(&arena, home, "");
    write_game(&home.join("mine"));
    for (who, line, part) in [
        (
            &client,
            "game pack mine -o packed.leitai-game --json",
            "packed",
        ),
        (&client, "game add mine --json", "/games/say-a"),
        (&guest, "game list . --json", "say-a"),
        (&guest, "game get say-a --json", "say-a.leitai-game"),
    ] {
        let answer = who.check("en", line, &[0], &[part]);
        let command: Vec<&str> = line.split(' ').take(2).collect();
        let answer = serde_json::from_str(&answer).expect("JSON");
        rows::check_row(&command.join(" "), &answer);
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
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
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
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(sheet).expect("it was written").permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
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
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
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
    let name = joined
        .split("\"name\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let name = name.expect("an entry");
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
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
    let arena = ArenaProcess::serve_quietly(home, "1");
    let client = Client::open(&arena, home);
    client.check_rows("en 0 | experiment list | no experiments yet");
    for more in ["", "# better\n"] {
        fs::write(home.join("viper.py"), format!("{FIRST_LEGAL}{more}")).expect("written");
        client.check_rows("en 0 | submit kob viper.py --activate --by-agent");
    }
    let (_, ladder) = arena.get("/api/games/kob/ladder?by_agent=true");
    assert!(
        ladder.contains("viper") && !ladder.contains("greedy"),
        "{ladder}"
    );
    let start = "experiment start viper --version 1 --elo1 300 --pairs 2 --watch --json";
    let json = client.check("en", start, &[0, 3, 4, 5], &[]);
    let own: serde_json::Value = serde_json::from_str(&json).expect("JSON alone");
    assert!(
        own["counted"].as_u64().is_some_and(|pairs| pairs > 0),
        "{own}"
    );
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
en 2 | HERE --jobs 2 | leave out --folder, --jobs and --limit
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
fn change_each(file: &serde_json::Value) -> Vec<(String, serde_json::Value)> {
    fn places(value: &serde_json::Value, at: &str, found: &mut Vec<String>) {
        let children: Vec<(String, &serde_json::Value)> = match value {
            serde_json::Value::Object(fields) => {
                fields.iter().map(|(key, one)| (key.clone(), one)).collect()
            }
            serde_json::Value::Array(items) => {
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
            serde_json::Value::Bool(it) => (!it).into(),
            serde_json::Value::Number(it) if it.is_f64() => {
                (it.as_f64().unwrap_or_default() + 0.5).into()
            }
            serde_json::Value::Number(it) => (it.as_i64().unwrap_or_default() + 1).into(),
            serde_json::Value::String(text) if text.ends_with('0') => format!("{text}1").into(),
            serde_json::Value::String(text) => {
                format!("{}0", &text[..text.len().saturating_sub(1)]).into()
            }
            _ => "somebody".into(),
        };
        (place, changed)
    };
    found.into_iter().map(change).collect()
}

#[test]
fn an_arena_plays_a_benchmark_and_signs_it() {
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
    let arena = ArenaProcess::serve_quietly(home, "2");
    let client = Client::open(&arena, home);
    let server = &client.server;
    fs::write(home.join("viper.py"), FIRST_LEGAL).expect("written");
    client.check_rows("en 0 | submit kob viper.py --activate");
    let measure = format!("benchmark kob viper@1 --on {server} --pairs 2");
    let claims = format!("{measure} --agent scripty --cost 1.25 --tokens 7");
    let parts = ["the seeds are committed to by SHA-256", "as experiment 1"];
    client.check("en", &claims, &[0], &parts);
    let name = "benchmark-kob-viper.json";
    let text = fs::read_to_string(home.join(name)).expect("it was written");
    let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&file["author"]["tokens"], &file["games_played"]),
        (&7.into(), &4.into())
    );
    let source = Sha256::digest(FIRST_LEGAL.as_bytes());
    let source: String = source.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        file["version"],
        serde_json::json!({"number": 1, "sha256": source})
    );

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
    assert!(changes.len() > 40, "{text}");
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
    let own = client.check("en", "experiment watch 1 --json", &[0], &[]);
    let own: serde_json::Value = serde_json::from_str(&own).expect("JSON alone");
    let [told, signed] = [&own["result"], &file].map(|one| one["rating"].as_f64());
    let apart = told.expect("a rating") - signed.expect("a rating");
    assert!(apart.abs() < 1e-5, "{own}");
    // A key that was revoked proves nothing.
    rows(
        "
en 0 | admin revoke-signing-key KEY --why stolen
en 1 | benchmark --check FILE --on ARENA | NOT TRUSTED
en 2 | MEASURE --jobs 2 | leave out --limit and --jobs
en 2 | benchmark kob viper@x --on ARENA | viper@x: write BOT
en 1 | benchmark kob space --on ARENA | you have no bot
",
    );
    let line = format!("{measure} --no-wait --json");
    let begun = client.check("en", &line, &[0], &["committed"]);
    let begun: serde_json::Value = serde_json::from_str(&begun).expect("JSON alone");
    assert_eq!(begun["benchmark"]["rating"], serde_json::Value::Null);
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
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
    fs::write(home.join("ladders.toml"), LADDERS).expect("written");
    let mut command = at_home(home, BINARY);
    command.args(["serve", "--listen", "127.0.0.1:0", "--slots", "0"]);
    command.args(["--ladders", "ladders.toml"]);
    let arena = ArenaProcess::start(command, home);
    let token = ask_arena(&arena, home, &ORGANISE.replace("organise", "play"), "");
    let number = ask_arena(&arena, home, ASK, &token);
    let client = Client::at(&arena, home, &token);
    let rows = |rows: &str| {
        let rows = rows.replace("VIPER", "standing Viper --game kob");
        client.check_rows(&rows.replace("TAGS", &format!("tags {number}")));
    };
    let opted_out = "opted out";
    let shown = client.check(
        "en",
        "standing Viper --game kob",
        &[0],
        &["standard", "Small boards"],
    );
    assert!(!shown.contains(opted_out), "{shown}");
    rows(
        "
zh 0 | VIPER --opt-out small | 小棋盘 | 已退出
en 0 | VIPER | opted out
",
    );
    let json = client.check("en", "standing Viper --game kob --json", &[0], &[]);
    let bot: serde_json::Value = serde_json::from_str(&json).expect("JSON alone");
    assert_eq!(bot["ladders"][0]["plays"], false);
    let line = "standing Viper --game kob --opt-in small";
    let back = client.check("en", line, &[0], &["small"]);
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
    let (status, found) = arena.get("/api/matches?tag=late-game");
    assert_eq!(status, 200, "{found}");
    assert!(found.contains(&format!("\"id\":{number},")), "{found}");
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
    let home = TempDir::new().expect("a folder");
    let home = home.path();
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
    let queued = metrics
        .iter()
        .find(|metric| metric.name == "leitai_jobs_queued");
    let queued = queued.and_then(|metric| metric.data.as_ref());
    assert!(matches!(queued, Some(Data::Gauge(_))), "{metrics:?}");
}

#[test]
fn a_collector_that_is_none_is_refused() {
    let home = TempDir::new().expect("a folder");
    let refused = at_home(home.path(), BINARY)
        .args(["serve", "--otlp", "collector:4318"])
        .output();
    let refused = refused.expect("it starts");
    assert!(!refused.status.success());
    let said = said(&refused);
    says(&said, &["it looks like http://collector:4318"]);
}

#[test]
fn a_search_in_an_arena_goes_on_after_a_kill_and_plays_nothing_twice() {
    let folder = TempDir::new().expect("a folder");
    let home = folder.path();
    let arena = ArenaProcess::serve_quietly(home, "1");
    let server = format!("http://{}", arena.address);
    let token = ask_arena(&arena, home, ORGANISE, "");
    let run = |words: &[&str]| {
        let mut command = at_home(home, BINARY);
        command.envs([("LEITAI_SERVER", &*server), ("LEITAI_TOKEN", &token)]);
        command.args(words);
        command
    };
    for more in ["", "# newer\n"] {
        fs::write(home.join("viper.py"), format!("{FIRST_LEGAL}{more}")).expect("written");
        let done = run(&["submit", "kob", "viper.py", "--activate"]).output();
        assert!(done.expect("it starts").status.success());
    }
    let words = "tune kob {} --param depth=1..8 --pairs 8 --restarts 0 --proof 0 --json --on";
    let bot = "viper@2 --depth {depth}";
    let words: Vec<&str> = words
        .split(' ')
        .map(|word| if word == "{}" { bot } else { word })
        .collect();
    let tune = [&words[..], &[&server]].concat();
    let played = || -> Vec<serde_json::Value> {
        let found = arena.read("/api/matches?kind=friendly&limit=100");
        found["items"].as_array().expect("a list").clone()
    };
    let mut child = run(&tune).stdout(Stdio::null()).spawn().expect("it starts");
    let begun = Instant::now();
    while !played().iter().any(|one| one["state"] == "finished") {
        assert!(begun.elapsed() < PATIENCE, "no match");
        std::thread::park_timeout(Duration::from_millis(50));
    }
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    assert!(played().len() < 8, "it was killed on its way");

    // There is no folder: the arena knows what was asked for.
    let done = run(&tune).output().expect("it starts");
    assert_eq!(done.status.code(), Some(4), "{}", said(&done));
    let found: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert!(
        found["tuned"]
            .as_str()
            .is_some_and(|bot| bot.starts_with("viper@2 --depth ")),
        "{found}"
    );
    let all = played();
    let mut seeds: Vec<u64> = (all.iter())
        .map(|one| {
            let one = arena.read(&format!("/api/matches/{}", one["id"]));
            assert_eq!(one["a"]["version"], 2, "{one}");
            assert!(
                one["a"]["settings"]
                    .as_str()
                    .is_some_and(|own| own.starts_with("--depth ")),
                "{one}"
            );
            one["seed"].as_u64().expect("a seed")
        })
        .collect();
    seeds.sort_unstable();
    assert_eq!(seeds, (1..=8).collect::<Vec<u64>>(), "each pair once");
    for (line, code, part) in [
        ("tune kob viper@9 --param k=1..2 --on", 2, "no such version"),
        (
            "tune kob viper --param k=1..2 --pondering --on",
            2,
            "leave out the others",
        ),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let done = run(&[&words[..], &[&server]].concat())
            .output()
            .expect("it starts");
        assert_eq!(done.status.code(), Some(code), "{}", said(&done));
        assert!(said(&done).contains(part), "{}", said(&done));
    }

    // What an operator says of it is answered in JSON.
    for line in [
        "admin health",
        "admin rerun-match 1",
        "admin correct-match 1 b --why seen",
        "admin delete-version kob viper 1 --yes",
        "admin delete-bot kob viper --yes",
    ] {
        let mut words: Vec<&str> = line.split(' ').collect();
        words.push("--json");
        let command = words[..2].join(" ");
        check_answer(&command, &run(&words).output().expect("it starts"));
    }
}
