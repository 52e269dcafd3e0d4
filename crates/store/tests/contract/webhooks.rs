//! Webhooks.

use std::time::Duration;

use leitai_store::*;

use crate::arena::{acquire, at, bot, deletion_by, new_bot, play, ready, source, user};

const HOLD: Duration = Duration::from_secs(60);

async fn hook(store: &Store, owner: WebhookOwner, events: &[EventKind]) -> Webhook {
    let new = NewWebhook {
        owner,
        creator: UserId(1),
        url: "https://example.org/".to_owned(),
        events: events.to_vec(),
        secret: "secret".to_owned(),
    };
    store.create_webhook(new, 10, at(0)).await.expect("room")
}

/// A bot of this person with an uploaded version that is active.
async fn own_bot(store: &Store, owner: UserId, name: &str) -> Bot {
    let new = new_bot("kob", name, owner);
    let bot = store.create_bot(new, at(0)).await.expect("free");
    source(store, &bot, true).await;
    let acquired = acquire(store, 1).await.expect("a job");
    ok!(store.finish_version(&acquired.lease, ready(), at(2)));
    store.find_bot(bot.id).await.expect("it is there")
}

pub async fn events_are_written_for_who_wants_them(store: Store) {
    let ann = user(&store, "ann").await;
    let bob = user(&store, "bob").await;
    let all = [EventKind::MatchFinished, EventKind::VersionChecked];
    let both = hook(&store, WebhookOwner::User(ann.id), &all).await;
    let matches = hook(&store, WebhookOwner::User(ann.id), &all[..1]).await;
    let other = hook(&store, WebhookOwner::User(bob.id), &all).await;
    let own = own_bot(&store, ann.id, "viper").await;
    let built_in = bot(&store, "hydra").await;
    play(&store, &own, &built_in, MatchWinner::A).await;
    let told = async |hook: &Webhook| -> Vec<EventKind> {
        let rows = store.deliveries_of(hook.id, 10).await.expect("rows");
        rows.into_iter().map(|row| row.event).collect()
    };
    assert_eq!(told(&both).await, all);
    assert_eq!(told(&matches).await, [EventKind::MatchFinished]);
    assert_eq!(told(&other).await, []);
    let due = store.due_webhooks(at(9), &[], 10).await.expect("rows");
    let ids: Vec<WebhookId> = due.iter().map(|one| one.id).collect();
    assert_eq!(ids, [both.id, matches.id]);
    gives!(store.due_webhooks(at(9), &[UserId(1)], 10) => [], "the account has no place left");
    // Who is gone is told nothing.
    let by = deletion_by(None, at(10));
    ok!(store.delete_webhook(both.id, ann.id, at(9)));
    assert_eq!(told(&both).await, []);
    let elsewhere = NewWebhook {
        owner: WebhookOwner::User(bob.id),
        creator: bob.id,
        url: String::new(),
        events: all.to_vec(),
        secret: String::new(),
    };
    let elsewhere = store.create_webhook(elsewhere, 10, at(9)).await;
    let elsewhere = elsewhere.expect("room").id;
    store.delete_user(bob.id, by).await.expect("he may go");
    let gone = store.find_webhook(elsewhere).await;
    assert!(matches!(gone, Err(StoreError::Missing { .. })), "{gone:?}");
}

pub async fn a_delivery_is_claimed_by_one_server(store: Store) {
    let ann = user(&store, "ann").await;
    let own = hook(
        &store,
        WebhookOwner::User(ann.id),
        &[EventKind::VersionChecked],
    )
    .await;
    for number in 0..4 {
        own_bot(&store, ann.id, &format!("bot{number}")).await;
    }
    let claims = (0..12).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.claim_delivery(own.id, at(5), HOLD).await })
    });
    let mut claimed = Vec::new();
    for claim in claims.collect::<Vec<_>>() {
        let found = claim.await.expect("it ends").expect("it answers");
        claimed.extend(found.map(|(_, delivery)| delivery));
    }
    let mut ids: Vec<DeliveryId> = claimed.iter().map(|one| one.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((claimed.len(), ids.len()), (4, 4), "each by one");
    // One is delivered; one is claimed anew after its server was killed, which comes too late then.
    let taken = AttemptOutcome::Delivered(204);
    ok!(store.end_attempt(&claimed[0], taken.clone(), at(6)));
    let again = store.claim_delivery(own.id, at(65), HOLD).await;
    let (_, again) = again.expect("it answers").expect("it is due");
    let late = claimed.iter().find(|one| one.id == again.id);
    let late = late.expect("one of them");
    ok!(store.end_attempt(late, taken, at(66)));
    let found = store.find_delivery(again.id).await.expect("it is there");
    assert_eq!(found.state, DeliveryState::Waiting);
    assert_eq!(found.attempts, 2);
    // What is over is shown for a while.
    assert_eq!(store.sweep_deliveries(at(6)).await.expect("swept"), 0);
    assert_eq!(store.sweep_deliveries(at(7)).await.expect("swept"), 1);
    let left = store.deliveries_of(own.id, 10).await.expect("rows");
    assert_eq!(left.len(), 3);
}

pub async fn receivers_that_do_not_answer_rest(store: Store) {
    let ann = user(&store, "ann").await;
    let bob = user(&store, "bob").await;
    let make = async |owner: UserId, url: &str| {
        let new = NewWebhook {
            owner: WebhookOwner::User(owner),
            creator: owner,
            url: url.to_owned(),
            events: vec![EventKind::VersionChecked],
            secret: "secret".to_owned(),
        };
        store.create_webhook(new, 10, at(0)).await.expect("room").id
    };
    let silent = make(ann.id, "https://Silent.example.org:8443/a?token=x").await;
    let same = make(ann.id, "https://silent.example.org:8443/b").await;
    let other = make(ann.id, "https://silent.example.org/a").await;
    let bobs = make(bob.id, "https://silent.example.org:8443/c").await;
    own_bot(&store, ann.id, "viper").await;
    own_bot(&store, bob.id, "hydra").await;
    let due = async |seconds: i64| -> Vec<(WebhookId, bool)> {
        let due = ok!(store.due_webhooks(at(seconds), &[], 10));
        let mut due: Vec<_> = due.iter().map(|one| (one.id, one.is_silent)).collect();
        due.sort_unstable_by_key(|one| one.0);
        due
    };
    let attempt = async |id: WebhookId, seconds: i64, outcome: AttemptOutcome| {
        let claimed = store.claim_delivery(id, at(seconds), HOLD).await;
        let (_, claimed) = claimed.expect("it answers").expect("it is due");
        ok!(store.end_attempt(&claimed, outcome, at(seconds + 10)));
    };
    let timeout = || AttemptOutcome::Failed {
        status: None,
        why: messages::webhooks::TIMEOUT.to_owned(),
    };
    let at_once = store.claim_delivery(same, at(10), HOLD).await;
    let (_, at_once) = at_once.expect("it answers").expect("it is due");
    attempt(silent, 10, timeout()).await;
    ok!(store.end_attempt(&at_once, timeout(), at(20)));
    // Every webhook of the account to this receiver rests; those of others to it do not.
    assert_eq!(due(79).await, [(other, false), (bobs, false)]);
    let late = make(ann.id, "https://silent.example.org:8443/late").await;
    let rests = ok!(store.find_webhook(late)).rests_until;
    assert_eq!(rests, Some(at(80)), "a new webhook is no way around it");
    assert_eq!(
        due(80).await,
        [(silent, true), (same, true), (other, false), (bobs, false)]
    );
    attempt(silent, 80, timeout()).await;
    assert_eq!(due(209).await.len(), 2, "twice as long");
    // An answer of any kind ends it.
    let refused = AttemptOutcome::Failed {
        status: Some(500),
        why: "status".to_owned(),
    };
    attempt(same, 210, refused).await;
    assert_eq!(
        due(281).await,
        [
            (silent, false),
            (same, false),
            (other, false),
            (bobs, false)
        ]
    );
}
