//! One version, built and checked for the desk.

use std::sync::Arc;

use leitai_game::{AnyGame, Lang, Seat};
use leitai_judge::Player;
use leitai_judge::build::{BuildError, Ear, Ready};
use leitai_judge::check::{Candidate, Finding, Leg, Mark, Report as Checks, Watcher, check};
use leitai_store::{Json, VersionOutcome};
use serde_json::json;

use super::desk::{Desk, News, Report, SourceTask};
use super::lease::Held;
use super::seat::Done;
use super::terms;
use super::workshop::{Workshop, WorkshopError};
use crate::messages::catalogue;

/// The seed of every check, so that its author can repeat it.
const SEED: u64 = 1;

/// Builds and checks a version.
pub fn examine(
    desk: &Arc<dyn Desk>,
    game: &'static dyn AnyGame,
    source: &SourceTask,
    workshop: &Workshop,
    held: &Arc<Held>,
) -> Done {
    let ear = ear(desk, held);
    match workshop.ready(game, source, Some(ear), || desk.source(&held.lease, source)) {
        Ok(ready) => checked(&**desk, game, source, &ready, workshop, held),
        Err(error) if error.is_ours() => Done::Report(Report::Ours(error.to_string())),
        Err(WorkshopError::Build(error)) => unbuilt(game, source, &error),
        Err(error) => Done::Report(Report::Ours(error.to_string())),
    }
}

/// Passes on what compilers say, as they say it.
fn ear(desk: &Arc<dyn Desk>, held: &Arc<Held>) -> Ear {
    let (desk, held) = (desk.clone(), held.clone());
    Ear::new(move |text| match desk.tell(&held.lease, vec![News::Log(text.to_owned())]) {
        Ok(holding) => held.heard(holding),
        Err(error) => tracing::warn!(%error, "a line of a build log is lost"),
    })
}

/// Nothing that could be built.
fn unbuilt(game: &dyn AnyGame, source: &SourceTask, error: &BuildError) -> Done {
    let said = own_words(&error.to_string());
    let said_zh = catalogue([game]).say(Lang::Zh, &said).into_owned();
    let command = format!("leitai check {} {}", source.game, quoted(&source.file_name));
    let failure = json!({"en": format!("{said}; {command} shows it on your machine"),
        "zh": format!("{said_zh}；在你的机器上运行 {command} 可重现")});
    Done::Report(Report::Version(VersionOutcome::Failed { how: None, failure, report: None }))
}

/// Without the folders of this machine.
fn own_words(said: &str) -> String {
    let clean = |word: &str| match word.rfind('/') {
        Some(at) if word.starts_with('/') && word.contains("/leitai-") => word[at + 1..].to_owned(),
        _ => word.to_owned(),
    };
    said.split(' ').map(clean).collect::<Vec<_>>().join(" ")
}

fn checked(
    desk: &dyn Desk,
    game: &'static dyn AnyGame,
    source: &SourceTask,
    ready: &Ready,
    workshop: &Workshop,
    held: &Held,
) -> Done {
    let Some(sandbox) = workshop.sandbox().cloned() else { return Done::Back };
    let config = match game.config(&Json::Null) {
        Ok(config) => config,
        Err(error) => return Done::Report(Report::Ours(error.to_string())),
    };
    let how = ready.built.as_ref().map_or_else(|_| String::new(), |built| built.how.clone());
    let player = Player { name: source.name.clone(), kind: ready.player.kind.clone() };
    let (limits, resources) = (terms::limits(game, &Json::Null), terms::resources());
    let candidate =
        Candidate { game, config, seed: SEED, player, how: how.clone(), limits, resources, sandbox };
    let mut clerk = Clerk { desk, held, source };
    clerk.begin(ready);
    match check(&candidate, &mut clerk, &held.stop) {
        Ok(None) => Done::Back,
        // A step that was not to be judged says nothing of the program.
        Ok(Some(checks)) if !checks.passed && fatal(&checks).is_none() => {
            Done::Report(Report::Ours("the machine was too busy to check it fairly".to_owned()))
        }
        Ok(Some(checks)) => Done::Report(Report::Version(outcome(source, &checks, ready))),
        Err(error) => Done::Report(Report::Ours(error.to_string())),
    }
}

fn outcome(source: &SourceTask, checks: &Checks, ready: &Ready) -> VersionOutcome {
    let steps: Vec<Json> = checks.steps.iter().map(|finding| finding_json(source, finding)).collect();
    let report = json!({"passed": checks.passed, "steps": steps});
    let how = ready.built.as_ref().ok().map(|built| built.how.clone());
    let dialect = ready.built.as_ref().ok().and_then(|built| built.dialect.clone());
    match (checks.passed, how, dialect) {
        (true, Some(how), Some(dialect)) => VersionOutcome::Ready { how, dialect, report },
        (_, how, _) => {
            let failure = fatal(checks).map_or(Json::Null, |finding| failure(source, finding));
            VersionOutcome::Failed { how, failure, report: Some(report) }
        }
    }
}

/// The first step that failed and had to be passed.
fn fatal(checks: &Checks) -> Option<&Finding> {
    checks.steps.iter().find(|finding| finding.mark == Mark::Failed && finding.step.must_pass())
}

/// Why it may not play, for people.
fn failure(source: &SourceTask, finding: &Finding) -> Json {
    let (title, command) = (finding.step.title(), command(source, finding));
    let next = |words: fn(&leitai_judge::check::Words) -> &String| {
        finding.next.as_ref().map(|next| format!("; {}", words(next))).unwrap_or_default()
    };
    let (en, zh) = (&finding.seen.en, &finding.seen.zh);
    let said =
        |words: &str| finding.last_words.last().map(|line| format!("{words}{line}")).unwrap_or_default();
    let (said_en, said_zh) = (said("; it said: "), said("；其输出："));
    json!({
        "en": format!("{}: {en}{said_en}{}; repeat it with: {command}", title.en, next(|words| &words.en)),
        "zh": format!("{}：{zh}{said_zh}{}；重现：{command}", title.zh, next(|words| &words.zh)),
    })
}

/// A finding as pages and programs get it: with the command that shows it again.
fn finding_json(source: &SourceTask, finding: &Finding) -> Json {
    let mut value = serde_json::to_value(finding).expect("a finding is plain data");
    value["must_pass"] = finding.step.must_pass().into();
    value["command"] = finding.leg.is_some().then(|| command(source, finding)).into();
    value["title"] = json!({"en": finding.step.title().en, "zh": finding.step.title().zh});
    value
}

/// What shows it again on the author's machine.
fn command(source: &SourceTask, finding: &Finding) -> String {
    let (game, program) = (&source.game, quoted(&source.file_name));
    let Some(Leg { seat, seed, opponent }) = &finding.leg else {
        return format!("leitai check {game} {program}");
    };
    let [first, second] = match seat {
        Seat::First => [program.as_str(), opponent],
        Seat::Second => [opponent, program.as_str()],
    };
    format!("leitai match {game} {first} {second} --seed {seed} --legs 1")
}

/// One word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    match word.chars().all(plain) && !word.is_empty() && !word.starts_with('-') {
        true => word.to_owned(),
        false => format!("'./{}'", word.replace('\'', "'\\''")),
    }
}

/// Writes down what the checks find.
struct Clerk<'a> {
    desk: &'a dyn Desk,
    held: &'a Held,
    source: &'a SourceTask,
}

impl Clerk<'_> {
    fn begin(&self, ready: &Ready) {
        if let Ok(built) = &ready.built {
            built.notes.iter().for_each(|note| self.tell(News::Log(format!("{note}\n"))));
        }
        self.tell(News::Checks);
    }

    fn tell(&self, news: News) {
        match self.desk.tell(&self.held.lease, vec![news]) {
            Ok(holding) => self.held.heard(holding),
            Err(error) => tracing::warn!(%error, "a finding is only told with the result"),
        }
    }
}

impl Watcher for Clerk<'_> {
    fn found(&mut self, finding: &Finding) {
        self.tell(News::Step(finding_json(self.source, finding)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_word_for_a_shell() {
        let check = |word: &str, expected: &str| assert_eq!(quoted(word), expected);
        check("main.py", "main.py");
        check("我的.cpp", "我的.cpp");
        check("my bot.py", "'./my bot.py'");
        check("it's.py", "'./it'\\''s.py'");
        check("-rf", "'./-rf'");
        check("", "'./'");
    }

    #[test]
    fn folders_of_this_machine_are_not_told() {
        let said = "/var/tmp/leitai-1-2-3-xy/notes.txt is neither a program nor source: give /usr/bin/x";
        assert_eq!(own_words(said), "notes.txt is neither a program nor source: give /usr/bin/x");
    }
}
