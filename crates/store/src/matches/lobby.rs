//! The lobby of several servers: the tables at which somebody waits for whoever comes first, each
//! with the server that has its person. A row is there from the opening of a table until somebody
//! takes its seat or its match ends. Others are sent to it until a time that its server moves on
//! while the person is connected, so nobody is sent to a server that is gone.

use crate::database::prelude::*;
use crate::tables::lobby::{ActiveModel, Column, Entity};
use crate::{Match, MatchId, MatchState, tables};

/// The key of the lock under which one server at a time brings two people together.
const MEETING: i64 = 0x006c_6f62_6279;
/// The most tables of other servers that are looked at.
const MOST: u64 = 1_000;

impl Store {
    /// Waits until no other server brings two people together, and keeps others waiting until the
    /// value is dropped. With an embedded database there is only one server.
    pub async fn lobby_turn(&self) -> Result<Option<impl Send + use<>>> {
        if self.is_embedded() {
            return Ok(None);
        }
        let turn = self.begin_write().await?;
        let lock = format!("SELECT pg_advisory_xact_lock({MEETING})");
        turn.execute_unprepared(&lock).await?;
        Ok(Some(turn))
    }

    /// Puts a table of this server into the lobby.
    pub async fn offer_table(&self, id: MatchId, server: &str, until: Timestamp) -> Result<()> {
        let row = ActiveModel {
            match_id: Set(id),
            server: Set(server.to_owned()),
            until: Set(until),
        };
        let change = self.begin_write().await?;
        insert_row(&change, row).await?;
        Ok(change.commit().await?)
    }

    /// Sends others to these tables of a server until this time, and to no other one of it. Returns
    /// those that are not in the lobby any more: another server took the seat.
    pub async fn keep_tables(
        &self,
        server: &str,
        offered: &[MatchId],
        until: Timestamp,
    ) -> Result<Vec<MatchId>> {
        let change = self.begin_write().await?;
        let of_server = || Entity::update_many().filter(Column::Server.eq(server));
        let set = |until: Timestamp| ActiveModel {
            until: Set(until),
            ..Default::default()
        };
        let is_offered = Column::MatchId.is_in(offered.iter().copied());
        of_server()
            .set(set(until))
            .filter(is_offered.clone())
            .exec(&change)
            .await?;
        of_server()
            .set(set(Timestamp(0)))
            .filter(Column::MatchId.is_not_in(offered.iter().copied()))
            .exec(&change)
            .await?;
        let there = Entity::find().filter(is_offered);
        let there = there.select_only().column(Column::MatchId).into_tuple();
        let there: Vec<MatchId> = there.all(&change).await?;
        change.commit().await?;
        let gone = offered.iter().filter(|id| !there.contains(id));
        Ok(gone.copied().collect())
    }

    /// The tables of other servers to which others are sent at this time, the longest waiting
    /// first.
    pub async fn tables_elsewhere(&self, server: &str, at: Timestamp) -> Result<Vec<Match>> {
        let tables = Entity::find()
            .select_only()
            .column(Column::MatchId)
            .filter(Column::Server.ne(server))
            .filter(Column::Until.gt(at));
        let waiting = tables::matches::Entity::find()
            .filter(tables::matches::Column::Id.in_subquery(tables.into_query()))
            .filter(tables::matches::Column::State.eq(MatchState::Waiting))
            .order_by_asc(tables::matches::Column::Id)
            .limit(MOST);
        Ok(waiting.all(&self.readers).await?)
    }

    /// Makes a table one of this server, because the server that had it is gone; returns whether it
    /// is in the lobby.
    pub async fn adopt_table(&self, id: MatchId, server: &str, until: Timestamp) -> Result<bool> {
        let own = ActiveModel {
            server: Set(server.to_owned()),
            until: Set(until),
            ..Default::default()
        };
        let change = self.begin_write().await?;
        let adopted = update_rows(&change, Column::MatchId.eq(id), own).await?;
        change.commit().await?;
        Ok(adopted > 0)
    }
}

/// Takes a match out of the lobby.
pub(crate) async fn withdraw_table(change: &impl ConnectionTrait, id: MatchId) -> Result<()> {
    Entity::delete_by_id(id).exec(change).await?;
    Ok(())
}
