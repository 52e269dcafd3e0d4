//! The game's bots, protocols, templates, texts, keys and rendering.

use std::borrow::Cow;

use leitai_game::figures::FigureCounter;
use leitai_game::render::{Key, KeyBinding, RenderOptions, Rendering};
use leitai_game::{
    AssessorInfo, EarlierLevels, GamePackage, PackageContents, RatedBot, RatingScale, Seat, Text,
    parity,
};

use crate::position::{Event, Position};
use crate::setup::{CONFIG_CHOICES, Setup};
use crate::{bots, figures, hosts, line_protocol, record, render};

impl GamePackage for Position {
    const CONTENTS: PackageContents<Position> = PackageContents {
        bots: bots::ALL,
        protocols: &[line_protocol::INFO],
        hosts: hosts::ALL,
        templates: leitai_game::starter_kits!("kob", "Kob"),
        config_options: &CONFIG_CHOICES,
        rules_guide: Text::new(include_str!("../guide.md"), include_str!("../guide.zh.md")),
        full_rules: Some(Text::new(
            include_str!("../../../docs/rules/kob.md"),
            include_str!("../../../docs/rules/kob.zh.md"),
        )),
        messages: &crate::messages::MESSAGES,
        replay_formats: &[record::FORMAT],
        figures: Some(&figures::FIGURES),
        rating_scale: Some(&RATING_SCALE),
        assessor: Some(AssessorInfo {
            make: || Box::new(bots::decision::DecisionAssessor::default()),
            decision_nodes: bots::decision::DECISION_NODES,
        }),
        situations: include_str!("../situations.jsonl"),
        ..PackageContents::NOTHING
    };

    fn compare_corpus(text: &str, report: &mut dyn FnMut(parity::ParityCase)) {
        crate::parity::compare_corpus(text, report);
    }

    fn count_figures(
        setup: &Setup,
        before: &Position,
        _: &Position,
        _: &[Event],
        count: FigureCounter<'_>,
    ) {
        figures::count_round(setup, before, count);
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

/// The levels as measured by `examples/kob_strength.rs`, each against the one below it (200 legs and
/// more; docs/built-in-bots.md). Level 3, the lowest of the scale of 2026.1, anchors the scale; the
/// squares of the errors add up along the chain. Levels 5 and 8 are new on this scale and stand
/// between their neighbours, which keep their ratings, as their legs against both say.
const RATING_SCALE: RatingScale = RatingScale {
    name: Cow::Borrowed("kob-2026.3"),
    levels: Cow::Borrowed(&[
        RatedBot::new("level1", 616, 53),
        RatedBot::new("level2", 814, 38),
        RatedBot::new("level3", 1000, 0),
        RatedBot::new("level4", 1168, 54),
        RatedBot::new("level5", 1382, 77),
        RatedBot::new("level6", 1584, 99),
        RatedBot::new("level7", 1768, 113),
        RatedBot::new("level8", 1992, 137),
        RatedBot::new("level9", 2211, 150),
        RatedBot::new("level10", 2362, 163),
    ]),
    ladder_bots: &[
        RatedBot::new("random", 704, 272),
        RatedBot::new("safe", 1296, 194),
        RatedBot::new("sample", 1338, 192),
        RatedBot::new("space", 1888, 202),
        RatedBot::new("alphabeta", 2564, 264),
    ],
    public_bots: &[],
    former: &[
        RatedBot::new("former-level5", 1354, 77),
        RatedBot::new("former-level8", 1996, 137),
    ],
    earlier: &[
        EarlierLevels {
            scale: "kob-2026.1",
            levels: &[
                "level3",
                "level4",
                "former-level5",
                "level6",
                "level7",
                "former-level8",
                "level9",
                "level10",
            ],
        },
        EarlierLevels {
            scale: "kob-2026.2",
            levels: &[
                "level1",
                "level2",
                "level3",
                "level4",
                "former-level5",
                "level6",
                "level7",
                "former-level8",
                "level9",
                "level10",
            ],
        },
    ],
};

const LETTERS: [KeyBinding; 4] = [
    KeyBinding::new(&[Key::Char('w')], "0", Text::new("up", "上")),
    KeyBinding::new(&[Key::Char('d')], "1", Text::new("right", "右")),
    KeyBinding::new(&[Key::Char('s')], "2", Text::new("down", "下")),
    KeyBinding::new(&[Key::Char('a')], "3", Text::new("left", "左")),
];

const ARROWS: [KeyBinding; 4] = [
    KeyBinding::new(&[Key::Up], "0", Text::new("up", "上")),
    KeyBinding::new(&[Key::Right], "1", Text::new("right", "右")),
    KeyBinding::new(&[Key::Down], "2", Text::new("down", "下")),
    KeyBinding::new(&[Key::Left], "3", Text::new("left", "左")),
];
