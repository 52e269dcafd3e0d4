//! What the game brings along beside its rules: bots, protocols, programs to begin with, a drawing,
//! keys.

use leitai_game::render::{AxisLabels, Key, KeyBinding, RenderOptions, Rendering};
use leitai_game::replay::ReplayFormat;
use leitai_game::{BotInfo, ConfigOption, GamePackage, ProtocolInfo, Seat, Template, Text, parity};

use crate::position::Position;
use crate::setup::{CONFIG_CHOICES, Setup};
use crate::{bots, official, render, saiblo};

impl GamePackage for Position {
    fn list_bots() -> &'static [BotInfo<Position>] {
        bots::ALL
    }

    fn list_protocols() -> &'static [ProtocolInfo<Position>] {
        const { &[saiblo::INFO] }
    }

    fn replay_formats() -> &'static [ReplayFormat] {
        const { &[official::FORMAT] }
    }

    fn config_choices() -> &'static [ConfigOption] {
        &CONFIG_CHOICES
    }

    fn list_templates() -> &'static [Template] {
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

    fn rules_guide() -> Text {
        Text {
            en: include_str!("../README.md"),
            zh: include_str!("../README.zh.md"),
        }
    }

    fn compare_corpus(text: &str, report: &mut dyn FnMut(parity::ParityCase)) {
        crate::parity::run(text, report);
    }

    fn render_position(&self, setup: &Setup, look: &RenderOptions) -> Rendering {
        render::render_board(setup, self, look)
    }

    /// The origin is bottom left.
    fn axis_labels() -> AxisLabels {
        AxisLabels {
            first: 0,
            rows_up: true,
        }
    }

    fn key_bindings(_: Seat) -> &'static [KeyBinding] {
        &KEYS
    }
}

const KEYS: [KeyBinding; 6] = [
    KeyBinding {
        keys: &[Key::Up, Key::Char('w')],
        action: "2",
        label: Text {
            en: "up", zh: "上"
        },
    },
    KeyBinding {
        keys: &[Key::Down, Key::Char('s')],
        action: "4",
        label: Text {
            en: "down",
            zh: "下",
        },
    },
    KeyBinding {
        keys: &[Key::Left, Key::Char('a')],
        action: "3",
        label: Text {
            en: "left",
            zh: "左",
        },
    },
    KeyBinding {
        keys: &[Key::Right, Key::Char('d')],
        action: "1",
        label: Text {
            en: "right",
            zh: "右",
        },
    },
    KeyBinding {
        keys: &[Key::Char('r')],
        action: "5",
        label: Text {
            en: "ray",
            zh: "融化射线",
        },
    },
    KeyBinding {
        keys: &[Key::Char(' ')],
        action: "6",
        label: Text {
            en: "split",
            zh: "分裂",
        },
    },
];
