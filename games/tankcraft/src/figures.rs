//! The figures that explain a leg: mines, fire, and tanks that did nothing.

use leitai_game::figures::{FigureCounter, FigureInfo, FigureKind, LegFigures};
use leitai_game::{Seat, Text};

use crate::event::Event;
use crate::position::Position;
use crate::tank::{side_of, team_range};

const MINES: usize = 0;
const CAPTURED: usize = 1;
const DAMAGE: usize = 2;
const KILLS: usize = 3;
const LOST: usize = 4;
const IDLE: usize = 5;

/// See the module.
pub static FIGURES: LegFigures = LegFigures {
    strong_bot: "level8",
    list: &[
        FigureInfo {
            key: "mines",
            name: Text::new("mines held (mean)", "占有矿点（平均）"),
            kind: FigureKind::Mean,
            worth: 20.0,
            advice: Text::new(
                "Hold more mines: leave one tank near those that you own, and send the others to the next \
                     ones on different ways.",
                "多占矿点：在己方矿点附近留一辆车，其余分路去占下一批。",
            ),
            strong: [2.4, 3.5, 3.5],
        },
        FigureInfo {
            key: "captured",
            name: Text::new("mines captured", "夺取矿点次数"),
            kind: FigureKind::Sum,
            worth: 4.0,
            advice: Text::new(
                "Capture more: send no two tanks to the same mine, and go on as soon as it is yours.",
                "多夺矿点：不要两辆车去同一个矿点，占下后立刻去下一个。",
            ),
            strong: [8.5, 8.2, 8.5],
        },
        FigureInfo {
            key: "damage",
            name: Text::new("damage done", "造成伤害"),
            kind: FigureKind::Sum,
            worth: 1.0,
            advice: Text::new(
                "Shoot first and together: fire at whatever comes into range, several tanks at the weakest \
                     enemy.",
                "先开火、集中火力：敌人一进射程就打，几辆车一起打血量最少的。",
            ),
            strong: [27.8, 32.0, 31.8],
        },
        FigureInfo {
            key: "kills",
            name: Text::new("enemies destroyed", "击毁敌车"),
            kind: FigureKind::Sum,
            worth: 6.0,
            advice: Text::new(
                "Finish weak tanks: aim all fire in range at the enemy with the least HP.",
                "补刀残血：射程内的火力都打血量最少的敌车。",
            ),
            strong: [8.8, 10.5, 11.0],
        },
        FigureInfo {
            key: "lost",
            name: Text::new("own tanks lost", "损失己方坦克"),
            kind: FigureKind::Sum,
            worth: -6.0,
            advice: Text::new(
                "Lose fewer tanks: pull a damaged one back out of range, and do not drive alone into several \
                     enemies.",
                "少损失坦克：残血的车退出射程，不要单车冲进敌群。",
            ),
            strong: [8.8, 10.5, 11.0],
        },
        FigureInfo {
            key: "idle",
            name: Text::new("tank rounds without move or shot", "既不走也不打的车次"),
            kind: FigureKind::Sum,
            worth: -0.2,
            advice: Text::new(
                "Keep tanks busy: give every tank that stands still a mine or an enemy to go for.",
                "别让坦克闲着：给每辆停着的车一个矿点或敌人作目标。",
            ),
            strong: [18.0, 10.2, 10.8],
        },
    ],
};

/// Counts a round.
pub(crate) fn count_round(
    before: &Position,
    after: &Position,
    events: &[Event],
    count: FigureCounter<'_>,
) {
    let mut busy = [false; crate::tank::TANKS];
    for event in events {
        match event {
            Event::Captured { seat, .. } => count(CAPTURED, *seat, 1.0),
            Event::Hit { tank, damage, .. } => {
                count(DAMAGE, side_of(*tank).other(), f64::from(*damage));
            }
            Event::Died { tank, kill, .. } => {
                count(LOST, side_of(*tank), 1.0);
                if *kill {
                    count(KILLS, side_of(*tank).other(), 1.0);
                }
            }
            Event::Fired { tank, .. } | Event::Moved { tank, .. } => busy[*tank] = true,
            _ => {}
        }
    }
    if before.round() == 0 {
        return;
    }
    for seat in Seat::BOTH {
        count(MINES, seat, f64::from(after.mines(seat)));
        let idle = team_range(seat)
            .filter(|tank| before.tanks()[*tank].is_alive() && !busy[*tank])
            .count();
        count(IDLE, seat, idle as f64);
    }
}
