//! What the game brings along beside its rules: bots, protocols, programs to begin with, a drawing, keys.

use leitai_game::picture::{Axes, KeyBinding, Look, Picture};
use leitai_game::{
    BotInfo, Composer, ConfigChoice, DialectInfo, Eye, GamePackage, Host, Seat, Template, Text, parity,
};

use crate::commander::Commander;
use crate::options::options;
use crate::position::Position;
use crate::setup::{CONFIG_CHOICES, Setup};
use crate::view::View;
use crate::{bots, hosts, picture, text};

impl GamePackage for Position {
    fn bots() -> &'static [BotInfo<Position>] {
        bots::ALL
    }

    fn dialects() -> &'static [DialectInfo<Position>] {
        const { &[text::INFO] }
    }

    fn hosts() -> &'static [Host] {
        hosts::ALL
    }

    fn config_choices() -> &'static [ConfigChoice] {
        &CONFIG_CHOICES
    }

    fn templates() -> &'static [Template] {
        const {
            &[
                Template::python(include_str!("../templates/bot.py")),
                Template::cpp(include_str!("../templates/bot.cpp")),
            ]
        }
    }

    fn messages() -> &'static [Text] {
        crate::messages::MESSAGES
    }

    fn guide() -> Text {
        Text { en: include_str!("../README.md"), zh: include_str!("../README.zh.md") }
    }

    fn parity(text: &str, report: &mut dyn FnMut(parity::Case)) {
        crate::parity::run(text, report);
    }

    fn picture(&self, setup: &Setup, look: &Look) -> Picture {
        picture::draw(setup, self, look)
    }

    /// As the rules number cells: from 1, row 1 on top (R1.1).
    fn axes() -> Axes {
        Axes { first: 1, rows_up: false }
    }

    /// None: five orders a round need more than one key.
    fn keys(_: Seat) -> &'static [KeyBinding] {
        &[]
    }

    fn composer(seat: Seat) -> Option<Box<dyn Composer<Position>>> {
        Some(Box::new(Commander::new(seat)))
    }

    fn options(&self, setup: &Setup, seat: Seat) -> serde_json::Value {
        if self.end().is_some() {
            return serde_json::Value::Null;
        }
        options(&View::new(setup, self, Eye::Seat(seat)), seat)
    }
}
