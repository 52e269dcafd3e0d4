//! A pinned position: the moment, the mistake and the reason, in its own file with the replay up to
//! there.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use leitai_game::replay::{EntrantKind, LegRecord, ReplayWalker};
use leitai_game::{AnyGame, Entrant, Replay, Reply};
use leitai_judge::ReplayPoint;
use serde::{Deserialize, Serialize};

use crate::{InvalidRequest, files};

/// The version of the file format.
const FORMAT: &str = "leitai-pin/1";

/// A pinned position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PinnedPosition {
    /// Always `leitai-pin/1`.
    pub format: String,
    /// Why it was a mistake, in the author's words.
    pub why: String,
    /// The entrant that made the mistake.
    pub entrant: Entrant,
    /// The leg, from 1.
    pub leg: usize,
    /// The round.
    pub round: u32,
    /// The mistake: the entrant's replies in that round, in notation; a fault is `!` and its code.
    pub played: Vec<String>,
    /// The replay up to the end of that leg, without logs and times.
    pub replay: Replay,
}

/// One reply of an entrant in a leg.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct PinnedReply {
    /// The index of its token.
    pub index: usize,
    pub round: u32,
    /// The reply in notation.
    pub played: String,
}

impl PinnedPosition {
    /// Pins a round of a replay. A missing leg or entrant is chosen if only one is possible.
    pub fn new(
        game: &dyn AnyGame,
        replay: &Replay,
        leg: Option<usize>,
        round: u32,
        entrant: Option<&str>,
        why: &str,
    ) -> anyhow::Result<PinnedPosition> {
        let legs = replay.legs.len();
        let leg = leg.or((legs == 1).then_some(1));
        let leg =
            leg.with_context(|| format!("the replay has {legs} legs; say which with --leg N"))?;
        ensure!(
            (1..=legs).contains(&leg),
            "there is no leg {leg}; the replay has {legs}"
        );
        let entrant = pinned_entrant(replay, leg, entrant)?;
        let steps = entrant_steps(game, replay, leg, entrant)?;
        let played: Vec<String> = steps
            .iter()
            .filter(|step| step.round == round)
            .map(|step| step.played.clone())
            .collect();
        if played.is_empty() {
            let last = steps.last().map_or(0, |step| step.round);
            let name = &replay.entrants[entrant].name;
            bail!(
                "{name} did not move in round {round} of leg {leg}; its last move there was in round {last}"
            );
        }
        Ok(PinnedPosition {
            format: FORMAT.to_owned(),
            why: why.to_owned(),
            entrant,
            leg,
            round,
            played,
            replay: trim_replay(replay, leg),
        })
    }

    /// The moment before the mistake.
    pub fn replay_point(&self) -> ReplayPoint {
        ReplayPoint {
            leg: self.leg,
            round: self.round,
        }
    }

    /// All replies of the entrant that made the mistake, in its leg.
    pub fn bot_steps(&self, game: &dyn AnyGame) -> anyhow::Result<Vec<PinnedReply>> {
        entrant_steps(game, &self.replay, self.leg, self.entrant)
    }

    /// Reads a file.
    pub fn read(path: &Path) -> anyhow::Result<PinnedPosition> {
        let name = || path.display().to_string();
        let pinned: PinnedPosition =
            serde_json::from_str(&files::read_text(path)?).with_context(name)?;
        let found = &pinned.format;
        ensure!(
            *found == FORMAT,
            "{}: the format is {found:?}; this version reads {FORMAT:?}",
            name()
        );
        // The replay is checked like any other.
        Replay::parse(&pinned.replay.to_text()).with_context(name)?;
        ensure!(
            (1..=pinned.replay.legs.len()).contains(&pinned.leg),
            "{}: there is no leg {}; it has {}",
            name(),
            pinned.leg,
            pinned.replay.legs.len()
        );
        Ok(pinned)
    }

    /// The file of this folder that pins the same position already, whatever reason it gives.
    pub fn find_same(&self, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
        let same = |pin: &PinnedPosition| {
            let why = self.why.clone();
            PinnedPosition { why, ..pin.clone() } == *self
        };
        let all = read_folder(folder)?.into_iter();
        let mut found = all.filter(|(_, pin)| pin.as_ref().is_ok_and(same));
        Ok(found.next().map(|(path, _)| path))
    }

    /// Writes a new file into the folder and returns its path.
    pub fn write_file(&self, folder: &Path) -> anyhow::Result<PathBuf> {
        let seed = self
            .replay
            .seed
            .map_or_else(|| "x".to_owned(), |seed| seed.to_string());
        let stem = format!(
            "{}-{seed}-{}-{}-{}",
            self.replay.game, self.leg, self.round, self.entrant
        );
        let path = (1..10_000)
            .map(|number| {
                if number == 1 {
                    format!("{stem}.json")
                } else {
                    format!("{stem}-{number}.json")
                }
            })
            .map(|name| folder.join(name))
            .find(|path| !path.exists());
        let path = path.with_context(|| {
            format!(
                "{} already has all file names for pins of this moment",
                folder.display()
            )
        })?;
        let text = serde_json::to_string(self).context("a pinned position is plain data")?;
        files::write_file(&path, format!("{text}\n"))?;
        Ok(path)
    }
}

/// The pinned positions of a folder, by name, or why a file is none; a folder that does not exist has
/// none.
///
/// # Errors
/// If the folder cannot be read.
pub fn read_folder(folder: &Path) -> anyhow::Result<Vec<FoundPin>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let read = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))
        .map_err(InvalidRequest::wrap)?;
    let mut paths: Vec<PathBuf> = read.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let read = |path: PathBuf| {
        let pin = PinnedPosition::read(&path);
        (path, pin)
    };
    Ok(paths.into_iter().map(read).collect())
}

/// A file of a folder with pinned positions.
pub type FoundPin = (PathBuf, anyhow::Result<PinnedPosition>);

/// The entrant that made the mistake: the given one, the only program, or the loser of the leg
/// (from 1).
///
/// # Errors
/// If the given one did not play, or if none can be chosen.
pub fn pinned_entrant(replay: &Replay, leg: usize, asked: Option<&str>) -> anyhow::Result<Entrant> {
    let names = Entrant::BOTH.map(|entrant| replay.entrants[entrant].name.as_str());
    if let Some(asked) = asked {
        let is =
            |entrant: &Entrant| asked == entrant.to_string() || asked == names[entrant.index()];
        let found = Entrant::BOTH.into_iter().find(is);
        return found.with_context(|| {
            format!(
                "{asked:?} did not play; it is A ({}) or B ({})",
                names[0], names[1]
            )
        });
    }
    let programs = Entrant::BOTH
        .into_iter()
        .filter(|one| replay.entrants[*one].kind == EntrantKind::Program);
    if let [only] = programs.collect::<Vec<_>>()[..] {
        return Ok(only);
    }
    let winner = replay.legs[leg - 1]
        .outcome
        .as_ref()
        .and_then(|outcome| outcome.winner);
    winner
        .map(|seat| seat.other().entrant_in_leg(leg - 1))
        .with_context(|| {
            format!(
                "whose mistake? --entrant A is {}, --entrant B is {}",
                names[0], names[1]
            )
        })
}

fn entrant_steps(
    game: &dyn AnyGame,
    replay: &Replay,
    leg: usize,
    entrant: Entrant,
) -> anyhow::Result<Vec<PinnedReply>> {
    let setup = game.read_setup(&replay.setup)?;
    let mut walk = ReplayWalker::new(&*setup, &replay.legs[leg - 1]);
    let mut steps = Vec::new();
    loop {
        let (round, index) = (walk.current_leg().round(), walk.step_number());
        let Some(replies) = walk.next(&mut ())? else {
            return Ok(steps);
        };
        let played = match replies[entrant.seat_in_leg(leg - 1)] {
            None => continue,
            Some(Reply::Action(action)) => action.to_owned(),
            Some(Reply::Fault(fault)) => format!("!{fault}"),
        };
        steps.push(PinnedReply {
            index,
            round,
            played,
        });
    }
}

/// The replay up to the end of a leg, without logs and times, which a test of positions does not
/// need.
fn trim_replay(replay: &Replay, leg: usize) -> Replay {
    let bare = |record: &LegRecord| LegRecord {
        replies: record.replies.clone(),
        hashes: record.hashes.clone(),
        final_hash: record.final_hash.clone(),
        outcome: record.outcome.clone(),
        ..LegRecord::default()
    };
    let mut trimmed = replay.clone();
    trimmed.legs = replay.legs[..leg].iter().map(bare).collect();
    trimmed
}
