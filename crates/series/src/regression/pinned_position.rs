//! A pinned position: the moment, the mistake and the reason, in its own file with the replay up to
//! there.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use leitai_game::replay::{EntrantKind, LegRecord, MatchStatus, ReplayWalker, verify_replay};
use leitai_game::{AnyGame, Entrant, Replay, Reply};
use leitai_judge::{ReplayPoint, ResumePoint};
use serde::{Deserialize, Serialize};

use super::verdict::RegressionVerdict;
use crate::{InvalidRequest, files};

/// The version of the file format.
const FORMAT: &str = "leitai-pin/1";
/// The version of a moment that says more than what was played: earlier readers would judge it wrongly.
const FORMAT_WITH_LISTS: &str = "leitai-pin/2";
/// The most characters of a reason.
const LONGEST_WHY: usize = 200;
/// The most characters of a category.
const LONGEST_CATEGORY: usize = 40;
/// The most answers that a moment lists.
const MOST_LISTED: usize = 32;

/// A pinned position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedPosition {
    /// `leitai-pin/1`, or `leitai-pin/2` with `passes` or `fails`.
    pub format: String,
    /// Why it was a mistake, in the author's words.
    pub why: String,
    /// What kind of situation it is; empty: of none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// The entrant that made the mistake.
    pub entrant: Entrant,
    /// The leg, from 1.
    pub leg: usize,
    /// The round.
    pub round: u32,
    /// The mistake: the entrant's replies in that round, in notation; a fault is `!` and its code.
    pub played: Vec<String>,
    /// What passes, each as all replies of the round; empty: everything but `played` and `fails`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<Vec<String>>,
    /// What fails beside `played`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fails: Vec<Vec<String>>,
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
            category: String::new(),
            entrant,
            leg,
            round,
            played,
            passes: Vec::new(),
            fails: Vec::new(),
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
        PinnedPosition::parse(&files::read_text(path)?).with_context(|| path.display().to_string())
    }

    /// Reads a moment of a stranger; [`PinnedPosition::check`] looks at what the rules say of it.
    pub fn parse(text: &str) -> anyhow::Result<PinnedPosition> {
        let pinned: PinnedPosition = serde_json::from_str(text)?;
        let (found, lists) = (&pinned.format, pinned.has_lists());
        ensure!(
            found == FORMAT_WITH_LISTS || (found == FORMAT && !lists),
            "the format is {found:?}; this version reads {FORMAT:?}, and with passes or fails {FORMAT_WITH_LISTS:?}"
        );
        // The replay is checked like any other.
        Replay::parse(&pinned.replay.to_text())?;
        ensure!(
            (1..=pinned.replay.legs.len()).contains(&pinned.leg),
            "there is no leg {}; it has {}",
            pinned.leg,
            pinned.replay.legs.len()
        );
        let listed = pinned.passes.len() + pinned.fails.len();
        ensure!(
            listed <= MOST_LISTED,
            "it lists {listed} answers; list at most {MOST_LISTED}"
        );
        for (name, text, most) in [
            ("why", &pinned.why, LONGEST_WHY),
            ("category", &pinned.category, LONGEST_CATEGORY),
        ] {
            let length = text.chars().count();
            ensure!(
                length <= most,
                "{name} has {length} characters; write at most {most}"
            );
        }
        Ok(pinned)
    }

    fn has_lists(&self) -> bool {
        !self.passes.is_empty() || !self.fails.is_empty()
    }

    /// The same with these answers that pass.
    pub fn with_passes(self, passes: Vec<Vec<String>>) -> PinnedPosition {
        PinnedPosition {
            format: FORMAT_WITH_LISTS.to_owned(),
            passes,
            ..self
        }
    }

    /// Whether the moment is what it says: the replay is verified up to its leg, the entrant played
    /// there what is recorded, and what is listed is legal.
    pub fn check(&self, game: &dyn AnyGame) -> anyhow::Result<()> {
        ResumePoint::new(game, &self.replay, self.replay_point())?;
        let until_leg = Replay {
            status: MatchStatus::Interrupted,
            verdict: None,
            legs: self.replay.legs[..self.leg].to_vec(),
            ..self.replay.clone()
        };
        if let Err(difference) = verify_replay(game, &until_leg)? {
            bail!("the replay is not what the rules say: {difference}");
        }
        let steps = self.bot_steps(game)?;
        let own: Vec<&PinnedReply> = steps.iter().filter(|one| one.round == self.round).collect();
        let recorded: Vec<&str> = own.iter().map(|one| one.played.as_str()).collect();
        ensure!(
            !recorded.is_empty() && recorded == self.played,
            "round {} of the replay has {:?}, not {:?}; write played as it is recorded",
            self.round,
            recorded.join(" "),
            self.played.join(" ")
        );
        self.check_listed(game, own[0].index)
    }

    /// Whether what passes and fails could be answered in the step with this index.
    fn check_listed(&self, game: &dyn AnyGame, index: usize) -> anyhow::Result<()> {
        if !self.has_lists() || !game.capabilities().legal_actions {
            return Ok(());
        }
        let setup = game.read_setup(&self.replay.setup)?;
        let mut walk = ReplayWalker::new(&*setup, &self.replay.legs[self.leg - 1]);
        for _ in 0..index {
            walk.next(&mut ())?;
        }
        let (leg, seat) = (walk.current_leg(), self.entrant.seat_in_leg(self.leg - 1));
        for listed in self.passes.iter().chain(&self.fails) {
            let first = listed.first().map_or("", String::as_str);
            if leg.check_action(seat, first).is_err() {
                bail!(
                    "{first:?} is no legal action in round {}; list actions in notation",
                    self.round
                );
            }
            ensure!(
                listed[1..].iter().all(|action| leg.knows_action(action)),
                "{:?} is no list of actions in notation",
                listed.join(" ")
            );
        }
        Ok(())
    }

    /// What these answers in the round are worth: those up to the first that is not the recorded one.
    pub fn judge(&self, answers: &[String]) -> RegressionVerdict {
        let same = |listed: &Vec<String>| self.up_to_difference(listed) == answers;
        let fails = same(&self.played) || self.fails.iter().any(same);
        match () {
            () if answers.len() < self.played.len() && self.played.starts_with(answers) => {
                RegressionVerdict::Unknown
            }
            () if !self.passes.is_empty() && self.passes.iter().any(same) => {
                RegressionVerdict::Gone
            }
            () if fails => RegressionVerdict::StillMade,
            () if answers.iter().any(|answer| answer.starts_with('!')) => RegressionVerdict::Failed,
            () if self.passes.is_empty() => RegressionVerdict::Gone,
            () => RegressionVerdict::StillMade,
        }
    }

    /// These replies up to the first that is not the recorded one, it included: later questions are not
    /// the recorded ones.
    fn up_to_difference<'a>(&self, replies: &'a [String]) -> &'a [String] {
        let same = replies.iter().zip(&self.played);
        let same = same.take_while(|(one, other)| one == other).count();
        &replies[..replies.len().min(self.played.len()).min(same + 1)]
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
