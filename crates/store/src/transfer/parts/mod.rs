//! Parts of an arena, which move into another one that is in use: bots, matches, ladders, contests.
//!
//! Blobs come first, written down for removal, so that an attempt that is never finished leaves
//! nothing; then all rows in one transaction, which takes the blobs over. Rows get new keys; the table of
//! what moves is in `moved.rs`.

mod bring;
mod check;
mod collect;
mod folder;
#[doc(hidden)] // For tests.
pub mod moved;
mod names;
pub mod part;
mod readable;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use sea_orm::{IsolationLevel, TransactionTrait};
use serde_json::{Value, json};

use crate::blobs::discards;
use crate::database::audit_log;
use crate::database::prelude::*;
use crate::tables::parts::{ActiveModel, Entity};
use crate::{AuditedAction, BlobStore, tables};

use super::blobs::{hash, put_where_missing};
use super::error::{FORMAT, MOST_ROWS, TransferError};
use super::last_migration;
use super::tables::list_tables;
use bring::{bring, new_blob_key};
use folder::{NeededGame, PART, Part, PartBlob, PartManifest};
use moved::{MOVED, Row};
use part::{PartMoved, PartName, PartRequest, PartRules};

/// How long blobs wait for the rows that name them.
const WAITING: Duration = Duration::from_secs(24 * 3600);

/// Whether the folder holds a part, and no whole arena.
pub fn holds_part(folder: &Path) -> bool {
    folder.join(PART).exists()
}

impl Store {
    /// Writes a part of the arena, as it is at one moment, into this folder, also while it runs.
    ///
    /// # Errors
    /// [`TransferError`]; the next attempt goes on.
    pub async fn export_part(
        &self,
        own: &BlobStore,
        folder: &Path,
        asked: &PartRequest,
        at: Timestamp,
        mut told: impl FnMut(&str),
    ) -> Result<PartMoved, TransferError> {
        folder::prepare(folder)?;
        let pool = self.readers.pool();
        let isolation = (!self.is_embedded()).then_some(IsolationLevel::RepeatableRead);
        let snapshot = pool.begin_with_config(isolation, None).await;
        let snapshot = snapshot.map_err(StoreError::from)?;
        let mut collected = collect::collect(&snapshot, asked, at).await?.rows;
        let mut games = Vec::new();
        for game in games_of(&collected) {
            let hidden_until = hidden_until(&snapshot, &game, at).await?;
            games.push(NeededGame { game, hidden_until });
        }
        snapshot.commit().await.map_err(StoreError::from)?;
        let (blobs, there) = export_blobs(own, folder, &mut collected, &mut told).await?;
        let mut tables = Vec::new();
        for (name, _) in MOVED {
            tables.push(folder::write_table(folder, name, &collected[name])?);
        }
        let mut manifest = PartManifest {
            format: FORMAT,
            id: String::new(),
            schema: last_migration(),
            arena: self.arena_id().await?,
            roots: say_roots(asked),
            games,
            tables,
            blobs: folder::write_blobs(folder, &blobs)?,
        };
        manifest.id = manifest.count_id();
        let detail = json!({"wanted": manifest.roots});
        folder::write_manifest(folder, &manifest)?;
        self.write_audit(audited("part.export", &manifest.id, detail), at)
            .await?;
        Ok(PartMoved {
            blobs_there: there,
            ..summary(&manifest)
        })
    }

    /// Brings a part that [`Store::export_part`] wrote into this arena, also while it runs: everything
    /// or nothing, and no part twice.
    ///
    /// # Errors
    /// [`TransferError`]; the next attempt goes on.
    pub async fn import_part(
        &self,
        own: &BlobStore,
        folder: &Path,
        rules: &PartRules<'_>,
        mut told: impl FnMut(&str),
    ) -> Result<PartMoved, TransferError> {
        let part = folder::read(folder, &last_migration())?;
        let mut moved = summary(&part.manifest);
        if let Some(names) = self.find_part(&part.manifest.id).await? {
            moved.names = names;
            moved.already = true;
            return Ok(moved);
        }
        let tables = list_tables(&self.readers).await?;
        let contests = check::check(&part, &tables, rules)?;
        for need in &part.manifest.games {
            check_secret(&self.readers, need, rules.at).await?;
        }
        moved.blobs_there = self
            .import_blobs(own, folder, &part, rules, &mut told)
            .await?;
        let change = self.begin_write().await?;
        let keys = new_keys(&part);
        let (id, detail) = (part.manifest.id.clone(), say_import(&part.manifest));
        let arena = part.manifest.arena.clone();
        let kept = self.freed_for();
        moved.names = bring(&change, part, contests, (&tables, rules, kept)).await?;
        if rules.dry_run {
            change.rollback().await.map_err(StoreError::from)?;
            return Ok(moved);
        }
        take_blobs(&change, &keys).await?;
        let row = ActiveModel {
            id: Set(id.clone()),
            arena: Set(arena),
            imported: Set(rules.at),
            said: Set(json!(moved.names)),
        };
        row.insert(&change).await.map_err(StoreError::from)?;
        audit_log::write(&change, audited("part.import", &id, detail), rules.at).await?;
        change.commit().await.map_err(StoreError::from)?;
        Ok(moved)
    }

    /// How what came with this part is called here; `None` if it did not come.
    async fn find_part(&self, id: &str) -> Result<Option<Vec<PartName>>, TransferError> {
        let found = Entity::find_by_id(id.to_owned()).one(&self.readers).await;
        let found = found.map_err(StoreError::from)?;
        Ok(found.map(|row| serde_json::from_value(row.said).unwrap_or_default()))
    }

    /// Checks every blob, then copies them; gives how many were there already.
    async fn import_blobs(
        &self,
        own: &BlobStore,
        folder: &Path,
        part: &Part,
        rules: &PartRules<'_>,
        told: &mut impl FnMut(&str),
    ) -> Result<u64, TransferError> {
        for blob in &part.blobs {
            folder::read_blob(folder, blob)?;
        }
        if rules.dry_run {
            return Ok(0);
        }
        let change = self.begin_write().await?;
        let after = rules.at.after(WAITING);
        discards::insert_discards(&change, new_keys(part), after).await?;
        change.commit().await.map_err(StoreError::from)?;
        let mut there = 0;
        for blob in &part.blobs {
            let bytes = folder::read_blob(folder, blob)?;
            let key = new_blob_key(&part.manifest.id, &blob.key);
            there += u64::from(put_where_missing(own, &key, &bytes).await?);
            told(&blob.key);
        }
        Ok(there)
    }
}

fn new_keys(part: &Part) -> Vec<String> {
    let id = &part.manifest.id;
    part.blobs
        .iter()
        .map(|blob| new_blob_key(id, &blob.key))
        .collect()
}

/// The rows name these blobs from now on. One that is not written down any more was removed, or is
/// being removed.
async fn take_blobs(change: &Change, keys: &[String]) -> Result<(), TransferError> {
    use tables::discards::{Column, Entity};
    for some in keys.chunks(500) {
        let these = Entity::delete_many()
            .filter(Column::Key.is_in(some.iter().cloned()))
            .filter(Column::Claimed.eq(false));
        let taken = these.exec(change).await.map_err(StoreError::from)?;
        if taken.rows_affected != some.len() as u64 {
            return Err(StoreError::Refused(
                "the files of the part waited for more than a day; import it again".to_owned(),
            )
            .into());
        }
    }
    Ok(())
}

fn audited(action: &str, part: &str, detail: Value) -> AuditedAction {
    AuditedAction::new(None, action, format!("part {part}"), detail)
}

fn say_import(manifest: &PartManifest) -> Value {
    json!({"arena": manifest.arena, "wanted": manifest.roots})
}

fn summary(manifest: &PartManifest) -> PartMoved {
    let rows_in = |name: &str| {
        let file = manifest.tables.iter().find(|file| file.name == name);
        file.map_or(0, |file| file.rows)
    };
    PartMoved {
        id: manifest.id.clone(),
        rows: manifest.tables.iter().map(|file| file.rows).sum(),
        matches: rows_in("matches"),
        blobs: manifest.blobs.count,
        ..PartMoved::default()
    }
}

/// What was asked for, in the keys of the arena that exports.
fn say_roots(asked: &PartRequest) -> Vec<String> {
    let bots = asked.bots.iter().map(|id| format!("bot {id}"));
    let contests = asked.contests.iter().map(|id| format!("contest {id}"));
    let ladders = asked.ladders.iter().map(|id| format!("ladder {id}"));
    let matches = asked.matches.iter().map(|id| format!("match {id}"));
    bots.chain(contests).chain(ladders).chain(matches).collect()
}

type Rows = std::collections::BTreeMap<&'static str, Vec<Row>>;

fn games_of(rows: &Rows) -> BTreeSet<String> {
    let rows = rows.values().flatten();
    let named = rows.filter(|row| !row.contains_key("match_id"));
    let games = named.filter_map(|row| row.get("game")?.as_str());
    games.map(str::to_owned).collect()
}

/// Until when a game is secret: no version of it is there for everybody.
async fn hidden_until(
    place: &impl ConnectionTrait,
    game: &str,
    at: Timestamp,
) -> Result<Option<Timestamp>> {
    use tables::game_files::{Column, Entity};
    let published = Entity::find()
        .filter(Column::Game.eq(game))
        .filter(Column::State.eq(crate::GameFileState::Published));
    let rows = published.all(place).await?;
    match rows.iter().any(|row| !row.is_hidden(at)) {
        true => Ok(None),
        false => Ok(rows.iter().filter_map(|row| row.hidden_until).min()),
    }
}

/// What is secret where the part comes from is secret here for as long.
async fn check_secret(
    place: &impl ConnectionTrait,
    need: &NeededGame,
    at: Timestamp,
) -> Result<(), TransferError> {
    let Some(until) = need.hidden_until.filter(|until| at < *until) else {
        return Ok(());
    };
    let here = hidden_until(place, &need.game, at).await?;
    match here.is_some_and(|here| here >= until) {
        true => Ok(()),
        false => Err(TransferError::Secret {
            game: need.game.clone(),
            until,
        }),
    }
}

/// Copies the blobs that the rows name, and takes out the names of those that were removed meanwhile.
async fn export_blobs(
    own: &BlobStore,
    folder: &Path,
    rows: &mut Rows,
    told: &mut impl FnMut(&str),
) -> Result<(Vec<PartBlob>, u64), TransferError> {
    let place = folder::open_blobs(folder).await?;
    let (mut blobs, mut there) = (Vec::new(), 0);
    let size: usize = rows
        .values()
        .flatten()
        .map(|row| json!(row).to_string().len())
        .sum();
    if size as u64 > MOST_ROWS {
        return Err(TransferError::TooLarge);
    }
    for (table, column) in [("versions", "source"), ("matches", "replay")] {
        for row in rows.entry(table).or_default() {
            let key = row.get(column).and_then(Value::as_str).map(str::to_owned);
            let Some(key) = key else { continue };
            let Some(bytes) = own.read_stored(&key).await? else {
                row.remove(column);
                continue;
            };
            there += u64::from(put_where_missing(&place, &key, &bytes).await?);
            told(&key);
            blobs.push(PartBlob {
                bytes: bytes.len() as u64,
                sha256: hash(&bytes),
                key,
            });
        }
    }
    Ok((blobs, there))
}
