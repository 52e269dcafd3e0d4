//! `leitai check GAME PROGRAM`

use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_game::clean_text::{Breaks, clean_line, clean_text};
use leitai_game::{AnyGame, Seat};
use leitai_judge::check::{
    CheckFinding, CheckLeg, CheckObserver, CheckReport, CheckStep, CheckedProgram, Message,
    StepResult, check_program,
};
use leitai_judge::{Player, Transport};
use serde_json::{Value, json};

use crate::arguments::usage_error;
use crate::cli::{CheckArgs, ConnectArg};
use crate::cmd::r#match::{INTERRUPTED, referee_limits, sandbox_limits};
use crate::entrant::{self, BuildMeans, EntrantSpec};
use crate::lang::{localized_text, translate};
use crate::rerun_command::{condition_options, quote_word};
use crate::{arguments, files, isolation, stop};

/// Checks a program step by step.
pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let game = arguments::find_game(&args.game)?;
    if !EntrantSpec::Word(&args.program).is_program(game) {
        return Err(usage_error(translate(
            "that is a bot of ours; give a program of yours",
            "这是内置 Bot；请给出你自己的程序",
        )));
    }
    if args.table.legs.is_some() || args.table.match_limit.is_some() {
        return Err(usage_error(translate(
            "a check plays legs of its own: leave --legs and --match-limit away",
            "检查使用自己的对局：请去掉 --legs 和 --match-limit",
        )));
    }
    let sandbox = isolation::open_sandbox(
        crate::lang::localizer(),
        args.table.isolation,
        &mut files::print_stderr,
    )?;
    let connect = if args.table.connect == ConnectArg::Tcp {
        Transport::Tcp
    } else {
        Transport::Stdio
    };
    let config = arguments::read_config(game, &args.table.config)?;
    let mut told = Vec::new();
    let means = BuildMeans {
        config: &config,
        connect,
        sandbox: &sandbox,
        build_limit: args.table.build_limit,
    };
    let hear = &mut |line: &str| told.push(line.to_owned());
    let (player, _folders) = entrant::build_alone(game, &args.program, means, hear)?;
    let how = describe_protocol(&player, &told);
    let seed = args.table.seed.unwrap_or(1);
    let (limits, resources) = (
        referee_limits(game, &args.table, args.table.limit),
        sandbox_limits(&args.table),
    );
    let candidate = CheckedProgram {
        game,
        config,
        seed,
        player,
        how,
        limits,
        resources,
        sandbox,
    };
    let mut printer = FindingPrinter::new(args, seed);
    let report = check_program(&candidate, &mut printer, stop)?;
    printer.bar.finish_and_clear();
    let Some(report) = report else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    match args.json {
        true => files::print_stdout(&format!("{}\n", printer.report_json(game, &report)))?,
        false => files::print_stdout(&format!(
            "\n{}\n",
            describe_report(&candidate.player.name, &report)
        ))?,
    }
    Ok(if report.passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// How it was built: what was told, without the name before it.
fn describe_protocol(player: &Player, told: &[String]) -> String {
    let lines = told
        .iter()
        .map(|line| line.strip_prefix(&player.name).unwrap_or(line).trim());
    let how = lines.collect::<Vec<_>>().join("\n");
    if how.is_empty() {
        translate("nothing to build", "无需构建").to_owned()
    } else {
        how
    }
}

fn describe_report(name: &str, report: &CheckReport) -> String {
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
        return match translate("en", "zh") {
            "zh" => format!(
                "{name} 尚无结论：本机过于繁忙，{all} 个必须通过的步骤中只判定了 {good} 个（均通过）；请在机器空闲时重新检查"
            ),
            _ => format!(
                "nothing is decided about {name}: this machine was too busy, only {good} of the {all} steps that it must \
                 pass could be judged (it passed them); check again when the machine is idle"
            ),
        };
    }
    match (report.passed, translate("en", "zh")) {
        (true, "zh") => format!("{name} 可以提交：{all} 个必须通过的步骤全部通过"),
        (false, "zh") => format!("{name} 还不能提交：{all} 个必须通过的步骤中通过了 {good} 个"),
        (true, _) => format!("{name} can be sent in: it passes all {all} steps that it must"),
        (false, _) => {
            format!(
                "{name} cannot be sent in yet: it passes {good} of the {all} steps that it must"
            )
        }
    }
}

/// Prints every finding as soon as there is one.
struct FindingPrinter<'a> {
    args: &'a CheckArgs,
    seed: u64,
    bar: ProgressBar,
}

impl FindingPrinter<'_> {
    fn new(args: &CheckArgs, seed: u64) -> FindingPrinter<'_> {
        let target = if args.json {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("… {msg}").expect("a constant template"));
        FindingPrinter { args, seed, bar }
    }

    /// The command that shows a fault again.
    fn rerun_command(&self, leg: &CheckLeg) -> String {
        let [game, program] = [&self.args.game, &self.args.program].map(|word| quote_word(word));
        let [first, second] = match leg.seat {
            Seat::First => [program.as_str(), &leg.opponent],
            Seat::Second => [&leg.opponent, program.as_str()],
        };
        let table = &self.args.table;
        let limit = table.limit.map(|limit| {
            format!(
                " --limit {}",
                quote_word(&humantime::format_duration(limit).to_string())
            )
        });
        let config: String = table
            .config
            .iter()
            .map(|choice| format!(" --config {}", quote_word(choice)))
            .collect();
        let (seed, limit) = (leg.seed, limit.unwrap_or_default());
        format!(
            "leitai match {game} {first} {second} --seed {seed} --legs 1{limit}{config}{}",
            condition_options(table)
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
        self.bar.set_message(localized_text(step.step_title()));
        self.bar.tick();
    }

    fn on_progress(&mut self, step: CheckStep, round: u32, rounds: u32) {
        self.bar.set_message(format!(
            "{}   {} {round}/{rounds}",
            localized_text(step.step_title()),
            translate("round", "回合")
        ));
        self.bar.tick();
    }

    fn on_finding(&mut self, finding: &CheckFinding) {
        if !self.args.json {
            let command = finding.leg.as_ref().map(|leg| self.rerun_command(leg));
            // A reader that has gone away wants no more; the status says the rest.
            self.bar
                .suspend(|| {
                    files::print_stdout(&format!(
                        "{}\n",
                        format_finding(finding, command.as_deref())
                    ))
                })
                .unwrap_or_default();
        }
    }
}

/// A finding as people read it, with the command that shows a fault again.
pub fn format_finding(finding: &CheckFinding, command: Option<&str>) -> String {
    let mut lines: Vec<String> = clean_text(message_text(&finding.seen), Breaks::Kept)
        .lines()
        .map(str::to_owned)
        .collect();
    let quoted =
        |line: &String| format!("{}{}", translate("it said: ", "其输出："), clean_line(line));
    lines.extend(finding.last_words.iter().map(quoted));
    lines.extend(
        finding
            .next
            .as_ref()
            .map(|next| format!("→ {}", clean_line(message_text(next)))),
    );
    lines.extend(command.map(|command| format!("→ {}", clean_line(command))));
    let title = localized_text(finding.step.step_title());
    // A Chinese character is two columns wide.
    let wide: usize = title
        .chars()
        .map(|c| if c.is_ascii() { 1 } else { 2 })
        .sum();
    let gap = " ".repeat(32_usize.saturating_sub(wide));
    let indent = format!("\n{}", " ".repeat(34));
    format!(
        "{} {title}{gap}{}",
        result_sign(finding.mark),
        lines.join(&indent)
    )
    .trim_end()
    .to_owned()
}

fn message_text(words: &Message) -> &str {
    if translate("en", "zh") == "zh" {
        &words.zh
    } else {
        &words.en
    }
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
