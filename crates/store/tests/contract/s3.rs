//! An S3-compatible server for the duration of a test: moto's, a real process that checks names, keys
//! and signatures as the service does.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::ports::find_port;

/// A server that stops when the value is dropped, also in a panic.
pub struct S3Server {
    process: Child,
    port: u16,
}

/// The time limit of its start.
const PATIENCE: Duration = Duration::from_secs(300);

impl S3Server {
    /// Prints a loud note and returns `None` where moto is not installed; panics if
    /// `LEITAI_REQUIRE_S3` is 1.
    pub fn start() -> Option<S3Server> {
        // Another version than the one that `./dev test` installs may check signatures differently.
        let installed = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../target/venv/bin/moto_server"
        );
        let program = std::env::var_os("LEITAI_MOTO").map_or(installed.into(), PathBuf::from);
        let port = find_port();
        let started = Command::new(program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = started else {
            let required = std::env::var("LEITAI_REQUIRE_S3").is_ok_and(|value| value == "1");
            assert!(!required, "moto is not installed: run ./dev test");
            eprintln!(
                "NOT TESTED: S3, as there is no moto_server; `./dev test` installs it, or name one \
                 in LEITAI_MOTO"
            );
            return None;
        };
        let server = S3Server { process, port };
        server.wait();
        Some(server)
    }

    /// The variables that describe it, with these keys.
    pub fn variables(&self, id: &str, secret: &str) -> Vec<(String, String)> {
        variables(self.port, id, secret)
    }

    /// Makes an empty bucket.
    pub fn make_bucket(&self, name: &str) {
        let answer = self.send(&format!("PUT /{name}"), "");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    /// From now on requests need the keys of an account that may do everything; returns the id and
    /// the secret.
    pub fn require_keys(&self) -> (String, String) {
        let call = |action: &str, rest: &str| {
            let body = format!("Action={action}&Version=2010-05-08&UserName=arena{rest}");
            self.send("POST /?x-service=iam", &body)
        };
        call("CreateUser", "");
        let policy = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}"#;
        let policy = policy
            .bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect::<String>();
        call(
            "PutUserPolicy",
            &format!("&PolicyName=all&PolicyDocument={policy}"),
        );
        let made = call("CreateAccessKey", "");
        let value = |tag: &str| {
            let (_, rest) = made
                .split_once(&format!("<{tag}>"))
                .unwrap_or_else(|| panic!("no {tag}: {made}"));
            rest.split('<').next().expect("a value").to_owned()
        };
        let keys = (value("AccessKeyId"), value("SecretAccessKey"));
        let answer = self.send("POST /moto-api/reset-auth", "0");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        keys
    }

    fn wait(&self) {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(start.elapsed() < PATIENCE, "moto did not start");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn send(&self, request: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        // The credential scope tells moto which service is meant.
        let service = if request.contains("iam") { "iam" } else { "s3" };
        let request = request.replace("?x-service=iam", "");
        let content = match service {
            "iam" => "application/x-www-form-urlencoded",
            _ => "text/plain",
        };
        write!(
            stream,
            "{request} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\n\
             content-type: {content}\r\ncontent-length: {}\r\n\
             authorization: AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/{service}/aws4_request, \
             SignedHeaders=host, Signature=0\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("it hears");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn variables(port: u16, id: &str, secret: &str) -> Vec<(String, String)> {
    [
        ("AWS_ENDPOINT", format!("http://127.0.0.1:{port}").as_str()),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", id),
        ("AWS_SECRET_ACCESS_KEY", secret),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}
