//! Names of earlier rating scales.

use std::borrow::Cow;

use leitai_game::{EarlierLevels, RatedBot, RatingScale};

const SCALE: RatingScale = RatingScale {
    name: Cow::Borrowed("test-2"),
    levels: Cow::Borrowed(&[RatedBot {
        name: "level3",
        rating: 1000,
        error: 0,
    }]),
    ladder_bots: &[],
    public_bots: &[],
    former: &[RatedBot {
        name: "former",
        rating: 1300,
        error: 50,
    }],
    earlier: &[EarlierLevels {
        scale: "test-1",
        levels: &["level3", "level4", "former"],
    }],
};

#[test]
fn a_name_of_an_earlier_scale_leads_to_todays() {
    let check =
        |name, version, today| assert_eq!(SCALE.find_version(name, version), today, "{name}");
    check("level1", 1, Some("level3"));
    check("level2", 1, Some("level4"));
    check("level3", 1, Some("former"));
    check("level4", 1, None);
    check("level1", 2, Some("level1"));
    check("level1", 0, None);
    check("level1", 3, None);
    check("greedy", 1, Some("greedy"));
    check("greedy", 2, None);
    check("level01", 1, Some("level01")); // No level.
    assert_eq!(SCALE.find_level("level1", 1), Some(&SCALE.levels[0]));
    assert_eq!(SCALE.find_level("level3", 1), Some(&SCALE.former[0]));
    assert_eq!(SCALE.find_level("level1", 2), None);
}
