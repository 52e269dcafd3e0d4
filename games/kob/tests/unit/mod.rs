//! Tests of single modules. The crate has no test binary of its own: it would be compiled twice.

mod board;
mod encode;
mod hosts;
mod java_random;
mod map;
mod position;
mod setup;
