//! [`Position`] as a [`Game`]: outcomes, verdicts, and the names of everything.

use std::fmt;
use std::time::Duration;

use leitai_game::dialect::Replies;
use leitai_game::picture::{Key, KeyBinding, Look, Picture};
use leitai_game::replay::Format;
use leitai_game::{
    BotInfo, BySeat, ConfigChoice, DialectInfo, Entrant, Eye, Fault, Game, Host, Illegal, Invalid, Meta,
    Outcome, Reason, Reply, Scope, Seat, Sink, Template, Text, ToMove, Verdict, parity,
};

use crate::board::Direction;
use crate::position::{Cause, Event, Loss, Position};
use crate::setup::{CONFIG_CHOICES, Config, Setup};
use crate::steps::both_moves;
use crate::view::View;
use crate::{bots, hosts, line, picture, record, state_text};

impl Game for Position {
    type Config = Config;
    type Setup = Setup;
    type Action = Direction;
    type Event = Event;
    type View<'a> = View<'a>;

    const META: Meta = Meta {
        id: "kob",
        title: Text { en: "King of Bots", zh: "King of Bots 双人贪吃蛇" },
        about: Text {
            en: "13 x 14, both move at once: two snakes that grow by themselves; who runs into something first loses",
            zh: "13×14 同时行动：两条蛇自动变长，先撞上的一方输",
        },
        rules: "kob/1",
        legs: 2,
        period_limit: Duration::from_secs(5),
        message_limit: 1024,
    };

    fn deal(config: &Config, seed: u64) -> Result<Setup, Invalid> {
        Setup::deal(config, seed)
    }

    fn start(setup: &Setup) -> Position {
        Position::start(setup)
    }

    fn to_move(&self) -> ToMove {
        if self.is_over() { ToMove::Nobody } else { ToMove::Both }
    }

    /// Every round has its own clock.
    fn period(&self) -> u32 {
        Position::round(self).into()
    }

    fn round(&self) -> u32 {
        Position::round(self).into()
    }

    fn rounds(setup: &Setup) -> u32 {
        setup.rounds().into()
    }

    /// Every direction may be said, also a deadly one.
    fn check(&self, _: &Setup, _: Seat, _: Direction) -> Result<(), Illegal> {
        if self.is_over() { Err(Illegal("acted although the leg is over".into())) } else { Ok(()) }
    }

    fn legal(&self, _: &Setup, _: Seat, out: &mut Vec<Direction>) {
        out.extend(Direction::of_mask(self.legal_mask()));
    }

    fn step(&mut self, setup: &Setup, replies: Replies<Position>, sink: &mut dyn Sink<Position>) {
        if self.is_over() {
            return;
        }
        match both_moves(&replies) {
            Some(moves) => self.play(setup, moves, sink),
            None => self.lose_by_fault(replies, sink),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let losses = self.losses();
        let winner = match losses.into_pair() {
            [None, None] => return None,
            [Some(_), Some(_)] => None,
            [None, Some(_)] => Some(Seat::First),
            [Some(_), None] => Some(Seat::Second),
        };
        Some(Outcome {
            winner,
            scores: BySeat::from_fn(|seat| i32::from(winner == Some(seat))),
            reason: reason(losses),
            faults: losses.map(fault_of),
            // The two games of a match are games of their own: a fault loses one, the other is still played.
            scope: Scope::Leg,
        })
    }

    /// 1 for a won leg; before the end nobody is ahead.
    fn scores(&self) -> BySeat<i32> {
        self.outcome().map_or(BySeat::new(0, 0), |outcome| outcome.scores)
    }

    fn verdict(_: &Setup, legs: &[Position]) -> Verdict {
        let won = |entrant: Entrant| {
            let wins = |(leg, position): &(usize, &Position)| {
                position.outcome().is_some_and(|outcome| outcome.winner == Some(entrant.seat(*leg)))
            };
            legs.iter().enumerate().filter(wins).count()
        };
        let (a, b) = (won(Entrant::A), won(Entrant::B));
        let winner = match a.cmp(&b) {
            std::cmp::Ordering::Greater => Some(Entrant::A),
            std::cmp::Ordering::Less => Some(Entrant::B),
            std::cmp::Ordering::Equal => None,
        };
        Verdict { winner, reason: if winner.is_some() { LEG_WINS } else { EQUAL_LEGS } }
    }

    fn view<'a>(&'a self, setup: &'a Setup, eye: Eye) -> View<'a> {
        View { setup, position: self, eye }
    }

    fn state_text(&self, _: &Setup, out: &mut dyn fmt::Write) -> fmt::Result {
        state_text::write(self, out)
    }

    fn write_action(action: Direction) -> String {
        action.digit().to_string()
    }

    fn read_action(text: &str) -> Option<Direction> {
        match text.as_bytes() {
            [digit] => Direction::from_digit(*digit),
            _ => None,
        }
    }

    fn bots() -> &'static [BotInfo<Position>] {
        bots::ALL
    }

    fn dialects() -> &'static [DialectInfo<Position>] {
        const { &[line::INFO] }
    }

    fn hosts() -> &'static [Host] {
        hosts::ALL
    }

    fn messages() -> &'static [Text] {
        crate::messages::MESSAGES
    }

    fn formats() -> &'static [Format] {
        const { &[record::FORMAT] }
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
                Template {
                    language: "java",
                    file_name: "Bot.java",
                    code: include_str!("../templates/Bot.java"),
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

    /// Two people share a keyboard: A has the letters, B the arrows.
    fn keys(seat: Seat) -> &'static [KeyBinding] {
        match seat {
            Seat::First => &LETTERS,
            Seat::Second => &ARROWS,
        }
    }
}

impl Position {
    fn play(&mut self, setup: &Setup, moves: BySeat<Direction>, sink: &mut dyn Sink<Position>) {
        let length = self.length();
        self.advance(setup, moves.into_pair());
        for seat in Seat::BOTH {
            let (x, y) = *self.cells(seat).last().expect("a snake has at least one cell");
            sink.event(Event::Moved { seat, direction: moves[seat].number(), x, y });
        }
        if self.length() > length {
            sink.event(Event::Grew { length: self.length() });
        }
        self.tell_losses(sink);
        sink.checkpoint(setup, self);
    }

    /// "No move within the limit: that side loses; the round is not played, the other side's move is not judged …;
    /// illegal value, crash, compile error: the same as no move, with its own reason."
    fn lose_by_fault(&mut self, replies: Replies<Position>, sink: &mut dyn Sink<Position>) {
        self.fail(replies.map(|reply| match reply {
            Some(Reply::Action(_)) => None,
            Some(Reply::Fault(fault)) => Some(fault),
            None => Some(Fault::Timeout),
        }));
        self.tell_losses(sink);
    }

    fn tell_losses(&self, sink: &mut dyn Sink<Position>) {
        for (seat, loss) in self.losses().iter() {
            match *loss {
                Some(Loss::Died(cause)) => sink.event(Event::Died { seat, cause }),
                Some(Loss::Failed(fault)) => sink.event(Event::Failed { seat, fault }),
                None => {}
            }
        }
    }
}

const fn key(keys: &'static [Key], action: &'static str, en: &'static str, zh: &'static str) -> KeyBinding {
    KeyBinding { keys, action, label: Text { en, zh } }
}

const LETTERS: [KeyBinding; 4] = [
    key(&[Key::Char('w')], "0", "up", "上"),
    key(&[Key::Char('d')], "1", "right", "右"),
    key(&[Key::Char('s')], "2", "down", "下"),
    key(&[Key::Char('a')], "3", "left", "左"),
];

const ARROWS: [KeyBinding; 4] = [
    key(&[Key::Up], "0", "up", "上"),
    key(&[Key::Right], "1", "right", "右"),
    key(&[Key::Down], "2", "down", "下"),
    key(&[Key::Left], "3", "left", "左"),
];

macro_rules! reason {
    ($name:ident, $id:literal, $en:literal, $zh:literal) => {
        #[doc = $en]
        pub const $name: Reason = Reason { id: $id, text: Text { en: $en, zh: $zh } };
    };
}

reason!(WALL, "wall", "as the other snake ran into a wall", "对方撞墙");
reason!(ITSELF, "self", "as the other snake ran into itself", "对方撞到自己");
reason!(OPPONENT, "opponent", "as the other snake ran into this one", "对方撞到己方");
reason!(BOTH_DIED, "both-died", "as both snakes died in the same round", "双方同时死亡");
reason!(BOTH_FAILED, "both-failed", "as neither side gave a usable answer", "双方都没有有效操作");
reason!(ILLEGAL, "illegal-action", "by an illegal action of the other side", "对方非法操作");
reason!(MALFORMED, "malformed", "by an answer of the other side that is no direction", "对方输出无效");
reason!(CRASHED, "crashed", "by a crash of the other side", "对方程序崩溃");
reason!(TIMEOUT, "timeout", "as the other side gave no move in time", "对方超时");
reason!(MEMORY, "memory", "as the other side used too much memory", "对方内存超限");
reason!(OUTPUT, "output", "as the other side sent too much output", "对方输出超限");
reason!(EXITED, "exited", "as the other side left before the end", "对方提前退出");
reason!(COMPILE, "compile", "as the other side could not be built or started", "对方编译或启动失败");
reason!(LEG_WINS, "leg-wins", "by games won", "胜局数");
reason!(EQUAL_LEGS, "equal-legs", "with as many games won on either side", "双方胜局数相同");

/// "One dead: it loses. Both: draw."
fn reason(losses: BySeat<Option<Loss>>) -> Reason {
    match losses.into_pair() {
        [Some(Loss::Failed(_)), Some(_)] => BOTH_FAILED,
        [Some(_), Some(_)] | [None, None] => BOTH_DIED,
        [Some(loss), None] | [None, Some(loss)] => match loss {
            Loss::Died(Cause::Wall) => WALL,
            Loss::Died(Cause::Itself) => ITSELF,
            Loss::Died(Cause::Opponent) => OPPONENT,
            Loss::Failed(fault) => fault_reason(fault),
        },
    }
}

fn fault_reason(fault: Fault) -> Reason {
    match fault {
        Fault::Illegal => ILLEGAL,
        Fault::Malformed => MALFORMED,
        Fault::Crashed => CRASHED,
        Fault::Timeout => TIMEOUT,
        Fault::Memory => MEMORY,
        Fault::Output => OUTPUT,
        Fault::Exited => EXITED,
        Fault::Compile => COMPILE,
    }
}

fn fault_of(loss: Option<Loss>) -> Option<Fault> {
    match loss {
        Some(Loss::Failed(fault)) => Some(fault),
        _ => None,
    }
}
