//! Numbers for an operator: the pool of connections, and what waits to be sent.

use crate::messages::{mail, webhooks};
use crate::{Result, Store, Timestamp};

/// What waits to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How much.
    pub count: u64,
    /// The longest due.
    pub due: Option<Timestamp>,
}

impl Store {
    /// The events that wait for webhooks that are on and whose receivers do not rest.
    pub async fn waiting_events(&self, at: Timestamp) -> Result<Waiting> {
        let mut found = webhooks::waiting_events(at).all(&self.readers).await?;
        Ok(found.pop().map_or_else(Waiting::default, to_waiting))
    }

    /// The mails that wait.
    pub async fn waiting_mails(&self) -> Result<Waiting> {
        let mut found = mail::waiting_mails().all(&self.readers).await?;
        Ok(found.pop().map_or_else(Waiting::default, to_waiting))
    }
}

fn to_waiting((count, due): (i64, Option<Timestamp>)) -> Waiting {
    Waiting {
        count: count.unsigned_abs(),
        due,
    }
}
