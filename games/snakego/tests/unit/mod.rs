//! Tests of single modules. The crate has no test binary of its own: it would be compiled twice.

mod action;
mod board;
mod bots_harvest;
mod bots_playout;
mod encode;
mod items;
mod key;
mod official_playback;
mod position_turn;
mod render;
