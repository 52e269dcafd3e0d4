//! The results between all players of a field.

use std::cmp::Ordering;

use crate::bradley_terry::meeting::Meeting;
use crate::result::{GameScore, ScoreTally};

/// The results between all players. The order of matches does not matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// For every player its matches against players with higher numbers, in their order.
    rows: Vec<Vec<MetPlayer>>,
}

/// The matches against a player with a higher number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MetPlayer {
    pub(super) other: u32,
    pub(super) meeting: Meeting,
}

impl Results {
    /// Results of this number of players, without matches.
    pub fn new(players: usize) -> Results {
        Results {
            rows: vec![Vec::new(); players],
        }
    }

    /// The number of players.
    pub fn player_count(&self) -> usize {
        self.rows.len()
    }

    /// Counts a match of one leg.
    pub fn add_game(&mut self, one: usize, other: usize, score: GameScore) {
        self.add_match(one, other, score, &[score]);
    }

    /// Counts a match of `one` against `other`: its result, and those of its legs. Ratings are fitted
    /// to legs; places are told by matches.
    pub fn add_match(&mut self, one: usize, other: usize, score: GameScore, legs: &[GameScore]) {
        self.add_meeting(one, other, Meeting::of_match(score, legs));
    }

    /// Counts many matches of one leg.
    pub fn add_tally(&mut self, one: usize, other: usize, tally: ScoreTally) {
        self.add_meeting(one, other, Meeting::of_single_legs(tally));
    }

    /// Matches against oneself, and those without legs, carry no information and are ignored.
    fn add_meeting(&mut self, one: usize, other: usize, meeting: Meeting) {
        assert!(
            one.max(other) < self.rows.len(),
            "player {} of {}",
            one.max(other),
            self.rows.len()
        );
        let (one, other, meeting) = match one.cmp(&other) {
            _ if meeting.legs.game_count() == 0 => return,
            Ordering::Less => (one, other, meeting),
            Ordering::Equal => return,
            Ordering::Greater => (other, one, meeting.flip_side()),
        };
        let (row, other) = (&mut self.rows[one], other as u32);
        match row.binary_search_by_key(&other, |met| met.other) {
            Ok(at) => row[at].meeting += meeting,
            Err(at) => row.insert(at, MetPlayer { other, meeting }),
        }
    }

    #[doc(hidden)] // For tests.
    pub fn meeting_between(&self, one: usize, other: usize) -> Meeting {
        let of = |one: usize, other: usize| {
            let row = self.rows.get(one).map_or(&[][..], Vec::as_slice);
            let at = row.binary_search_by_key(&(other as u32), |met| met.other);
            at.map_or(Meeting::default(), |at| row[at].meeting)
        };
        if one < other {
            of(one, other)
        } else {
            of(other, one).flip_side()
        }
    }

    /// The matches of `one` against `other`.
    pub fn tally_between(&self, one: usize, other: usize) -> ScoreTally {
        self.meeting_between(one, other).matches
    }

    /// The legs of `one` against `other`.
    pub fn legs_between(&self, one: usize, other: usize) -> ScoreTally {
        self.meeting_between(one, other).legs
    }

    /// All matches of a player.
    pub fn tally_of(&self, player: usize) -> ScoreTally {
        self.meetings_of(player).matches
    }

    /// All legs of a player.
    pub fn legs_of(&self, player: usize) -> ScoreTally {
        self.meetings_of(player).legs
    }

    fn meetings_of(&self, player: usize) -> Meeting {
        let below = (0..player).map(|other| self.meeting_between(player, other));
        let above = self.rows.get(player).into_iter().flatten();
        let mut sum = Meeting::default();
        below
            .chain(above.map(|met| met.meeting))
            .for_each(|one| sum += one);
        sum
    }

    /// The number of pairs that have met.
    pub(super) fn met_count(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// For every player its matches against players with higher numbers.
    pub(super) fn rows(&self) -> &[Vec<MetPlayer>] {
        &self.rows
    }

    /// The players that both have met.
    pub fn common_opponents(&self, one: usize, other: usize) -> impl Iterator<Item = usize> + '_ {
        let has_met =
            |player: usize, third: usize| self.tally_between(player, third).game_count() > 0;
        (0..self.rows.len()).filter(move |third| {
            ![one, other].contains(third) && has_met(one, *third) && has_met(other, *third)
        })
    }
}
