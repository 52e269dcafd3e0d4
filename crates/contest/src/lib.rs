//! Contests as data: one TOML file says who may enter, what is played when, and what is shown.
//! Everything here is pure: no I/O, and the time is an argument.
//!
//! | module | content |
//! |---|---|
//! | [`mod@file`] | the contest's file, read (`matches`, `stages`) and checked, and the `rules` that it gives; [`problem`]: what is wrong with it, all at once |
//! | [`entry`] | who and what may enter |
//! | [`situations`] | the situation packs that uploads are asked |
//! | [`names`] | the names of accounts and groups in the file |
//! | [`date`] | dates in a named time zone |
//! | [`template`] | a commented file to start from |
//! | [`progress`] | which matches a stage needs now, from its results alone |
//! | [`standing`] | standings with tie-breaks |
//! | [`dry_run`] | matches, hours and the chance that the best entrant wins, before anybody plays |
//! | [`forecast`] | the chance to win and the places that are open while a stage runs |
//!
//! ```
//! let text = leitai_contest::template::contest_file("spring", "kob", 1_800_000_000);
//! let checked = leitai_contest::check_contest(&text, &leitai_contest::Games::none());
//! assert_eq!(checked.unwrap_err().len(), 1, "no game is known here");
//! ```

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod date;
pub mod dry_run;
pub mod entry;
pub mod file;
pub mod forecast;
mod games;
mod matches;
pub mod names;
pub mod progress;
mod rules;
pub mod situations;
mod stages;
pub mod standing;
pub mod template;

pub use file::{Contest, Games, check_contest};
pub use leitai_toml_reader::problem::{self, Problem};
use leitai_toml_reader::table;
