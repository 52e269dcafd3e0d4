//! Guest games: games whose rules are a WebAssembly module that speaks `leitai-game/1`
//! (`docs/game-files.md`), behind the same interface as the house's own.
//!
//! | module | noun |
//! |---|---|
//! | [`mod@file`] | [`GameFile`]: the rules with what belongs to them, as a folder or one file |
//! | [`game`] | [`GuestGame`], a loaded game |
//! | [`check`] | the checks of rules, with the shortest input that fails |
//! | [`meta`] | what its file says beside the rules |
//! | [`limits`] | what a module may take |
//! | `module` | a checked module |
//! | [`machine`] | what runs a module: `interpreter`, or the browser in a page |
//! | [`page_rules`], `prepare` | the rules as the engine in a page needs them |
//! | `sections` | the parts of a module's bytes |
//! | [`logic`] | [`LogicGame`]: a game that a program of somebody else leads |
//! | `instance` | a running module; its state, put back before each call |
//! | `leg` | a setup and a position |
//! | [`picture`] | what terminals draw of a view |
//! | `search` | a tree search over its rules, counted in playouts |
//! | `levels` | built-in bots that search |
//! | `assessor` | what its positions are worth, by the same search |
//! | `calls` | requests and answers, by name |
//! | [`bots`] | its built-in bots: a list of kinds |
//! | [`starters`] | what authors of bots begin with |
//! | `export_bot` | a bot that is a function of the module |
//! | `json_lines`, `random_bot`, `action_list` | what a guest game has without bringing it: a protocol, a bot, keys |
//!
//! What a page has no use for is not compiled for it: game files, programs and terminals.
//!
//! A module sees its request and nothing else: no clock, no chance, no file, no earlier call.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    target_family = "wasm",
    allow(
        dead_code,
        unused_imports,
        reason = "a page reads no game files and runs no programs"
    )
)]

#[cfg(not(target_family = "wasm"))]
mod action_list;
mod assessor;
pub mod bots;
mod calls;
#[cfg(not(target_family = "wasm"))]
pub mod check;
mod export_bot;
#[cfg(not(target_family = "wasm"))]
pub mod file;
pub mod game;
mod instance;
#[cfg(not(target_family = "wasm"))]
mod interpreter;
#[cfg(not(target_family = "wasm"))]
mod json_lines;
mod leg;
mod levels;
pub mod limits;
#[cfg(not(target_family = "wasm"))]
pub mod logic;
pub mod machine;
pub mod messages;
pub mod meta;
#[cfg(not(target_family = "wasm"))]
mod module;
pub mod page_rules;
#[cfg(not(target_family = "wasm"))]
pub mod picture;
#[cfg(not(target_family = "wasm"))]
mod prepare;
mod random_bot;
mod search;
#[cfg(not(target_family = "wasm"))]
mod sections;
#[cfg(not(target_family = "wasm"))]
pub mod starters;

pub use bots::{BotKind, GuestBot};
#[cfg(not(target_family = "wasm"))]
pub use file::GameFile;
pub use game::GuestGame;
pub use limits::Limits;
#[cfg(not(target_family = "wasm"))]
pub use logic::LogicGame;
pub use machine::InvalidModule;
pub use meta::GuestMeta;
#[cfg(not(target_family = "wasm"))]
pub use prepare::prepare_for_page;
