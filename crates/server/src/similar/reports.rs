//! The comparisons of contests: computed in the background, one at a time, and kept until an entrant
//! plays with another version.

use std::collections::HashSet;
use std::sync::Arc;

use leitai_game::GameHandle;
use leitai_store::{
    BlobKey, BlobStore, Contest, ContestEntry, EntryId, EntryLeft, Store, StoreError, Version,
    VersionId,
};
use tokio::sync::{Semaphore, watch};

use super::fingerprints::fingerprint_source;
use super::given_fingerprints;
use super::pairs::find_pairs;
use super::source::{SourceText, read_source};
use crate::sync::lock;

/// Entrants that are compared.
const MOST: usize = 1_500;
/// Comparisons that are kept.
const KEPT: usize = 8;
/// Comparisons at a time.
static WORK: Semaphore = Semaphore::const_new(1);

/// An entry whose source is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedEntry {
    /// The entry.
    pub entry: EntryId,
    /// The name of its bot.
    pub name: String,
    /// The version that plays, or would play now.
    pub version: VersionId,
    /// The version's number.
    pub number: i32,
    /// Whether there is more of it than is looked at.
    pub is_cut: bool,
}

/// Why an entry is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// It has no version, or its source is gone.
    Gone,
    /// There is no source in a known language in it.
    NoSource,
    /// There are more entrants than are compared.
    TooMany,
}

/// Two entries that have much in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarPair {
    /// Their places among the compared entries.
    pub entries: [usize; 2],
    /// Twice what is shared by all that both have, 0 to 1.
    pub similarity: f64,
    /// Which part of each is in the other, 0 to 1.
    pub parts: [f64; 2],
}

/// A comparison.
#[derive(Clone, Debug, Default)]
pub struct SimilarReport {
    /// What was compared.
    pub compared: Vec<ComparedEntry>,
    /// What was not.
    pub left_out: Vec<(EntryId, LeftOut)>,
    /// The pairs that have much in common, most similar first.
    pub pairs: Vec<SimilarPair>,
    /// Fingerprints that are taken off: of what was given, and of what too many have.
    pub common: HashSet<u64>,
}

/// How far a comparison is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Sources that were read.
    pub done: usize,
    /// Sources in all.
    pub of: usize,
    /// The comparison, at its end; `None` inside if it failed.
    pub report: Option<Option<Arc<SimilarReport>>>,
}

/// The comparisons of contests. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SimilarSources(Arc<std::sync::Mutex<Vec<KeptComparison>>>);

#[derive(Debug)]
struct KeptComparison {
    /// What it follows from: the contest's entries with their versions.
    of: Vec<(EntryId, Option<VersionId>)>,
    progress: watch::Receiver<Progress>,
}

/// An entry and the version whose source is read.
struct Candidate {
    entry: EntryId,
    version: Option<(String, Version)>,
}

impl SimilarSources {
    /// The comparison of a contest's entries, which begins unless it was made for the same versions.
    pub async fn compare_entries(
        &self,
        store: &Store,
        blobs: &BlobStore,
        game: Option<GameHandle>,
        contest: &Contest,
    ) -> Result<watch::Receiver<Progress>, StoreError> {
        let candidates = find_candidates(store, contest).await?;
        let of: Vec<_> = candidates
            .iter()
            .map(|one| {
                (
                    one.entry,
                    one.version.as_ref().map(|(_, version)| version.id),
                )
            })
            .collect();
        let mut kept = lock(&self.0);
        let is_sound = |one: &KeptComparison| !matches!(one.progress.borrow().report, Some(None));
        if let Some(known) = kept.iter().find(|one| one.of == of && is_sound(one)) {
            return Ok(known.progress.clone());
        }
        let (tell, progress) = watch::channel(Progress {
            of: of.len(),
            ..Progress::default()
        });
        kept.retain(|one| one.of != of);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(KeptComparison {
            of,
            progress: progress.clone(),
        });
        let blobs = blobs.clone();
        tokio::spawn(async move {
            let report = run_comparison(&blobs, game, candidates, &tell).await;
            tell.send_modify(|progress| progress.report = Some(report.map(Arc::new)));
        });
        Ok(progress)
    }
}

/// The entries that have not withdrawn, with the version that plays: from the freeze on the frozen
/// one, before it the active one.
async fn find_candidates(store: &Store, contest: &Contest) -> Result<Vec<Candidate>, StoreError> {
    let mut candidates = Vec::new();
    for own in store.contest_entries(contest.id).await? {
        if own.left != Some(EntryLeft::Withdrawn) {
            let version = find_version(store, &own).await?;
            candidates.push(Candidate {
                entry: own.id,
                version,
            });
        }
    }
    Ok(candidates)
}

async fn find_version(
    store: &Store,
    entry: &ContestEntry,
) -> Result<Option<(String, Version)>, StoreError> {
    let bot = match store.find_bot(entry.bot).await {
        Ok(bot) => bot,
        Err(StoreError::Missing { .. } | StoreError::Deleted { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(version) = entry.version.or(bot.active) else {
        return Ok(None);
    };
    match store.find_version(version).await {
        Ok(version) => Ok(Some((bot.name, version))),
        Err(StoreError::Missing { .. } | StoreError::Deleted { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text of a version's source; `None` if it is gone.
pub(crate) async fn load_source(blobs: &BlobStore, version: &Version) -> Option<SourceText> {
    let key = BlobKey::parse(version.source.as_deref()?).ok()?;
    let bytes = blobs.read_blob(&key).await.ok()?;
    let name = version.file_name.clone();
    tokio::task::spawn_blocking(move || read_source(&name, &bytes))
        .await
        .ok()
}

/// Reads one source after the other, so that one is in memory at a time, and then compares what is
/// left of them.
async fn run_comparison(
    blobs: &BlobStore,
    game: Option<GameHandle>,
    candidates: Vec<Candidate>,
    tell: &watch::Sender<Progress>,
) -> Option<SimilarReport> {
    let _alone = WORK.acquire().await.ok()?;
    let (mut report, mut hashes) = (SimilarReport::default(), Vec::new());
    for candidate in candidates {
        tell.send_modify(|progress| progress.done += 1);
        let read = match &candidate.version {
            Some((_, version)) if report.compared.len() < MOST => load_source(blobs, version).await,
            Some(_) => {
                report.left_out.push((candidate.entry, LeftOut::TooMany));
                continue;
            }
            None => None,
        };
        let (Some(source), Some((name, version))) = (read, candidate.version) else {
            report.left_out.push((candidate.entry, LeftOut::Gone));
            continue;
        };
        if source.files.is_empty() {
            report.left_out.push((candidate.entry, LeftOut::NoSource));
            continue;
        }
        let work = tokio::task::spawn_blocking(move || {
            let read = fingerprint_source(&source);
            (read.is_cut, read.into_hashes())
        });
        let (is_cut, own) = work.await.ok()?;
        hashes.push(own);
        report.compared.push(ComparedEntry {
            entry: candidate.entry,
            name,
            version: version.id,
            number: version.number,
            is_cut,
        });
    }
    let work = tokio::task::spawn_blocking(move || {
        let given = given_fingerprints(game.as_deref());
        let (pairs, mut common) = find_pairs(&hashes, &given);
        common.extend(given);
        (pairs, common)
    });
    let (pairs, common) = work.await.ok()?;
    report.pairs = pairs
        .iter()
        .map(|pair| SimilarPair {
            entries: pair.sources,
            similarity: pair.similarity(),
            parts: pair.parts,
        })
        .collect();
    report.common = common;
    Some(report)
}
