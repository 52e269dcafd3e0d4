//! The module's side of `leitai-game/1`, the interface between Leitai and the rules of a game that
//! are a WebAssembly module (`docs/game-files.md`). One line makes a module from an implementation
//! of [`Game`](leitai_game::Game):
//!
//! ```text
//! leitai_module::export_game!(my_game::Position);
//! ```
//!
//! | module | noun |
//! |---|---|
//! | [`wire`] | the bytes of requests and answers; Leitai's side uses it, too |
//! | [`answer`] | answers requests from a typed game |
//! | `abi` | the exported functions; in WebAssembly only |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

#[cfg(target_arch = "wasm32")]
pub mod abi;
pub mod answer;
#[cfg(target_arch = "wasm32")]
mod macros;
pub mod wire;

/// Exports the functions of `leitai-game/1` for a game, the type of whose positions is named; with
/// `bots` after it also its built-in bots. On
/// other targets than WebAssembly it does nothing.
#[cfg(not(target_arch = "wasm32"))]
#[macro_export]
macro_rules! export_game {
    ($position:ty $(, bots)?) => {
        #[doc(hidden)]
        pub type Exported = $position;
    };
}
