//! A bus, workers and a folder: real processes, which are killed when they are dropped.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::nats::NatsServer;

/// The longest wait on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(600);
/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(20);
/// The user of batches, as docs/operating.md has it.
pub const USER: &str = "batch:se%3Acret";

/// A bus and a folder.
pub struct Site {
    pub nats: NatsServer,
    folder: TempDir,
}

/// A process in a group of its own, which is killed when the value is dropped.
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Site {
    /// `None` where nats-server is not installed.
    pub fn start() -> Option<Site> {
        Site::start_with("")
    }

    /// With these lines in the configuration of the bus.
    pub fn start_with(more: &str) -> Option<Site> {
        let nats = NatsServer::start_with_jetstream(more)?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        Some(Site { nats, folder })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn bus(&self) -> String {
        self.nats.url_of(USER)
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("/usr/bin/setpriv");
        command
            .arg("--pdeathsig=KILL")
            .arg(env!("CARGO_BIN_EXE_leitai"))
            .args(words)
            .current_dir(self.folder.path())
            .env("LC_ALL", "C")
            .env("LEITAI_ISOLATION", "none")
            .env("LEITAI_CACHE", "off")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the binary starts")
    }

    /// Runs a series on the workers of the bus.
    pub fn run_on_bus(&self, words: &[&str]) -> Output {
        self.run(&[words, &["--on", &self.bus()]].concat())
    }

    /// Starts a series on the workers of the bus.
    pub fn begin_on_bus(&self, words: &[&str]) -> Process {
        let command = self.command(&[words, &["--on", &self.bus()]].concat());
        self.begin(command, "asker")
    }

    /// Starts a worker, and waits until it is attached.
    pub fn work(&self, name: &str) -> Process {
        let bus = self.bus();
        let command = self.command(&["worker", "--bus", &bus, "--name", name, "--slots", "1"]);
        self.attach(command, name)
    }

    /// Starts three workers.
    pub fn three_workers(&self) -> Vec<Process> {
        ["w1", "w2", "w3"].map(|name| self.work(name)).into()
    }

    pub fn attach(&self, mut command: Command, name: &str) -> Process {
        let log = self.new_log(name);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(File::create(&log).expect("own folder"))
            .spawn()
            .expect("it starts");
        let mut first = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        stdout.read_line(&mut first).expect("a line");
        let process = Process { child, log };
        assert!(
            first.contains("matches at once: 1"),
            "{first:?}: {}",
            process.log()
        );
        assert!(!first.contains("se%3Acret"), "{first:?}");
        process
    }

    /// A file for what a process says that nobody else writes to.
    fn new_log(&self, name: &str) -> PathBuf {
        let mut logs = (1..).map(|number| self.path(&format!("{name}-{number}.log")));
        logs.find(|log| !log.exists()).expect("a number is free")
    }

    fn begin(&self, mut command: Command, name: &str) -> Process {
        let log = self.new_log(name);
        let file = File::create(&log).expect("own folder");
        let child = command
            .stdout(file.try_clone().expect("a file"))
            .stderr(file)
            .spawn()
            .expect("it starts");
        Process { child, log }
    }

    /// Matches in a folder's journal, without what differs from run to run, in their order.
    #[track_caller]
    pub fn journal(&self, folder: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(folder).join("journal.jsonl")).expect("a journal");
        let mut lines: Vec<Value> = text
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        for line in &mut lines {
            for game in ["game", "other_leg"] {
                if let Some(game) = line.get_mut(game).and_then(Value::as_object_mut) {
                    game.remove("times");
                }
            }
        }
        lines.sort_by_key(Value::to_string);
        lines
    }

    /// The replays of a folder by name, without what differs from run to run.
    pub fn replays(&self, folder: &str) -> BTreeMap<String, Value> {
        let files = fs::read_dir(self.path(folder).join("replays")).expect("a folder");
        let read = |path: &Path| {
            let text = fs::read_to_string(path).expect("a file");
            let mut replay: Value = serde_json::from_str(&text).expect("JSON");
            let all = replay.as_object_mut().expect("an object");
            all.remove("recorded");
            for leg in all["legs"].as_array_mut().expect("legs") {
                let leg = leg.as_object_mut().expect("an object");
                leg.retain(|key, _| {
                    ["replies", "hashes", "final_hash", "outcome", "faults"].contains(&key.as_str())
                });
            }
            replay
        };
        files
            .map(|file| file.expect("a file").path())
            .map(|path| {
                (
                    path.file_name().expect("a name").to_string_lossy().into(),
                    read(&path),
                )
            })
            .collect()
    }

    /// Asserts that two folders hold the same matches with the same replays.
    #[track_caller]
    pub fn assert_same(&self, one: &str, other: &str, matches: usize) {
        let [journal, expected] = [one, other].map(|folder| self.journal(folder));
        assert_eq!(journal.len(), matches, "every match counts once");
        assert_eq!(journal, expected);
        assert_eq!(self.replays(one), self.replays(other));
    }

    /// Waits until a folder's journal has this many matches.
    #[track_caller]
    pub fn wait_for_matches(&self, folder: &str, count: usize) {
        let journal = self.path(folder).join("journal.jsonl");
        let lines = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        wait_until(|| lines() > count);
    }

    /// What the bus answers to a request about its streams.
    pub fn ask_bus(&self, subject: &str, body: &str) -> String {
        let address = self.nats.url_of("").replace("nats://@", "");
        let mut stream = TcpStream::connect(address).expect("it listens");
        let hello = "CONNECT {\"verbose\":false,\"user\":\"batch\",\"pass\":\"se:cret\"}\r\n";
        let asked = format!(
            "{hello}SUB _INBOX.ask 1\r\nPUB {subject} _INBOX.ask {}\r\n{body}\r\nPING\r\n",
            body.len()
        );
        stream.write_all(asked.as_bytes()).expect("it listens");
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        while !line.starts_with("MSG _INBOX.ask") {
            line.clear();
            assert!(lines.read_line(&mut line).expect("it answers") > 0);
        }
        let length = line
            .trim()
            .rsplit(' ')
            .next()
            .and_then(|word| word.parse().ok());
        let mut answer = vec![0; length.expect("a length")];
        lines.read_exact(&mut answer).expect("it answers");
        String::from_utf8(answer).expect("JSON")
    }

    /// The names of the streams on the bus.
    pub fn streams(&self) -> Vec<String> {
        let answer: Value =
            serde_json::from_str(&self.ask_bus("$JS.API.STREAM.NAMES", "")).expect("JSON");
        serde_json::from_value(answer["streams"].clone()).unwrap_or_default()
    }
}

impl Process {
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it is ours");
    }

    /// Stops it as a service manager does, and gives its exit status.
    pub fn stop(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let told = Command::new("kill").args(["-TERM", &id]).status();
        assert!(told.expect("kill runs").success());
        self.wait()
    }

    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits for its end, and gives its exit status.
    pub fn wait(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("it is ours") {
                return status.code();
            }
            assert!(Instant::now() < deadline, "it does not end: {}", self.log());
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until its log has this text.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        let begun = Instant::now();
        while !self.log().contains(text) {
            assert!(begun.elapsed() < PATIENCE, "no {text:?} in {}", self.log());
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
pub fn wait_until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it does not become so");
        std::thread::sleep(LOOK);
    }
}
