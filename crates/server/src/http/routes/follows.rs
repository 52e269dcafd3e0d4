//! Routes: whom the caller follows, and what the caller is told in the page.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use leitai_store::{
    BotId, BotRow, Contest, FollowTarget, Notification, NotificationId, NotificationKind,
    ReadRange, Store,
};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::contests::routes::access::{find_seen, sees_contest};
use crate::contests::rules::read_contest;
use crate::http::prelude::*;
use crate::http::routes::people::find_person;
use crate::http::summaries::LocalizedText;

/// How long a client follows its notifications before its session is looked at again.
const LIFE: Duration = Duration::from_secs(600);
/// The longest time between two looks for a client that follows.
const LOOK: Duration = Duration::from_secs(60);
/// The time in which several news are one.
const TOGETHER: Duration = Duration::from_millis(200);

/// Routes of follows and notifications.
pub fn follow_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_follows))
        .routes(routes!(follow_bot, unfollow_bot))
        .routes(routes!(follow_player, unfollow_player))
        .routes(routes!(follow_contest, unfollow_contest))
        .routes(routes!(list_notifications))
        .routes(routes!(count_unread))
        .routes(routes!(watch_unread))
        .routes(routes!(mark_read))
        .routes(routes!(mark_one_read))
}

/// Whom the caller follows, the latest first.
#[derive(Debug, Serialize, ToSchema)]
struct FollowList {
    bots: Vec<NamedBot>,
    players: Vec<NamedPlayer>,
    contests: Vec<NamedContest>,
}

/// A bot by its name.
#[derive(Debug, Serialize, ToSchema)]
struct NamedBot {
    id: i64,
    name: String,
    /// The game's id.
    game: String,
}

impl From<BotRow> for NamedBot {
    fn from(bot: BotRow) -> NamedBot {
        NamedBot {
            id: bot.id.0,
            name: bot.name,
            game: bot.game,
        }
    }
}

/// A player by name.
#[derive(Debug, Serialize, ToSchema)]
struct NamedPlayer {
    name: String,
}

/// What the caller is told, newest first: of the last 30 days, at most 200.
#[derive(Debug, Serialize, ToSchema)]
struct NotificationList {
    unread: u64,
    items: Vec<NotificationSummary>,
}

/// How many notifications the caller has not read.
#[derive(Debug, Serialize, ToSchema)]
struct UnreadCount {
    unread: u64,
}

/// The schema of what a notification is about; the store has the kinds.
struct NotificationKindName;

impl ToSchema for NotificationKindName {}

impl PartialSchema for NotificationKindName {
    fn schema() -> RefOr<Schema> {
        let own = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(NotificationKind::names()));
        own.description(Some("What a notification is about."))
            .build()
            .into()
    }
}

/// Something that the caller is told.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Notification)]
struct NotificationSummary {
    id: i64,
    #[schema(value_type = NotificationKindName)]
    kind: NotificationKind,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    read: bool,
    /// The bot, where it is about one.
    bot: Option<NamedBot>,
    /// The number of the bot's version.
    version: Option<i32>,
    contest: Option<NamedContest>,
    /// The bot's place in the last stage of the contest, from 1; null if it did not play there. Of a
    /// best rank: where it stands on the ladder or better, with a confidence of 95 %.
    place: Option<i32>,
    /// The name of the ladder of a best rank.
    #[schema(example = "standard")]
    ladder: Option<String>,
    /// The player whom the caller follows, where it is about one.
    player: Option<String>,
    /// The group, where it is about one.
    group: Option<NamedGroup>,
    /// The id of the game, where it is about one.
    #[schema(example = "othello")]
    game: Option<String>,
    /// Why the game was taken down.
    why: Option<String>,
    /// The id of the experiment, where it is about one.
    experiment: Option<i64>,
}

/// A group by its name.
#[derive(Debug, Serialize, ToSchema)]
struct NamedGroup {
    id: i64,
    name: String,
}

/// A contest by its title.
#[derive(Debug, Serialize, ToSchema)]
struct NamedContest {
    /// The contest's id.
    id: String,
    title: LocalizedText,
}

/// Up to which notification the caller has read them.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ReadRequest {
    /// The id of the newest that was read.
    until: i64,
}

/// Whom the caller follows.
#[utoipa::path(get, operation_id = "list_follows",
    path = "/api/me/follows", tag = "accounts", security(("session" = [])),
    responses((status = 200, body = FollowList)))]
async fn list_follows(app: App, user: SignedInUser) -> Answer<FollowList> {
    let own = app.store.follows_of(user.id).await?;
    let mut contests = Vec::new();
    for contest in own.contests {
        // It may have become private.
        if sees_contest(&app, Some(&user), &contest).await? {
            contests.push(name_contest(&app, contest));
        }
    }
    let players = own.players.into_iter().map(|name| NamedPlayer { name });
    Ok(Json(FollowList {
        bots: own.bots.into_iter().map(NamedBot::from).collect(),
        players: players.collect(),
        contests,
    }))
}

/// Follows a bot: the caller is told of its new versions and of its contests. At most 200 bots, players and contests.
#[utoipa::path(put, operation_id = "follow_bot",
    path = "/api/me/follows/bots/{id}", tag = "accounts", security(("session" = [])),
    params(("id" = i64, Path, description = "the bot")), responses((status = 204), (status = 409, body = ErrorBody)))]
async fn follow_bot(app: App, user: SignedInUser, Path(id): Path<i64>) -> Result<StatusCode> {
    let bot = app.store.find_bot(BotId(id)).await?;
    let target = FollowTarget::Bot(bot.id);
    app.store.follow(user.id, target, Timestamp::now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Unfollows a bot.
#[utoipa::path(delete, operation_id = "unfollow_bot",
    path = "/api/me/follows/bots/{id}", tag = "accounts", security(("session" = [])),
    params(("id" = i64, Path, description = "the bot")), responses((status = 204)))]
async fn unfollow_bot(app: App, user: SignedInUser, Path(id): Path<i64>) -> Result<StatusCode> {
    let target = FollowTarget::Bot(BotId(id));
    app.store.unfollow(user.id, target).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Follows a player: the caller is told of the contests of the player's bots. At most 200 bots,
/// players and contests.
#[utoipa::path(put, operation_id = "follow_player",
    path = "/api/me/follows/players/{name}", tag = "accounts", security(("session" = [])),
    params(("name" = String, Path, description = "the name, in any case", max_length = 100)),
    responses((status = 204), (status = 409, body = ErrorBody)))]
async fn follow_player(
    app: App,
    user: SignedInUser,
    Path(name): Path<String>,
) -> Result<StatusCode> {
    let player = find_person(&app, &name).await?;
    let target = FollowTarget::Player(player.id);
    app.store.follow(user.id, target, Timestamp::now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Unfollows a player.
#[utoipa::path(delete, operation_id = "unfollow_player",
    path = "/api/me/follows/players/{name}", tag = "accounts", security(("session" = [])),
    params(("name" = String, Path, description = "the name, in any case", max_length = 100)),
    responses((status = 204)))]
async fn unfollow_player(
    app: App,
    user: SignedInUser,
    Path(name): Path<String>,
) -> Result<StatusCode> {
    // Also of somebody who is locked out.
    if let Some(player) = app.store.user_by_name(&name).await? {
        let target = FollowTarget::Player(player.id);
        app.store.unfollow(user.id, target).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Follows a contest: the caller is told when it begins and when it is over.
#[utoipa::path(put, operation_id = "follow_contest",
    path = "/api/me/follows/contests/{id}", tag = "accounts", security(("session" = [])),
    params(("id" = String, Path, description = "the contest")), responses((status = 204),
    (status = 409, body = ErrorBody)))]
async fn follow_contest(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let contest = find_seen(&app, Some(&user), &id).await?;
    let target = FollowTarget::Contest(contest.id);
    app.store.follow(user.id, target, Timestamp::now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Unfollows a contest.
#[utoipa::path(delete, operation_id = "unfollow_contest",
    path = "/api/me/follows/contests/{id}", tag = "accounts", security(("session" = [])),
    params(("id" = String, Path, description = "the contest")), responses((status = 204)))]
async fn unfollow_contest(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    // Also of one that the caller does not see any more; nothing is told of it.
    match app.store.contest_by_name(&id).await {
        Ok(contest) => {
            let target = FollowTarget::Contest(contest.id);
            app.store.unfollow(user.id, target).await?;
        }
        Err(StoreError::Missing { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(StatusCode::NO_CONTENT)
}

/// What the caller is told, newest first.
#[utoipa::path(get, operation_id = "list_notifications",
    path = "/api/me/notifications", tag = "accounts", security(("session" = [])),
    responses((status = 200, body = NotificationList)))]
async fn list_notifications(app: App, user: SignedInUser) -> Answer<NotificationList> {
    let told = app.store.notifications_of(user.id).await?;
    let unread = app.store.count_unread(user.id).await?;
    let mut items = Vec::new();
    for mut one in told {
        if let Some(contest) = &one.contest
            && !sees_contest(&app, Some(&user), contest).await?
        {
            one.contest = None;
        }
        items.push(summarize(&app, one));
    }
    Ok(Json(NotificationList { unread, items }))
}

/// How many notifications the caller has not read.
#[utoipa::path(get, operation_id = "count_unread_notifications",
    path = "/api/me/notifications/unread", tag = "accounts", security(("session" = [])),
    responses((status = 200, body = UnreadCount)))]
async fn count_unread(app: App, user: SignedInUser) -> Answer<UnreadCount> {
    let unread = app.store.count_unread(user.id).await?;
    Ok(Json(UnreadCount { unread }))
}

/// Follows how many notifications the caller has not read: an event `unread` with the number at the
/// beginning and whenever it changes. It ends after ten minutes; the client asks again.
#[utoipa::path(get, operation_id = "watch_unread_notifications",
    path = "/api/me/notifications/live", tag = "accounts", security(("session" = [])),
    responses((status = 200, description = "server-sent events", body = UnreadEvent, content_type = "text/event-stream")))]
async fn watch_unread(
    app: App,
    user: SignedInUser,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let watch = UnreadWatch {
        user: user.id,
        news: app.store.news_arrivals(),
        store: app.store.clone(),
        last: None,
        ends: Instant::now() + LIFE,
    };
    let events = futures_util::stream::unfold(watch, |mut watch| async move {
        let event = watch.next().await?;
        Some((Ok(event), watch))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// A server-sent event.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the event")]
struct UnreadEvent {
    #[schema(pattern = "^unread$")]
    event: String,
    /// An `UnreadCount` as JSON.
    data: String,
}

/// A client that follows the number of its unread notifications.
struct UnreadWatch {
    store: Store,
    user: UserId,
    news: watch::Receiver<u64>,
    last: Option<u64>,
    ends: Instant,
}

impl UnreadWatch {
    /// The number as soon as it differs from the last event; `None` after the end.
    async fn next(&mut self) -> Option<Event> {
        while Instant::now() < self.ends {
            self.news.mark_unchanged();
            let unread = self.store.count_unread(self.user).await.ok()?;
            if self.last != Some(unread) {
                self.last = Some(unread);
                let event = Event::default().event("unread");
                return event.json_data(UnreadCount { unread }).ok();
            }
            // Not all that is told wakes it, and the store may be closed.
            if let Ok(Err(_)) = timeout(LOOK, self.news.changed()).await {
                return None;
            }
            // News of the same moment are one look.
            sleep(TOGETHER).await;
        }
        None
    }
}

/// Marks notifications as read: all up to one.
#[utoipa::path(put, operation_id = "mark_notifications_read",
    path = "/api/me/notifications/read", tag = "accounts", security(("session" = [])),
    request_body = ReadRequest, responses((status = 204)))]
async fn mark_read(
    app: App,
    user: SignedInUser,
    Json(request): Json<ReadRequest>,
) -> Result<StatusCode> {
    let read = ReadRange::Until(NotificationId(request.until));
    app.store.mark_read(user.id, read).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Marks one notification as read.
#[utoipa::path(put, operation_id = "mark_notification_read",
    path = "/api/me/notifications/{id}/read", tag = "accounts", security(("session" = [])),
    params(("id" = i64, Path, description = "the notification")), responses((status = 204)))]
async fn mark_one_read(app: App, user: SignedInUser, Path(id): Path<i64>) -> Result<StatusCode> {
    let read = ReadRange::One(NotificationId(id));
    app.store.mark_read(user.id, read).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn name_contest(app: &App, contest: Contest) -> NamedContest {
    NamedContest {
        title: match read_contest(&app.games, &contest) {
            Ok(rules) => LocalizedText {
                en: rules.title.en,
                zh: rules.title.zh,
            },
            // A file that this version cannot read.
            Err(_) => LocalizedText {
                en: contest.name.clone(),
                zh: contest.name.clone(),
            },
        },
        id: contest.name,
    }
}

fn summarize(app: &App, own: Notification) -> NotificationSummary {
    let contest = own.contest.map(|contest| name_contest(app, contest));
    NotificationSummary {
        id: own.id.0,
        kind: own.kind,
        at: own.created,
        read: own.read,
        bot: own.bot.map(NamedBot::from),
        version: own.version,
        contest,
        place: own.place,
        ladder: own.ladder.map(|ladder| ladder.name().to_owned()),
        player: own.player,
        group: own.group.map(|(id, name)| NamedGroup { id: id.0, name }),
        game: own.game,
        why: own.why,
        experiment: own.experiment.map(|id| id.0),
    }
}
