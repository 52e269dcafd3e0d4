//! A proxy between the store and PostgreSQL that cuts a connection at a given message.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use tempfile::TempDir;

use crate::postgres::Postgres;

/// The name of PostgreSQL's socket in its folder.
const SOCKET: &str = ".s.PGSQL.5432";

/// Where to cut.
#[derive(Default)]
struct Plan {
    /// The number of messages before the cut; `None` cuts never.
    after: Option<usize>,
    /// Whether the message at the cut still reaches the server.
    arrives: bool,
    seen: usize,
}

/// A proxy, which lives as long as the process.
pub struct Proxy {
    folder: TempDir,
    plan: Arc<Mutex<Plan>>,
}

impl Proxy {
    pub fn before(server: &Postgres) -> Proxy {
        let folder = tempfile::Builder::new()
            .prefix("leitai-proxy")
            .tempdir()
            .expect("a temporary folder");
        let listener = UnixListener::bind(folder.path().join(SOCKET)).expect("a socket");
        let (plan, target) = (
            Arc::new(Mutex::new(Plan::default())),
            server.folder().join(SOCKET),
        );
        let shared = plan.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                connect(client, target.clone(), &shared);
            }
        });
        Proxy { folder, plan }
    }

    /// The address of a database behind the proxy.
    pub fn address(&self, name: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://leitai@{folder}/{name}")
    }

    /// Cuts the connection on which the message after this many others is sent.
    pub fn cut(&self, after: usize, arrives: bool) {
        *self.plan.lock().expect("nobody panicked") = Plan {
            after: Some(after),
            arrives,
            seen: 0,
        };
    }

    /// Stops cutting; returns the number of messages so far.
    pub fn heal(&self) -> usize {
        std::mem::take(&mut *self.plan.lock().expect("nobody panicked")).seen
    }
}

fn connect(client: UnixStream, target: PathBuf, plan: &Arc<Mutex<Plan>>) {
    let server = UnixStream::connect(target).expect("PostgreSQL is there");
    let (plan, from_server) = (plan.clone(), server.try_clone().expect("a handle"));
    let to_client = client.try_clone().expect("a handle");
    thread::spawn(move || {
        forward(client, server, |_| {
            plan.lock().expect("nobody panicked").next()
        })
    });
    thread::spawn(move || forward(from_server, to_client, |_| Fate::Passes));
}

/// What happens to a message.
enum Fate {
    Passes,
    Arrives,
    IsLost,
}

impl Plan {
    fn next(&mut self) -> Fate {
        self.seen += 1;
        match self.after {
            Some(after) if self.seen == after + 1 && self.arrives => Fate::Arrives,
            Some(after) if self.seen == after + 1 => Fate::IsLost,
            _ => Fate::Passes,
        }
    }
}

/// Forwards until one end closes or the connection is cut; then closes both.
fn forward(mut from: UnixStream, mut to: UnixStream, fate: impl Fn(&[u8]) -> Fate) {
    let mut buffer = [0; 64 << 10];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let message = &buffer[..length];
        let goes_on = match fate(message) {
            Fate::Passes => to.write_all(message).is_ok(),
            Fate::Arrives => {
                // The client of the answer is gone.
                let _ = from.shutdown(Shutdown::Both);
                let _ = to.write_all(message);
                false
            }
            Fate::IsLost => false,
        };
        if !goes_on {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Write);
}
