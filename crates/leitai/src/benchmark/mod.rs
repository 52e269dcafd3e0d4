//! `leitai benchmark`: a rating that others can repeat. `arena` has one played and signed elsewhere.

mod arena;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use leitai_series::naming;
use leitai_server::experiments::benchmark_file::{AuthorClaims, Comparison, ResultFile, Seeds};
use serde_json::{Value, json};

use crate::answer::print_answer;
use crate::arguments::usage_error;
use crate::cli::BenchmarkArgs;
use crate::files::{print_stderr, print_stdout};
use crate::lang::Localizer;
use crate::series::INTERRUPTED;
use report::describe;

/// What a measurement is made with.
struct Plan {
    game: String,
    bot: String,
    pairs: u64,
    limit: Option<Duration>,
    seeds: Seeds,
}

/// Measures a bot, or repeats a measurement.
pub fn run(lang: Localizer, args: &BenchmarkArgs) -> anyhow::Result<ExitCode> {
    if let Some(file) = &args.check {
        return arena::check(lang, args, file);
    }
    match (&args.repeat, &args.named[..]) {
        (None, [game, bot]) => measure(lang, args, game, bot),
        (Some(file), [bot]) => repeat(lang, args, file, bot),
        (None, _) => Err(usage_error(
            lang.label("name the game and the bot: leitai benchmark GAME BOT"),
        )),
        (Some(_), _) => Err(usage_error(
            lang.label("with --repeat name the bot alone: the file says which game it is"),
        )),
    }
}

fn measure(
    lang: Localizer,
    args: &BenchmarkArgs,
    game: &str,
    bot: &str,
) -> anyhow::Result<ExitCode> {
    if args
        .cost
        .is_some_and(|cost| !(cost.is_finite() && cost >= 0.0))
    {
        return Err(usage_error(
            lang.label("--cost is not a sum of money; write it as 1.20"),
        ));
    }
    let author = AuthorClaims {
        agent: args.agent.clone(),
        cost_usd: args.cost,
        tokens: args.tokens,
    };
    if args.on.is_some() {
        return arena::measure(lang, args, (game, bot), &author);
    }
    let plan = Plan {
        game: game.to_owned(),
        bot: bot.to_owned(),
        pairs: args.pairs,
        limit: args.limit,
        seeds: Seeds::draw(game, args.pairs),
    };
    print_stderr(&format!(
        "{} {}",
        lang.label("the seeds are committed to by SHA-256"),
        plan.seeds.commitment
    ));
    let Some(rated) = rate(args, &plan)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let result = ResultFile::new(&rated, args.pairs, plan.seeds, author)?;
    let name = naming::of_program(Path::new(bot));
    let usual = || PathBuf::from(format!("benchmark-{}-{name}.json", result.game));
    let out = args.out.clone().unwrap_or_else(usual);
    let text = serde_json::to_string_pretty(&result).expect("a result is plain data");
    fs::write(&out, text + "\n").with_context(|| format!("cannot write {}", out.display()))?;
    print_answer(args.json, &json!(result), || describe(lang, &result, &out))
}

fn repeat(
    lang: Localizer,
    args: &BenchmarkArgs,
    file: &Path,
    bot: &str,
) -> anyhow::Result<ExitCode> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    let before = ResultFile::parse(&text).with_context(|| name.clone())?;
    let plan = Plan {
        game: before.game.clone(),
        bot: bot.to_owned(),
        pairs: before.pairs_asked,
        limit: before.period_ms.map(Duration::from_millis),
        seeds: before.seeds.clone(),
    };
    let Some(rated) = rate(args, &plan)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let author = AuthorClaims::default();
    let again = ResultFile::new(&rated, plan.pairs, plan.seeds, author)?;
    ensure!(
        again.scale == before.scale && again.rules == before.rules,
        "{name} was measured on {} with the rules {}; this version has {} and {}",
        before.scale,
        before.rules,
        again.scale,
        again.rules
    );
    let found = before.compare(&again);
    let said = match found {
        Comparison::Same => lang.label("the same, game for game"),
        Comparison::WithinInterval => {
            lang.label("other games, and a rating within the interval of the file")
        }
        Comparison::Different => lang.label("a rating outside the interval of the file"),
    };
    match args.json {
        true => print_stdout(&format!(
            "{}\n",
            json!({"comparison": found, "before": before, "again": again})
        ))?,
        false => print_stdout(&format!(
            "{said}: {:.0} → {:.0}\n",
            before.rating, again.rating
        ))?,
    }
    Ok(match found {
        Comparison::Different => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

/// Plays: `leitai rate` with these seeds, which plays every pair that is asked for. `None` if it was
/// interrupted.
fn rate(args: &BenchmarkArgs, plan: &Plan) -> anyhow::Result<Option<Value>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["rate", "--json", "--precision=1"]);
    command.arg(format!("--max={}", plan.pairs));
    command.arg(format!("--seed={}", plan.seeds.first_seed));
    let isolation = args.isolation.to_possible_value();
    let isolation = isolation.expect("every isolation has a name");
    command.arg(format!("--isolation={}", isolation.get_name()));
    if let Some(limit) = plan.limit {
        command.arg(format!("--limit={}", humantime::format_duration(limit)));
    }
    if let Some(jobs) = args.jobs {
        command.arg(format!("--jobs={jobs}"));
    }
    command.args(["--", &plan.game, &plan.bot]);
    // Matches on other machines have other limits.
    command.env_remove("LEITAI_ON");
    let played = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?
        .wait_with_output()?;
    if played.status.code() == Some(i32::from(INTERRUPTED)) {
        return Ok(None);
    }
    let rated: Value = serde_json::from_slice(&played.stdout)
        .context("nothing was measured; the reason is above")?;
    match rated["error"].as_str() {
        Some(why) if played.status.code() == Some(2) => Err(usage_error(why.to_owned())),
        Some(why) => bail!("{why}"),
        None => Ok(Some(rated)),
    }
}
