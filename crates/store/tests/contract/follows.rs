//! Whom people follow, and what they are told in the page.

use std::time::Duration;

use leitai_store::*;

use crate::arena::{at, user};

async fn own_bot(store: &Store, owner: &User, name: &str) -> Bot {
    let new = NewBot {
        game: "kob".to_owned(),
        name: name.to_owned(),
        owner: owner.id,
        about: String::new(),
    };
    store.create_bot(new, at(0)).await.expect("free")
}

/// Uploads a version and checks it; it may play if `failure` is none.
async fn upload(store: &Store, bot: &Bot, failure: bool, seconds: i64) -> Version {
    let made = crate::arena::source(store, bot, true).await;
    let job = crate::arena::acquire(store, seconds).await.expect("a job");
    let outcome = match failure {
        false => crate::arena::ready(),
        true => VersionOutcome::Failed {
            how: None,
            failure: serde_json::json!({"en": "it crashed"}),
            report: None,
        },
    };
    store
        .finish_version(&job.lease, outcome, at(seconds))
        .await
        .expect("recorded");
    made
}

async fn told(store: &Store, user: &User) -> Vec<(NotificationKind, Option<String>, Option<i32>)> {
    let found = store.notifications_of(user.id).await.expect("asked");
    found
        .into_iter()
        .map(|one| (one.kind, one.bot.map(|bot| bot.name), one.version))
        .collect()
}

pub async fn followers_are_told_of_versions(store: Store) {
    use NotificationKind::{BotVersion, VersionFailed};
    let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
    let bot = own_bot(&store, &ada, "viper").await;
    let target = FollowTarget::Bot(bot.id);
    for seconds in [1, 2] {
        let done = store.follow(bea.id, target, at(seconds)).await;
        done.expect("following twice is following once");
    }
    store
        .follow(bea.id, FollowTarget::Player(ada.id), at(3))
        .await
        .expect("followed");
    let follows = store.follows_of(bea.id).await.expect("asked");
    assert_eq!(follows.players, ["ada"]);
    assert_eq!(follows.bots.len(), 1);

    upload(&store, &bot, true, 10).await;
    assert_eq!(
        told(&store, &ada).await,
        [(VersionFailed, Some("viper".to_owned()), Some(1))]
    );
    assert_eq!(told(&store, &bea).await, [], "a failure is the author's");
    upload(&store, &bot, false, 20).await;
    let version = (BotVersion, Some("viper".to_owned()), Some(2));
    assert_eq!(told(&store, &bea).await, [version.clone()]);
    assert_eq!(store.count_unread(bea.id).await.expect("asked"), 1);
    let newest = store.notifications_of(bea.id).await.expect("asked")[0].id;
    store.mark_read(ada.id, newest).await.expect("marked");
    assert_eq!(store.count_unread(bea.id).await.expect("asked"), 1);
    store.mark_read(bea.id, newest).await.expect("marked");
    assert_eq!(store.count_unread(bea.id).await.expect("asked"), 0);

    store.unfollow(bea.id, target).await.expect("unfollowed");
    upload(&store, &bot, false, 30).await;
    assert_eq!(told(&store, &bea).await, [version]);
    let month = Duration::from_secs(30 * 24 * 3600);
    let swept = store.sweep_notifications(at(20).after(month)).await;
    assert_eq!(swept.expect("swept"), 1, "only what is older");
    let swept = store.sweep_notifications(at(21).after(month)).await;
    assert_eq!(swept.expect("swept"), 1);
}

pub async fn follows_and_notifications_go_with_bot_and_account(store: Store) {
    let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
    let by = || DeletionRequest {
        by: None,
        at: at(50),
    };
    let first = own_bot(&store, &ada, "first").await;
    let second = own_bot(&store, &ada, "second").await;
    for target in [
        FollowTarget::Bot(first.id),
        FollowTarget::Bot(second.id),
        FollowTarget::Player(ada.id),
    ] {
        store.follow(bea.id, target, at(1)).await.expect("followed");
    }
    upload(&store, &first, false, 10).await;
    upload(&store, &second, false, 11).await;
    assert_eq!(told(&store, &bea).await.len(), 2);
    store.delete_bot(first.id, by()).await.expect("deleted");
    assert_eq!(told(&store, &bea).await.len(), 1);
    let follows = store.follows_of(bea.id).await.expect("asked");
    assert_eq!((follows.bots.len(), follows.players.len()), (1, 1));
    store.delete_user(ada.id, by()).await.expect("deleted");
    assert_eq!(told(&store, &bea).await, []);
    let follows = store.follows_of(bea.id).await.expect("asked");
    assert_eq!(follows, Follows::default());
}

pub async fn a_person_follows_at_most_200(store: Store) {
    let ada = user(&store, "ada").await;
    for number in 0..200 {
        let other = user(&store, &format!("u{number}")).await;
        let target = FollowTarget::Player(other.id);
        store.follow(ada.id, target, at(1)).await.expect("followed");
    }
    let target = FollowTarget::Player(ada.id);
    let refused = store.follow(ada.id, target, at(2)).await;
    assert!(
        matches!(refused, Err(StoreError::Refused(_))),
        "{refused:?}"
    );
    let follows = store.follows_of(ada.id).await.expect("asked");
    assert_eq!(follows.players.len(), 200);
}

pub async fn people_are_told_of_contests(store: Store) {
    use NotificationKind::{ContestBegun, ContestEnded, ContestWon};
    let actor = |seconds| ContestActor {
        user: None,
        at: at(seconds),
    };
    let new = NewContest {
        name: "spring".to_owned(),
        game: "kob".to_owned(),
        file: "id = \"x\"".to_owned(),
        seed: u64::MAX.into(),
    };
    let id = store.create_contest(new, actor(0)).await.expect("free").id;
    let (ada, bea, cid) = (
        user(&store, "ada").await,
        user(&store, "bea").await,
        user(&store, "cid").await,
    );
    for (owner, name) in [(&ada, "one"), (&bea, "two")] {
        let bot = own_bot(&store, owner, name).await;
        upload(&store, &bot, false, 1).await;
        let joined = store.join_contest(id, bot.id, (64, 1), actor(2)).await;
        joined.expect("it may join");
    }
    for player in [&ada, &bea] {
        let target = FollowTarget::Player(player.id);
        store.follow(cid.id, target, at(3)).await.expect("followed");
    }
    let rules = FreezeRules {
        least: 2,
        team_size: 1,
        describe_refusal: Box::new(|_, _| None),
    };
    for _ in 0..2 {
        store
            .freeze_contest(id, &rules, at(5))
            .await
            .expect("frozen");
    }
    let kinds = async |user: &User| -> Vec<NotificationKind> {
        told(&store, user)
            .await
            .into_iter()
            .map(|(kind, _, _)| kind)
            .collect()
    };
    assert_eq!(kinds(&ada).await, [ContestBegun]);
    assert_eq!(kinds(&cid).await, [], "who only follows is told of winners");
    let entries = store.contest_entries(id).await.expect("entries");
    let seeds: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
    let begun = store.begin_stage(id, 0, &seeds, at(6)).await;
    begun.expect("an answer");
    for _ in 0..2 {
        let ended = store.finish_contest(id, Some(seeds[1]), at(7)).await;
        ended.expect("an answer");
    }
    assert_eq!(kinds(&bea).await, [ContestEnded, ContestBegun]);
    let won = store.notifications_of(cid.id).await.expect("asked");
    let [won] = &won[..] else {
        panic!("one of the two has won: {won:?}")
    };
    assert_eq!((won.kind, won.player.as_deref()), (ContestWon, Some("bea")));
    let contest = won.contest.as_ref().map(|contest| contest.name.as_str());
    assert_eq!(contest, Some("spring"));

    // It goes on after its end: nobody has won it yet.
    store
        .take_back_stage(id, 0, "a wrong map".to_owned(), actor(8))
        .await
        .expect("it is the last");
    assert_eq!(kinds(&cid).await, []);
    assert_eq!(kinds(&bea).await, [ContestBegun]);
}
