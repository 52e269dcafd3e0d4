//! The progress line of a match: round, scores, time used. Nothing is drawn unless stderr is a
//! terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_game::clean_text::{Breaks, clean_line, clean_text};
use leitai_game::replay::{LegRecord, RerunRecord};
use leitai_game::{AnyLeg, ByEntrant, Entrant};
use leitai_judge::{MatchObserver, MatchProgress};

use crate::files;
use crate::lang::Localizer;
use crate::outcome::leg_line;
use crate::series::is_quiet;
use crate::wording::rerun_line;

/// The shortest interval between two redraws.
const REDRAW: Duration = Duration::from_millis(80);

/// Draws a match's progress on stderr and prints how every leg ended.
pub struct ProgressLine {
    lang: Localizer,
    names: ByEntrant<String>,
    legs: usize,
    rounds: u32,
    bar: ProgressBar,
    drawn: Option<Instant>,
    quiet: bool,
}

impl ProgressLine {
    /// A progress line for a match between these names with this number of legs and rounds. `quiet`
    /// prints nothing.
    pub fn new(
        lang: Localizer,
        names: ByEntrant<String>,
        legs: usize,
        rounds: u32,
        quiet: bool,
    ) -> ProgressLine {
        let quiet = quiet || is_quiet();
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(rounds.into()), target);
        let style =
            ProgressStyle::with_template("{prefix} {bar:24} {msg}").expect("a constant template");
        bar.set_style(style.progress_chars("━╸─"));
        ProgressLine {
            lang,
            names,
            legs,
            rounds,
            bar,
            drawn: None,
            quiet,
        }
    }

    /// Prints a line above the progress line.
    fn print_line(&self, line: &str) {
        match (self.quiet, self.bar.is_hidden()) {
            (true, _) => {}
            (false, true) => files::print_stderr(line),
            (false, false) => self.bar.println(clean_text(line, Breaks::Kept)),
        }
    }

    fn leg_prefix(&self, index: usize) -> String {
        self.lang.fill("leg {} of {}", &[&(index + 1), &self.legs])
    }

    fn format_progress(&self, progress: &MatchProgress<'_>) -> String {
        let scores = progress.leg.scores();
        let score = |entrant: Entrant| scores[entrant.seat_in_leg(progress.index)];
        let slow = |entrant: Entrant| progress.slowest[entrant].describe_times();
        format!(
            "{} {}/{}   {} {} : {} {}   {} {} : {}",
            self.lang.label("round"),
            progress.leg.round(),
            self.rounds,
            self.names[Entrant::A],
            score(Entrant::A),
            score(Entrant::B),
            self.names[Entrant::B],
            self.lang.label("slowest turn"),
            slow(Entrant::A),
            slow(Entrant::B),
        )
    }
}

impl MatchObserver for ProgressLine {
    fn on_progress(&mut self, progress: &MatchProgress<'_>) {
        if self.bar.is_hidden() || self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW) {
            return;
        }
        self.drawn = Some(Instant::now());
        self.bar.set_prefix(self.leg_prefix(progress.index));
        self.bar
            .set_message(clean_line(&self.format_progress(progress)).into_owned());
        self.bar.set_position(progress.leg.round().into());
    }

    fn leg_again(&mut self, index: usize, why: &RerunRecord) {
        self.print_line(&format!(
            "{}  {}",
            self.leg_prefix(index),
            rerun_line(self.lang, &self.names, why)
        ));
    }

    fn leg_over(&mut self, index: usize, record: &LegRecord, leg: &dyn AnyLeg) {
        self.drawn = None;
        self.print_line(&format!(
            "{}  {}",
            self.leg_prefix(index),
            leg_line(self.lang, &self.names, index, record, leg)
        ));
        if index + 1 == self.legs || leg.outcome().is_none() {
            self.bar.finish_and_clear();
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
