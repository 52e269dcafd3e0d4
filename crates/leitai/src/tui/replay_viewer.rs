//! The replay viewer in the terminal: play, pause, step, seek, speed. Output that is not a terminal
//! gets one position as plain text.

mod screen;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use leitai_game::render::Key;
use leitai_game::replay::Replay;
use leitai_game::{AnyGame, AnySetup, Perspective, Seat};

use super::paint::Palette;
use super::recorded_leg::RecordedLeg;
use super::seek::{PlaybackSpeed, Seek, seek_moment};
use super::window::{KeyPress, TerminalScreen, Window, is_terminal};
use crate::files;
use crate::lang::Localizer;

/// The redraw interval while the leg runs, and while it is paused.
const FRAME: Duration = Duration::from_millis(33);
const IDLE: Duration = Duration::from_secs(1);
/// The most log lines for one period.
const LOG_LINES: usize = 100;

/// Shows a replay from this leg (from 0) and round on, until the user leaves. `doubt` says why it
/// is not trustworthy.
pub fn run(
    lang: Localizer,
    game: &dyn AnyGame,
    replay: &Replay,
    leg: usize,
    round: u32,
    doubt: Option<String>,
) -> anyhow::Result<()> {
    let mut viewer = ReplayViewer {
        doubt,
        ..ReplayViewer::new(lang, game, replay, leg, round)?
    };
    if !is_terminal() {
        return files::print_stdout(&viewer.plain_text());
    }
    let mut screen = TerminalScreen::open_terminal().context("cannot use the terminal")?;
    viewer
        .run_viewer(&mut screen)
        .context("the terminal is gone")
}

/// The state of the viewer.
struct ReplayViewer<'a> {
    lang: Localizer,
    game: &'a dyn AnyGame,
    replay: &'a Replay,
    setup: Arc<dyn AnySetup>,
    recorded_legs: Vec<Option<RecordedLeg<'a>>>,
    verdict: Option<String>,
    /// Why the replay is not trustworthy, if it is not.
    doubt: Option<String>,
    leg: usize,
    at: usize,
    pace: PlaybackSpeed,
    perspective: Perspective,
    ahead: u32,
    /// The typed digits of a round to seek to.
    typed: Option<String>,
    help: bool,
    palette: Palette,
    quit: bool,
}

impl<'a> ReplayViewer<'a> {
    fn new(
        lang: Localizer,
        game: &'a dyn AnyGame,
        replay: &'a Replay,
        leg: usize,
        round: u32,
    ) -> anyhow::Result<ReplayViewer<'a>> {
        let setup = game
            .read_setup(&replay.setup)
            .context("the replay's setup cannot be used")?;
        let mut viewer = ReplayViewer {
            lang,
            game,
            replay,
            setup,
            recorded_legs: replay.legs.iter().map(|_| None).collect(),
            verdict: None,
            doubt: None,
            leg,
            at: 0,
            pace: PlaybackSpeed::default(),
            perspective: Perspective::All,
            ahead: 0,
            typed: None,
            help: false,
            palette: Palette::from_environment(),
            quit: false,
        };
        viewer.load_leg(leg);
        viewer.seek_to(Seek::Round(round));
        Ok(viewer)
    }

    fn load_leg(&mut self, leg: usize) {
        if self.recorded_legs[leg].is_none() {
            self.recorded_legs[leg] = Some(RecordedLeg::new(&*self.setup, &self.replay.legs[leg]));
        }
        if leg + 1 == self.recorded_legs.len() && self.verdict.is_none() {
            (0..leg).for_each(|leg| self.load_leg(leg));
            self.verdict = self
                .replay
                .verdict
                .as_ref()
                .map(|recorded| self.verdict_line(recorded));
        }
    }

    fn current_recording(&self) -> &RecordedLeg<'a> {
        self.recorded_legs[self.leg]
            .as_ref()
            .expect("a leg is loaded before it is chosen")
    }

    fn run_viewer(&mut self, window: &mut dyn Window) -> std::io::Result<()> {
        let mut last = Instant::now();
        while !self.quit {
            let moment = self.current_recording().load_moment(self.at);
            window.draw_frame(&mut |frame| self.draw_frame(frame, &moment))?;
            let wait = if self.pace.playing { FRAME } else { IDLE };
            if let Some(press) = window.read_press(wait)? {
                self.handle_press(press);
            }
            let now = Instant::now();
            self.pass_time(now - last);
            last = now;
        }
        Ok(())
    }

    /// Advances a running leg; it stops at its end.
    fn pass_time(&mut self, time: Duration) {
        let last = self.current_recording().last_moment();
        self.at = last.min(self.at + self.pace.steps_due(time));
        self.pace.playing &= self.at < last;
    }

    fn seek_to(&mut self, how: Seek) {
        self.at = seek_moment(&self.current_recording().rounds, self.at, how);
    }

    fn handle_press(&mut self, press: KeyPress) {
        if self.help {
            self.help = press == KeyPress::Resized;
            self.quit = press == KeyPress::Interrupt;
            return;
        }
        if self.typed.is_some() && self.type_round(press) {
            return;
        }
        match press {
            KeyPress::Escape | KeyPress::Interrupt => self.quit = true,
            KeyPress::Tab => self.next_leg(),
            KeyPress::Home => self.seek_to(Seek::Start),
            KeyPress::End => self.seek_to(Seek::End),
            KeyPress::PageUp => self.seek_to(Seek::Rounds(-10)),
            KeyPress::PageDown => self.seek_to(Seek::Rounds(10)),
            KeyPress::Key(key) => self.handle_key(key),
            KeyPress::Enter | KeyPress::Backspace | KeyPress::Resized => {}
        }
    }

    fn handle_key(&mut self, key: Key) {
        match key {
            Key::Right => self.seek_to(Seek::Rounds(1)),
            Key::Left => self.seek_to(Seek::Rounds(-1)),
            Key::Char('.' | '>') => self.seek_to(Seek::NextStep),
            Key::Char(',' | '<') => self.seek_to(Seek::PreviousStep),
            Key::Char(' ') => self.play_or_pause(),
            Key::Char(digit @ '1'..='5') => self.pace.set_speed(usize::from(digit as u8 - b'0')),
            Key::Char('g') => self.typed = Some(String::new()),
            Key::Char('l') => self.next_leg(),
            Key::Char('f') => self.perspective = next_perspective(self.perspective),
            Key::Char('+' | '=') => self.ahead = (self.ahead + 1).min(self.setup.max_rounds()),
            Key::Char('-' | '_') => self.ahead = self.ahead.saturating_sub(1),
            Key::Char('?' | 'h') => self.help = true,
            Key::Char('q') => self.quit = true,
            _ => {}
        }
    }

    /// Toggles playback; at the end it starts from the beginning.
    fn play_or_pause(&mut self) {
        if !self.pace.playing && self.at == self.current_recording().last_moment() {
            self.at = 0;
        }
        self.pace.toggle_running();
    }

    fn next_leg(&mut self) {
        let leg = (self.leg + 1) % self.recorded_legs.len();
        self.load_leg(leg);
        (self.leg, self.at, self.pace.playing) = (leg, 0, false);
    }

    /// Handles a key while a round is typed; returns whether it was used.
    fn type_round(&mut self, press: KeyPress) -> bool {
        let Some(typed) = &mut self.typed else {
            return false;
        };
        match press {
            KeyPress::Key(Key::Char(digit @ '0'..='9')) if typed.len() < 7 => typed.push(digit),
            KeyPress::Backspace => drop(typed.pop()),
            KeyPress::Enter => {
                let round = typed.parse().ok();
                self.typed = None;
                if let Some(round) = round {
                    self.seek_to(Seek::Round(round));
                }
            }
            KeyPress::Resized => {}
            KeyPress::Escape => self.typed = None,
            _ => {
                self.typed = None;
                return false;
            }
        }
        true
    }
}

fn next_perspective(perspective: Perspective) -> Perspective {
    match perspective {
        Perspective::All => Perspective::Seat(Seat::First),
        Perspective::Seat(Seat::First) => Perspective::Seat(Seat::Second),
        Perspective::Seat(Seat::Second) => Perspective::All,
    }
}

/// `first` or `second`.
pub fn seat_name(lang: Localizer, seat: Seat) -> &'static str {
    match seat {
        Seat::First => lang.label("first"),
        Seat::Second => lang.label("second"),
    }
}

#[cfg(test)]
mod tests;
