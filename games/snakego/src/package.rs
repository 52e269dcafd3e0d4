//! The game's bots, protocols, templates, texts, keys and rendering.

use std::borrow::Cow;

use leitai_game::figures::FigureCounter;
use leitai_game::render::{AxisLabels, Key, KeyBinding, RenderOptions, Rendering};
use leitai_game::{
    AssessorInfo, EarlierLevels, GamePackage, PackageContents, RatedBot, RatingScale, Seat, Text,
    parity,
};

use crate::position::{Event, Position};
use crate::setup::{CONFIG_CHOICES, Setup};
use crate::{bots, figures, official, render, saiblo};

impl GamePackage for Position {
    const CONTENTS: PackageContents<Position> = PackageContents {
        bots: bots::ALL,
        protocols: &[saiblo::INFO],
        hosts: &[leitai_game::host::BOTZONE],
        templates: leitai_game::starter_kits!("snakego", "Snakego"),
        config_options: &CONFIG_CHOICES,
        rules_guide: Text::new(include_str!("../guide.md"), include_str!("../guide.zh.md")),
        full_rules: Some(Text::new(
            include_str!("../../../docs/rules/snakego.md"),
            include_str!("../../../docs/rules/snakego.zh.md"),
        )),
        messages: &crate::messages::MESSAGES,
        situations: include_str!("../situations.jsonl"),
        replay_formats: &[official::FORMAT],
        assessor: Some(AssessorInfo {
            make: || Box::new(bots::decision::DecisionAssessor::default()),
            decision_nodes: bots::decision::DECISION_NODES,
        }),
        figures: Some(&figures::FIGURES),
        rating_scale: Some(&RATING_SCALE),
        // The origin is at the lower left.
        axis_labels: AxisLabels {
            first: 0,
            rows_up: true,
        },
    };

    fn compare_corpus(text: &str, report: &mut dyn FnMut(parity::ParityCase)) {
        crate::parity::compare_corpus(text, report);
    }

    fn count_figures(
        setup: &Setup,
        before: &Position,
        after: &Position,
        events: &[Event],
        count: FigureCounter<'_>,
    ) {
        figures::count_action(setup, before, after, events, count);
    }

    fn render_position(&self, setup: &Setup, look: &RenderOptions) -> Rendering {
        render::render_board(setup, self, look)
    }

    fn key_bindings(_: Seat) -> &'static [KeyBinding] {
        &KEYS
    }
}

/// The levels as measured, each against the one below it (docs/built-in-bots.md). Level 3, the
/// lowest of the scale of 2026.1, anchors the scale; the squares of the errors add up along the
/// chain. Level 10 is new on this scale: the one of before stands 402 Elo above level 9 on whole
/// legs, where 2026.2 had said 206.
const RATING_SCALE: RatingScale = RatingScale {
    name: Cow::Borrowed("snakego-2026.3"),
    levels: Cow::Borrowed(&[
        RatedBot::new("level1", 595, 66),
        RatedBot::new("level2", 777, 48),
        RatedBot::new("level3", 1000, 0),
        RatedBot::new("level4", 1144, 67),
        RatedBot::new("level5", 1319, 97),
        RatedBot::new("level6", 1495, 119),
        RatedBot::new("level7", 1714, 141),
        RatedBot::new("level8", 1917, 166),
        RatedBot::new("level9", 2158, 183),
        RatedBot::new("level10", 2380, 190),
    ]),
    ladder_bots: &[
        RatedBot::new("random", 865, 312),
        RatedBot::new("greedy", 1502, 273),
        RatedBot::new("territory", 2149, 311),
    ],
    public_bots: &[],
    former: &[RatedBot::new("former-level10", 2560, 203)],
    earlier: &[
        EarlierLevels {
            scale: "snakego-2026.1",
            levels: &[
                "level3",
                "level4",
                "level5",
                "level6",
                "level7",
                "level8",
                "level9",
                "former-level10",
            ],
        },
        EarlierLevels {
            scale: "snakego-2026.2",
            levels: &[
                "level1",
                "level2",
                "level3",
                "level4",
                "level5",
                "level6",
                "level7",
                "level8",
                "level9",
                "former-level10",
            ],
        },
    ],
};

const KEYS: [KeyBinding; 6] = [
    KeyBinding::new(&[Key::Up, Key::Char('w')], "2", Text::new("up", "上")),
    KeyBinding::new(&[Key::Down, Key::Char('s')], "4", Text::new("down", "下")),
    KeyBinding::new(&[Key::Left, Key::Char('a')], "3", Text::new("left", "左")),
    KeyBinding::new(&[Key::Right, Key::Char('d')], "1", Text::new("right", "右")),
    KeyBinding::new(&[Key::Char('r')], "5", Text::new("ray", "融化射线")),
    KeyBinding::new(&[Key::Char(' ')], "6", Text::new("split", "分裂")),
];
