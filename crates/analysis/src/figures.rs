//! What the sides of a leg did, in the figures of the game: by phase and over the leg, beside those of
//! a strong bot.

use leitai_game::figures::PHASES;
use leitai_game::{BySeat, FigureInfo, FigureKind, LegFigures, Seat, Text};
use serde::{Serialize, Serializer};

/// The parts of a leg for which each figure is told, so that its course can be drawn.
pub const PARTS: usize = 12;

/// A figure of a leg.
#[derive(Clone, Debug, Serialize)]
pub struct FigureOfLeg {
    /// What it is.
    #[serde(flatten, serialize_with = "write_info")]
    pub info: &'static FigureInfo,
    /// Of each seat, by phase.
    #[serde(serialize_with = "write_tenths")]
    pub phases: BySeat<[f64; PHASES]>,
    /// Of each seat in twelve parts of the leg.
    #[serde(serialize_with = "write_tenths")]
    pub course: BySeat<[f64; PARTS]>,
    /// Of each seat over the leg.
    #[serde(serialize_with = "write_whole")]
    pub whole: BySeat<[f64; 1]>,
}

impl PartialEq for FigureOfLeg {
    fn eq(&self, other: &FigureOfLeg) -> bool {
        self.info.key == other.info.key
            && (self.phases, self.course, self.whole) == (other.phases, other.course, other.whole)
    }
}

impl FigureOfLeg {
    /// What the strong bot has over a leg.
    pub fn strong(&self) -> f64 {
        let sum: f64 = self.info.strong.iter().sum();
        match self.info.kind {
            FigureKind::Sum => sum,
            FigureKind::Mean => sum / PHASES as f64,
        }
    }

    /// By how many points the other side has more of it.
    pub fn points_behind(&self, seat: Seat) -> f64 {
        let [own, other] = [seat, seat.other()].map(|seat| self.whole[seat][0]);
        (other - own) * self.info.worth
    }
}

/// The index of the figure that a side lacks most.
pub(crate) fn find_lack(figures: &[FigureOfLeg], seat: Seat) -> Option<usize> {
    let behind = |figure: &FigureOfLeg| figure.points_behind(seat);
    let lacking = figures.iter().enumerate();
    let lacking = lacking.filter(|(_, figure)| behind(figure) > 0.0);
    let most = lacking.max_by(|(_, a), (_, b)| behind(a).total_cmp(&behind(b)));
    most.map(|(index, _)| index)
}

/// Counts of a leg, in the order in which they were taken.
pub(crate) struct FigureTally {
    infos: &'static LegFigures,
    counts: Vec<Count>,
}

struct Count {
    round: u32,
    figure: usize,
    seat: Seat,
    amount: f64,
}

impl FigureTally {
    pub fn new(infos: &'static LegFigures) -> FigureTally {
        FigureTally {
            infos,
            counts: Vec::new(),
        }
    }

    pub fn add(&mut self, round: u32, figure: usize, seat: Seat, amount: f64) {
        self.counts.push(Count {
            round,
            figure,
            seat,
            amount,
        });
    }

    /// The figures of a leg of so many rounds.
    pub fn list(&self, rounds: u32) -> Vec<FigureOfLeg> {
        let list = self.infos.list.iter().enumerate();
        list.map(|(figure, info)| FigureOfLeg {
            info,
            phases: self.divide(figure, info.kind, rounds),
            course: self.divide(figure, info.kind, rounds),
            whole: self.divide(figure, info.kind, rounds),
        })
        .collect()
    }

    /// A figure in so many parts of the leg.
    fn divide<const N: usize>(
        &self,
        figure: usize,
        kind: FigureKind,
        rounds: u32,
    ) -> BySeat<[f64; N]> {
        let mut parts = BySeat::new([(0.0, 0u32); N], [(0.0, 0); N]);
        for count in self.counts.iter().filter(|count| count.figure == figure) {
            let place = u64::from(count.round.saturating_sub(1)) * N as u64;
            let place = place / u64::from(rounds.max(1));
            let part = &mut parts[count.seat][(place as usize).min(N - 1)];
            part.0 += count.amount;
            part.1 += 1;
        }
        parts.map_values(|parts| {
            parts.map(|(sum, counts)| match kind {
                FigureKind::Sum => sum,
                FigureKind::Mean => sum / f64::from(counts.max(1)),
            })
        })
    }
}

fn write_info<S: Serializer>(info: &&'static FigureInfo, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Written {
        key: &'static str,
        name: Both,
        kind: &'static str,
        advice: Both,
        strong: [f64; PHASES],
    }
    #[derive(Serialize)]
    struct Both {
        en: &'static str,
        zh: &'static str,
    }
    let both = |text: Text| Both {
        en: text.en,
        zh: text.zh,
    };
    Written {
        key: info.key,
        name: both(info.name),
        kind: match info.kind {
            FigureKind::Sum => "sum",
            FigureKind::Mean => "mean",
        },
        advice: both(info.advice),
        strong: info.strong,
    }
    .serialize(to)
}

/// One digit behind the point.
fn write_tenths<S: Serializer, const N: usize>(
    values: &BySeat<[f64; N]>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let round = |values: &[f64; N]| values.iter().copied().map(tenths).collect::<Vec<f64>>();
    [&values[Seat::First], &values[Seat::Second]]
        .map(round)
        .serialize(to)
}

fn write_whole<S: Serializer>(values: &BySeat<[f64; 1]>, to: S) -> Result<S::Ok, S::Error> {
    [values[Seat::First], values[Seat::Second]]
        .map(|[value]| tenths(value))
        .serialize(to)
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn figure(key: &'static str, kind: FigureKind, worth: f64) -> FigureInfo {
        FigureInfo {
            key,
            name: Text::new("", ""),
            kind,
            worth,
            advice: Text::new("", ""),
            strong: [1.0, 2.0, 3.0],
        }
    }

    static FIGURES: LegFigures = LegFigures {
        strong_bot: "strong",
        list: &[
            figure("won", FigureKind::Sum, 1.0),
            figure("held", FigureKind::Mean, 0.0),
            figure("lost", FigureKind::Sum, -2.0),
        ],
    };

    #[test]
    fn figures_are_told_by_phase_and_the_largest_lack_is_found() {
        let mut tally = FigureTally::new(&FIGURES);
        for (round, figure, seat, amount) in [
            (1, 0, Seat::First, 4.0),
            (30, 0, Seat::First, 3.0),
            (30, 0, Seat::Second, 1.0),
            (1, 1, Seat::First, 2.0),
            (2, 1, Seat::First, 4.0),
            (12, 2, Seat::Second, 5.0),
        ] {
            tally.add(round, figure, seat, amount);
        }
        let found = tally.list(30);
        let phases = |figure: usize, seat| found[figure].phases[seat];
        assert_eq!(phases(0, Seat::First), [4.0, 0.0, 3.0]);
        assert_eq!(phases(1, Seat::First), [3.0, 0.0, 0.0]);
        assert_eq!(phases(2, Seat::Second), [0.0, 5.0, 0.0]);
        assert_eq!(found[0].course[Seat::First][11], 3.0);
        assert_eq!((found[0].strong(), found[1].strong()), (6.0, 2.0));
        assert_eq!(find_lack(&found, Seat::Second), Some(2), "5 lost cost 10");
        assert_eq!(find_lack(&found, Seat::First), None);
    }
}
