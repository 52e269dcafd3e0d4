//! `leitai check GAME PROGRAM`

use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_game::clean::{Breaks, clean, clean_line};
use leitai_game::{AnyGame, Seat};
use leitai_judge::check::{Candidate, Finding, Leg, Mark, Report, Step, Watcher, Words, check};
use leitai_judge::{Connect, Player};
use serde_json::{Value, json};

use crate::again::{conditions, quoted};
use crate::ask::misused;
use crate::cli::{CheckArgs, ConnectArg};
use crate::cmd::r#match::{INTERRUPTED, limits, resources};
use crate::entrant::{self, Means, Who};
use crate::lang::{t, text};
use crate::{ask, files, isolation, stop, width};

/// Checks a program step by step.
pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let game = ask::game(&args.game)?;
    if !Who::Word(&args.program).is_program(game) {
        return Err(misused(t(
            "that is a bot of ours; give a program of yours",
            "这是内置 Bot；请给出你自己的程序",
        )));
    }
    if args.table.legs.is_some() || args.table.match_limit.is_some() {
        return Err(misused(t(
            "a check plays legs of its own: leave --legs and --match-limit away",
            "检查使用自己的对局：请去掉 --legs 和 --match-limit",
        )));
    }
    let sandbox = isolation::open(args.table.isolation, &mut files::say)?;
    let connect = if args.table.connect == ConnectArg::Tcp { Connect::Tcp } else { Connect::Stdio };
    let config = ask::config(game, &args.table.config)?;
    let mut told = Vec::new();
    let means = Means {
        config: &config,
        connect,
        sandbox: &sandbox,
        build_limit: args.table.build_limit,
        names_protocol: false,
    };
    let hear = &mut |line: &str| told.push(line.to_owned());
    let (player, _folders) = entrant::alone(game, &args.program, means, hear)?;
    let how = how(&player, &told);
    let seed = args.table.seed.unwrap_or(1);
    let (limits, resources) = (limits(game, &args.table, args.table.limit), resources(&args.table));
    let candidate = Candidate { game, config, seed, player, how, limits, resources, sandbox };
    let mut printer = Printer::new(args, seed);
    let report = check(&candidate, &mut printer, stop)?;
    printer.bar.finish_and_clear();
    let Some(report) = report else { return Ok(ExitCode::from(INTERRUPTED)) };
    match args.json {
        true => files::print(&format!("{}\n", printer.json(game, &report)))?,
        false => {
            let verdict = verdict(&candidate.player.name, &report);
            files::print(&format!("\n{}\n", width::wrap_sentence(&verdict, 0)))?;
        }
    }
    Ok(if report.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How it was built: what was told, without the name before it.
fn how(player: &Player, told: &[String]) -> String {
    let lines = told.iter().map(|line| line.strip_prefix(&player.name).unwrap_or(line).trim());
    let how = lines.collect::<Vec<_>>().join("\n");
    if how.is_empty() { t("nothing to build", "无需构建").to_owned() } else { how }
}

fn verdict(name: &str, report: &Report) -> String {
    let must = || report.steps.iter().filter(|finding| finding.step.must_pass());
    let (all, good) = (must().count(), must().filter(|finding| finding.mark.is_good()).count());
    if report.undecided {
        return match t("en", "zh") {
            "zh" => format!(
                "{name} 尚无结论：本机过于繁忙，{all} 个必须通过的步骤中只判定了 {good} 个（均通过）；请在机器空闲时重新检查"
            ),
            _ => format!(
                "nothing is decided about {name}: this machine was too busy, only {good} of the {all} steps that it must \
                 pass could be judged (it passed them); check again when the machine is idle"
            ),
        };
    }
    match (report.passed, t("en", "zh")) {
        (true, "zh") => format!("{name} 可以提交：{all} 个必须通过的步骤全部通过"),
        (false, "zh") => format!("{name} 还不能提交：{all} 个必须通过的步骤中通过了 {good} 个"),
        (true, _) => format!("{name} can be sent in: it passes all {all} steps that it must"),
        (false, _) => {
            format!("{name} cannot be sent in yet: it passes {good} of the {all} steps that it must")
        }
    }
}

/// Prints every finding as soon as there is one.
struct Printer<'a> {
    args: &'a CheckArgs,
    seed: u64,
    bar: ProgressBar,
}

impl Printer<'_> {
    fn new(args: &CheckArgs, seed: u64) -> Printer<'_> {
        let target = if args.json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("… {msg}").expect("a constant template"));
        Printer { args, seed, bar }
    }

    /// The command that shows a fault again.
    fn command(&self, leg: &Leg) -> String {
        let [game, program] = [&self.args.game, &self.args.program].map(|word| quoted(word));
        let [first, second] = match leg.seat {
            Seat::First => [program.as_str(), &leg.opponent],
            Seat::Second => [&leg.opponent, program.as_str()],
        };
        let table = &self.args.table;
        let limit = table
            .limit
            .map(|limit| format!(" --limit {}", quoted(&humantime::format_duration(limit).to_string())));
        let config: String =
            table.config.iter().map(|choice| format!(" --config {}", quoted(choice))).collect();
        let (seed, limit) = (leg.seed, limit.unwrap_or_default());
        format!(
            "leitai match {game} {first} {second} --seed {seed} --legs 1{limit}{config}{}",
            conditions(table)
        )
    }

    fn json(&self, game: &dyn AnyGame, report: &Report) -> Value {
        let step = |finding: &Finding| {
            let mut value = serde_json::to_value(finding).expect("a finding is plain data");
            value["must_pass"] = finding.step.must_pass().into();
            value["command"] = finding.leg.as_ref().map(|leg| self.command(leg)).into();
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

impl Watcher for Printer<'_> {
    fn begins(&mut self, step: Step) {
        self.bar.set_message(text(step.title()));
        self.bar.tick();
    }

    fn plays(&mut self, step: Step, round: u32, rounds: u32) {
        self.bar.set_message(format!("{}   {} {round}/{rounds}", text(step.title()), t("round", "回合")));
        self.bar.tick();
    }

    fn found(&mut self, finding: &Finding) {
        if !self.args.json {
            let command = finding.leg.as_ref().map(|leg| self.command(leg));
            // A reader that has gone away wants no more; the status says the rest.
            self.bar
                .suspend(|| files::print(&format!("{}\n", lines(finding, command.as_deref()))))
                .unwrap_or_default();
        }
    }
}

/// A finding as people read it, with the command that shows a fault again.
pub fn lines(finding: &Finding, command: Option<&str>) -> String {
    const INDENT: usize = 34;
    let wrap = |line: &str| width::wrap_sentence(line, INDENT);
    let mut lines: Vec<String> = clean(said(&finding.seen), Breaks::Kept).lines().map(wrap).collect();
    let quoted = |line: &String| wrap(&format!("{}{}", t("it said: ", "其输出："), clean_line(line)));
    lines.extend(finding.last_words.iter().map(quoted));
    lines.extend(finding.next.as_ref().map(|next| wrap(&format!("→ {}", clean_line(said(next))))));
    let arrow = |command| format!("→ {}", width::wrap_command(&clean_line(command), INDENT + 2));
    lines.extend(command.map(arrow));
    let title = text(finding.step.title());
    // A Chinese character is two columns wide.
    let wide: usize = title.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    let gap = " ".repeat(32_usize.saturating_sub(wide));
    let indent = format!("\n{}", " ".repeat(INDENT));
    format!("{} {title}{gap}{}", sign(finding.mark), lines.join(&indent)).trim_end().to_owned()
}

fn said(words: &Words) -> &str {
    if t("en", "zh") == "zh" { &words.zh } else { &words.en }
}

fn sign(mark: Mark) -> char {
    match mark {
        Mark::Passed => '✓',
        Mark::Failed => '✗',
        Mark::Warned => '!',
        Mark::Noted => 'i',
        Mark::Skipped => '-',
    }
}
