//! What commands that play series say: progress, notices, results, what to do next.

use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use anyhow::bail;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_series::comparison::{VALUE_COLUMN, format_row};
use leitai_series::entrant::BuildNotice;
use leitai_series::run::VoidNotice;
use leitai_series::{GameRecord, Roster};

use crate::files;
use crate::lang::Localizer;
use crate::width::{wrap_message, wrap_sentence};

/// The exit status of a run interrupted by Ctrl-C or SIGTERM, as shells have it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;
/// The exit status of a series that stopped because its programs repeat the same games.
pub const NO_NEW_GAMES: u8 = 5;

/// How much is said on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume {
    /// Errors only.
    Quiet,
    /// Notices, and the progress now and then.
    Usual,
    /// The progress after every match or pair.
    Verbose,
}

static VOLUME: OnceLock<Volume> = OnceLock::new();

/// Sets how much is said, once.
pub fn set_volume(volume: Volume) {
    VOLUME.get_or_init(|| volume);
}

/// Whether errors only are wanted on stderr.
pub fn is_quiet() -> bool {
    volume() == Volume::Quiet
}

fn volume() -> Volume {
    VOLUME.get().copied().unwrap_or(Volume::Usual)
}

/// Prints a notice on stderr, unless errors only are wanted.
pub fn print_notice(line: &str) {
    if !is_quiet() {
        files::print_stderr(&wrap_message(line));
    }
}

/// Prints how an entrant was built.
pub fn print_build_notice(lang: Localizer, notice: &BuildNotice) {
    print_notice(&notice.to_line(lang));
}

/// Prints that a match could not be judged.
pub fn print_void_notice(lang: Localizer, notice: &VoidNotice) {
    print_notice(&notice.to_line(lang));
}

/// A progress bar on stderr; hidden if stderr is no terminal, or if a program reads the result.
pub fn progress_bar(quiet: bool) -> ProgressBar {
    let target = if quiet || is_quiet() {
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

/// If stderr is no terminal, prints the progress at intervals on separate lines; at every count where
/// that was asked for.
pub fn print_progress(bar: &ProgressBar, quiet: bool, count: u64, line: impl FnOnce() -> String) {
    match volume() {
        _ if quiet => {}
        Volume::Quiet => {}
        Volume::Verbose => bar.suspend(|| files::print_stderr(&line())),
        Volume::Usual if bar.is_hidden() && is_due(count) => files::print_stderr(&line()),
        Volume::Usual => {}
    }
}

/// Shows how far a series of pairs is: by the bar, or by separate lines.
pub fn show_pairs(lang: Localizer, bar: &ProgressBar, quiet: bool, count: u64, line: &str) {
    bar.set_position(count);
    bar.set_message(line.to_owned());
    print_progress(bar, quiet, count, || {
        wrap_sentence(&format!("{line}{}", describe_time_left(lang, bar, 0)), 2)
    });
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
    fn progress_is_reported_at_intervals() {
        let told: Vec<u64> = (0..=1000).filter(|number| is_round(*number)).collect();
        assert_eq!(told, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    }
}
