//! The replay viewer in the terminal: play, pause, step, seek, speed. Output that is not a terminal
//! gets one position as plain text.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use leitai_game::clean_text::{Breaks, clean_line, clean_text};
use leitai_game::render::{Key, RenderOptions, Rendering};
use leitai_game::replay::{OutcomeRecord, Replay, VerdictRecord};
use leitai_game::{AnyGame, AnyLeg, AnySetup, Perspective, Seat, Verdict};
use leitai_judge::Spent;
use ratatui::Frame;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use serde_json::Value;

use super::events;
use super::layout::{self, ScreenLayout, TextBlock};
use super::paint::{self, Palette, heading_line};
use super::recorded_leg::{LegMoment, RecordedLeg, RecordedReply};
use super::seek::{PlaybackSpeed, Seek, seek_moment};
use super::window::{KeyPress, TerminalScreen, Window, is_terminal};
use crate::files;
use crate::lang::Localizer;
use crate::outcome::fault_line;

/// The redraw interval while the leg runs, and while it is paused.
const FRAME: Duration = Duration::from_millis(33);
const IDLE: Duration = Duration::from_secs(1);
/// The most log lines for one period.
const LOG_LINES: usize = 100;

/// Shows a replay from this leg (from 0) and round on, until the user leaves. `doubt` says why it
/// is not trustworthy.
pub fn run(
    lang: Localizer,
    game: &'static dyn AnyGame,
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

/// Drawing.
impl ReplayViewer<'_> {
    fn render_options(&self) -> RenderOptions {
        RenderOptions {
            perspective: self.perspective,
            ahead: self.ahead,
        }
    }

    /// Renders the position with marks of the events of the step that led to it.
    fn render_moment(&self, moment: &LegMoment) -> Rendering {
        let mut rendering = moment.leg.render_position(&self.render_options());
        events::mark_cells(
            &mut rendering,
            self.game.axis_labels(),
            self.perspective,
            &moment.events,
        );
        rendering
    }

    /// The events of the step that the perspective may know.
    fn visible_events(&self, moment: &LegMoment) -> Vec<Value> {
        if self.game.is_open() {
            return moment.events.clone();
        }
        let (rendering, axes) = (
            moment.leg.render_position(&self.render_options()),
            self.game.axis_labels(),
        );
        let seen = moment
            .events
            .iter()
            .filter(|event| events::is_visible(&rendering, axes, self.perspective, event));
        seen.cloned().collect()
    }

    fn draw_frame(&self, frame: &mut Frame<'_>, moment: &LegMoment) {
        let rendering = self.render_moment(moment);
        let area = frame.area();
        if let Some(lines) = layout::too_small(self.lang, area, &rendering) {
            return layout::draw_lines(frame, area, lines);
        }
        let ScreenLayout {
            head,
            board,
            side,
            far,
            foot,
        } = layout::lay_out(frame.area(), &rendering, 3);
        layout::draw_lines(frame, head, self.head_lines(&*moment.leg));
        layout::draw_lines(
            frame,
            board,
            paint::draw_board(&rendering, self.game.axis_labels(), self.palette),
        );
        let panel = TextBlock {
            lines: paint::draw_panel(self.lang, &rendering, self.palette),
            least: 4,
        };
        let wide = if far.width == 0 {
            side.width
        } else {
            far.width
        };
        let mut texts = vec![
            self.doubt_block(wide),
            self.end_block(moment, wide),
            self.last_step(moment, wide),
            self.log_block(moment, wide),
        ];
        if far.width == 0 {
            texts.insert(2, panel);
            layout::draw_lines(frame, side, layout::stack_blocks(texts, side.height));
        } else {
            layout::draw_lines(frame, side, layout::stack_blocks(vec![panel], side.height));
            layout::draw_lines(frame, far, layout::stack_blocks(texts, far.height));
        }
        layout::draw_lines(frame, foot, self.foot_lines(usize::from(foot.width)));
        if self.help {
            layout::draw_over(frame, help_lines(self.lang));
        }
    }

    fn head_lines(&self, leg: &dyn AnyLeg) -> Vec<Line<'static>> {
        let scores = leg.scores();
        let name = |seat| format!("{} ({})", self.seat_name(seat), seat_name(self.lang, seat));
        let (first, second) = (name(Seat::First), name(Seat::Second));
        let (left, right) = (scores[Seat::First], scores[Seat::Second]);
        let who = Line::styled(
            format!("{first}  {left} : {right}  {second}"),
            Modifier::BOLD,
        );
        let perspective = match self.perspective {
            Perspective::All => self.lang.label("all").to_owned(),
            Perspective::Seat(seat) => {
                format!("{} ({})", self.seat_name(seat), seat_name(self.lang, seat))
            }
        };
        let mut parts = vec![
            format!(
                "{} {}/{}",
                self.lang.label("leg"),
                self.leg + 1,
                self.recorded_legs.len()
            ),
            format!(
                "{} {}/{}",
                self.lang.label("round"),
                leg.round(),
                self.setup.max_rounds()
            ),
            format!("{} {}", self.lang.label("seen by"), perspective),
        ];
        if self.ahead > 0 {
            parts.push(format!(
                "{} +{}",
                self.lang.label("looking ahead"),
                self.ahead
            ));
        }
        vec![
            who,
            Line::styled(parts.join("   "), self.palette.faint_style()),
        ]
    }

    fn seat_name(&self, seat: Seat) -> &str {
        &self.replay.entrants[seat.entrant_in_leg(self.leg)].name
    }

    /// Describes the step that led here.
    fn last_step(&self, moment: &LegMoment, wide: u16) -> TextBlock<'static> {
        let texts = |seat: Seat| {
            self.game.is_open()
                || self.perspective == Perspective::All
                || self.perspective == Perspective::Seat(seat)
        };
        let said = moment.last.iter_pairs().filter(|(seat, _)| texts(*seat));
        let said = said.filter_map(|(seat, said)| Some((seat, said.as_ref()?)));
        let mut lines: Vec<Line<'static>> = said
            .flat_map(|(seat, said)| self.reply_lines(seat, said, wide))
            .collect();
        let texts = events::describe_events(&self.visible_events(moment));
        lines.extend(
            texts
                .iter()
                .flat_map(|line| layout::fold_text(line, wide))
                .map(Line::raw),
        );
        TextBlock { lines, least: 4 }
    }

    fn reply_lines(&self, seat: Seat, said: &RecordedReply, wide: u16) -> Vec<Line<'static>> {
        let what = match &said.reply {
            Ok(action) => match events::action_label(self.lang, self.game, seat, action) {
                label if label == action => format!("{}: {action}", self.seat_name(seat)),
                label => format!("{}: {label} [{action}]", self.seat_name(seat)),
            },
            Err(fault) => format!(
                "{}: {} {}",
                self.seat_name(seat),
                events::FAULT,
                fault.code()
            ),
        };
        let time = said.spent.map_or_else(String::new, |spent| {
            format!("   {}", time_words(self.lang, &spent))
        });
        let folded = layout::fold_text(&what, wide);
        let mut lines: Vec<Line<'static>> = folded
            .into_iter()
            .map(|line| Line::styled(line, Modifier::BOLD))
            .collect();
        let time = Span::styled(time, self.palette.faint_style());
        match lines.last_mut() {
            Some(last) if last.width() + time.width() <= usize::from(wide) => last.push_span(time),
            _ => lines.push(Line::from(time)),
        }
        lines
    }

    /// The stderr output of the bots in this period.
    fn log_block(&self, moment: &LegMoment, wide: u16) -> TextBlock<'static> {
        let record = &self.replay.legs[self.leg];
        let now = record.logs.iter().filter(|log| log.period == moment.period);
        let mut lines = Vec::new();
        for log in now {
            let name = &self.replay.entrants[log.entrant].name;
            lines.push(heading_line(&format!(
                "{} {name}",
                self.lang.label("log of")
            )));
            let text = clean_text(&log.text, Breaks::Kept);
            let text = text
                .lines()
                .take(LOG_LINES)
                .flat_map(|line| layout::fold_text(&shorten_line(line), wide));
            lines.extend(text.map(Line::raw));
        }
        TextBlock { lines, least: 4 }
    }

    /// Explains why the replay is not trustworthy.
    fn doubt_block(&self, wide: u16) -> TextBlock<'static> {
        let texts = self
            .doubt
            .iter()
            .flat_map(|why| layout::fold_text(&format!("! {why}"), wide));
        let lines: Vec<Line<'static>> = texts
            .map(|line| Line::styled(line, Modifier::BOLD))
            .collect();
        TextBlock {
            least: lines.len().min(4),
            lines,
        }
    }

    /// The results of leg and match, or the error at which replaying stopped.
    fn end_block(&self, moment: &LegMoment, wide: u16) -> TextBlock<'static> {
        let mut lines = Vec::new();
        if self.at == self.current_recording().last_moment() {
            let texts = self.end_lines(&*moment.leg);
            let texts = texts.iter().flat_map(|line| layout::fold_text(line, wide));
            lines.extend(texts.map(|line| Line::styled(line, Modifier::BOLD)));
        }
        let least = lines.len();
        TextBlock { lines, least }
    }

    fn end_lines(&self, leg: &dyn AnyLeg) -> Vec<String> {
        let recorded_leg = self.current_recording();
        if let Some(why) = &recorded_leg.stopped {
            let (so_far, stop) = (
                self.lang.label("the rest cannot be played"),
                recorded_leg.last_moment(),
            );
            return vec![format!(
                "! {so_far}: {why} ({} {stop})",
                self.lang.label("played steps:")
            )];
        }
        let record = &self.replay.legs[self.leg];
        let names = self
            .replay
            .entrants
            .each_ref()
            .map_values(|entrant| entrant.name.clone());
        let Some(outcome) = leg.outcome() else {
            return vec![self.lang.label("interrupted here").to_owned()];
        };
        let winner = match outcome.winner {
            Some(seat) => {
                format!(
                    "{} ({}) {}",
                    self.seat_name(seat),
                    seat_name(self.lang, seat),
                    self.lang.label("wins the leg")
                )
            }
            None => self.lang.label("the leg is a draw").to_owned(),
        };
        let mut lines = vec![format!("{winner} {}", self.lang.pick(outcome.reason.text))];
        lines.extend(
            record
                .faults
                .iter()
                .map(|fault| format!("! {}", fault_line(self.lang, &names, fault))),
        );
        lines.extend(
            record
                .faults
                .iter()
                .flat_map(|fault| &fault.last_words)
                .map(|line| shorten_line(line)),
        );
        if record.outcome.as_ref() != Some(&OutcomeRecord::from(&outcome)) {
            lines.push(
                self.lang
                    .label("! differs from the recorded outcome")
                    .to_owned(),
            );
        }
        if self.leg + 1 == self.recorded_legs.len() {
            lines.extend(self.verdict.clone());
        }
        lines
    }

    fn verdict_line(&self, recorded: &VerdictRecord) -> String {
        let legs: Vec<Box<dyn AnyLeg>> = self
            .recorded_legs
            .iter()
            .flatten()
            .map(|recorded_leg| recorded_leg.load_moment(recorded_leg.last_moment()).leg)
            .collect();
        let verdict: Verdict = self.setup.decide_match(&legs);
        let same = VerdictRecord::from(&verdict) == *recorded;
        let why = if same {
            self.lang.pick(verdict.reason.text)
        } else {
            &recorded.reason
        };
        match recorded.winner {
            Some(winner) => {
                format!(
                    "{} {} {why}",
                    self.replay.entrants[winner].name,
                    self.lang.label("wins the match")
                )
            }
            None => format!("{} {why}", self.lang.label("the match is a draw")),
        }
    }

    fn foot_lines(&self, width: usize) -> Vec<Line<'static>> {
        let (at, last) = (self.at, self.current_recording().last_moment());
        let mut lines = timeline_line(&self.current_recording().marks, at, last, width);
        let run = if self.pace.playing { "▶" } else { "‖" };
        let hint = match &self.typed {
            Some(typed) => {
                format!(
                    "{} {typed}_   {}",
                    self.lang.label("go to round"),
                    self.lang.label("then enter")
                )
            }
            None => self
                .lang
                .label("space play  ←→ round  ,. action  g go to  ? help  q quit")
                .to_owned(),
        };
        let (speed, state) = (
            self.pace.steps_per_second(),
            format!("{} {at}/{last}", self.lang.label("step")),
        );
        lines.push(Line::raw(format!("{run} {speed}×  {state}  {hint}")));
        lines
    }

    /// The requested position and the result of the leg.
    fn plain_text(&self) -> String {
        let recorded_leg = self.current_recording();
        let moment = recorded_leg.load_moment(self.at);
        let mut lines: Vec<String> = self.doubt.iter().map(|why| format!("! {why}")).collect();
        lines.extend(self.head_lines(&*moment.leg).iter().map(Line::to_string));
        lines.push(paint::plain_text(
            self.lang,
            &self.render_moment(&moment),
            self.game.axis_labels(),
        ));
        lines.extend(self.end_lines(&*recorded_leg.load_moment(recorded_leg.last_moment()).leg));
        lines.join("\n") + "\n"
    }
}

/// `first` or `second`.
pub fn seat_name(lang: Localizer, seat: Seat) -> &'static str {
    match seat {
        Seat::First => lang.label("first"),
        Seat::Second => lang.label("second"),
    }
}

/// Shortens a line of a program; a tab becomes some blanks.
fn shorten_line(line: &str) -> String {
    clean_line(&line.replace('\t', "    "))
        .chars()
        .take(500)
        .collect()
}

/// `1.2 s (CPU 800 ms), noise 300 ms`.
fn time_words(lang: Localizer, spent: &Spent) -> String {
    let noise = spent.excused_time();
    let noise = if noise.is_zero() {
        String::new()
    } else {
        format!(
            "{}{}",
            lang.label(", noise "),
            leitai_judge::show_duration(noise)
        )
    };
    format!("{}{noise}", spent.describe_times())
}

/// The marks, and below them the present moment.
fn timeline_line(
    marks: &[(usize, char)],
    at: usize,
    last: usize,
    width: usize,
) -> Vec<Line<'static>> {
    if width == 0 {
        return Vec::new();
    }
    let column = |moment: usize| moment * (width - 1) / last.max(1);
    let mut row = vec![' '; width];
    for (moment, mark) in marks.iter().filter(|(moment, _)| *moment <= last) {
        let place = &mut row[column(*moment)];
        if *place == ' ' || events::mark_weight(*mark) > events::mark_weight(*place) {
            *place = *mark;
        }
    }
    let here = column(at);
    let track = |place: usize| match place.cmp(&here) {
        std::cmp::Ordering::Less => '━',
        std::cmp::Ordering::Equal => '●',
        std::cmp::Ordering::Greater => '─',
    };
    let line = |chars: String| Line::raw(chars);
    vec![
        line(row.into_iter().collect()),
        line((0..width).map(track).collect()),
    ]
}

fn help_lines(lang: Localizer) -> Vec<Line<'static>> {
    let rows = [
        ("space", lang.label("play, pause")),
        (
            "← →",
            lang.label("a round back, on (page up, page down: ten)"),
        ),
        (", .", lang.label("an action back, on")),
        ("home end", lang.label("to the start, to the end")),
        ("1 - 5", lang.label("speed")),
        ("g N ⏎", lang.label("go to round N")),
        ("l tab", lang.label("the next leg")),
        ("f", lang.label("seen by all, the first, the second")),
        ("+ -", lang.label("look ahead at what will come")),
        ("q esc", lang.label("leave")),
        (
            "! ✕ s S",
            lang.label("on the timeline: fault, death, split, solidified"),
        ),
    ];
    let line = |(key, what): (&str, &str)| Line::raw(format!("{key:<10} {what}"));
    rows.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::window::testing::{ScriptedTerminal, typed};
    use super::*;
    use crate::lang::english;
    use leitai_game::Entrant;
    use leitai_game::replay::{LegRecord, LogRecord, NoiseRecord, NoiseTimes};
    use serde_json::json;

    fn game() -> &'static dyn AnyGame {
        leitai_games::find_game("snakego").expect("it is in the list")
    }

    /// Leg 1 goes on for two rounds and a half and is interrupted there, unless other replies are
    /// given.
    fn replay(replies: [&str; 2]) -> Replay {
        let setup = game()
            .deal_setup(&json!({"max_round": 60}), 7)
            .expect("a sound config");
        let text = json!({
            "format": "leitai-replay/1", "game": "snakego", "rules": "snakego/1", "engine": "test",
            "setup": setup.to_json(), "status": "interrupted", "verdict": null,
            "entrants": [{"name": "mybot", "kind": "program"}, {"name": "greedy", "kind": "built-in"}],
            "legs": replies.map(|replies| json!({"replies": replies})),
        });
        let mut replay = Replay::parse(&text.to_string()).expect("a sound replay");
        replay.legs[0].times_us = vec![212_000, 3_000, 1_000, 2_000, 5_000];
        replay.legs[0].cpu_us = vec![Some(180_000), None];
        let noise = NoiseTimes {
            delay_us: 30_000,
            ..NoiseTimes::default()
        };
        replay.legs[0].noise = vec![NoiseRecord { reply: 0, noise }];
        let log = LogRecord {
            entrant: Entrant::A,
            period: 3,
            text: "path \u{1b}[31mto\titem\nsecond line".into(),
        };
        replay.legs[0].logs.push(log);
        replay
    }

    /// The last frame after these presses; they end with leaving.
    fn last_frame(replay: &Replay, presses: Vec<KeyPress>) -> String {
        let mut viewer =
            ReplayViewer::new(english(), game(), replay, 0, 1).expect("a sound replay");
        let mut window = ScriptedTerminal::new(presses.into_iter().chain([KeyPress::Interrupt]));
        viewer
            .run_viewer(&mut window)
            .expect("memory is a terminal");
        let frames = window.frames.borrow();
        frames.last().expect("it was drawn").clone()
    }

    #[test]
    fn the_screen_names_the_moment_and_its_events() {
        let replay = replay(["1 3 1 3 1", "1 3"]);
        let check = |presses: Vec<KeyPress>, parts: &[&str]| {
            let frame = last_frame(&replay, presses.clone());
            parts.iter().for_each(|part| {
                assert!(frame.contains(part), "{presses:?}: no {part:?} in\n{frame}")
            });
        };
        let (right, left) = (KeyPress::Key(Key::Right), KeyPress::Key(Key::Left));
        check(
            vec![],
            &[
                "mybot (first)  1 : 1  greedy (second)",
                "leg 1/2",
                "round 1/60",
                "step 0/5",
                "? help",
            ],
        );
        check(typed("."), &["step 1/5", "mybot: right [1]", "moved: "]);
        check(typed("."), &["212 ms (CPU 180 ms)", "noise 30 ms"]);
        check(typed(".."), &["greedy: left [3]   3 ms"]);
        check(typed("..,"), &["step 1/5"]);
        check(vec![right], &["round 2/60", "step 2/5", "greedy: left [3]"]);
        check(
            vec![right, right, right],
            &["round 3/60", "step 5/5", "interrupted here"],
        );
        check(vec![right, right, left], &["round 2/60"]);
        check(
            vec![right, KeyPress::Key(Key::Char('.'))],
            &["log of mybot", r"path \u001b[31mto    item", "second line"],
        );
        check(vec![KeyPress::End, KeyPress::Home], &["step 0/5"]);
        check(
            typed("l"),
            &["leg 2/2", "greedy (first)  1 : 1  mybot (second)"],
        );
        check(vec![KeyPress::Tab, KeyPress::Tab], &["leg 1/2"]);
        check(typed("g3"), &["go to round 3_"]);
        check(
            [typed("g3"), vec![KeyPress::Enter]].concat(),
            &["round 3/60", "step 4/5"],
        );
        check(
            [
                typed("g3"),
                vec![KeyPress::Backspace],
                typed("2"),
                vec![KeyPress::Enter],
            ]
            .concat(),
            &["round 2/60"],
        );
        check(typed("f"), &["seen by mybot (first)"]);
        check(typed("fff"), &["seen by all"]);
        check(typed("++-"), &["looking ahead +1"]);
        check(typed("5"), &["‖ 5×"]);
        check(typed("?"), &["go to round N"]);
        check(typed("?."), &["step 0/5"]);
        check(typed("?q."), &["step 1/5"]);
    }

    /// Two rounds on Crossroads: red fires into the open and dies at the edge, blue goes up.
    fn tankcraft() -> (&'static dyn AnyGame, Replay) {
        let game = leitai_games::find_game("tankcraft").expect("it is in the list");
        let setup = game
            .deal_setup(&json!({"map": "crossroads", "rounds": 2}), 7)
            .expect("a sound config");
        let team = "Team;Striker;Pioneer;Sniper;Striker;Striker";
        let round = "FIRE:3:3;GOUP;STOP;STOP;STOP/GOUP;STOP;STOP;STOP;STOP";
        let text = json!({
            "format": "leitai-replay/1", "game": "tankcraft", "rules": "tankcraft/1", "engine": "test",
            "setup": setup.to_json(), "status": "interrupted", "verdict": null,
            "entrants": [{"name": "mybot", "kind": "program"}, {"name": "miner", "kind": "built-in"}],
            "legs": [{"replies": format!("{team}/{team} {round}")}],
        });
        (
            game,
            Replay::parse(&text.to_string()).expect("a sound replay"),
        )
    }

    #[test]
    fn tankcraft_shows_tanks_mines_shots_and_sights() {
        let (game, replay) = tankcraft();
        let check = |presses: &str, parts: &[&str], absent: &[&str]| {
            let mut viewer =
                ReplayViewer::new(english(), game, &replay, 0, 1).expect("a sound replay");
            let mut window = ScriptedTerminal::sized(
                120,
                40,
                typed(presses).into_iter().chain([KeyPress::Interrupt]),
            );
            viewer
                .run_viewer(&mut window)
                .expect("memory is a terminal");
            let frames = window.frames.borrow();
            let frame = frames.last().expect("it was drawn");
            parts.iter().for_each(|part| {
                assert!(frame.contains(part), "{presses}: no {part:?} in\n{frame}")
            });
            absent
                .iter()
                .for_each(|part| assert!(!frame.contains(part), "{presses}: {part:?} in\n{frame}"));
        };
        check(
            ".",
            &[
                " 1     S0      P1      N2      S3      S4",
                "21     S9      S8",
                "$r",
                "$b",
            ],
            &["✕ "],
        );
        let texts = [
            "fired: col 3, row 3, tank 0",
            "died: ",
            "mybot: FIRE:3:3;GOUP;",
            "cause stone",
        ];
        check("..", &texts, &[]);
        // The shot lies on an open cell, the death off the map.
        check("..", &[" 3   %2* %2"], &[]);
        check(
            "..f",
            &["seen by mybot (first)", " 3 · %2* %2", "S0", "not seen"],
            &["S9", "N7", "miner: ", "tank 5"],
        );
        check(
            "..ff",
            &["seen by miner (second)", "S9", "N7"],
            &["S0", "%2* %2", "fired", "mybot: "],
        );
        check("..fff", &["seen by all", "S0", "S9"], &["not seen"]);
    }

    #[test]
    fn space_plays_and_time_moves_on_to_the_end() {
        let replay = replay(["1 3 1 3 1", ""]);
        let mut viewer =
            ReplayViewer::new(english(), game(), &replay, 0, 1).expect("a sound replay");
        let mut check = |press: Option<char>, millis: u64, at: usize, playing: bool| {
            press
                .into_iter()
                .for_each(|c| viewer.handle_press(KeyPress::Key(Key::Char(c))));
            viewer.pass_time(Duration::from_millis(millis));
            assert_eq!(
                (viewer.at, viewer.pace.playing),
                (at, playing),
                "{press:?} {millis}"
            );
        };
        check(None, 5000, 0, false);
        check(Some('1'), 5000, 0, false);
        check(Some(' '), 500, 1, true);
        check(Some(' '), 500, 1, false);
        check(Some('5'), 500, 1, false);
        check(Some(' '), 500, 5, false);
        check(Some(' '), 1, 0, true);
    }

    #[test]
    fn the_end_of_a_leg_names_the_winner_and_the_faults() {
        let mut faulty = replay(["1 3 3", ""]);
        faulty.legs[0].faults = serde_json::from_value(json!([{
            "entrant": "A", "seat": "first", "code": "IA", "round": 2, "step": 2, "what": "turned back",
            "last_words": ["bye"],
        }]))
        .expect("a sound fault");
        let frame = last_frame(&faulty, vec![KeyPress::End]);
        // Length 1 grew to 2 in round 1, and growth makes the reversal of round 2 illegal.
        assert!(!frame.contains("interrupted here"), "{frame}");
        for part in [
            "greedy (second) wins the leg",
            "mybot (first) turned",
            "back [IA]",
            "bye",
            "differs",
        ] {
            assert!(frame.contains(part), "no {part:?} in\n{frame}");
        }
        let marks = frame.lines().nth(21).expect("24 rows");
        assert!(marks.trim_end().ends_with('!'), "{frame}");
    }

    #[test]
    fn a_replay_with_an_unreadable_reply_is_shown_up_to_it() {
        let replay = replay(["1 3 1 what 1", ""]);
        let frame = last_frame(&replay, vec![KeyPress::End]);
        for part in ["step 3/3", "the rest cannot be played", "is no action"] {
            assert!(frame.contains(part), "no {part:?} in\n{frame}");
        }
    }

    #[test]
    fn without_a_terminal_there_is_plain_text() {
        let replay = replay(["1 3 1 3 1", "1 3"]);
        let viewer = ReplayViewer::new(english(), game(), &replay, 0, 2).expect("a sound replay");
        let text = viewer.plain_text();
        for part in [
            "mybot (first)  2 : 2  greedy (second)",
            "round 2/60",
            "interrupted here",
        ] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_terminal_that_is_too_small_says_so() {
        let replay = replay(["1 3 1 3 1", "1 3"]);
        let check = |size: (u16, u16), expected: bool| {
            let mut viewer =
                ReplayViewer::new(english(), game(), &replay, 0, 1).expect("a sound replay");
            let mut window = ScriptedTerminal::sized(size.0, size.1, [KeyPress::Interrupt]);
            viewer
                .run_viewer(&mut window)
                .expect("memory is a terminal");
            let frame = window.frames.borrow()[0].clone();
            let said = frame.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(
                said.contains("too small: 35 x 17 are needed"),
                expected,
                "{size:?}: {said}"
            );
        };
        check((35, 17), false);
        check((34, 17), true);
        check((80, 16), true);
    }

    #[test]
    fn every_size_of_terminal_can_be_drawn_on() {
        let replay = replay(["1 3 1 3 1", "1 3"]);
        for (width, height) in [
            (0, 0),
            (1, 1),
            (10, 3),
            (40, 24),
            (80, 24),
            (33, 60),
            (250, 80),
        ] {
            let mut viewer =
                ReplayViewer::new(english(), game(), &replay, 0, 1).expect("a sound replay");
            let mut window = ScriptedTerminal::sized(
                width,
                height,
                [KeyPress::End, typed("?")[0], KeyPress::Interrupt],
            );
            viewer
                .run_viewer(&mut window)
                .expect("memory is a terminal");
        }
    }

    #[test]
    fn the_timeline_keeps_the_more_important_mark() {
        let check = |marks: &[(usize, char)], at: usize, last: usize, expected: [&str; 2]| {
            let lines: Vec<String> = timeline_line(marks, at, last, 10)
                .iter()
                .map(Line::to_string)
                .collect();
            assert_eq!(lines, expected);
        };
        check(&[], 0, 0, ["          ", "●─────────"]);
        check(&[(1, 's'), (9, '!')], 9, 9, [" s       !", "━━━━━━━━━●"]);
        check(
            &[(50, 'e'), (51, '✕'), (52, 's'), (101, '!')],
            50,
            100,
            ["    ✕     ", "━━━━●─────"],
        );
        assert!(timeline_line(&[], 0, 5, 0).is_empty());
    }

    #[test]
    fn an_empty_leg_can_be_shown() {
        let mut replay = replay(["", ""]);
        replay.legs.truncate(1);
        replay.legs[0] = LegRecord::default();
        assert!(last_frame(&replay, typed(".,l l")).contains("step 0/0"));
    }
}
