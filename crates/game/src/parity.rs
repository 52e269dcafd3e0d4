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

/// Compares a corpus with a case a line; `compare` returns the case's name, if it has one, and what
/// came of it. Empty lines are left out.
pub fn compare_lines(
    text: &str,
    report: &mut dyn FnMut(ParityCase),
    compare: impl Fn(&str) -> (Option<String>, Result<(), String>),
) {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    for (index, line) in lines.take(MAX_CASES) {
        let (id, result) = compare(line);
        let id = id.unwrap_or_else(|| format!("line {}", index + 1));
        report(ParityCase { id, result });
    }
}

/// The difference between what a corpus says and what the engine finds, as a sentence.
pub fn check_equal<T: PartialEq + std::fmt::Debug>(
    what: &str,
    recorded: &T,
    ours: &T,
) -> Result<(), String> {
    if recorded == ours {
        return Ok(());
    }
    Err(format!(
        "{what}: recorded {recorded:?}, the engine's {ours:?}"
    ))
}
