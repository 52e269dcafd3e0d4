//! Matches that could not be judged because of an infrastructure error: the machine was too busy, a
//! program could not be started, a built-in bot has a bug. They count for neither entrant.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use crate::Language;

/// The most void matches that are listed.
const LISTED: usize = 20;

/// A match without a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoidMatch {
    /// The entrants A and B by number.
    pub pair: [usize; 2],
    /// The seed of its setup.
    pub seed: u64,
    /// The number of attempts.
    pub tries: u32,
    /// The error of the last attempt.
    pub why: String,
}

/// The void matches in lines for people: their entrants, errors, and consequences for the result.
/// Empty if there are none.
pub fn list_voids<'a>(
    voids: impl ExactSizeIterator<Item = &'a VoidMatch>,
    names: &[String],
    meaning: &str,
    language: Language<'_>,
) -> String {
    let count = voids.len();
    if count == 0 {
        return String::new();
    }
    let lines: String = voids
        .take(LISTED)
        .map(|void| write_line(void, names, language))
        .collect();
    let more = count.saturating_sub(LISTED);
    let more = if more > 0 {
        format!("  {}\n", language.fill("… {} more", &[&more]))
    } else {
        String::new()
    };
    format!(
        "{}\n{lines}{more}  {meaning}\n",
        write_heading(count, language)
    )
}

fn write_heading(count: usize, language: Language<'_>) -> String {
    language.fill_count(
        "{} void match: no program is at fault, and it counts for neither side",
        "{} void matches: no program is at fault, and they count for neither side",
        count,
    )
}

fn write_line(void: &VoidMatch, names: &[String], language: Language<'_>) -> String {
    let VoidMatch {
        pair,
        seed,
        tries,
        why,
    } = void;
    let [a, b] = pair.map(|player| &names[player]);
    let values: [&dyn Display; 5] = [a, b, seed, tries, &language.say(why)];
    let line = language.fill("{} – {}, seed {}, tried {} times: {}", &values);
    format!("  {line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use leitai_game::lang::{Catalogue, Lang};

    #[test]
    fn void_matches_are_listed_with_their_consequences() {
        let names = ["ann".to_owned(), "bob".to_owned()];
        let catalogue = Catalogue::new([]);
        let english = Language::new(Lang::En, &catalogue);
        let void = |seed| VoidMatch {
            pair: [1, 0],
            seed,
            tries: 3,
            why: "too busy".to_owned(),
        };
        assert_eq!(list_voids([].iter(), &names, "meaning", english), "");
        let one = list_voids([void(7)].iter(), &names, "meaning", english);
        assert!(one.starts_with("1 void match: "), "{one}");
        assert!(
            one.ends_with("\n  bob – ann, seed 7, tried 3 times: too busy\n  meaning\n"),
            "{one}"
        );
        let many: Vec<VoidMatch> = (0..23).map(void).collect();
        let many = list_voids(many.iter(), &names, "meaning", english);
        assert!(
            many.contains("seed 19,") && !many.contains("seed 20,") && many.contains("… 3 more"),
            "{many}"
        );
    }
}
