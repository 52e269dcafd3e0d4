//! What remains of a finished match: its result, faults and times. One line of a journal.

use leitai_game::replay::{LegRecord, Walk};
use leitai_game::{ByEntrant, Entrant, Seat};
use leitai_judge::{Match, Played};
use leitai_ladder::Score;
use serde::{Deserialize, Serialize};

use crate::batch::Times;

/// A finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Game {
    /// Who played, as numbers of entrants: A and B.
    pub pair: [usize; 2],
    /// The seed it was dealt from.
    pub seed: u64,
    /// Who won; null is a draw.
    pub winner: Option<Entrant>,
    /// The id of the rule that decided.
    pub reason: String,
    /// Its legs.
    pub legs: Vec<Leg>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// How long moves took.
    pub times: ByEntrant<Times>,
    /// The replay, as a path in the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// A finished leg.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leg {
    /// Who won it; null is a draw.
    pub winner: Option<Entrant>,
    /// The scores of A and B.
    pub scores: [i32; 2],
    /// The id of the rule that decided.
    pub reason: String,
}

/// A fault, with the place where to look at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Whose.
    pub entrant: Entrant,
    /// Its code, such as TLE.
    pub code: String,
    /// The leg, from 1.
    pub leg: usize,
    /// The round.
    pub round: u32,
}

impl Game {
    /// From a match that was played to its verdict; `None` from one that was interrupted.
    pub fn of(pair: [usize; 2], fixture: &Match, played: &Played) -> Option<Game> {
        let verdict = played.verdict.as_ref()?;
        let records = &played.replay.legs;
        let leg = |(index, outcome): (usize, &leitai_game::Outcome)| Leg {
            winner: outcome.winner.map(|seat| seat.entrant(index)),
            scores: Entrant::BOTH.map(|entrant| outcome.scores[entrant.seat(index)]),
            reason: outcome.reason.id.to_owned(),
        };
        Some(Game {
            pair,
            seed: fixture.seed,
            winner: verdict.winner,
            reason: verdict.reason.id.to_owned(),
            legs: played.outcomes.iter().enumerate().map(leg).collect(),
            faults: records.iter().enumerate().flat_map(faults).collect(),
            times: times(fixture, records),
            replay: None,
        })
    }

    /// How it ended for A.
    pub fn score(&self) -> Score {
        score(self.winner, Entrant::A)
    }

    /// How it ended for this entrant.
    pub fn score_of(&self, entrant: Entrant) -> Score {
        score(self.winner, entrant)
    }

    /// How the two legs of a pair ended for this entrant. A leg that was not played because the first decided the match
    /// (a forfeit) counts as the match does.
    pub fn pair_scores(&self, entrant: Entrant) -> [Score; 2] {
        let leg = |index: usize| self.legs.get(index).map_or(self.winner, |leg| leg.winner);
        [0, 1].map(|index| score(leg(index), entrant))
    }
}

fn score(winner: Option<Entrant>, entrant: Entrant) -> Score {
    match winner {
        None => Score::Draw,
        Some(winner) if winner == entrant => Score::Win,
        Some(_) => Score::Loss,
    }
}

fn faults((index, record): (usize, &LegRecord)) -> Vec<Fault> {
    let fault = |fault: &leitai_game::replay::FaultRecord| Fault {
        entrant: fault.entrant,
        code: fault.code.clone(),
        leg: index + 1,
        round: fault.round,
    };
    record.faults.iter().map(fault).collect()
}

/// A replay lists times step by step; who moved in a step, the game says. What counts is what was charged: CPU time where
/// there is such a clock, wall time otherwise.
fn times(fixture: &Match, records: &[LegRecord]) -> ByEntrant<Times> {
    let mut times = ByEntrant::<Times>::default();
    for (index, record) in records.iter().enumerate() {
        let mut walk = Walk::new(&*fixture.setup, record);
        let charged = |(at, wall): (usize, &u64)| record.cpu_us.get(at).copied().flatten().unwrap_or(*wall);
        let mut taken = record.times_us.iter().enumerate().map(charged);
        while let Ok(Some(replies)) = walk.next(&mut ()) {
            for (seat, _) in replies.iter().filter(|(_, reply)| reply.is_some()) {
                let seat: Seat = seat;
                taken.next().into_iter().for_each(|micros| times[seat.entrant(index)].count(micros));
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
        let leg = |winner| Leg { winner, scores: [0, 0], reason: String::new() };
        let game = |winner, legs| Game {
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
        let check = |game: &Game, expected| assert_eq!(game.pair_scores(Entrant::A), expected);
        check(&game(a, vec![leg(a)]), [Score::Win, Score::Win]);
        check(&game(a, vec![leg(a), leg(None)]), [Score::Win, Score::Draw]);
        check(&game(None, vec![leg(a), leg(Some(Entrant::B))]), [Score::Win, Score::Loss]);
        assert_eq!(game(a, vec![]).pair_scores(Entrant::B), [Score::Loss; 2]);
        let text = serde_json::to_string(&game(a, vec![leg(None)])).expect("plain data");
        assert_eq!(serde_json::from_str::<Game>(&text).expect("own text"), game(a, vec![leg(None)]));
    }
}
