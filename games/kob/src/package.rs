//! The game's bots, protocols, templates, texts, keys and rendering.

use leitai_game::render::{Key, KeyBinding, RenderOptions, Rendering};
use leitai_game::{GamePackage, PackageContents, Seat, Template, Text, parity};

use crate::position::Position;
use crate::setup::{CONFIG_CHOICES, Setup};
use crate::{bots, hosts, line_protocol, record, render};

impl GamePackage for Position {
    const CONTENTS: PackageContents<Position> = PackageContents {
        bots: bots::ALL,
        protocols: &[line_protocol::INFO],
        hosts: hosts::ALL,
        templates: &[
            Template::python(include_str!("../templates/bot.py")),
            Template::cpp(include_str!("../templates/bot.cpp")),
            Template::java(include_str!("../templates/Bot.java")),
        ],
        config_options: &CONFIG_CHOICES,
        rules_guide: Text {
            en: include_str!("../README.md"),
            zh: include_str!("../README.zh.md"),
        },
        messages: crate::messages::MESSAGES,
        replay_formats: &[record::FORMAT],
        ..PackageContents::NOTHING
    };

    fn compare_corpus(text: &str, report: &mut dyn FnMut(parity::ParityCase)) {
        crate::parity::compare_corpus(text, report);
    }

    fn render_position(&self, setup: &Setup, look: &RenderOptions) -> Rendering {
        render::render_board(setup, self, look)
    }

    /// Two people share a keyboard: A has the letters, B the arrows.
    fn key_bindings(seat: Seat) -> &'static [KeyBinding] {
        match seat {
            Seat::First => &LETTERS,
            Seat::Second => &ARROWS,
        }
    }
}

const fn new_key(
    keys: &'static [Key],
    action: &'static str,
    en: &'static str,
    zh: &'static str,
) -> KeyBinding {
    KeyBinding {
        keys,
        action,
        label: Text { en, zh },
    }
}

const LETTERS: [KeyBinding; 4] = [
    new_key(&[Key::Char('w')], "0", "up", "上"),
    new_key(&[Key::Char('d')], "1", "right", "右"),
    new_key(&[Key::Char('s')], "2", "down", "下"),
    new_key(&[Key::Char('a')], "3", "left", "左"),
];

const ARROWS: [KeyBinding; 4] = [
    new_key(&[Key::Up], "0", "up", "上"),
    new_key(&[Key::Right], "1", "right", "右"),
    new_key(&[Key::Down], "2", "down", "下"),
    new_key(&[Key::Left], "3", "left", "左"),
];
