//! Ports for programs of tests that cannot choose one themselves.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// A port at which nobody listens. It is none of those that the system gives to sockets (on Linux
/// from 32768 on), and no other test of this machine gets it as long as this process lives: so nobody
/// else has it before its program listens, or while that restarts.
pub fn find_port() -> u16 {
    find_ports(1)
}

/// The first of so many ports in a row that are as [`find_port`] says.
pub fn find_ports(wanted: u16) -> u16 {
    const FIRST: u16 = 10_240;
    const COUNT: u64 = 22_000;
    loop {
        let any = RandomState::new().build_hasher().finish() % COUNT;
        let first = FIRST + u16::try_from(any).expect("it is small");
        let is_free = |port| reserve(port) && TcpListener::bind(("127.0.0.1", port)).is_ok();
        if (first..first + wanted).all(is_free) {
            return first;
        }
    }
}

/// Takes the name that stands for a port among tests; `false` if another one has it. The system frees
/// it at the end of the process.
fn reserve(port: u16) -> bool {
    // As long as a name may be: Node, which takes these names too, fills shorter ones.
    let name = SocketAddr::from_abstract_name(format!("leitai-test-port-{port:-<90}"));
    let taken = name.and_then(|name| UnixListener::bind_addr(&name));
    taken.map(std::mem::forget).is_ok()
}
