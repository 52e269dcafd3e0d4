//! The dataset of an arena: the finished matches of each day, in one file a day.
//!
//! A folder holds `YYYY-MM-DD.zip` for each past day (UTC) on which matches ended, and `index.json`.
//! An archive contains `dataset.json` (what it is), `matches.jsonl` (one match a line) and
//! `replays/ID.json`. Matches with people are left out, and those of contests whose organiser did
//! not consent (`visibility.dataset = "end"` in the contest's file); those of a secret game come once it is none; programs' logs are
//! removed.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use leitai_game::{GameSet, Replay};
use leitai_store::{
    BlobKey, BlobStoreError, ContestId, LadderId, Match, MatchEntrant, MatchEntrantKind, MatchId,
    MatchKind, StoreError, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::contests::rules::read_contest;
use crate::removal::Storage;
use crate::replay_privacy::{name_entrants, strip_private};
use crate::signatures::Signer;

/// The format's name in `dataset.json`.
pub const FORMAT: &str = "leitai-dataset/1";
/// One day in milliseconds.
const DAY: i64 = 86_400_000;
/// Matches read from the database at a time.
const BATCH: u64 = 500;

/// What is to be written.
#[derive(Clone, Debug)]
pub struct DatasetRequest {
    /// The folder, which exists.
    pub folder: PathBuf,
    /// Only this game; it is the same for all runs on one folder.
    pub game: Option<String>,
    /// Also days that are there already.
    pub again: bool,
    /// Also the day that is not over; the next run writes it again.
    pub today: bool,
    /// The time of the run.
    pub now: Timestamp,
}

/// One day of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetDay {
    /// The archive's name; `None` for a day without matches.
    pub file: Option<String>,
    /// Matches in it.
    pub matches: u64,
    /// Replays in it; those of older matches may have been removed before.
    pub replays: u64,
    /// Matches of contests that are not over yet; the day is written again once they are.
    pub withheld: u64,
    /// Whether it was written before the day was over; the next run writes it again.
    #[serde(default)]
    pub partial: bool,
    /// The archive's size.
    pub bytes: u64,
    /// The archive's SHA-256, in hexadecimal.
    pub sha256: String,
}

/// `index.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetIndex {
    /// [`FORMAT`].
    pub format: String,
    /// The only game in it, if it has but one.
    pub game: Option<String>,
    /// By day: `2027-03-14`.
    pub days: BTreeMap<String, DatasetDay>,
}

/// Errors of the export.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file was not written or read.
    #[error("{}: {why}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// The index is of another program or version.
    #[error("{} is not the index of a dataset ({why}); choose another folder", path.display())]
    ForeignIndex {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The folder has the matches of another choice of games.
    #[error("the folder has the dataset of {has}, not of {asked}; choose another folder")]
    OtherGame {
        /// What it has.
        has: String,
        /// What was asked for.
        asked: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The blob store failed.
    #[error(transparent)]
    Blobs(#[from] BlobStoreError),
}

/// How a match belongs to the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Belongs {
    Yes,
    Never,
    Later,
}

/// Writes the days that are missing; calls `told` with each that was written.
///
/// # Errors
/// See [`DatasetError`]; days that were written stay, and the next call continues.
pub async fn write_dataset(
    storage: &Storage,
    games: &GameSet,
    request: &DatasetRequest,
    mut told: impl FnMut(&str, &DatasetDay),
) -> Result<DatasetIndex, DatasetError> {
    let path = request.folder.join("index.json");
    let mut index = read_index(&path, request.game.as_deref())?;
    let Some(first) = storage.store.first_finish().await? else {
        write_whole(&path, &index_text(&index))?;
        return Ok(index);
    };
    let today = request.now.0.div_euclid(DAY);
    for number in first.0.div_euclid(DAY)..today + i64::from(request.today) {
        let span = Timestamp(number * DAY)..Timestamp((number + 1) * DAY);
        let name = span.start.day();
        let known = index.days.get(&name);
        if !request.again && known.is_some_and(|day| day.withheld == 0 && !day.partial) {
            continue;
        }
        let mut day = write_day(storage, games, request, span).await?;
        day.partial = number == today;
        index.days.insert(name.clone(), day);
        if index.days[&name] != DatasetDay::default() {
            // After every such day, so that a run that was killed is continued.
            write_whole(&path, &index_text(&index))?;
        }
        told(&name, &index.days[&name]);
    }
    write_whole(&path, &index_text(&index))?;
    Ok(index)
}

fn index_text(index: &DatasetIndex) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(index).expect("an index is plain data");
    text.push(b'\n');
    text
}

fn read_index(path: &Path, game: Option<&str>) -> Result<DatasetIndex, DatasetError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(DatasetIndex {
                format: FORMAT.to_owned(),
                game: game.map(str::to_owned),
                days: BTreeMap::new(),
            });
        }
        Err(why) => return Err(file_error(path, why)),
    };
    let foreign = |why: String| DatasetError::ForeignIndex {
        path: path.to_owned(),
        why,
    };
    let index: DatasetIndex =
        serde_json::from_slice(&text).map_err(|error| foreign(error.to_string()))?;
    if index.format != FORMAT {
        return Err(foreign(format!(
            "format {:?}, not {FORMAT:?}",
            index.format
        )));
    }
    if index.game.as_deref() != game {
        let name = |game: Option<&str>| game.unwrap_or("all games").to_owned();
        return Err(DatasetError::OtherGame {
            has: name(index.game.as_deref()),
            asked: name(game),
        });
    }
    Ok(index)
}

fn file_error(path: &Path, why: io::Error) -> DatasetError {
    DatasetError::File {
        path: path.to_owned(),
        why,
    }
}

/// Replaces a file at once, so that readers see the old one or the new one.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), DatasetError> {
    let unfinished = path.with_extension("unfinished");
    let write = || {
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)
    };
    write().map_err(|why| file_error(path, why))
}

/// The archive of a day while it is written.
struct DayArchive {
    path: PathBuf,
    unfinished: PathBuf,
    zip: ZipWriter<BufWriter<File>>,
    rows: Vec<u8>,
    day: DatasetDay,
}

impl DayArchive {
    fn create(folder: &Path, name: &str) -> Result<DayArchive, DatasetError> {
        let path = folder.join(format!("{name}.zip"));
        let unfinished = folder.join(format!("{name}.unfinished"));
        let file = File::create(&unfinished).map_err(|why| file_error(&unfinished, why))?;
        Ok(DayArchive {
            path,
            unfinished,
            zip: ZipWriter::new(BufWriter::new(file)),
            rows: Vec::new(),
            day: DatasetDay::default(),
        })
    }

    fn add_file(&mut self, name: &str, bytes: &[u8]) -> Result<(), DatasetError> {
        // Always the same bytes from the same matches: no times of files.
        let options = SimpleFileOptions::default()
            .last_modified_time(zip::DateTime::default())
            .large_file(bytes.len() > u32::MAX as usize);
        let written = self.zip.start_file(name, options).map_err(io::Error::from);
        written
            .and_then(|()| self.zip.write_all(bytes))
            .map_err(|why| file_error(&self.unfinished, why))
    }

    fn add_match(
        &mut self,
        own: &Match,
        tags: &[String],
        replay: Option<String>,
    ) -> Result<(), DatasetError> {
        let file = format!("replays/{}.json", own.id);
        if let Some(text) = &replay {
            self.add_file(&file, text.as_bytes())?;
            self.day.replays += 1;
        }
        let mut row = match_row(own, replay.map(|_| file));
        row["tags"] = json!(tags);
        serde_json::to_writer(&mut self.rows, &row).expect("a row is plain data");
        self.rows.push(b'\n');
        self.day.matches += 1;
        Ok(())
    }

    /// Finishes the archive; a day without matches has none.
    fn finish(mut self, name: &str, game: Option<&str>) -> Result<DatasetDay, DatasetError> {
        if self.day.matches == 0 {
            for path in [&self.unfinished, &self.path] {
                match fs::remove_file(path) {
                    Err(why) if why.kind() != io::ErrorKind::NotFound => {
                        return Err(file_error(path, why));
                    }
                    _ => {}
                }
            }
            return Ok(self.day);
        }
        let rows = std::mem::take(&mut self.rows);
        self.add_file("matches.jsonl", &rows)?;
        let about = json!({
            "format": FORMAT, "day": name, "game": game,
            "matches": self.day.matches, "replays": self.day.replays,
            "made-by": concat!("leitai ", env!("CARGO_PKG_VERSION")),
        });
        self.add_file("dataset.json", format!("{about:#}\n").as_bytes())?;
        let (unfinished, path) = (self.unfinished, self.path);
        let finish = |zip: ZipWriter<BufWriter<File>>| {
            let file = zip
                .finish()?
                .into_inner()
                .map_err(|error| error.into_error())?;
            file.sync_all()?;
            let mut hash = Sha256::new();
            let bytes = io::copy(&mut File::open(&unfinished)?, &mut hash)?;
            fs::rename(&unfinished, &path)?;
            Ok((bytes, hash.finalize()))
        };
        let (bytes, hash) = finish(self.zip).map_err(|why: io::Error| file_error(&path, why))?;
        self.day.bytes = bytes;
        self.day.sha256 = hex::encode(hash);
        self.day.file = Some(format!("{name}.zip"));
        Ok(self.day)
    }
}

async fn write_day(
    storage: &Storage,
    games: &GameSet,
    request: &DatasetRequest,
    span: Range<Timestamp>,
) -> Result<DatasetDay, DatasetError> {
    let (name, store) = (span.start.day(), &storage.store);
    let mut found = store.finished_matches(span.clone(), None, BATCH).await?;
    if found.is_empty() {
        return Ok(DatasetDay::default());
    }
    let signer = Signer::load(store, None).await?;
    let mut archive = DayArchive::create(&request.folder, &name)?;
    let mut consents = HashMap::new();
    let secret = games.hidden_ids();
    while let Some(last) = found.last() {
        let after = last.id;
        let of_contests =
            contest_consents(storage, games, &found, request.now, &mut consents).await?;
        let ids: Vec<MatchId> = found.iter().map(|own| own.id).collect();
        let mut tags = store.tags_of_matches(&ids).await?;
        for own in &found {
            if request.game.as_ref().is_some_and(|game| *game != own.game) || has_person(own) {
                continue;
            }
            let belongs = match own.kind {
                _ if secret.contains(&own.game) => Belongs::Later,
                MatchKind::Contest => of_contests.get(&own.id).copied().unwrap_or(Belongs::Never),
                MatchKind::Experiment => Belongs::Never,
                _ => Belongs::Yes,
            };
            match belongs {
                Belongs::Yes => {
                    let replay = public_replay(storage, &signer, own).await?;
                    let tags = tags.remove(&own.id).unwrap_or_default();
                    archive.add_match(own, &tags, replay)?;
                }
                Belongs::Later => archive.day.withheld += 1,
                Belongs::Never => {}
            }
        }
        found = store
            .finished_matches(span.clone(), Some(after), BATCH)
            .await?;
    }
    archive.finish(&name, request.game.as_deref())
}

fn has_person(own: &Match) -> bool {
    let is_person = |entrant: &Option<MatchEntrant>| {
        entrant
            .as_ref()
            .is_none_or(|entrant| entrant.kind == MatchEntrantKind::Person)
    };
    is_person(&own.a) || is_person(&own.b)
}

/// How the contest matches of a batch belong to the dataset.
async fn contest_consents(
    storage: &Storage,
    games: &GameSet,
    batch: &[Match],
    now: Timestamp,
    known: &mut HashMap<ContestId, Belongs>,
) -> Result<HashMap<MatchId, Belongs>, DatasetError> {
    let of_contests = batch.iter().filter(|own| own.kind == MatchKind::Contest);
    let ids: Vec<MatchId> = of_contests.map(|own| own.id).collect();
    let mut found = HashMap::new();
    for (id, contest) in storage.store.contests_of_matches(&ids).await? {
        let belongs = *known.entry(contest.id).or_insert_with(|| {
            let Ok(rules) = read_contest(games, &contest) else {
                // The file of its game may be there another time.
                let is_known = games.find(&contest.game).is_some();
                return if is_known {
                    Belongs::Never
                } else {
                    Belongs::Later
                };
            };
            let (second, is_over) = (now.0.div_euclid(1000), contest.ended.is_some());
            let is_shown =
                is_over && !contest.hides_results(now) && rules.replays.is_shown(second, is_over);
            match (rules.dataset, is_shown) {
                (false, _) => Belongs::Never,
                (true, true) => Belongs::Yes,
                (true, false) => Belongs::Later,
            }
        });
        found.insert(id, belongs);
    }
    Ok(found)
}

/// The replay as a stranger may read it, signed unless another arena judged it; `None` if it was removed, or cannot be read.
///
/// # Errors
/// If the blob store fails.
pub async fn public_replay(
    storage: &Storage,
    signer: &Signer,
    own: &Match,
) -> Result<Option<String>, BlobStoreError> {
    let Some(key) = own
        .replay
        .as_deref()
        .and_then(|key| BlobKey::parse(key).ok())
    else {
        return Ok(None);
    };
    let bytes = match storage.blobs.read_blob(&key).await {
        Ok(bytes) => bytes,
        Err(BlobStoreError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut replay = match Replay::parse(&text) {
        Ok(replay) => replay,
        Err(error) => {
            tracing::warn!(id = %own.id, %error, "a replay is damaged; the match is exported without it");
            return Ok(None);
        }
    };
    name_entrants(&mut replay, own);
    strip_private(&mut replay, |_| false);
    if own.part.is_none() {
        signer.sign(own.id, &mut replay);
    }
    Ok(Some(replay.to_text()))
}

/// A match as exports have it, without what only its authors may read.
pub fn match_row(own: &Match, replay: Option<String>) -> Value {
    let entrant = |entrant: &Option<MatchEntrant>| {
        entrant.as_ref().map(|entrant| {
            json!({
                "name": entrant.name, "bot": entrant.bot, "version": entrant.number,
                "author": entrant.user_name, "built-in": entrant.built_in,
            })
        })
    };
    json!({
        "id": own.id, "game": own.game, "kind": own.kind,
        "ladder": own.ladder.as_ref().map(LadderId::name),
        "created": own.created, "finished": own.finished,
        "seed": own.seed.get(), "config": own.config, "limits": own.limits,
        "a": entrant(&own.a), "b": entrant(&own.b),
        "winner": own.winner, "reason": own.reason, "scores": own.scores, "faults": own.faults,
        "legs": own.leg_outcomes, "replay": replay,
    })
}
