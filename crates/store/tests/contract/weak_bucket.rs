//! A bucket that fails when it is told to.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::s3::variables;

/// A server that looks like an empty bucket and fails when it is told to.
pub struct WeakBucket {
    port: u16,
    plan: Arc<Mutex<Failures>>,
}

/// The requests that fail from now on.
#[derive(Default)]
struct Failures {
    left: usize,
    /// Whether nothing is answered to them.
    silent: bool,
}

impl WeakBucket {
    pub fn start() -> WeakBucket {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let plan = Arc::new(Mutex::new(Failures::default()));
        let shared = plan.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let plan = shared.clone();
                thread::spawn(move || answer_as_bucket(client, &plan));
            }
        });
        WeakBucket { port, plan }
    }

    /// From now on so many requests fail: with status 503, or without a word.
    pub fn fail(&self, left: usize, silent: bool) {
        *self.plan.lock().expect("no panic") = Failures { left, silent };
    }

    /// The variables that describe it.
    pub fn variables(&self) -> Vec<(String, String)> {
        variables(self.port, "any", "any")
    }
}

/// Answers the one request of a connection.
fn answer_as_bucket(mut client: TcpStream, plan: &Mutex<Failures>) {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = client.read(&mut buffer) {
        bytes.extend(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let Some((head, _)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.split("content-length: ").nth(1);
        let length = length.and_then(|rest| rest.lines().next()?.parse::<usize>().ok());
        if bytes.len() >= head.len() + 4 + length.unwrap_or(0) {
            break;
        }
    }
    let failure = {
        let mut plan = plan.lock().expect("no panic");
        let fails = plan.left > 0;
        plan.left = plan.left.saturating_sub(1);
        fails.then_some(plan.silent)
    };
    let (status, body) = match failure {
        // The other side gives up.
        Some(true) => return drop(client.read(&mut buffer)),
        Some(false) => ("503 Slow Down", ""),
        None if bytes.starts_with(b"GET") => ("200 OK", LISTED),
        None if bytes.starts_with(b"POST") => ("200 OK", DELETED),
        None => ("200 OK", ""),
    };
    let length = body.len();
    let _ = write!(
        client,
        "HTTP/1.1 {status}\r\netag: \"0\"\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
}

/// The list of an empty bucket.
const LISTED: &str =
    "<ListBucketResult><Name>arena</Name><IsTruncated>false</IsTruncated></ListBucketResult>";

/// The answer to a deletion, which is asked for by POST.
const DELETED: &str = "<DeleteResult><Deleted><Key>.leitai-probe</Key></Deleted></DeleteResult>";
