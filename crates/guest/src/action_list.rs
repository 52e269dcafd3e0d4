//! How a person at a terminal says an action of any guest game: types it, or chooses one of the list.

use leitai_game::action_builder::{KeyEffect, PartialAction};
use leitai_game::erased::{AnyActionBuilder, AnyLeg};
use leitai_game::render::{Key, PanelLine};
use leitai_game::{Lang, Seat, Text};

/// The most actions that are shown at once.
const SHOWN: usize = 10;

const HINT: Text = Text::new(
    "type an action or choose with ↑ ↓; enter plays it",
    "输入操作，或用 ↑ ↓ 选择；按 Enter 执行",
);

/// The letters typed so far, and the place of the choice among the legal actions that begin so.
#[derive(Default)]
pub(crate) struct ActionList {
    typed: String,
    chosen: usize,
}

impl ActionList {
    /// Keys are small letters, so case does not count.
    fn matching(&self, leg: &dyn AnyLeg, seat: Seat) -> Vec<String> {
        let mut legal = leg.legal_actions(seat);
        legal.retain(|action| action.to_lowercase().starts_with(&self.typed));
        // What is typed in full comes before what only begins so.
        legal.sort_by_key(|action| action.len() != self.typed.len());
        legal
    }

    fn type_letter(&mut self, leg: &dyn AnyLeg, seat: Seat, letter: char) -> KeyEffect<String> {
        self.typed.push(letter);
        if self.matching(leg, seat).is_empty() {
            self.typed.pop();
            return KeyEffect::Nothing;
        }
        self.chosen = 0;
        KeyEffect::Changed
    }
}

impl AnyActionBuilder for ActionList {
    fn handle_key(&mut self, leg: &dyn AnyLeg, seat: Seat, key: Key) -> KeyEffect<String> {
        let last = || self.matching(leg, seat).len().saturating_sub(1);
        match key {
            Key::Char(letter) => return self.type_letter(leg, seat, letter),
            Key::Up => self.chosen = self.chosen.saturating_sub(1),
            Key::Down => self.chosen = (self.chosen + 1).min(last()),
            Key::Backspace if !self.typed.is_empty() => {
                self.typed.pop();
                self.chosen = 0;
            }
            Key::Enter => {
                let chosen = self.matching(leg, seat).into_iter().nth(self.chosen);
                return chosen.map_or(KeyEffect::Nothing, KeyEffect::Say);
            }
            _ => return KeyEffect::Nothing,
        }
        KeyEffect::Changed
    }

    fn show_draft(&self, leg: &dyn AnyLeg, seat: Seat, lang: Lang) -> PartialAction {
        let matching = self.matching(leg, seat);
        let from = self.chosen.saturating_sub(SHOWN - 1);
        let mut lines = vec![HINT.in_language(lang).to_owned()];
        lines.push(format!("> {}", self.typed));
        for (place, action) in matching.iter().enumerate().skip(from).take(SHOWN) {
            let mark = if place == self.chosen { "▸" } else { " " };
            lines.push(format!("{mark} {action}"));
        }
        if matching.len() > from + SHOWN {
            lines.push(format!("  … {}", matching.len() - from - SHOWN));
        }
        PartialAction {
            lines: lines.into_iter().map(PanelLine::uncoloured).collect(),
            marks: Vec::new(),
        }
    }
}
