//! `leitai check GAME PROGRAM`

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_game::clean_text::{Breaks, clean_text};
use leitai_game::{AnyGame, Seat};
use leitai_judge::check::{
    CheckFinding, CheckLeg, CheckObserver, CheckReport, CheckStep, CheckedProgram, StepResult,
    check_program,
};
use leitai_judge::{Player, PlayerKind};
use leitai_series::EntrantRequest;
use leitai_series::columns;
use leitai_series::entrant::{self, BuildNotice, build_player};
use leitai_series::regression::AskedBot;

use crate::cli::CheckArgs;
use crate::cmd::situations::{ask_packs, find_packs};
use crate::plan::MatchPlan;
use crate::prelude::*;
use crate::rerun_command::{condition_options, quote_word};
use crate::series::INTERRUPTED;
use crate::{arguments, files, stop, watch, width};

/// The exit status if it passed the check and not every situation.
const SITUATION_FAILED: u8 = 3;

/// Checks a program step by step, once or after each save.
pub fn run(lang: Localizer, args: &CheckArgs) -> Result<ExitCode> {
    let (words, config) = ([&args.program[..]], &args.options.config);
    match args.watch {
        true => watch::at_each_save(lang, &args.game, &words, config, || check(lang, args)),
        false => check(lang, args),
    }
}

fn check(lang: Localizer, args: &CheckArgs) -> Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let game = arguments::find_game(&args.game)?;
    let request = EntrantRequest::parse(&*game, &args.program)?;
    refuse_other_uses(lang, &*game, &request, args)?;
    let packs = match &args.situations {
        Some(paths) => find_packs(lang, &*game, paths)?,
        None => Vec::new(),
    };
    let mut plan = MatchPlan::new(&game, &args.options)?;
    plan.open_sandbox(lang, &[&request])?;
    let options = plan.options;
    let mut notices = Vec::new();
    let notify = &mut |notice: &BuildNotice| {
        notices.extend(notice.without_protocol().map(|notice| notice.to_line(lang)));
    };
    let (mut player, _folder) = build_player(&*game, &request, &options, notify)?;
    let how = describe_protocol(lang, &player, &notices);
    let own = &request.settings;
    if let PlayerKind::Program { program, .. } = &mut player.kind {
        *program = own.apply_to(program, options.resources);
    }
    let seed = args.options.seed.unwrap_or(1);
    let candidate = CheckedProgram {
        game: game.clone(),
        config: options.config,
        seed,
        player,
        how,
        limits: own.limits.narrow_referee(options.limits),
        resources: own.limits.narrow_sandbox(options.resources),
        sandbox: options.sandbox,
    };
    let mut printer = FindingPrinter::new(lang, args, seed);
    let report = check_program(&candidate, &mut printer, stop)?;
    printer.bar.finish_and_clear();
    let Some(report) = report else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    if !args.json {
        let verdict = describe_report(lang, &candidate.player.name, &report);
        files::print_stdout(&format!("\n{}\n", width::wrap_sentence(&verdict, 0)))?;
    }
    // What is not accepted is not asked: it would fail there, too.
    let packs = if report.passed { &packs[..] } else { &[] };
    let bot = AskedBot::of_checked(&candidate, None);
    let asked = ask_packs(lang, (&bot, packs), args.json, stop)?;
    let Some((situations, all_passed)) = asked else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    if args.json {
        let mut answer = printer.report_json(&*game, &report);
        answer["situations"] = situations;
        files::print_stdout(&format!("{answer}\n"))?;
    }
    Ok(exit_code(report.passed, all_passed))
}

fn exit_code(passed: bool, all_passed: bool) -> ExitCode {
    match (passed, all_passed) {
        (true, true) => ExitCode::SUCCESS,
        (true, false) => ExitCode::from(SITUATION_FAILED),
        (false, _) => ExitCode::FAILURE,
    }
}

/// A check is of a program of one's own, against bots of the game, and chooses its legs itself.
fn refuse_other_uses(
    lang: Localizer,
    game: &dyn AnyGame,
    request: &EntrantRequest,
    args: &CheckArgs,
) -> Result<()> {
    if entrant::is_built_in(game, &request.word) {
        return Err(usage_error(
            lang.label("this bot is built in; check takes your own program"),
        ));
    }
    let of_matches = [
        args.options.legs.is_some(),
        args.options.match_limit.is_some(),
        args.options.keep,
    ];
    if of_matches.contains(&true) {
        return Err(usage_error(lang.label(
            "a check plays legs of its own: leave out --legs, --match-limit and --keep",
        )));
    }
    Ok(())
}

/// The notices about the build, without the name before them.
fn describe_protocol(lang: Localizer, player: &Player, notices: &[String]) -> String {
    let lines = notices
        .iter()
        .map(|line| line.strip_prefix(&player.name).unwrap_or(line).trim());
    let how = lines.collect::<Vec<_>>().join("\n");
    if how.is_empty() {
        lang.label("nothing to build").to_owned()
    } else {
        how
    }
}

fn describe_report(lang: Localizer, name: &str, report: &CheckReport) -> String {
    let must = || {
        report
            .steps
            .iter()
            .filter(|finding| finding.step.must_pass())
    };
    let (all, good) = (
        must().count(),
        must().filter(|finding| finding.mark.is_good()).count(),
    );
    if report.undecided {
        return lang.fill(
            "no decision about {}: this machine was too busy, and only {} of the {} required steps could \
            be judged (they passed); check again when the machine is idle",
            &[&name, &good, &all],
        );
    }
    match report.passed {
        true => lang.fill(
            "{} is accepted: it passes all {} required steps",
            &[&name, &all],
        ),
        false => lang.fill(
            "{} is not accepted: it passes {} of {} required steps",
            &[&name, &good, &all],
        ),
    }
}

/// Prints every finding as soon as it exists.
struct FindingPrinter<'a> {
    lang: Localizer,
    args: &'a CheckArgs,
    seed: u64,
    bar: ProgressBar,
}

impl FindingPrinter<'_> {
    fn new(lang: Localizer, args: &CheckArgs, seed: u64) -> FindingPrinter<'_> {
        let target = if args.json {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("… {msg}").expect("a constant template"));
        FindingPrinter {
            lang,
            args,
            seed,
            bar,
        }
    }

    /// The command that reproduces a fault.
    fn rerun_command(&self, leg: &CheckLeg) -> String {
        let [game, program] = [&self.args.game, &self.args.program].map(|word| quote_word(word));
        let [first, second] = match leg.seat {
            Seat::First => [program.as_str(), &leg.opponent],
            Seat::Second => [&leg.opponent, program.as_str()],
        };
        let options = &self.args.options;
        let limit = options.limit.map(|limit| {
            format!(
                " --limit {}",
                quote_word(&humantime::format_duration(limit).to_string())
            )
        });
        let config: String = options
            .config
            .iter()
            .map(|choice| format!(" --config {}", quote_word(choice)))
            .collect();
        let (seed, limit) = (leg.seed, limit.unwrap_or_default());
        format!(
            "leitai match {game} {first} {second} --seed {seed} --legs 1{limit}{config}{}",
            condition_options(options)
        )
    }

    fn report_json(&self, game: &dyn AnyGame, report: &CheckReport) -> Value {
        let step = |finding: &CheckFinding| {
            let mut value = serde_json::to_value(finding).expect("a finding is plain data");
            value["must_pass"] = finding.step.must_pass().into();
            value["command"] = finding
                .leg
                .as_ref()
                .map(|leg| self.rerun_command(leg))
                .into();
            value
        };
        let steps: Vec<Value> = report.steps.iter().map(step).collect();
        json!({
            "game": game.meta().id,
            "program": self.args.program,
            "seed": self.seed,
            "passed": report.passed,
            "undecided": report.undecided,
            "steps": steps,
        })
    }
}

impl CheckObserver for FindingPrinter<'_> {
    fn on_step_begin(&mut self, step: CheckStep) {
        self.bar.set_message(step.step_title(self.lang));
        self.bar.tick();
    }

    fn on_progress(&mut self, step: CheckStep, round: u32, rounds: u32) {
        self.bar.set_message(format!(
            "{}   {} {round}/{rounds}",
            step.step_title(self.lang),
            self.lang.label("round")
        ));
        self.bar.tick();
    }

    fn on_finding(&mut self, finding: &CheckFinding) {
        if !self.args.json {
            let command = finding.leg.as_ref().map(|leg| self.rerun_command(leg));
            // The reader has closed the pipe; the exit status is the result.
            self.bar
                .suspend(|| {
                    files::print_stdout(&format!(
                        "{}\n",
                        format_finding(self.lang, finding, command.as_deref())
                    ))
                })
                .unwrap_or_default();
        }
    }
}

/// A finding for people, with the command that reproduces a fault.
pub fn format_finding(lang: Localizer, finding: &CheckFinding, command: Option<&str>) -> String {
    const INDENT: usize = 34;
    let wrap = |line: &str| width::wrap_sentence(line, INDENT);
    let mut lines: Vec<String> = clean_text(finding.seen.in_language(lang.lang()), Breaks::Kept)
        .lines()
        .map(wrap)
        .collect();
    let quoted = |line: &String| wrap(&format!("{}{}", lang.label("it said: "), clean_line(line)));
    lines.extend(finding.last_words.iter().map(quoted));
    lines.extend(
        finding
            .next
            .as_ref()
            .map(|next| wrap(&format!("→ {}", clean_line(next.in_language(lang.lang()))))),
    );
    let arrow = |command| {
        format!(
            "→ {}",
            width::wrap_command(&clean_line(command), INDENT + 2)
        )
    };
    lines.extend(command.map(arrow));
    let title = columns::pad(finding.step.step_title(lang), 32);
    let indent = format!("\n{}", " ".repeat(INDENT));
    format!(
        "{} {title}{}",
        result_sign(finding.mark),
        lines.join(&indent)
    )
    .trim_end()
    .to_owned()
}

fn result_sign(mark: StepResult) -> char {
    match mark {
        StepResult::Passed => '✓',
        StepResult::Failed => '✗',
        StepResult::Warned => '!',
        StepResult::Noted => 'i',
        StepResult::Skipped => '-',
    }
}
