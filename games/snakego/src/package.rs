//! The game's bots, protocols, templates, texts, keys and rendering.

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
        rules_guide: Text {
            en: include_str!("../guide.md"),
            zh: include_str!("../guide.zh.md"),
        },
        full_rules: Some(Text {
            en: include_str!("../../../docs/rules/snakego.md"),
            zh: include_str!("../../../docs/rules/snakego.zh.md"),
        }),
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
    name: "snakego-2026.3",
    levels: &[
        rate_level("level1", 595, 66),
        rate_level("level2", 777, 48),
        rate_level("level3", 1000, 0),
        rate_level("level4", 1144, 67),
        rate_level("level5", 1319, 97),
        rate_level("level6", 1495, 119),
        rate_level("level7", 1714, 141),
        rate_level("level8", 1917, 166),
        rate_level("level9", 2158, 183),
        rate_level("level10", 2380, 190),
    ],
    ladder_bots: &[
        rate_level("random", 865, 312),
        rate_level("greedy", 1502, 273),
        rate_level("territory", 2149, 311),
    ],
    public_bots: &[],
    former: &[rate_level("former-level10", 2560, 203)],
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

const fn rate_level(name: &'static str, rating: i32, error: u32) -> RatedBot {
    RatedBot {
        name,
        rating,
        error,
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
