//! A NATS server for the duration of a test: the real program, which `./dev test` installs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::ports::find_port;

/// A server that is killed when the value is dropped, also in a panic.
pub struct NatsServer {
    program: PathBuf,
    folder: TempDir,
    port: u16,
    /// Further words of its command line.
    words: Vec<String>,
    process: Option<Child>,
}

impl NatsServer {
    /// Starts a server that asks for a password. Prints a loud note and returns `None` where
    /// nats-server is not installed; panics if `LEITAI_REQUIRE_NATS` is 1.
    pub fn start() -> Option<NatsServer> {
        NatsServer::start_with("")
    }

    /// The same, with JetStream on the disk and these lines in the configuration.
    #[allow(dead_code, reason = "every test binary uses its part")]
    pub fn start_with_jetstream(more: &str) -> Option<NatsServer> {
        let jetstream = "jetstream: { store_dir: jetstream, max_file_store: 100MB }\n";
        NatsServer::start_with(&format!("{jetstream}{more}"))
    }

    /// Lines of the configuration for secured connections alone, with these files.
    pub fn lines_for_tls([certificate, key]: &[String; 2]) -> String {
        format!("tls {{ cert_file: \"{certificate}\", key_file: \"{key}\" }}\n")
    }

    /// The same as [`NatsServer::start`], with these lines in the configuration.
    pub fn start_with(more: &str) -> Option<NatsServer> {
        // What docs/operating.md tells an operator to allow, and a user who may do nothing.
        let users = "authorization: { users: [\n\
               { user: arena, password: \"se:cret\", permissions: { publish: [\"leitai.>\", \"_INBOX.>\"], \
             subscribe: [\"leitai.>\", \"_INBOX.>\"] } }\n\
               { user: batch, password: \"se:cret\", permissions: { publish: [\"leitai.batch.>\", \
             \"_INBOX.>\", \"$JS.>\", \"$O.>\"], subscribe: [\"leitai.batch.>\", \"_INBOX.>\"] } }\n\
               { user: guest, password: guest, permissions: { publish: \"no\", subscribe: \"no\" } }\n\
             ] }\n";
        NatsServer::configure(&format!("{more}{users}"), &[])
    }

    /// A server with these words on its command line, and nothing but its address in its
    /// configuration.
    #[allow(dead_code, reason = "every test binary uses its part")]
    pub fn start_with_words(words: &[String]) -> Option<NatsServer> {
        NatsServer::configure("", words)
    }

    fn configure(lines: &str, words: &[String]) -> Option<NatsServer> {
        let installed = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../target/venv/bin/nats-server"
        );
        let program = std::env::var_os("LEITAI_NATS").map_or(installed.into(), PathBuf::from);
        if !program.exists() {
            let required = std::env::var("LEITAI_REQUIRE_NATS").is_ok_and(|value| value == "1");
            assert!(!required, "nats-server is not installed: run ./dev test");
            eprintln!(
                "NOT TESTED: several servers, as there is no nats-server; `./dev test` installs it, \
                 or name one in LEITAI_NATS"
            );
            return None;
        }
        let port = find_port();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = format!("listen: 127.0.0.1:{port}\n{lines}");
        fs::write(folder.path().join("nats.conf"), config).expect("own folder");
        let mut server = NatsServer {
            program,
            folder,
            port,
            words: words.to_vec(),
            process: None,
        };
        server.start_again();
        Some(server)
    }

    /// Its address with the user of an arena.
    pub fn url(&self) -> String {
        self.url_of("arena:se%3Acret")
    }

    /// Its address with this user and password.
    pub fn url_of(&self, who: &str) -> String {
        format!("nats://{who}@127.0.0.1:{}", self.port)
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("it runs");
            process.wait().expect("it is ours");
        }
    }

    /// Starts it on the same port, after [`NatsServer::kill`].
    pub fn start_again(&mut self) {
        let mut process = Command::new("setpriv")
            .arg("--pdeathsig=KILL")
            .arg(self.program.canonicalize().expect("it is there"))
            .current_dir(self.folder.path())
            .arg("--config")
            .arg(self.folder.path().join("nats.conf"))
            .args(&self.words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("nats-server starts");
        let mut log = BufReader::new(process.stderr.take().expect("piped")).lines();
        let is_ready = log
            .by_ref()
            .map_while(Result::ok)
            .any(|line| line.contains("Server is ready"));
        assert!(is_ready, "nats-server does not start on port {}", self.port);
        // Its log is read until its end, so that it never waits for the pipe.
        std::thread::spawn(move || log.for_each(drop));
        self.process = Some(process);
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}
