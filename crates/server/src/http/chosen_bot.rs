//! A bot that somebody names for a match: its active version, or a version of one's own.

use axum::http::StatusCode;
use leitai_store::{Bot, BotId, MatchEntrant, VersionId};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::app::App;
use crate::http::caller::SignedInUser;
use crate::http::error::ApiError;

/// A bot with its active version, or a specific version.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChosenBot {
    /// A bot's id.
    Bot(i64),
    /// A version's id: the active one of any bot, or any that is ready of a bot of one's own.
    Version(i64),
}

/// The entrant that plays `game`. `field` names the choice in an error.
pub async fn find_chosen_entrant(
    app: &App,
    by: Option<&SignedInUser>,
    game: &str,
    (field, chosen): (&'static str, ChosenBot),
) -> Result<MatchEntrant, ApiError> {
    let (bot, version) = match chosen {
        ChosenBot::Bot(id) => (app.store.find_bot(BotId(id)).await?, None),
        ChosenBot::Version(id) => {
            let version = app.store.find_version(VersionId(id)).await?;
            (app.store.find_bot(version.bot).await?, Some(version.id))
        }
    };
    if bot.game != game {
        let Bot {
            name, game: plays, ..
        } = bot;
        let message = format!("{name} plays {plays}, not {game}; choose a bot of this game");
        return Err(ApiError::invalid_field("other-game", field, message));
    }
    let Some(version) = version.filter(|version| bot.active != Some(*version)) else {
        return Ok(app.store.bot_entrant(bot.id).await?);
    };
    // A candidate is shown to nobody before its author promotes it.
    let may_play = match by {
        Some(user) => user.admin || app.store.owns_bot(&bot, user.id).await?,
        None => false,
    };
    if may_play {
        return Ok(app.store.entrant_of_version(version).await?);
    }
    let message = format!(
        "only the author of {} may play a version that is not the active one; name the bot instead",
        bot.name
    );
    Err(ApiError::new(StatusCode::FORBIDDEN, "not-yours", message))
}
