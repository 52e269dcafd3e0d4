//! Tells webhooks what happened: as much as everybody may see at that moment, and of uploads what
//! their authors see.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use leitai_store::messages::webhooks::TIMEOUT;
use leitai_store::{
    AttemptOutcome, Delivery, EventKind, Match, MatchId, StoreError, Timestamp, Version, VersionId,
    Webhook, WebhookId,
};
use serde_json::{Value, json};

use crate::contests::rules::read_contest;
use crate::http::app::App;
use crate::http::routes::match_tags::add_tags;
use crate::http::summaries::{BotSummary, MatchSummary};
use crate::messages;
use crate::sync::lock;
use crate::webhooks::places::DeliveryPlaces;
use crate::webhooks::routes::rights::creator_has_right;
use crate::webhooks::sender::{Message, PATIENCE};

/// How often it is looked what is due.
const LOOK: Duration = Duration::from_secs(1);
/// How long a server holds a delivery: longer than an attempt lasts.
const HOLD: Duration = Duration::from_secs(60);
/// When it is looked again whether a contest shows a result by now. The end of the contest, and a
/// change of its file, are noticed at once.
const LOOK_AGAIN: Duration = Duration::from_secs(5 * 60);
/// The most events that are sent to one webhook in a row, before others have their turn.
const IN_A_ROW: usize = 50;
/// After so long others have their turn, too.
const LONGEST_TURN: Duration = PATIENCE;
/// The most webhooks that are looked at together.
const LOOKED_AT: u64 = 1000;

/// Delivers what is due until the future is dropped.
pub async fn run_webhooks(app: App) {
    let places = Arc::new(Mutex::new(DeliveryPlaces::default()));
    loop {
        let full = lock(&places).full_accounts();
        let due = app.store.due_webhooks(Timestamp::now(), &full, LOOKED_AT);
        let due = due.await;
        if let Err(error) = &due {
            tracing::warn!(%error, "cannot look what webhooks are to be told; tried again in a moment");
        }
        for chosen in lock(&places).take_places(&due.unwrap_or_default()) {
            let (app, id) = (app.clone(), chosen.id);
            let place = TakenPlace {
                places: places.clone(),
                id,
            };
            tokio::spawn(async move {
                if let Err(error) = deliver_due(&app, id, Timestamp::now).await {
                    tracing::warn!(%error, webhook = id.0, "a webhook was not told; tried again in a moment");
                }
                drop(place);
            });
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The place of a webhook that is being told, until it is dropped.
struct TakenPlace {
    places: Arc<Mutex<DeliveryPlaces>>,
    id: WebhookId,
}

impl Drop for TakenPlace {
    fn drop(&mut self) {
        lock(&self.places).free_place(self.id);
    }
}

/// Sends what is due to a webhook, one after the other, until one attempt fails or others have their
/// turn; returns the number of attempts.
pub async fn deliver_due(
    app: &App,
    id: WebhookId,
    now: impl Fn() -> Timestamp,
) -> Result<usize, StoreError> {
    let begun = now();
    for tried in 0..IN_A_ROW {
        let is_over = tried > 0 && now().since(begun) >= LONGEST_TURN;
        let next = match is_over {
            true => None,
            false => app.store.claim_delivery(id, now(), HOLD).await?,
        };
        let Some((hook, claimed)) = next else {
            return Ok(tried);
        };
        let outcome = attempt_delivery(app, &hook, &claimed, now()).await?;
        let failed = matches!(outcome, AttemptOutcome::Failed { .. });
        app.store.end_attempt(&claimed, outcome, now()).await?;
        if failed {
            return Ok(tried + 1);
        }
    }
    Ok(IN_A_ROW)
}

/// Sends a test event at once, and returns how it went.
pub async fn deliver_test(
    app: &App,
    hook: &Webhook,
    at: Timestamp,
) -> Result<Delivery, StoreError> {
    let claimed = app.store.insert_test_event(hook.id, at, HOLD).await?;
    let outcome = attempt_delivery(app, hook, &claimed, at).await?;
    let ended = Timestamp::now().max(at);
    app.store.end_attempt(&claimed, outcome, ended).await?;
    app.store.find_delivery(claimed.id).await
}

async fn attempt_delivery(
    app: &App,
    hook: &Webhook,
    claimed: &Delivery,
    at: Timestamp,
) -> Result<AttemptOutcome, StoreError> {
    let news = match find_told(app, hook, claimed, at).await {
        Ok(News::Withheld) => return Ok(AttemptOutcome::Gone("no-right".to_owned())),
        Ok(News::Shown(news)) => news,
        Ok(News::Hidden) => return Ok(AttemptOutcome::Postponed(at.after(LOOK_AGAIN))),
        Err(StoreError::Missing { .. } | StoreError::Deleted { .. }) => {
            return Ok(AttemptOutcome::Gone("deleted".to_owned()));
        }
        Err(error) => return Err(error),
    };
    let mut body = json!({
        "id": claimed.id,
        "event": claimed.event,
        "at": claimed.created,
    });
    if let (Value::Object(body), Value::Object(news)) = (&mut body, news) {
        body.extend(news);
    }
    let message = Message {
        url: &hook.url,
        secret: &hook.secret,
        event: claimed.event,
        delivery: claimed.id,
        body: body.to_string().into_bytes(),
        at,
    };
    let sent = app.webhooks.send_message(message);
    // The sender has a time limit of its own; this one bounds the look-up of names, too.
    let late = || AttemptOutcome::Failed {
        status: None,
        why: TIMEOUT.to_owned(),
    };
    let outcome = tokio::time::timeout(2 * PATIENCE, sent).await;
    Ok(outcome.unwrap_or_else(|_| late()))
}

/// What there is to tell.
enum News {
    /// This.
    Shown(Value),
    /// A contest does not show it yet.
    Hidden,
    /// Who made the webhook may not hear it any more.
    Withheld,
}

/// What the webhook may be told of this event. The rights of who made it are looked up now: they may
/// have ended since the webhook was made, or since the event.
async fn find_told(
    app: &App,
    hook: &Webhook,
    claimed: &Delivery,
    at: Timestamp,
) -> Result<News, StoreError> {
    match creator_has_right(app, hook).await? {
        true => find_news(app, claimed, at).await,
        false => Ok(News::Withheld),
    }
}

async fn find_news(app: &App, claimed: &Delivery, at: Timestamp) -> Result<News, StoreError> {
    let number = |key: &str| claimed.subject[key].as_i64().unwrap_or_default();
    match claimed.event {
        EventKind::Test => Ok(News::Shown(json!({}))),
        EventKind::MatchFinished | EventKind::MatchCorrected => {
            let taken_back = &claimed.subject["taken_back"];
            describe_match(app, MatchId(number("match")), taken_back, at).await
        }
        EventKind::VersionChecked => {
            let version = app.store.find_version(VersionId(number("version"))).await?;
            describe_version(app, version).await
        }
        EventKind::ContestBegun | EventKind::StageEnded | EventKind::ContestEnded => {
            let name = claimed.subject["contest"].as_str().unwrap_or_default();
            describe_contest(app, name, claimed.subject["stage"].as_u64()).await
        }
    }
}

/// A match as a list shows it to everybody.
async fn describe_match(
    app: &App,
    id: MatchId,
    taken_back: &Value,
    at: Timestamp,
) -> Result<News, StoreError> {
    let own: Match = app.store.match_by_id(id).await?;
    let contest = app.store.contests_of_matches(&[id]).await?;
    let contest = contest.into_iter().next().map(|(_, contest)| contest);
    if contest
        .as_ref()
        .is_some_and(|contest| contest.hides_results(at))
    {
        return Ok(News::Hidden);
    }
    let contest = contest.map(|contest| contest.name);
    let mut summary = [MatchSummary::from(&own)];
    add_tags(&app.store, &mut summary).await?;
    let [summary] = summary;
    Ok(News::Shown(json!({
        "match": {
            "id": own.id,
            "game": summary.game,
            "kind": summary.kind,
            "ladder": summary.ladder,
            "state": summary.state,
            "a": summary.a,
            "b": summary.b,
            "winner": summary.winner,
            "reason": summary.reason,
            "scores": summary.scores,
            "faults": summary.faults,
            "tags": summary.tags,
            "contest": contest,
            "taken_back": taken_back,
        },
        "url": page_address(app, &format!("/matches/{id}")),
    })))
}

async fn describe_version(app: &App, own: Version) -> Result<News, StoreError> {
    let bots = app.store.bot_briefs(&[own.bot]).await?;
    let bot = bots.into_iter().next().map(BotSummary::from);
    let failure = own.failure.clone().map(messages::complete_languages);
    Ok(News::Shown(json!({
        "version": {
            "id": own.id,
            "number": own.number,
            "state": own.state,
            "failure": failure,
        },
        "bot": bot,
        "url": page_address(app, &format!("/bots/{}/versions/{}", own.bot, own.number)),
    })))
}

async fn describe_contest(app: &App, name: &str, stage: Option<u64>) -> Result<News, StoreError> {
    let own = app.store.contest_by_name(name).await?;
    let rules = read_contest(&app.games, &own).ok();
    let title = rules.as_ref().map(|rules| &rules.title);
    let stage = stage.map(|index| {
        let stages = rules.as_ref().map(|rules| &rules.stages);
        let found = stages.and_then(|stages| stages.get(usize::try_from(index).ok()?));
        json!({"number": index + 1, "name": found.map(|stage| &stage.name)})
    });
    Ok(News::Shown(json!({
        "contest": {
            "id": own.name,
            "title": title,
            "game": own.game,
            "state": own.state,
            "stage": stage,
        },
        "url": page_address(app, &format!("/contests/{name}")),
    })))
}

/// The address of a page: whole if the operator has said where the arena is.
fn page_address(app: &App, path: &str) -> String {
    let origin = app.options.public_url.as_deref().unwrap_or_default();
    format!("{origin}{path}")
}
