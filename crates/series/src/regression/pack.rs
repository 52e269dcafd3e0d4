//! A situation pack: moments that a bot is asked, in one file. The first line says what it is, each
//! further line is a pinned position; see docs/situations.md.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use leitai_game::AnyGame;
use leitai_game::text::LocalizedText;
use serde::{Deserialize, Serialize};

use super::pinned_position::{FoundPin, PinnedPosition, read_folder};
use crate::{InvalidRequest, files};

/// The version of the file format.
const FORMAT: &str = "leitai-situations/1";
/// The most bytes of a pack.
pub const MAX_PACK: usize = 1 << 20;
/// The most moments of a pack.
pub const MAX_MOMENTS: usize = 64;
/// The most characters of a name.
const LONGEST_NAME: usize = 80;
/// The most steps that the replays of a pack have together: each is played again when it is checked.
const MAX_STEPS: usize = 100_000;

/// A situation pack.
#[derive(Clone, Debug, PartialEq)]
pub struct SituationPack {
    /// Its name.
    pub name: LocalizedText,
    /// The game's id.
    pub game: String,
    /// What is asked.
    pub moments: Vec<PinnedPosition>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    name: LocalizedText,
    game: String,
}

impl SituationPack {
    /// Reads a file.
    pub fn read(path: &Path) -> anyhow::Result<SituationPack> {
        let pack = SituationPack::parse(&files::read_text(path)?);
        pack.with_context(|| path.display().to_string())
            .map_err(InvalidRequest::wrap)
    }

    /// Reads a pack of a stranger; [`SituationPack::check`] looks at what the rules say of it.
    pub fn parse(text: &str) -> anyhow::Result<SituationPack> {
        ensure!(
            text.len() <= MAX_PACK,
            "the pack has {} bytes; leave out moments until it has at most {MAX_PACK}",
            text.len()
        );
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let header = lines.next().unwrap_or_default();
        let Header { format, name, game } = serde_json::from_str(header)
            .context("the first line is no head of a pack; it has format, name and game")?;
        ensure!(
            format == FORMAT,
            "the format is {format:?}; this version reads {FORMAT:?}"
        );
        for name in [&name.en, &name.zh] {
            let length = name.chars().count();
            ensure!(
                (1..=LONGEST_NAME).contains(&length),
                "a name of the pack has {length} characters; write 1 to {LONGEST_NAME}, in en and in zh"
            );
        }
        let lines: Vec<&str> = lines.collect();
        ensure!(
            (1..=MAX_MOMENTS).contains(&lines.len()),
            "the pack has {} moments; it may have 1 to {MAX_MOMENTS}",
            lines.len()
        );
        let read = |(line, number): (&&str, usize)| {
            let moment = PinnedPosition::parse(line);
            moment.with_context(|| format!("moment {number}"))
        };
        let moments = lines.iter().zip(1..).map(read);
        let moments: Vec<PinnedPosition> = moments.collect::<anyhow::Result<_>>()?;
        let legs = moments.iter().flat_map(|one| &one.replay.legs);
        let steps: usize = legs
            .map(|leg| leg.replies.split_ascii_whitespace().count())
            .sum();
        ensure!(
            steps <= MAX_STEPS,
            "its replays have {steps} steps; leave out moments until they have at most {MAX_STEPS}"
        );
        Ok(SituationPack {
            name,
            game,
            moments,
        })
    }

    /// The moment with this number, from 1, of a file that was checked; the others are not read.
    pub fn read_moment(text: &str, number: usize) -> Option<PinnedPosition> {
        // The head has no number.
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        PinnedPosition::parse(lines.skip(1).nth(number.checked_sub(1)?)?).ok()
    }

    /// Whether every moment is what it says.
    pub fn check(&self, game: &dyn AnyGame) -> anyhow::Result<()> {
        let id = game.meta().id;
        ensure!(
            self.game == id,
            "it is a pack of {:?}, not of {id}",
            self.game
        );
        for (moment, number) in self.moments.iter().zip(1..) {
            let checked = moment.check(game);
            checked.with_context(|| format!("moment {number}"))?;
        }
        Ok(())
    }

    /// The text of its file.
    pub fn to_text(&self) -> String {
        let header = Header {
            format: FORMAT.to_owned(),
            name: self.name.clone(),
            game: self.game.clone(),
        };
        let plain = "a pack is plain data";
        let moments = self.moments.iter();
        let moments = moments.map(|moment| serde_json::to_string(moment).expect(plain));
        let lines = std::iter::once(serde_json::to_string(&header).expect(plain)).chain(moments);
        lines.map(|line| line + "\n").collect()
    }

    /// The pack that comes with a game, if it has one.
    pub fn of_game(game: &dyn AnyGame) -> Option<SituationPack> {
        let text = game.situations();
        (!text.is_empty()).then(|| SituationPack::parse(text).expect("a test reads it"))
    }
}

/// The positions of a folder, or the moments of a file that is a pack, with their numbers.
///
/// # Errors
/// If the folder cannot be read, or the file is no pack.
pub fn read_positions(path: &Path) -> anyhow::Result<Vec<FoundPin>> {
    if !path.is_file() {
        return read_folder(path);
    }
    let moments = SituationPack::read(path)?.moments.into_iter().zip(1..);
    let named = |(moment, number)| {
        let name = format!("{}#{number}", path.display());
        (PathBuf::from(name), Ok(moment))
    };
    Ok(moments.map(named).collect())
}
