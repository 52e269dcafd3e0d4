//! A call with its values and a file, as bytes: the length of the JSON text (four bytes, the lowest
//! first), the JSON text, and the file to the end.

use leitai_game::replay::EntrantRecord;
use leitai_game::{ByEntrant, BySeat, Entrant, Perspective, Seat};
use serde::Deserialize;
use serde_json::Value;

/// Receives the progress of a call, as JSON text.
pub type ProgressListener<'a> = &'a mut dyn FnMut(&str);

/// A call with its values.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "call", rename_all = "kebab-case")]
pub enum Call {
    /// Takes a game from a game file; the file is what the arena says of it.
    Load {
        /// The number of the compiled module in the worker.
        module: u32,
    },
    /// Plays a replay again and compares everything that is recorded.
    Verify,
    /// The hash of every checkpoint.
    Checkpoints,
    /// The frames of a leg, as the server sends them.
    Frames(FramesCall),
    /// The analysis of a replay.
    Analyze(AnalyzeCall),
    /// What a position is worth to both seats, with their best lines.
    Assess(AssessCall),
    /// What positions spread over a leg are worth: a look at its course before the analysis.
    Sketch(SketchCall),
    /// The views along a line of actions.
    Line(LineCall),
    /// A game and its built-in bots: that of the replay, or the one that is named.
    About {
        /// The game, if there is no replay.
        #[serde(default)]
        game: Option<String>,
        /// The version of a game from a game file.
        #[serde(default)]
        rules: Option<String>,
    },
    /// Plays a leg on.
    Play(PlayCall),
    /// What was played, as a replay file.
    Save(SaveCall),
    /// Compares the engine with a corpus of recorded games, for tests of the page.
    Corpus {
        /// The game.
        game: String,
    },
    /// Panics, so that a test sees what the page does then.
    Panic,
}

/// Which frames.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FramesCall {
    /// The leg, from 1.
    pub leg: usize,
    /// Whose knowledge is shown.
    pub perspective: PerspectiveName,
    /// The match in the arena; null for a file, which is then verified as well.
    #[serde(default)]
    pub summary: Value,
}

/// `all`, `first` or `second`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PerspectiveName {
    /// Everything.
    All,
    /// What the first seat may know.
    First,
    /// What the second seat may know.
    Second,
}

impl From<PerspectiveName> for Perspective {
    fn from(name: PerspectiveName) -> Perspective {
        match name {
            PerspectiveName::All => Perspective::All,
            PerspectiveName::First => Perspective::Seat(Seat::First),
            PerspectiveName::Second => Perspective::Seat(Seat::Second),
        }
    }
}

/// What is analysed; see [`leitai_analysis::AnalysisOptions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct AnalyzeCall {
    /// Nodes of every decision; the game's own number if null.
    #[serde(default)]
    pub budget: Option<u64>,
    /// Only this leg, from 1.
    #[serde(default)]
    pub leg: Option<usize>,
    /// Only the decisions of this entrant.
    #[serde(default)]
    pub entrant: Option<Entrant>,
}

/// Which position is assessed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct AssessCall {
    /// The leg, from 1.
    pub leg: usize,
    /// The steps that were played before it.
    pub step: usize,
    /// Nodes of the search; a multiple of the game's own number if null.
    #[serde(default)]
    pub budget: Option<u64>,
}

/// Which positions of a leg are assessed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct SketchCall {
    /// The leg, from 1.
    pub leg: usize,
    /// Their number; a leg may have fewer.
    pub points: usize,
}

/// Which line is played from a position.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct LineCall {
    /// The leg, from 1.
    pub leg: usize,
    /// The steps that were played before it.
    pub step: usize,
    /// Actions in notation, one a step.
    pub actions: Vec<String>,
}

/// Where a leg begins to be played on: a moment of the replay in the request, or a new match.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct StartCall {
    /// The game of a new match.
    #[serde(default)]
    pub game: Option<String>,
    /// The version of a game from a game file.
    #[serde(default)]
    pub rules: Option<String>,
    /// The config of a new match.
    #[serde(default)]
    pub config: Value,
    /// The seed of a new match.
    #[serde(default)]
    pub seed: u64,
    /// The leg, from 1.
    pub leg: usize,
    /// How many recorded steps are kept; all of them if null.
    #[serde(default)]
    pub step: Option<usize>,
}

/// How a leg is played on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PlayCall {
    /// Where it begins.
    #[serde(flatten)]
    pub start: StartCall,
    /// The replies after the start, as in a replay: one token for each step.
    #[serde(default)]
    pub replies: String,
    /// The built-in bots of the first and the second seat; null is a person.
    pub players: BySeat<Option<String>>,
    /// What people choose in this step.
    #[serde(default)]
    pub actions: BySeat<Option<String>>,
    /// The most steps that are played now.
    #[serde(default = "many")]
    pub limit: usize,
    /// Whose knowledge the frames show.
    pub perspective: PerspectiveName,
    /// The first step whose frame is wanted.
    #[serde(default)]
    pub frames_from: usize,
    /// The seed of the bots' random choices.
    #[serde(default)]
    pub bot_seed: u64,
    /// The names of A and B; null keeps the recorded name.
    #[serde(default)]
    pub names: ByEntrant<Option<String>>,
}

fn many() -> usize {
    64
}

/// What was played.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct SaveCall {
    /// Where the first of these legs begins.
    #[serde(flatten)]
    pub start: StartCall,
    /// The replies after the start, leg by leg.
    pub legs: Vec<String>,
    /// A and B; null keeps the recorded one.
    #[serde(default)]
    pub entrants: ByEntrant<Option<EntrantRecord>>,
    /// The number of legs after which the match is over; that of the replay, or of the game.
    #[serde(default)]
    pub match_legs: Option<usize>,
    /// When it was played, RFC 3339 in UTC.
    #[serde(default)]
    pub recorded: Option<String>,
}

/// The call and the file of a request.
///
/// # Errors
/// If the bytes are shorter than they say, or the call is unknown.
pub fn read_request(bytes: &[u8]) -> Result<(Call, &[u8]), String> {
    let cut = || format!("the request has {} bytes, too few", bytes.len());
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(cut)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (call, file) = rest.split_at_checked(length).ok_or_else(cut)?;
    let call = serde_json::from_slice(call).map_err(|why| format!("unknown call: {why}"))?;
    Ok((call, file))
}

/// The bytes of a request.
pub fn write_request(call: &str, file: &[u8]) -> Vec<u8> {
    let length = u32::try_from(call.len()).expect("a call is short");
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend_from_slice(call.as_bytes());
    bytes.extend_from_slice(file);
    bytes
}
