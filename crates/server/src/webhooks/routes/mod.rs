//! Routes: webhooks of people, teams and contests.
//!
//! | module | content |
//! |---|---|
//! | [`delivery`] | tells webhooks what happened |
//! | `rights` | who may be told what |

pub mod delivery;
mod rights;

use leitai_store::{
    Delivery, DeliveryState, EventKind, NewWebhook, TeamId, Webhook, WebhookId, WebhookOwner,
};

use crate::accounts::secret;
use crate::client_address::ClientAddress;
use crate::contests::routes::access::find_seen;
use crate::http::caller::{CallerProof, session_only};
use crate::http::prelude::*;
use crate::webhooks::address::{AddressProblem, LONGEST, parse_address};
use crate::webhooks::routes::delivery::deliver_test;
use crate::webhooks::routes::rights::has_right;
use crate::webhooks::signature::SECRET_PREFIX;

/// The deliveries that are shown of a webhook.
const SHOWN: u64 = 50;

/// Routes of webhooks.
pub fn webhook_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_own, create_own))
        .routes(routes!(list_of_team, create_for_team))
        .routes(routes!(list_of_contest, create_for_contest))
        .routes(routes!(list_deliveries))
        .routes(routes!(send_test))
        .routes(routes!(switch_on))
        .routes(routes!(delete_webhook))
}

/// What a webhook may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
enum WebhookEvent {
    /// A match has a result.
    #[serde(rename = "match.finished")]
    MatchFinished,
    /// The result of a match was corrected or withdrawn, or no longer counts in its contest.
    #[serde(rename = "match.corrected")]
    MatchCorrected,
    /// An upload may play, or has failed.
    #[serde(rename = "version.checked")]
    VersionChecked,
    /// The versions of the contest are chosen.
    #[serde(rename = "contest.begun")]
    ContestBegun,
    /// A stage of the contest is over.
    #[serde(rename = "contest.stage-ended")]
    StageEnded,
    /// The contest is over, with a result or without.
    #[serde(rename = "contest.ended")]
    ContestEnded,
    /// Somebody asked for a test.
    #[serde(rename = "test")]
    Test,
}

macro_rules! same_events {
    ($($word:ident)*) => {
        impl From<EventKind> for WebhookEvent {
            fn from(word: EventKind) -> WebhookEvent {
                match word { $(EventKind::$word => WebhookEvent::$word,)* }
            }
        }
        impl From<WebhookEvent> for EventKind {
            fn from(word: WebhookEvent) -> EventKind {
                match word { $(WebhookEvent::$word => EventKind::$word,)* }
            }
        }
    };
}

same_events!(MatchFinished MatchCorrected VersionChecked ContestBegun StageEnded ContestEnded Test);

/// Whether an event was delivered.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum DeliveryStateName {
    /// It is tried now or later.
    Waiting,
    /// The receiver has taken it.
    Delivered,
    /// The receiver never took it.
    GivenUp,
}

impl From<DeliveryState> for DeliveryStateName {
    fn from(state: DeliveryState) -> DeliveryStateName {
        match state {
            DeliveryState::Waiting => DeliveryStateName::Waiting,
            DeliveryState::Delivered => DeliveryStateName::Delivered,
            DeliveryState::GivenUp => DeliveryStateName::GivenUp,
        }
    }
}

/// A webhook to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewWebhookRequest {
    /// The address, http or https.
    #[schema(example = "https://example.org/leitai", max_length = 500)]
    url: String,
    /// Which events. A person and a team have `match.finished`, `match.corrected` and `version.checked`; a
    /// contest has those of matches and of contests.
    #[schema(min_items = 1, max_items = 10)]
    events: Vec<WebhookEvent>,
}

/// A webhook.
#[derive(Debug, Serialize, ToSchema)]
struct WebhookSummary {
    id: i64,
    url: String,
    events: Vec<WebhookEvent>,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// Whether it is told anything. It is switched off after 5 deliveries in a row were given up.
    on: bool,
    /// Events that were left out, because too many waited.
    dropped: i64,
    /// Until when nothing is sent, because the receiver did not answer in time; null if it answers.
    #[schema(value_type = Option<String>, format = DateTime)]
    rests_until: Option<Timestamp>,
}

/// A new webhook with its secret, which is shown only in this response.
#[derive(Debug, Serialize, ToSchema)]
struct NewWebhookSecret {
    #[serde(flatten)]
    brief: WebhookSummary,
    /// What signs its events.
    secret: String,
    /// Always true: the secret is not shown again.
    once: bool,
}

/// An event for a webhook.
#[derive(Debug, Serialize, ToSchema)]
struct DeliverySummary {
    id: i64,
    event: WebhookEvent,
    /// When it happened.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    state: DeliveryStateName,
    /// How often it was tried.
    attempts: i32,
    /// The HTTP status of the last answer; null if there was none.
    status: Option<i32>,
    /// Why the last attempt failed: `status`, `redirect`, `timeout`, `connect`, `private` (an
    /// address of a private network), `address`, `broken`, `no-tls`, `deleted`.
    problem: Option<String>,
    /// When it is tried next; null if it is over.
    #[schema(value_type = Option<String>, format = DateTime)]
    next: Option<Timestamp>,
}

impl From<Webhook> for WebhookSummary {
    fn from(own: Webhook) -> WebhookSummary {
        let events = own.wanted_events();
        WebhookSummary {
            id: own.id.0,
            events: events.into_iter().map(WebhookEvent::from).collect(),
            url: own.url,
            created: own.created,
            on: own.off.is_none(),
            dropped: own.dropped,
            rests_until: own.rests_until,
        }
    }
}

impl From<Delivery> for DeliverySummary {
    fn from(own: Delivery) -> DeliverySummary {
        let waits = own.state == DeliveryState::Waiting;
        DeliverySummary {
            id: own.id.0,
            event: own.event.into(),
            at: own.created,
            state: own.state.into(),
            attempts: own.attempts,
            status: own.status,
            problem: own.note,
            next: waits.then_some(own.due),
        }
    }
}

/// The webhooks of the account.
#[utoipa::path(get, operation_id = "list_own_webhooks",
    path = "/api/me/webhooks", tag = "webhooks", security(("session" = [])),
    responses((status = 200, body = ListPage<WebhookSummary>), (status = 403, body = ErrorBody)))]
async fn list_own(app: App, user: SignedInUser) -> Answer<ListPage<WebhookSummary>> {
    let owner = WebhookOwner::User(user.id);
    list_webhooks(&app, &user, owner).await
}

/// Makes a webhook for the bots that the account has alone. Its secret is shown only in this response.
#[utoipa::path(post, operation_id = "create_own_webhook",
    path = "/api/me/webhooks", tag = "webhooks", security(("session" = [])),
    request_body = NewWebhookRequest, responses((status = 201, body = NewWebhookSecret),
    (status = 409, description = "there are too many", body = ErrorBody)))]
async fn create_own(
    app: App,
    user: SignedInUser,
    Json(asked): Json<NewWebhookRequest>,
) -> Result<(StatusCode, Json<NewWebhookSecret>)> {
    let owner = WebhookOwner::User(user.id);
    create_webhook(&app, &user, owner, asked).await
}

/// The webhooks of a team, for its members.
#[utoipa::path(get, operation_id = "list_team_webhooks",
    path = "/api/teams/{id}/webhooks", tag = "webhooks", security(("session" = [])), params(("id" = i64, Path)),
    responses((status = 200, body = ListPage<WebhookSummary>), (status = 403, body = ErrorBody)))]
async fn list_of_team(
    app: App,
    user: SignedInUser,
    Path(id): Path<TeamId>,
) -> Answer<ListPage<WebhookSummary>> {
    list_webhooks(&app, &user, WebhookOwner::Team(id)).await
}

/// Makes a webhook for the bots of a team; it goes when its maker leaves the team. Its secret is
/// shown only in this response.
#[utoipa::path(post, operation_id = "create_team_webhook",
    path = "/api/teams/{id}/webhooks", tag = "webhooks", security(("session" = [])), params(("id" = i64, Path)),
    request_body = NewWebhookRequest, responses((status = 201, body = NewWebhookSecret),
    (status = 409, description = "there are too many", body = ErrorBody)))]
async fn create_for_team(
    app: App,
    user: SignedInUser,
    Path(id): Path<TeamId>,
    Json(asked): Json<NewWebhookRequest>,
) -> Result<(StatusCode, Json<NewWebhookSecret>)> {
    create_webhook(&app, &user, WebhookOwner::Team(id), asked).await
}

/// The webhooks of a contest, for its organisers.
#[utoipa::path(get, operation_id = "list_contest_webhooks",
    path = "/api/contests/{id}/webhooks", tag = "webhooks", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), responses((status = 200, body = ListPage<WebhookSummary>),
    (status = 403, body = ErrorBody)))]
async fn list_of_contest(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
) -> Answer<ListPage<WebhookSummary>> {
    let contest = find_seen(&app, Some(&user), &id).await?;
    list_webhooks(&app, &user, WebhookOwner::Contest(contest.id)).await
}

/// Makes a webhook for a contest. It is told what everybody may see, results that the contest hides
/// once it shows them. Its secret is shown only in this response.
#[utoipa::path(post, operation_id = "create_contest_webhook",
    path = "/api/contests/{id}/webhooks", tag = "webhooks", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = NewWebhookRequest,
    responses((status = 201, body = NewWebhookSecret),
    (status = 409, description = "there are too many", body = ErrorBody)))]
async fn create_for_contest(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<NewWebhookRequest>,
) -> Result<(StatusCode, Json<NewWebhookSecret>)> {
    let contest = find_seen(&app, Some(&user), &id).await?;
    create_webhook(&app, &user, WebhookOwner::Contest(contest.id), asked).await
}

/// The last 50 events for a webhook, newest first.
#[utoipa::path(get, operation_id = "list_webhook_deliveries",
    path = "/api/webhooks/{id}/deliveries", tag = "webhooks", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 200, body = ListPage<DeliverySummary>),
    (status = 403, body = ErrorBody)))]
async fn list_deliveries(
    app: App,
    user: SignedInUser,
    Path(id): Path<WebhookId>,
) -> Answer<ListPage<DeliverySummary>> {
    need_webhook(&app, &user, id).await?;
    let rows = app.store.deliveries_of(id, SHOWN).await?;
    let items = rows.into_iter().map(DeliverySummary::from).collect();
    Ok(Json(ListPage::single_page(items)))
}

/// Sends a test event at once, and answers how it went. It is tried once.
#[utoipa::path(post, operation_id = "test_webhook",
    path = "/api/webhooks/{id}/test", tag = "webhooks", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 200, body = DeliverySummary), (status = 429, body = ErrorBody)))]
async fn send_test(
    app: App,
    from: ClientAddress,
    user: SignedInUser,
    Path(id): Path<WebhookId>,
) -> Answer<DeliverySummary> {
    let hook = need_webhook(&app, &user, id).await?;
    app.limiter.allow_human_match(Some(user.id), from).await?;
    let told = deliver_test(&app, &hook, Timestamp::now()).await?;
    Ok(Json(told.into()))
}

/// Switches a webhook on that was switched off after too many failures.
#[utoipa::path(post, operation_id = "switch_webhook_on",
    path = "/api/webhooks/{id}/on", tag = "webhooks", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 200, body = WebhookSummary)))]
async fn switch_on(
    app: App,
    user: SignedInUser,
    Path(id): Path<WebhookId>,
) -> Answer<WebhookSummary> {
    need_webhook(&app, &user, id).await?;
    let on = app.store.switch_webhook_on(id, user.id, Timestamp::now());
    Ok(Json(on.await?.into()))
}

/// Deletes a webhook, and what was still to be told.
#[utoipa::path(delete, operation_id = "delete_webhook",
    path = "/api/webhooks/{id}", tag = "webhooks", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 204)))]
async fn delete_webhook(
    app: App,
    user: SignedInUser,
    Path(id): Path<WebhookId>,
) -> Result<StatusCode> {
    need_webhook(&app, &user, id).await?;
    let now = Timestamp::now();
    app.store.delete_webhook(id, user.id, now).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn list_webhooks(
    app: &App,
    user: &SignedInUser,
    owner: WebhookOwner,
) -> Answer<ListPage<WebhookSummary>> {
    need_owner(app, user, owner).await?;
    let own = app.store.webhooks_of(owner).await?;
    let items = own.into_iter().map(WebhookSummary::from).collect();
    Ok(Json(ListPage::single_page(items)))
}

async fn create_webhook(
    app: &App,
    user: &SignedInUser,
    owner: WebhookOwner,
    asked: NewWebhookRequest,
) -> Result<(StatusCode, Json<NewWebhookSecret>)> {
    need_owner(app, user, owner).await?;
    let most = app.options.webhooks;
    if app.store.webhooks_of(owner).await?.len() >= most as usize {
        let message = match most {
            0 => "this arena has no webhooks".to_owned(),
            _ => format!("there are {most} webhooks already; delete one first"),
        };
        return Err(ApiError::conflict("too-many", message));
    }
    let secret = secret::make_token(SECRET_PREFIX);
    let new = NewWebhook {
        owner,
        creator: user.id,
        url: check_address(app, &asked.url)?,
        events: check_events(owner, asked.events)?,
        secret: secret.clone(),
    };
    let made = app
        .store
        .create_webhook(new, most, Timestamp::now())
        .await?;
    let shown = NewWebhookSecret {
        brief: made.into(),
        secret,
        once: true,
    };
    Ok((StatusCode::CREATED, Json(shown)))
}

fn check_address(app: &App, text: &str) -> Result<String> {
    let problem = match parse_address(text, app.webhooks.reach()) {
        Ok(url) => return Ok(url.into()),
        Err(problem) => problem,
    };
    let shown: String = text.chars().take(100).collect();
    let (code, message) = match problem {
        AddressProblem::Malformed => (
            "bad-url",
            format!(
                "{shown:?} cannot be used; write an address of at most {LONGEST} characters, such as https://example.org/leitai"
            ),
        ),
        AddressProblem::Credentials => (
            "bad-url",
            "the address has a name or a password before its host; leave it out, events are signed instead".to_owned(),
        ),
        AddressProblem::Private => (
            "private-url",
            format!(
                "{shown:?} is an address of a private network; use one that the internet reaches, or ask the operator to allow it"
            ),
        ),
    };
    Err(ApiError::invalid_field(code, "url", message))
}

/// The events of a webhook, each once.
fn check_events(owner: WebhookOwner, asked: Vec<WebhookEvent>) -> Result<Vec<EventKind>> {
    use WebhookEvent as Event;
    let allowed: &[Event] = match owner {
        WebhookOwner::User(_) | WebhookOwner::Team(_) => &[
            Event::MatchFinished,
            Event::MatchCorrected,
            Event::VersionChecked,
        ],
        WebhookOwner::Contest(_) => &[
            Event::MatchFinished,
            Event::MatchCorrected,
            Event::ContestBegun,
            Event::StageEnded,
            Event::ContestEnded,
        ],
    };
    let known = asked.iter().all(|event| allowed.contains(event));
    if asked.is_empty() || !known {
        let names = allowed.iter().filter_map(|event| {
            let name = serde_json::to_value(event).ok()?;
            name.as_str().map(str::to_owned)
        });
        let names: Vec<String> = names.collect();
        let message = format!(
            "choose events of this webhook: one or more of {}",
            names.join(", ")
        );
        return Err(ApiError::invalid_field("bad-events", "events", message));
    }
    let chosen = allowed.iter().filter(|event| asked.contains(event));
    Ok(chosen.map(|event| (*event).into()).collect())
}

/// The webhook, if the caller may manage it.
async fn need_webhook(app: &App, user: &SignedInUser, id: WebhookId) -> Result<Webhook> {
    let found = app.store.find_webhook(id).await?;
    match need_owner(app, user, found.event_owner()).await {
        Ok(()) => Ok(found),
        // Who may not see it does not learn that it is there.
        Err(refusal) if refusal.code == "forbidden" => {
            Err(ApiError::not_found(format!("there is no webhook {id}")))
        }
        Err(refusal) => Err(refusal),
    }
}

/// Refuses everybody but the person, members of the team, and for contests their organisers. API
/// tokens need the scope `admin`: what leaks one must not redirect events.
async fn need_owner(app: &App, user: &SignedInUser, owner: WebhookOwner) -> Result<()> {
    if user.admin {
        return Ok(());
    }
    if matches!(user.by, CallerProof::Token { .. }) {
        return Err(session_only());
    }
    if has_right(app, user, owner).await? {
        return Ok(());
    }
    let message = "only members of the team, or for contests their organisers, manage its webhooks";
    Err(ApiError::forbidden("forbidden", message))
}
