//! The lobby of all servers of an arena, so that two people who wait at two servers meet at one
//! table. Which server has which table is in the database; the seat is taken there, once. The bus
//! then carries what the two say. A server that has no bus for the moment offers its tables to its
//! own people alone, and sends nobody to others.

use std::time::Duration;

use leitai_store::{Match, MatchId, MatchSide, StoreError, Timestamp, UserId};
use metrics::gauge;
use tokio::time::Instant;

use super::context::PlayContext;
use super::lobby::ARRIVAL;
use super::open_table::{OpenTable, TableForm};
use super::run;
use crate::bus::ArenaBus;
use crate::metrics_registry;

/// The pause between two looks at the own tables.
const LOOK: Duration = Duration::from_millis(250);
/// The time between two signs of life of a table.
const SIGN: Duration = Duration::from_secs(2);
/// A table whose server gave no sign of life for so long is not offered any more.
const GONE: Duration = Duration::from_secs(6);

/// A table of another server.
#[derive(Clone, Debug)]
pub struct TableElsewhere {
    /// The match.
    pub id: MatchId,
    /// The account of the person who waits.
    pub account: Option<UserId>,
    /// The offer.
    pub table: OpenTable,
}

impl PlayContext {
    /// The bus, if people may be sent to tables of other servers now.
    fn lobby_bus(&self) -> Option<&ArenaBus> {
        let others = self.human_matches.others();
        others.filter(|bus| bus.reaches_others() && bus.is_connected())
    }

    /// Waits until no other server brings two people together, and keeps others waiting until the
    /// value is dropped.
    pub async fn lobby_turn(&self) -> Result<impl Send + use<>, StoreError> {
        match self.lobby_bus() {
            Some(_) => self.store.lobby_turn().await,
            None => Ok(None),
        }
    }

    /// The tables of other servers, the longest waiting first.
    pub async fn tables_elsewhere(&self) -> Result<Vec<TableElsewhere>, StoreError> {
        let Some(bus) = self.lobby_bus() else {
            return Ok(Vec::new());
        };
        let now = Timestamp::now();
        let tables = self.store.tables_elsewhere(bus.server(), now).await?;
        let tables = tables.into_iter().filter_map(|own| {
            let table = self.describe_table(&own)?;
            let person = own.a.or(own.b)?;
            Some(TableElsewhere {
                id: own.id,
                account: person.user,
                table,
            })
        });
        Ok(tables.collect())
    }

    /// What is offered at a table whose person waits for somebody; `None` if this server does not
    /// know its game.
    pub fn describe_table(&self, own: &Match) -> Option<OpenTable> {
        let free = match (&own.a, &own.b) {
            (None, Some(_)) => MatchSide::A,
            (Some(_), None) => MatchSide::B,
            _ => return None,
        };
        let person = own.a.as_ref().or(own.b.as_ref())?;
        Some(OpenTable {
            invite: own.invite.clone()?,
            name: person.name.clone(),
            has_account: person.user.is_some(),
            free,
            form: TableForm {
                game: self.find_game(&own.game)?.meta().id.to_owned(),
                config: own.config.clone(),
                legs: usize::try_from(own.legs).ok()?,
            },
            since: own.created,
        })
    }

    /// Offers a new table of this server to the people of all servers.
    pub async fn share_table(&self, id: MatchId) -> Result<(), StoreError> {
        let Some(bus) = self.human_matches.others() else {
            return Ok(());
        };
        let until = match bus.is_connected() {
            true => Timestamp::now().after(ARRIVAL),
            false => Timestamp(0),
        };
        self.store.offer_table(id, bus.server(), until).await
    }

    /// What a table offers that another server had, which is gone, and that is opened here now;
    /// `None` if it is in no lobby.
    pub async fn adopt_table(&self, own: &Match) -> Result<Option<OpenTable>, StoreError> {
        let Some(bus) = self.human_matches.others() else {
            return Ok(None);
        };
        let until = Timestamp::now().after(ARRIVAL);
        let is_listed = self.store.adopt_table(own.id, bus.server(), until).await?;
        Ok(self.describe_table(own).filter(|_| is_listed))
    }
}

/// Keeps the tables of this server in the lobby of all servers, for ever.
pub async fn keep_tables(context: PlayContext, bus: ArenaBus) {
    let mut shown = Vec::new();
    let mut signed = Instant::now();
    loop {
        tokio::time::sleep(LOOK).await;
        let is_shared = bus.is_connected();
        gauge!(metrics_registry::LOBBY_SHARED).set(f64::from(u8::from(is_shared)));
        let offered = match is_shared {
            true => context.human_matches.offered_tables(),
            false => Vec::new(),
        };
        let is_due = !offered.is_empty() && signed.elapsed() >= SIGN;
        if offered == shown && !is_due {
            continue;
        }
        let until = Timestamp::now().after(GONE);
        let kept = context.store.keep_tables(bus.server(), &offered, until);
        match kept.await {
            Ok(gone) => {
                note_taken(&context, &gone);
                (shown, signed) = (offered, Instant::now());
            }
            Err(error) => tracing::debug!(%error, "the lobby was not told of the tables here"),
        }
    }
}

/// Takes tables out of the own lobby, because people of other servers took their seats.
fn note_taken(context: &PlayContext, gone: &[MatchId]) {
    for human_match in gone
        .iter()
        .filter_map(|id| context.human_matches.find_match(id.0))
    {
        human_match.withdraw_offer();
        run::cancel_if_stood_up(context.clone());
    }
}
