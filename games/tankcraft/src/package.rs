//! The game's bots, protocols, templates, texts, keys and rendering.

use std::borrow::Cow;

use leitai_game::figures::FigureCounter;
use leitai_game::render::{AxisLabels, KeyBinding, RenderOptions, Rendering};
use leitai_game::{
    ActionBuilder, AssessorInfo, EarlierLevels, GamePackage, PackageContents, Perspective,
    RatedBot, RatingScale, Seat, Text, parity,
};

use crate::event::Event;
use crate::options::list_options;
use crate::order_builder::OrderBuilder;
use crate::position::Position;
use crate::setup::{CONFIG_CHOICES, Setup};
use crate::view::View;
use crate::{bots, figures, hosts, render, text_protocol};

impl GamePackage for Position {
    const CONTENTS: PackageContents<Position> = PackageContents {
        bots: bots::ALL,
        protocols: &[text_protocol::INFO],
        hosts: hosts::ALL,
        templates: leitai_game::starter_kits!("tankcraft", "Tankcraft"),
        config_options: &CONFIG_CHOICES,
        rules_guide: Text::new(include_str!("../guide.md"), include_str!("../guide.zh.md")),
        full_rules: Some(Text::new(
            include_str!("../../../docs/rules/tankcraft.md"),
            include_str!("../../../docs/rules/tankcraft.zh.md"),
        )),
        messages: &crate::messages::MESSAGES,
        assessor: Some(AssessorInfo {
            make: || Box::new(bots::decision::DecisionAssessor::default()),
            decision_nodes: bots::decision::DECISION_NODES,
        }),
        figures: Some(&figures::FIGURES),
        rating_scale: Some(&RATING_SCALE),
        // The rules number cells from 1, with row 1 at the top (R1.1).
        axis_labels: AxisLabels {
            first: 1,
            rows_up: false,
        },
        situations: include_str!("../situations.jsonl"),
        ..PackageContents::NOTHING
    };

    fn compare_corpus(text: &str, report: &mut dyn FnMut(parity::ParityCase)) {
        crate::parity::run(text, report);
    }

    fn count_figures(
        _: &Setup,
        before: &Position,
        after: &Position,
        events: &[Event],
        count: FigureCounter<'_>,
    ) {
        figures::count_round(before, after, events, count);
    }

    fn render_position(&self, setup: &Setup, look: &RenderOptions) -> Rendering {
        render::render_map(setup, self, look)
    }

    /// No single keys: five orders a round need an action builder.
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
        list_options(&View::new(setup, self, Perspective::Seat(seat)), seat)
    }
}

/// The levels as measured by `examples/tankcraft_strength.rs` under strict fog, each against the one
/// below it (docs/built-in-bots.md). Level 3, the lowest of the scale of 2026.1, anchors the scale;
/// the squares of the errors add up along the chain.
const RATING_SCALE: RatingScale = RatingScale {
    name: Cow::Borrowed("tankcraft-2026.2"),
    levels: Cow::Borrowed(&[
        RatedBot::new("level1", 604, 57),
        RatedBot::new("level2", 802, 40),
        RatedBot::new("level3", 1000, 0),
        RatedBot::new("level4", 1186, 58),
        RatedBot::new("level5", 1347, 81),
        RatedBot::new("level6", 1548, 101),
        RatedBot::new("level7", 1739, 116),
        RatedBot::new("level8", 1968, 146),
    ]),
    ladder_bots: &[
        RatedBot::new("random", 779, 283),
        RatedBot::new("miner", 1751, 193),
        RatedBot::new("squad", 1834, 201),
    ],
    public_bots: &[],
    former: &[],
    earlier: &[EarlierLevels {
        scale: "tankcraft-2026.1",
        levels: &[
            "level3", "level4", "level5", "level6", "level7", "level8", "level9", "level10",
        ],
    }],
};
