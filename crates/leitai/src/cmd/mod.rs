//! One file a command.

pub mod bots;
pub mod check;
pub mod doctor;
pub mod each_turn;
pub mod games;
pub mod manual;
pub mod r#match;
pub mod parity;
pub mod play;
pub mod replay;
