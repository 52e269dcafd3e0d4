//! What the game brings along beside its rules: bots, protocols, programs to begin with, a drawing, keys.

use leitai_game::picture::{Key, KeyBinding, Look, Picture};
use leitai_game::replay::Format;
use leitai_game::{BotInfo, ConfigChoice, DialectInfo, GamePackage, Host, Seat, Template, Text, parity};

use crate::position::Position;
use crate::setup::{CONFIG_CHOICES, Setup};
use crate::{bots, hosts, line, picture, record};

impl GamePackage for Position {
    fn bots() -> &'static [BotInfo<Position>] {
        bots::ALL
    }

    fn dialects() -> &'static [DialectInfo<Position>] {
        const { &[line::INFO] }
    }

    fn hosts() -> &'static [Host] {
        hosts::ALL
    }

    fn formats() -> &'static [Format] {
        const { &[record::FORMAT] }
    }

    fn config_choices() -> &'static [ConfigChoice] {
        &CONFIG_CHOICES
    }

    fn templates() -> &'static [Template] {
        const {
            &[
                Template::python(include_str!("../templates/bot.py")),
                Template::cpp(include_str!("../templates/bot.cpp")),
                Template::java(include_str!("../templates/Bot.java")),
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

    /// Two people share a keyboard: A has the letters, B the arrows.
    fn keys(seat: Seat) -> &'static [KeyBinding] {
        match seat {
            Seat::First => &LETTERS,
            Seat::Second => &ARROWS,
        }
    }
}

const fn key(keys: &'static [Key], action: &'static str, en: &'static str, zh: &'static str) -> KeyBinding {
    KeyBinding { keys, action, label: Text { en, zh } }
}

const LETTERS: [KeyBinding; 4] = [
    key(&[Key::Char('w')], "0", "up", "上"),
    key(&[Key::Char('d')], "1", "right", "右"),
    key(&[Key::Char('s')], "2", "down", "下"),
    key(&[Key::Char('a')], "3", "left", "左"),
];

const ARROWS: [KeyBinding; 4] = [
    key(&[Key::Up], "0", "up", "上"),
    key(&[Key::Right], "1", "right", "右"),
    key(&[Key::Down], "2", "down", "下"),
    key(&[Key::Left], "3", "left", "左"),
];
