//! PostgreSQL is killed or stalled while an arena is used, or disagrees about the time.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::fleet::{Fleet, Person, Server, match_of, wait_until};
use crate::player::Player;

/// In which every request has an answer, and a little more for a busy machine.
const PROMPT: Duration = Duration::from_millis(2500);

/// How long a slow machine may take until an answer is prompt.
const PATIENCE: Duration = Duration::from_secs(100);

/// What is left of a lease when the database stalls.
const LEASE: Duration = Duration::from_secs(10);

/// A public answer of the response cache.
const LADDER: &str = "/api/games/kob/ladder?limit=50";

/// The answer to a request, and how long it took.
struct Answer {
    status: u16,
    headers: ureq::http::HeaderMap,
    body: Value,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).map(|value| value.to_str());
        value.transpose().expect("ASCII").unwrap_or_default()
    }
}

/// Asks until the answer is prompt: at once, unless the machine starves.
fn ask(server: &Server, method: &str, path: &str, language: &str) -> Answer {
    let begun = Instant::now();
    loop {
        let (answer, took) = ask_once(server, method, path, language);
        if took < PROMPT {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "{method} {path} took {took:?}");
    }
}

fn ask_once(server: &Server, method: &str, path: &str, language: &str) -> (Answer, Duration) {
    let agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(60)))
        .build()
        .new_agent();
    let url = format!("http://{}{path}", server.address);
    let begun = Instant::now();
    let answer = match method {
        "GET" => agent.get(&url).header("accept-language", language).call(),
        _ => agent
            .post(&url)
            .header("accept-language", language)
            .send_json(json!({"name": "ada", "password": "correct horse"})),
    };
    let mut answer = answer.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
    let took = begun.elapsed();
    let text = answer.body_mut().read_to_string().expect("UTF-8");
    let answer = Answer {
        status: answer.status().as_u16(),
        headers: answer.headers().clone(),
        body: serde_json::from_str(&text).unwrap_or(Value::String(text)),
    };
    (answer, took)
}

/// What somebody gets while the database is away, and before anybody knows that.
fn check_answers(server: &Server) {
    let no_answer = "the database does not answer; try again in a few seconds";
    for (method, path, language, said) in [
        ("GET", "/healthz", "en", no_answer),
        ("POST", "/api/login", "en", no_answer),
        ("GET", "/api/bots/1/faults", "en", no_answer),
        (
            "GET",
            "/api/bots/1/faults",
            "zh",
            "数据库没有响应；请过几秒再试",
        ),
    ] {
        let answer = ask(server, method, path, language);
        let what = (method, path, &answer.body);
        assert_eq!(answer.status, 503, "{what:?}");
        assert_eq!(answer.body["error"]["code"], "database-away", "{what:?}");
        assert_eq!(answer.body["error"]["message"], said, "{what:?}");
        assert_eq!(answer.header("retry-after"), "3", "{what:?}");
    }
    let ladder = ask(server, "GET", LADDER, "en");
    assert_eq!(ladder.status, 200, "{}", ladder.body);
    assert_eq!(ladder.header("warning"), "110 - \"Response is Stale\"");
    assert!(ladder.header("age").parse::<u64>().is_ok());
    assert!(
        ladder.body["items"]
            .as_array()
            .is_some_and(|rows| !rows.is_empty())
    );
    // The page comes from the program.
    for path in ["/", "/games/kob", "/matches/1"] {
        let page = ask(server, "GET", path, "en");
        assert_eq!(page.status, 200, "{path}");
        assert!(
            page.header("content-type").starts_with("text/html"),
            "{path}"
        );
    }
}

/// An arena with a match under way on a worker.
struct Arena {
    fleet: Fleet,
    server: Server,
    ada: Person,
    bots: [i64; 2],
    id: i64,
}

impl Arena {
    fn start() -> Option<(Arena, crate::fleet::Process)> {
        let fleet = Fleet::start_with_own_postgres()?;
        let server = fleet.serve("one");
        let ada = server.register_first();
        let worker = fleet.work_for(&[&server], "worker");
        let bot = server.make_bot(&ada, "tankcraft", "slow");
        let version = server.try_upload(&ada, bot, Duration::from_millis(400));
        server.wait_for_version(version.expect("it is accepted"));
        let bots = [bot, server.bot_named("tankcraft", "random")];
        let id = server.ask_for_match(&ada, bots[0], bots[1]);
        let arena = Arena {
            fleet,
            server,
            ada,
            bots,
            id,
        };
        wait_until("the match runs", || arena.state_of(arena.id) == "running");
        Some((arena, worker))
    }

    fn state_of(&self, id: i64) -> Value {
        let path = format!("/api/matches/{id}");
        let found = self.server.try_get(&path);
        found.map_or(Value::Null, |(_, found)| found["state"].clone())
    }

    fn signal_database(&self, name: &str) {
        let postgres = self.fleet.postgres.as_ref().expect("one of its own");
        postgres.lock().expect("nobody panics with it").signal(name);
    }

    /// The match that ran goes to its end, by the worker that began it, and others are played.
    fn check_recovery(&self) {
        self.fleet.hurry();
        wait_until("the server is well again", || {
            self.server
                .try_get("/healthz")
                .is_some_and(|(status, _)| status == 200)
        });
        let [a, b] = self.bots;
        let next = self.server.post(&self.ada, "/api/matches", &match_of(a, b));
        let next = next["id"].as_i64().expect("a number");
        for id in [self.id, next] {
            wait_until("the match is over", || {
                let state = self.state_of(id);
                assert_ne!(state, "void", "{}", self.server.process.log());
                state == "finished"
            });
        }
    }

    fn query(&self, statement: &str) -> String {
        let postgres = self.fleet.postgres.as_ref().expect("one of its own");
        let postgres = postgres.lock().expect("nobody panics with it");
        postgres.query(self.fleet.database(), statement)
    }

    /// Lets the lease of the match end soon; its worker would renew it a little later.
    fn shorten_lease(&self) {
        let (id, left) = (self.id, LEASE.as_millis());
        self.query(&format!(
            "UPDATE jobs SET until = extract(epoch FROM clock_timestamp()) * 1000 + {left} WHERE match_id = {id}"
        ));
    }

    /// How often the match was tried.
    fn attempts(&self) -> String {
        self.query(&format!(
            "SELECT attempts FROM jobs WHERE match_id = {}",
            self.id
        ))
    }
}

#[test]
fn a_stalled_database_is_told_within_two_seconds_and_costs_no_match() {
    let Some((arena, worker)) = Arena::start() else {
        return;
    };
    ask(&arena.server, "GET", LADDER, "en");
    let _other = arena.fleet.work_for(&[&arena.server], "other");
    arena.shorten_lease();
    let begun = Instant::now();
    arena.signal_database("STOP");
    check_answers(&arena.server);
    check_answers(&arena.server);
    // Nobody could renew the lease.
    let has_ended = || begun.elapsed() > LEASE + Duration::from_secs(1);
    wait_until("the lease has ended", has_ended);
    arena.signal_database("CONT");
    arena.check_recovery();
    assert_eq!(arena.attempts(), "1", "{}", worker.log());
    let log = arena.server.process.log();
    assert!(log.contains("the database is back"), "{log}");
}

#[test]
fn a_killed_database_is_told_within_two_seconds_and_costs_no_match() {
    let Some((arena, worker)) = Arena::start() else {
        return;
    };
    ask(&arena.server, "GET", LADDER, "en");
    let postgres = || {
        let postgres = arena.fleet.postgres.as_ref().expect("one of its own");
        postgres.lock().expect("nobody panics with it")
    };
    postgres().kill();
    check_answers(&arena.server);
    postgres().start_again();
    arena.check_recovery();
    assert_eq!(arena.attempts(), "1", "{}", worker.log());
}

/// The server that was there has not noticed yet that the outage is over.
#[test]
fn a_server_that_starts_after_an_outage_leaves_a_match_to_its_worker() {
    let Some((arena, worker)) = Arena::start() else {
        return;
    };
    arena.shorten_lease();
    arena.server.process.signal("STOP");
    wait_until("nobody leads, and the lease has ended", || {
        let ended = format!(
            "SELECT count(*) FROM jobs, leadership, (SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now) AS clock \
             WHERE match_id = {} AND jobs.until < now AND leadership.until < now",
            arena.id
        );
        arena.query(&ended) == "1"
    });
    let two = arena.fleet.serve("two");
    let _other = arena.fleet.work_for(&[&two], "other");
    assert!(
        two.process.log().contains("they are prolonged"),
        "{}",
        two.process.log()
    );
    arena.server.process.signal("CONT");
    arena.check_recovery();
    assert_eq!(arena.attempts(), "1", "{}", worker.log());
}

/// A library that sets the clock of the process in which it is loaded ahead by a minute.
fn build_clock(fleet: &Fleet) -> PathBuf {
    let [source, library] = ["clock.c", "clock.so"].map(|name| fleet.path(name));
    let code = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <time.h>\n\
        int clock_gettime(clockid_t id, struct timespec *at) {\n\
            static int (*real)(clockid_t, struct timespec *);\n\
            if (!real) *(void **)&real = dlsym(RTLD_NEXT, \"clock_gettime\");\n\
            int failed = real(id, at);\n\
            if (id == CLOCK_REALTIME) at->tv_sec += 60;\n\
            return failed;\n\
        }\n";
    std::fs::write(&source, code).expect("own folder");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    assert!(built.expect("there is a C compiler").success());
    library
}

#[test]
fn a_server_whose_clock_is_a_minute_ahead_schedules_and_another_takes_over() {
    let Some(mut fleet) = Fleet::start() else {
        return;
    };
    let library = build_clock(&fleet);
    fleet.set_variable("LEITAI_LADDER_EVERY", "1s");
    // No worker is there: it pairs for those alone.
    fleet.set_variable("LEITAI_NO_EXHIBITIONS", "false");
    let late = fleet.serve("late");
    fleet.set_variable("LD_PRELOAD", library.to_str().expect("UTF-8"));
    let ahead = fleet.serve("ahead");
    let differs = "the clock of this machine differs from the database's";
    assert!(
        ahead.process.log().contains(differs),
        "{}",
        ahead.process.log()
    );
    // Whoever leads: the server that is ahead leads next, and pairs.
    let leads = |server: &Server| {
        server
            .process
            .log()
            .contains("schedules matches from now on")
    };
    wait_until("one of them leads", || leads(&late) || leads(&ahead));
    if leads(&late) {
        late.process.kill();
        wait_until("the server that is ahead leads", || leads(&ahead));
    }
    let finished = || {
        let page = ahead.get("/api/matches?limit=1");
        page["items"]
            .as_array()
            .is_some_and(|items| !items.is_empty())
    };
    wait_until("it pairs", finished);
    fleet.set_variable("LD_PRELOAD", "");
    let next = fleet.serve("next");
    ahead.process.kill();
    wait_until("another server schedules", || leads(&next));
}

/// A server that is back sooner than the one of the match: it may not take the match over.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_with_people_stays_where_it_is_when_the_database_is_back() {
    let Some(fleet) = Fleet::start_with_own_postgres() else {
        return;
    };
    let (one, two) = (fleet.serve("one"), fleet.serve("two"));
    let wanted = json!({"game": "snakego", "opponent": {"anybody": true}, "legs": 1,
        "config": {"max_round": 8}});
    let permits = Arc::new(Semaphore::new(4));
    let sat = [0, 1].map(|_| one.post(&Person::guest(), "/api/human-matches", &wanted));
    let id = sat[0]["match"].as_i64().expect("a number");
    let people = [&sat[0], &sat[1]].map(|seat| Player::new(seat, &[&one], &permits).play());
    wait_until("the match goes on", || permits.available_permits() == 0);
    let postgres = || {
        let postgres = fleet.postgres.as_ref().expect("one of its own");
        postgres.lock().expect("nobody panics with it")
    };
    let query = |statement: &str| postgres().query(fleet.database(), statement);
    let left = LEASE.as_millis();
    query(&format!(
        "UPDATE jobs SET until = extract(epoch FROM clock_timestamp()) * 1000 + {left} WHERE match_id = {id}"
    ));
    let stalled = Instant::now();
    postgres().signal("STOP");
    let is_away = |server: &Server| {
        let answer = server.try_get("/healthz");
        answer.is_none_or(|(status, _)| status != 200)
    };
    wait_until("both know that it is away", || {
        is_away(&one) && is_away(&two)
    });
    one.process.signal("STOP");
    wait_until("the lease has ended", || {
        stalled.elapsed() > LEASE + Duration::from_secs(1)
    });
    postgres().signal("CONT");
    wait_until("it is back at the other server", || !is_away(&two));
    // Somebody knocks there: it asks the server of the match, which says nothing.
    let knocks = json!({"match": id, "token": "of nobody"});
    let knocking = Player::new(&knocks, &[&two], &permits).play();
    let knocked = Instant::now();
    wait_until("it had time to take the match over", || {
        knocked.elapsed() > Duration::from_secs(6)
    });
    knocking.abort();
    let attempts = format!("SELECT attempts FROM jobs WHERE match_id = {id}");
    assert_eq!(query(&attempts), "1", "{}", two.process.log());
    one.process.signal("CONT");
    permits.add_permits(1000);
    for person in people {
        let finished = person.await.expect("it plays");
        assert_eq!(finished["match"]["state"], "finished", "{finished}");
        assert_eq!(finished["match"]["faults"], json!([]), "{finished}");
    }
    assert_eq!(query(&attempts), "1", "{}", one.process.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn people_play_on_while_the_database_is_away() {
    let Some(fleet) = Fleet::start_with_own_postgres() else {
        return;
    };
    let server = fleet.serve("one");
    let wanted = json!({"game": "snakego", "opponent": {"anybody": true}, "legs": 1,
        "config": {"max_round": 8}});
    let permits = Arc::new(Semaphore::new(4));
    let sat = [0, 1].map(|_| {
        let seat = server.post(&Person::guest(), "/api/human-matches", &wanted);
        let id = seat["match"].as_i64().expect("a number");
        (id, Player::new(&seat, &[&server], &permits).play())
    });
    let id = sat[0].0;
    assert_eq!(sat[1].0, id, "they meet");
    let answer = |more: usize| {
        permits.add_permits(more);
        wait_until("the match goes on", || permits.available_permits() == 0);
    };
    answer(0);
    let postgres = || {
        let postgres = fleet.postgres.as_ref().expect("one of its own");
        postgres.lock().expect("nobody panics with it")
    };
    let is_away = || {
        server
            .try_get("/healthz")
            .is_none_or(|(status, _)| status != 200)
    };
    let left = LEASE.as_millis();
    let query = |statement: &str| postgres().query(fleet.database(), statement);
    query(&format!(
        "UPDATE jobs SET until = extract(epoch FROM clock_timestamp()) * 1000 + {left} WHERE match_id = {id}"
    ));
    // Stalled for longer than the lease lasts.
    let begun = Instant::now();
    postgres().signal("STOP");
    wait_until("it is known to be away", is_away);
    answer(4);
    wait_until("the lease has ended", || {
        begun.elapsed() > LEASE + Duration::from_secs(1)
    });
    postgres().signal("CONT");
    wait_until("it is back", || !is_away());
    answer(2);
    // Killed, and the match ends while it is away.
    postgres().kill();
    wait_until("it is known to be away", is_away);
    permits.add_permits(1000);
    let before = permits.available_permits();
    wait_until("the match goes on", || permits.available_permits() < before);
    postgres().start_again();
    for (_, person) in sat {
        let finished = person.await.expect("it plays");
        assert_eq!(finished["match"]["state"], "finished", "{finished}");
        assert_eq!(finished["match"]["faults"], json!([]), "{finished}");
    }
    let job = query(&format!("SELECT attempts FROM jobs WHERE match_id = {id}"));
    assert_eq!(job, "1", "{}", server.process.log());
}
