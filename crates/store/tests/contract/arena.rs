//! A small arena for the tests.

pub use crate::made::*;
use std::time::Duration;

use leitai_store::*;

/// The lease of all tests.
pub const LEASE: Duration = Duration::from_secs(60);

/// A timestamp this many seconds after the start.
pub const fn at(seconds: i64) -> Timestamp {
    Timestamp(1_700_000_000_000 + seconds * 1000)
}

pub fn nothing() -> Json {
    Json::Object(Default::default())
}

pub async fn user(store: &Store, name: &str) -> User {
    let new = new_user(name);
    ok!(store.create_user(new, at(0)))
}

pub async fn users<const N: usize>(store: &Store, names: [&str; N]) -> [User; N] {
    in_order(names.map(|name| user(store, name))).await
}

pub async fn bots<const N: usize>(store: &Store, names: [&str; N]) -> [Bot; N] {
    in_order(names.map(|name| bot(store, name))).await
}

/// Who uploads Python.
pub fn uploader(user: UserId) -> Uploader {
    Uploader {
        user,
        languages: SourceLanguages::from_known("python"),
    }
}

/// A bot with an active version.
pub async fn bot(store: &Store, name: &str) -> Bot {
    ok!(store.ensure_built_in("kob", name, "", at(0))).0
}

pub fn new_match(a: MatchEntrant, b: MatchEntrant, kind: MatchKind) -> NewMatch {
    let seed = MatchSeed::from(u64::MAX);
    NewMatch::new("kob", kind, [Some(a), Some(b)].into(), seed, 2)
}

/// The standard ladder of the game of all tests.
pub fn kob() -> LadderId {
    LadderId::standard("kob")
}

pub async fn queue(store: &Store, a: &Bot, b: &Bot, kind: MatchKind) -> Match {
    queue_on(store, &kob(), a, b, kind).await
}

/// Queues a match; one of the kind [`MatchKind::Ladder`] counts for this ladder.
pub async fn queue_on(
    store: &Store,
    ladder: &LadderId,
    a: &Bot,
    b: &Bot,
    kind: MatchKind,
) -> Match {
    let (a, b) = (ok!(store.bot_entrant(a.id)), ok!(store.bot_entrant(b.id)));
    let new = NewMatch {
        ladder: Some(ladder.clone()),
        ..new_match(a, b, kind)
    };
    store.create_match(new, at(1)).await.expect("a match")
}

pub fn offer(worker: &str) -> WorkerOffer {
    let kinds = vec![JobKind::Match, JobKind::Exhibition, JobKind::Version];
    WorkerOffer {
        worker: worker.to_owned(),
        kinds,
        games: Vec::new(),
        programs: true,
        wire: i32::MAX,
    }
}

pub async fn acquire(store: &Store, seconds: i64) -> Option<LeasedJob> {
    ok!(store.lease_job(&offer("w"), at(seconds), LEASE))
}

pub fn result(winner: MatchWinner) -> MatchResult {
    MatchResult {
        scores: serde_json::json!([[3, 1]]),
        fault_counts: PerSide { a: 0, b: 1 },
        longest_us: PerSide {
            a: Some(700),
            b: None,
        },
        replay: Some("replays/0/1-abc.zst".to_owned()),
        ..plain_result(winner)
    }
}

pub fn played(acquired: &LeasedJob) -> &Match {
    match &acquired.work {
        JobWork::Match(found) => found,
        JobWork::Version(_) | JobWork::GameFile(_) => panic!("a match was queued"),
    }
}

/// Queues and plays one match.
pub async fn play(store: &Store, a: &Bot, b: &Bot, winner: MatchWinner) -> Match {
    play_on(store, &kob(), a, b, winner).await
}

/// Queues and plays one match of this ladder.
pub async fn play_on(
    store: &Store,
    ladder: &LadderId,
    a: &Bot,
    b: &Bot,
    winner: MatchWinner,
) -> Match {
    let made = queue_on(store, ladder, a, b, MatchKind::Ladder).await;
    let acquired = acquire(store, 2).await.expect("a job");
    assert_eq!(played(&acquired).id, made.id);
    let finish = ok!(store.finish_match(&acquired.lease, result(winner), at(3)));
    fits!(finish => RecordOutcome::Recorded { change: Some(_) });
    store.match_by_id(made.id).await.expect("it is there")
}

pub async fn source(store: &Store, bot: &Bot, activates: bool) -> Version {
    let new = NewVersion {
        bot: bot.id,
        source: "sources/ab/cd".to_owned(),
        file_name: "main.cpp".to_owned(),
        bytes: 12,
        notes: String::new(),
        activates,
    };
    store.create_version(new, at(1)).await.expect("a version")
}

pub fn ready() -> VersionOutcome {
    VersionOutcome::Ready {
        how: "make".to_owned(),
        protocol: "line".to_owned(),
        report: nothing(),
    }
}

/// Asserts that rebuilding changes no rating.
pub async fn ratings_are_right(store: &Store) -> u64 {
    let rebuilt = store.rebuild_ladder(&kob()).await.expect("rebuilt");
    assert_eq!(rebuilt.changed, 0, "{rebuilt:?}");
    rebuilt.matches
}
