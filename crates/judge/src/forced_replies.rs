//! Forced replies: a leg is replayed from its start up to the round from which it continues live.
//! Programs are asked all the same, so that their state follows the position; divergences are
//! recorded.

use std::collections::VecDeque;
use std::time::Duration;

use leitai_game::erased::{Checkpoint, TextReplies};
use leitai_game::lang::{Message, say};
use leitai_game::replay::{LegRecord, ReplayWalker, fold8};
use leitai_game::{AnySetup, AnySink, BySeat, Entrant, Fault, InvalidSetup, Reply, Seat};
use serde::{Serialize, Serializer};

/// While replies are forced a program has this multiple of its time for a turn, because only the
/// position matters; but never less than [`LEAST_PATIENCE`].
const PATIENCE: u32 = 10;
/// See [`PATIENCE`].
const LEAST_PATIENCE: Duration = Duration::from_secs(10);

/// The replies that are played whatever the seats answer. The default forces nothing.
#[derive(Clone, Debug, Default)]
pub struct ForcedReplies {
    steps: VecDeque<BySeat<Option<String>>>,
    /// Seats that exceeded their time once; they are not waited for again while replies are forced.
    silent: BySeat<bool>,
    /// Why the current answer of a seat is not usable.
    wrong: BySeat<Option<Message>>,
    divergences: BySeat<Option<Divergence>>,
    /// The divergence of each seat in its last forced reply, if that was one.
    last_divergences: BySeat<Option<Divergence>>,
}

/// The first step in which a program differs from the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Divergence {
    pub entrant: Entrant,
    pub seat: Seat,
    /// The round, from 1.
    pub round: u32,
    /// The step, from 0.
    pub step: usize,
    /// The recorded action in notation.
    pub recorded: String,
    pub instead: DivergentReply,
}

/// The reply in place of the recorded action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum DivergentReply {
    /// Another action, in notation.
    Action(String),
    /// No usable answer: the fault as the end of a sentence that begins with the entrant's name.
    Fault {
        /// The code of the fault.
        code: &'static str,
        #[serde(serialize_with = "write_sentence")]
        what: Message,
    },
}

fn write_sentence<S: Serializer>(what: &Message, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(what)
}

impl ForcedReplies {
    /// The recorded replies of a leg up to the beginning of `round` (from 1). The leg is played
    /// while they are read, so every existing value can be played.
    ///
    /// # Errors
    /// If the leg does not reach that round, if a fault comes before it, or if the record cannot be
    /// played.
    pub fn until_round(
        setup: &dyn AnySetup,
        record: &LegRecord,
        round: u32,
    ) -> Result<ForcedReplies, InvalidSetup> {
        if round == 0 {
            return Err(InvalidSetup::new(
                "there is no round 0: the first is round 1",
            ));
        }
        let mut walk = ReplayWalker::new(setup, record);
        let mut hashes = HashComparison {
            recorded: record.hashes.as_bytes(),
            seen: 0,
            wrong: false,
        };
        let mut steps = VecDeque::new();
        while walk.current_leg().round() < round {
            let at = walk.current_leg().round();
            let Some(replies) = walk.next(&mut hashes)? else {
                return Err(InvalidSetup(say!(
                    "it ends in round {at}, before round {round}; choose one of 1 to {at}"
                )));
            };
            if hashes.wrong {
                return Err(InvalidSetup(say!(
                    "in round {at} the engine comes to another position than the replay (`leitai replay verify` \
                     says where): it was played by other rules or changed"
                )));
            }
            steps.push_back(read_actions(&replies, at, round)?);
        }
        if walk.current_leg().outcome().is_some() {
            return Err(InvalidSetup(say!(
                "the leg was over when round {round} would have begun"
            )));
        }
        Ok(ForcedReplies {
            steps,
            ..ForcedReplies::default()
        })
    }

    /// All recorded replies of an aborted leg.
    ///
    /// # Errors
    /// If the record contains a fault or cannot be played.
    pub fn from_whole_leg(
        setup: &dyn AnySetup,
        record: &LegRecord,
    ) -> Result<ForcedReplies, InvalidSetup> {
        let mut walk = ReplayWalker::new(setup, record);
        let mut steps = VecDeque::new();
        loop {
            let at = walk.current_leg().round();
            let Some(replies) = walk.next(&mut ())? else {
                break;
            };
            steps.push_back(read_actions(&replies, at, at.saturating_add(1))?);
        }
        Ok(ForcedReplies {
            steps,
            ..ForcedReplies::default()
        })
    }

    /// The recorded replies of a leg up to its first fault, or up to its end. Nobody can be sent
    /// past a fault: the step in which it happened is not forced.
    ///
    /// # Errors
    /// If the record cannot be played.
    pub fn until_fault(
        setup: &dyn AnySetup,
        record: &LegRecord,
    ) -> Result<ForcedReplies, InvalidSetup> {
        let mut walk = ReplayWalker::new(setup, record);
        let mut steps = VecDeque::new();
        while let Some(replies) = walk.next(&mut ())? {
            let Ok(actions) = read_actions(&replies, 1, 1) else {
                break;
            };
            steps.push_back(actions);
        }
        Ok(ForcedReplies {
            steps,
            ..ForcedReplies::default()
        })
    }

    /// The number of steps that are still forced.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no more steps are forced.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The first divergence of each seat.
    pub fn divergences(&self) -> &BySeat<Option<Divergence>> {
        &self.divergences
    }

    /// The divergence of each seat in its last forced reply, if that was one.
    pub fn last_divergences(&self) -> &BySeat<Option<Divergence>> {
        &self.last_divergences
    }

    /// The time in which a program must answer while replies are forced, so that nothing hangs.
    pub(crate) fn wait_limit(limit: Duration) -> Duration {
        limit.saturating_mul(PATIENCE).max(LEAST_PATIENCE)
    }

    /// The forced reply of a seat in this step.
    pub(crate) fn forced_reply(&self, seat: Seat) -> Option<&str> {
        self.steps.front()?[seat].as_deref()
    }

    /// The forced reply of a seat that is not waited for any more.
    pub(crate) fn for_silent(&self, seat: Seat) -> Option<&str> {
        self.forced_reply(seat).filter(|_| self.silent[seat])
    }

    /// Records that a seat gave no usable answer in this step.
    pub(crate) fn note_fault(&mut self, seat: Seat, fault: Fault, what: Message) {
        self.silent[seat] |= fault == Fault::Timeout;
        self.wrong[seat] = Some(what);
    }

    /// Compares the answers with the record and returns the forced replies; `None` at the end of
    /// the record. A seat without an answer is not compared.
    pub(crate) fn next(
        &mut self,
        said: &TextReplies<'_>,
        mut place: impl FnMut(Seat) -> LegPoint,
    ) -> Option<BySeat<Option<String>>> {
        let forced = self.steps.pop_front()?;
        for seat in Seat::BOTH {
            let wrong = self.wrong[seat].take();
            let (Some(said), Some(recorded)) = (said[seat], &forced[seat]) else {
                continue;
            };
            self.last_divergences[seat] = compare_reply(said, wrong, recorded).map(|instead| {
                let LegPoint {
                    entrant,
                    round,
                    step,
                } = place(seat);
                Divergence {
                    entrant,
                    seat,
                    round,
                    step,
                    recorded: recorded.clone(),
                    instead,
                }
            });
            if self.divergences[seat].is_none() {
                self.divergences[seat] = self.last_divergences[seat].clone();
            }
        }
        Some(forced)
    }
}

/// The current seat, round and step of a leg.
pub(crate) struct LegPoint {
    pub entrant: Entrant,
    pub round: u32,
    pub step: usize,
}

fn compare_reply(
    said: Reply<&str>,
    wrong: Option<Message>,
    recorded: &str,
) -> Option<DivergentReply> {
    match said {
        Reply::Action(action) => {
            (action != recorded).then(|| DivergentReply::Action(action.to_owned()))
        }
        Reply::Fault(fault) => {
            let what = wrong.unwrap_or_else(|| fault.phrase().into());
            Some(DivergentReply::Fault {
                code: fault.code(),
                what,
            })
        }
    }
}

fn read_actions(
    replies: &TextReplies<'_>,
    at: u32,
    round: u32,
) -> Result<BySeat<Option<String>>, InvalidSetup> {
    let fault = replies.iter_pairs().find_map(|(seat, reply)| match reply {
        Some(Reply::Fault(fault)) => Some((seat, fault)),
        _ => None,
    });
    if let Some((seat, fault)) = fault {
        return Err(InvalidSetup(say!(
            "in round {at} the {seat} player {} ({fault}), and nobody can be sent past a fault to round {round}; choose \
             one of 1 to {at}",
            fault.phrase()
        )));
    }
    Ok(replies.map_values(|reply| match reply {
        Some(Reply::Action(action)) => Some(action.to_owned()),
        _ => None,
    }))
}

/// Compares the positions with the recorded hash digits, if there are any.
struct HashComparison<'a> {
    recorded: &'a [u8],
    seen: usize,
    wrong: bool,
}

impl AnySink for HashComparison<'_> {
    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        let recorded = self.recorded.get(2 * self.seen..2 * self.seen + 2);
        self.seen += 1;
        let digits = format!("{:02x}", fold8(at.hash()));
        self.wrong |= !self.recorded.is_empty() && recorded != Some(digits.as_bytes());
    }
}
