//! The figures that explain a leg: where a side's cells came from, and where they went.

use leitai_game::figures::{FigureCounter, FigureInfo, FigureKind, LegFigures};
use leitai_game::{Seat, Text};

use crate::items::ItemKind;
use crate::position::{Event, Position};
use crate::setup::Setup;

const ENCLOSED: usize = 0;
const ITEMS: usize = 1;
const SPLITS: usize = 2;
const RAYS: usize = 3;
const LOST: usize = 4;
const SNAKES: usize = 5;
const HELD: usize = 6;

/// See the module.
pub static FIGURES: LegFigures = LegFigures {
    strong_bot: "level8",
    list: &[
        FigureInfo {
            key: "enclosed",
            name: Text::new("cells made into walls by loops", "圈地变成围墙的格数"),
            kind: FigureKind::Sum,
            worth: 1.0,
            advice: Text::new(
                "Close loops: turn a long snake back onto its own body, and it and all that it encloses \
                     become walls that count and cannot run into anything.",
                "学会圈地：让长蛇转回碰到自己的身体，蛇身和圈住的格子都会变成己方围墙，既计分又不会再撞死。",
            ),
            strong: [12.3, 15.8, 12.5],
        },
        FigureInfo {
            key: "items",
            name: Text::new("cells from items", "道具所得格数"),
            kind: FigureKind::Sum,
            worth: 1.0,
            advice: Text::new(
                "Gather more items: send each snake to one that it reaches before the other side, also to \
                     those that appear in the next rounds.",
                "多吃道具：让每条蛇去抢自己能先到的道具，也提前走向即将出现的道具。",
            ),
            strong: [42.7, 38.1, 31.9],
        },
        FigureInfo {
            key: "splits",
            name: Text::new("splits", "分裂次数"),
            kind: FigureKind::Sum,
            worth: 1.5,
            advice: Text::new(
                "Split more: two or three short snakes gather more than one long one, and losing one \
                     costs little.",
                "多分裂：两三条短蛇比一条长蛇吃得多，损失一条也无大碍。",
            ),
            strong: [5.4, 4.0, 4.9],
        },
        FigureInfo {
            key: "rays",
            name: Text::new("walls of the other side melted", "熔化的对方围墙"),
            kind: FigureKind::Sum,
            worth: 1.0,
            advice: Text::new(
                "Use rays: take ray items, and fire where a ray melts many walls of the other side and few \
                     of your own.",
                "善用射线：吃到射线道具后，在能多熔对方围墙、少伤己方围墙的方向发射。",
            ),
            strong: [2.4, 9.6, 16.4],
        },
        FigureInfo {
            key: "lost",
            name: Text::new("cells lost with dead snakes", "死蛇损失格数"),
            kind: FigureKind::Sum,
            worth: -1.0,
            advice: Text::new(
                "Keep snakes alive: before each move see that the head has a way out of the next cell, \
                     also when an enemy head moves beside it.",
                "让蛇活下来：每走一步先看下一格是否还有出路，敌方蛇头靠近时也要有。",
            ),
            strong: [3.8, 6.8, 8.1],
        },
        FigureInfo {
            key: "snakes",
            name: Text::new("snakes (mean)", "蛇的数量（平均）"),
            kind: FigureKind::Mean,
            worth: 0.0,
            advice: Text::new("", ""),
            strong: [3.9, 4.0, 4.0],
        },
        FigureInfo {
            key: "held",
            name: Text::new("cells held (mean)", "占有格数（平均）"),
            kind: FigureKind::Mean,
            worth: 0.0,
            advice: Text::new("", ""),
            strong: [25.8, 41.7, 46.9],
        },
    ],
};

/// Counts what one action changed.
pub(crate) fn count_action(
    setup: &Setup,
    before: &Position,
    after: &Position,
    events: &[Event],
    count: FigureCounter<'_>,
) {
    let seat = before.seat();
    let grown = |of: Seat| i32::from(after.count_cells()[of]) - i32::from(before.count_cells()[of]);
    let walls = |of: Seat| after.walls(of).len() as i32 - before.walls(of).len() as i32;
    let mut died = false;
    for event in events {
        match event {
            Event::Solidified { cells, .. } => count(ENCLOSED, seat, f64::from(*cells)),
            Event::Split { .. } => count(SPLITS, seat, 1.0),
            Event::Fired { .. } => count(RAYS, seat, f64::from(-walls(seat.other()))),
            Event::Ate { snake, item, .. } => {
                // An item may also appear on a snake of the other side.
                let is = |of: &Seat| after.snakes(*of).iter().any(|one| one.id == *snake);
                let eater = Seat::BOTH.into_iter().find(is).unwrap_or(seat);
                let item = setup.items().get(usize::from(*item));
                if let Some(item) = item.filter(|item| item.kind == ItemKind::Length) {
                    count(ITEMS, eater, f64::from(item.param));
                }
            }
            Event::Died { .. } => died = true,
            _ => {}
        }
    }
    for of in Seat::BOTH.into_iter().filter(|_| died) {
        count(LOST, of, f64::from(-grown(of).min(0)));
    }
    for of in Seat::BOTH {
        count(SNAKES, of, after.snakes(of).len() as f64);
        count(HELD, of, f64::from(after.count_cells()[of]));
    }
}
