//! Tests of `normal`.

use leitai_ladder::normal::*;

#[test]
fn agrees_with_the_printed_tables() {
    let check = |z: f64, p: f64| {
        assert!((normal_cdf(z) - p).abs() < 5e-5, "{z}");
        assert!((normal_quantile(p) - z).abs() < 5e-3, "{p}");
    };
    check(0.0, 0.5);
    check(1.0, 0.8413);
    check(1.645, 0.9500);
    check(-2.326, 0.0100);
    for (value, free, tail) in [(3.841, 1.0, 0.05), (6.635, 1.0, 0.01), (9.488, 4.0, 0.05)] {
        assert!(
            (chi_square_tail(value, free) - tail).abs() < 3e-3,
            "{value}"
        );
    }
    assert!((two_sided(0.95) - 1.959_964).abs() < 1e-6);
}
