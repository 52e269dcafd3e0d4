//! Which games of a series are new. Deterministic programs on the same setup play the same game
//! again: a copy tells nothing that the first one has not told, and must not count as independent.

use std::collections::{BTreeMap, HashMap};

use leitai_game::Entrant;
use leitai_game::hash::Fnv;

use crate::{GameRecord, Language};

/// The matches of two players in a row that do not count after which they are taken to have played
/// all games that they play under these conditions.
const COPIES_IN_A_ROW: u64 = 20;

/// The games of a series so far. A game is one leg: the same setup and replies between the same
/// players in the same seats are the same game.
#[derive(Clone, Debug, Default)]
pub struct DistinctGames {
    /// By the players in the first and second seat and the leg's fingerprint: whether the game has
    /// counted.
    seen: HashMap<([usize; 2], String), bool>,
    played: u64,
    distinct: u64,
    copies_in_a_row: BTreeMap<[usize; 2], u64>,
}

impl DistinctGames {
    /// Takes a match, which may consist of several records; returns whether it counts: whether none
    /// of its games has counted before. A match with a copy beside a new game does not: it would
    /// count the copy again. A game of an older version of Leitai, without a fingerprint, is taken
    /// for new.
    pub fn count_match<'a>(&mut self, records: impl IntoIterator<Item = &'a GameRecord>) -> bool {
        let (mut games, mut players) = (Vec::new(), None);
        for game in records {
            players = players.or(Some(sort_pair(game.pair)));
            for (index, leg) in game.legs.iter().enumerate() {
                let seats = match Entrant::A.seat_in_leg(index).index() {
                    0 => game.pair,
                    _ => [game.pair[1], game.pair[0]],
                };
                self.played += 1;
                match &leg.fingerprint {
                    Some(print) => games.push((seats, print.clone())),
                    None => self.distinct += 1,
                }
            }
        }
        let counts = !games.iter().any(|game| self.seen.get(game) == Some(&true));
        for game in games {
            let before = self.seen.get(&game).copied();
            self.distinct += u64::from(before.is_none());
            self.seen.insert(game, counts || before == Some(true));
        }
        if let Some(players) = players {
            let copies = self.copies_in_a_row.entry(players).or_insert(0);
            *copies = if counts { 0 } else { *copies + 1 };
        }
        counts
    }

    /// Games so far, copies too.
    pub fn played_count(&self) -> u64 {
        self.played
    }

    /// Different games so far.
    pub fn distinct_count(&self) -> u64 {
        self.distinct
    }

    /// Equal for the same different games, in whatever order they ended: sixteen hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        let mut games: Vec<_> = self.seen.keys().collect();
        games.sort();
        let mut hash = Fnv::default();
        for ([one, other], print) in games {
            hash.write(format!("{one} {other} {print}\n").as_bytes());
        }
        format!("{:016x}", hash.0)
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
        match self.distinct {
            1 => language.fill(
                "these programs play only {} different game under these conditions; add maps, seeds \
                or positions",
                &[&1],
            ),
            count => language.fill(
                "these programs play only {} different games under these conditions; add maps, \
                seeds or positions",
                &[&count],
            ),
        }
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
            unplayed: 0,
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
        // A new game beside a copy counts when it comes with another new one.
        check([0, 1], &["x", "z"], false, (10, 5));
        check([0, 1], &["w", "z"], true, (12, 6));
        check([0, 2], &["x"], true, (13, 7));
        // The same game twice in one match.
        check([0, 3], &["x", "y", "x", "y"], true, (17, 9));
        // Records without fingerprints are not known to be copies.
        check([0, 2], &[""], true, (18, 10));
        check([0, 2], &[""], true, (19, 11));
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
