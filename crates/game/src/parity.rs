//! Parity of an engine with a corpus of games whose results are known.

/// One case of a corpus: a game, a map, a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParityCase {
    /// The name in the corpus, or the place ("line 3").
    pub id: String,
    /// `Err` is the first difference, as a sentence with both values.
    pub result: Result<(), String>,
}

impl ParityCase {
    /// What a game says that reads no corpus.
    pub fn without_corpus() -> ParityCase {
        ParityCase {
            id: "the corpus".into(),
            result: Err("this game reads no corpus".into()),
        }
    }
}

/// The most cases that are read from one corpus file.
pub const MAX_CASES: usize = 10_000_000;
