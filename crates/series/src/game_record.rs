//! What remains of a finished match: its result, faults and times. One line of a journal.

use leitai_game::replay::{LegRecord, ReplayWalker};
use leitai_game::reply::FaultCode;
use leitai_game::{ByEntrant, Entrant, Seat};
use leitai_judge::{MatchSpec, PlayedMatch};
use leitai_ladder::GameScore;
use serde::{Deserialize, Serialize};

use crate::TimeHistogram;

/// A finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Who played, as numbers of entrants: A and B.
    pub pair: [usize; 2],
    /// The seed it was dealt from.
    pub seed: u64,
    /// Who won; null is a draw.
    pub winner: Option<Entrant>,
    /// The id of the rule that decided.
    pub reason: String,
    /// Its legs.
    pub legs: Vec<LegSummary>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultPlace>,
    /// How long moves took.
    pub times: ByEntrant<TimeHistogram>,
    /// The replay, as a path in the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// A finished leg.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LegSummary {
    /// Who won it; null is a draw.
    pub winner: Option<Entrant>,
    /// The scores of A and B.
    pub scores: [i32; 2],
    /// The id of the rule that decided.
    pub reason: String,
}

/// A fault, with the place where to look at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultPlace {
    /// Whose.
    pub entrant: Entrant,
    /// Its code, such as TLE.
    pub code: FaultCode,
    /// The leg, from 1.
    pub leg: usize,
    /// The round.
    pub round: u32,
}

impl GameRecord {
    /// From a match that was played to its verdict; `None` from one that was interrupted.
    pub fn from_played(
        pair: [usize; 2],
        spec: &MatchSpec,
        played: &PlayedMatch,
    ) -> Option<GameRecord> {
        let verdict = played.verdict.as_ref()?;
        let records = &played.replay.legs;
        let leg = |(index, outcome): (usize, &leitai_game::Outcome)| LegSummary {
            winner: outcome.winner.map(|seat| seat.entrant_in_leg(index)),
            scores: Entrant::BOTH.map(|entrant| outcome.scores[entrant.seat_in_leg(index)]),
            reason: outcome.reason.id.to_owned(),
        };
        Some(GameRecord {
            pair,
            seed: spec.seed,
            winner: verdict.winner,
            reason: verdict.reason.id.to_owned(),
            legs: played.outcomes.iter().enumerate().map(leg).collect(),
            faults: records.iter().enumerate().flat_map(list_faults).collect(),
            times: count_times(spec, records),
            replay: None,
        })
    }

    /// How it ended for A.
    pub fn score(&self) -> GameScore {
        entrant_score(self.winner, Entrant::A)
    }

    /// How it ended for this entrant.
    pub fn score_of(&self, entrant: Entrant) -> GameScore {
        entrant_score(self.winner, entrant)
    }

    /// How the two legs of a pair ended for this entrant. A leg that was not played because the
    /// first decided the match (a forfeit) counts as the match does.
    pub fn pair_scores(&self, entrant: Entrant) -> [GameScore; 2] {
        let leg = |index: usize| self.legs.get(index).map_or(self.winner, |leg| leg.winner);
        [0, 1].map(|index| entrant_score(leg(index), entrant))
    }
}

fn entrant_score(winner: Option<Entrant>, entrant: Entrant) -> GameScore {
    match winner {
        None => GameScore::Draw,
        Some(winner) if winner == entrant => GameScore::Win,
        Some(_) => GameScore::Loss,
    }
}

fn list_faults((index, record): (usize, &LegRecord)) -> Vec<FaultPlace> {
    let fault = |fault: &leitai_game::replay::FaultRecord| FaultPlace {
        entrant: fault.entrant,
        code: fault.code,
        leg: index + 1,
        round: fault.round,
    };
    record.faults.iter().map(fault).collect()
}

/// A replay lists times step by step; who moved in a step, the game says. What counts is what was
/// charged: CPU time where there is such a clock, wall time otherwise.
fn count_times(spec: &MatchSpec, records: &[LegRecord]) -> ByEntrant<TimeHistogram> {
    let mut times = ByEntrant::<TimeHistogram>::default();
    for (index, record) in records.iter().enumerate() {
        let mut walk = ReplayWalker::new(&*spec.setup, record);
        let charged =
            |(at, wall): (usize, &u64)| record.cpu_us.get(at).copied().flatten().unwrap_or(*wall);
        let mut taken = record.times_us.iter().enumerate().map(charged);
        while let Ok(Some(replies)) = walk.next(&mut ()) {
            for (seat, _) in replies.iter_pairs().filter(|(_, reply)| reply.is_some()) {
                let seat: Seat = seat;
                taken
                    .next()
                    .into_iter()
                    .for_each(|micros| times[seat.entrant_in_leg(index)].count_time(micros));
            }
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unplayed_leg_counts_as_the_match() {
        let leg = |winner| LegSummary {
            winner,
            scores: [0, 0],
            reason: String::new(),
        };
        let game = |winner, legs| GameRecord {
            pair: [0, 1],
            seed: 1,
            winner,
            reason: String::new(),
            legs,
            faults: Vec::new(),
            times: ByEntrant::default(),
            replay: None,
        };
        let a = Some(Entrant::A);
        let check =
            |game: &GameRecord, expected| assert_eq!(game.pair_scores(Entrant::A), expected);
        check(&game(a, vec![leg(a)]), [GameScore::Win, GameScore::Win]);
        check(
            &game(a, vec![leg(a), leg(None)]),
            [GameScore::Win, GameScore::Draw],
        );
        check(
            &game(None, vec![leg(a), leg(Some(Entrant::B))]),
            [GameScore::Win, GameScore::Loss],
        );
        assert_eq!(
            game(a, vec![]).pair_scores(Entrant::B),
            [GameScore::Loss; 2]
        );
        let text = serde_json::to_string(&game(a, vec![leg(None)])).expect("plain data");
        assert_eq!(
            serde_json::from_str::<GameRecord>(&text).expect("own text"),
            game(a, vec![leg(None)])
        );
    }
}
