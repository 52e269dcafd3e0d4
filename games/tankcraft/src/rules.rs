//! [`Position`] as a [`Game`]: asked seats, faults, outcomes, verdicts, and their texts.

use std::fmt;
use std::time::Duration;

use leitai_game::lang::say;
use leitai_game::{
    BySeat, Fault, Game, Illegal, InvalidSetup, Meta, Outcome, Perspective, Reason, Replies, Reply,
    Rng, Scope, Seat, Sink, Text, ToMove, Verdict, legs_won, sum_by_entrant,
};

use crate::event::{Event, StepObserver};
use crate::orders::{Action, TankOrder};
use crate::position::{EndCause, Position};
use crate::setup::{Config, Setup};
use crate::tank::{TANKS, TEAM, team_range};
use crate::view::View;
use crate::{choices, state_text};

/// The time limit for the choice of the team (R9.6); a round has [`Meta::period_limit`].
pub const TEAM_LIMIT: Duration = Duration::from_secs(5);

impl Game for Position {
    type Config = Config;
    type Setup = Setup;
    type Action = Action;
    type Event = Event;
    type View<'a> = View;

    const META: Meta = Meta {
        id: "tankcraft",
        title: Text::new("TankCraft", "坦克大战 TankCraft"),
        about: Text::new(
            "21 x 21, simultaneous, fog: five tanks a side fight for thirteen mines",
            "21×21 同时行动、有战争迷雾：双方各五辆坦克争夺十三个矿点",
        ),
        rules: "tankcraft/1",
        legs: 2,
        period_limit: Duration::from_secs(1),
        message_limit: 4096,
    };

    fn deal(config: &Config, seed: u64) -> Result<Setup, InvalidSetup> {
        Setup::deal(config, seed)
    }

    fn start(setup: &Setup) -> Position {
        Position::start(setup)
    }

    fn to_move(&self) -> ToMove {
        if self.end().is_some() {
            ToMove::Nobody
        } else {
            ToMove::Both
        }
    }

    fn period(&self) -> u32 {
        u32::from(Position::round(self)) + 1
    }

    fn period_limit(&self) -> Option<Duration> {
        (Position::round(self) == 0).then_some(TEAM_LIMIT)
    }

    /// The choice of the teams counts as round 1; after the end of the leg, this is the last round
    /// that was played.
    fn round(&self) -> u32 {
        let over = u16::from(matches!(self.end(), Some(end) if end.cause != EndCause::Forfeit));
        Position::round(self).saturating_sub(over).max(1).into()
    }

    fn max_rounds(setup: &Setup) -> u32 {
        setup.rounds().into()
    }

    fn check_action(&self, _: &Setup, _: Seat, action: Action) -> Result<(), Illegal> {
        match (self.end(), action, Position::round(self)) {
            (Some(_), ..) => Err(Illegal(say!("acted although the leg is over"))),
            (None, Action::Team(_), 0) => Ok(()),
            (None, Action::Team(_), round) => Err(Illegal(say!("named a team in round {round}"))),
            (None, Action::Orders(_), 0) => {
                Err(Illegal(say!("gave orders before the teams are known")))
            }
            (None, Action::Orders(_), _) => Ok(()),
        }
    }

    /// One of each kind, see [`choices::list_kinds`].
    fn legal_actions(&self, setup: &Setup, seat: Seat, out: &mut Vec<Action>) {
        if self.end().is_none() {
            choices::list_kinds(&View::new(setup, self, Perspective::Seat(seat)), seat, out);
        }
    }

    fn sample_action(&self, setup: &Setup, seat: Seat, rng: &mut Rng) -> Option<Action> {
        let over = self.end().is_some();
        // A side knows all of its own tanks, so no view is made.
        let own = team_range(seat).map(|number| (number, &self.tanks[number]));
        let own = own.filter(|(_, tank)| tank.is_alive() && !tank.is_unseen());
        (!over).then(|| match self.round {
            0 => choices::random_team(rng),
            _ => choices::random_orders(
                &setup.map().stone,
                own.map(|(number, tank)| (number, tank.kind, tank.cell)),
                rng,
            ),
        })
    }

    fn step(&mut self, setup: &Setup, replies: Replies<Position>, sink: &mut dyn Sink<Position>) {
        if self.end().is_some() {
            return;
        }
        let faults = BySeat::from_fn(|seat| self.fault(setup, seat, replies[seat]));
        match replies.into_pair() {
            _ if faults.iter_pairs().any(|(_, fault)| fault.is_some()) => {
                self.record_faults(faults)
            }
            [
                Some(Reply::Action(Action::Team(red))),
                Some(Reply::Action(Action::Team(blue))),
            ] => {
                self.choose_teams(
                    setup,
                    BySeat::new(red, blue),
                    &mut EventSinkAdapter::new(sink),
                );
            }
            [
                Some(Reply::Action(Action::Orders(red))),
                Some(Reply::Action(Action::Orders(blue))),
            ] => {
                self.play_round(
                    setup,
                    &join_orders(red, blue),
                    &mut EventSinkAdapter::new(sink),
                );
            }
            _ => unreachable!(
                "check accepts one kind of action in a moment, the same for both seats"
            ),
        }
        sink.on_checkpoint(setup, self);
    }

    fn outcome(&self) -> Option<Outcome> {
        let end = self.end()?;
        let reason = match end.cause {
            EndCause::Goal => GOAL,
            EndCause::Rounds => ROUNDS,
            EndCause::Decided => DECIDED,
            EndCause::Forfeit => FORFEIT,
        };
        let scores = self.scores();
        Some(Outcome {
            winner: end.winner,
            scores,
            reason,
            faults: end.faults,
            scope: Scope::Leg,
        })
    }

    fn scores(&self) -> BySeat<i32> {
        BySeat::from_fn(|seat| i32::try_from(self.gold(seat)).unwrap_or(i32::MAX))
    }

    /// Legs won, then resources over all legs, else a draw (our own rule: the source rules define
    /// single games only).
    fn decide_match(_: &Setup, legs: &[Position]) -> Verdict {
        let outcomes: Vec<Outcome> = legs.iter().filter_map(Position::outcome).collect();
        Verdict::by_more(legs_won(&outcomes), LEG_WINS)
            .or_else(|| Verdict::by_more(resources(&outcomes), RESOURCES))
            .unwrap_or(Verdict {
                winner: None,
                reason: EQUAL,
            })
    }

    fn view<'a>(&'a self, setup: &'a Setup, perspective: Perspective) -> View {
        View::new(setup, self, perspective)
    }

    fn state_text(&self, setup: &Setup, out: &mut dyn fmt::Write) -> fmt::Result {
        state_text::write(setup, self, out)
    }

    fn write_action(action: Action) -> String {
        action.notation()
    }

    fn read_action(text: &str) -> Option<Action> {
        Action::parse(text)
    }

    /// R7: there is fog.
    fn is_open() -> bool {
        false
    }
}

/// By resources, the goal reached.
pub const GOAL: Reason = Reason::new("goal", "by resources, the goal reached", "资源达到目标");
/// By resources after the last round.
pub const ROUNDS: Reason = Reason::new(
    "rounds",
    "by resources after the last round",
    "回合用尽，比较资源",
);
/// By resources, as no play could change the winner any more.
pub const DECIDED: Reason = Reason::new(
    "decided",
    "by resources, a lead that nobody can make up",
    "资源领先，已不可能被追上",
);
/// As the opponent forfeited: a fault, or a person who left.
pub const FORFEIT: Reason =
    Reason::new("forfeit", "as the opponent forfeited", "对方违规或退出判负");
/// By legs won.
pub const LEG_WINS: Reason = Reason::new("leg-wins", "by legs won", "胜局数");
/// By resources over all legs.
pub const RESOURCES: Reason =
    Reason::new("resources", "by resources over all legs", "各局资源总和");
/// With everything equal.
pub const EQUAL: Reason = Reason::new("equal", "with everything equal", "全部相同");

/// The orders of both sides in one list.
pub fn join_orders(red: [TankOrder; TEAM], blue: [TankOrder; TEAM]) -> [TankOrder; TANKS] {
    std::array::from_fn(|tank| {
        if tank < TEAM {
            red[tank]
        } else {
            blue[tank - TEAM]
        }
    })
}

impl Position {
    fn fault(&self, setup: &Setup, seat: Seat, reply: Option<Reply<Action>>) -> Option<Fault> {
        match reply {
            None => Some(Fault::Timeout),
            Some(Reply::Fault(fault)) => Some(fault),
            Some(Reply::Action(action)) => Game::check_action(self, setup, seat, action)
                .err()
                .map(|_| Fault::Illegal),
        }
    }
}

fn resources(outcomes: &[Outcome]) -> [i64; 2] {
    sum_by_entrant(outcomes, |outcome, seat| outcome.scores[seat].into())
}

/// A sink, and whether it wants events: a round has a dozen, and asking is a call.
struct EventSinkAdapter<'a> {
    sink: &'a mut dyn Sink<Position>,
    wanted: bool,
}

impl EventSinkAdapter<'_> {
    fn new(sink: &mut dyn Sink<Position>) -> EventSinkAdapter<'_> {
        let wanted = sink.wants_events();
        EventSinkAdapter { sink, wanted }
    }
}

impl StepObserver for EventSinkAdapter<'_> {
    fn event(&mut self, event: impl FnOnce() -> Event) {
        if self.wanted {
            self.sink.on_event(event());
        }
    }
}
