//! `leitai login` before arenas that are none: password and token reach nobody else, and nothing stays
//! behind.

use crate::place::{says, text as said};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_leitai");
const PASSWORD: &str = "correct horse";
const ME: &str = r#"{"user": {"name": "ada"}, "csrf": "c"}"#;
const TOKEN: &str = r#"{"token": "the-token"}"#;

/// A server that answers by the beginning of the request line: the status and further headers, and the
/// body. It keeps what it was sent.
struct Place {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

type Reply = (&'static str, String, String);

impl Place {
    fn open(answers: Vec<Reply>) -> Place {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let seen = Arc::<Mutex<Vec<String>>>::default();
        let log = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut reader = BufReader::new(stream.try_clone().expect("a descriptor"));
                let lines = reader.by_ref().lines().map_while(Result::ok);
                let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                let length = head.iter().find_map(|line| {
                    let line = line.to_lowercase();
                    line.strip_prefix("content-length: ")?.parse().ok()
                });
                let mut body = Vec::new();
                let read = reader.take(length.unwrap_or(0)).read_to_end(&mut body);
                read.expect("a body");
                let request = format!("{}\n{}", head.join("\n"), String::from_utf8_lossy(&body));
                let (_, head, body) = answers
                    .iter()
                    .find(|(start, ..)| request.starts_with(start))
                    .cloned()
                    .unwrap_or(("", "404 Not Found".to_owned(), "{}".to_owned()));
                log.lock().expect("no test panics with it").push(request);
                let length = body.len();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
                );
            }
        });
        Place { port, seen }
    }

    /// An arena that lets everybody in, but for what `first` answers.
    fn arena(first: Vec<Reply>) -> Place {
        let cookie = "200 OK\r\nSet-Cookie: leitai=s; HttpOnly".to_owned();
        let fine = || "200 OK".to_owned();
        let others = [
            ("POST /api/login ", cookie, ME.to_owned()),
            ("POST /api/me/tokens ", fine(), TOKEN.to_owned()),
            ("POST /api/logout ", fine(), "{}".to_owned()),
            ("GET /api/me ", fine(), ME.to_owned()),
        ];
        Place::open(first.into_iter().chain(others).collect())
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no test panics with it").clone()
    }

    fn has_seen(&self, part: &str) -> bool {
        self.seen().iter().any(|request| request.contains(part))
    }
}

fn at_home(home: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("LC_ALL", "C");
    command
}

/// Logs in with the password, in a terminal.
fn by_password(home: &Path, server: &str) -> Output {
    let terminal = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terminal.py");
    let script = format!("password: =>{PASSWORD}");
    let mut command = at_home(home, "python3");
    command.args([terminal, "300", &script, BINARY, "login", server]);
    command.args(["--name", "ada"]).output().expect("python3")
}

fn by_token(home: &Path, server: &str) -> Output {
    let mut command = at_home(home, BINARY);
    command.args(["login", server, "--token", "the-token"]);
    command.output().expect("the binary starts")
}

fn login_file(home: &Path) -> PathBuf {
    home.join(".config/leitai/login.json")
}

#[test]
fn a_redirect_gets_neither_password_nor_token() {
    let home = TempDir::new().expect("a folder");
    let elsewhere = Place::arena(Vec::new());
    for status in [
        "301 Moved",
        "302 Found",
        "303 See",
        "307 Temporary",
        "308 Permanent",
    ] {
        for (from, log_in) in [
            ("POST /api/login ", by_password as fn(&Path, &str) -> Output),
            ("POST /api/me/tokens ", by_password),
            ("POST /api/logout ", by_password),
            ("GET /api/me ", by_password),
            ("GET /api/me ", by_token),
        ] {
            let head = format!("{status}\r\nLocation: {}/api/me", elsewhere.url());
            let arena = Place::arena(vec![(from, head, ME.to_owned())]);
            let output = log_in(home.path(), &arena.url());
            let said = said(&output);
            assert!(!output.status.success(), "{status} {from}: {said}");
            assert!(
                said.contains("where nothing was sent"),
                "{status} {from}: {said}"
            );
            assert_eq!(elsewhere.seen(), [""; 0], "{status} {from}");
            assert!(!login_file(home.path()).exists(), "{status} {from}");
        }
    }
}

#[test]
fn a_session_ends_also_if_there_is_no_token() {
    let home = TempDir::new().expect("a folder");
    let refusal = r#"{"error": {"code": "change-password", "message": "change it first"}}"#;
    for (status, body) in [
        ("403 Forbidden", refusal),
        ("500 Error", "<html>"),
        ("200 OK", "{}"),
        ("200 OK", "not JSON"),
        ("200 OK", TOKEN),
    ] {
        let reply = ("POST /api/me/tokens ", status.to_owned(), body.to_owned());
        let arena = Place::arena(vec![reply]);
        let output = by_password(home.path(), &arena.url());
        assert_eq!(output.status.success(), body == TOKEN, "{}", said(&output));
        let seen = arena.seen();
        let ended = seen.iter().find(|one| one.starts_with("POST /api/logout "));
        let ended = ended.unwrap_or_else(|| panic!("{status} {body}: {seen:#?}"));
        let ended = ended.to_lowercase();
        says(&ended, &["cookie: leitai=s", "x-leitai-csrf: c"]);
    }
}

#[test]
fn whoever_logs_in_without_https_is_warned() {
    let home = TempDir::new().expect("a folder");
    let arena = Place::arena(Vec::new());
    // This address is reached on this machine, but might be any.
    let open = format!("http://0.0.0.0:{}", arena.port);
    for (server, warned) in [(arena.url(), false), (open, true)] {
        for log_in in [by_password, by_token] {
            let said = said(&log_in(home.path(), &server));
            assert_eq!(said.contains("without https"), warned, "{said}");
            let (warning, rest) = (said.find("warning:"), said.find("password:"));
            assert!(
                warning.is_none() || rest.is_none() || warning < rest,
                "{said}"
            );
        }
    }
}

#[test]
fn the_file_of_the_login_is_the_users_alone_and_no_planted_link_is_followed() {
    let home = TempDir::new().expect("a folder");
    let (home, arena) = (home.path(), Place::arena(Vec::new()));
    let file = login_file(home);
    let folder = file.parent().expect("a folder");
    fs::create_dir_all(folder).expect("own folder");
    let target = home.join("others");
    let plant = |what: &str| {
        let _ = fs::remove_file(&file);
        fs::write(&target, "untouched").expect("own folder");
        let mode = fs::Permissions::from_mode(0o666);
        fs::set_permissions(&target, mode.clone()).expect("own file");
        match what {
            "link" => symlink(&target, &file).expect("own folder"),
            "link beside" => symlink(&target, file.with_extension("new")).expect("own folder"),
            "dangling link" => symlink(home.join("nowhere"), &file).expect("own folder"),
            "hard link" => fs::hard_link(&target, &file).expect("own folder"),
            "open file" => {
                fs::write(&file, "{}").expect("own folder");
                fs::set_permissions(&file, mode).expect("own file");
            }
            _ => {}
        }
    };
    for what in [
        "nothing",
        "link",
        "link beside",
        "dangling link",
        "hard link",
        "open file",
    ] {
        plant(what);
        let output = by_token(home, &arena.url());
        assert!(output.status.success(), "{what}: {}", said(&output));
        let made = fs::symlink_metadata(&file).expect("written");
        assert!(made.is_file(), "{what}");
        assert_eq!(made.permissions().mode() & 0o7777, 0o600, "{what}");
        let text = fs::read_to_string(&file).expect("its user reads it");
        assert!(text.contains("the-token"), "{what}: {text}");
        let others = fs::read_to_string(&target).expect("it stays");
        assert_eq!(others, "untouched", "{what}");
        assert!(!home.join("nowhere").exists(), "{what}");
        assert!(!file.with_extension("new").exists(), "{what}");
    }
}

#[test]
fn a_token_goes_to_its_own_arena_only() {
    let home = TempDir::new().expect("a folder");
    let (home, arena) = (home.path(), Place::arena(Vec::new()));
    let token = r#"{"token": "another"}"#;
    let token = (
        "POST /api/me/tokens ",
        "200 OK".to_owned(),
        token.to_owned(),
    );
    let other = Place::arena(vec![token]);
    assert!(by_token(home, &arena.url()).status.success());
    assert!(arena.has_seen("Bearer the-token") || arena.has_seen("bearer the-token"));
    for words in [
        &["standing"][..],
        &["matches"],
        &["logs", "1"],
        &["contest", "show", "cup"],
        &["group", "list"],
        &["submit", "kob", "x.py"],
        &["tags", "1"],
    ] {
        let mut command = at_home(home, BINARY);
        command.args(words).env("LEITAI_SERVER", other.url());
        let output = command.output().expect("the binary starts");
        assert!(!output.status.success(), "{words:?}: {}", said(&output));
    }
    // A login there begins without it.
    by_password(home, &other.url());
    assert!(
        other.has_seen("another") && !other.has_seen("the-token"),
        "{:#?}",
        other.seen()
    );
}

#[test]
fn what_an_arena_says_writes_no_escape_sequences() {
    let home = TempDir::new().expect("a folder");
    let hostile = "a\\u001b]0;owned\\u0007\\u001b[2J\\r\\u009b31m\\u202e";
    let raw = "a\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}";
    let me = format!(r#"{{"user": {{"name": "{hostile}"}}, "csrf": "c"}}"#);
    let refusal = format!(r#"{{"error": {{"code": "x", "message": "{hostile}"}}}}"#);
    let token = format!(r#"{{"token": "{hostile}"}}"#);
    let moved = "302 Found\r\nLocation: http://a\u{9b}31m\u{202e}/".to_owned();
    for (from, head, body) in [
        ("GET /api/me ", "200 OK", me.clone()),
        ("GET /api/me ", "403 Forbidden", refusal.clone()),
        ("GET /api/me ", "401 Unauthorized", refusal.clone()),
        ("GET /api/me ", "500 Error", raw.to_owned()),
        ("GET /api/me ", "200 OK", raw.to_owned()),
        ("GET /api/me ", &moved, String::new()),
        ("POST /api/login ", "401 Unauthorized", refusal.clone()),
        ("POST /api/login ", "200 OK", raw.to_owned()),
        ("POST /api/login ", &moved, String::new()),
        ("POST /api/me/tokens ", "200 OK", token),
        ("POST /api/me/tokens ", "409 Conflict", refusal),
    ] {
        let arena = Place::arena(vec![(from, head.to_owned(), body)]);
        for log_in in [by_password, by_token] {
            let output = log_in(home.path(), &arena.url());
            let text = said(&output);
            let bad = text.chars().find(|c| {
                let is_end = matches!(c, '\n' | '\r');
                c.is_control() && !is_end || *c == '\u{202e}'
            });
            assert_eq!(bad, None, "{from} {head}: {text:?}");
            assert!(!text.trim_end().contains("\r\r"), "{text:?}");
        }
    }
}
