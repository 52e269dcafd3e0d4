//! Whose turn it is in the queue, with the queue itself and a time that is an argument.

use std::collections::HashMap;
use std::time::Duration;

use leitai_store::*;

use crate::arena::*;

/// How long each check takes in these tests, in seconds.
const TAKES: i64 = 10;

/// An author with a bot.
struct Author {
    user: User,
    bot: Bot,
}

async fn author(store: &Store, name: &str) -> Author {
    let user = user(store, name).await;
    let new = NewBot {
        game: "kob".to_owned(),
        name: format!("bot-of-{name}"),
        owner: user.id,
        about: String::new(),
    };
    let bot = store.create_bot(new, at(0)).await.expect("a bot");
    Author { user, bot }
}

async fn upload(store: &Store, by: &Author, seconds: i64) -> VersionId {
    let new = NewVersion {
        bot: by.bot.id,
        source: "sources/ab/cd".to_owned(),
        file_name: "main.cpp".to_owned(),
        bytes: 12,
        notes: String::new(),
        activates: false,
    };
    let (quota, by) = (Quota::UNLIMITED, uploader(by.user.id));
    let version = store.create_version_within(new, &quota, by, at(seconds));
    version.await.expect("a version").id
}

/// Uploads in the order of their times, and one worker that does them one after the other; returns
/// who was served when, in seconds.
async fn simulate(store: &Store, uploads: &[(i64, &Author)]) -> Vec<(UserId, i64)> {
    let (mut now, mut next, mut served) = (uploads[0].0, 0, Vec::new());
    let mut owners = HashMap::new();
    loop {
        while let Some((when, by)) = uploads.get(next).filter(|upload| upload.0 <= now) {
            owners.insert(upload(store, by, *when).await, by.user.id);
            next += 1;
        }
        let Some(acquired) = acquire(store, now).await else {
            match uploads.get(next) {
                Some((when, _)) => now = *when,
                None => return served,
            }
            continue;
        };
        let JobWork::Version(work) = &acquired.work else {
            panic!("only versions were uploaded");
        };
        served.push((owners[&work.0.id], now));
        now += TAKES;
        ok!(store.finish_version(&acquired.lease, ready(), at(now)));
    }
}

/// The waits of everybody but the flooder, in the order of their uploads.
fn waits(uploads: &[(i64, &Author)], served: &[(UserId, i64)], flooder: UserId) -> Vec<i64> {
    let mut served = served.to_vec();
    let others = uploads.iter().filter(|upload| upload.1.user.id != flooder);
    others
        .map(|(when, by)| {
            let found = served.iter().position(|one| one.0 == by.user.id);
            served.remove(found.expect("everybody is served")).1 - when
        })
        .collect()
}

/// These uploads after this time, at which the flooder sends forty at once.
fn with_flood<'a>(
    start: i64,
    flooder: &'a Author,
    others: &[(i64, &'a Author)],
) -> Vec<(i64, &'a Author)> {
    let flood = (0..40).map(|_| (start, flooder));
    let others = others.iter().map(|(when, by)| (when + start, *by));
    flood.chain(others).collect()
}

/// Thirty accounts, one of which floods: the others wait as without it, and for one job of it at
/// most.
pub async fn an_account_that_floods_the_queue_delays_nobody(store: Store) {
    let flooder = author(&store, "flooder").await;
    let mut others = Vec::new();
    for number in 0..29 {
        others.push(author(&store, &format!("author{number}")).await);
    }
    // First all others upload at once, alone and with the flooder.
    let alone: Vec<(i64, &Author)> = others.iter().map(|one| (10, one)).collect();
    let served = simulate(&store, &alone).await;
    let without = waits(&alone, &served, flooder.user.id);
    let flooded = with_flood(100_000, &flooder, &alone);
    let served = simulate(&store, &flooded).await;
    let with = waits(&flooded, &served, flooder.user.id);
    for (without, with) in without.iter().zip(&with) {
        assert!(*with <= without + TAKES, "{with} s, {without} s without it");
    }
    // Then they come one by one, as fast as the worker works: no more than one job of the flooder
    // starts before any of theirs, and the one that runs is not interrupted.
    let stream: Vec<(i64, &Author)> = (0..29)
        .map(|number| (5 + number * TAKES, &others[number as usize]))
        .collect();
    let flooded = with_flood(200_000, &flooder, &stream);
    let served = simulate(&store, &flooded).await;
    for (when, by) in flooded
        .iter()
        .filter(|one| one.1.user.id != flooder.user.id)
    {
        let begun = served
            .iter()
            .find(|one| one.0 == by.user.id)
            .expect("served")
            .1;
        let between = served
            .iter()
            .filter(|one| one.0 == flooder.user.id && one.1 >= *when && one.1 < begun);
        let between = between.count();
        assert!(
            between <= 1,
            "{between} jobs of the flooder before one of {}",
            by.user.name
        );
    }
    let of_flooder = served.iter().filter(|one| one.0 == flooder.user.id).count();
    assert_eq!(of_flooder, 40, "it is served, too");
}

async fn friendly(store: &Store, by: &Author, [a, b]: [&Bot; 2]) -> MatchId {
    let (a, b) = (ok!(store.bot_entrant(a.id)), ok!(store.bot_entrant(b.id)));
    let new = new_match(a, b, MatchKind::Friendly);
    let made = store.create_friendly(new, &Quota::UNLIMITED, by.user.id, at(1));
    made.await.expect("a match").id
}

pub async fn turns_are_taken_by_accounts_ladders_and_contests(store: Store) {
    let (ada, bob) = (author(&store, "ada").await, author(&store, "bob").await);
    let bots = [bot(&store, "one").await, bot(&store, "two").await];
    let pair = [&bots[0], &bots[1]];
    let mut names = HashMap::new();
    for number in 0..6 {
        names.insert(friendly(&store, &ada, pair).await, format!("ada{number}"));
    }
    for number in 0..2 {
        let made = queue(&store, &bots[0], &bots[1], MatchKind::Ladder).await;
        names.insert(made.id, format!("ladder{number}"));
    }
    names.insert(friendly(&store, &bob, pair).await, "bob0".to_owned());
    let mut order = Vec::new();
    while let Some(acquired) = acquire(&store, 2).await {
        order.push(names[&played(&acquired).id].clone());
        if order.len() == 5 {
            // Who comes late has saved nothing up.
            for number in 1..4 {
                names.insert(friendly(&store, &bob, pair).await, format!("bob{number}"));
            }
        }
    }
    let order = order.join(" ");
    assert_eq!(
        order,
        "ada0 ladder0 bob0 ada1 ladder1 ada2 bob1 ada3 bob2 ada4 bob3 ada5"
    );
}

pub async fn what_was_given_up_costs_no_turn(store: Store) {
    let (ada, bob) = (author(&store, "ada").await, author(&store, "bob").await);
    let bots = [bot(&store, "one").await, bot(&store, "two").await];
    let pair = [&bots[0], &bots[1]];
    for _ in 0..12 {
        let made = friendly(&store, &ada, pair).await;
        ok!(store.cancel_match(made, "no", at(2)));
    }
    let first = friendly(&store, &ada, pair).await;
    friendly(&store, &bob, pair).await;
    let acquired = acquire(&store, 3).await.expect("a job");
    assert_eq!(played(&acquired).id, first);
}

pub async fn a_queued_job_says_where_it_stands(store: Store) {
    let (ada, bob) = (author(&store, "ada").await, author(&store, "bob").await);
    let place = async |version: VersionId| {
        let job = store.job_of_version(version).await.expect("asked");
        let place = store.place_in_queue(&job.expect("it is queued")).await;
        let QueuePlace {
            ahead,
            running,
            typical,
        } = place.expect("a place");
        (ahead, running, typical.map(|time| time.as_secs()))
    };
    let of_ada = [
        upload(&store, &ada, 1).await,
        upload(&store, &ada, 1).await,
        upload(&store, &ada, 1).await,
    ];
    let of_bob = upload(&store, &bob, 2).await;
    assert_eq!(place(of_ada[0]).await, (0, 0, None));
    assert_eq!(place(of_bob).await, (1, 0, None));
    assert_eq!(place(of_ada[1]).await, (2, 0, None));
    for (seconds, took) in [(3, 20), (30, 40)] {
        let acquired = acquire(&store, seconds).await.expect("a job");
        ok!(store.finish_version(&acquired.lease, ready(), at(seconds + took)));
    }
    acquire(&store, 80).await.expect("a job");
    assert_eq!(place(of_ada[2]).await, (0, 1, Some(30)));
    let job = store.job_of_version(of_ada[2]).await.expect("asked");
    let typical = ok!(store.place_in_queue(&job.expect("queued"))).typical;
    assert_eq!(typical, Some(Duration::from_secs(30)));
}
