//! [`Position`] as a [`Game`]: outcomes, verdicts, and their texts.

use std::fmt;
use std::time::Duration;

use leitai_game::lang::say;
use leitai_game::{
    BySeat, Entrant, Fault, Game, Illegal, InvalidSetup, Meta, Outcome, Perspective, Reason,
    Replies, Reply, Rng, Scope, Seat, Sink, Text, ToMove, Verdict, legs_won, sum_by_entrant,
};

use crate::action::{Action, IllegalAction};
use crate::position::{ActObserver, Event, GameEnd, Position};
use crate::setup::{Config, Setup};
use crate::state_text;
use crate::view::View;

impl Game for Position {
    type Config = Config;
    type Setup = Setup;
    type Action = Action;
    type Event = Event;
    type View<'a> = View<'a>;

    const META: Meta = Meta {
        id: "snakego",
        title: Text::new("SnakeGo", "贪吃蛇围棋 SnakeGo"),
        about: Text::new(
            "16 x 16, turn-based: snakes that grow, split, fire melting rays and enclose territory",
            "16×16 回合制：会成长、分裂、发射融化射线并圈地成墙的蛇",
        ),
        rules: "snakego/1",
        legs: 2,
        period_limit: Duration::from_secs(3),
        message_limit: 2048,
    };

    fn deal(config: &Config, seed: u64) -> Result<Setup, InvalidSetup> {
        Setup::deal(config, seed)
    }

    fn start(setup: &Setup) -> Position {
        Position::start(setup, &mut ())
    }

    fn to_move(&self) -> ToMove {
        if self.end().is_some() {
            ToMove::Nobody
        } else {
            ToMove::One(self.seat())
        }
    }

    fn period(&self) -> u32 {
        2 * u32::from(self.round()) + self.seat().index() as u32 - 1
    }

    fn round(&self) -> u32 {
        Position::round(self).into()
    }

    fn max_rounds(setup: &Setup) -> u32 {
        setup.max_round().into()
    }

    fn check_action(&self, _: &Setup, seat: Seat, action: Action) -> Result<(), Illegal> {
        let Some(snake) = self.current().filter(|_| seat == self.seat()) else {
            return Err(Illegal(say!("acted although it is not asked")));
        };
        let (snake, op) = (snake.id, action.number());
        let describe = |why: IllegalAction| {
            Illegal(match why {
                IllegalAction::TurnBack => {
                    say!("turned back into its own neck (snake {snake}, op {op})")
                }
                IllegalAction::NoRay => {
                    say!("fired a ray it does not hold (snake {snake}, op {op})")
                }
                IllegalAction::RayTooShort => say!(
                    "fired a ray with length 1 (2 is needed for a direction) (snake {snake}, op {op})"
                ),
                IllegalAction::TooManySnakes => {
                    say!("split although its side has four snakes (snake {snake}, op {op})")
                }
                IllegalAction::SplitTooShort => {
                    say!("split with length 1 (2 is needed) (snake {snake}, op {op})")
                }
            })
        };
        Position::check_action(self, action).map_err(describe)
    }

    fn legal_actions(&self, _: &Setup, seat: Seat, out: &mut Vec<Action>) {
        let mask = self.legal_mask_of(seat);
        out.extend((0..).map_while(|n| Action::nth_of(mask, n)));
    }

    fn sample_action(&self, _: &Setup, seat: Seat, rng: &mut Rng) -> Option<Action> {
        let mask = self.legal_mask_of(seat);
        Action::nth_of(mask, rng.next_below(mask.count_ones() as usize))
    }

    /// Always inlined: where nobody listens, the calls of the sink vanish, which cost more than a step where
    /// rules are interpreted.
    #[inline(always)]
    fn step(&mut self, setup: &Setup, replies: Replies<Position>, sink: &mut dyn Sink<Position>) {
        match replies[self.seat()] {
            Some(Reply::Action(action)) => {
                let wanted = sink.wants_events();
                self.play_action(setup, action, &mut EventSinkAdapter { sink, wanted })
            }
            Some(Reply::Fault(fault)) => self.record_fault(fault),
            None => self.record_fault(Fault::Timeout),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        Some(match self.end()? {
            GameEnd::Fault(seat, fault) => self.lost_by(seat, fault),
            GameEnd::Rounds | GameEnd::Extinct => {
                by_cells(self.count_cells().map_values(i32::from))
            }
            GameEnd::Decided => Outcome {
                reason: DECIDED,
                ..by_cells(self.count_cells().map_values(i32::from))
            },
        })
    }

    fn scores(&self) -> BySeat<i32> {
        self.outcome().map_or_else(
            || self.count_cells().map_values(i32::from),
            |outcome| outcome.scores,
        )
    }

    fn decide_match(_: &Setup, legs: &[Position]) -> Verdict {
        let outcomes: Vec<Outcome> = legs.iter().filter_map(Position::outcome).collect();
        forfeit_verdict(&outcomes)
            .or_else(|| Verdict::by_more(legs_won(&outcomes), LEG_WINS))
            .or_else(|| Verdict::by_more(total_scores(&outcomes), TOTAL_SCORE))
            .or_else(|| first_item(legs.first()?))
            .unwrap_or(Verdict {
                winner: Some(Entrant::B),
                reason: SECOND_IN_FIRST_LEG,
            })
    }

    fn view<'a>(&'a self, setup: &'a Setup, perspective: Perspective) -> View<'a> {
        View {
            setup,
            position: self,
            perspective,
        }
    }

    /// The first line names the player to move; at a checkpoint, the player whose turn has ended.
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
}

/// By more cells.
pub const CELLS: Reason = Reason::new("cells", "by more cells", "占据格数更多");
/// With equal cells, as the first player.
pub const EQUAL_CELLS: Reason = Reason::new(
    "equal-cells",
    "with equal cells, as the first player",
    "格数相同，先手胜",
);
/// By cells, as the side that is behind has no snakes left.
pub const DECIDED: Reason = Reason::new(
    "decided",
    "by cells, as the opponent has no snakes left",
    "格数领先，且对方已无蛇",
);
/// Because of the opponent's illegal action.
pub const ILLEGAL: Reason = Reason::new(
    "illegal-action",
    "because of the opponent's illegal action",
    "对方非法操作",
);
/// As the opponent forfeited: a fault, or a person who left.
pub const FORFEIT: Reason =
    Reason::new("forfeit", "as the opponent forfeited", "对方违规或退出判负");
/// By legs won.
pub const LEG_WINS: Reason = Reason::new("leg-wins", "by legs won", "胜局数");
/// By total score.
pub const TOTAL_SCORE: Reason = Reason::new("total-score", "by total score", "两局总得分");
/// By the first item of leg 1.
pub const FIRST_ITEM: Reason = Reason::new(
    "first-item",
    "by the first item of leg 1",
    "第一局先吃到道具",
);
/// As second player of leg 1.
pub const SECOND_IN_FIRST_LEG: Reason = Reason::new(
    "second-in-first-leg",
    "as second player of leg 1",
    "第一局后手",
);

/// "Half: more cells wins; equal: player 0 (the official judge; it never changes a match)."
fn by_cells(scores: BySeat<i32>) -> Outcome {
    let (first, second) = (scores[Seat::First], scores[Seat::Second]);
    let winner = if second > first {
        Seat::Second
    } else {
        Seat::First
    };
    let reason = if first == second { EQUAL_CELLS } else { CELLS };
    Outcome {
        winner: Some(winner),
        scores,
        reason,
        faults: BySeat::default(),
        scope: Scope::Leg,
    }
}

impl Position {
    /// "Illegal action: that half is lost, the offender's score in it is 0, the opponent keeps its
    /// score of the last completed round. Crash, time, output, malformed answer, memory: the match
    /// is lost at once."
    fn lost_by(&self, seat: Seat, fault: Fault) -> Outcome {
        let mut scores = self.settled_cells().map_values(i32::from);
        scores[seat] = 0;
        let mut faults = BySeat::default();
        faults[seat] = Some(fault);
        let (reason, scope) = match fault {
            Fault::Illegal => (ILLEGAL, self.illegal_scope()),
            _ => (FORFEIT, Scope::Match),
        };
        Outcome {
            winner: Some(seat.other()),
            scores,
            reason,
            faults,
            scope,
        }
    }
}

fn forfeit_verdict(outcomes: &[Outcome]) -> Option<Verdict> {
    let (leg, outcome) = outcomes
        .iter()
        .enumerate()
        .find(|(_, outcome)| outcome.scope == Scope::Match)?;
    Some(Verdict {
        winner: outcome.winner.map(|seat| seat.entrant_in_leg(leg)),
        reason: FORFEIT,
    })
}

fn total_scores(outcomes: &[Outcome]) -> [i64; 2] {
    sum_by_entrant(outcomes, |outcome, seat| outcome.scores[seat].into())
}

/// "Who ate first in the first half (by round number; same round or nobody: next)."
fn first_item(leg: &Position) -> Option<Verdict> {
    let [first, second] = leg
        .first_item()
        .map_values(|round| round.unwrap_or(u16::MAX))
        .into_pair();
    Verdict::by_more([second.into(), first.into()], FIRST_ITEM)
}

impl Position {
    /// The legal actions of a seat as a bit set; none while the other one is to move.
    fn legal_mask_of(&self, seat: Seat) -> u8 {
        match seat == self.seat() {
            true => self.legal_mask(),
            false => 0,
        }
    }
}

/// A sink, and whether it wants events: asking is a call.
struct EventSinkAdapter<'a> {
    sink: &'a mut dyn Sink<Position>,
    wanted: bool,
}

impl ActObserver for EventSinkAdapter<'_> {
    fn event(&mut self, event: impl FnOnce() -> Event) {
        if self.wanted {
            self.sink.on_event(event());
        }
    }

    fn turn_over(&mut self, setup: &Setup, position: &Position) {
        self.sink.on_checkpoint(setup, position);
    }
}
