use std::collections::HashSet;

use leitai_store::*;

use crate::arena::*;
use crate::seen::says;

pub async fn two_workers_never_get_one_job(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    for _ in 0..40 {
        queue(&store, &a, &b, MatchKind::Ladder).await;
    }
    let workers = (0..8).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut jobs = Vec::new();
            let offer = offer(&format!("w{number}"));
            while let Some(acquired) = store.lease_job(&offer, at(2), LEASE).await.expect("asked") {
                jobs.push(acquired.lease.job);
            }
            jobs
        })
    });
    let mut all = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        all.extend(worker.await.expect("a worker ends"));
    }
    assert_eq!(
        (all.len(), all.iter().collect::<HashSet<_>>().len()),
        (40, 40)
    );
}

pub async fn urgent_jobs_go_first(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let entrant = store.bot_entrant(a.id).await.expect("a");
    let rival = store.bot_entrant(b.id).await.expect("b");
    let mut order = Vec::new();
    for priority in [0, 0, 5] {
        let new = NewMatch {
            priority,
            ..new_match(entrant.clone(), rival.clone(), MatchKind::Friendly)
        };
        order.push(store.create_match(new, at(1)).await.expect("made").id);
    }
    for expected in [order[2], order[0], order[1]] {
        assert_eq!(played(&ok!(acquire(&store, 2))).id, expected);
    }
}

pub async fn workers_get_what_they_can_do(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    queue(&store, &a, &b, MatchKind::Friendly).await;
    let kob = || vec!["snakego".to_owned(), "kob".to_owned()];
    let rows = [
        (vec![JobKind::Version], vec![], false),
        (vec![JobKind::Exhibition], vec![], false),
        (vec![JobKind::Match], vec!["snakego".to_owned()], false),
        (vec![], vec![], false),
        (vec![JobKind::Match], kob(), true),
    ];
    for (kinds, games, gets) in rows {
        let offer = WorkerOffer {
            worker: "w".to_owned(),
            kinds,
            games,
            programs: false,
            wire: i32::MAX,
        };
        let got = store.lease_job(&offer, at(2), LEASE).await.expect("asked");
        assert_eq!(got.is_some(), gets, "{offer:?}");
    }
    let uploaded = MatchEntrant {
        built_in: false,
        home: None,
        home_bot: None,
        latency_us: None,
        ..store.bot_entrant(a.id).await.expect("a")
    };
    let rival = store.bot_entrant(b.id).await.expect("b");
    ok!(store.create_match(new_match(rival, uploaded, MatchKind::Friendly), at(1)));
    source(&store, &a, false).await;
    for (programs, gets) in [(false, 0), (true, 2)] {
        let offer = WorkerOffer {
            programs,
            ..offer("w")
        };
        let mut got = 0;
        while store
            .lease_job(&offer, at(2), LEASE)
            .await
            .expect("asked")
            .is_some()
        {
            got += 1;
        }
        assert_eq!(got, gets, "{offer:?}");
    }
}

/// A match with settings or clocks of its own is given to no worker whose messages do not have them.
pub async fn an_old_worker_gets_no_match_that_it_would_play_otherwise(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let entrant = async |settings: Option<&str>| MatchEntrant {
        settings: settings.map(str::to_owned),
        ..store.bot_entrant(a.id).await.expect("a")
    };
    let rival = store.bot_entrant(b.id).await.expect("b");
    for (settings, limits, old_gets) in [
        (None, Json::Null, true),
        (None, serde_json::json!({"period_ms": 20}), true),
        (Some("@limit=20ms"), Json::Null, false),
        (None, serde_json::json!({"bank_ms": 60_000}), false),
        (
            None,
            serde_json::json!({"grace_ms": 100, "strikes": 3}),
            false,
        ),
        (None, serde_json::json!({"keeps": true}), false),
    ] {
        let new = NewMatch {
            limits: limits.clone(),
            ..new_match(rival.clone(), entrant(settings).await, MatchKind::Friendly)
        };
        ok!(store.create_match(new, at(1)));
        let mut got = Vec::new();
        for wire in [4, 5] {
            let offer = WorkerOffer { wire, ..offer("w") };
            let leased = store.lease_job(&offer, at(2), LEASE).await.expect("asked");
            got.push(leased.is_some());
        }
        assert_eq!(got, [old_gets, !old_gets], "{settings:?} {limits}");
    }
}

pub async fn the_jobs_of_a_worker_that_is_gone_are_taken_at_once(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let made = queue(&store, &a, &b, MatchKind::Ladder).await;
    let first = acquire(&store, 0).await.expect("a job");
    let worker = first.lease.clone();
    let ended = async |name: &str, seconds: i64| {
        let ended = store.end_leases_of(name, at(seconds)).await;
        ended.expect("the database answers")
    };
    assert_eq!(ended("somebody else", 1).await, 0);
    assert!(acquire(&store, 2).await.is_none());
    assert_eq!(ended("w", 3).await, 1);
    assert_eq!(ended("w", 4).await, 0, "it has ended");
    let second = acquire(&store, 4).await.expect("the job is back");
    assert_eq!((second.attempt, played(&second).id), (2, made.id));
    assert_eq!(ok!(store.check_lease(&worker)), LeaseState::Lost);
}

pub async fn an_expired_lease_returns_and_a_late_finish_is_lost(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let made = queue(&store, &a, &b, MatchKind::Ladder).await;
    let first = acquire(&store, 0).await.expect("a job");
    assert!(acquire(&store, 59).await.is_none());
    gives!(store.renew_lease(&first.lease, at(100)) => LeaseState::Held);
    assert!(acquire(&store, 99).await.is_none());
    let second = acquire(&store, 101).await.expect("the job is back");
    assert_eq!((second.attempt, played(&second).id), (2, made.id));
    assert_eq!(ok!(store.check_lease(&first.lease)), LeaseState::Lost);
    gives!(store.renew_lease(&first.lease, at(999)) => LeaseState::Lost);
    let late = ok!(store.finish_match(&first.lease, result(MatchWinner::A), at(102)));
    assert_eq!(late, RecordOutcome::Lost);
    let finish = ok!(store.finish_match(&second.lease, result(MatchWinner::B), at(103)));
    assert!(
        matches!(finish, RecordOutcome::Recorded { change: Some(change) } if change.a < 0.0 && change.b > 0.0)
    );
    let late = ok!(store.finish_match(&first.lease, result(MatchWinner::A), at(104)));
    assert_eq!(late, RecordOutcome::Lost);
    let found = store.match_by_id(made.id).await.expect("there");
    fields!(found, {state: MatchState::Finished, winner: Some(MatchWinner::B),
        turn.is_some(): true});
    assert_eq!(found.seed.get(), u64::MAX);
    assert_eq!(ratings_are_right(&store).await, 1);
}

pub async fn a_second_finish_says_so(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    queue(&store, &a, &b, MatchKind::Ladder).await;
    let acquired = acquire(&store, 0).await.expect("a job");
    let both = tokio::join!(
        store.finish_match(&acquired.lease, result(MatchWinner::A), at(1)),
        store.finish_match(&acquired.lease, result(MatchWinner::A), at(1)),
    );
    let both = [both.0.expect("answered"), both.1.expect("answered")];
    assert!(both.contains(&RecordOutcome::AlreadyFinished), "{both:?}");
    assert!(
        both.iter()
            .any(|finish| matches!(finish, RecordOutcome::Recorded { .. })),
        "{both:?}"
    );
    assert_eq!(
        ok!(store.find_standing(a.id, &kob()))
            .expect("listed")
            .games,
        1
    );
    let forged = Lease {
        token: "x".to_owned(),
        ..acquired.lease
    };
    gives!(store.finish_match(&forged, result(MatchWinner::A), at(1)) => RecordOutcome::Lost);
}

pub async fn attempts_run_out(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let made = queue(&store, &a, &b, MatchKind::Ladder).await;
    for attempt in 1..=3 {
        let acquired = ok!(acquire(&store, i64::from(attempt) * 100));
        assert_eq!(acquired.attempt, attempt);
    }
    assert!(acquire(&store, 1000).await.is_none());
    let found = store.match_by_id(made.id).await.expect("there");
    fields!(found, {state: MatchState::Void, winner: None, finished: Some(at(1000))});
    assert_eq!(
        ok!(store.find_standing(a.id, &kob()))
            .expect("listed")
            .games,
        0
    );
    assert_eq!(store.queue_depth().await.expect("asked"), 0);
}

pub async fn giving_up_and_handing_back(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let made = queue(&store, &a, &b, MatchKind::Friendly).await;
    for _ in 0..5 {
        let acquired = acquire(&store, 0).await.expect("a job");
        assert_eq!(acquired.attempt, 1, "handing back costs no attempt");
        assert_eq!(ok!(store.hand_back(&acquired.lease)), LeaseState::Held);
        assert_eq!(ok!(store.hand_back(&acquired.lease)), LeaseState::Lost);
        assert_eq!(ok!(store.match_by_id(made.id)).state, MatchState::Queued);
    }
    for expected in [
        GiveUpOutcome::Again,
        GiveUpOutcome::Again,
        GiveUpOutcome::Over,
    ] {
        let acquired = acquire(&store, 0).await.expect("a job");
        gives!(store.give_up(&acquired.lease, "no memory", at(1)) => expected);
        gives!(store.give_up(&acquired.lease, "again", at(1)) => GiveUpOutcome::Lost);
    }
    let found = store.match_by_id(made.id).await.expect("there");
    fields!(found, {state: MatchState::Void, note.as_deref(): Some("no memory")});
}

pub async fn cancelled_matches_are_lost(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let made = queue(&store, &a, &b, MatchKind::Ladder).await;
    let acquired = acquire(&store, 0).await.expect("a job");
    let cancelled = ok!(store.cancel_match(made.id, "by its author", at(1)));
    assert_eq!(cancelled.state, MatchState::Cancelled);
    gives!(store.renew_lease(&acquired.lease, at(90)) => LeaseState::Lost);
    let finish = ok!(store.finish_match(&acquired.lease, result(MatchWinner::A), at(2)));
    assert_eq!(finish, RecordOutcome::Lost);
    fails!(store.void_match(made.id, "", at(3)) => Refused(_));
    assert_eq!(ok!(store.match_by_id(made.id)).state, MatchState::Cancelled);
}

async fn mine(store: &Store, name: &str) -> Bot {
    let owner = match store.user_by_name("ada").await.expect("asked") {
        Some(ada) => ada.id,
        None => user(store, "ada").await.id,
    };
    let new = new_bot("kob", name, owner);
    store.create_bot(new, at(0)).await.expect("free")
}

pub async fn versions_are_built_checked_and_activated(store: Store) {
    let bot = mine(&store, "viper").await;
    let mut changes = store.version_changes();
    let version = source(&store, &bot, true).await;
    assert_eq!((version.number, version.state), (1, VersionState::Queued));
    fails!(store.activate_version(bot.id, version.id, at(1)) => Refused(_));
    fails!(store.bot_entrant(bot.id) => Refused(_));
    let acquired = acquire(&store, 2).await.expect("a job");
    assert_eq!(changes.try_recv().expect("told"), version.id);
    let JobWork::Version(work) = &acquired.work else {
        panic!("a version was queued")
    };
    assert_eq!(
        (work.0.id, work.1.id, work.0.state),
        (version.id, bot.id, VersionState::Building)
    );
    let lease = &acquired.lease;
    assert!(ok!(store.append_log(lease, "g++ main.cpp\0\n")));
    assert!(ok!(store.append_log(lease, &"字".repeat(100_000))));
    assert!(store.append_log(lease, "more").await.expect("asked"));
    for step in ["starts", "plays"] {
        assert!(ok!(
            store.append_step(lease, serde_json::json!({ "step": step }))
        ));
    }
    let found = store.find_version(version.id).await.expect("there");
    fields!(found, {state: VersionState::Checking, steps.as_array().map(Vec::len): Some(2)});
    assert!(
        found.log.len() <= leitai_store::work::version_results::LONGEST_LOG
            && found.log.ends_with("left out\n")
    );
    let finish = ok!(store.finish_version(lease, ready(), at(3)));
    assert_eq!(finish, RecordOutcome::Recorded { change: None });
    let again = ok!(store.finish_version(lease, ready(), at(4)));
    assert_eq!(again, RecordOutcome::AlreadyFinished);
    assert!(!store.append_log(lease, "late").await.expect("asked"));
    assert_eq!(ok!(store.find_bot(bot.id)).active, Some(version.id));
    let entrant = store.bot_entrant(bot.id).await.expect("it may play");
    fields!(entrant, {number: Some(1), user_name.as_deref(): Some("ada")});
    let second = source(&store, &bot, false).await;
    let acquired = acquire(&store, 5).await.expect("a job");
    let failure = serde_json::json!({"en": "it does not compile", "zh": "编译失败"});
    let failed = VersionOutcome::Failed {
        how: None,
        failure: failure.clone(),
        report: None,
    };
    ok!(store.finish_version(&acquired.lease, failed, at(6)));
    let briefs = store.versions_of(bot.id).await.expect("asked");
    assert_eq!(
        briefs.iter().map(|brief| brief.number).collect::<Vec<_>>(),
        [2, 1]
    );
    assert_eq!(
        (briefs[0].id, briefs[0].failure.as_ref()),
        (second.id, Some(&failure))
    );
    assert_eq!(ok!(store.find_bot(bot.id)).active, Some(version.id));
}

pub async fn a_version_that_stops_workers_is_set_aside(store: Store) {
    let bot = mine(&store, "viper").await;
    let version = source(&store, &bot, true).await;
    acquire(&store, 0).await.expect("a job");
    // An upload that came later goes before the one whose worker was lost.
    let honest = source(&store, &mine(&store, "adder").await, true).await;
    let next = acquire(&store, 100).await.expect("a job");
    assert!(matches!(&next.work, JobWork::Version(work) if work.0.id == honest.id));
    gives!(store.renew_lease(&next.lease, at(100_000)) => LeaseState::Held);
    let again = acquire(&store, 100).await.expect("a job");
    assert!(matches!(&again.work, JobWork::Version(work) if work.0.id == version.id));
    // Two kills in one bad minute are no reason to set it aside: it waits, and is tried once more.
    assert!(acquire(&store, 200).await.is_none(), "not at once");
    let found = store.find_version(version.id).await.expect("there");
    assert_eq!((found.state, found.failure), (VersionState::Queued, None));
    assert_eq!(store.list_set_aside().await.expect("asked"), []);
    assert!(
        acquire(&store, 259).await.is_none(),
        "it waits for a minute"
    );
    assert_eq!(acquire(&store, 260).await.expect("a job").attempt, 3);
    assert!(
        acquire(&store, 400).await.is_none(),
        "it is not tried a fourth time"
    );
    let found = store.find_version(version.id).await.expect("there");
    let said = found.failure.expect("why")["en"].to_string();
    assert_eq!(found.state, VersionState::Failed);
    says(&said, &["an error of the arena", "set aside"]);
    let aside = store.list_set_aside().await.expect("asked");
    assert_eq!(
        aside.iter().map(|job| job.version_id).collect::<Vec<_>>(),
        [Some(version.id)]
    );
    assert_eq!(ok!(store.count_all()).set_aside["version"], 1);
    store.retry_job(aside[0].id).await.expect("it is set aside");
    let anew = store.find_job(aside[0].id).await.expect("there");
    assert_eq!((anew.attempts, anew.note), (0, None));
    fails!(store.retry_job(aside[0].id) => Missing { .. });
    let found = store.find_version(version.id).await.expect("there");
    assert_eq!((found.state, found.failure), (VersionState::Queued, None));
    // A check that hangs for hours is no kill: the second time is enough.
    for (seconds, attempt) in [(500, 1), (20_000, 2)] {
        let taken = acquire(&store, seconds).await.expect("a job");
        assert_eq!(taken.attempt, attempt);
        gives!(store.renew_lease(&taken.lease, at(seconds + 11_000)) => LeaseState::Held);
    }
    assert!(acquire(&store, 40_000).await.is_none());
    // A bot that is deleted leaves nothing to retry.
    let job = store.list_set_aside().await.expect("asked")[0].id;
    let deletion = deletion_by(None, at(40_001));
    store.delete_bot(bot.id, deletion).await.expect("deleted");
    assert!(store.retry_job(job).await.is_err());
}

/// How long the second check held its worker decides, not how long it waited, or nobody looked.
pub async fn a_check_that_hangs_is_told_from_a_worker_that_is_killed(store: Store) {
    let hour = 3600;
    // When it is taken, how long the two checks last, when somebody looks then, and whether it is set
    // aside.
    let rows = [
        (10, [30, 30], 1, false),
        (10, [30, hour - 1], 1, false),
        (10, [30, hour], 1, true),
        (10, [hour, 30], 1, false),
        (10, [hour, hour], 1, true),
        (3 * hour, [30, 30], 1, false),
        (10, [30, 30], 3 * hour, false),
        (10, [30, hour - 1], 3 * hour, false),
    ];
    for (number, (begun, lasts, looked, is_set_aside)) in rows.into_iter().enumerate() {
        let bot = mine(&store, &format!("viper{number}")).await;
        let version = source(&store, &bot, true).await;
        let mut now = begun;
        for seconds in lasts {
            let taken = acquire(&store, now).await.expect("a job");
            now += seconds;
            gives!(store.renew_lease(&taken.lease, at(now)) => LeaseState::Held);
            now += looked;
        }
        assert!(acquire(&store, now).await.is_none(), "row {number}");
        let aside = store.list_set_aside().await.expect("asked");
        assert_eq!(!aside.is_empty(), is_set_aside, "row {number}");
        let found = store.find_version(version.id).await.expect("there");
        let expected = match is_set_aside {
            true => VersionState::Failed,
            false => VersionState::Queued,
        };
        assert_eq!(found.state, expected, "row {number}");
        let deletion = deletion_by(None, at(now));
        store.delete_bot(bot.id, deletion).await.expect("deleted");
    }
}

pub async fn a_version_is_not_blamed_with_another_job_of_both_times(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let version = source(&store, &mine(&store, "viper").await, true).await;
    queue(&store, &a, &b, MatchKind::Ladder).await;
    // A server that is killed three times while it checks the version and plays something.
    for seconds in [10, 20, 30] {
        let taken = [
            acquire(&store, seconds).await,
            acquire(&store, seconds).await,
        ];
        let checked = taken
            .iter()
            .flatten()
            .any(|job| matches!(&job.work, JobWork::Version(work) if work.0.id == version.id));
        assert!(checked, "after {seconds} s");
        if seconds == 30 {
            // The match of the first two times is over now, and another is played.
            let first = taken
                .iter()
                .flatten()
                .find(|job| matches!(job.work, JobWork::Match(_)));
            let lease = &first.expect("it was taken again").lease;
            ok!(store.finish_match(lease, result(MatchWinner::A), at(31)));
            queue(&store, &a, &b, MatchKind::Ladder).await;
            assert_eq!(acquire(&store, 32).await.expect("a job").attempt, 1);
        }
        gives!(store.end_leases_of("w", at(seconds + 5)) => 2);
    }
    let other = acquire(&store, 40).await.expect("the match").lease;
    assert!(acquire(&store, 40).await.is_none(), "the version waits");
    let won = result(MatchWinner::A);
    ok!(store.finish_match(&other, won, at(41)));
    acquire(&store, 100).await.expect("the version");
    assert_eq!(store.end_leases_of("w", at(105)).await.expect("ended"), 1);
    assert!(acquire(&store, 110).await.is_none());
    let aside = store.list_set_aside().await.expect("asked");
    assert_eq!(aside.len(), 1, "the version alone was there every time");
}

/// Takes jobs of one kind.
async fn take(store: &Store, worker: &str, kind: JobKind, seconds: i64) -> Option<LeasedJob> {
    let offer = WorkerOffer {
        kinds: vec![kind],
        ..offer(worker)
    };
    let taken = store.lease_job(&offer, at(seconds), LEASE).await;
    taken.expect("the queue answers")
}

/// A worker is lost twice with the check of a version, and something else is there both times.
pub async fn only_a_job_of_the_same_lost_worker_excuses_a_version(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    // Whose worker plays the match, whether its lease is held until the moment of the look, whether
    // somebody ends the leases and the match is cancelled before it, and whether the version waits.
    let rows = [
        ("w", false, false, false),
        ("w", false, true, false),
        ("x", false, false, true),
        ("w", true, false, true),
    ];
    for (number, (other, is_held, is_cancelled, waits)) in rows.into_iter().enumerate() {
        let checked = mine(&store, &format!("viper{number}")).await;
        source(&store, &checked, true).await;
        let match_id = queue(&store, &a, &b, MatchKind::Ladder).await.id;
        for seconds in [10, 110] {
            let version = take(&store, "w", JobKind::Version, seconds).await;
            assert!(version.is_some(), "row {number}");
            let lease = take(&store, other, JobKind::Match, seconds).await;
            let lease = lease.expect("the match").lease;
            if is_held && seconds == 110 {
                gives!(store.renew_lease(&lease, at(210)) => LeaseState::Held);
            }
        }
        if is_cancelled {
            assert_eq!(store.end_leases_of("w", at(120)).await.expect("ended"), 2);
            ok!(store.cancel_match(match_id, "by its author", at(120)));
        }
        let next = take(&store, "w", JobKind::Version, 210).await;
        assert_eq!(next.is_none(), waits, "row {number}");
        let deletion = deletion_by(None, at(211));
        ok!(store.delete_bot(checked.id, deletion));
        // It may be over.
        _ = store.cancel_match(match_id, "by its author", at(211)).await;
    }
}

pub async fn a_version_that_cannot_be_checked_is_not_blamed(store: Store) {
    let version = source(&store, &mine(&store, "viper").await, true).await;
    let mut now = 0;
    // After an error the job is tried again with growing waiting times, up to a limit.
    for attempt in 1..=10 {
        let pause = if attempt < 4 { 0 } else { 60 << (attempt - 4) };
        if pause > 0 {
            let found = store.find_version(version.id).await.expect("there");
            assert_eq!(found.state, VersionState::Queued, "attempt {attempt}");
            assert!(
                acquire(&store, now + pause - 1).await.is_none(),
                "attempt {attempt}"
            );
        }
        now += pause;
        let taken = acquire(&store, now).await.expect("a job");
        assert_eq!(taken.attempt, attempt);
        let given_up = store.give_up(&taken.lease, "no gcc here", at(now)).await;
        let expected = if attempt < 10 {
            GiveUpOutcome::Again
        } else {
            GiveUpOutcome::Over
        };
        assert_eq!(given_up.expect("answered"), expected, "attempt {attempt}");
    }
    let found = store.find_version(version.id).await.expect("there");
    assert_eq!(found.state, VersionState::Failed);
    let said = found.failure.expect("why")["en"].to_string();
    says(&said, &["an error of the arena", "no gcc here"]);
}

pub fn table(invite: &str, host: &str) -> NewMatch {
    let person = MatchEntrant::human_entrant("guest", None);
    let seats = PerSide {
        a: Some(TokenHash::from_token(host)),
        b: None,
    };
    let new_match = new_match(person.clone(), person, MatchKind::Human);
    NewMatch {
        b: None,
        invite: Some(invite.to_owned()),
        seats,
        ..new_match
    }
}

pub async fn invites_are_taken_once(store: Store) {
    let made = ok!(store.create_match(table("code", "host"), at(0)));
    assert_eq!(made.state, MatchState::Waiting);
    fails!(store.create_match(table("code", "host"), at(0)) => Taken { what: "invite", .. });
    let take = |name: &'static str| {
        let (store, person) = (store.clone(), MatchEntrant::human_entrant(name, None));
        async move {
            store
                .take_invite("code", person, TokenHash::from_token(name), at(1))
                .await
        }
    };
    let both = tokio::join!(take("x"), take("y"));
    let taken: Vec<_> = [both.0, both.1]
        .into_iter()
        .filter_map(Result::ok)
        .collect();
    assert_eq!(taken.len(), 1);
    let (found, side) = &taken[0];
    assert_eq!((found.state, *side), (MatchState::Queued, MatchSide::B));
    let guest = found.b.as_ref().expect("sits").name.clone();
    for (token, expected) in [
        ("host", Some(MatchSide::A)),
        (guest.as_str(), Some(MatchSide::B)),
        ("z", None),
    ] {
        assert_eq!(found.side_of_seat(&TokenHash::from_token(token)), expected);
    }
    let unknown = store
        .take_invite(
            "no",
            MatchEntrant::human_entrant("x", None),
            TokenHash::from_token("x"),
            at(1),
        )
        .await;
    assert!(matches!(unknown, Err(StoreError::Missing { .. })));
}

pub async fn people_matches_are_left_to_the_server(store: Store) {
    let person = || MatchEntrant::human_entrant("guest", None);
    let made = ok!(store.create_match(new_match(person(), person(), MatchKind::Human), at(0)));
    assert!(acquire(&store, 1).await.is_none());
    let acquired = ok!(store.acquire_match(made.id, "server", at(1), LEASE)).expect("free");
    assert!(ok!(store.acquire_match(made.id, "other", at(1), LEASE)).is_none());
    assert_eq!(store.stranded_people(at(10)).await.expect("asked"), []);
    assert_eq!(ok!(store.stranded_people(at(100))), [made.id]);
    let finish = ok!(store.finish_match(&acquired.lease, result(MatchWinner::Draw), at(2)));
    assert_eq!(finish, RecordOutcome::Recorded { change: None });
    assert_eq!(store.stranded_people(at(100)).await.expect("asked"), []);
    fails!(store.rerun_match(made.id, at(3)) => Refused(_));
}

pub async fn matches_are_played_again(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let finished = play(&store, &a, &b, MatchWinner::A).await;
    let again = store.rerun_match(finished.id, at(5)).await.expect("again");
    fields!(again, {kind: MatchKind::Friendly, again_of: Some(finished.id), seed: finished.seed});
    fails!(store.rerun_match(again.id, at(5)) => Refused(_));
    ok!(store.void_match(again.id, "no memory", at(6)));
    assert_eq!(
        ok!(store.rerun_match(again.id, at(7))).kind,
        MatchKind::Friendly
    );
    let void = queue(&store, &a, &b, MatchKind::Ladder).await;
    ok!(store.void_match(void.id, "no memory", at(8)));
    assert_eq!(
        ok!(store.rerun_match(void.id, at(9))).kind,
        MatchKind::Ladder
    );
}

/// The filter that these words say, as `finished game=kob`; the bots are a, b and c.
pub fn read_filter(words: &str, bots: [BotId; 3]) -> MatchFilter {
    let mut filter = MatchFilter::default();
    for word in words.split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("game", game) => filter.game = Some(game.to_owned()),
            ("tag", tag) => filter.tag = Some(tag.to_owned()),
            ("bot", "a") => filter.bot = Some(bots[0]),
            ("bot", "b") => filter.bot = Some(bots[1]),
            ("bot", "c") => filter.bot = Some(bots[2]),
            ("faulted", _) => filter.faulted = true,
            ("ladder", "") => filter.kind = Some(MatchKind::Ladder),
            ("ladder", name) => filter.ladder = Some(LadderId::new("kob", name)),
            ("friendly", _) => filter.kind = Some(MatchKind::Friendly),
            ("queued", _) => filter.state = Some(MatchState::Queued),
            ("running", _) => filter.state = Some(MatchState::Running),
            ("finished", _) => filter.state = Some(MatchState::Finished),
            _ => panic!("{word} is no part of a filter"),
        }
    }
    filter
}

pub async fn matches_are_filtered(store: Store) {
    let [a, b, c] = bots(&store, ["a", "b", "c"]).await;
    let one = play(&store, &a, &b, MatchWinner::A).await.id;
    let two = play(&store, &c, &a, MatchWinner::B).await.id;
    let three = queue(&store, &b, &c, MatchKind::Friendly).await.id;
    let rows = [
        ("", vec![three, two, one]),
        ("game=kob", vec![three, two, one]),
        ("game=chess", vec![]),
        ("bot=a", vec![two, one]),
        ("bot=b faulted", vec![one]),
        ("bot=c faulted", vec![]),
        ("bot=c finished", vec![two]),
        ("ladder", vec![two, one]),
        ("friendly game=kob", vec![three]),
        ("queued", vec![three]),
        ("finished game=kob", vec![two, one]),
        ("finished", vec![two, one]),
    ];
    for (words, expected) in rows {
        let filter = read_filter(words, [a.id, b.id, c.id]);
        let page = ok!(store.list_matches(&filter, &PageQuery::default()));
        let ids: Vec<MatchId> = page.items.iter().map(|found| found.id).collect();
        assert_eq!(ids, expected, "{filter:?}");
    }
    let counts = store.count_all().await.expect("counted");
    assert_eq!(
        (
            counts.bots,
            counts.matches["finished"],
            counts.queued["match"]
        ),
        (3, 2, 1)
    );
}

pub async fn cursors_are_stable_under_inserts(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let mut made = Vec::new();
    for _ in 0..25 {
        made.push(queue(&store, &a, &b, MatchKind::Ladder).await.id);
    }
    made.reverse();
    for bot in [None, Some(a.id)] {
        let filter = MatchFilter {
            bot,
            kind: Some(MatchKind::Ladder),
            ..MatchFilter::default()
        };
        let (mut seen, mut ask) = (Vec::new(), PageQuery::first_page(4));
        loop {
            let page = store.list_matches(&filter, &ask).await.expect("asked");
            seen.extend(page.items.iter().map(|found| found.id));
            queue(&store, &a, &b, MatchKind::Ladder).await;
            let Some(next) = page.next else { break };
            ask = PageQuery::page_after(next, 4);
        }
        let old: Vec<MatchId> = seen.into_iter().filter(|id| made.contains(id)).collect();
        assert_eq!(old, made, "{bot:?}");
    }
}
