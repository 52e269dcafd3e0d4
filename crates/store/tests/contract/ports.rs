//! Ports for programs of tests that cannot choose one themselves.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::TcpListener;

/// A port at which nobody listens. It is none of those that the system gives to sockets (on Linux
/// from 32768 on), so that nobody else gets it before its program listens, or while that restarts.
pub fn find_port() -> u16 {
    const FIRST: u16 = 10_240;
    const COUNT: u64 = 22_000;
    loop {
        let any = RandomState::new().build_hasher().finish() % COUNT;
        let port = FIRST + u16::try_from(any).expect("it is small");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
