//! A bot that somebody names for a match: its active version, or a version of one's own, and what it
//! alone plays with.

use axum::http::StatusCode;
use leitai_game::AnyGame;
use leitai_series::entrant_request::{LimitAbove, find_limit_above, suits_built_in};
use leitai_series::entrant_words::parse_settings;
use leitai_store::{Bot, BotId, MatchEntrant, VersionId};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::bots::routes::access::owns_entrant;
use crate::http::app::App;
use crate::http::caller::SignedInUser;
use crate::http::error::{ApiError, Result};
use crate::work::limits;

/// A bot with its active version, or a specific version.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChosenBot {
    /// A bot's id.
    Bot(i64),
    /// A version's id: the active one of any bot, or any that is ready of a bot of one's own.
    Version(i64),
}

/// A bot with its active version, or a specific version, and what it alone plays with. Exactly one of
/// `bot` and `version` is there.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EntrantChoice {
    /// A bot's id.
    bot: Option<i64>,
    /// A version's id: the active one of any bot, or any that is ready of a bot of one's own.
    version: Option<i64>,
    /// Limits of its own, never above those of the arena, in the words of the command line; for bots
    /// of one's own also arguments and `@env=NAME=VALUE`. Everybody who sees the match sees them.
    #[schema(example = "--depth 5 @limit=20ms @memory=256MiB")]
    settings: Option<String>,
}

impl EntrantChoice {
    /// The entrant of these, that plays `game`. `field` names the choice in an error.
    pub async fn find(
        self,
        app: &App,
        by: &SignedInUser,
        game: &dyn AnyGame,
        field: &'static str,
    ) -> Result<MatchEntrant> {
        let chosen = match (self.bot, self.version) {
            (Some(id), None) => ChosenBot::Bot(id),
            (None, Some(id)) => ChosenBot::Version(id),
            _ => {
                let why = "name either a bot or a version, by its id";
                return Err(ApiError::invalid_field("bad-entrant", field, why));
            }
        };
        let found = find_chosen_entrant(app, Some(by), game.meta().id, (field, chosen)).await?;
        let settings = self.settings.as_deref();
        with_settings(app, by, game, found, (field, settings)).await
    }
}

/// The entrant with settings of its own, if these are allowed: arguments and environment for a program
/// of the caller's alone, because they change what it does.
pub async fn with_settings(
    app: &App,
    by: &SignedInUser,
    game: &dyn AnyGame,
    entrant: MatchEntrant,
    (field, settings): (&'static str, Option<&str>),
) -> Result<MatchEntrant> {
    let refuse = |why: String| Err(ApiError::invalid_field("bad-settings", field, why));
    let settings = match parse_settings(settings.unwrap_or_default()) {
        Ok(settings) => settings,
        Err(why) => return refuse(why),
    };
    let changes = !settings.arguments.is_empty() || !settings.environment.is_empty();
    if entrant.built_in && !suits_built_in(&settings) {
        return refuse(format!(
            "{} is a built-in bot, which takes @limit and @threads only",
            entrant.name
        ));
    }
    if changes && !owns_entrant(app, Some(by.id), Some(&entrant)).await? {
        let why = format!(
            "only the author of {} may give it arguments and an environment; limits behind @ may be \
             given to any bot",
            entrant.name
        );
        return Err(ApiError::forbidden("not-yours", why));
    }
    let mut common = limits::referee_limits(game, &Value::Null);
    if entrant.built_in {
        common.period = common.thought.unwrap_or(common.period).min(common.period);
    }
    let above = find_limit_above(&settings.limits, &common, &limits::sandbox_limits());
    if let Some(LimitAbove { name, own, most }) = above {
        return refuse(format!(
            "@{name}={own} is more than the match allows: {most}; give it less"
        ));
    }
    Ok(MatchEntrant {
        settings: settings.to_text(),
        ..entrant
    })
}

/// The entrant that plays `game`. `field` names the choice in an error.
pub async fn find_chosen_entrant(
    app: &App,
    by: Option<&SignedInUser>,
    game: &str,
    (field, chosen): (&'static str, ChosenBot),
) -> Result<MatchEntrant> {
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
