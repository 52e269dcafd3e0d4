//! A whole match.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

use leitai_game::replay::{LegRecord, ReplayWalker, VerdictRecord, verify_replay};
use leitai_game::{
    AnyAssessor, AnyGame, AnyLeg, AnySetup, ByEntrant, BySeat, Entrant, Fault, GameFault,
    InvalidSetup, Replay, Reply, SearchBudget, Seat, Text,
};
use serde::Serialize;

use crate::decision::{Decision, DecisionPlace};
use crate::figures::FigureTally;
use crate::leg::LegAnalysis;

/// The version of the JSON form.
pub const FORMAT: &str = "leitai-analysis/1";

/// What is analysed, and how long.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnalysisOptions {
    /// Nodes of every decision; the game's own number if `None`.
    pub budget: Option<u64>,
    /// Only this leg, from 1.
    pub leg: Option<usize>,
    /// Only the decisions of this entrant.
    pub entrant: Option<Entrant>,
}

/// How far an analysis has come.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisProgress<'a> {
    /// Steps that were analysed, of all legs that are asked for.
    pub done: usize,
    /// Their number.
    pub all: usize,
    /// The leg that is analysed, from 1.
    pub leg: usize,
    /// The decisions of the last step that was analysed.
    pub decisions: &'a [Decision],
}

/// The analysis of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchAnalysis {
    /// [`FORMAT`].
    pub format: &'static str,
    /// The id of the game.
    pub game: String,
    /// The rule set.
    pub rules: String,
    /// Nodes of every decision.
    pub budget: u64,
    /// The names of A and B.
    pub entrants: ByEntrant<String>,
    /// The names of actions, where the game has them for people: for texts, not for programs.
    #[serde(skip)]
    pub action_names: BTreeMap<&'static str, Text>,
    /// The verdict of the match; null if it was not played to its end.
    pub verdict: Option<VerdictRecord>,
    /// The legs that were asked for.
    pub legs: Vec<LegAnalysis>,
}

/// Why a replay cannot be analysed.
#[derive(Clone, Debug, PartialEq)]
pub enum AnalysisError {
    /// The game has no assessor.
    NoAssessor(String),
    /// A game of somebody else hides something from its players.
    Hides(String),
    /// A judge program leads the game.
    NoPositions(String),
    /// The rules failed in a position that was looked at.
    RulesFailed(GameFault),
    /// The replay cannot be played at all.
    Invalid(InvalidSetup),
    /// The replay differs from the rules.
    Differs(String),
    /// There is no such leg.
    NoLeg {
        /// The leg that was asked for.
        leg: usize,
        /// The number of legs.
        legs: usize,
    },
    /// The progress listener asked to stop.
    Stopped,
}

impl fmt::Display for AnalysisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnalysisError::NoAssessor(game) => write!(
                f,
                "{game} has no assessor, so its replays cannot be analysed; watch it with \
                `leitai replay show`"
            ),
            AnalysisError::Hides(game) => write!(
                f,
                "{game} hides something from its players, and its rules cannot say what a player may \
                believe: a search would look at what is hidden, so its replays cannot be analysed; \
                watch it with `leitai replay show`"
            ),
            AnalysisError::NoPositions(game) => write!(
                f,
                "a judge program leads {game}: it gives no positions to search, so its replays cannot \
                be analysed; watch it with `leitai replay show`"
            ),
            AnalysisError::RulesFailed(fault) => write!(
                f,
                "the analysis looked at positions in which {fault}; `leitai game check` may find more"
            ),
            AnalysisError::Invalid(why) => why.fmt(f),
            AnalysisError::Differs(what) => write!(
                f,
                "this replay does not follow the rules, so nothing can be said of it: {what}; \
                `leitai replay verify` shows the place"
            ),
            AnalysisError::NoLeg { leg, legs } => {
                write!(f, "there is no leg {leg}; the replay has {legs}")
            }
            AnalysisError::Stopped => f.write_str("the analysis was stopped"),
        }
    }
}

impl std::error::Error for AnalysisError {}

impl From<InvalidSetup> for AnalysisError {
    fn from(why: InvalidSetup) -> AnalysisError {
        AnalysisError::Invalid(why)
    }
}

/// Why a game without an assessor has none.
pub fn why_without(game: &dyn AnyGame) -> AnalysisError {
    let id = game.meta().id.to_owned();
    match game.capabilities() {
        gives if !gives.legal_actions => AnalysisError::NoPositions(id),
        gives if !gives.public_setup => AnalysisError::Hides(id),
        _ => AnalysisError::NoAssessor(id),
    }
}

/// Analyses a replay of the game. The listener is called after every step and may stop it.
pub fn analyze_replay(
    game: &dyn AnyGame,
    replay: &Replay,
    options: AnalysisOptions,
    listener: &mut dyn FnMut(AnalysisProgress<'_>) -> ControlFlow<()>,
) -> Result<MatchAnalysis, AnalysisError> {
    let default = game.decision_nodes();
    let default = default.ok_or_else(|| why_without(game))?;
    let legs = replay.legs.len();
    if let Some(leg) = options.leg.filter(|leg| !(1..=legs).contains(leg)) {
        return Err(AnalysisError::NoLeg { leg, legs });
    }
    if let Err(difference) = verify_replay(game, replay)? {
        return Err(AnalysisError::Differs(difference.what));
    }
    let setup = game.read_setup(&replay.setup)?;
    let wanted: Vec<(usize, &LegRecord)> = (1..)
        .zip(&replay.legs)
        .filter(|(leg, _)| options.leg.is_none_or(|asked| asked == *leg))
        .collect();
    let steps = |record: &LegRecord| record.replies.split_ascii_whitespace().count();
    let mut analyst = Analyst {
        game,
        setup: &*setup,
        nodes: options.budget.unwrap_or(default),
        only: options.entrant,
        done: 0,
        all: wanted.iter().map(|(_, record)| steps(record)).sum(),
        listener,
    };
    let legs: Result<Vec<LegAnalysis>, AnalysisError> = wanted
        .into_iter()
        .map(|(leg, record)| analyst.analyze_leg(leg, record))
        .collect();
    Ok(MatchAnalysis {
        format: FORMAT,
        game: replay.game.clone(),
        rules: replay.rules.clone(),
        budget: analyst.nodes,
        entrants: ByEntrant::from_fn(|entrant| replay.entrants[entrant].name.clone()),
        action_names: Seat::BOTH
            .into_iter()
            .flat_map(|seat| game.key_bindings(seat))
            .map(|key| (key.action, key.label))
            .collect(),
        verdict: replay.verdict.clone(),
        legs: legs?,
    })
}

struct Analyst<'a> {
    game: &'a dyn AnyGame,
    setup: &'a dyn AnySetup,
    nodes: u64,
    only: Option<Entrant>,
    /// Steps that were analysed, of all legs that are asked for, and their number.
    done: usize,
    all: usize,
    listener: &'a mut dyn FnMut(AnalysisProgress<'_>) -> ControlFlow<()>,
}

/// The replies of a step, read from the record before they are played.
type RecordedReplies<'a> = BySeat<Option<Reply<&'a str>>>;

impl Analyst<'_> {
    fn analyze_leg(
        &mut self,
        leg: usize,
        record: &LegRecord,
    ) -> Result<LegAnalysis, AnalysisError> {
        // Of each seat its own, so that its values are the same whether the other is analysed or not.
        let mut judges = [self.make_judges()?, self.make_judges()?];
        let mut walk = ReplayWalker::new(self.setup, record);
        let (mut decisions, mut replies_before, mut rounds) = (Vec::new(), 0, 0);
        let mut tally = self.game.leg_figures().map(FigureTally::new);
        loop {
            let before = walk.current_leg().clone_leg();
            let step = walk.step_number();
            let Some(replies) = walk.next(&mut ())? else {
                break;
            };
            rounds = before.round();
            if let Some(tally) = &mut tally {
                before.count_figures(replies, &mut |figure, seat, amount| {
                    tally.add(rounds, figure, seat, amount);
                });
            }
            let known = decisions.len();
            for seat in Seat::BOTH {
                let Some(reply) = replies[seat] else {
                    continue;
                };
                let place = DecisionPlace {
                    step,
                    round: rounds,
                    seat,
                    entrant: seat.entrant_in_leg(leg - 1),
                    time_us: record.times_us.get(replies_before).copied(),
                };
                replies_before += 1;
                if self.only.is_none_or(|only| only == place.entrant) {
                    let decision =
                        judges[seat.index()].judge(&*before, place, reply, &replies, self.nodes);
                    decisions.extend(decision);
                    if let Some(fault) = judges[seat.index()].truth.fault() {
                        return Err(AnalysisError::RulesFailed(fault));
                    }
                }
            }
            self.report_step(leg, &decisions[known..])?;
        }
        let only = self.only;
        let is_wanted = |entrant| only.is_none_or(|only| only == entrant);
        let outcome = record.outcome.clone();
        let figures = tally.map_or(Vec::new(), |tally| tally.list(rounds));
        Ok(LegAnalysis::new(
            leg, outcome, rounds, decisions, figures, is_wanted,
        ))
    }

    /// Tells the listener of another step, which may stop the analysis.
    fn report_step(&mut self, leg: usize, decisions: &[Decision]) -> Result<(), AnalysisError> {
        self.done += 1;
        let progress = AnalysisProgress {
            done: self.done,
            all: self.all,
            leg,
            decisions,
        };
        match (self.listener)(progress) {
            ControlFlow::Break(()) => Err(AnalysisError::Stopped),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    fn make_judges(&self) -> Result<Judges, AnalysisError> {
        let judge = || {
            let made = self.game.make_assessor();
            made.ok_or_else(|| why_without(self.game))
        };
        Ok(Judges {
            truth: judge()?,
            known: judge()?,
        })
    }
}

/// Judges for what happened, and for what a seat could know.
struct Judges {
    truth: Box<dyn AnyAssessor>,
    known: Box<dyn AnyAssessor>,
}

impl Judges {
    fn judge(
        &mut self,
        leg: &dyn AnyLeg,
        place: DecisionPlace,
        reply: Reply<&str>,
        replies: &RecordedReplies<'_>,
        nodes: u64,
    ) -> Option<Decision> {
        let budget = SearchBudget::nodes(nodes);
        let seat = place.seat;
        let truth = self.truth.assess_decision(leg, seat, replies, budget)?;
        let belief = self.known.believe_position(leg, seat);
        let known = belief.and_then(|belief| {
            // What the other side plays now is hidden, too.
            let mut own = *replies;
            if matches!(reply, Reply::Action(_)) {
                own[seat.other()] = None;
            }
            self.known.assess_decision(&*belief, seat, &own, budget)
        });
        let (played, fault) = match reply {
            Reply::Action(action) => (action.to_owned(), None),
            Reply::Fault(fault) => (write_fault(fault), Some(fault)),
        };
        Some(match known {
            Some(mut known) => {
                known.hindsight.clone_from(&truth.hindsight);
                // Nothing is proven of a position that is only believed in.
                (known.best.proof, known.played.proof) = (None, None);
                Decision::new(place, played, fault, known, Some(truth))
            }
            None => Decision::new(place, played, fault, truth, None),
        })
    }
}

fn write_fault(fault: Fault) -> String {
    format!("!{}", fault.code())
}
