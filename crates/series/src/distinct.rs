//! Which games of a series are new. Deterministic programs on the same setup play the same game
//! again: a copy tells nothing that the first one has not told, and must not count as independent.

use std::collections::{BTreeMap, HashSet};

use leitai_game::Entrant;

use crate::{GameRecord, Language};

/// The matches of two players in a row without a new game after which they are taken to have played
/// all games that they play under these conditions.
const COPIES_IN_A_ROW: u64 = 20;

/// The games of a series so far. A game is one leg: the same setup and replies between the same
/// players in the same seats are the same game.
#[derive(Clone, Debug, Default)]
pub struct DistinctGames {
    /// The players in the first and second seat, and the fingerprint of the leg.
    seen: HashSet<([usize; 2], String)>,
    played: u64,
    distinct: u64,
    copies_in_a_row: BTreeMap<[usize; 2], u64>,
}

impl DistinctGames {
    /// Counts a match, which may consist of several records; returns whether it has a new game. A
    /// record of an older version of Leitai, without fingerprints, counts as new.
    pub fn count_match<'a>(&mut self, records: impl IntoIterator<Item = &'a GameRecord>) -> bool {
        let (before, mut players) = (self.distinct, None);
        for game in records {
            players = players.or(Some(sort_pair(game.pair)));
            for (index, leg) in game.legs.iter().enumerate() {
                self.played += 1;
                let seats = match Entrant::A.seat_in_leg(index).index() {
                    0 => game.pair,
                    _ => [game.pair[1], game.pair[0]],
                };
                let is_new = leg
                    .fingerprint
                    .as_ref()
                    .is_none_or(|print| self.seen.insert((seats, print.clone())));
                self.distinct += u64::from(is_new);
            }
        }
        let is_new = self.distinct > before;
        if let Some(players) = players {
            let copies = self.copies_in_a_row.entry(players).or_insert(0);
            *copies = if is_new { 0 } else { *copies + 1 };
        }
        is_new
    }

    /// Games so far, copies too.
    pub fn played_count(&self) -> u64 {
        self.played
    }

    /// Different games so far.
    pub fn distinct_count(&self) -> u64 {
        self.distinct
    }

    /// Whether there were copies.
    pub fn has_copies(&self) -> bool {
        self.distinct < self.played
    }

    /// Whether two players seem to have played every game that they play, where the conditions
    /// (maps, seeds, seats) repeat after so many matches.
    pub fn is_exhausted(&self, pair: [usize; 2], conditions: u64) -> bool {
        let copies = self.copies_in_a_row.get(&sort_pair(pair)).copied();
        copies.unwrap_or(0) >= COPIES_IN_A_ROW.max(2 * conditions)
    }
}

impl DistinctGames {
    /// `these programs play only 2 different games under these conditions; …`
    pub fn describe_scarcity(&self, language: Language<'_>) -> String {
        language.fill_count(
            "these programs play only {} different game under these conditions; add maps, seeds \
            or positions",
            "these programs play only {} different games under these conditions; add maps, seeds \
            or positions",
            usize::try_from(self.distinct).unwrap_or(usize::MAX),
        )
    }

    /// The label and the value of a line about copies; `None` where there are none.
    pub fn copies_row(&self, language: Language<'_>) -> Option<(&'static str, String)> {
        let counts = language.fill(
            "{} of {} games; a copy of an earlier game does not count",
            &[&self.distinct, &self.played],
        );
        self.has_copies()
            .then(|| (language.label("different"), counts))
    }
}

/// Two players, the lower number first.
pub fn sort_pair([one, other]: [usize; 2]) -> [usize; 2] {
    [one.min(other), one.max(other)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_record::LegSummary;
    use leitai_game::ByEntrant;

    fn game(pair: [usize; 2], legs: &[&str]) -> GameRecord {
        let leg = |print: &&str| LegSummary {
            winner: None,
            scores: [0, 0],
            reason: String::new(),
            fingerprint: (!print.is_empty()).then(|| (*print).to_owned()),
        };
        GameRecord {
            pair,
            seed: 1,
            winner: None,
            reason: String::new(),
            legs: legs.iter().map(leg).collect(),
            faults: Vec::new(),
            times: ByEntrant::default(),
            replay: None,
        }
    }

    #[test]
    fn a_game_is_new_once_for_its_players_and_seats() {
        let mut games = DistinctGames::default();
        let mut check = |pair, legs: &[&str], is_new: bool, counts: (u64, u64)| {
            assert_eq!(
                games.count_match([&game(pair, legs)]),
                is_new,
                "{pair:?} {legs:?}"
            );
            assert_eq!((games.played_count(), games.distinct_count()), counts);
        };
        check([0, 1], &["x", "y"], true, (2, 2));
        check([0, 1], &["x", "y"], false, (4, 2));
        // The other one begins: the same two games in the other order.
        check([1, 0], &["y", "x"], false, (6, 2));
        check([1, 0], &["x", "y"], true, (8, 4));
        check([0, 1], &["x", "z"], true, (10, 5));
        check([0, 2], &["x"], true, (11, 6));
        // Records without fingerprints are not known to be copies.
        check([0, 2], &[""], true, (12, 7));
        check([0, 2], &[""], true, (13, 8));
    }

    #[test]
    fn two_players_are_exhausted_after_copies_in_a_row() {
        let mut games = DistinctGames::default();
        let mut play =
            |count: u64| (0..count).for_each(|_| _ = games.count_match([&game([2, 1], &["x"])]));
        play(1 + COPIES_IN_A_ROW - 1);
        assert!(!games.is_exhausted([1, 2], 1));
        games.count_match([&game([2, 1], &["x"])]);
        assert!(games.is_exhausted([1, 2], 1) && !games.is_exhausted([1, 2], COPIES_IN_A_ROW));
        assert!(!games.is_exhausted([0, 1], 1));
        games.count_match([&game([1, 2], &["y"])]);
        assert!(!games.is_exhausted([1, 2], 1), "a new game");
    }
}
