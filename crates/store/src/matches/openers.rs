//! Who opened the matches with people that are not over. All servers of an arena count together how
//! many of them one person has open.
//!
//! Of the account or the address only a hash is kept, and only until the match ends.

use sea_orm::DbBackend;

use crate::database::prelude::*;
use crate::tables::openers::{ActiveModel, Column, Entity};
use crate::{MatchId, MatchState, TokenHash, tables};

/// Who opens a match with people, and how many such matches may be open at all servers together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchOpener {
    /// The account or the address.
    pub who: String,
    /// The most open matches, this one among them.
    pub most: u64,
}

/// The states of matches that are not over.
const OPEN: [MatchState; 3] = [MatchState::Waiting, MatchState::Queued, MatchState::Running];

impl Store {
    /// How many matches with people this account or address has open, at all servers together.
    pub async fn count_opened(&self, who: &str) -> Result<u64> {
        Ok(open_of(&hash(who)).count(&self.readers).await?)
    }

    /// Forgets who opened matches that are over: a server of the version before does not know these
    /// rows. Returns their number.
    pub async fn sweep_openers(&self) -> Result<u64> {
        let open = tables::matches::Entity::find()
            .select_only()
            .column(tables::matches::Column::Id)
            .filter(tables::matches::Column::State.is_in(OPEN));
        let over = Column::MatchId.not_in_subquery(open.into_query());
        self.delete_rows(Entity::delete_many().filter(over)).await
    }
}

fn hash(who: &str) -> String {
    TokenHash::from_token(who).as_str().to_owned()
}

/// The open matches of an opener.
fn open_of(opener: &str) -> Select<tables::matches::Entity> {
    let own = Entity::find()
        .select_only()
        .column(Column::MatchId)
        .filter(Column::Opener.eq(opener));
    tables::matches::Entity::find()
        .filter(tables::matches::Column::Id.in_subquery(own.into_query()))
        .filter(tables::matches::Column::State.is_in(OPEN))
}

/// Notes who opens a match. [`StoreError::TooManyOpen`] if there are too many already, the match that
/// is being made not counted.
pub(crate) async fn note(change: &Change, id: MatchId, opener: &MatchOpener) -> Result<()> {
    let hash = hash(&opener.who);
    wait_for_others(change, &hash).await?;
    if open_of(&hash).count(change).await? >= opener.most {
        return Err(StoreError::TooManyOpen { most: opener.most });
    }
    let row = ActiveModel {
        match_id: Set(id),
        opener: Set(hash),
    };
    insert_row(change, row).await
}

/// Waits until no other transaction of PostgreSQL opens a match of the same opener; SQLite has one
/// writer.
async fn wait_for_others(change: &Change, hash: &str) -> Result<()> {
    if change.get_database_backend() != DbBackend::Postgres {
        return Ok(());
    }
    let key = hash.get(..15).map(|digits| i64::from_str_radix(digits, 16));
    let key = key.and_then(Result::ok).expect("a hash is hexadecimal");
    let lock = format!("SELECT pg_advisory_xact_lock({key})");
    change.execute_unprepared(&lock).await?;
    Ok(())
}

/// Forgets who opened these matches, because they are over.
pub(crate) async fn forget(change: &Change, ids: impl IntoIterator<Item = MatchId>) -> Result<()> {
    delete_rows::<Entity>(change, Column::MatchId.is_in(ids)).await?;
    Ok(())
}
