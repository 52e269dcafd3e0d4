//! Why a leg was lost: one of a few ways, and the decision that stands for it.

use serde::Serialize;

use crate::decision::Decision;
use crate::grade::{BLUNDER_FROM, Grade, HELD_FROM, INACCURACY_FROM};
use crate::slip::{Slip, find_slip};

/// A way of losing a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WayOfLosing {
    /// A fault: no answer in time, a crash, an illegal action.
    Fault,
    /// The only action that held was not played.
    OnlyMoveMissed,
    /// One decision cost as much as a blunder.
    Blunder,
    /// No blunder, but many smaller losses.
    SmallLosses,
    /// What it did was right as far as it could see: hidden enemies, or what the other side did in
    /// the same step, decided.
    Unforeseen,
    /// No decision cost much: the other side was better, or the errors are too deep for the budget.
    Outplayed,
}

impl WayOfLosing {
    /// All, in the order of the code.
    pub const ALL: [WayOfLosing; 6] = [
        WayOfLosing::Fault,
        WayOfLosing::OnlyMoveMissed,
        WayOfLosing::Blunder,
        WayOfLosing::SmallLosses,
        WayOfLosing::Unforeseen,
        WayOfLosing::Outplayed,
    ];
}

/// A third of a leg, by its rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The first third.
    Opening,
    /// The second third.
    Middle,
    /// The last third.
    Ending,
}

impl Phase {
    /// The phase of a round in a leg of so many rounds.
    pub fn of_round(round: u32, rounds: u32) -> Phase {
        let thirds = u64::from(round.saturating_sub(1)) * 3 / u64::from(rounds.max(1));
        match thirds {
            0 => Phase::Opening,
            1 => Phase::Middle,
            _ => Phase::Ending,
        }
    }
}

/// Why a leg was lost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LostLeg {
    /// The way.
    pub way: WayOfLosing,
    /// When the decision that stands for it was made.
    pub phase: Phase,
    /// That decision, by its index in the leg.
    pub decision: Option<usize>,
    /// Where its value went by many small steps.
    pub slip: Option<Slip>,
    /// The figure of the leg that it lacked most, by its index.
    pub lack: Option<usize>,
}

impl LostLeg {
    /// Whether no single decision explains it.
    pub fn is_gradual(&self) -> bool {
        use WayOfLosing::{Outplayed, SmallLosses, Unforeseen};
        matches!(self.way, SmallLosses | Unforeseen | Outplayed)
    }
}

/// Why a side with these decisions lost its leg.
pub(crate) fn find_way(own: &[(usize, &Decision)], rounds: u32) -> LostLeg {
    let (way, found) = choose_way(own);
    let round = found.map_or(rounds, |(_, decision)| decision.round);
    LostLeg {
        way,
        phase: Phase::of_round(round, rounds),
        decision: found.map(|(index, _)| index),
        slip: find_slip(own),
        lack: None,
    }
}

type Found<'a> = Option<(usize, &'a Decision)>;

fn choose_way<'a>(own: &[(usize, &'a Decision)]) -> (WayOfLosing, Found<'a>) {
    let find = |wanted: usize| own.iter().copied().find(|(index, _)| *index == wanted);
    let fault = own
        .iter()
        .copied()
        .rev()
        .find(|(_, one)| one.fault.is_some());
    if fault.is_some() {
        return (WayOfLosing::Fault, fault);
    }
    let worst = find_worst(own).and_then(find);
    if let Some((_, one)) = worst
        && one.loss >= BLUNDER_FROM
    {
        let way = match one.missed_only_move() {
            true => WayOfLosing::OnlyMoveMissed,
            false => WayOfLosing::Blunder,
        };
        return (way, worst);
    }
    let errors = own.iter().filter(|(_, one)| one.loss >= INACCURACY_FROM);
    if errors.map(|(_, one)| one.loss).sum::<f64>() >= BLUNDER_FROM {
        return (WayOfLosing::SmallLosses, worst);
    }
    let hidden = own
        .iter()
        .copied()
        .filter(|(_, one)| one.grade <= Grade::Good && unseen_loss(one) >= BLUNDER_FROM);
    let hidden = hidden.max_by(|(_, a), (_, b)| unseen_loss(a).total_cmp(&unseen_loss(b)));
    if hidden.is_some() {
        return (WayOfLosing::Unforeseen, hidden);
    }
    let held = own.iter().copied().rev();
    let last_held = held.clone().find(|(_, one)| one.true_before() >= HELD_FROM);
    (WayOfLosing::Outplayed, last_held.or(worst))
}

/// The loss that the seat could not know of.
fn unseen_loss(decision: &Decision) -> f64 {
    let views = [&decision.truth, &decision.hindsight];
    let losses = views.into_iter().flatten().map(|view| view.loss);
    losses.fold(0.0, f64::max)
}

/// The decision that cost most, the earliest of equal ones.
pub(crate) fn find_worst(own: &[(usize, &Decision)]) -> Option<usize> {
    let mut worst: Option<(usize, f64)> = None;
    for (index, one) in own {
        if one.loss > worst.map_or(0.0, |(_, loss)| loss) {
            worst = Some((*index, one.loss));
        }
    }
    worst.map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leg_has_three_phases() {
        let check = |round, rounds, phase| assert_eq!(Phase::of_round(round, rounds), phase);
        check(1, 30, Phase::Opening);
        check(10, 30, Phase::Opening);
        check(11, 30, Phase::Middle);
        check(21, 30, Phase::Ending);
        check(30, 30, Phase::Ending);
        check(1, 1, Phase::Opening);
        check(5, 0, Phase::Ending);
    }
}
