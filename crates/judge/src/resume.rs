//! A moment of a recorded match from which it is continued: to reproduce a fault, to ask a changed
//! program the same question, or to play a lost game again from a decisive moment.

use std::sync::Arc;

use leitai_game::lang::say;
use leitai_game::replay::{ForcedRecord, LegRecord, ReplayWalker};
use leitai_game::{AnyGame, AnyLeg, AnySetup, InvalidSetup, Replay};

use crate::forced_replies::ForcedReplies;

/// A leg and a round, both from 1, in the form `2:37`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ReplayPoint {
    pub leg: usize,
    /// The first round that is played live.
    pub round: u32,
}

/// The point at which a match continues: the recorded earlier legs, and the replies of the current
/// leg before the round.
#[derive(Clone, Debug)]
pub struct ResumePoint {
    earlier: Vec<LegRecord>,
    /// The first round that is not forced; `None` if the same match is resumed.
    round: Option<u32>,
    /// The forced replies before the round.
    pub forced_replies: ForcedReplies,
    /// Whether every leg begins with them.
    each_leg: bool,
}

impl ResumePoint {
    /// The moment in this replay, and the replay's setup.
    ///
    /// ```no_run
    /// # use leitai_game::{AnyGame, InvalidSetup, Replay};
    /// # use leitai_judge::{ReplayPoint, ResumePoint};
    /// # fn example(game: &dyn AnyGame, replay: &Replay) -> Result<(), InvalidSetup> {
    /// let (setup, from) = ResumePoint::new(game, replay, ReplayPoint { leg: 2, round: 37 })?;
    /// // Then a MatchSpec with `from: Some(from)`, `legs: 2`, this setup, and the seed and config of the replay.
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the replay is of another game or rule set, or does not reach that moment.
    pub fn new(
        game: &dyn AnyGame,
        replay: &Replay,
        moment: ReplayPoint,
    ) -> Result<(Arc<dyn AnySetup>, ResumePoint), InvalidSetup> {
        let meta = game.meta();
        if replay.game != meta.id {
            return Err(InvalidSetup(say!(
                "it is a replay of {}, not of {}",
                replay.game,
                meta.id
            )));
        }
        if replay.rules != meta.rules {
            let (theirs, ours) = (&replay.rules, meta.rules);
            return Err(InvalidSetup(say!(
                "it was judged by the rules {theirs:?}; this version plays {ours:?}"
            )));
        }
        let legs = replay.legs.len();
        let index = moment.leg.checked_sub(1).filter(|index| *index < legs);
        let index = index.ok_or_else(|| match legs {
            0 => InvalidSetup::new("it has no legs: nothing was played"),
            _ => InvalidSetup(say!("there is no leg {}; it has {legs}", moment.leg)),
        })?;
        let setup = game.read_setup(&replay.setup)?;
        let script = ForcedReplies::until_round(&*setup, &replay.legs[index], moment.round)
            .map_err(|why| InvalidSetup(say!("leg {}: {why}", moment.leg)))?;
        let (earlier, round) = (replay.legs[..index].to_vec(), Some(moment.round));
        Ok((
            setup,
            ResumePoint {
                earlier,
                round,
                forced_replies: script,
                each_leg: false,
            },
        ))
    }

    /// The position from which every leg of a match is played: the beginning of this round of the
    /// recorded leg, on the same setup.
    ///
    /// # Errors
    /// If the leg does not reach that round, or goes on past a fault.
    pub fn opening(
        setup: &dyn AnySetup,
        record: &LegRecord,
        round: u32,
    ) -> Result<ResumePoint, InvalidSetup> {
        Ok(ResumePoint {
            earlier: Vec::new(),
            round: Some(round),
            forced_replies: ForcedReplies::until_round(setup, record, round)?,
            each_leg: true,
        })
    }

    /// The point at which an interrupted match is resumed with the same entrants: after the last
    /// recorded step. A leg without an outcome is not over. The replay of the resumed match equals
    /// that of an uninterrupted one.
    ///
    /// # Errors
    /// If the record contains a fault or cannot be played.
    pub fn from_recorded_legs(
        setup: &dyn AnySetup,
        mut legs: Vec<LegRecord>,
    ) -> Result<ResumePoint, InvalidSetup> {
        let open = legs.pop_if(|leg| leg.outcome.is_none());
        let script = open
            .map(|leg| ForcedReplies::from_whole_leg(setup, &leg))
            .transpose()?
            .unwrap_or_default();
        Ok(ResumePoint {
            earlier: legs,
            round: None,
            forced_replies: script,
            each_leg: false,
        })
    }

    /// The index of the current leg, from 0.
    pub fn leg_index(&self) -> usize {
        self.earlier.len()
    }

    /// The record of this point in a replay.
    pub fn forced_record(&self) -> Option<ForcedRecord> {
        self.round.map(|round| ForcedRecord {
            leg: self.leg_index() + 1,
            round,
            each_leg: self.each_leg,
        })
    }

    /// Whether the leg with this index begins with the forced replies.
    pub(crate) fn begins(&self, index: usize) -> bool {
        self.each_leg || self.leg_index() == index
    }

    /// The earlier legs and their outcomes. They are copied without playing them; `leitai replay
    /// verify` finds a leg that the engine would end differently.
    pub(crate) fn earlier_legs(
        &self,
        setup: &dyn AnySetup,
    ) -> (Vec<LegRecord>, Vec<Box<dyn AnyLeg>>) {
        let end = |record: &LegRecord| {
            let mut walk = ReplayWalker::new(setup, record);
            while let Ok(Some(_)) = walk.next(&mut ()) {}
            walk.into_leg()
        };
        (self.earlier.clone(), self.earlier.iter().map(end).collect())
    }
}

impl std::str::FromStr for ReplayPoint {
    type Err = String;

    /// `LEG:ROUND`.
    fn from_str(text: &str) -> Result<ReplayPoint, String> {
        let wrong =
            || format!("{text:?} is not a moment of a replay; write LEG:ROUND, such as 2:37");
        let (leg, round) = text.split_once(':').ok_or_else(wrong)?;
        let (leg, round) = (
            leg.parse().map_err(|_| wrong())?,
            round.parse().map_err(|_| wrong())?,
        );
        Ok(ReplayPoint { leg, round })
    }
}

impl std::fmt::Display for ReplayPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.leg, self.round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_leg_and_a_round() {
        let check = |text: &str, expected: Option<(usize, u32)>| {
            let read = text.parse::<ReplayPoint>().ok();
            assert_eq!(
                read.map(|moment| (moment.leg, moment.round)),
                expected,
                "{text}"
            );
        };
        check("2:37", Some((2, 37)));
        check("1:0", Some((1, 0)));
        check("2", None);
        check("2:", None);
        check("-1:3", None);
        check("1:99999999999", None);
        check("1:2:3", None);
        assert_eq!(
            "2:37"
                .parse::<ReplayPoint>()
                .map(|moment| moment.to_string()),
            Ok("2:37".into())
        );
    }
}
