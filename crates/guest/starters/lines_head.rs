//! JSON lines for bots in Rust.
#![allow(dead_code)]

pub type Cell = (i32, i32);
