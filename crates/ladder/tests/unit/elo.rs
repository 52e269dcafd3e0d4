//! Tests of `elo`.

use leitai_ladder::elo::*;
use proptest::prelude::*;

/// Rows of the table of expected scores in FIDE's rating regulations (8.1.2).
#[test]
fn agrees_with_the_table_of_fide() {
    for (elo, expected) in [
        (0.0, 0.50),
        (25.0, 0.53),
        (100.0, 0.64),
        (200.0, 0.76),
        (400.0, 0.92),
    ] {
        let got = expected_score(elo);
        assert!((got - expected).abs() < 0.013, "{elo}: {got}");
        assert!((expected_score(-elo) - (1.0 - got)).abs() < 1e-12);
    }
}

proptest! {
    #[test]
    fn difference_is_the_inverse_of_share(elo in -1500.0f64..1500.0) {
        prop_assert!((elo_difference(expected_score(elo)) - elo).abs() < 1e-6);
    }
}
