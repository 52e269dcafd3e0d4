//! Sessions of browsers.

use crate::database::prelude::*;
use crate::tables::sessions::{ActiveModel, Column, Entity, Session};
use crate::values::page::MOST;
use crate::{SessionId, TokenHash, User, UserId, tables};

impl Store {
    /// Logs a browser in.
    pub async fn create_session(
        &self,
        user: UserId,
        hash: TokenHash,
        at: Timestamp,
        until: Timestamp,
    ) -> Result<Session> {
        let session = ActiveModel {
            id: NotSet,
            user: Set(user),
            hash: Set(hash),
            created: Set(at),
            until: Set(until),
        };
        let change = self.begin_write().await?;
        let made = session.insert(&change).await?;
        change.commit().await?;
        Ok(made)
    }

    /// The session of a cookie and its user; `None` if it has expired or the user is locked out.
    pub async fn find_session(
        &self,
        hash: &TokenHash,
        at: Timestamp,
    ) -> Result<Option<(Session, User)>> {
        let living = Entity::find()
            .filter(Column::Hash.eq(hash.clone()))
            .filter(Column::Until.gt(at));
        let found = living
            .find_also_related(tables::users::Entity)
            .one(&self.readers)
            .await?;
        Ok(found.and_then(|(session, user)| Some((session, user.filter(|user| !user.disabled)?))))
    }

    /// When a session began; `None` if it has ended.
    pub async fn session_start(&self, id: SessionId) -> Result<Option<Timestamp>> {
        let own = Entity::find_by_id(id).one(&self.readers).await?;
        Ok(own.map(|own| own.created))
    }

    /// Ends a session; no error if it has ended already.
    pub async fn end_session(&self, id: SessionId) -> Result<()> {
        let change = self.begin_write().await?;
        Entity::delete_by_id(id).exec(&change).await?;
        Ok(change.commit().await?)
    }

    /// The sessions of a user that have not expired, newest first.
    pub async fn sessions_of(&self, user: UserId, at: Timestamp) -> Result<Vec<Session>> {
        let living = Entity::find()
            .filter(Column::User.eq(user))
            .filter(Column::Until.gt(at));
        Ok(living
            .order_by_desc(Column::Id)
            .limit(MOST)
            .all(&self.readers)
            .await?)
    }

    /// Ends every session of a user but `keep`; returns their number.
    pub async fn end_sessions(&self, user: UserId, keep: Option<SessionId>) -> Result<u64> {
        let change = self.begin_write().await?;
        let ended = end_sessions(&change, user, keep).await?;
        change.commit().await?;
        Ok(ended)
    }

    /// Deletes expired sessions and returns their number. A periodic task calls it.
    pub async fn sweep_sessions(&self, at: Timestamp) -> Result<u64> {
        let ended = Entity::delete_many().filter(Column::Until.lte(at));
        self.delete_rows(ended).await
    }
}

/// Ends every session of a user but `keep`; returns their number.
pub(crate) async fn end_sessions(
    change: &Change,
    user: UserId,
    keep: Option<SessionId>,
) -> Result<u64> {
    let others = Condition::all().add_option(keep.map(|keep| Column::Id.ne(keep)));
    delete_rows::<Entity>(change, others.add(Column::User.eq(user))).await
}
