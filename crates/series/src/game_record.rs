//! The summary of a finished match: its result, faults and times. One line of a journal.

use std::sync::Arc;

use leitai_game::replay::{LegRecord, MatchStatus, ReplayWalker};
use leitai_game::reply::FaultCode;
use leitai_game::{AnyGame, AnyLeg, AnySetup, ByEntrant, Entrant, Outcome, Replay, Seat, Verdict};
use leitai_judge::{MatchSpec, PlayedMatch};
use leitai_ladder::{GameScore, Results};
use serde::{Deserialize, Serialize};

use crate::{EloUnit, TimeHistogram};

/// A finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct GameRecord {
    /// The entrants A and B by their numbers.
    pub pair: [usize; 2],
    /// The seed of its setup.
    pub seed: u64,
    /// The winner; null is a draw.
    pub winner: Option<Entrant>,
    /// The id of the rule that decided.
    pub reason: String,
    pub legs: Vec<LegSummary>,
    /// Legs that were not played, because an earlier one decided the match; older journals do not
    /// tell.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unplayed: usize,
    /// The faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultPlace>,
    /// The times of moves.
    pub times: ByEntrant<TimeHistogram>,
    /// The replay, as a path in the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// A finished leg.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LegSummary {
    /// The winner; null is a draw.
    pub winner: Option<Entrant>,
    /// The scores of A and B.
    pub scores: [i32; 2],
    /// The id of the rule that decided.
    pub reason: String,
    /// Equal for games with the same config, setup and replies; older journals have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct FaultPlace {
    pub entrant: Entrant,
    /// Its code, such as TLE.
    pub code: FaultCode,
    /// The leg, from 1.
    pub leg: usize,
    /// The round.
    pub round: u32,
}

/// A replay of a match, and what the rules say of it.
#[derive(Clone, Copy)]
struct JudgedReplay<'a> {
    setup: &'a dyn AnySetup,
    /// The most legs that were to be played.
    legs: usize,
    replay: &'a Replay,
    outcomes: &'a [Outcome],
    verdict: &'a Verdict,
}

impl GameRecord {
    /// The summary of a match that was played to its verdict; `None` for an interrupted one.
    pub fn from_played(
        pair: [usize; 2],
        spec: &MatchSpec,
        played: &PlayedMatch,
    ) -> Option<GameRecord> {
        let judged = JudgedReplay {
            setup: &*spec.setup,
            legs: spec.legs,
            replay: &played.replay,
            outcomes: &played.outcomes,
            verdict: played.verdict.as_ref()?,
        };
        Some(GameRecord::from_judged(pair, spec.seed, &judged))
    }

    fn from_judged(pair: [usize; 2], seed: u64, judged: &JudgedReplay) -> GameRecord {
        let JudgedReplay {
            setup,
            legs,
            replay,
            outcomes,
            verdict,
        } = *judged;
        let games = replay.list_games();
        let leg = |(index, outcome): (usize, &Outcome)| LegSummary {
            winner: outcome.winner.map(|seat| seat.entrant_in_leg(index)),
            scores: Entrant::BOTH.map(|entrant| outcome.scores[entrant.seat_in_leg(index)]),
            reason: outcome.reason.id.to_owned(),
            fingerprint: games.get(index).cloned(),
        };
        GameRecord {
            pair,
            seed,
            winner: verdict.winner,
            reason: verdict.reason.id.to_owned(),
            legs: outcomes.iter().enumerate().map(leg).collect(),
            unplayed: legs.saturating_sub(outcomes.len()),
            faults: replay
                .legs
                .iter()
                .enumerate()
                .flat_map(list_faults)
                .collect(),
            times: count_times(setup, &replay.legs),
            replay: None,
        }
    }

    /// The result for A.
    pub fn score(&self) -> GameScore {
        entrant_score(self.winner, Entrant::A)
    }

    /// The result for this entrant.
    pub fn score_of(&self, entrant: Entrant) -> GameScore {
        entrant_score(self.winner, entrant)
    }

    /// Counts the match for ratings in this unit.
    pub fn count_in(&self, field: &mut Results, unit: EloUnit) {
        let ([one, other], score) = (self.pair, self.score());
        match unit {
            EloUnit::Leg => field.add_match(one, other, score, &self.leg_scores(Entrant::A)),
            EloUnit::Match => field.add_game(one, other, score),
        }
    }

    /// The results of all legs for this entrant. A leg that was not played because an earlier one
    /// decided the match (a forfeit) counts like the match.
    pub fn leg_scores(&self, entrant: Entrant) -> Vec<GameScore> {
        let played = self.legs.iter().map(|leg| leg.winner);
        let unplayed = std::iter::repeat_n(self.winner, self.unplayed);
        let score = |winner| entrant_score(winner, entrant);
        played.chain(unplayed).map(score).collect()
    }

    /// The results of the two legs of a pair for this entrant. A leg that was not played because
    /// the first decided the match (a forfeit) counts like the match.
    pub fn pair_scores(&self, entrant: Entrant) -> [GameScore; 2] {
        let leg = |index: usize| self.legs.get(index).map_or(self.winner, |leg| leg.winner);
        [0, 1].map(|index| entrant_score(leg(index), entrant))
    }
}

/// What the rules say of a replay of a stranger.
#[allow(missing_docs, reason = "the names say it")]
pub struct JudgedMatch {
    pub setup: Arc<dyn AnySetup>,
    /// The last positions of the legs.
    pub ends: Vec<Box<dyn AnyLeg>>,
    pub outcomes: Vec<Outcome>,
    pub verdict: Verdict,
}

impl JudgedMatch {
    /// Plays a replay again.
    ///
    /// # Errors
    /// If it was not played to its end, or cannot be played.
    pub fn of_replay(game: &dyn AnyGame, replay: &Replay) -> Result<JudgedMatch, String> {
        if replay.status != MatchStatus::Complete {
            return Err("the match was not played to its end".to_owned());
        }
        let setup = game
            .read_setup(&replay.setup)
            .map_err(|error| error.to_string())?;
        let mut ends = Vec::new();
        for (index, record) in replay.legs.iter().enumerate() {
            let mut walk = ReplayWalker::new(&*setup, record);
            while walk
                .next(&mut ())
                .map_err(|error| format!("leg {}: {error}", index + 1))?
                .is_some()
            {}
            ends.push(walk.into_leg());
        }
        let outcomes: Option<Vec<Outcome>> = ends.iter().map(|leg| leg.outcome()).collect();
        let outcomes = outcomes
            .filter(|legs| !legs.is_empty())
            .ok_or("a leg has no end")?;
        let verdict = setup.decide_match(&ends);
        Ok(JudgedMatch {
            setup,
            ends,
            outcomes,
            verdict,
        })
    }

    /// The summary of the match; `legs` is the most that were to be played.
    pub fn record(
        &self,
        pair: [usize; 2],
        (seed, legs): (u64, usize),
        replay: &Replay,
    ) -> GameRecord {
        let own = JudgedReplay {
            setup: &*self.setup,
            legs,
            replay,
            outcomes: &self.outcomes,
            verdict: &self.verdict,
        };
        GameRecord::from_judged(pair, seed, &own)
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
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

/// Counts the times of moves. A replay has times by step; the game tells which seats moved. The
/// charged time counts: CPU time if there is such a clock, wall time otherwise.
fn count_times(setup: &dyn AnySetup, records: &[LegRecord]) -> ByEntrant<TimeHistogram> {
    let mut times = ByEntrant::<TimeHistogram>::default();
    for (index, record) in records.iter().enumerate() {
        let mut walk = ReplayWalker::new(setup, record);
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
            fingerprint: None,
        };
        let game = |winner, legs| GameRecord {
            pair: [0, 1],
            seed: 1,
            winner,
            reason: String::new(),
            legs,
            unplayed: 0,
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
        let forfeited = GameRecord {
            unplayed: 1,
            ..game(a, vec![leg(None)])
        };
        let scores = [GameScore::Draw, GameScore::Win];
        assert_eq!(forfeited.leg_scores(Entrant::A), scores);
        let text = serde_json::to_string(&game(a, vec![leg(None)])).expect("plain data");
        assert_eq!(
            serde_json::from_str::<GameRecord>(&text).expect("own text"),
            game(a, vec![leg(None)])
        );
    }
}
