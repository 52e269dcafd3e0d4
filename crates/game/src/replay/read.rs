//! Reads a replay of a stranger, and says why one cannot be shown or verified.

use std::fmt;
use std::ops::Deref;

use crate::erased::AnyGame;
use crate::replay::record::Replay;

/// The most steps of all legs of a replay that is shown.
const MOST_STEPS: usize = 200_000;

/// Why a replay cannot be shown or verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayRefusal {
    /// The kind of the refusal.
    pub kind: RefusalKind,
    /// The reason, with the value and what to do.
    pub message: String,
}

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The file is no replay in any known format.
    NotAReplay,
    /// It is a replay of a game that is not listed.
    UnknownGame,
    /// It has too many steps.
    TooLong,
    /// The rules cannot play it.
    NotPlayable,
    /// It has no such leg.
    NoLeg,
}

impl RefusalKind {
    /// The error code of the HTTP API.
    pub const fn code(self) -> &'static str {
        match self {
            RefusalKind::NotAReplay => "not-a-replay",
            RefusalKind::UnknownGame => "unknown-game",
            RefusalKind::TooLong => "too-long",
            RefusalKind::NotPlayable => "not-playable",
            RefusalKind::NoLeg => "not-found",
        }
    }
}

impl ReplayRefusal {
    /// A refusal of this kind.
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> ReplayRefusal {
        ReplayRefusal {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for ReplayRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReplayRefusal {}

/// Reads a file that a person dropped: a replay in Leitai's format, or in a foreign one that a game
/// imports.
///
/// # Errors
/// If it is not text, not a replay, of another game, or too long to be shown.
pub fn recognise_replay<G: Clone + Deref<Target = dyn AnyGame>>(
    games: &[G],
    bytes: &[u8],
) -> Result<(G, Replay), ReplayRefusal> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        ReplayRefusal::new(
            RefusalKind::NotAReplay,
            "the file is not text; drop a replay as it was downloaded",
        )
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let replay = match Replay::parse(text) {
        Ok(replay) => replay,
        Err(why) => import_foreign(games, text).ok_or_else(|| {
            ReplayRefusal::new(
                RefusalKind::NotAReplay,
                describe_unknown(games, text, &why.to_string()),
            )
        })?,
    };
    let found = games.iter().find(|game| game.meta().id == replay.game);
    let shown: String = replay.game.chars().take(40).collect();
    let game = found.cloned().ok_or_else(|| {
        ReplayRefusal::new(
            RefusalKind::UnknownGame,
            format!("it is a replay of {shown:?}, which is not played here"),
        )
    })?;
    let steps: usize = replay
        .legs
        .iter()
        .map(|leg| leg.replies.split_ascii_whitespace().count())
        .sum();
    if steps > MOST_STEPS {
        return Err(ReplayRefusal::new(
            RefusalKind::TooLong,
            format!("the replay has {steps} steps; at most {MOST_STEPS} can be shown"),
        ));
    }
    Ok((game, replay))
}

fn import_foreign<G: Deref<Target = dyn AnyGame>>(games: &[G], text: &str) -> Option<Replay> {
    let formats = games.iter().flat_map(|game| game.replay_formats());
    formats
        .filter_map(|format| (format.import)(text).ok())
        .next()
}

/// The reason why a text is not a replay: the parser's error if the text looks like Leitai's
/// format, otherwise a list of known formats.
fn describe_unknown<G: Deref<Target = dyn AnyGame>>(games: &[G], text: &str, why: &str) -> String {
    if text.contains("leitai-replay/") {
        return format!("the replay cannot be read: {why}");
    }
    let known: Vec<String> = games
        .iter()
        .flat_map(|game| {
            game.replay_formats()
                .iter()
                .map(|format| format!("{} ({})", format.name, game.meta().id))
        })
        .collect();
    format!(
        "this is not a replay that can be read here; known are Leitai's own and {}",
        known.join(", ")
    )
}
