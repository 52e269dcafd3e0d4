//! `deploy/cluster`, with which an operator tries several servers on one machine.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::fleet::{SHORT, wait_until};
use crate::nats::NatsServer;
use crate::ports::find_ports;
use crate::postgres::Postgres;

/// The ports that the script uses.
const PORTS: u16 = 5;

/// The script, which is killed when the value is dropped; its parts end with it.
struct Cluster(Child);

impl Drop for Cluster {
    fn drop(&mut self) {
        // It may have ended already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[test]
fn the_script_of_operators_brings_up_an_arena_of_several_servers() {
    if Postgres::shared().is_none() || NatsServer::start().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let port = find_ports(PORTS);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/cluster");
    // Tests may run in the background, where SIGINT is ignored; a script cannot change that itself.
    let mut child = Command::new("env")
        .arg("--default-signal=INT")
        .arg(script)
        .arg(folder.path())
        .env("LEITAI", env!("CARGO_BIN_EXE_leitai"))
        .env("LEITAI_ISOLATION", "none")
        .env("LEITAI_LADDER_EVERY", "1s")
        .env("LEITAI_LADDER_CONFIG", SHORT)
        .env("LEITAI_CLUSTER_PORT", port.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let said = BufReader::new(child.stdout.take().expect("piped"));
    let mut cluster = Cluster(child);
    let is_there = said
        .lines()
        .map_while(Result::ok)
        .any(|line| line.contains("Ctrl-C ends it"));
    assert!(is_there, "it ended: {:?}", cluster.0.wait());
    let played = |port: u16| -> Option<Value> {
        let url = format!("http://127.0.0.1:{port}/api/matches?state=finished&limit=1");
        let mut answer = ureq::get(url).call().ok()?;
        let page: Value = answer.body_mut().read_json().ok()?;
        page["items"].get(0).cloned()
    };
    for port in [port, port + 1] {
        wait_until("matches are played", || played(port).is_some());
    }
    let told = Command::new("kill")
        .args(["-INT", &cluster.0.id().to_string()])
        .status();
    assert!(told.expect("kill runs").success());
    assert!(cluster.0.wait().expect("it is ours").success());
    for port in port..port + PORTS {
        TcpListener::bind(("127.0.0.1", port)).expect("nobody listens any more");
    }
}
