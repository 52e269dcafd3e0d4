//! What docs/operating.md says about the machine itself, word by word: the first account, administration, backup and
//! restore.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_leitai");

/// A command of somebody whose home is this folder, and who set nothing.
fn at_home(home: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    let folder = Path::new(BINARY).parent().expect("it lies in a folder").display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    command.env_clear().env("HOME", home).env("PATH", path).env("LC_ALL", "C").env("LEITAI_LANG", "en");
    command.stdin(Stdio::null()).current_dir(home);
    command
}

fn admin(home: &Path, words: &[&str]) -> Output {
    at_home(home, BINARY).arg("admin").args(words).output().expect("the binary starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// A running arena, until the value is dropped.
struct Arena {
    child: Child,
    /// `127.0.0.1:PORT`.
    address: String,
    /// What the first account needs.
    secret: Option<String>,
    greeting: BufReader<std::process::ChildStdout>,
}

impl Arena {
    fn serve(home: &Path) -> Arena {
        let mut command = at_home(home, BINARY);
        command.args(["serve", "--listen", "127.0.0.1:0", "--slots", "0"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut greeting = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = || {
            let mut line = String::new();
            greeting.read_line(&mut line).expect("it speaks");
            line
        };
        let (first, second) = (line(), line());
        let port = first.trim().rsplit_once(':').expect("an address").1.to_owned();
        assert!(second.contains("database"), "{second}");
        let mut arena = Arena { child, address: format!("127.0.0.1:{port}"), secret: None, greeting };
        if !arena.has_admin(home) {
            let mut third = String::new();
            arena.greeting.read_line(&mut third).expect("it speaks");
            let (link, secret) = third.trim().split_once("/register#secret=").expect("a link with a secret");
            assert!(link.ends_with(&format!("http://localhost:{port}")), "{third}");
            arena.secret = Some(secret.to_owned());
        }
        arena
    }

    /// Whether the first account was opened, by a file that the test keeps.
    fn has_admin(&self, home: &Path) -> bool {
        home.join("opened").exists()
    }

    fn post(&self, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n");
        write!(stream, "{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
            .expect("it hears");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
        (status, answer)
    }

    /// Stops it as a service is stopped, and waits for its end.
    fn stop(mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill runs").success());
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The blocks of commands below a heading of the document.
fn blocks(heading: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating.md");
    let text = fs::read_to_string(path).expect("the document");
    let (_, section) = text.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let section = section.split("\n## ").next().unwrap_or_default();
    section.split("```sh\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0.to_owned())).collect()
}

/// Runs commands of the document, with folders of the test's own.
fn follow(home: &Path, commands: &str) {
    let backup = home.join("backup").display().to_string();
    let commands = commands.replace("/backup", &backup).replace("$(date +%F)", "2026-01-01");
    let done = at_home(home, "sh").args(["-euc", &commands]).output().expect("sh runs");
    assert!(done.status.success(), "{commands}\n{}", said(&done));
}

#[test]
fn administration_makes_no_arena() {
    if Path::new("/var/lib/leitai").exists() {
        return eprintln!("NOT TESTED: this machine has a service of its own, which is left alone");
    }
    let home = TempDir::new().expect("a folder");
    let elsewhere = home.path().join("elsewhere");
    let file = home.path().join("copy.db");
    let (elsewhere, file) = (elsewhere.to_str().expect("UTF-8"), file.to_str().expect("UTF-8"));
    for words in [
        &["backup", file][..],
        &["add-user", "ada"],
        &["promote", "ada"],
        &["worker-token", "rack"],
        &["rebuild-ratings", "kob"],
        &["correct-match", "1", "b", "--why", "x"],
        &["--data", elsewhere, "backup", file],
        &["--database", "sqlite:nothing.db", "add-user", "ada"],
        &["add-user", "ada", "--database", "sqlite:nothing.db"],
        &["backup", file, "--data", elsewhere],
    ] {
        let done = admin(home.path(), words);
        assert!(!done.status.success(), "{words:?}: {}", said(&done));
        let text = said(&done);
        assert!(text.contains("no arena") || text.contains("cannot open the database"), "{words:?}: {text}");
    }
    let left: Vec<_> = fs::read_dir(home.path()).expect("it is there").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    // A database without an arena in it is none, either.
    fs::write(home.path().join("empty.db"), "").expect("there is room");
    let done = admin(home.path(), &["--database", "sqlite:empty.db", "backup", file]);
    assert!(!done.status.success() && said(&done).contains("no arena"), "{}", said(&done));
}

#[test]
fn backup_and_restore_go_as_documented() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    let arena = Arena::serve(home);
    let secret = arena.secret.clone().expect("nobody administrates yet");
    let who = r#""name": "ada", "password": "correct horse""#;
    assert_eq!(arena.post("/api/register", &format!("{{{who}}}")).0, 403, "a stranger");
    let opened = arena.post("/api/register", &format!("{{{who}, \"secret\": \"{secret}\"}}"));
    assert!(opened.0 == 200 && opened.1.contains("\"admin\":true"), "{}", opened.1);
    fs::write(home.join("opened"), "").expect("there is room");
    let data = home.join(".local/share/leitai");
    fs::create_dir_all(data.join("vault/sources")).expect("there is room");
    fs::write(data.join("vault/sources/one"), "a source").expect("there is room");

    let [backup, restore] = &blocks("Backup")[..] else { panic!("a block for each") };
    fs::create_dir(home.join("backup")).expect("there is room");
    follow(home, backup);
    let again = admin(home, &["backup", home.join("backup/arena-2026-01-01.db").to_str().expect("UTF-8")]);
    assert!(!again.status.success(), "it overwrites nothing: {}", said(&again));
    arena.stop();
    fs::remove_dir_all(&data).expect("the disk is lost");
    follow(home, restore);
    assert_eq!(fs::read_to_string(data.join("vault/sources/one")).expect("it is back"), "a source");
    let arena = Arena::serve(home);
    assert_eq!(arena.post("/api/login", &format!("{{{who}}}")).0, 200, "ada is back");
    let made = admin(home, &["add-user", "grace"]);
    assert!(
        made.status.success() && said(&made).contains("arena.db"),
        "it says which arena: {}",
        said(&made)
    );
    // The options of the place stand behind the subcommand, too.
    let named = ["worker-token", "hall-2", "--data", data.to_str().expect("UTF-8"), "--replays", "file:///x"];
    let made = admin(home, &named);
    assert!(made.status.success() && said(&made).contains("LEITAI_WORKER_TOKEN="), "{}", said(&made));
    arena.stop();
}

#[test]
fn a_postgres_that_is_not_there_is_said() {
    let home = TempDir::new().expect("a folder");
    let address = "postgres://leitai:se@cret@127.0.0.1:1/leitai";
    for words in [&["serve", "--database", address][..], &["admin", "add-user", "ada", "--database", address]]
    {
        let mut timeout = at_home(home.path(), "timeout");
        let done = timeout.args(["20", BINARY]).args(words).output().expect("the binary starts");
        let text = said(&done);
        assert_eq!(done.status.code(), Some(1), "{words:?}: {text}");
        for part in ["postgres://leitai:…@127.0.0.1:1/leitai", "refused", "check that it runs"] {
            assert!(text.contains(part), "{words:?} lacks {part:?}: {text}");
        }
        assert!(!text.contains("cret"), "{text}");
    }
}

/// A small disk at a folder, as long as it lives.
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
    let mounted =
        mount.args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]).arg(home.path()).stderr(Stdio::null());
    if !mounted.status().is_ok_and(|status| status.success()) {
        return eprintln!("NOT TESTED: only root mounts a small disk");
    }
    let _disk = SmallDisk(home.path());
    let mut arena = Arena::serve(home.path());
    let mut filler = fs::File::create(home.path().join("filler")).expect("an empty file");
    while filler.write_all(&[7; 4096]).is_ok() {}
    let secret = arena.secret.clone().expect("nobody administrates yet");
    let who = format!(r#"{{"name": "ada", "password": "correct horse", "secret": "{secret}"}}"#);
    let refused = arena.post("/api/register", &who);
    assert_eq!(refused.0, 500, "{}", refused.1);
    // Whatever it still wants to write: it ends, as a service must, and says how.
    let id = arena.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill runs").success());
    let begun = Instant::now();
    let status = loop {
        match arena.child.try_wait().expect("it is ours") {
            Some(status) => break status,
            None => assert!(begun.elapsed() < Duration::from_secs(120), "it does not end"),
        }
        std::thread::yield_now();
    };
    assert!(status.code().is_some(), "it was not killed: {status}");
}
