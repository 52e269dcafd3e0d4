//! One file a command.

pub mod bots;
pub mod check;
pub mod compare;
pub mod doctor;
pub mod each_turn;
pub mod games;
pub mod ladder;
pub mod manual;
pub mod r#match;
pub mod parity;
pub mod play;
pub mod regress;
pub mod replay;
pub mod tournament;
