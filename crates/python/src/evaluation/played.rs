//! The matches of an evaluation: plays them, keeps what is said of them beside the rating.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError, mpsc};

use anyhow::{Context, anyhow};
use leitai_analysis::{AnalysisOptions, ManyMatches, analyze_replay};
use leitai_game::encode::AnyEncodedLeg;
use leitai_game::erased::{AnyLeg, AnySink, Checkpoint};
use leitai_game::replay::{FaultRecord, LegRecord, MatchStatus, Recorder, Replay, VerdictRecord};
use leitai_game::{AnyGame, BySeat, Entrant, Outcome, Reply, Scope, Seat, ToMove};
use leitai_judge::{MatchSpec, PlayedMatch};
use leitai_ladder::{GameScore, ScoreTally};
use leitai_series::rating::BOT;
use leitai_series::run::{AttemptOutcome, FinishedMatch, MAX_WORKERS, MatchPlayer, SeriesJob};
use leitai_series::{DistinctGames, GameRecord, Roster};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::convert::ActionIndices;
use crate::engine::catch_panic;
use crate::known_game::KnownGame;
use crate::seeds::entrant_seed;
use crate::whole::{whole, whole_or_none};

/// A question to the policy.
pub struct PolicyQuestion {
    pub leg: Box<dyn AnyEncodedLeg>,
    pub seat: Seat,
    /// The seed of the policy's chance, with the first question of a leg.
    pub begins: Option<u64>,
    pub answer: SyncSender<ActionIndices>,
}

/// What an evaluation is asked with; the attributes of a class in `evaluate.py`.
#[derive(FromPyObject)]
pub struct EvaluationOptions {
    pub name: String,
    pub precision: f64,
    #[pyo3(from_py_with = whole)]
    pub seed: u64,
    #[pyo3(from_py_with = whole)]
    pub max_pairs: u64,
    #[pyo3(from_py_with = whole_or_none)]
    pub jobs: Option<usize>,
    #[pyo3(from_py_with = whole)]
    pub batch: usize,
    #[pyo3(from_py_with = whole)]
    pub explain: usize,
}

/// What the threads of an evaluation share.
pub struct Evaluation {
    pub encoded: &'static KnownGame,
    pub game: &'static dyn AnyGame,
    pub roster: Roster,
    pub options: EvaluationOptions,
    pub stop: AtomicBool,
    /// Matches that are under way.
    pub under_way: AtomicUsize,
    /// The pairs and the rating so far, for who is notified.
    pub latest: Mutex<Option<(u64, f64, f64)>>,
    pub played: PlayedMatches,
}

impl Evaluation {
    /// Matches at once: as many as cores, and as a batch has questions.
    fn workers(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = self.options.jobs.unwrap_or(cores.max(self.options.batch));
        wanted.clamp(1, MAX_WORKERS)
    }

    /// Asks the policy; `None` if the evaluation was stopped.
    fn ask_policy(
        &self,
        ask: &mpsc::Sender<PolicyQuestion>,
        leg: &dyn AnyEncodedLeg,
        seat: Seat,
        begins: Option<u64>,
    ) -> Option<ActionIndices> {
        let (answer, said) = sync_channel(1);
        let leg = leg.clone_encoded();
        ask.send(PolicyQuestion {
            leg,
            seat,
            begins,
            answer,
        })
        .ok()?;
        said.recv().ok()
    }
}

/// The matches by the number of their pair: the match of both legs, and that of an other leg.
#[derive(Default)]
pub struct PlayedMatches(Mutex<BTreeMap<u64, Vec<(GameRecord, Replay)>>>);

/// What is said beside the rating.
pub struct SeenBeside {
    /// Legs won, drawn and lost in the first and in the second seat.
    pub by_seat: Value,
    /// How often a rule ended a lost leg.
    pub ends: Value,
    /// The typical ways of losing; null if nothing was analysed.
    pub losses: Value,
}

impl PlayedMatches {
    /// Looks at the first so many pairs. A pair with a copy of an earlier game counts no more than in the rating.
    pub fn summarize(&self, evaluation: &Evaluation, pairs: u64) -> SeenBeside {
        let played = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut distinct = DistinctGames::default();
        let mut tallies = BySeat::<ScoreTally>::default();
        let mut ends = BTreeMap::<String, u32>::new();
        let mut lost = Vec::new();
        for (_, matches) in played.range(..pairs) {
            if !distinct.count_match(matches.iter().map(|(game, _)| game)) {
                continue;
            }
            let Some((game, replay)) = matches.first() else {
                continue;
            };
            let entrant = policy_entrant(game.pair);
            let mut is_lost = false;
            for (index, score) in game.pair_scores(entrant).into_iter().enumerate() {
                tallies[entrant.seat_in_leg(index)].count_game(score);
                if score == GameScore::Loss {
                    is_lost = true;
                    let reason = game.legs.get(index).map_or(&game.reason, |leg| &leg.reason);
                    *ends.entry(reason.clone()).or_default() += 1;
                }
            }
            if is_lost && lost.len() < evaluation.options.explain {
                lost.push((game.seed, entrant, replay));
            }
        }
        let (first, second) = (&tallies[Seat::First], &tallies[Seat::Second]);
        SeenBeside {
            by_seat: json!({"first": first, "second": second}),
            ends: json!(ends),
            losses: find_losses(evaluation, &lost),
        }
    }
}

/// The typical ways in which these matches were lost.
fn find_losses(evaluation: &Evaluation, lost: &[(u64, Entrant, &Replay)]) -> Value {
    let game = evaluation.game;
    if lost.is_empty() || game.decision_nodes().is_none() {
        return Value::Null;
    }
    let mut many = ManyMatches::new(&evaluation.options.name);
    for (seed, entrant, replay) in lost {
        let options = AnalysisOptions {
            entrant: Some(*entrant),
            ..AnalysisOptions::default()
        };
        let mut go_on = |_: leitai_analysis::AnalysisProgress<'_>| match evaluation
            .stop
            .load(Ordering::Relaxed)
        {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let file = format!("seed {seed}");
        match analyze_replay(game, replay, options, &mut go_on) {
            Ok(analysis) => many.add_match(&file, &analysis, *entrant, |_| String::new()),
            Err(why) => many.add_failure(&file, why.to_string()),
        }
    }
    serde_json::to_value(&many).unwrap_or_default()
}

fn policy_entrant(pair: [usize; 2]) -> Entrant {
    if pair[0] == BOT {
        Entrant::A
    } else {
        Entrant::B
    }
}

/// Plays the policy's matches against levels.
pub struct PolicyPlayer<'a> {
    pub evaluation: &'a Evaluation,
    /// Cloned by each match.
    pub ask: Mutex<mpsc::Sender<PolicyQuestion>>,
}

impl PolicyPlayer<'_> {
    fn clone_channel(&self) -> mpsc::Sender<PolicyQuestion> {
        let ask = self.ask.lock().unwrap_or_else(PoisonError::into_inner);
        ask.clone()
    }
}

impl MatchPlayer for PolicyPlayer<'_> {
    fn capacity(&self) -> usize {
        self.evaluation.workers()
    }

    fn play(
        &self,
        job: &SeriesJob<()>,
        _before: u32,
        _halt: &AtomicBool,
    ) -> anyhow::Result<AttemptOutcome> {
        let evaluation = self.evaluation;
        evaluation.under_way.fetch_add(1, Ordering::Relaxed);
        let ask = self.clone_channel();
        let played = catch_panic(|| play_match(evaluation, &ask, job));
        evaluation.under_way.fetch_sub(1, Ordering::Relaxed);
        let why = |why| anyhow!("the engine failed in the match of seed {}: {why}", job.seed);
        let Some(finished) = played.map_err(why)?? else {
            return Ok(AttemptOutcome::Interrupted);
        };
        let number = job.seed.wrapping_sub(evaluation.options.seed);
        let kept = &evaluation.played.0;
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let pair = (finished.game.clone(), finished.replay.clone());
        kept.entry(number).or_default().push(pair);
        Ok(AttemptOutcome::Finished(Box::new(finished)))
    }
}

/// Plays a match to its verdict; `None` if it was stopped.
fn play_match(
    evaluation: &Evaluation,
    ask: &mpsc::Sender<PolicyQuestion>,
    job: &SeriesJob<()>,
) -> anyhow::Result<Option<FinishedMatch>> {
    let spec = evaluation.roster.make_match(job)?;
    let source = evaluation.encoded.setup_source(&spec.config, 0, 0)?;
    let start = source.deal_leg(job.seed)?;
    let (mut records, mut ends, mut outcomes) = (Vec::new(), Vec::new(), Vec::<Outcome>::new());
    let is_decided = |outcomes: &[Outcome]| {
        let last = outcomes.last();
        last.is_some_and(|outcome| outcome.scope == Scope::Match)
    };
    while ends.len() < spec.legs && !is_decided(&outcomes) {
        let leg = LegInPlay::new(evaluation, job, ends.len(), start.clone_encoded())?;
        let Some((record, leg)) = leg.play(ask)? else {
            return Ok(None);
        };
        records.push(record);
        outcomes.extend(leg.outcome());
        ends.push(leg.to_leg());
    }
    let played = make_played(&spec, records, outcomes, &ends);
    let game = GameRecord::from_played(job.pair, &spec, &played).context("it has a verdict")?;
    let replay = played.replay;
    Ok(Some(FinishedMatch { game, replay }))
}

fn make_played(
    spec: &MatchSpec,
    legs: Vec<LegRecord>,
    outcomes: Vec<Outcome>,
    ends: &[Box<dyn AnyLeg>],
) -> PlayedMatch {
    let verdict = spec.setup.decide_match(ends);
    let [a, b] = Entrant::BOTH.map(|entrant| spec.players[entrant].name.clone());
    let replay = Replay {
        seed: Some(spec.seed),
        config: spec.config.clone(),
        status: MatchStatus::Complete,
        legs,
        verdict: Some(VerdictRecord::from(&verdict)),
        ..crate::replays::empty_replay(&*spec.game, spec.setup.to_json(), (a, b))
    };
    PlayedMatch {
        replay,
        verdict: Some(verdict),
        outcomes,
        divergences: Vec::new(),
        slowest: Default::default(),
        waited: Default::default(),
        kept: Default::default(),
        void: None,
    }
}

/// A leg of the policy against a level.
struct LegInPlay<'a> {
    evaluation: &'a Evaluation,
    leg: Box<dyn AnyEncodedLeg>,
    level: Box<dyn leitai_game::encode::AnyOpponent>,
    /// The policy's seat.
    own: Seat,
    /// The seed of the policy's chance, until it was asked.
    begins: Option<u64>,
    recorder: LegRecorder,
    /// The leg's number in the match, from 0.
    index: usize,
    parts: usize,
}

#[derive(Default)]
struct LegRecorder(Recorder);

impl AnySink for LegRecorder {
    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        self.0.on_checkpoint(at);
    }
}

impl<'a> LegInPlay<'a> {
    fn new(
        evaluation: &'a Evaluation,
        job: &SeriesJob<()>,
        index: usize,
        leg: Box<dyn AnyEncodedLeg>,
    ) -> anyhow::Result<LegInPlay<'a>> {
        let entrant = policy_entrant(job.pair);
        let other = job.pair[entrant.other().index()];
        let levels = &leitai_series::rating::find_scale(evaluation.game)?.levels;
        let name = levels[other - 1].name;
        let seed_of = |entrant: Entrant| entrant_seed(job.seed, index, entrant.index());
        let level = (evaluation.encoded)
            .make_opponent(name, seed_of(entrant.other()))
            .with_context(|| format!("there is no level {name}"))?;
        Ok(LegInPlay {
            evaluation,
            parts: leg.describe_layout().parts.len(),
            leg,
            level,
            own: entrant.seat_in_leg(index),
            begins: Some(seed_of(entrant)),
            recorder: LegRecorder::default(),
            index,
        })
    }

    /// Plays it to its end; `None` if the policy answers no more.
    fn play(
        mut self,
        ask: &mpsc::Sender<PolicyQuestion>,
    ) -> anyhow::Result<Option<(LegRecord, Box<dyn AnyEncodedLeg>)>> {
        while self.leg.to_move() != ToMove::Nobody {
            let asked = self.leg.to_move();
            let mut texts = BySeat::new(None, None);
            for seat in Seat::BOTH.into_iter().filter(|seat| asked.asks_seat(*seat)) {
                let Some(said) = self.choose(ask, seat) else {
                    return Ok(None);
                };
                texts[seat] = Some(self.leg.write_notation(seat, said.as_slice())?);
            }
            let replies = texts.each_ref();
            let replies = replies.map_values(|text| text.as_deref().map(Reply::Action));
            self.leg.step_text(replies, &mut self.recorder);
            self.recorder.0.record_replies(&replies);
        }
        let steps = self.recorder.0.leg.replies.split_ascii_whitespace().count();
        let mut record = self.recorder.0.finish_leg(self.leg.outcome());
        let outcome = self.leg.outcome();
        if let Some(fault) = outcome.and_then(|outcome| outcome.faults[self.own]) {
            record.faults.push(FaultRecord {
                entrant: self.own.entrant_in_leg(self.index),
                seat: self.own,
                code: fault.into(),
                leg: Some(self.index + 1),
                round: self.leg.round(),
                step: steps.saturating_sub(1),
                what: format!("the rules refuse its action ({})", fault.code()),
                said: None,
                limit: None,
                exit: None,
                last_words: Vec::new(),
                received: None,
            });
        }
        Ok(Some((record, self.leg)))
    }

    fn choose(&mut self, ask: &mpsc::Sender<PolicyQuestion>, seat: Seat) -> Option<ActionIndices> {
        if seat == self.own {
            let begins = self.begins.take();
            return self.evaluation.ask_policy(ask, &*self.leg, seat, begins);
        }
        let mut said = ActionIndices::zero_indices(self.parts);
        self.leg.ask_bot(seat, &mut *self.level, said.indices_mut());
        Some(said)
    }
}
