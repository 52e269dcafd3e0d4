//! The kit of tests that every game must pass.
//!
//! [`check_game`] plays random legs of a game and holds them against the contract of [`crate::Game`];
//! [`check_erased`] does the same without types, leaving out what only types can show. A game's own
//! tests call it once for each config that changes what can happen:
//!
//! ```text
//! let report = conformance::check::<Position>(&Options::default()).expect("SnakeGo keeps the
//! contract"); println!("{report}");
//! ```
//!
//! The kit does not catch panics: a game that panics fails the test that runs the kit. Every check
//! can be called alone on a [`RandomLegs`]; [`CHECKS`] lists them by name. That the kit rejects
//! broken games is shown by planted faults in `crates/game/tests/conformance.rs`.

mod bots;
mod faults;
mod legs;
mod moves;
mod mutate;
mod protocols;
mod random_legs;
mod replays;
mod setups;
mod typed;
mod views;

use std::fmt;

use serde_json::Value;

use crate::erased::{AnyGame, Erased};
use crate::package::GamePackage;

pub use bots::bots_say_legal_actions;
pub use faults::{
    faults_cost_the_offender, missing_replies_are_timeouts, unasked_replies_are_ignored,
};
pub use legs::{clones_are_independent, over_is_over, same_replies_same_states, verdict_is_total};
pub use moves::{legal_agrees_with_check, notation_is_plain, samples_are_legal};
pub use mutate::{list_paths, mutate_value};
pub use protocols::{json_lines_read_back, speak_protocols};
pub use random_legs::{
    KeptReplies, RandomLeg, RandomLegs, as_text, random_leg_tokens, random_replies,
};
pub use replays::{formats_read_back, planted_changes_are_found, replays_verify};
pub use setups::{mutated_configs_are_checked, mutated_setups_are_checked, setups_read_back};
pub use typed::{actions_read_back, equal_texts_mean_equal_positions, setups_stay_equal};
pub use views::{
    keys_name_actions, meta_is_sound, pictures_are_drawn, state_text_is_hashed, views_are_shown,
};

/// What the kit plays, and how much of it.
#[derive(Clone, Debug)]
pub struct ConformanceOptions {
    /// All chance of the kit comes from this seed.
    pub seed: u64,
    /// The choices with which setups are dealt; `null` for the default config.
    pub config: Value,
    /// Random legs played; every second one by careful players, who avoid losing score, so that it
    /// lasts longer.
    pub legs: usize,
    /// Positions of each leg that are looked at closely: the first, the last before the end, some
    /// in between.
    pub probes: usize,
    /// Most steps a leg may take.
    pub max_steps: usize,
    /// Damaged setups and configs that are tried.
    pub mutations: usize,
    /// Legs that every built-in bot plays on either seat.
    pub bot_legs: usize,
    /// Whether [`Game::legal_actions`](crate::Game::legal_actions) lists only some of the actions
    /// that [`Game::check_action`](crate::Game::check_action) accepts.
    pub partial_legal: bool,
    /// Ids of verdict reasons that depend on the order of the legs, so that exchanging the entrants
    /// need not exchange the winner.
    pub ordered_reasons: &'static [&'static str],
}

impl Default for ConformanceOptions {
    fn default() -> ConformanceOptions {
        ConformanceOptions {
            seed: 1,
            config: Value::Null,
            legs: 8,
            probes: 12,
            max_steps: 100_000,
            mutations: 200,
            bot_legs: 1,
            partial_legal: false,
            ordered_reasons: &[],
        }
    }
}

/// The check that failed, and what it saw.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{check}: {what}")]
pub struct ConformanceFailure {
    /// The check's name in [`CHECKS`] or of one of the typed checks.
    pub check: &'static str,
    /// What happened, with the values, as a sentence.
    pub what: String,
}

/// How many cases each check looked at, in the order in which they ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConformanceReport {
    /// Name of the check and number of its cases.
    pub cases: Vec<(&'static str, usize)>,
}

impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cases
            .iter()
            .try_for_each(|(check, cases)| writeln!(f, "{cases:>8} {check}"))
    }
}

/// A check: gives the number of cases it looked at, or what is wrong as a sentence.
pub type Check = fn(&RandomLegs<'_>) -> Result<usize, String>;

/// A check of a game's types, which plays legs of its own.
type TypedCheck = fn(&ConformanceOptions) -> Result<usize, String>;

/// Every check that needs no types, by name. Before them, setting up the [`RandomLegs`] is the
/// check `random-play`.
pub const CHECKS: &[(&str, Check)] = &[
    ("meta", meta_is_sound),
    ("notation", notation_is_plain),
    ("legal-and-check", legal_agrees_with_check),
    ("sample", samples_are_legal),
    ("clones", clones_are_independent),
    ("determinism", same_replies_same_states),
    ("over-is-over", over_is_over),
    ("faults", faults_cost_the_offender),
    ("missing-replies", missing_replies_are_timeouts),
    ("unasked-replies", unasked_replies_are_ignored),
    ("setup-json", setups_read_back),
    ("mutated-setups", mutated_setups_are_checked),
    ("mutated-configs", mutated_configs_are_checked),
    ("views", views_are_shown),
    ("state-text", state_text_is_hashed),
    ("replays", replays_verify),
    ("planted-changes", planted_changes_are_found),
    ("formats", formats_read_back),
    ("protocols", speak_protocols),
    ("json-lines", json_lines_read_back),
    ("bots", bots_say_legal_actions),
    ("verdict", verdict_is_total),
    ("pictures", pictures_are_drawn),
    ("keys", keys_name_actions),
];

/// Runs every check on a game, with those that need its types.
///
/// # Errors
/// The first check that failed, and what it saw.
pub fn check_game<G: GamePackage>(
    options: &ConformanceOptions,
) -> Result<ConformanceReport, ConformanceFailure> {
    let erased = Erased::<G>::new();
    let mut report = check_erased(&erased, options)?;
    let typed: [(&'static str, TypedCheck); 3] = [
        ("typed-notation", actions_read_back::<G>),
        ("equal-texts", equal_texts_mean_equal_positions::<G>),
        ("typed-setups", setups_stay_equal::<G>),
    ];
    for (check, run) in typed {
        let cases = run(options).map_err(|what| ConformanceFailure { check, what })?;
        report.cases.push((check, cases));
    }
    Ok(report)
}

/// Runs every check that needs no types.
///
/// # Errors
/// The first check that failed, and what it saw.
pub fn check_erased(
    game: &dyn AnyGame,
    options: &ConformanceOptions,
) -> Result<ConformanceReport, ConformanceFailure> {
    let random_play = |what| ConformanceFailure {
        check: "random-play",
        what,
    };
    let bench = RandomLegs::new(game, options.clone()).map_err(random_play)?;
    let mut report = ConformanceReport {
        cases: vec![("random-play", bench.played.len())],
    };
    for &(check, run) in CHECKS {
        let cases = run(&bench).map_err(|what| ConformanceFailure { check, what })?;
        report.cases.push((check, cases));
    }
    Ok(report)
}
