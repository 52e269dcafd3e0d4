//! The figures that explain a leg: who had the space, and who ran out of ways.

use leitai_game::figures::{FigureCounter, FigureInfo, FigureKind, LegFigures};
use leitai_game::{Seat, Text};

use crate::bots::territory::compute_territories;
use crate::position::Position;
use crate::setup::Setup;

const SPACE: usize = 0;
const STUCK: usize = 1;
const WAYS: usize = 2;
const CENTRE: usize = 3;

/// See the module.
pub static FIGURES: LegFigures = LegFigures {
    strong_bot: "level8",
    list: &[
        FigureInfo {
            key: "space",
            name: Text::new("cells reached first (mean)", "能先到的格数（平均）"),
            kind: FigureKind::Mean,
            worth: 1.0,
            advice: Text::new(
                "Go where you reach more cells before the other side: before each move count for each way \
                     who gets to which cell first.",
                "往能先到更多格的方向走：每步之前，对每个方向数一数各格谁先到达。",
            ),
            strong: [54.0, 52.6, 42.8],
        },
        FigureInfo {
            key: "stuck",
            name: Text::new(
                "rounds in a space too small to live in",
                "困在活不下去的小空间里的回合数",
            ),
            kind: FigureKind::Sum,
            worth: -4.0,
            advice: Text::new(
                "Do not enter a space that is smaller than you are long: look for the way out before you \
                     go in.",
                "不要钻进比自己身长还小的空间：进去之前先找好出口。",
            ),
            strong: [0.8, 1.7, 7.6],
        },
        FigureInfo {
            key: "ways",
            name: Text::new("ways that do not kill (mean)", "不会死的方向数（平均）"),
            kind: FigureKind::Mean,
            worth: 8.0,
            advice: Text::new(
                "Keep more ways open: do not walk along walls and bodies on both sides.",
                "多留几条路：不要走进两侧都是墙或蛇身的通道。",
            ),
            strong: [2.2, 2.0, 1.6],
        },
        FigureInfo {
            key: "centre",
            name: Text::new("steps from the middle (mean)", "离中心的步数（平均）"),
            kind: FigureKind::Mean,
            worth: -1.0,
            advice: Text::new(
                "Head for the middle early: from there more cells are yours first.",
                "尽早走向中央：从那里能先到更多的格子。",
            ),
            strong: [5.1, 5.2, 5.1],
        },
    ],
};

/// Counts a round, by the position in which it was chosen.
pub(crate) fn count_round(setup: &Setup, before: &Position, count: FigureCounter<'_>) {
    let territories = compute_territories(setup, before);
    let middle = [setup.map().rows(), setup.map().cols()].map(|side| f64::from(side - 1) / 2.0);
    for seat in Seat::BOTH {
        let own = territories[seat.index()];
        let head = before.head(seat);
        let [row, col] = [head.x(), head.y()].map(f64::from);
        count(SPACE, seat, f64::from(own.cells));
        count(STUCK, seat, f64::from(u8::from(own.stuck)));
        count(
            WAYS,
            seat,
            f64::from(before.safe_mask(setup, seat).count_ones()),
        );
        count(
            CENTRE,
            seat,
            (row - middle[0]).abs() + (col - middle[1]).abs(),
        );
    }
}
