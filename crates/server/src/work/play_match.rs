//! Plays one match for the job source.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use leitai_game::replay::{LegRecord, RerunRecord};
use leitai_game::{AnyLeg, ByEntrant, Entrant, ToMove};
use leitai_judge::build::ReadyEntrant;
use leitai_judge::clock::to_micros;
use leitai_judge::{
    MatchObserver, MatchProgress, MatchSpec, NoHumans, PlayedMatch, Player, PlayerKind, Sandbox,
    play_match,
};
use leitai_series::entrant_words::parse_settings;
use leitai_store::Json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::continuation;
use super::limits;
use super::program_cache::{BuildWatch, ProgramCacheError};
use super::source::{EntrantTask, JobProgress, JobReport, MatchTask};
use super::task_context::{TaskContext, TaskOutcome};
use crate::live::ReportedSteps;
use crate::live::told_token::tell_token;

/// Plays a match.
pub fn play_for(context: TaskContext<'_>, task: &MatchTask) -> TaskOutcome {
    let (spec, _programs) = match make_match(context, task) {
        Ok(made) => made,
        Err(_) if context.held.is_stopped() => return TaskOutcome::Back,
        Err(why) => return TaskOutcome::failed(why),
    };
    let pace = task.paced.then(|| exhibition_pace(&spec));
    let mut reporter = ProgressReporter::new(context, pace);
    match play_match(&spec, &mut NoHumans, &mut reporter, &context.held.stop) {
        Ok(mut played) => {
            // From the position of a book nobody is expected to answer as the record does.
            if task.opening.is_none() {
                continuation::log_divergences(&*spec.setup, &mut played);
            }
            task_outcome(played)
        }
        Err(error) => TaskOutcome::failed(error),
    }
}

fn task_outcome(played: PlayedMatch) -> TaskOutcome {
    if let Some(why) = &played.void {
        return TaskOutcome::failed(format!(
            "the machine was too busy to judge fairly in round {}: {}",
            why.round, why.why
        ));
    }
    if played.verdict.is_none() {
        return TaskOutcome::Back;
    }
    let longest_us = played.slowest.map_values(|spent| to_micros(spent.wall));
    TaskOutcome::Report(JobReport::Match {
        replay: played.replay.to_text(),
        longest_us,
    })
}

/// The match, and what keeps the folders of its programs.
fn make_match(
    context: TaskContext<'_>,
    task: &MatchTask,
) -> Result<(MatchSpec, Vec<Arc<ReadyEntrant>>), String> {
    let (game, mut programs) = (context.game, Vec::new());
    let mut one = |entrant: &EntrantTask| make_player(context, entrant, &mut programs);
    let [a, b] = Entrant::BOTH.map(|entrant| one(&task.entrants[entrant]));
    let (setup, from) =
        continuation::begin_match(&**game, task).map_err(|error| error.to_string())?;
    let players = ByEntrant::new(a?, b?);
    let spec = MatchSpec::with_setup(game, task.config.clone(), task.seed, setup, players);
    let settings = |one: &EntrantTask| parse_settings(one.settings.as_deref().unwrap_or_default());
    let [own_a, own_b] = Entrant::BOTH.map(|entrant| settings(&task.entrants[entrant]));
    let spec = MatchSpec {
        legs: task.legs,
        settings: ByEntrant::new(own_a?, own_b?),
        from,
        ..spec
    };
    let sandbox = context.programs.program_sandbox();
    let sandbox = sandbox.filter(|_| !programs.is_empty());
    let mut spec = with_arena_terms(spec, &task.limits, sandbox);
    spec.limits.waiting = context.waiting;
    Ok((spec, programs))
}

fn make_player(
    context: TaskContext<'_>,
    entrant: &EntrantTask,
    programs: &mut Vec<Arc<ReadyEntrant>>,
) -> Result<Player, String> {
    let watch = BuildWatch {
        listener: None,
        stop: Some(&context.held.stop),
        library: Some(&|hash: &str| context.fetch_library(hash)),
        is_check: false,
    };
    let (game, source) = (&**context.game, &entrant.source);
    let made = context
        .programs
        .make_entrant(game, source, &watch, |upload| context.fetch(upload));
    let kind = match made {
        Ok((kind, ready)) => {
            programs.extend(ready);
            kind
        }
        // It was built and checked before, so this machine must lack something.
        Err(ProgramCacheError::Build(error)) if !error.is_infrastructure_error() => {
            PlayerKind::Broken(error.to_string())
        }
        Err(error) => return Err(error.to_string()),
    };
    let name = entrant.name.clone();
    Ok(Player { name, kind })
}

/// Adds the limits of the arena, and the present time as the start of the match.
pub fn with_arena_terms(spec: MatchSpec, asked: &Json, sandbox: Option<&Sandbox>) -> MatchSpec {
    MatchSpec {
        limits: limits::referee_limits(&*spec.game, asked),
        resources: limits::sandbox_limits(),
        sandbox: sandbox.cloned().unwrap_or(spec.sandbox),
        recorded: started_at(),
        ..spec
    }
}

/// The present time in RFC 3339, to the second.
fn started_at() -> Option<String> {
    let now = OffsetDateTime::from(SystemTime::now())
        .replace_nanosecond(0)
        .ok()?;
    now.format(&Rfc3339).ok()
}

/// The time between two steps that people can follow: seven actions a second where one moves at a
/// time, otherwise a little more than two rounds a second.
fn exhibition_pace(fixture: &MatchSpec) -> Duration {
    match fixture.setup.start_leg().to_move() {
        ToMove::Both => Duration::from_millis(430),
        _ => Duration::from_millis(140),
    }
}

/// Reports progress to the job source and paces exhibitions. The players' clocks are stopped while
/// it runs after a step.
struct ProgressReporter<'a> {
    context: TaskContext<'a>,
    pace: Option<Duration>,
    index: Option<usize>,
    /// What the job source has not taken yet, in order.
    undelivered: Vec<JobProgress>,
    /// What was reported of the leg, and the bytes of its tokens.
    reported: (ReportedSteps, usize),
    /// Bytes of replies that were paced.
    seen: usize,
    last: Instant,
    due: Instant,
}

impl<'a> ProgressReporter<'a> {
    fn new(context: TaskContext<'a>, pace: Option<Duration>) -> ProgressReporter<'a> {
        let now = Instant::now();
        ProgressReporter {
            context,
            pace,
            index: None,
            undelivered: Vec::new(),
            reported: Default::default(),
            seen: 0,
            last: now,
            due: now,
        }
    }

    fn report_progress(&mut self, progress: JobProgress) {
        self.last = Instant::now();
        progress.add_to(&mut self.undelivered);
        let reports = self.undelivered.clone();
        match self.context.report(reports) {
            Ok(()) => self.undelivered.clear(),
            // Spectators get it with the next report; the match continues.
            Err(error) => tracing::debug!(%error, "cannot tell how a match goes"),
        }
    }

    fn begin_leg(&mut self, index: usize) {
        if self.index != Some(index) {
            (self.index, self.reported, self.seen) = (Some(index), Default::default(), 0);
            self.report_progress(JobProgress::Leg(index));
        }
    }

    fn report_steps(&mut self, index: usize, replies: &str, times_us: &[u64], shown: &[Json]) {
        let (after, bytes) = self.reported;
        let (Some(tokens), Some(times)) = (replies.get(bytes..), times_us.get(after.times..))
        else {
            return;
        };
        let tokens = tokens.split_ascii_whitespace().zip(after.steps..);
        let tokens: Vec<String> = tokens
            .map(|(token, step)| tell_token(token, step, shown))
            .collect();
        if !tokens.is_empty() {
            let reported = ReportedSteps {
                steps: after.steps + tokens.len(),
                times: times_us.len(),
            };
            self.reported = (reported, replies.len());
            self.report_progress(JobProgress::Steps {
                index,
                tokens: tokens.join(" "),
                times_us: times.to_vec(),
                after: Some(after),
            });
        }
    }

    /// Waits until the next step may be shown.
    fn pace_exhibition(&mut self) {
        let Some(pace) = self.pace else { return };
        self.due = (self.due + pace).max(Instant::now());
        while !self.context.held.is_stopped() {
            let left = self.due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
    }
}

impl MatchObserver for ProgressReporter<'_> {
    fn on_progress(&mut self, progress: &MatchProgress<'_>) {
        self.begin_leg(progress.index);
        let new = progress.replies.len() > self.seen;
        self.seen = progress.replies.len();
        let interval = self.context.source.renewal_interval();
        let is_slow = self.pace.is_some_and(|pace| pace >= interval);
        if self.last.elapsed() >= interval || (new && is_slow) {
            let (replies, times) = (progress.replies, progress.times_us);
            self.report_steps(progress.index, replies, times, progress.shown);
        }
        if new {
            self.pace_exhibition();
        }
    }

    fn leg_again(&mut self, index: usize, _: &RerunRecord) {
        (self.reported, self.seen) = (Default::default(), 0);
        self.report_progress(JobProgress::Again(index));
    }

    fn leg_over(&mut self, index: usize, record: &LegRecord, _: &dyn AnyLeg) {
        self.report_steps(index, &record.replies, &record.times_us, &record.shown);
    }
}
