//! What the game brings along beside its rules: bots, protocols, programs to begin with, a drawing,
//! keys.

use leitai_game::render::{AxisLabels, KeyBinding, RenderOptions, Rendering};
use leitai_game::{
    ActionBuilder, BotInfo, ConfigOption, GamePackage, Host, Perspective, ProtocolInfo, Seat,
    Template, Text, parity,
};

use crate::options::options;
use crate::order_builder::OrderBuilder;
use crate::position::Position;
use crate::setup::{CONFIG_CHOICES, Setup};
use crate::view::View;
use crate::{bots, hosts, render, text_protocol};

impl GamePackage for Position {
    fn list_bots() -> &'static [BotInfo<Position>] {
        bots::ALL
    }

    fn list_protocols() -> &'static [ProtocolInfo<Position>] {
        const { &[text_protocol::INFO] }
    }

    fn list_hosts() -> &'static [Host] {
        hosts::ALL
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
        render::render_map(setup, self, look)
    }

    /// As the rules number cells: from 1, row 1 on top (R1.1).
    fn axis_labels() -> AxisLabels {
        AxisLabels {
            first: 1,
            rows_up: false,
        }
    }

    /// None: five orders a round need more than one key.
    fn key_bindings(_: Seat) -> &'static [KeyBinding] {
        &[]
    }

    fn action_builder(seat: Seat) -> Option<Box<dyn ActionBuilder<Position>>> {
        Some(Box::new(OrderBuilder::new(seat)))
    }

    fn list_options(&self, setup: &Setup, seat: Seat) -> serde_json::Value {
        if self.end().is_some() {
            return serde_json::Value::Null;
        }
        options(&View::new(setup, self, Perspective::Seat(seat)), seat)
    }
}
