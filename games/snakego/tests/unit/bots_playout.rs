//! Tests of `bots::playout`.

use leitai_snakego::bots::playout::*;

#[test]
fn a_curve_rises_and_is_undone() {
    for curve in [LeadCurve::Flat, LeadCurve::Steep] {
        let leads = [-9.0, -2.5, -1.0, -0.25, 0.0, 0.25, 1.0, 2.5, 9.0];
        let values = leads.map(|lead| curve.value_of(lead));
        assert!(values.is_sorted(), "{values:?}");
        assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
        for lead in [-2.0, -0.5, 0.0, 0.5, 2.0] {
            let found = curve.lead_of(curve.value_of(lead));
            assert!((found - lead).abs() < 1e-4, "{curve:?}: {lead} {found}");
        }
        // No value is infinitely far away.
        assert!(curve.lead_of(0.0) < -2.0 && curve.lead_of(1.0).is_finite());
    }
    // Three in four, and the logistic function of twice the lead.
    assert_eq!(LeadCurve::Flat.value_of(1.0), 0.75);
    assert!((LeadCurve::Steep.value_of(1.0) - 0.8808).abs() < 0.01);
}
