//! One decision: a reply of one seat in one step.

use leitai_game::assessment::{DecisionAssessment, Proof, ProvenResult};
use leitai_game::{Entrant, Fault, Seat};
use serde::{Serialize, Serializer};

use crate::grade::{Grade, HELD_FROM, MISTAKE_FROM};

/// Actions of a best line that are kept.
const LINE: usize = 12;

/// One decision. All probabilities are those of the seat that decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// The step, from 0: the index of its token in the replay.
    pub step: usize,
    /// The round, from 1.
    pub round: u32,
    /// Who decided.
    pub seat: Seat,
    /// The same, as entrant.
    pub entrant: Entrant,
    /// The action in notation, or `!` and the code of a fault.
    pub played: String,
    /// The code of the fault, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// The best action found.
    pub best: String,
    /// The probability to win with the best action.
    #[serde(serialize_with = "write_probability")]
    pub before: f64,
    /// The probability to win with what was played.
    #[serde(serialize_with = "write_probability")]
    pub after: f64,
    /// The standard error of `before` and of `after`, where the search knows it from its chance. A loss
    /// within two standard errors of the difference is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// `before` less `after`, never below 0.
    #[serde(serialize_with = "write_probability")]
    pub loss: f64,
    /// The grade of the loss.
    pub grade: Grade,
    /// The seat's best actions in order (in a turn-based game also the other seat's, where they
    /// fall between).
    pub line: Vec<String>,
    /// The result that the best action forces or cannot avoid, if it is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof_before: Option<ProofRecord>,
    /// The proven result after what was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof_after: Option<ProofRecord>,
    /// The number of actions that were compared; 1: there was no choice.
    pub choices: u32,
    /// Whether only one action held: every other one loses [`MISTAKE_FROM`] or more.
    pub only_move: bool,
    /// In a step that asks both seats: the same against what the other seat really played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hindsight: Option<OtherView>,
    /// Under fog: the same in the real position. The other numbers are then those of the position
    /// that the seat could believe in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<OtherView>,
    /// Wall time of the reply in microseconds, if the replay has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_us: Option<u64>,
}

/// How sure the numbers of a decision are: standard errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Of the probability to win with the best action.
    #[serde(serialize_with = "write_probability")]
    pub before: f64,
    /// Of the probability to win with what was played.
    #[serde(serialize_with = "write_probability")]
    pub after: f64,
}

impl Spread {
    fn of(known: &DecisionAssessment<String>) -> Option<Spread> {
        Some(Spread {
            before: known.best.spread?,
            after: known.played.spread?,
        })
    }

    /// The largest loss that may be chance alone.
    fn noise(self) -> f64 {
        2.0 * self.before.hypot(self.after)
    }
}

/// A decision with other knowledge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherView {
    /// The best action with this knowledge.
    pub best: String,
    /// The probability to win with it.
    #[serde(serialize_with = "write_probability")]
    pub before: f64,
    /// The probability to win with what was played.
    #[serde(serialize_with = "write_probability")]
    pub after: f64,
    /// `before` less `after`, never below 0.
    #[serde(serialize_with = "write_probability")]
    pub loss: f64,
    /// The proven result of the best action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof_before: Option<ProofRecord>,
}

/// A proven result in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ProofRecord {
    /// The result for the seat.
    pub result: ProvenName,
    /// Rounds until then, the one that is played now counted.
    pub rounds: u32,
}

/// The name of a [`ProvenResult`] in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum ProvenName {
    Win,
    Draw,
    Loss,
}

impl From<Proof> for ProofRecord {
    fn from(proof: Proof) -> ProofRecord {
        ProofRecord {
            result: match proof.result {
                ProvenResult::Win => ProvenName::Win,
                ProvenResult::Draw => ProvenName::Draw,
                ProvenResult::Loss => ProvenName::Loss,
            },
            rounds: proof.rounds,
        }
    }
}

/// Where and by whom a decision was made.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct DecisionPlace {
    pub step: usize,
    pub round: u32,
    pub seat: Seat,
    pub entrant: Entrant,
    pub time_us: Option<u64>,
}

impl Decision {
    /// The decision of these assessments: of what the seat could know, and of the real position if
    /// that is another one.
    pub fn new(
        place: DecisionPlace,
        played: String,
        fault: Option<Fault>,
        known: DecisionAssessment<String>,
        truth: Option<DecisionAssessment<String>>,
    ) -> Decision {
        let is_best = known.best_action == played;
        let (before, after) = (known.best.win_probability, known.played.win_probability);
        let spread = Spread::of(&known);
        let loss = match loss_of(before, after) {
            _ if is_best => 0.0,
            loss if spread.is_some_and(|spread| loss <= spread.noise()) => 0.0,
            loss => loss,
        };
        let grade = match fault {
            Some(_) => Grade::Blunder,
            None => Grade::of_loss(loss),
        };
        let only_move = before >= HELD_FROM
            && known
                .second_best
                .is_some_and(|second| before - second >= MISTAKE_FROM);
        let mut line = known.best.best_line;
        line.truncate(LINE);
        Decision {
            step: place.step,
            round: place.round,
            seat: place.seat,
            entrant: place.entrant,
            time_us: place.time_us,
            played,
            fault,
            best: known.best_action,
            before,
            after: before - loss,
            spread,
            loss,
            grade,
            line,
            proof_before: known.best.proof.map(ProofRecord::from),
            proof_after: known.played.proof.map(ProofRecord::from),
            choices: known.choices,
            only_move,
            hindsight: known.hindsight.map(|seen| OtherView {
                best: seen.best_action,
                before: seen.best,
                after: seen.played,
                loss: loss_of(seen.best, seen.played),
                proof_before: None,
            }),
            truth: truth.map(|truth| OtherView {
                before: truth.best.win_probability,
                after: truth.played.win_probability,
                loss: loss_of(truth.best.win_probability, truth.played.win_probability),
                proof_before: truth.best.proof.map(ProofRecord::from),
                best: truth.best_action,
            }),
        }
    }

    /// The probability to win with the best action in the real position.
    pub fn true_before(&self) -> f64 {
        self.truth
            .as_ref()
            .map_or(self.before, |truth| truth.before)
    }

    /// The rounds in which the seat loses whatever it does, if that is proven.
    pub fn lost_in(&self) -> Option<u32> {
        let proof = match &self.truth {
            Some(truth) => truth.proof_before,
            None => self.proof_before,
        };
        proof
            .filter(|proof| proof.result == ProvenName::Loss)
            .map(|proof| proof.rounds)
    }

    /// Whether the only action that held was not played.
    pub fn missed_only_move(&self) -> bool {
        self.only_move && self.grade >= Grade::Mistake
    }

    /// Whether thinking could change anything: there was a choice, and the result was open.
    pub fn mattered(&self) -> bool {
        let truth = self.truth.as_ref().and_then(|truth| truth.proof_before);
        self.choices > 1 && self.proof_before.or(truth).is_none()
    }
}

fn loss_of(before: f64, after: f64) -> f64 {
    (before - after).max(0.0)
}

/// Four digits behind the point: more is not known.
pub(crate) fn write_probability<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64((value * 10_000.0).round() / 10_000.0)
}
