//! Checks the rules of a game file: the conformance kit of Leitai's own games, then what only rules
//! of strangers can do wrong. A failure comes with the shortest input that shows it.
//!
//! | module | noun |
//! |---|---|
//! | `leaks` | views that tell a player what `[secret]` keeps from it |
//! | `hostile` | texts of bots that are no actions |
//! | `input` | the input that leads to a failure |
//! | `texts` | state texts that do not tell positions apart |

mod hostile;
mod input;
mod leaks;
mod texts;

use leitai_game::AnyGame;
use leitai_game::conformance::{
    ConformanceOptions, ConformanceReport, RandomLegs, Tell, check_erased_telling,
    find_shortest_failure,
};

use crate::{GameFile, GuestGame};

/// A check that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFailure {
    /// Its name.
    pub check: &'static str,
    /// What is wrong, as a sentence.
    pub what: String,
    /// The shortest input that shows it, if one leg alone does.
    pub input: Option<String>,
    /// Whether it failed only because all the fuel of the check was used up.
    pub is_spent: bool,
}

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesReport {
    /// The number of cases of each check.
    pub cases: ConformanceReport,
    /// The positions that differed in hidden facts alone; `None` if the game has no secrets.
    pub hidden_pairs: Option<usize>,
}

/// Checks the rules of a game file.
///
/// # Errors
/// The first check that failed.
pub fn check_rules(
    file: &GameFile,
    options: &ConformanceOptions,
) -> Result<RulesReport, Box<CheckFailure>> {
    check_rules_telling(file, options, &mut |_, _| {})
}

/// Checks the rules of a game file, and tells of every check.
///
/// # Errors
/// The first check that failed.
pub fn check_rules_telling(
    file: &GameFile,
    options: &ConformanceOptions,
    tell: &mut Tell<'_>,
) -> Result<RulesReport, Box<CheckFailure>> {
    let game = &file.game;
    let kept = game.search_fuel();
    game.bound_search(SEARCH_FUEL);
    let checked = check_within(file, options, tell);
    game.bound_search(kept);
    checked
}

/// The fuel of a decision of a level in a check: a few positions, and then it plays what it knows.
const SEARCH_FUEL: u64 = 20_000;

fn check_within(
    file: &GameFile,
    options: &ConformanceOptions,
    tell: &mut Tell<'_>,
) -> Result<RulesReport, Box<CheckFailure>> {
    let game = &file.game;
    let mut cases = check_erased_telling(game, options, tell).map_err(|failure| {
        // Rules that may not run on would fail in every position.
        let is_spent = game.is_spent();
        let shortest = match is_spent {
            true => None,
            false => find_shortest_failure(game, options, failure.check),
        };
        Box::new(CheckFailure {
            check: failure.check,
            what: shortest
                .as_ref()
                .map_or(failure.what, |input| input.what.clone()),
            input: shortest.map(|input| input.to_line()),
            is_spent,
        })
    })?;
    let bench = RandomLegs::new(game, options.clone());
    let bench = bench.map_err(|what| failed(game, "random-play", what, None))?;
    let mut finish = |name, found: usize, tell: &mut Tell<'_>| {
        tell(name, Some(found));
        cases.cases.push((name, found));
    };
    tell("hostile-texts", None);
    let texts = hostile::check_texts(&bench);
    let texts = texts.map_err(|(what, input)| failed(game, "hostile-texts", what, Some(input)))?;
    finish("hostile-texts", texts, tell);
    tell("equal-texts", None);
    let differ = texts::check_texts_differ(&bench);
    let differ = differ.map_err(|(what, input)| failed(game, "equal-texts", what, Some(input)))?;
    finish("equal-texts", differ, tell);
    let secrets = &file.about.secret;
    let hidden_pairs = match secrets.iter_pairs().all(|(_, paths)| paths.is_empty()) {
        true => None,
        false => {
            tell("secrets", None);
            let found = leaks::find_leaks(&bench, secrets);
            let found = found.map_err(|leak| failed(game, "secrets", leak.what, leak.input))?;
            finish("secrets", found.looked_at, tell);
            Some(found.pairs)
        }
    };
    match game.first_fault() {
        Some(fault) => Err(failed(game, "rules", fault.to_string(), None)),
        None => Ok(RulesReport {
            cases,
            hidden_pairs,
        }),
    }
}

fn failed(
    game: &GuestGame,
    check: &'static str,
    what: String,
    input: Option<String>,
) -> Box<CheckFailure> {
    let is_spent = game.is_spent();
    Box::new(CheckFailure {
        check,
        what,
        input,
        is_spent,
    })
}
