//! What the game brings along beside its rules: bots, protocols, programs to begin with, a drawing, keys.

use leitai_game::picture::{Axes, Key, KeyBinding, Look, Picture};
use leitai_game::replay::Format;
use leitai_game::{BotInfo, ConfigChoice, DialectInfo, GamePackage, Seat, Template, Text, parity};

use crate::position::Position;
use crate::setup::{CONFIG_CHOICES, Setup};
use crate::{bots, official, picture, saiblo};

impl GamePackage for Position {
    fn bots() -> &'static [BotInfo<Position>] {
        bots::ALL
    }

    fn dialects() -> &'static [DialectInfo<Position>] {
        const { &[saiblo::INFO] }
    }

    fn formats() -> &'static [Format] {
        const { &[official::FORMAT] }
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

    /// The origin is bottom left.
    fn axes() -> Axes {
        Axes { first: 0, rows_up: true }
    }

    fn keys(_: Seat) -> &'static [KeyBinding] {
        &KEYS
    }
}

const KEYS: [KeyBinding; 6] = [
    KeyBinding { keys: &[Key::Up, Key::Char('w')], action: "2", label: Text { en: "up", zh: "上" } },
    KeyBinding { keys: &[Key::Down, Key::Char('s')], action: "4", label: Text { en: "down", zh: "下" } },
    KeyBinding { keys: &[Key::Left, Key::Char('a')], action: "3", label: Text { en: "left", zh: "左" } },
    KeyBinding { keys: &[Key::Right, Key::Char('d')], action: "1", label: Text { en: "right", zh: "右" } },
    KeyBinding { keys: &[Key::Char('r')], action: "5", label: Text { en: "ray", zh: "融化射线" } },
    KeyBinding { keys: &[Key::Char(' ')], action: "6", label: Text { en: "split", zh: "分裂" } },
];
