//! The conformance kit: the tests that every game must pass.
//!
//! [`check_game`] plays random legs of a game and checks them against the contract of
//! [`crate::Game`]; [`check_erased`] does the same without types and omits the checks that need
//! them. A game's own tests call it once for each config that changes the possible events:
//!
//! ```text
//! let report = conformance::check::<Position>(&Options::default()).expect("SnakeGo keeps the
//! contract"); println!("{report}");
//! ```
//!
//! The kit does not catch panics: a game that panics fails the test that runs the kit. Every check
//! can be called alone on a [`RandomLegs`]; [`CHECKS`] lists them by name.
//! `crates/game/tests/conformance.rs` shows with planted faults that the kit rejects broken games.

mod bots;
mod faults;
mod from_views;
mod guides;
mod legs;
mod moves;
mod mutate;
mod options;
mod protocols;
mod random_legs;
mod replays;
mod setups;
mod shortest;
mod typed;
mod views;

use std::fmt;

use crate::encode::{Encode, Encoded};
use crate::erased::{AnyGame, Erased};
use crate::package::GamePackage;

pub use bots::bots_say_legal_actions;
pub use faults::{
    faults_cost_the_offender, missing_replies_are_timeouts, unasked_replies_are_ignored,
};
pub use from_views::positions_from_views_hold;
pub use guides::check_guide;
pub use legs::{clones_are_independent, over_is_over, same_replies_same_states, verdict_is_total};
pub use moves::{legal_agrees_with_check, notation_is_plain, samples_are_legal};
pub use mutate::{list_paths, mutate_value};
pub use options::ConformanceOptions;
pub use protocols::{json_lines_read_back, speak_protocols};
pub use random_legs::{
    KeptReplies, RandomLeg, RandomLegs, as_text, random_leg_tokens, random_replies,
};
pub use replays::{formats_read_back, planted_changes_are_found, replays_verify};
pub use setups::{mutated_configs_are_checked, mutated_setups_are_checked, setups_read_back};
pub use shortest::{FailingInput, find_shortest_failure};
pub use typed::{actions_read_back, equal_texts_mean_equal_positions, setups_stay_equal};
pub use views::{
    keys_name_actions, meta_is_sound, pictures_are_drawn, state_text_is_hashed, views_are_shown,
};

/// A failed check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{check}: {what}")]
pub struct ConformanceFailure {
    /// The check's name in [`CHECKS`] or of one of the typed checks.
    pub check: &'static str,
    /// What the check found, with the values, as a sentence.
    pub what: String,
}

/// The number of cases of each check, in the order in which the checks ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConformanceReport {
    /// The name of a check and its number of cases.
    pub cases: Vec<(&'static str, usize)>,
}

impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cases
            .iter()
            .try_for_each(|(check, cases)| writeln!(f, "{cases:>8} {check}"))
    }
}

/// A check: returns its number of cases, or the failure as a sentence.
pub type Check = fn(&RandomLegs<'_>) -> Result<usize, String>;

/// A check that needs the game's types and plays its own legs.
type TypedCheck = fn(&ConformanceOptions) -> Result<usize, String>;

/// Every check that needs no types, by name. Before them, making the [`RandomLegs`] is the check
/// `random-play`.
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

/// Runs every check on a game, including those that need its types.
///
/// # Errors
/// The first check that failed.
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

/// Runs every check on a game that can be encoded: those of [`check_game`], and
/// [`positions_from_views_hold`].
///
/// # Errors
/// The first check that failed.
pub fn check_encoded_game<G: Encode + GamePackage>(
    options: &ConformanceOptions,
) -> Result<ConformanceReport, ConformanceFailure> {
    let mut report = check_game::<G>(options)?;
    let check = "positions-from-views";
    let failed = |what| ConformanceFailure { check, what };
    let erased = Erased::<G>::new();
    let bench = RandomLegs::new(&erased, options.clone()).map_err(failed)?;
    let cases = positions_from_views_hold(&bench, &Encoded::<G>::new()).map_err(failed)?;
    report.cases.push((check, cases));
    Ok(report)
}

/// Told of every check: its name when it begins, and its number of cases when it is over.
pub type Tell<'a> = dyn FnMut(&'static str, Option<usize>) + 'a;

/// Runs every check that needs no types.
///
/// # Errors
/// The first check that failed.
pub fn check_erased(
    game: &dyn AnyGame,
    options: &ConformanceOptions,
) -> Result<ConformanceReport, ConformanceFailure> {
    check_erased_telling(game, options, &mut |_, _| {})
}

/// Runs every check that needs no types, and tells of each.
///
/// # Errors
/// The first check that failed.
pub fn check_erased_telling(
    game: &dyn AnyGame,
    options: &ConformanceOptions,
    tell: &mut Tell<'_>,
) -> Result<ConformanceReport, ConformanceFailure> {
    let random_play = |what| ConformanceFailure {
        check: "random-play",
        what,
    };
    // What rules return that failed means nothing, so their failure is told instead.
    let or_fault = |cases: Result<usize, String>| match game.first_fault() {
        Some(fault) => Err(fault.to_string()),
        None => cases,
    };
    tell("random-play", None);
    let bench = RandomLegs::new(game, options.clone());
    or_fault(bench.as_ref().map(|_| 0).map_err(String::clone)).map_err(random_play)?;
    let bench = bench.map_err(random_play)?;
    tell("random-play", Some(bench.played.len()));
    let mut report = ConformanceReport {
        cases: vec![("random-play", bench.played.len())],
    };
    for &(check, run) in CHECKS {
        tell(check, None);
        let cases = or_fault(run(&bench)).map_err(|what| ConformanceFailure { check, what })?;
        tell(check, Some(cases));
        report.cases.push((check, cases));
    }
    Ok(report)
}
