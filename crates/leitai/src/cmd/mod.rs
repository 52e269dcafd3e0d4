//! The commands, one file each.

pub mod admin;
pub mod analyze;
pub mod bots;
pub mod check;
pub mod compare;
pub mod completions;
pub mod doctor;
pub mod download;
pub mod each_turn;
pub mod games;
pub mod ladder;
pub mod limits;
pub mod login;
pub mod logs;
pub mod r#match;
pub mod matches;
pub mod new;
pub mod parity;
pub mod play;
pub mod rate;
pub mod regress;
pub mod replay;
pub mod serve;
pub mod submit;
pub mod tournament;
pub mod worker;
