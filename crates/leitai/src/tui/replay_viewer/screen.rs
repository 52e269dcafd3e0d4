//! What the replay viewer draws.

use leitai_game::clean_text::{Breaks, clean_line, clean_text};
use leitai_game::render::{RenderOptions, Rendering};
use leitai_game::replay::{OutcomeRecord, VerdictRecord};
use leitai_game::{AnyLeg, Perspective, Seat, Verdict};
use leitai_judge::{Spent, show_duration};
use ratatui::Frame;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use serde_json::Value;

use super::{LOG_LINES, ReplayViewer, seat_name};
use crate::lang::Localizer;
use crate::outcome::fault_line;
use crate::tui::events;
use crate::tui::layout::{self, ScreenLayout, TextBlock};
use crate::tui::paint::{self, heading_line};
use crate::tui::recorded_leg::{LegMoment, RecordedReply};
use crate::wording::with_note;

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

    pub(super) fn draw_frame(&self, frame: &mut Frame<'_>, moment: &LegMoment) {
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
            self.settings_block(wide),
            self.end_block(moment, wide),
            self.last_step(moment, wide),
            self.log_block(moment, wide),
        ];
        if far.width == 0 {
            texts.insert(3, panel);
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
        let name = |seat| self.describe_seat(seat);
        let (first, second) = (name(Seat::First), name(Seat::Second));
        let (left, right) = (scores[Seat::First], scores[Seat::Second]);
        let who = Line::styled(
            format!("{first}  {left} : {right}  {second}"),
            Modifier::BOLD,
        );
        let perspective = match self.perspective {
            Perspective::All => self.lang.label("all").to_owned(),
            Perspective::Seat(seat) => self.describe_seat(seat),
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

    /// `greedy (first)`
    fn describe_seat(&self, seat: Seat) -> String {
        with_note(
            self.lang,
            &self.seat_name(seat),
            &seat_name(self.lang, seat),
        )
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
        let bank = said.bank.map_or_else(String::new, |left| {
            let words = self
                .lang
                .fill("{} left of the time bank", &[&show_duration(left)]);
            format!("   {words}")
        });
        let time = time + &bank;
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

    /// What entrants alone played with: `mybot: --depth 5 @limit=1s`.
    fn settings_lines(&self) -> Vec<String> {
        let entrants = self.replay.entrants.iter_pairs();
        let told = entrants.filter_map(|(_, entrant)| {
            let settings = entrant.settings.as_deref()?;
            let parts = [&*entrant.name, self.lang.label(": "), settings];
            Some(clean_line(&parts.concat()).into_owned())
        });
        told.collect()
    }

    fn settings_block(&self, wide: u16) -> TextBlock<'static> {
        let texts = self.settings_lines();
        let lines = texts.iter().flat_map(|line| layout::fold_text(line, wide));
        let lines: Vec<Line<'static>> = lines
            .map(|line| Line::styled(line, self.palette.faint_style()))
            .collect();
        TextBlock {
            least: lines.len().min(2),
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
                let gap = self.lang.label(" ");
                let wins = self.lang.label("wins the leg");
                format!("{}{gap}{wins}", self.describe_seat(seat))
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

    pub(super) fn verdict_line(&self, recorded: &VerdictRecord) -> String {
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
    pub(super) fn plain_text(&self) -> String {
        let recorded_leg = self.current_recording();
        let moment = recorded_leg.load_moment(self.at);
        let mut lines: Vec<String> = self.doubt.iter().map(|why| format!("! {why}")).collect();
        lines.extend(self.head_lines(&*moment.leg).iter().map(Line::to_string));
        lines.extend(self.settings_lines());
        lines.push(paint::plain_text(
            self.lang,
            &self.render_moment(&moment),
            self.game.axis_labels(),
        ));
        lines.extend(self.end_lines(&*recorded_leg.load_moment(recorded_leg.last_moment()).leg));
        lines.join("\n") + "\n"
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
        format!("{}{}", lang.label(", noise "), show_duration(noise))
    };
    format!("{}{noise}", spent.describe_times())
}

/// The marks, and below them the present moment.
pub(super) fn timeline_line(
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
