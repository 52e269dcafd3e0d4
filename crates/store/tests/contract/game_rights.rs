//! Who may add games, whom a game belongs to, what an account may keep, and reports.

use std::time::Duration;

use leitai_store::*;

use crate::arena::{at, deletion_by, offer, user};
use crate::seen::says;

const QUOTA: GameQuota = GameQuota {
    games: 2,
    versions: 3,
    bytes: 1_000,
    daily_checks: 6,
};

fn holder(user: &User) -> GameActor {
    GameActor::Holder(user.id, QUOTA)
}

/// A file of a game, whose hash is its rules'.
fn file(game: &str, version: u32, bytes: usize) -> NewGameFile {
    let rules = format!("{game}/{version}");
    NewGameFile {
        hash: rules.clone(),
        game: game.to_owned(),
        rules,
        bytes,
        hidden_until: None,
    }
}

async fn add(store: &Store, by: GameActor, file: NewGameFile, seconds: i64) -> String {
    match store.add_game_file(file, by, at(seconds)).await {
        Ok(_) => String::new(),
        Err(why) => why.to_string(),
    }
}

/// Ends the next check, and says how.
async fn end_check(store: &Store, passed: bool, seconds: i64) -> (String, GameFileState) {
    let row = store.claim_game_check(at(seconds)).await.expect("asked");
    let row = row.expect("one waits");
    ok!(store.end_game_check(row.id, ended(passed), at(seconds)));
    let row = find(store, row.id).await;
    (row.rules, row.state)
}

fn ended(passed: bool) -> GameCheckEnd {
    GameCheckEnd {
        passed,
        said: crate::arena::nothing(),
        preview: passed.then(|| "a replay".to_owned()),
        forbidden: Json::from("forbidden"),
    }
}

async fn find(store: &Store, id: i64) -> GameFileRow {
    let all = store.game_files().await.expect("read");
    let row = all.into_iter().find(|one| one.id == id);
    row.expect("it is there")
}

async fn admin(store: &Store) -> User {
    let root = user(store, "root").await;
    store.set_admin(root.id, true).await.expect("it is there")
}

async fn allow(store: &Store, user: &User, may: bool) {
    ok!(store.set_game_right(user.id, may, None, at(0)));
}

/// The games that an account may change.
async fn seen(store: &Store, by: GameActor) -> Vec<String> {
    let rows = store.game_files_for(by).await.expect("read");
    rows.into_iter().map(|row| row.rules).collect()
}

/// What is asked says this part.
macro_rules! answers {
    ($asked:expr => $part:expr) => {
        says(&$asked.await, &[$part])
    };
}

pub async fn a_game_belongs_to_who_brings_it_first(store: Store) {
    let root = admin(&store).await;
    let (ada, bob) = (user(&store, "ada").await, user(&store, "bob").await);
    let by_root = GameActor::Admin(root.id);
    answers!(add(&store, holder(&ada), file("nim", 1, 1), 0) => "may not add games");
    for one in [&ada, &bob] {
        allow(&store, one, true).await;
    }
    assert_eq!(add(&store, holder(&ada), file("nim", 1, 1), 0).await, "");
    // Already while it waits.
    answers!(add(&store, holder(&bob), file("nim", 2, 1), 0) => "the id nim is taken");
    assert_eq!(end_check(&store, true, 1).await.1, GameFileState::Published);
    answers!(add(&store, holder(&bob), file("nim", 2, 1), 2) => "the id nim is taken");
    for (by, seen_by) in [(holder(&ada), 1), (holder(&bob), 0), (by_root, 1)] {
        assert_eq!(seen(&store, by).await.len(), seen_by, "{by:?}");
    }
    let id = store.game_files().await.expect("read")[0].id;
    assert!(store.game_preview(id, holder(&ada)).await.is_ok());
    assert!(store.game_preview(id, holder(&bob)).await.is_err());
    let retired = store.retire_game("nim", None, holder(&bob), at(3)).await;
    assert!(matches!(retired, Err(StoreError::Missing { .. })));

    // What a former holder still has in the queue is not published, and frees its id.
    assert_eq!(add(&store, holder(&bob), file("go", 1, 1), 3).await, "");
    allow(&store, &bob, false).await;
    assert_eq!(end_check(&store, true, 4).await.1, GameFileState::Refused);
    assert_eq!(add(&store, holder(&ada), file("go", 2, 1), 5).await, "");
    assert_eq!(end_check(&store, false, 6).await.1, GameFileState::Refused);

    // Handed over, also without the old owner; only to somebody who may.
    let hand = |to: Option<UserId>| store.hand_game_over("nim", to, root.id, at(7));
    assert!(hand(Some(bob.id)).await.is_err());
    allow(&store, &bob, true).await;
    hand(Some(bob.id)).await.expect("he may");
    answers!(add(&store, holder(&ada), file("nim", 3, 1), 8) => "taken");
    assert_eq!(add(&store, holder(&bob), file("nim", 3, 1), 8).await, "");
    end_check(&store, true, 9).await;
    assert_eq!(seen(&store, holder(&bob)).await, ["nim/1", "go/1", "nim/3"]);

    // Who takes the name of a deleted account takes none of its games, nor its right.
    let deletion = deletion_by(None, at(10));
    store.delete_user(bob.id, deletion).await.expect("deleted");
    let other = user(&store, "bobby").await;
    assert!(!store.may_add_games(other.id).await.expect("read"));
    allow(&store, &other, true).await;
    assert_eq!(seen(&store, holder(&other)).await, Vec::<String>::new());
    answers!(add(&store, holder(&other), file("nim", 4, 1), 11) => "taken");
    assert_eq!(add(&store, by_root, file("nim", 4, 1), 11).await, "");
}

pub async fn quotas_of_games_hold_also_at_the_same_time(store: Store) {
    let root = admin(&store).await;
    let (ada, bob) = (user(&store, "ada").await, user(&store, "bob").await);
    for one in [&ada, &bob] {
        allow(&store, one, true).await;
    }
    // Of eight at once one is checked.
    let tries = (0..8).map(|version| {
        let (store, by) = (store.clone(), holder(&ada));
        tokio::spawn(async move { add(&store, by, file("nim", version, 400), 0).await })
    });
    let mut added = 0;
    for one in tries.collect::<Vec<_>>() {
        let answer = one.await.expect("it ends");
        match answer.is_empty() {
            true => added += 1,
            false => says(&answer, &["one at a time"]),
        }
    }
    assert_eq!(added, 1);
    end_check(&store, true, 1).await;
    for (game, version, bytes, expected) in [
        ("nim", 20, 601, "more than the 1000 B"),
        ("nim", 21, 300, ""),
        ("go", 1, 100, ""),
        ("chess", 1, 1, "has 2 games, and may have 2"),
        ("go", 2, 1, "keeps 3 versions"),
    ] {
        let new = file(game, version, bytes);
        let tried = store.try_game_file(&new, holder(&ada), at(2)).await;
        let answer = add(&store, holder(&ada), new, 2).await;
        assert_eq!(tried.is_ok(), answer.is_empty(), "{game}/{version}");
        match expected {
            "" => {
                assert_eq!(answer, "");
                end_check(&store, true, 3).await;
            }
            part => says(&answer, &[part]),
        }
    }
    // Three more files, of which the second is over the day's checks with these.
    let wide = GameActor::Holder(
        ada.id,
        GameQuota {
            versions: 99,
            ..QUOTA
        },
    );
    for (version, expected) in [(30, ""), (31, ""), (32, ""), (33, "allows 6 checks")] {
        let answer = add(&store, wide, file("go", version, 1), 4).await;
        match expected {
            "" => {
                assert_eq!(answer, "");
                let (_, state) = end_check(&store, false, 5).await;
                assert_eq!(state, GameFileState::Refused);
            }
            part => says(&answer, &[part]),
        }
    }
    // A refused try is replaced by the next one of its game; the last one can be removed.
    let refused = store.game_files_for(holder(&ada)).await.expect("read");
    let refused: Vec<_> = refused
        .iter()
        .filter(|row| row.state == GameFileState::Refused)
        .collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
    let id = refused[0].id;
    assert!(
        store
            .remove_refused_file(id, holder(&bob), at(6))
            .await
            .is_err()
    );
    ok!(store.remove_refused_file(id, holder(&ada), at(6)));
    // A day later there is room again; administrators have no quota.
    assert_eq!(add(&store, wide, file("go", 33, 1), 90_000).await, "");
    for version in 0..4 {
        let new = file("huge", version, 5_000);
        assert_eq!(
            add(&store, GameActor::Admin(root.id), new, 90_001).await,
            ""
        );
    }
    // Whoever waits longest is next, whatever an administrator has in the queue.
    assert_eq!(
        add(&store, holder(&bob), file("ox", 1, 1), 90_002).await,
        ""
    );
    let order = ["go/33", "huge/0", "huge/1", "huge/2", "huge/3", "ox/1"];
    for rules in order {
        assert_eq!(end_check(&store, true, 90_003).await.0, rules);
    }
}

pub async fn a_reported_game_is_taken_down(store: Store) {
    let root = admin(&store).await;
    let (ada, bob) = (user(&store, "ada").await, user(&store, "bob").await);
    allow(&store, &ada, true).await;
    let report = |by: &User, seconds| {
        let new = NewGameReport {
            game: "nim".to_owned(),
            reason: ReportReason::Copied,
            note: "from my book".to_owned(),
        };
        store.report_game(new, by.id, at(seconds))
    };
    add(&store, holder(&ada), file("nim", 1, 1), 0).await;
    let early = report(&bob, 0).await;
    assert!(matches!(early, Err(StoreError::Missing { .. })));
    end_check(&store, true, 1).await;
    report(&bob, 2).await.expect("the first one");
    let again = report(&bob, 3).await;
    assert!(matches!(again, Err(StoreError::Refused(_))), "{again:?}");
    report(&ada, 3).await.expect("another person");
    let open = store.open_game_reports().await.expect("read");
    assert_eq!(open.len(), 2);
    ok!(store.close_game_report(open[1].0.id, root.id, at(4)));
    report(&bob, 5).await.expect("the first one is closed");

    let why = Some("it is copied");
    let down = store.retire_game("nim", why, GameActor::Admin(root.id), at(6));
    down.await.expect("it is published");
    assert!(store.open_game_reports().await.expect("read").is_empty());
    let told = store.notifications_of(ada.id).await.expect("read");
    let told = (
        told[0].kind,
        told[0].game.as_deref(),
        told[0].why.as_deref(),
    );
    assert_eq!(told, (NotificationKind::GameTakenDown, Some("nim"), why));
    let of_root = store.notifications_of(root.id).await.expect("read");
    assert_eq!(of_root.len(), 3, "one of each report");

    // Not by the next version of its author, until an administrator hands it over again.
    answers!(add(&store, holder(&ada), file("nim", 2, 1), 7) => "took nim down");
    ok!(store.hand_game_over("nim", Some(ada.id), root.id, at(8)));
    assert_eq!(add(&store, holder(&ada), file("nim", 2, 1), 9).await, "");
    end_check(&store, true, 10).await;

    report(&bob, 11).await.expect("none is open");
    let deletion = deletion_by(None, at(12));
    store.delete_user(bob.id, deletion).await.expect("deleted");
    let open = store.open_game_reports().await.expect("read");
    assert_eq!((open[0].0.note.as_str(), open[0].0.user), ("", None));
    let log = store.list_audit(&PageQuery::default()).await.expect("read");
    let log: Vec<&str> = log.items.iter().map(|line| line.action.as_str()).collect();
    let actions = "user.allow-games game.report game.close-report game.close-reports game.retire
        game.hand-over";
    for action in actions.split_whitespace() {
        assert!(log.contains(&action), "{action}: {log:?}");
    }
}

/// The check of a game that a judge program leads: a job of the workers that know such jobs.
pub async fn a_judge_program_is_checked_by_a_worker(store: Store) {
    let root = GameActor::Admin(admin(&store).await.id);
    let lease = async |offer: WorkerOffer, seconds| {
        let leased = store.lease_job(&offer, at(seconds), Duration::from_secs(30));
        leased.await.expect("asked")
    };
    let able = || WorkerOffer {
        games: vec!["kob".to_owned()],
        ..offer("hall")
    };
    let leave = async |seconds| {
        let row = store.claim_game_check(at(seconds)).await.expect("asked");
        let row = row.expect("one waits");
        let pause = Duration::from_secs(2);
        ok!(store.leave_game_check(&row, pause, at(seconds)));
        gives!(store.claim_game_check(at(seconds + 1)) => None);
        row.id
    };
    let job_state = async |id| {
        let job = store.job_of_game_file(id).await.expect("asked");
        job.map(|job| (job.state, job.attempts))
    };
    assert_eq!(add(&store, root, file("pig", 1, 1), 0).await, "");
    let id = leave(0).await;
    // Once, however often a server looks; it counts no attempts.
    assert_eq!(leave(2).await, id);
    assert_eq!(find(&store, id).await.check_attempts, 0);
    let no_programs = WorkerOffer {
        programs: false,
        ..able()
    };
    for unable in [no_programs, WorkerOffer { wire: 7, ..able() }] {
        assert!(lease(unable, 3).await.is_none());
    }
    for attempt in 1..=3 {
        let leased = lease(able(), 3).await.expect("it waits");
        assert!(matches!(&leased.work, JobWork::GameFile(row) if row.id == id));
        assert!(lease(able(), 3).await.is_none(), "it has one job");
        assert_eq!(job_state(id).await, Some((JobState::Leased, attempt)));
        ok!(store.give_up(&leased.lease, "no room", at(4)));
    }
    // The server that looks next says so.
    assert_eq!(job_state(id).await, Some((JobState::Dropped, 3)));
    assert_eq!(find(&store, id).await.state, GameFileState::Checking);
    assert_eq!(end_check(&store, false, 5).await.1, GameFileState::Refused);
    assert_eq!(job_state(id).await, None);
    for (seconds, passed, state) in [
        (6, false, GameFileState::Refused),
        (16, true, GameFileState::Published),
    ] {
        assert_eq!(add(&store, root, file("pig", 1, 1), seconds).await, "");
        assert_eq!(leave(seconds).await, id);
        let leased = ok!(lease(able(), seconds)).lease;
        let lost = Lease {
            token: "another".to_owned(),
            ..leased.clone()
        };
        let mut outcomes = Vec::new();
        for lease in [&lost, &leased, &leased] {
            let end = store.finish_game_check(lease, ended(passed), at(seconds + 1));
            outcomes.push(end.await.expect("answered"));
        }
        let recorded = RecordOutcome::Recorded { change: None };
        let twice = RecordOutcome::AlreadyFinished;
        assert_eq!(outcomes, [RecordOutcome::Lost, recorded, twice]);
        assert_eq!(find(&store, id).await.state, state);
        assert_eq!(job_state(id).await, Some((JobState::Done, 1)));
    }
}
