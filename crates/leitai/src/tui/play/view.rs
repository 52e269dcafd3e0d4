//! What a person sees who plays in the terminal.

use leitai_game::action_builder::PartialAction;
use leitai_game::render::{Key, PaletteColor, RenderOptions, Rendering};
use leitai_game::{AnyLeg, Perspective, Seat, ToMove};
use leitai_series::columns;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use crate::lang::Localizer;
use crate::tui::events;
use crate::tui::layout::{self, TextBlock};
use crate::tui::paint::{self, Palette, heading_line};
use crate::tui::play_state::{KeyedAction, LeaveState, PlayState};
use crate::tui::replay_viewer::seat_name;

/// The data of one drawing.
pub(super) struct PlayView<'a> {
    pub(super) state: &'a PlayState,
    pub(super) palette: Palette,
    pub(super) clock: &'a str,
    pub(super) notice: &'a [String],
}

impl PlayView<'_> {
    pub(super) fn draw_frame(&self, frame: &mut Frame<'_>) {
        let Some(leg) = self.state.current_leg() else {
            return;
        };
        let draft = self.state.show_draft();
        let rendering = self.render_position(leg, draft.as_ref());
        let area = frame.area();
        if let Some(lines) = layout::too_small(self.state.lang, area, &rendering) {
            return layout::draw_lines(frame, area, lines);
        }
        let panes = layout::lay_out(frame.area(), &rendering, 3);
        layout::draw_lines(frame, panes.head, self.head_lines(leg));
        layout::draw_lines(
            frame,
            panes.board,
            paint::draw_board(&rendering, self.state.game.axis_labels(), self.palette),
        );
        let panel = TextBlock {
            lines: paint::draw_panel(self.state.lang, &rendering, self.palette),
            least: 5,
        };
        let mut blocks = self.side_blocks(leg, draft.as_ref(), panes.side.width);
        if panes.far.width == 0 {
            blocks.insert(blocks.len() - 1, panel);
        } else {
            layout::draw_lines(
                frame,
                panes.far,
                layout::stack_blocks(vec![panel], panes.far.height),
            );
        }
        layout::draw_lines(
            frame,
            panes.side,
            layout::stack_blocks(blocks, panes.side.height),
        );
        layout::draw_lines(
            frame,
            panes.foot,
            self.foot_lines(leg, usize::from(panes.foot.width)),
        );
        let over = self.overlay_lines(panes.side);
        if !over.is_empty() {
            layout::draw_over(frame, over.into_iter().map(Line::raw).collect());
        }
    }

    /// What stands beside the board; a notice takes the place of turn and keys.
    fn side_blocks(
        &self,
        leg: &dyn AnyLeg,
        draft: Option<&PartialAction>,
        width: u16,
    ) -> Vec<TextBlock<'static>> {
        match self.notice {
            [] => vec![
                self.turn_block(leg),
                self.keys_block(draft),
                self.moves_block(),
            ],
            // The result is shown beside the last position and does not cover it.
            notice => vec![notice_beside(notice, width), self.moves_block()],
        }
    }

    /// What is drawn over the board: help, or a notice that has no room beside it.
    fn overlay_lines(&self, side: Rect) -> Vec<String> {
        let is_too_small = side.width == 0 || usize::from(side.height) < self.notice.len();
        if self.state.help {
            help_lines(self.state.lang)
        } else if is_too_small {
            self.notice.to_vec()
        } else {
            Vec::new()
        }
    }

    /// Renders the position with marks of the last step's events and the unfinished action.
    fn render_position(&self, leg: &dyn AnyLeg, draft: Option<&PartialAction>) -> Rendering {
        let perspective = self.viewer_perspective(leg);
        let mut rendering = leg.render_position(&RenderOptions {
            perspective,
            ahead: self.state.ahead,
        });
        events::mark_cells(
            &mut rendering,
            self.state.game.axis_labels(),
            perspective,
            self.state.last_events(),
        );
        rendering.draw_overlays(draft.map_or(&[], |draft| &draft.marks));
        rendering
    }

    /// The perspective: that of a single person's seat; with two people, that of the one who is
    /// asked.
    fn viewer_perspective(&self, leg: &dyn AnyLeg) -> Perspective {
        match (self.state.single_person(), leg.to_move()) {
            (_, ToMove::Nobody) => Perspective::All,
            (Some(seat), _) | (None, ToMove::One(seat)) => Perspective::Seat(seat),
            (None, ToMove::Both) => self
                .state
                .composing_seat()
                .map_or(Perspective::All, Perspective::Seat),
        }
    }

    fn head_lines(&self, leg: &dyn AnyLeg) -> Vec<Line<'static>> {
        let scores = leg.scores();
        let name = |seat| {
            format!(
                "{} ({})",
                self.state.seat_name(seat),
                seat_name(self.state.lang, seat)
            )
        };
        let who = format!(
            "{}  {} : {}  {}",
            name(Seat::First),
            scores[Seat::First],
            scores[Seat::Second],
            name(Seat::Second)
        );
        let round = format!(
            "{} {}/{}",
            self.state.lang.label("round"),
            leg.round(),
            self.state.rounds
        );
        let about = format!("{}   {round}", self.state.leg_name());
        vec![
            Line::styled(who, Modifier::BOLD),
            Line::styled(about, self.palette.faint_style()),
        ]
    }

    fn turn_block(&self, leg: &dyn AnyLeg) -> TextBlock<'static> {
        let whose = match leg.to_move() {
            ToMove::Nobody => self.state.lang.label("the leg is over").to_owned(),
            ToMove::Both => self.state.lang.label("both move at once").to_owned(),
            ToMove::One(seat) if self.state.single_person() == Some(seat) => {
                format!(
                    "▶ {} ({})",
                    self.state.lang.label("your turn"),
                    seat_name(self.state.lang, seat)
                )
            }
            ToMove::One(seat) => {
                format!(
                    "▶ {} {} ({})",
                    self.state.lang.label("turn of"),
                    self.state.seat_name(seat),
                    seat_name(self.state.lang, seat)
                )
            }
        };
        let mut lines = vec![heading_line(&whose)];
        if !self.clock.is_empty() {
            lines.push(Line::raw(self.clock.to_owned()));
        }
        TextBlock {
            least: lines.len(),
            lines,
        }
    }

    /// The keys of the people who are asked, otherwise of the next person; illegal ones are grey,
    /// with the reason.
    fn keys_block(&self, draft: Option<&PartialAction>) -> TextBlock<'static> {
        let seats: Vec<Seat> = Seat::BOTH
            .into_iter()
            .filter(|seat| self.state.shows_keys(*seat))
            .collect();
        let mut lines = Vec::new();
        for seat in &seats {
            if seats.len() > 1 {
                let ready = if self.state.is_ready(*seat) {
                    self.state.lang.label("  ✓ ready")
                } else {
                    ""
                };
                lines.push(heading_line(&format!(
                    "{}{ready}",
                    self.state.seat_name(*seat)
                )));
            }
            lines.extend(
                self.state
                    .list_choices(*seat)
                    .iter()
                    .map(|choice| self.key_line(choice)),
            );
            if self.state.composing_seat() == Some(*seat) {
                let drafted = draft.into_iter().flat_map(|draft| &draft.lines);
                lines.extend(drafted.map(|line| {
                    Line::styled(line.text.clone(), self.palette.color_style(line.ink))
                }));
            }
        }
        TextBlock {
            least: lines.len(),
            lines,
        }
    }

    fn key_line(&self, choice: &KeyedAction) -> Line<'static> {
        let keys: Vec<String> = choice.keys.iter().map(Key::to_string).collect();
        let keys = format!("{:<8}", keys.join(" "));
        match &choice.illegal {
            None => Line::from(vec![
                Span::styled(keys, Modifier::BOLD),
                Span::raw(choice.label),
            ]),
            Some(why) if why.is_empty() => Line::styled(
                format!("{keys}{}", choice.label),
                self.palette.faint_style(),
            ),
            Some(why) => Line::styled(
                format!("{keys}{} ✗ {why}", choice.label),
                self.palette.faint_style(),
            ),
        }
    }

    fn moves_block(&self) -> TextBlock<'static> {
        let mut lines: Vec<Line<'static>> = Vec::new();
        if !self.state.moves.is_empty() {
            lines.push(heading_line(self.state.lang.label("last moves")));
            lines.extend(
                self.state
                    .moves
                    .iter()
                    .rev()
                    .map(|line| Line::raw(line.clone())),
            );
        }
        TextBlock { lines, least: 4 }
    }

    fn foot_lines(&self, leg: &dyn AnyLeg, width: usize) -> Vec<Line<'static>> {
        let refusal = match (&self.state.leave, &self.state.refusal) {
            (LeaveState::Asked, _) => Line::styled(
                self.state
                    .lang
                    .label("leave the match? y: yes, any other key: go on"),
                Modifier::BOLD,
            ),
            (_, Some(refusal)) => Line::styled(
                format!("✗ {refusal}"),
                self.palette
                    .color_style(PaletteColor::Red)
                    .add_modifier(Modifier::BOLD),
            ),
            _ => Line::default(),
        };
        if self.state.uses_builder() {
            let hint = self.state.lang.label("? help  q leave");
            return vec![refusal, Line::styled(hint, self.palette.faint_style())];
        }
        let hint = self
            .state
            .lang
            .label("+ - [ ] look ahead  backspace now  enter fast  ? help  q leave");
        vec![
            refusal,
            slider_line(
                self.state.lang,
                leg.round(),
                self.state.ahead,
                self.state.rounds,
                width,
            ),
            Line::styled(hint, self.palette.faint_style()),
        ]
    }
}

fn notice_beside(notice: &[String], wide: u16) -> TextBlock<'static> {
    let lines = notice.iter().flat_map(|line| layout::fold_text(line, wide));
    let lines: Vec<Line<'static>> = lines
        .map(|line| Line::styled(line, Modifier::BOLD))
        .collect();
    TextBlock {
        least: lines.len(),
        lines,
    }
}

/// The slider for looking ahead, from the present round to the last one.
pub(super) fn slider_line(
    lang: Localizer,
    round: u32,
    ahead: u32,
    rounds: u32,
    width: usize,
) -> Line<'static> {
    let title = format!(
        "{} {} (+{ahead})  ",
        lang.label("preview to round"),
        (round + ahead).min(rounds)
    );
    let wide = width.saturating_sub(columns::width(&title)).min(40);
    let most = rounds.saturating_sub(round).max(1);
    let knob = wide.saturating_sub(1) * ahead.min(most) as usize / most as usize;
    let bar: String = (0..wide)
        .map(|place| if place == knob { '○' } else { '─' })
        .collect();
    Line::raw(title + &bar)
}

fn help_lines(lang: Localizer) -> Vec<String> {
    let rows = [
        ("+ -", lang.label("look ahead one round more, one less")),
        ("] [", lang.label("ten rounds more, ten less")),
        ("backspace", lang.label("back to the present")),
        ("enter", lang.label("do not wait while others move")),
        ("q esc", lang.label("leave the match")),
        ("ctrl-c", lang.label("interrupt the match (no verdict)")),
    ];
    let lead = lang.label("Grey keys are illegal now; the reason is shown beside them.");
    std::iter::once(lead.to_owned())
        .chain(rows.map(|(key, what)| format!("{key:<10} {what}")))
        .collect()
}
