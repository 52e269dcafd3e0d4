//! What happened is an event if its change commits, and each subscriber reads each event once and in
//! order: whoever is killed in between, whatever fails, and however many servers read.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use leitai_store::*;
use sea_orm::{
    ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement, TransactionTrait,
};

use crate::arena::{self, acquire, at, new_bot, play, ready, user};
use crate::block_on;

/// The address of the database, for the child.
const CHILD: &str = "LEITAI_STORE_EVENTS";
/// The numbers of checked versions after which the child is killed.
const MOMENTS: [usize; 3] = [1, 12, 5];

/// Runs the tests, each in a new database at the address that `url` gives.
pub fn all(url: impl Fn(&str) -> String) {
    block_on(an_event_is_written_if_its_change_commits(&url("commits")));
    block_on(what_was_not_committed_is_read_again(&url("again")));
    block_on(servers_read_one_after_the_other(&url("servers")));
    block_on(what_cannot_be_told_is_waited_for_and_left_out(&url(
        "waits",
    )));
    block_on(what_all_have_read_is_removed(&url("removed")));
    killed_at_any_moment(&url("killed"));
}

/// An arena with a bot of ada, whose webhook hears of its versions and matches and whose follower is
/// bea; and another connection to its database.
struct Arena {
    store: Store,
    other: DatabaseConnection,
    bot: Bot,
    hook: WebhookId,
    bea: UserId,
}

impl Arena {
    async fn open(url: &str) -> Arena {
        let store = Store::open_url(url).await.expect("the database opens");
        let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
        let new = new_bot("kob", "viper", ada.id);
        let bot = store.create_bot(new, at(0)).await.expect("free");
        let target = FollowTarget::Bot(bot.id);
        store.follow(bea.id, target, at(0)).await.expect("followed");
        let hook = NewWebhook {
            owner: WebhookOwner::User(ada.id),
            creator: ada.id,
            url: "https://example.org/".to_owned(),
            events: vec![EventKind::VersionChecked, EventKind::MatchFinished],
            secret: "secret".to_owned(),
        };
        let hook = store.create_webhook(hook, 1, at(0)).await.expect("room").id;
        let other = Database::connect(url).await.expect("it opens");
        Arena {
            store,
            other,
            bot,
            hook,
            bea: bea.id,
        }
    }

    /// Checks a version, which may play.
    async fn check(&self, seconds: i64) -> Result<VersionId, StoreError> {
        let made = arena::source(&self.store, &self.bot, true).await.id;
        let job = acquire(&self.store, seconds).await.expect("a job");
        let done = self.store.finish_version(&job.lease, ready(), at(seconds));
        done.await.map(|_| made)
    }

    /// The versions of which the webhook was told, the first one first.
    async fn delivered(&self) -> Vec<i64> {
        let rows = self.store.deliveries_of(self.hook, 1000).await;
        let rows = rows.expect("asked").into_iter().rev();
        rows.filter_map(|row| row.subject["version"].as_i64())
            .collect()
    }

    /// The numbers of the versions of which the follower was told, the first one first.
    async fn followed(&self) -> Vec<i32> {
        let told = self.store.notifications_of(self.bea).await.expect("asked");
        let numbers = told.into_iter().rev().filter_map(|one| one.version);
        numbers.collect()
    }

    async fn execute(&self, statement: &str) {
        let done = self.other.execute_unprepared(statement).await;
        done.expect(statement);
    }

    async fn ask<T: sea_orm::TryGetable>(&self, question: &str) -> Vec<T> {
        let backend = self.other.get_database_backend();
        let asked = Statement::from_string(backend, question.to_owned());
        let rows = self.other.query_all_raw(asked).await.expect(question);
        let first = |row: &sea_orm::QueryResult| row.try_get_by_index(0).expect("a value");
        rows.iter().map(first).collect()
    }

    /// Every change of this table fails from now on.
    async fn fail(&self, table: &str) {
        if self.other.get_database_backend() == DbBackend::Sqlite {
            for what in ["INSERT", "UPDATE"] {
                self.execute(&format!(
                    "CREATE TRIGGER fail_{table}_{what} BEFORE {what} ON {table}
                     BEGIN SELECT RAISE(ABORT, 'failed'); END"
                ))
                .await;
            }
            return;
        }
        self.execute(
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
             AS $$ BEGIN RAISE EXCEPTION 'failed'; END $$",
        )
        .await;
        self.execute(&format!(
            "CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON {table}
             FOR EACH ROW EXECUTE FUNCTION fail()"
        ))
        .await;
    }

    async fn mend(&self, table: &str) {
        if self.other.get_database_backend() == DbBackend::Sqlite {
            for what in ["INSERT", "UPDATE"] {
                self.execute(&format!("DROP TRIGGER fail_{table}_{what}"))
                    .await;
            }
            return;
        }
        self.execute(&format!("DROP TRIGGER fail ON {table}")).await;
    }

    async fn close(self) {
        self.other.close().await.expect("it closes");
        self.store.close_store().await.expect("it closes");
    }
}

const KINDS: &str = "SELECT kind FROM events ORDER BY seq";
const SUBJECTS: &str = "SELECT subject FROM events ORDER BY seq";
const POSITIONS: &str = "SELECT position FROM event_positions ORDER BY subscriber";

async fn an_event_is_written_if_its_change_commits(url: &str) {
    let arena = Arena::open(url).await;
    let version = arena.check(1).await.expect("recorded");
    assert_eq!(arena.ask::<String>(KINDS).await, ["version_checked"]);
    let subject = format!("version {version}");
    assert_eq!(arena.ask::<String>(SUBJECTS).await, [subject]);
    // After the event the change fails, here as it activates the version.
    arena.fail("bots").await;
    let failed = arena.check(2).await;
    failed.expect_err("the bot cannot change");
    assert_eq!(arena.ask::<String>(KINDS).await.len(), 1);
    arena.mend("bots").await;
    // And a change whose event cannot be written does not happen.
    arena.fail("events").await;
    let again = ok!(acquire(&arena.store, 100));
    let finish = async || {
        arena
            .store
            .finish_version(&again.lease, ready(), at(101))
            .await
    };
    finish().await.expect_err("what happened cannot be written");
    assert_eq!(arena.followed().await, [1]);
    arena.mend("events").await;
    finish().await.expect("its lease is held");
    assert_eq!(arena.followed().await, [1, 2]);
    // Of a match, whose results are recorded by a task of their own.
    let built_in = arena::bot(&arena.store, "hydra").await;
    let bot = arena.store.find_bot(arena.bot.id).await.expect("there");
    let own = play(&arena.store, &bot, &built_in, MatchWinner::A).await;
    let subjects = arena.ask::<String>(SUBJECTS).await;
    assert_eq!(subjects.last(), Some(&format!("match {}", own.id)));
    arena.close().await;
}

async fn what_was_not_committed_is_read_again(url: &str) {
    let arena = Arena::open(url).await;
    let first = arena.check(1).await.expect("recorded");
    // A server that dies after it has told people and before it has noted that: both are one
    // transaction.
    arena.fail("event_positions").await;
    let mut versions = vec![first.0];
    for seconds in 2..5 {
        let version = arena.check(seconds).await;
        versions.push(version.expect("the change is committed all the same").0);
    }
    assert_eq!(arena.ask::<String>(KINDS).await.len(), 4);
    assert_eq!(arena.delivered().await, versions[..1]);
    assert_eq!(arena.followed().await, [1]);
    arena.mend("event_positions").await;
    for _ in 0..2 {
        arena.store.read_events().await.expect("read");
        assert_eq!(arena.delivered().await, versions);
        assert_eq!(arena.followed().await, [1, 2, 3, 4]);
    }
    arena.close().await;
}

async fn servers_read_one_after_the_other(url: &str) {
    let arena = Arena::open(url).await;
    let second = arena.store.other_server_for_tests();
    for _ in 0..24 {
        arena::source(&arena.store, &arena.bot, false).await;
    }
    let checks = (0..24).map(|number| {
        let store = [&arena.store, &second][number % 2].clone();
        tokio::spawn(async move {
            let job = acquire(&store, 1).await.expect("a job");
            ok!(store.finish_version(&job.lease, ready(), at(2)));
            store.read_events().await.expect("read");
        })
    });
    for check in checks.collect::<Vec<_>>() {
        check.await.expect("it ends");
    }
    let happened = arena.ask::<String>(SUBJECTS).await;
    let told = arena.delivered().await.into_iter();
    let told: Vec<String> = told.map(|id| format!("version {id}")).collect();
    assert_eq!((told.len(), &told), (24, &happened), "each once, in order");
    let told = arena.followed().await;
    assert_eq!(told.len(), 24);
    arena.close().await;
}

async fn what_cannot_be_told_is_waited_for_and_left_out(url: &str) {
    let arena = Arena::open(url).await;
    let newer = format!(
        "INSERT INTO events (kind, subject, payload, at) VALUES ('newer', 'bot 1', '{{}}', {})",
        Timestamp::now().0
    );
    arena.check(1).await.expect("recorded");
    arena.execute(&newer).await;
    arena.check(2).await.expect("recorded");
    // A server of a newer version may tell it; what comes after it waits.
    assert_eq!(arena.followed().await, [1]);
    assert_eq!(arena.delivered().await.len(), 1);
    // Mail has nobody to tell, so that it need not know the event.
    let positions = arena.ask::<i64>(POSITIONS).await;
    assert_eq!(positions, [3, 1, 1]);
    let old = at(0).0;
    arena
        .execute(&format!(
            "UPDATE events SET at = {old} WHERE kind = 'newer'"
        ))
        .await;
    arena.store.read_events().await.expect("read");
    assert_eq!(arena.followed().await, [1, 2]);
    assert_eq!(arena.delivered().await.len(), 2);
    // What fails in between leaves nothing of the event, and nothing of those before it out.
    arena.fail("webhook_deliveries").await;
    arena.check(3).await.expect("recorded");
    assert_eq!(arena.followed().await, [1, 2, 3], "others go on");
    assert_eq!(arena.delivered().await.len(), 2, "it is long ago: left out");
    arena.mend("webhook_deliveries").await;
    arena.check(4).await.expect("recorded");
    assert_eq!(arena.delivered().await.len(), 3);
    // Where it cannot even be said whether there are webhooks, they alone wait.
    arena.execute("ALTER TABLE webhooks RENAME TO away").await;
    arena.check(5).await.expect("recorded");
    assert_eq!(arena.followed().await, [1, 2, 3, 4, 5], "others go on");
    arena.execute("ALTER TABLE away RENAME TO webhooks").await;
    arena.check(6).await.expect("recorded");
    assert_eq!(arena.delivered().await.len(), 5);
    arena.close().await;
}

async fn what_all_have_read_is_removed(url: &str) {
    let arena = Arena::open(url).await;
    arena.check(1).await.expect("recorded");
    arena.check(2).await.expect("recorded");
    arena
        .execute("UPDATE event_positions SET position = 1 WHERE subscriber = 'mail'")
        .await;
    assert_eq!(arena.store.sweep_events().await.expect("swept"), 1);
    arena.store.read_events().await.expect("read");
    assert_eq!(arena.store.sweep_events().await.expect("swept"), 1);
    // Keys go on behind those that are gone.
    arena.check(3).await.expect("recorded");
    assert_eq!(arena.followed().await, [1, 2, 3]);
    assert_eq!(arena.ask::<i64>(POSITIONS).await, [3, 3, 3]);
    arena.close().await;
}

/// An event that was given its key first may commit last: nobody passes it.
pub async fn an_earlier_event_is_waited_for(url: &str) {
    let arena = Arena::open(url).await;
    let earlier = arena.other.begin().await.expect("begun");
    let lock = format!("SELECT pg_advisory_xact_lock({})", 0x6f75_7462_6f78_i64);
    earlier.execute_unprepared(&lock).await.expect("the lock");
    let insert = "INSERT INTO events (kind, subject, payload, at)
        VALUES ('contest_reopened', 'contest 1', '{\"contest\": 1}', 1)";
    earlier.execute_unprepared(insert).await.expect("written");
    let store = arena.store.clone();
    let bot = arena.bot.clone();
    let check = tokio::spawn(async move {
        arena::source(&store, &bot, true).await;
        let job = acquire(&store, 1).await.expect("a job");
        store.finish_version(&job.lease, ready(), at(1)).await
    });
    let waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    for _ in 0..20_000 {
        if check.is_finished() || arena.ask::<i64>(waits).await == [1] {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert!(!check.is_finished(), "it waits for the earlier event");
    ok!(arena.store.read_events());
    assert_eq!(arena.ask::<i64>(POSITIONS).await, [0, 0, 0]);
    earlier.commit().await.expect("committed");
    check.await.expect("it ends").expect("recorded");
    let kinds = arena.ask::<String>(KINDS).await;
    assert_eq!(kinds, ["contest_reopened", "version_checked"]);
    assert_eq!(arena.ask::<i64>(POSITIONS).await, [2, 2, 2]);
    arena.close().await;
}

/// Starts a child that checks versions and kills it, repeatedly.
fn killed_at_any_moment(url: &str) {
    let (hook, bea) = block_on_value(async {
        let arena = Arena::open(url).await;
        let found = (arena.hook, arena.bea);
        arena.close().await;
        found
    });
    for moment in MOMENTS {
        let mut child = Command::new(std::env::current_exe().expect("we run"))
            .args("--exact events::child_that_is_killed --ignored --nocapture".split(' '))
            .env(CHILD, url)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let heard = lines.map_while(Result::ok);
        let mut heard = heard.filter(|line| line.ends_with("checked"));
        assert_eq!(heard.by_ref().take(moment).count(), moment);
        child.kill().expect("SIGKILL");
        child.wait().expect("it is dead");
        block_on(all_told(url, hook, bea));
    }
}

/// After the next look each version that is ready was told once to each, in the order of the events.
async fn all_told(url: &str, hook: WebhookId, bea: UserId) {
    let store = Store::open_url(url).await.expect("the database opens");
    store.read_events().await.expect("read");
    let bot = store.bot_by_name("kob", "viper").await.expect("asked");
    let bot = bot.expect("it is there");
    let arena = Arena {
        other: Database::connect(url).await.expect("it opens"),
        store,
        bot,
        hook,
        bea,
    };
    let versions = arena.store.versions_of(arena.bot.id).await.expect("asked");
    let ready = versions
        .iter()
        .filter(|own| own.state == VersionState::Ready);
    let ready: BTreeMap<i64, i32> = ready.map(|own| (own.id.0, own.number)).collect();
    let subjects = arena.ask::<String>(SUBJECTS).await;
    let checked = subjects
        .iter()
        .filter_map(|own| own.strip_prefix("version "));
    let checked: Vec<i64> = checked.map(|id| id.parse().expect("a key")).collect();
    let same: BTreeSet<i64> = checked.iter().copied().collect();
    assert!(
        !ready.is_empty() && ready.keys().eq(&same),
        "{ready:?} {same:?}"
    );
    assert_eq!(arena.delivered().await, checked);
    let numbers: Vec<i32> = checked.iter().map(|id| ready[id]).collect();
    assert_eq!(arena.followed().await, numbers);
    arena.close().await;
}

fn block_on_value<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(work)
}

/// Checks versions until it is killed, and says so of each.
#[test]
#[ignore = "started and killed by another test"]
fn child_that_is_killed() {
    let Ok(url) = std::env::var(CHILD) else {
        return;
    };
    block_on(async {
        let store = Store::open_url(&url).await.expect("the database opens");
        let bot = store.bot_by_name("kob", "viper").await.expect("asked");
        let bot = bot.expect("it is there");
        for number in 0_i64.. {
            arena::source(&store, &bot, false).await;
            // Far enough for the lease of a child that was killed to have ended.
            let seconds = i64::from(std::process::id()) * 1000 + number;
            let job = acquire(&store, seconds).await.expect("a job");
            ok!(store.finish_version(&job.lease, ready(), at(seconds)));
            let mut out = std::io::stdout().lock();
            writeln!(out, "{number} checked")
                .and_then(|()| out.flush())
                .expect("somebody listens");
        }
    });
}
