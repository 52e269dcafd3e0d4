//! Names of accounts and groups that were given up, by a rename or a deletion.
//!
//! People know an account and a group by its name. So nobody else may take it for a while: whoever
//! took it would get what is meant for who had it. Of the name only a hash stays.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::database::prelude::*;
use crate::database::skeletons::{fold_name, skeleton};
use crate::tables::freed_names::{ActiveModel, Column, Entity};
use crate::{NameKind, TokenHash};

/// How long nobody else may take a name, unless the operator says otherwise.
pub const KEPT: Duration = Duration::from_secs(180 * 24 * 3600);

/// For how many seconds nobody else may take a name.
#[derive(Debug)]
pub(crate) struct FreedFor(AtomicU64);

impl Default for FreedFor {
    fn default() -> FreedFor {
        FreedFor(AtomicU64::new(KEPT.as_secs()))
    }
}

impl Store {
    /// Sets for how long nobody else may take a name that was given up; [`KEPT`] holds until this
    /// is called.
    pub fn set_freed_for(&self, kept: Duration) {
        let seconds = kept.as_secs();
        let freed_for = self.part::<FreedFor>();
        freed_for.0.store(seconds, Ordering::Relaxed);
    }

    pub(crate) fn freed_for(&self) -> Duration {
        Duration::from_secs(self.part::<FreedFor>().0.load(Ordering::Relaxed))
    }

    /// Forgets the names that everybody may take again; returns their number.
    pub async fn sweep_freed_names(&self, at: Timestamp) -> Result<u64> {
        let old = Column::Freed.lte(at.before(self.freed_for()));
        self.delete_rows(Entity::delete_many().filter(old)).await
    }
}

/// What is kept of a name: the hash of the name in lower case, and the one of its skeleton, so that
/// nobody takes a name that looks like it either.
fn hashes(kind: NameKind, name: &str) -> [String; 2] {
    let kind = kind.as_str();
    [
        format!("{kind} {}", fold_name(name)),
        format!("{kind} skeleton {}", skeleton(name)),
    ]
    .map(|text| TokenHash::from_token(&text).as_str().to_owned())
}

/// Notes that an account or group gives up its name.
pub(crate) async fn free(
    change: &Change,
    kind: NameKind,
    name: &str,
    owner: i64,
    at: Timestamp,
) -> Result<()> {
    let rows = hashes(kind, name).map(|hash| ActiveModel {
        hash: Set(hash),
        owner: Set(owner),
        freed: Set(at),
    });
    let latest = OnConflict::column(Column::Hash)
        .update_columns([Column::Owner, Column::Freed])
        .to_owned();
    Entity::insert_many(rows)
        .on_conflict(latest)
        .exec_without_returning(change)
        .await?;
    Ok(())
}

/// [`StoreError::Freed`] if another than `owner` gave the name up less than `kept` before now, and
/// [`StoreError::FreedAlike`] if it was one that looks like it.
pub(crate) async fn check(
    place: &impl ConnectionTrait,
    kind: NameKind,
    name: &str,
    owner: Option<i64>,
    (kept, at): (Duration, Timestamp),
) -> Result<()> {
    let [exact, alike] = hashes(kind, name);
    let found = Entity::find().filter(Column::Hash.is_in([exact.clone(), alike]));
    let mut found = found.all(place).await?;
    found.retain(|row| Some(row.owner) != owner && at < row.freed.after(kept));
    let (what, value) = ("name", name.to_owned());
    match found.iter().find(|row| row.hash == exact) {
        Some(row) => {
            let until = row.freed.after(kept);
            Err(StoreError::Freed { what, value, until })
        }
        None => match found.first() {
            Some(row) => {
                let until = row.freed.after(kept);
                Err(StoreError::FreedAlike { what, value, until })
            }
            None => Ok(()),
        },
    }
}
