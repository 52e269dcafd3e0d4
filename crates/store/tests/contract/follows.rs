//! Whom people follow, and what they are told in the page.

use std::time::Duration;

use leitai_store::*;

use crate::arena::{at, by_operator, deletion_by, kob, new_bot, user, users};

async fn own_bot(store: &Store, owner: &User, name: &str) -> Bot {
    let new = new_bot("kob", name, owner.id);
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
    ok!(store.finish_version(&job.lease, outcome, at(seconds)));
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
        ok!(store.follow(bea.id, target, at(seconds)));
    }
    ok!(store.follow(bea.id, FollowTarget::Player(ada.id), at(3)));
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
    assert_eq!(told(&store, &bea).await, std::slice::from_ref(&version));
    assert_eq!(store.count_unread(bea.id).await.expect("asked"), 1);
    let newest = store.notifications_of(bea.id).await.expect("asked")[0].id;
    ok!(store.mark_read(ada.id, ReadRange::Until(newest)));
    assert_eq!(store.count_unread(bea.id).await.expect("asked"), 1);
    ok!(store.mark_read(bea.id, ReadRange::One(newest)));
    assert_eq!(store.count_unread(bea.id).await.expect("asked"), 0);

    store.unfollow(bea.id, target).await.expect("unfollowed");
    upload(&store, &bot, false, 30).await;
    assert_eq!(told(&store, &bea).await, [version]);
    let month = Duration::from_secs(30 * 24 * 3600);
    gives!(store.sweep_notifications(at(20).after(month)) => 1, "only what is older");
    gives!(store.sweep_notifications(at(21).after(month)) => 1);
}

pub async fn follows_and_notifications_go_with_bot_and_account(store: Store) {
    let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
    let by = || deletion_by(None, at(50));
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
    fails!(store.follow(ada.id, target, at(2)) => Refused(_));
    let follows = store.follows_of(ada.id).await.expect("asked");
    assert_eq!(follows.players.len(), 200);
}

pub async fn people_are_told_of_contests(store: Store) {
    use NotificationKind::{ContestBegun, ContestEnded, FollowedPlaced, FollowedPlays};
    let actor = |seconds| by_operator(at(seconds));
    let new = NewContest {
        name: "spring".to_owned(),
        game: "kob".to_owned(),
        file: "id = \"x\"".to_owned(),
        seed: u64::MAX.into(),
        privacy: ContestPrivacy::PUBLIC,
        names: Vec::new(),
    };
    let id = store.create_contest(new, actor(0)).await.expect("free").id;
    let [ada, bea, cid, dan] = users(&store, ["ada", "bea", "cid", "dan"]).await;
    for (owner, name) in [(&ada, "one"), (&bea, "two")] {
        let bot = own_bot(&store, owner, name).await;
        upload(&store, &bot, false, 1).await;
        ok!(store.join_contest(id, bot.id, (64, 1), actor(2)));
        if name == "one" {
            // Who plays with a bot and follows it is told once.
            for user in [&ada, &dan] {
                let target = FollowTarget::Bot(bot.id);
                ok!(store.follow(user.id, target, at(2)));
            }
        }
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
        ok!(store.freeze_contest(id, &rules, at(5)));
    }
    let kinds = async |user: &User| -> Vec<NotificationKind> {
        told(&store, user)
            .await
            .into_iter()
            .map(|(kind, _, _)| kind)
            .collect()
    };
    assert_eq!(kinds(&ada).await, [ContestBegun]);
    assert_eq!(kinds(&cid).await, [FollowedPlays], "one for each contest");
    assert_eq!(kinds(&dan).await, [FollowedPlays]);
    let entries = store.contest_entries(id).await.expect("entries");
    let seeds: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
    ok!(store.begin_stage(id, 0, &seeds, at(6)));
    let places = [(seeds[1], 1), (seeds[0], 2)];
    for _ in 0..2 {
        ok!(store.finish_contest(id, &places, at(7)));
    }
    assert_eq!(kinds(&bea).await, [ContestEnded, ContestBegun]);
    let newest = async |user: &User| {
        let told = store.notifications_of(user.id).await.expect("asked");
        let one = told.into_iter().next().expect("told");
        let contest = one.contest.map(|contest| contest.name);
        assert_eq!(contest.as_deref(), Some("spring"));
        (one.kind, one.bot.map(|bot| bot.name), one.place, one.player)
    };
    let result = |kind, bot: &str, place, player: Option<&str>| {
        let player = player.map(str::to_owned);
        (kind, Some(bot.to_owned()), Some(place), player)
    };
    assert_eq!(newest(&ada).await, result(ContestEnded, "one", 2, None));
    assert_eq!(newest(&bea).await, result(ContestEnded, "two", 1, None));
    // Of all that she follows the best placed bot; of a bot he is told by its own name.
    let best = result(FollowedPlaced, "two", 1, Some("bea"));
    assert_eq!(newest(&cid).await, best);
    assert_eq!(newest(&dan).await, result(FollowedPlaced, "one", 2, None));

    // It goes on after its end: it has no result yet.
    ok!(store.take_back_stage(id, 0, "a wrong map".to_owned(), actor(8)));
    assert_eq!(kinds(&cid).await, [FollowedPlays]);
    assert_eq!(kinds(&bea).await, [ContestBegun]);
    ok!(store.annul_contest(id, "no power".to_owned(), actor(9)));
    let last = [NotificationKind::ContestAnnulled, ContestBegun];
    assert_eq!(kinds(&bea).await, last);
    assert_eq!(kinds(&cid).await, [FollowedPlays]);
}

pub async fn the_newest_notifications_are_kept(store: Store) {
    let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
    let bot = own_bot(&store, &ada, "viper").await;
    let target = FollowTarget::Bot(bot.id);
    store.follow(bea.id, target, at(1)).await.expect("followed");
    for number in 1..=205 {
        upload(&store, &bot, false, 10 * number).await;
    }
    gives!(store.sweep_notifications(at(3000)) => 5);
    let versions = told(&store, &bea).await.into_iter();
    let versions: Vec<i32> = versions.filter_map(|(_, _, version)| version).collect();
    assert_eq!(versions, (6..=205).rev().collect::<Vec<i32>>());
}

pub async fn people_are_told_of_best_ranks(store: Store) {
    const DAY: i64 = 24 * 3600;
    let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
    let cid = user(&store, "cid").await;
    let viper = own_bot(&store, &ada, "viper").await;
    upload(&store, &viper, false, 10).await;
    let mut others = Vec::new();
    for name in ["a", "b", "c"] {
        others.push(crate::arena::bot(&store, name).await);
    }
    for (who, target) in [
        (&bea, FollowTarget::Bot(viper.id)),
        (&bea, FollowTarget::Player(ada.id)),
        (&cid, FollowTarget::Player(ada.id)),
        (&cid, FollowTarget::Bot(others[0].id)),
    ] {
        ok!(store.follow(who.id, target, at(11)));
    }
    let update = async |seconds| {
        let told = store.update_best_ranks(&kob(), at(seconds)).await;
        told.expect("asked")
    };
    let win = async |count| {
        for _ in 0..count {
            for other in &others {
                crate::arena::play(&store, &viper, other, MatchWinner::A).await;
            }
        }
    };
    let rank = async || {
        let rank = store.rank_of(viper.id, &kob()).await.expect("asked");
        rank.expect("listed")
    };
    assert_eq!(update(20).await, 0, "where a bot begins is no news");
    assert_eq!(rank().await, [1, 4]);
    win(10).await;
    assert_eq!(rank().await, [1, 1]);
    assert_eq!(update(21).await, 0, "not on the first day");
    assert_eq!(update(20 + DAY).await, 1);
    let best = (
        NotificationKind::BestRank,
        Some("viper".to_owned()),
        Some(1),
    );
    for who in [&ada, &bea, &cid] {
        let found = store.notifications_of(who.id).await.expect("asked");
        let found: Vec<_> = found
            .into_iter()
            .map(|one| (one.kind, one.bot.map(|bot| bot.name), one.place))
            .collect();
        assert_eq!(found, std::slice::from_ref(&best), "{}, once", who.name);
    }
    // Neither staying nor coming back is a best rank.
    assert_eq!(update(21 + 2 * DAY).await, 0);
    store.rebuild_ladder(&kob()).await.expect("rebuilt");
    assert_eq!(
        update(22 + 3 * DAY).await,
        0,
        "ratings anew, the same ranks"
    );
    for _ in 0..8 {
        crate::arena::play(&store, &others[0], &viper, MatchWinner::A).await;
    }
    assert!(rank().await[1] > 1);
    update(23 + 4 * DAY).await;
    win(10).await;
    assert_eq!(rank().await, [1, 1]);
    update(24 + 6 * DAY).await;
    assert_eq!(told(&store, &ada).await.len(), 1);
}

/// Best ranks are those of each ladder: none is kept back because there was one on another.
pub async fn people_are_told_of_best_ranks_on_each_ladder(store: Store) {
    const DAY: i64 = 24 * 3600;
    let small = LadderId::new("kob", "small");
    let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
    let viper = own_bot(&store, &ada, "viper").await;
    upload(&store, &viper, false, 10).await;
    let mut others = Vec::new();
    for name in ["a", "b", "c"] {
        others.push(crate::arena::bot(&store, name).await);
    }
    ok!(store.open_ladders("kob", std::slice::from_ref(&small)));
    let target = FollowTarget::Bot(viper.id);
    ok!(store.follow(bea.id, target, at(11)));
    let win_on = async |ladder: &LadderId| {
        for _ in 0..10 {
            for other in &others {
                crate::arena::play_on(&store, ladder, &viper, other, MatchWinner::A).await;
            }
        }
    };
    let update = async |ladder: &LadderId, seconds| {
        let told = store.update_best_ranks(ladder, at(seconds)).await;
        told.expect("asked")
    };
    for ladder in [&kob(), &small] {
        assert_eq!(update(ladder, 20).await, 0, "where a bot begins is no news");
    }
    win_on(&small).await;
    assert_eq!(update(&kob(), 20 + DAY).await, 0, "it has won nothing here");
    assert_eq!(update(&small, 20 + DAY).await, 1);
    win_on(&kob()).await;
    assert_eq!(update(&kob(), 21 + DAY).await, 1);
    assert_eq!(
        update(&small, 22 + 2 * DAY).await,
        0,
        "it stays where it is"
    );
    for who in [&ada, &bea] {
        let found = store.notifications_of(who.id).await.expect("asked");
        let found: Vec<_> = found
            .into_iter()
            .map(|one| (one.kind, one.ladder, one.place))
            .collect();
        let first = |ladder| (NotificationKind::BestRank, Some(ladder), Some(1));
        assert_eq!(found, [first(kob()), first(small.clone())], "{}", who.name);
    }
    // Off the ladder and back, a bot has no best rank again. The others moved up meanwhile.
    for (out, day) in [(true, 4), (false, 6)] {
        ok!(store.set_opted_out(viper.id, &small, out));
        update(&small, day * DAY).await;
    }
    assert_eq!(told(&store, &ada).await.len(), 2);
}
