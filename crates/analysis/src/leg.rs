//! One leg: its decisions, and what can be said of a side in it.

use leitai_game::replay::OutcomeRecord;
use leitai_game::{BySeat, Entrant, Seat};
use serde::{Serialize, Serializer};

use crate::decision::Decision;
use crate::figures::{FigureOfLeg, find_lack};
use crate::grade::{GradeCounts, HELD_FROM, mean_accuracy};
use crate::time_use::TimeUse;
use crate::way_of_losing::{LostLeg, find_way, find_worst};

/// The analysis of one leg.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LegAnalysis {
    /// The leg, from 1.
    pub leg: usize,
    /// How it ended; null if it was interrupted.
    pub outcome: Option<OutcomeRecord>,
    /// The last round that was played.
    pub rounds: u32,
    /// What can be said of each seat; null for a seat that was not asked for.
    pub sides: BySeat<Option<SideAnalysis>>,
    /// Every decision, in order.
    pub decisions: Vec<Decision>,
    /// What both sides did, in the figures of the game.
    pub figures: Vec<FigureOfLeg>,
}

/// What can be said of one side in one leg. Decisions are named by their index in
/// [`LegAnalysis::decisions`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideAnalysis {
    /// Who played this seat.
    pub entrant: Entrant,
    /// The number of decisions.
    pub decisions: usize,
    /// The accuracy in percent; null if there was no decision with a choice.
    #[serde(serialize_with = "write_percent")]
    pub accuracy: Option<f64>,
    /// How many decisions have each grade.
    pub grades: GradeCounts,
    /// The last decision at which the leg could still be held; null if the side did not lose or
    /// never could.
    pub last_held: Option<usize>,
    /// From here on the loss was proven, whatever the side did.
    pub forced_loss: Option<ForcedLoss>,
    /// Decisions in which only one action held and another one was played.
    pub only_moves_missed: Vec<usize>,
    /// The decision that cost most; null if none cost anything.
    pub worst: Option<usize>,
    /// Where time was spent; null if the replay has no times.
    pub time: Option<TimeUse>,
    /// Why the leg was lost; null if it was not.
    pub lost: Option<LostLeg>,
}

/// A loss that was proven and could not be avoided any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ForcedLoss {
    /// The first decision of those that all lose.
    pub decision: usize,
    /// Its round.
    pub round: u32,
    /// In how many rounds the leg is lost whatever the side does, that one counted.
    pub rounds: u32,
}

impl LegAnalysis {
    /// The analysis of a leg whose decisions were judged; only the sides that were asked for.
    pub fn new(
        leg: usize,
        outcome: Option<OutcomeRecord>,
        rounds: u32,
        decisions: Vec<Decision>,
        figures: Vec<FigureOfLeg>,
        is_wanted: impl Fn(Entrant) -> bool,
    ) -> LegAnalysis {
        let sides = BySeat::from_fn(|seat: Seat| {
            let entrant = seat.entrant_in_leg(leg - 1);
            is_wanted(entrant)
                .then(|| describe_side(&decisions, outcome.as_ref(), rounds, seat, entrant))
                .map(|side| side.with_lack(&figures, seat))
        });
        LegAnalysis {
            leg,
            outcome,
            rounds,
            sides,
            decisions,
            figures,
        }
    }

    /// The side of an entrant, if it was asked for.
    pub fn side_of(&self, entrant: Entrant) -> Option<&SideAnalysis> {
        self.sides[entrant.seat_in_leg(self.leg - 1)].as_ref()
    }
}

impl SideAnalysis {
    fn with_lack(mut self, figures: &[FigureOfLeg], seat: Seat) -> SideAnalysis {
        if let Some(lost) = &mut self.lost {
            lost.lack = find_lack(figures, seat);
        }
        self
    }
}

fn describe_side(
    decisions: &[Decision],
    outcome: Option<&OutcomeRecord>,
    rounds: u32,
    seat: Seat,
    entrant: Entrant,
) -> SideAnalysis {
    let own: Vec<(usize, &Decision)> = decisions
        .iter()
        .enumerate()
        .filter(|(_, decision)| decision.seat == seat)
        .collect();
    let is_lost = outcome.is_some_and(|outcome| outcome.winner == Some(seat.other()));
    let mut grades = GradeCounts::default();
    own.iter().for_each(|(_, one)| grades.add(one.grade));
    let with_choice = own.iter().filter(|(_, one)| one.choices > 1);
    let worst = find_worst(&own);
    SideAnalysis {
        entrant,
        decisions: own.len(),
        accuracy: mean_accuracy(with_choice.map(|(_, one)| one.loss)),
        grades,
        last_held: if is_lost { find_last_held(&own) } else { None },
        forced_loss: if is_lost {
            find_forced_loss(&own)
        } else {
            None
        },
        only_moves_missed: own
            .iter()
            .filter(|(_, one)| one.missed_only_move())
            .map(|(index, _)| *index)
            .collect(),
        worst,
        time: TimeUse::of_decisions(own.iter().map(|(_, one)| *one)),
        lost: if is_lost {
            Some(find_way(&own, rounds))
        } else {
            None
        },
    }
}

fn find_last_held(own: &[(usize, &Decision)]) -> Option<usize> {
    own.iter()
        .rev()
        .find(|(_, one)| one.true_before() >= HELD_FROM)
        .map(|(index, _)| *index)
}

fn find_forced_loss(own: &[(usize, &Decision)]) -> Option<ForcedLoss> {
    let lost = own
        .iter()
        .rev()
        .map_while(|(index, one)| Some((*index, one.round, one.lost_in()?)));
    lost.last().map(|(decision, round, rounds)| ForcedLoss {
        decision,
        round,
        rounds,
    })
}

/// One digit behind the point.
pub(crate) fn write_percent<S: Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => to.serialize_f64((value * 10.0).round() / 10.0),
        None => to.serialize_none(),
    }
}
