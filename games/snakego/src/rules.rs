//! [`Position`] as a [`Game`]: outcomes, verdicts, and the names of everything.

use std::fmt;
use std::time::Duration;

use leitai_game::dialect::Replies;
use leitai_game::picture::{Axes, Key, KeyBinding, Look, Picture};
use leitai_game::replay::Format;
use leitai_game::{
    BotInfo, BySeat, ConfigChoice, DialectInfo, Entrant, Eye, Fault, Game, Illegal, Invalid, Meta, Outcome,
    Reason, Reply, Scope, Seat, Sink, Template, Text, ToMove, Verdict, parity,
};

use crate::action::Action;
use crate::position::{End, Event, Position, Watch};
use crate::setup::{CONFIG_CHOICES, Config, Setup};
use crate::view::View;
use crate::{bots, official, picture, saiblo, state_text};

impl Game for Position {
    type Config = Config;
    type Setup = Setup;
    type Action = Action;
    type Event = Event;
    type View<'a> = View<'a>;

    const META: Meta = Meta {
        id: "snakego",
        title: Text { en: "SnakeGo", zh: "贪吃蛇围棋 SnakeGo" },
        about: Text {
            en: "16 x 16, turn-based: snakes that grow, split, shoot melting rays and wall areas in",
            zh: "16×16 回合制：会成长、分裂、发射融化射线并圈地成墙的蛇",
        },
        rules: "snakego/1",
        legs: 2,
        period_limit: Duration::from_secs(3),
        message_limit: 2048,
    };

    fn deal(config: &Config, seed: u64) -> Result<Setup, Invalid> {
        Setup::deal(config, seed)
    }

    fn start(setup: &Setup) -> Position {
        Position::start(setup, &mut ())
    }

    fn to_move(&self) -> ToMove {
        if self.end().is_some() { ToMove::Nobody } else { ToMove::One(self.seat()) }
    }

    fn period(&self) -> u32 {
        2 * u32::from(self.round()) + self.seat().index() as u32 - 1
    }

    fn round(&self) -> u32 {
        Position::round(self).into()
    }

    fn rounds(setup: &Setup) -> u32 {
        setup.max_round().into()
    }

    fn check(&self, _: &Setup, seat: Seat, action: Action) -> Result<(), Illegal> {
        let Some(snake) = self.current().filter(|_| seat == self.seat()) else {
            return Err(Illegal("acted although it is not asked".into()));
        };
        let describe = |why: crate::IllegalAction| {
            Illegal(format!("{} (snake {}, op {})", why.phrase(), snake.id, action.number()))
        };
        Position::check(self, action).map_err(describe)
    }

    fn legal(&self, _: &Setup, seat: Seat, out: &mut Vec<Action>) {
        let mask = if seat == self.seat() { self.legal_mask() } else { 0 };
        out.extend(Action::ALL.into_iter().filter(|action| mask >> action.number() & 1 != 0));
    }

    fn step(&mut self, setup: &Setup, replies: Replies<Position>, sink: &mut dyn Sink<Position>) {
        match replies[self.seat()] {
            Some(Reply::Action(action)) => self.act(setup, action, &mut Told(sink)),
            Some(Reply::Fault(fault)) => self.fail(fault),
            None => self.fail(Fault::Timeout),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        Some(match self.end()? {
            End::Fault(seat, fault) => self.lost_by(seat, fault),
            End::Rounds | End::Extinct => by_cells(self.cells().map(i32::from)),
        })
    }

    fn scores(&self) -> BySeat<i32> {
        self.outcome().map_or_else(|| self.cells().map(i32::from), |outcome| outcome.scores)
    }

    fn verdict(_: &Setup, legs: &[Position]) -> Verdict {
        let outcomes: Vec<Outcome> = legs.iter().filter_map(Position::outcome).collect();
        forfeit(&outcomes)
            .or_else(|| more(leg_wins(&outcomes), LEG_WINS))
            .or_else(|| more(total_scores(&outcomes), TOTAL_SCORE))
            .or_else(|| first_item(legs.first()?))
            .unwrap_or(Verdict { winner: Some(Entrant::B), reason: SECOND_IN_FIRST_LEG })
    }

    fn view<'a>(&'a self, setup: &'a Setup, eye: Eye) -> View<'a> {
        View { setup, position: self, eye }
    }

    /// The first line names the player whose turn it is; at a checkpoint, the one whose turn it was.
    fn state_text(&self, setup: &Setup, out: &mut dyn fmt::Write) -> fmt::Result {
        state_text::write(setup, self, self.seat().index() as u8, out)
    }

    fn write_action(action: Action) -> String {
        action.number().to_string()
    }

    fn read_action(text: &str) -> Option<Action> {
        match text.as_bytes() {
            [digit @ b'1'..=b'6'] => Action::from_number(digit - b'0'),
            _ => None,
        }
    }

    fn bots() -> &'static [BotInfo<Position>] {
        bots::ALL
    }

    fn dialects() -> &'static [DialectInfo<Position>] {
        const { &[saiblo::INFO] }
    }

    fn messages() -> &'static [leitai_game::Text] {
        crate::messages::MESSAGES
    }

    fn formats() -> &'static [Format] {
        const { &[official::FORMAT] }
    }

    fn config_choices() -> &'static [ConfigChoice] {
        &CONFIG_CHOICES
    }

    fn templates() -> &'static [Template] {
        const {
            &[
                Template {
                    language: "python",
                    file_name: "bot.py",
                    code: include_str!("../templates/bot.py"),
                },
                Template {
                    language: "cpp",
                    file_name: "bot.cpp",
                    code: include_str!("../templates/bot.cpp"),
                },
            ]
        }
    }

    fn guide() -> Text {
        Text { en: include_str!("../README.md"), zh: include_str!("../README.zh.md") }
    }

    fn parity(text: &str, report: &mut dyn FnMut(parity::Case)) {
        crate::parity::run(text, report);
    }

    fn picture(&self, setup: &Setup, look: &Look) -> Picture {
        picture::draw(setup, self, look)
    }

    /// The origin is bottom left.
    fn axes() -> Axes {
        Axes { first: 0, rows_up: true }
    }

    fn keys(_: Seat) -> &'static [KeyBinding] {
        &KEYS
    }
}

const KEYS: [KeyBinding; 6] = [
    KeyBinding { keys: &[Key::Up, Key::Char('w')], action: "2", label: Text { en: "up", zh: "上" } },
    KeyBinding { keys: &[Key::Down, Key::Char('s')], action: "4", label: Text { en: "down", zh: "下" } },
    KeyBinding { keys: &[Key::Left, Key::Char('a')], action: "3", label: Text { en: "left", zh: "左" } },
    KeyBinding { keys: &[Key::Right, Key::Char('d')], action: "1", label: Text { en: "right", zh: "右" } },
    KeyBinding { keys: &[Key::Char('r')], action: "5", label: Text { en: "ray", zh: "融化射线" } },
    KeyBinding { keys: &[Key::Char(' ')], action: "6", label: Text { en: "split", zh: "分裂" } },
];

macro_rules! reason {
    ($name:ident, $id:literal, $en:literal, $zh:literal) => {
        #[doc = $en]
        pub const $name: Reason = Reason { id: $id, text: Text { en: $en, zh: $zh } };
    };
}

reason!(CELLS, "cells", "by more cells", "占据格数更多");
reason!(EQUAL_CELLS, "equal-cells", "with equal cells, as the first player", "格数相同，先手胜");
reason!(ILLEGAL, "illegal-action", "by an illegal action", "对方非法操作");
reason!(FORFEIT, "forfeit", "by the opponent's fault", "对方违规判负");
reason!(LEG_WINS, "leg-wins", "by legs won", "半场胜场数");
reason!(TOTAL_SCORE, "total-score", "by total score", "上下半场总得分");
reason!(FIRST_ITEM, "first-item", "by the first item of leg 1", "上半场先吃到道具");
reason!(SECOND_IN_FIRST_LEG, "second-in-first-leg", "as second player of leg 1", "上半场后手");

/// "Half: more cells wins; equal: player 0 (the official judge; it never changes a match)."
fn by_cells(scores: BySeat<i32>) -> Outcome {
    let (first, second) = (scores[Seat::First], scores[Seat::Second]);
    let winner = if second > first { Seat::Second } else { Seat::First };
    let reason = if first == second { EQUAL_CELLS } else { CELLS };
    Outcome { winner: Some(winner), scores, reason, faults: BySeat::default(), scope: Scope::Leg }
}

impl Position {
    /// "Illegal action: that half is lost, the offender's score in it is 0, the opponent keeps its score of the last
    /// completed round. Crash, time, output, malformed answer, memory: the match is lost at once."
    fn lost_by(&self, seat: Seat, fault: Fault) -> Outcome {
        let mut scores = self.settled().map(i32::from);
        scores[seat] = 0;
        let mut faults = BySeat::default();
        faults[seat] = Some(fault);
        let (reason, scope) = match fault {
            Fault::Illegal => (ILLEGAL, self.illegal_scope()),
            _ => (FORFEIT, Scope::Match),
        };
        Outcome { winner: Some(seat.other()), scores, reason, faults, scope }
    }
}

fn forfeit(outcomes: &[Outcome]) -> Option<Verdict> {
    let (leg, outcome) = outcomes.iter().enumerate().find(|(_, outcome)| outcome.scope == Scope::Match)?;
    Some(Verdict { winner: outcome.winner.map(|seat| seat.entrant(leg)), reason: FORFEIT })
}

fn leg_wins(outcomes: &[Outcome]) -> [i32; 2] {
    sum(outcomes, |outcome, seat| i32::from(outcome.winner == Some(seat)))
}

fn total_scores(outcomes: &[Outcome]) -> [i32; 2] {
    sum(outcomes, |outcome, seat| outcome.scores[seat])
}

/// Adds up something over the legs for entrants A and B.
fn sum(outcomes: &[Outcome], of: impl Fn(&Outcome, Seat) -> i32) -> [i32; 2] {
    Entrant::BOTH
        .map(|entrant| outcomes.iter().enumerate().map(|(leg, outcome)| of(outcome, entrant.seat(leg))).sum())
}

fn more([a, b]: [i32; 2], reason: Reason) -> Option<Verdict> {
    let winner = if a > b { Entrant::A } else { Entrant::B };
    (a != b).then_some(Verdict { winner: Some(winner), reason })
}

/// "Who ate first in the first half (by round number; same round or nobody: next)."
fn first_item(leg: &Position) -> Option<Verdict> {
    let [first, second] = leg.first_item().map(|round| round.unwrap_or(u16::MAX)).into_pair();
    more([second.into(), first.into()], FIRST_ITEM)
}

struct Told<'a>(&'a mut dyn Sink<Position>);

impl Watch for Told<'_> {
    fn event(&mut self, event: impl FnOnce() -> Event) {
        self.0.event(event());
    }

    fn turn_over(&mut self, setup: &Setup, position: &Position) {
        self.0.checkpoint(setup, position);
    }
}
