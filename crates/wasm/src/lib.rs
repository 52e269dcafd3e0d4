//! The engine in the page: rules, built-in bots, replays and analysis for WebAssembly.
//!
//! | module | noun |
//! |---|---|
//! | [`request`] | a call with its values and a file, as bytes |
//! | [`engine`] | answers requests |
//! | `play`, `save` | a leg that is played on; what was played, as a replay file |
//! | `games`, `page_module` | the games: the house's, and those of game files, whose modules the browser runs |
//! | `abi` | the functions that JavaScript calls; in WebAssembly only |
//!
//! The page calls it in a worker (`web/src/lib/engine`). Everything but `abi` runs natively, too,
//! and is tested so.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

#[cfg(target_arch = "wasm32")]
mod abi;
mod catalogue;
pub mod engine;
mod errors;
mod games;
mod messages;
mod page_module;
mod play;
mod positions;
pub mod request;
mod save;

pub use engine::answer_request;
