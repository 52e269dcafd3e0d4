//! Tests of single modules. The crate has no test binary of its own: it would be compiled twice.

mod board;
mod clean_text;
mod encode_packed;
mod encode_symmetry;
mod frames;
mod hash;
mod lang;
mod rating_scale;
mod replay_signature;
mod replay_verify;
mod reply;
mod rng;
mod search_budget;
mod seat;
