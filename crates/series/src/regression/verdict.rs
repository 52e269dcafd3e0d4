//! What a bot's answer in a pinned position is worth.

/// Whether a pinned mistake is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegressionVerdict {
    /// The bot repeats the mistake, or gives another answer that fails.
    StillMade,
    /// The bot answers differently, or as it should.
    Gone,
    /// The bot gave no valid answer: it crashed, did not answer in time, or broke a rule.
    Failed,
    /// The bot could not be asked, so nothing is known.
    Unknown,
}
