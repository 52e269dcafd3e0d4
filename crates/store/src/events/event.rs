//! What a kind of event says: what it carries, and who is told of it in which way.
//!
//! Each kind is one file of [`kinds`](crate::events::kinds). It carries the keys of rows and numbers of
//! that moment, never a text or a name: those are looked up when somebody is told.

pub(crate) use async_trait::async_trait;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::json;

use serde::de::DeserializeOwned;

use crate::Result;
use crate::database::availability::Change;
pub(crate) use crate::messages::bot_people::BotPeople;
pub(crate) use crate::messages::mail::Notice;
pub(crate) use crate::messages::notifications::News;
pub(crate) use crate::messages::webhook_events::WebhookEvent;
use crate::messages::{mail, notifications, webhook_events};
use crate::tables::events::Model;
pub(crate) use crate::{
    BotId, ContestId, EventKind, GroupId, LadderId, MailKind, MatchId, NotificationKind,
    StoreError, Timestamp, UserId, VersionId,
};

/// When a subscriber tells of an event, and the transaction in which it does so.
#[derive(Clone, Copy)]
pub(crate) struct Telling<'a> {
    pub change: &'a Change,
    /// When it happened.
    pub at: Timestamp,
}

/// Who is told what.
pub(crate) type Told<T> = Result<Vec<T>>;

/// Something that happens. Whom it does not concern is told nothing.
#[async_trait]
pub(crate) trait Event: Named + Serialize + DeserializeOwned + Send + Sync {
    /// Who is told what in the page.
    async fn news(&self, _: Telling<'_>) -> Told<(UserId, News)> {
        Ok(Vec::new())
    }

    /// Who is told what by mail.
    async fn notices(&self, _: Telling<'_>) -> Told<Notice> {
        Ok(Vec::new())
    }

    /// What webhooks are told.
    async fn webhooks(&self, _: Telling<'_>) -> Told<WebhookEvent> {
        Ok(Vec::new())
    }
}

/// What the list of all kinds says of one.
pub(crate) trait Named {
    /// The name of the kind in the database; never changed.
    const KIND: &'static str;

    /// What it is about, such as `bot 5`.
    fn subject(&self) -> String;
}

/// Who reads events.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subscriber {
    Mail,
    Page,
    Webhooks,
}

impl Subscriber {
    /// Tells of an event of this kind; returns whether somebody was told in the page.
    pub async fn tell<E: Event>(self, to: Telling<'_>, row: &Model) -> Result<bool> {
        let event: E = serde_json::from_value(row.payload.clone()).map_err(|_| unknown(row))?;
        match self {
            Subscriber::Mail => {
                for notice in event.notices(to).await? {
                    mail::send_notice(to.change, notice, to.at).await?;
                }
                Ok(false)
            }
            Subscriber::Page => {
                let news = event.news(to).await?;
                notifications::tell(to.change, &news, to.at).await?;
                Ok(!news.is_empty())
            }
            Subscriber::Webhooks => {
                let events = event.webhooks(to).await?;
                webhook_events::write(to.change, events, to.at).await?;
                Ok(false)
            }
        }
    }
}

/// The error of an event that this version does not know.
pub(crate) fn unknown(row: &Model) -> StoreError {
    StoreError::row_missing("event", &row.kind)
}
