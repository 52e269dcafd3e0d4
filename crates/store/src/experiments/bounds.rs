//! What a sequential test asks: its hypotheses, its error rates, and when it gives up.

/// What a sequential test asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestBounds {
    /// The weaker hypothesis, in Elo.
    pub elo0: f64,
    /// The stronger hypothesis, in Elo.
    pub elo1: f64,
    /// The chance to accept what is only `elo0` stronger.
    pub alpha: f64,
    /// The chance to reject what is `elo1` stronger.
    pub beta: f64,
    /// The number of pairs after which it ends undecided.
    pub most_pairs: i32,
}

impl TestBounds {
    /// Those of candidates, unless their author says others: 30 Elo better, with error rates of 5 %,
    /// in at most 200 pairs.
    pub const CANDIDATE: TestBounds = TestBounds {
        elo0: 0.0,
        elo1: 30.0,
        alpha: 0.05,
        beta: 0.05,
        most_pairs: 200,
    };
}
