//! Whose a bot is.

use leitai_store::{Bot, BotId, MatchEntrant, StoreError, UserId};

use crate::http::app::App;
use crate::http::caller::{Caller, SignedInUser};
use crate::http::error::{ApiError, Result};

/// Whether the bot belongs to the caller, or to a team of the caller's.
pub async fn owns_bot(app: &App, caller: &Caller, bot: &Bot) -> Result<bool> {
    match caller.user_id() {
        Some(user) => Ok(app.store.owns_bot(bot, user).await?),
        None => Ok(false),
    }
}

/// The bot, if it belongs to the caller or to a team of the caller's.
pub async fn need_own_bot(app: &App, user: &SignedInUser, id: BotId) -> Result<Bot> {
    let bot = app.store.find_bot(id).await?;
    match app.store.owns_bot(&bot, user.id).await? {
        true => Ok(bot),
        false => Err(ApiError::forbidden(
            "not-yours",
            format!("bot {id} is not yours; make one of your own"),
        )),
    }
}

/// The bot, if it belongs to the caller or the caller is an administrator.
pub async fn own_or_admin(app: &App, user: &SignedInUser, id: BotId) -> Result<Bot> {
    if user.admin {
        Ok(app.store.find_bot(id).await?)
    } else {
        need_own_bot(app, user, id).await
    }
}

/// Whether the account owns an entrant of a match: it did when the match was made, or it belongs to
/// the team of the bot now.
pub async fn owns_entrant(
    app: &App,
    user: Option<UserId>,
    entrant: Option<&MatchEntrant>,
) -> Result<bool> {
    let (Some(user), Some(entrant)) = (user, entrant) else {
        return Ok(false);
    };
    if entrant.user == Some(user) {
        return Ok(true);
    }
    let Some(bot) = entrant.bot.filter(|_| !entrant.built_in) else {
        return Ok(false);
    };
    match app.store.find_bot(bot).await {
        Ok(bot) => Ok(app.store.owns_bot(&bot, user).await?),
        Err(StoreError::Deleted { .. } | StoreError::Missing { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
