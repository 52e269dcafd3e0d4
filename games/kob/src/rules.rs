//! [`Position`] as a [`Game`]: outcomes, verdicts, and their texts.

use std::fmt;
use std::time::Duration;

use leitai_game::lang::say;
use leitai_game::{
    BySeat, Fault, Game, Illegal, InvalidSetup, Meta, Outcome, Perspective, Reason, Replies, Reply,
    Rng, Scope, Seat, Sink, Text, ToMove, Verdict, legs_won,
};

use crate::board::Direction;
use crate::position::{DeathCause, Event, Loss, Position};
use crate::setup::{Config, Setup};
use crate::state_text;
use crate::steps::both_moves;
use crate::view::View;

impl Game for Position {
    type Config = Config;
    type Setup = Setup;
    type Action = Direction;
    type Event = Event;
    type View<'a> = View<'a>;

    const META: Meta = Meta {
        id: "kob",
        title: Text::new("King of Bots", "King of Bots 双人贪吃蛇"),
        about: Text::new(
            "13 x 14, both move at once: two snakes that never stop growing; the first to crash loses",
            "13×14 同时行动：两条蛇自动变长，先撞上的一方输",
        ),
        rules: "kob/1",
        legs: 2,
        period_limit: Duration::from_secs(5),
        message_limit: 1024,
    };

    fn deal(config: &Config, seed: u64) -> Result<Setup, InvalidSetup> {
        Setup::deal(config, seed)
    }

    fn start(setup: &Setup) -> Position {
        Position::start(setup)
    }

    fn to_move(&self) -> ToMove {
        if self.is_over() {
            ToMove::Nobody
        } else {
            ToMove::Both
        }
    }

    /// Every round is a period.
    fn period(&self) -> u32 {
        Position::round(self).into()
    }

    fn round(&self) -> u32 {
        Position::round(self).into()
    }

    fn max_rounds(setup: &Setup) -> u32 {
        setup.rounds().into()
    }

    /// Every direction is legal, also a deadly one.
    fn check_action(&self, _: &Setup, _: Seat, _: Direction) -> Result<(), Illegal> {
        if self.is_over() {
            Err(Illegal(say!("acted although the leg is over")))
        } else {
            Ok(())
        }
    }

    fn legal_actions(&self, _: &Setup, _: Seat, out: &mut Vec<Direction>) {
        out.extend(Direction::of_mask(self.legal_mask()));
    }

    fn sample_action(&self, _: &Setup, _: Seat, rng: &mut Rng) -> Option<Direction> {
        let legal = self.legal_mask();
        (legal != 0).then(|| Direction::pick(legal, rng))
    }

    /// Always inlined: where nobody listens, the calls of the sink vanish, which cost more than a step where
    /// rules are interpreted.
    #[inline(always)]
    fn step(&mut self, setup: &Setup, replies: Replies<Position>, sink: &mut dyn Sink<Position>) {
        if self.is_over() {
            return;
        }
        match both_moves(&replies) {
            Some(moves) => {
                if sink.wants_events() {
                    self.play_and_tell(setup, moves, sink);
                } else {
                    self.play_round(setup, moves.into_pair());
                }
                sink.on_checkpoint(setup, self);
            }
            None => self.lose_by_fault(replies, sink),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let losses = self.losses();
        self.is_over().then(|| Outcome {
            winner: self.winner(),
            scores: self.scores(),
            reason: loss_reason(losses),
            faults: losses.map_values(fault_of),
            // The two games of a match are independent: a fault loses one, the other is still
            // played.
            scope: Scope::Leg,
        })
    }

    fn winner(&self) -> Option<Seat> {
        match self.losses().map_values(|loss| loss.is_some()).into_pair() {
            [false, true] => Some(Seat::First),
            [true, false] => Some(Seat::Second),
            _ => None,
        }
    }

    /// 1 for a won leg; before the end no side is ahead.
    fn scores(&self) -> BySeat<i32> {
        let winner = self.winner();
        BySeat::from_fn(|seat| i32::from(winner == Some(seat)))
    }

    fn decide_match(_: &Setup, legs: &[Position]) -> Verdict {
        let outcomes: Vec<Outcome> = legs.iter().filter_map(Game::outcome).collect();
        let equal = Verdict {
            winner: None,
            reason: EQUAL_LEGS,
        };
        Verdict::by_more(legs_won(&outcomes), LEG_WINS).unwrap_or(equal)
    }

    fn view<'a>(&'a self, setup: &'a Setup, perspective: Perspective) -> View<'a> {
        View {
            setup,
            position: self,
            perspective,
        }
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
}

impl Position {
    /// Plays a round and tells what happened in it.
    #[inline(never)]
    fn play_and_tell(
        &mut self,
        setup: &Setup,
        moves: BySeat<Direction>,
        sink: &mut dyn Sink<Position>,
    ) {
        let (length, heads) = (self.length(), Seat::BOTH.map(|seat| self.head(seat)));
        self.play_round(setup, moves.into_pair());
        for seat in Seat::BOTH {
            let (direction, head) = (moves[seat], heads[seat.index()]);
            let (down, right) = direction.delta();
            sink.on_event(Event::Moved {
                seat,
                direction: direction.number(),
                x: head.x() as i8 + down,
                y: head.y() as i8 + right,
            });
        }
        if self.length() > length {
            sink.on_event(Event::Grew {
                length: self.length(),
            });
        }
        self.tell_losses(sink);
    }

    /// "No move within the limit: that side loses; the round is not played, the other side's move
    /// is not judged …; illegal value, crash, compile error: the same as no move, with its own
    /// reason."
    fn lose_by_fault(&mut self, replies: Replies<Position>, sink: &mut dyn Sink<Position>) {
        self.record_faults(replies.map_values(|reply| match reply {
            Some(Reply::Action(_)) => None,
            Some(Reply::Fault(fault)) => Some(fault),
            None => Some(Fault::Timeout),
        }));
        self.tell_losses(sink);
    }

    fn tell_losses(&self, sink: &mut dyn Sink<Position>) {
        for (seat, loss) in self.losses().iter_pairs() {
            match *loss {
                Some(Loss::Died(cause)) => sink.on_event(Event::Died { seat, cause }),
                Some(Loss::Failed(fault)) => sink.on_event(Event::Failed { seat, fault }),
                None => {}
            }
        }
    }
}

/// As the other snake ran into a wall.
pub const WALL: Reason = Reason::new("wall", "as the other snake ran into a wall", "对方撞墙");
/// As the other snake ran into itself.
pub const ITSELF: Reason =
    Reason::new("self", "as the other snake ran into itself", "对方撞到自己");
/// As the other snake ran into this one.
pub const OPPONENT: Reason = Reason::new(
    "opponent",
    "as the other snake ran into this one",
    "对方撞到己方",
);
/// As both snakes died in the same round.
pub const BOTH_DIED: Reason = Reason::new(
    "both-died",
    "as both snakes died in the same round",
    "双方同时死亡",
);
/// As neither side gave a usable answer.
pub const BOTH_FAILED: Reason = Reason::new(
    "both-failed",
    "as neither side gave a usable answer",
    "双方都没有有效操作",
);
/// Because of the other side's illegal action.
pub const ILLEGAL: Reason = Reason::new(
    "illegal-action",
    "because of the other side's illegal action",
    "对方非法操作",
);
/// As the other side's answer was not a direction.
pub const MALFORMED: Reason = Reason::new(
    "malformed",
    "as the other side's answer was not a direction",
    "对方输出无效",
);
/// As the other side crashed.
pub const CRASHED: Reason = Reason::new("crashed", "as the other side crashed", "对方程序崩溃");
/// As the other side gave no move in time.
pub const TIMEOUT: Reason = Reason::new(
    "timeout",
    "as the other side gave no move in time",
    "对方超时",
);
/// As the other side used too much memory.
pub const MEMORY: Reason = Reason::new(
    "memory",
    "as the other side used too much memory",
    "对方内存超限",
);
/// As the other side sent too much output.
pub const OUTPUT: Reason = Reason::new(
    "output",
    "as the other side sent too much output",
    "对方输出超限",
);
/// As the other side left before the end.
pub const EXITED: Reason = Reason::new(
    "exited",
    "as the other side left before the end",
    "对方提前退出",
);
/// As the other side could not be built or started.
pub const COMPILE: Reason = Reason::new(
    "compile",
    "as the other side could not be built or started",
    "对方编译或启动失败",
);
/// By games won.
pub const LEG_WINS: Reason = Reason::new("leg-wins", "by games won", "胜局数");
/// With as many games won on either side.
pub const EQUAL_LEGS: Reason = Reason::new(
    "equal-legs",
    "with as many games won on either side",
    "双方胜局数相同",
);

/// "One dead: it loses. Both: draw."
fn loss_reason(losses: BySeat<Option<Loss>>) -> Reason {
    match losses.into_pair() {
        [Some(Loss::Failed(_)), Some(_)] => BOTH_FAILED,
        [Some(_), Some(_)] | [None, None] => BOTH_DIED,
        [Some(loss), None] | [None, Some(loss)] => match loss {
            Loss::Died(DeathCause::Wall) => WALL,
            Loss::Died(DeathCause::Itself) => ITSELF,
            Loss::Died(DeathCause::Opponent) => OPPONENT,
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
