//! Bots that were not deleted.

use crate::tables::bots::Bot;
use crate::{BotId, Result, StoreError};

/// The bot that a query found; an error if there is none or if it was deleted.
pub(crate) fn require_living(found: Option<Bot>, id: BotId) -> Result<Bot> {
    let bot = found.ok_or_else(|| StoreError::row_missing("bot", id))?;
    match bot.deleted {
        Some(at) => Err(StoreError::Deleted {
            what: "bot",
            which: id.to_string(),
            at,
        }),
        None => Ok(bot),
    }
}
