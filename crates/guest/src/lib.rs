//! Guest games: games whose rules are a WebAssembly module that speaks `leitai-game/1`
//! (`docs/game-files.md`), behind the same interface as the house's own.
//!
//! | module | noun |
//! |---|---|
//! | [`mod@file`] | [`GameFile`]: the rules with what belongs to them, as a folder or one file |
//! | [`game`] | [`GuestGame`], a loaded game |
//! | [`check`] | the checks of rules, with the shortest input that fails |
//! | [`limits`] | what a module may take |
//! | [`module`] | a checked module |
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
//! A module sees its request and nothing else: no clock, no chance, no file, no earlier call.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

mod action_list;
mod assessor;
pub mod bots;
mod calls;
pub mod check;
mod export_bot;
pub mod file;
pub mod game;
mod instance;
mod json_lines;
mod leg;
mod levels;
pub mod limits;
pub mod logic;
pub mod messages;
pub mod module;
pub mod picture;

mod random_bot;
mod search;
pub mod starters;

pub use bots::{BotKind, GuestBot};
pub use file::GameFile;
pub use game::{GuestGame, GuestMeta};
pub use limits::Limits;
pub use logic::LogicGame;
pub use module::InvalidModule;
