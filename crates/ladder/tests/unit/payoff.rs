//! Who beats whom.

use leitai_ladder::ScoreTally;
use leitai_ladder::payoff::PayoffMatrix;

fn field(size: usize, results: &[(usize, usize, u32, u32, u32)]) -> Vec<Vec<ScoreTally>> {
    let mut field = vec![vec![ScoreTally::default(); size]; size];
    for &(one, other, wins, draws, losses) in results {
        let tally = ScoreTally {
            wins,
            draws,
            losses,
        };
        field[one][other] = tally;
        field[other][one] = tally.flip_side();
    }
    field
}

#[test]
fn the_chance_of_being_stronger_is_that_of_a_beta_distribution() {
    // Games, and the part of Beta(wins + ½, losses + ½) above one half, by scipy.stats.beta.sf.
    let check = |wins: u32, draws: u32, losses: u32, expected: f64| {
        let field = field(2, &[(0, 1, wins, draws, losses)]);
        let payoffs = PayoffMatrix::new(&field);
        let own = payoffs.payoff(0, 1, 0.95).expect("they met").chance;
        let other = payoffs.payoff(1, 0, 0.95).expect("they met").chance;
        assert!((own - expected).abs() < 1e-8, "{own} {expected}");
        assert!((own + other - 1.0).abs() < 1e-9, "{own} {other}");
    };
    check(1, 0, 0, 0.8183098861837907);
    check(5, 0, 5, 0.5);
    check(7, 2, 1, 0.9739633851952306);
    check(60, 0, 40, 0.9775215216270663);
}

#[test]
fn cycles_and_who_cannot_be_beaten() {
    // 0 > 1 > 2 > 0 by much, and 3 loses to all.
    let clear = 30;
    let mut results = vec![
        (0, 1, clear, 0, 0),
        (1, 2, clear, 0, 0),
        (2, 0, clear, 0, 0),
    ];
    results.extend((0..3).map(|other| (3, other, 0, 0, 20)));
    let field = field(5, &results);
    let payoffs = PayoffMatrix::new(&field);
    let cycles = payoffs.find_cycles(0.9, 10);
    assert_eq!(cycles.len(), 1);
    assert_eq!(cycles[0].players, [0, 1, 2]);
    assert!(cycles[0].chance > 0.999);
    assert_eq!(payoffs.unbeaten_by(3, 0.95), [0, 1, 2]);
    assert_eq!(payoffs.unbeaten_by(0, 0.95), [2]);
    assert_eq!(payoffs.unbeaten_by(4, 0.95), Vec::<usize>::new());
    let shares = payoffs.nash_average(&[]).shares;
    assert!(
        shares[3] < 1e-6 && (shares[0] - shares[1]).abs() < 1e-6,
        "{shares:?}"
    );
    // Nobody has met the last one: it is level, unless its rating says more.
    let rated = payoffs
        .nash_average(&[0.0, 0.0, 0.0, -400.0, -800.0])
        .shares;
    assert!(shares[4] > 0.1 && rated[4] < 1e-6, "{shares:?} {rated:?}");
}
