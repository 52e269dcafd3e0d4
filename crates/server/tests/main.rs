//! The tests of this crate in one binary, so that the workspace links less.

mod accounts;
mod admin;
mod bots;
mod engine;
mod kill;
mod kit;
mod matches;
mod people;
mod service;
mod stage;
mod templates;
mod worker;
