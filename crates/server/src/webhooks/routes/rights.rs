//! Who may be told the events of a webhook.

use leitai_store::{StoreError, Webhook, WebhookOwner};

use crate::contests::routes::access::caller_organises;
use crate::http::app::App;
use crate::http::caller::SignedInUser;

/// Whether the account is the person, a member of the team, an organiser of the contest.
pub async fn has_right(
    app: &App,
    user: &SignedInUser,
    owner: WebhookOwner,
) -> Result<bool, StoreError> {
    Ok(match owner {
        WebhookOwner::User(id) => id == user.id,
        WebhookOwner::Team(id) => app.store.is_in_team(id, user.id).await?,
        WebhookOwner::Contest(id) => {
            let contest = app.store.contest_by_id(id).await?;
            caller_organises(app, Some(user), &contest).await?
        }
    })
}

/// Whether who made the webhook may still be told its events: its account is not locked, and it has
/// today the right with which it made it.
pub async fn creator_has_right(app: &App, hook: &Webhook) -> Result<bool, StoreError> {
    let creator = app.store.find_user(hook.creator).await?;
    if creator.disabled {
        return Ok(false);
    }
    let creator = SignedInUser::in_absence(app, creator).await?;
    Ok(creator.admin || has_right(app, &creator, hook.event_owner()).await?)
}
