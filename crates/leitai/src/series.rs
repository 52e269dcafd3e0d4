//! Common parts of the commands that play series: options, where they are played, progress, notices.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::bail;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_batch::{AskOptions, Batch, BatchListener, PackedProgram, PreparedBatch};
use leitai_game::{AnyGame, GameHandle};
use leitai_judge::{RefereeLimits, Transport};
use leitai_sandbox::{Sandbox, SandboxLimits, Tier};
use leitai_series::comparison::{VALUE_COLUMN, format_row};
use leitai_series::entrant::BuildNotice;
use leitai_series::run::{Series, VoidNotice};
use leitai_series::{
    EntrantRequest, GameRecord, MatchOptions, Roster, entrant, naming, play_series,
    play_series_with, worker_count,
};

use crate::cli::{ConnectArg, MatchOptionArgs, SeriesArgs};
use crate::lang::Localizer;
use crate::remote::pack::pack_source;
use crate::width::wrap_sentence;
use crate::{arguments, build_cache, files, isolation};

/// The exit status of a run interrupted by Ctrl-C or SIGTERM, as shells have it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;
/// The exit status of a series that stopped because its programs repeat the same games.
pub const NO_NEW_GAMES: u8 = 5;

/// The options of every match, without a sandbox.
pub fn match_options(game: &dyn AnyGame, args: &MatchOptionArgs) -> anyhow::Result<MatchOptions> {
    Ok(MatchOptions {
        config: arguments::read_config(game, &args.config)?,
        legs: args.legs.map_or(game.meta().legs, usize::from),
        limits: referee_limits(game, args),
        resources: sandbox_limits(args),
        transport: match args.connect {
            ConnectArg::Stdio => Transport::Stdio,
            ConnectArg::Tcp => Transport::Tcp,
        },
        sandbox: Sandbox::without_isolation(),
        build_limit: args.build_limit,
        build_cache: None,
        leitai: std::env::current_exe()?,
        debug_info: false,
    })
}

/// Opens the requested sandbox and the build cache, if a program will run.
pub fn open_sandbox(
    lang: Localizer,
    options: &mut MatchOptions,
    args: &MatchOptionArgs,
    has_programs: bool,
) -> anyhow::Result<()> {
    if has_programs {
        options.sandbox = isolation::open_sandbox(lang, args.isolation, &mut files::print_stderr)?;
        check_processes(options.sandbox.tier(), args.processes)?;
        options.build_cache = build_cache::open_cache(lang, &mut files::print_stderr);
    }
    Ok(())
}

/// Refuses a limit under which no program starts: in tiers A and B the sandbox itself is one of the
/// processes.
fn check_processes(tier: Tier, processes: u32) -> anyhow::Result<()> {
    if processes < 2 && matches!(tier, Tier::A | Tier::B) {
        return Err(arguments::usage_error(format!(
            "--processes {processes}: isolation {tier} needs one process for the sandbox itself; \
            allow 2 or more"
        )));
    }
    Ok(())
}

/// The entrants of a series, ready to play here or on the workers of a bus.
pub struct ReadySeries {
    /// The entrants.
    pub roster: Roster,
    batch: Option<PreparedBatch>,
    jobs: Option<usize>,
}

impl ReadySeries {
    /// Builds the entrants; notices go to stderr. `folder` is where an interrupted series continues.
    /// Returns `None` if it was interrupted.
    pub fn prepare(
        lang: Localizer,
        game: &GameHandle,
        asked: &[EntrantRequest],
        args: &SeriesArgs,
        folder: Option<&Path>,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<ReadySeries>> {
        let jobs = args.jobs.map(usize::from);
        let Some(bus) = &args.on else {
            let roster = build_roster(lang, game, asked, &args.options)?;
            return Ok(Some(ReadySeries {
                roster,
                batch: None,
                jobs,
            }));
        };
        let options = match_options(&**game, &args.options)?;
        let mut roster = Roster::list_entrants(game, asked, &options)?;
        let ask = AskOptions {
            bus,
            folder,
            at_once: jobs,
        };
        let tell: BatchListener =
            Arc::new(move |notice| files::print_stderr(&notice.to_line(lang)));
        let batch = Batch::open(&ask, tell)?;
        let pack = |index: usize| pack_program(&**game, &asked[index].word);
        let prepared = batch.prepare(&mut roster, &pack, stop)?;
        Ok(prepared.map(|batch| ReadySeries {
            roster,
            batch: Some(batch),
            jobs,
        }))
    }

    /// Plays a series of these entrants to its end. Returns false if it was interrupted.
    pub fn play(
        &self,
        lang: Localizer,
        series: &mut impl Series,
        stop: &AtomicBool,
    ) -> anyhow::Result<bool> {
        let mut notify = |notice: &VoidNotice| print_void_notice(lang, notice);
        let Some(batch) = &self.batch else {
            let workers = worker_count(self.jobs, &self.roster);
            return play_series(series, &self.roster, workers, stop, &mut notify);
        };
        let ended = play_series_with(series, &batch.player(&self.roster), stop, &mut notify)?;
        batch.close(ended);
        Ok(ended)
    }
}

/// The program of a word, for workers.
fn pack_program(game: &dyn AnyGame, word: &str) -> anyhow::Result<PackedProgram> {
    let (prefix, path) = entrant::locate_program(game, word)?;
    let packed = pack_source(path)?;
    Ok(PackedProgram {
        file_name: packed.file_name,
        bytes: packed.bytes,
        prefix: prefix.map(str::to_owned),
    })
}

/// Builds the entrants of a series on this machine; notices go to stderr.
pub fn build_roster(
    lang: Localizer,
    game: &GameHandle,
    asked: &[EntrantRequest],
    args: &MatchOptionArgs,
) -> anyhow::Result<Roster> {
    let mut options = match_options(&**game, args)?;
    let is_program =
        |one: &EntrantRequest| !entrant::is_built_in(&**game, naming::split_name(&one.word).1);
    open_sandbox(lang, &mut options, args, asked.iter().any(is_program))?;
    Roster::build_entrants(game, asked, &options, &mut |notice| {
        print_build_notice(lang, notice)
    })
}

/// Prints how an entrant was built.
pub fn print_build_notice(lang: Localizer, notice: &BuildNotice) {
    files::print_stderr(&notice.to_line(lang));
}

/// Prints that a match could not be judged.
pub fn print_void_notice(lang: Localizer, notice: &VoidNotice) {
    files::print_stderr(&notice.to_line(lang));
}

/// The limits of programs that the referee enforces.
fn referee_limits(game: &dyn AnyGame, args: &MatchOptionArgs) -> RefereeLimits {
    let meta = game.meta();
    let message = args.message.and_then(|bytes| usize::try_from(bytes).ok());
    RefereeLimits {
        start: args.start_limit,
        total: args.match_limit,
        waiting: args.wait_limit,
        pondering: args.pondering,
        bot_threads: args.threads,
        log: usize::try_from(args.log).unwrap_or(usize::MAX),
        ..RefereeLimits::new(
            args.limit.unwrap_or(meta.period_limit),
            message.unwrap_or(meta.message_limit),
        )
    }
}

/// The limits of programs that the sandbox enforces.
fn sandbox_limits(args: &MatchOptionArgs) -> SandboxLimits {
    SandboxLimits {
        memory: Some(args.memory),
        processes: Some(args.processes),
        open_files: Some(args.open_files),
        file: Some(args.file_size),
        disk: Some(args.disk),
        ..SandboxLimits::BOT
    }
}

/// A progress bar on stderr; hidden if stderr is no terminal, or if a program reads the result.
pub fn progress_bar(quiet: bool) -> ProgressBar {
    let target = if quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(Some(1), target);
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}  {eta}")
        .expect("a constant template");
    bar.set_style(style.progress_chars("━╸─"));
    bar
}

/// If stderr is no terminal, prints the progress at intervals on separate lines.
pub fn print_progress(bar: &ProgressBar, quiet: bool, count: u64, line: impl FnOnce() -> String) {
    if !quiet && bar.is_hidden() && is_due(count) {
        files::print_stderr(&line());
    }
}

/// How long it goes on, for the end of a line, at the pace since this run began with `before`; empty
/// if that cannot be told.
pub fn describe_time_left(lang: Localizer, bar: &ProgressBar, before: u64) -> String {
    let done = bar.position().saturating_sub(before);
    let open = bar.length().unwrap_or(0).saturating_sub(bar.position());
    let left = bar.elapsed().as_secs_f64() * open as f64 / done.max(1) as f64;
    if done == 0 || left < 1.0 {
        return String::new();
    }
    let left = humantime::format_duration(Duration::from_secs(left as u64));
    lang.fill("  about {} left", &[&left])
}

/// Whether to print a line: at round numbers, and else once a minute.
fn is_due(count: u64) -> bool {
    const EVERY: Duration = Duration::from_secs(60);
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let mut last = LAST.lock().expect("nothing panics while it is held");
    let is_due = is_round(count) || last.is_some_and(|last| last.elapsed() >= EVERY);
    if is_due {
        *last = Some(Instant::now());
    }
    is_due
}

/// 1, 2, 5, 10, 20, 50, …
fn is_round(number: u64) -> bool {
    number > 0 && {
        let unit = 10u64.pow(number.ilog10());
        number.is_multiple_of(unit) && matches!(number / unit, 1 | 2 | 5)
    }
}

/// A result in lines of a label and a value, as wide as the output.
pub fn format_rows(rows: &[(&str, String)]) -> String {
    rows.iter()
        .map(|(label, value)| format_row(label, &wrap_sentence(value, VALUE_COLUMN)))
        .collect()
}

/// Refuses a roster with a program that cannot play.
pub fn refuse_broken(lang: Localizer, roster: &Roster, advice: &str) -> anyhow::Result<()> {
    match roster.first_broken() {
        None => Ok(()),
        Some(broken) => bail!("{} {}; {advice}", broken.name, lang.say(&broken.why)),
    }
}

/// The result of a series of pairs, as text for people.
pub struct PairReport<'a> {
    /// Lines of a label and a value.
    pub rows: Vec<(&'static str, String)>,
    /// What is to be said about void pairs.
    pub void_text: String,
    /// The replay of a lost game.
    pub lost_replay: Option<&'a str>,
}

impl PairReport<'_> {
    /// Prints the result, and what to do next.
    pub fn print(&self, lang: Localizer, folder: Option<&Path>, ended: bool) -> anyhow::Result<()> {
        files::print_stdout(&format_rows(&self.rows))?;
        files::print_stdout(&self.void_text)?;
        files::print_stdout(&next_steps(lang, self.lost_replay, folder, ended))
    }
}

/// What to do after a series whose games may be in a folder: how to continue an interrupted one,
/// how to watch a lost game.
pub fn next_steps(
    lang: Localizer,
    lost_replay: Option<&str>,
    folder: Option<&Path>,
    ended: bool,
) -> String {
    let mut lines = Vec::new();
    match folder {
        Some(folder) if !ended => lines.push(format!(
            "{} {}",
            lang.label("interrupted; run the same command to continue from"),
            folder.display()
        )),
        None if !ended => lines.push(
            lang.label(
                "interrupted; nothing was kept (with --folder FOLDER you can continue later)",
            )
            .to_owned(),
        ),
        _ => {}
    }
    if let (Some(folder), Some(lost)) = (folder, lost_replay) {
        lines.push(format!(
            "{}{}leitai replay show {}",
            lang.label("watch a lost game"),
            lang.label(": "),
            folder.join(lost).display()
        ));
    }
    lines
        .into_iter()
        .map(|line| format!("{}\n", wrap_sentence(&line, 2)))
        .collect()
}

/// `space 1 : 0 safe`
pub fn format_game(names: &[String], game: &GameRecord) -> String {
    let [a, b] = game.pair.map(|player| &names[player]);
    let result = ["0 : 1", "½ : ½", "1 : 0"][game.score().half_points() as usize];
    format!("{a} {result} {b}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_limit_under_which_nothing_starts_is_refused() {
        let check = |tier: Tier, processes: u32, is_fine: bool| {
            let checked = check_processes(tier, processes);
            assert_eq!(checked.is_ok(), is_fine, "{tier} {processes}");
        };
        check(Tier::A, 1, false);
        check(Tier::B, 1, false);
        check(Tier::A, 2, true);
        check(Tier::C, 1, true);
        check(Tier::None, 1, true);
    }

    #[test]
    fn progress_is_reported_at_intervals() {
        let told: Vec<u64> = (0..=1000).filter(|number| is_round(*number)).collect();
        assert_eq!(told, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    }
}
