//! A pair of a comparison: two legs on the same seed with seats swapped, as one line of a journal.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use anyhow::ensure;
use leitai_game::{Entrant, Replay};
use leitai_ladder::GameScore;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::roster::list_changes;
use crate::run::{FinishedMatch, MAX_VOID_IN_A_ROW, SeriesJob};
use crate::{GameRecord, Journal, VoidMatch, files};

/// A pair that was played, or that stayed void.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedPair {
    /// Its number, from 0.
    pub number: u64,
    /// The match of both legs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameRecord>,
    /// The separate match of the other leg, if the first leg decided the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_leg: Option<GameRecord>,
    /// The void match, if there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<VoidMatch>,
}

impl PlayedPair {
    /// Both games as they count for this player; `None` if the pair is void.
    ///
    /// A match that a fault decided counts twice, by the rules. But if the other player loses the
    /// other leg by a fault, too, both have the same fault, which says nothing about who is better:
    /// each gets one game.
    pub fn player_scores(&self, player: usize) -> Option<[GameScore; 2]> {
        let game = self.game.as_ref()?;
        let forfeits =
            [Some(game), self.other_leg.as_ref()].map(|game| game.and_then(find_forfeiter));
        match forfeits {
            [Some(one), Some(other)] if one != other => Some([GameScore::Win, GameScore::Loss]),
            _ => Some(game.pair_scores(player_entrant(game, player))),
        }
    }

    /// The played matches.
    pub fn game_records(&self) -> impl Iterator<Item = &GameRecord> {
        self.game.iter().chain(&self.other_leg)
    }
}

/// A match of a pair: the pair's number, and whether it is the separate match of the other leg.
#[derive(Clone, Copy, Debug)]
pub struct PairLeg {
    number: u64,
    is_other_leg: bool,
}

impl PairLeg {
    /// The pair's number.
    pub fn number(self) -> u64 {
        self.number
    }
}

/// Makes the matches of pairs, combines their results, and writes complete pairs to the journal.
#[derive(Default)]
pub struct PairAssembly {
    journal: Option<Journal>,
    /// Void pairs since the last played one.
    void_in_a_row: u32,
    /// Matches that a fault decided in the first leg, and the other legs still to be played.
    first_legs: BTreeMap<u64, GameRecord>,
    other_legs: VecDeque<SeriesJob<PairLeg>>,
}

impl PairAssembly {
    /// Opens the journal of a folder, or begins one with this header. Returns the pairs that it
    /// holds. A folder of another series is refused; `kind` is the series in words.
    pub fn open_journal(
        &mut self,
        folder: &Path,
        header: &Value,
        kind: &str,
    ) -> anyhow::Result<Vec<PlayedPair>> {
        let found = Journal::open_folder::<PlayedPair>(folder, header)?;
        let changed = list_changes(&found.header, header);
        ensure!(
            changed.is_empty(),
            "{} holds another {kind}: {}; choose another folder",
            folder.display(),
            changed.join("; "),
        );
        self.journal = Some(found.journal);
        Ok(found.entries)
    }

    /// The match of a pair between two players with this seed.
    pub fn make_job(number: u64, players: [usize; 2], seed: u64) -> SeriesJob<PairLeg> {
        let pair = order_players(number, players);
        let tag = PairLeg {
            number,
            is_other_leg: false,
        };
        SeriesJob {
            tag,
            pair,
            seed,
            config: 0,
            legs: Some(2),
            settings: None,
        }
    }

    /// The next other leg of a pair whose match a fault decided, if there is one.
    pub fn next_other_leg(&mut self) -> Option<SeriesJob<PairLeg>> {
        self.other_legs.pop_front()
    }

    /// Adds a finished match, and stores its replay in the folder of the journal, if there is one.
    /// Returns the pair when it is complete.
    pub fn add_match(
        &mut self,
        job: SeriesJob<PairLeg>,
        finished: FinishedMatch,
    ) -> anyhow::Result<Option<PlayedPair>> {
        let FinishedMatch { mut game, replay } = finished;
        if let Some(journal) = &self.journal {
            game.replay = Some(keep_replay(&job, &replay, journal)?);
        }
        let PairLeg {
            number,
            is_other_leg,
        } = job.tag;
        if !is_other_leg && needs_other_leg(&game) {
            let [one, other] = job.pair;
            self.first_legs.insert(number, game);
            let tag = PairLeg {
                number,
                is_other_leg: true,
            };
            self.other_legs.push_back(SeriesJob {
                tag,
                pair: [other, one],
                legs: Some(1),
                ..job
            });
            return Ok(None);
        }
        let (game, other_leg) = match self.first_legs.remove(&number) {
            Some(first) => (first, Some(game)),
            None => (game, None),
        };
        self.void_in_a_row = 0;
        let pair = PlayedPair {
            number,
            game: Some(game),
            other_leg,
            void: None,
        };
        self.record_pair(pair).map(Some)
    }

    /// Records that a match could not be judged: its pair stays void.
    ///
    /// # Errors
    /// When too many pairs in a row are void.
    pub fn add_void(
        &mut self,
        job: &SeriesJob<PairLeg>,
        void: VoidMatch,
    ) -> anyhow::Result<PlayedPair> {
        self.void_in_a_row += 1;
        ensure!(
            self.void_in_a_row < MAX_VOID_IN_A_ROW,
            "{MAX_VOID_IN_A_ROW} pairs in a row could not be judged; the last: {}",
            void.why
        );
        self.first_legs.remove(&job.tag.number);
        self.record_pair(PlayedPair {
            number: job.tag.number,
            game: None,
            other_leg: None,
            void: Some(void),
        })
    }

    fn record_pair(&mut self, pair: PlayedPair) -> anyhow::Result<PlayedPair> {
        if let Some(journal) = &mut self.journal {
            journal.append_entry(&pair)?;
        }
        Ok(pair)
    }
}

/// Who is A and B in the match of a pair. The players alternate: if a fault in the first leg decides a
/// match, it matters who is A.
pub fn order_players(number: u64, [one, other]: [usize; 2]) -> [usize; 2] {
    match number.is_multiple_of(2) {
        true => [one, other],
        false => [other, one],
    }
}

/// Whether a fault in the first leg decided the match of a pair, so that its other leg is played alone,
/// with the players the other way around.
pub fn needs_other_leg(game: &GameRecord) -> bool {
    game.legs.len() < 2
}

fn keep_replay(
    job: &SeriesJob<PairLeg>,
    replay: &Replay,
    journal: &Journal,
) -> anyhow::Result<String> {
    let leg = if job.tag.is_other_leg {
        "-other-leg"
    } else {
        ""
    };
    let name = format!("replays/{}{leg}.json", job.seed);
    files::write_file(&journal.folder_path().join(&name), replay.to_text())?;
    Ok(name)
}

/// The entrant as which a player played.
pub fn player_entrant(game: &GameRecord, player: usize) -> Entrant {
    if game.pair[0] == player {
        Entrant::A
    } else {
        Entrant::B
    }
}

/// The player who lost by a fault.
fn find_forfeiter(game: &GameRecord) -> Option<usize> {
    let loser = game.winner?.other();
    let at_fault = game.faults.iter().any(|fault| fault.entrant == loser);
    at_fault.then_some(game.pair[loser.index()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_record::{FaultPlace, LegSummary};
    use leitai_game::{ByEntrant, Fault};

    /// A match of one leg.
    fn game(pair: [usize; 2], winner: Entrant, fault: bool) -> GameRecord {
        let at_fault = FaultPlace {
            entrant: winner.other(),
            code: Fault::Crashed.into(),
            leg: 1,
            round: 3,
        };
        GameRecord {
            pair,
            seed: 1,
            winner: Some(winner),
            reason: String::new(),
            legs: vec![LegSummary {
                winner: Some(winner),
                scores: [0, 0],
                reason: String::new(),
                fingerprint: None,
            }],
            unplayed: 0,
            faults: fault.then_some(at_fault).into_iter().collect(),
            times: ByEntrant::default(),
            replay: None,
        }
    }

    #[track_caller]
    fn check(game: GameRecord, other_leg: Option<GameRecord>, expected: [GameScore; 2]) {
        let pair = PlayedPair {
            number: 0,
            game: Some(game),
            other_leg,
            void: None,
        };
        let scores = |player| {
            let mut scores = pair.player_scores(player).expect("it was played");
            scores.sort();
            scores
        };
        assert_eq!(scores(0), expected);
        let mut flipped = expected.map(GameScore::flip_side);
        flipped.sort();
        assert_eq!(scores(1), flipped);
    }

    #[test]
    fn a_fault_that_both_share_counts_for_neither() {
        use Entrant::{A, B};
        use GameScore::{Loss, Win};
        // Player 0 begins and crashes; then player 1 does.
        check(
            game([0, 1], B, true),
            Some(game([1, 0], B, true)),
            [Loss, Win],
        );
        // The same in the second seat.
        check(
            game([1, 0], A, true),
            Some(game([0, 1], A, true)),
            [Loss, Win],
        );
        // Player 0 crashes in either seat, or the other plays on and loses, or wins.
        check(
            game([0, 1], B, true),
            Some(game([1, 0], A, true)),
            [Loss, Loss],
        );
        check(
            game([0, 1], B, true),
            Some(game([1, 0], B, false)),
            [Loss, Loss],
        );
        check(
            game([1, 0], B, true),
            Some(game([0, 1], B, false)),
            [Win, Win],
        );
        check(game([0, 1], A, true), None, [Win, Win]);
    }

    #[test]
    fn a_void_pair_has_no_scores_and_lines_are_read_again() {
        let void = VoidMatch {
            pair: [0, 1],
            seed: 4,
            tries: 3,
            why: "too busy".to_owned(),
        };
        let void = PlayedPair {
            number: 3,
            game: None,
            other_leg: None,
            void: Some(void),
        };
        assert_eq!(
            (void.player_scores(0), void.game_records().count()),
            (None, 0)
        );
        let played = PlayedPair {
            game: Some(game([0, 1], Entrant::A, true)),
            void: None,
            ..void.clone()
        };
        for pair in [void, played] {
            let line = serde_json::to_string(&pair).expect("plain data");
            assert_eq!(
                serde_json::from_str::<PlayedPair>(&line).expect("own text"),
                pair
            );
        }
    }
}
