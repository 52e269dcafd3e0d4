//! Builds and checks one version for the job source.

use leitai_game::{AnyGame, Seat};
use leitai_judge::build::{BuildError, BuildListener, ReadyEntrant};
use leitai_judge::check::{
    CheckFinding, CheckLeg, CheckObserver, CheckReport as Checks, CheckedProgram, StepResult,
    check_program,
};
use leitai_judge::{Player, RefereeLimits};
use leitai_store::{Json, VersionOutcome};
use serde_json::json;

use super::leases::report_progress;
use super::limits;
use super::program_cache::{BuildWatch, ProgramCacheError};
use super::situations;
use super::source::{AskedPack, JobProgress, JobReport, SourceTask};
use super::task_context::{TaskContext, TaskOutcome};
use crate::messages::catalogue;

/// The seed of every check, so that its author can reproduce it.
const SEED: u64 = 1;

/// Builds and checks a version.
pub fn check_version(
    context: TaskContext<'_>,
    source: &SourceTask,
    situations: &[AskedPack],
) -> TaskOutcome {
    let watch = BuildWatch {
        listener: Some(build_listener(context)),
        stop: Some(&context.held.stop),
        library: Some(&|hash: &str| context.fetch_library(hash)),
        is_check: true,
    };
    let fetch = || context.fetch(source);
    let ready = context
        .programs
        .ready_program(&**context.game, source, &watch, fetch);
    match ready {
        Ok(ready) => run_checks(
            CheckTask {
                context,
                source,
                situations,
            },
            &ready,
        ),
        Err(error) if error.is_infrastructure_error() && context.held.is_stopped() => {
            TaskOutcome::Back
        }
        Err(ProgramCacheError::Build(error)) if !error.is_infrastructure_error() => {
            build_failed(&**context.game, source, &error)
        }
        Err(error) => TaskOutcome::failed(error),
    }
}

/// Forwards the output of the build as it appears.
fn build_listener(context: TaskContext<'_>) -> BuildListener {
    let (job_source, held) = (context.source.clone(), context.held.clone());
    BuildListener::new(move |text| {
        let line = vec![JobProgress::Log(text.to_owned())];
        if let Err(error) = report_progress(&*job_source, &held, line) {
            tracing::warn!(%error, "a line of a build log is lost");
        }
    })
}

/// The outcome of a source that cannot be built.
fn build_failed(game: &dyn AnyGame, source: &SourceTask, error: &BuildError) -> TaskOutcome {
    let said = without_local_paths(&error.to_string());
    let command = format!(
        "leitai check {} {}",
        source.game,
        quote_word(&source.file_name)
    );
    let failure = catalogue([game]).write_both(|lang| {
        lang.fill(
            "{}; {} shows it on your machine",
            &[&lang.say(&said), &command],
        )
    });
    let failure = json!(failure);
    TaskOutcome::Report(JobReport::Version(VersionOutcome::Failed {
        how: None,
        failure,
        report: None,
    }))
}

/// Removes the folders of this machine from a text.
pub fn without_local_paths(said: &str) -> String {
    let clean = |word: &str| match word.rfind('/') {
        Some(at) if word.starts_with('/') && word.contains("/leitai-") => word[at + 1..].to_owned(),
        _ => word.to_owned(),
    };
    said.split(' ').map(clean).collect::<Vec<_>>().join(" ")
}

/// What is checked.
#[derive(Clone, Copy)]
struct CheckTask<'a> {
    context: TaskContext<'a>,
    source: &'a SourceTask,
    situations: &'a [AskedPack],
}

fn run_checks(task: CheckTask<'_>, ready: &ReadyEntrant) -> TaskOutcome {
    let TaskContext { game, programs, .. } = task.context;
    let Some(sandbox) = programs.program_sandbox().cloned() else {
        return TaskOutcome::Back;
    };
    let config = match game.read_config(&Json::Null) {
        Ok(config) => config,
        Err(error) => return TaskOutcome::failed(error),
    };
    let how = ready
        .built
        .as_ref()
        .map_or_else(|_| String::new(), |built| built.how.clone());
    let player = Player {
        name: task.source.name.clone(),
        kind: ready.player.kind.clone(),
    };
    let (limits, resources) = (
        RefereeLimits {
            waiting: task.context.waiting,
            ..limits::referee_limits(&**game, &Json::Null)
        },
        limits::sandbox_limits(),
    );
    let candidate = CheckedProgram {
        game: game.clone(),
        config,
        seed: SEED,
        player,
        how: how.clone(),
        limits,
        resources,
        sandbox,
    };
    let mut recorder = CheckRecorder(task);
    recorder.begin_checks(ready);
    match check_program(&candidate, &mut recorder, &task.context.held.stop) {
        Ok(None) => TaskOutcome::Back,
        // A step that could not be judged says nothing about the program.
        Ok(Some(checks)) if !checks.passed && find_fatal(&checks).is_none() => {
            TaskOutcome::failed("the machine was too busy to check it fairly")
        }
        Ok(Some(checks)) => {
            let asked = match checks.passed {
                true => situations::ask(task.context, &candidate, task.situations),
                false => Some(Json::Null),
            };
            asked.map_or(TaskOutcome::Back, |answers| {
                let outcome = version_outcome(task, (&checks, answers), ready);
                TaskOutcome::Report(JobReport::Version(outcome))
            })
        }
        Err(error) => TaskOutcome::failed(error),
    }
}

fn version_outcome(
    task: CheckTask<'_>,
    (checks, answers): (&Checks, Json),
    ready: &ReadyEntrant,
) -> VersionOutcome {
    let steps: Vec<Json> = checks
        .steps
        .iter()
        .map(|finding| finding_json(task, finding))
        .collect();
    let report = json!({"passed": checks.passed, "steps": steps, "situations": answers});
    let how = ready.built.as_ref().ok().map(|built| built.how.clone());
    let protocol = ready
        .built
        .as_ref()
        .ok()
        .and_then(|built| built.protocol.clone());
    match (checks.passed, how, protocol) {
        (true, Some(how), Some(protocol)) => VersionOutcome::Ready {
            how,
            protocol,
            report,
        },
        (_, how, _) => {
            let failure =
                find_fatal(checks).map_or(Json::Null, |finding| failure_json(task, finding));
            VersionOutcome::Failed {
                how,
                failure,
                report: Some(report),
            }
        }
    }
}

/// The first required step that failed.
fn find_fatal(checks: &Checks) -> Option<&CheckFinding> {
    checks
        .steps
        .iter()
        .find(|finding| finding.mark == StepResult::Failed && finding.step.must_pass())
}

/// Why it failed, for people.
fn failure_json(task: CheckTask<'_>, finding: &CheckFinding) -> Json {
    let command = rerun_command(task, finding);
    let failure = catalogue([]).write_both(|lang| {
        let seen = finding.seen.in_language(lang.lang());
        let mut text = lang.fill("{}: {}", &[&finding.step.step_title(lang), &seen]);
        if let Some(line) = finding.last_words.last() {
            text += &lang.fill("; it said: {}", &[line]);
        }
        if let Some(next) = &finding.next {
            text += &lang.fill("; {}", &[&next.in_language(lang.lang())]);
        }
        text + &lang.fill("; repeat it with: {}", &[&command])
    });
    json!(failure)
}

/// A finding as JSON, with the command that reproduces it.
fn finding_json(task: CheckTask<'_>, finding: &CheckFinding) -> Json {
    let mut value = serde_json::to_value(finding).expect("a finding is plain data");
    value["must_pass"] = finding.step.must_pass().into();
    value["command"] = finding
        .leg
        .is_some()
        .then(|| rerun_command(task, finding))
        .into();
    value["title"] = json!(catalogue([]).write_both(|lang| finding.step.step_title(lang)));
    value
}

/// The command that reproduces the finding on the author's machine.
fn rerun_command(task: CheckTask<'_>, finding: &CheckFinding) -> String {
    let source = task.source;
    let (game, program) = (&source.game, quote_word(&source.file_name));
    let Some(CheckLeg {
        seat,
        seed,
        opponent,
    }) = &finding.leg
    else {
        let waiting = task
            .context
            .waiting
            .map(|waiting| match waiting.subsec_millis() {
                0 => format!(" --wait-limit {}s", waiting.as_secs()),
                _ => format!(" --wait-limit {}ms", waiting.as_millis()),
            });
        return format!(
            "leitai check {game} {program}{}",
            waiting.unwrap_or_default()
        );
    };
    // A game without bots of its own is played against itself.
    let opponent = match task.context.game.list_own_bots().is_empty() {
        true => &program,
        false => opponent,
    };
    let [first, second] = match seat {
        Seat::First => [program.as_str(), opponent],
        Seat::Second => [opponent, program.as_str()],
    };
    format!("leitai match {game} {first} {second} --seed {seed} --legs 1")
}

/// Quotes a word for a shell.
pub fn quote_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    match word.chars().all(plain) && !word.is_empty() && !word.starts_with('-') {
        true => word.to_owned(),
        false => format!("'./{}'", word.replace('\'', "'\\''")),
    }
}

/// Records the findings of the check.
struct CheckRecorder<'a>(CheckTask<'a>);

impl CheckRecorder<'_> {
    fn begin_checks(&self, ready: &ReadyEntrant) {
        if let Ok(built) = &ready.built {
            built
                .notes
                .iter()
                .for_each(|note| self.report_progress(JobProgress::Log(format!("{note}\n"))));
        }
        self.report_progress(JobProgress::Checks);
    }

    fn report_progress(&self, progress: JobProgress) {
        if let Err(error) = self.0.context.report(vec![progress]) {
            tracing::warn!(%error, "a finding is only told with the result");
        }
    }
}

impl CheckObserver for CheckRecorder<'_> {
    fn on_finding(&mut self, finding: &CheckFinding) {
        self.report_progress(JobProgress::Step(finding_json(self.0, finding)));
    }
}
