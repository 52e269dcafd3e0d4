//! Several servers of one arena: PostgreSQL, NATS, servers and workers as real processes.

mod alerts;
mod certificate;
mod chaos;
mod cluster;
mod compose;
mod experiment;
mod fleet;
mod nats;
mod outage;
mod people;
mod player;
#[path = "../../../store/tests/contract/ports.rs"]
mod ports;
#[expect(dead_code, reason = "the tests of the store use the rest")]
#[path = "../../../store/tests/contract/postgres.rs"]
mod postgres;
#[path = "../../../server/tests/kit/programs.rs"]
mod programs;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../../telemetry/tests/receiver.rs"]
mod receiver;
mod rolling;
#[path = "../../../store/tests/contract/s3.rs"]
mod s3;
mod spectator;
mod traces;

use std::time::Duration;

use certificate::make_certificate;
use fleet::{Fleet, wait_until};
use nats::NatsServer;
use serde_json::json;
use spectator::watch;

/// A bot pauses so long before each answer that a match lasts for most of a minute unless it hurries.
const PAUSE: Duration = Duration::from_millis(400);

#[test]
fn a_bus_that_cannot_be_used_is_explained_at_the_start() {
    let Some(fleet) = Fleet::start() else { return };
    let check = |bus: &str, parts: &[&str]| {
        let said = fleet.serve_in_vain(bus);
        for part in parts {
            assert!(said.contains(part), "{bus}: {said}");
        }
        assert!(
            !said.contains("se:cret") && !said.contains("se%3Acret"),
            "{said}"
        );
    };
    let port = ports::find_port();
    let there = |who: &str| fleet.nats.lock().expect("it is there").url_of(who);
    check(
        &format!("nats://127.0.0.1:{port}"),
        &[
            "no NATS server answers at nats://127.0.0.1",
            "nats-server runs",
        ],
    );
    check(
        &there("arena:wrong"),
        &["refuses the user or the password", "arena:…@"],
    );
    check(
        &there("guest:guest"),
        &["may not use the subject", "`leitai.>`"],
    );
    check("http://127.0.0.1", &["is not the address of a NATS server"]);
    check(
        &there("arena:se%3Acret").replace("nats://", "tls://"),
        &["takes no secured connection", "`tls` with", "nats://"],
    );
}

#[test]
fn a_secured_bus_is_used_with_a_trusted_certificate_alone() {
    let Some(mut fleet) = Fleet::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = make_certificate(folder.path(), "bus");
    let [other, _] = make_certificate(folder.path(), "other");
    let bus = NatsServer::start_with(&NatsServer::lines_for_tls(&files)).expect("it is there");
    let secured = bus.url().replace("nats://", "tls://");
    *fleet.nats.lock().expect("it is there") = bus;
    let plain = fleet.bus();
    let refuse = |fleet: &Fleet| {
        for bus in [&secured, &plain] {
            let said = fleet.serve_in_vain(bus);
            for part in ["no secured connection to", "SSL_CERT_FILE", "arena:…@"] {
                assert!(said.contains(part), "{bus}: {said}");
            }
        }
    };
    refuse(&fleet);
    fleet.set_variable("SSL_CERT_FILE", &other);
    refuse(&fleet);

    fleet.set_variable("SSL_CERT_FILE", &files[0]);
    fleet.set_variable("LEITAI_BUS", &secured);
    let one = fleet.serve("one");
    // The server asks for a secured connection by itself.
    fleet.set_variable("LEITAI_BUS", &plain);
    let two = fleet.serve("two");
    fleet.nats.lock().expect("it is there").kill();
    for server in [&one, &two] {
        wait_until("the server notes that the bus is away", || {
            server.process.log().contains("the bus is away")
        });
    }
    fleet.nats.lock().expect("it is there").start_again();
    for server in [&one, &two] {
        wait_until("the bus is back", || {
            server.process.log().contains("the bus is back")
        });
    }
}

#[test]
fn attempts_at_one_server_count_at_all() {
    let Some(fleet) = Fleet::start() else { return };
    let limits = "account-logins=3/1h";
    let servers = ["one", "two"].map(|name| fleet.serve_at(name, "127.0.0.1:0", limits));
    // A balancer sends the link of one server to the other one.
    let ada = servers[1].register_first_by(&servers[0]);
    let wrong = json!({"name": "ada", "password": "guessed"});
    let statuses = [0, 1, 0, 1, 0].map(|server: usize| {
        let answer = servers[server].try_post(&ada, "/api/login", &wrong);
        answer.expect("it answers").0
    });
    assert_eq!(statuses, [401, 401, 401, 429, 429]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_watched_whole_on_every_server_and_a_restarted_bus_comes_back() {
    let Some(fleet) = Fleet::start() else { return };
    let one = fleet.serve("one");
    let two = fleet.serve("two");
    let ada = one.register_first();
    let _worker = fleet.work_for(&[&one], "worker");
    // Uploaded at one server, checked by the worker of the other one.
    let bot = two.make_bot(&ada, "tankcraft", "slow");
    let version = two.try_upload(&ada, bot, PAUSE).expect("it is accepted");
    two.wait_for_version(version);
    let random = two.bot_named("tankcraft", "random");
    let id = two.ask_for_match(&ada, bot, random);
    let early = [watch(&one, id), watch(&two, id)];
    wait_until("the match runs", || is_beyond(&two, id, 2));
    let late = [watch(&one, id), watch(&two, id)];
    wait_until("all watch", || count_spectators(&two, id) == Some(4));
    fleet.hurry();
    for (seen, is_early) in early
        .into_iter()
        .zip([true; 2])
        .chain(late.into_iter().zip([false; 2]))
    {
        let seen = seen.await.expect("it watched");
        seen.assert_right(&two, id, true);
        assert!(
            !is_early || seen.legs.len() == 2,
            "both legs were seen from the beginning"
        );
        let finished = seen.finished.expect("it ended");
        assert_eq!(finished["state"], "finished", "{finished}");
    }

    // The bus dies in the middle of a match, and comes back.
    fleet.slow_down();
    let id = one.ask_for_match(&ada, bot, random);
    let watching = [watch(&one, id), watch(&two, id)];
    wait_until("the match runs", || is_beyond(&two, id, 3));
    wait_until("both watch", || count_spectators(&one, id) == Some(2));
    fleet.nats.lock().expect("it is there").kill();
    wait_until("the server notes that the bus is away", || {
        two.process.log().contains("the bus is away")
    });
    let played =
        |server: &fleet::Server| server.get(&format!("/api/matches/{id}"))["round"].as_u64();
    let before = played(&one);
    wait_until("the match goes on without the bus", || {
        played(&one) > before
    });
    fleet.nats.lock().expect("it is there").start_again();
    wait_until("the bus is back", || {
        two.process.log().contains("the bus is back")
    });
    fleet.hurry();
    for seen in watching {
        let seen = seen.await.expect("it watched");
        seen.assert_right(&one, id, true);
        assert_eq!(
            (seen.legs.len(), seen.beginnings),
            (2, 2),
            "nothing was shown anew"
        );
    }
    assert_eq!(two.get(&format!("/api/matches/{id}"))["state"], "finished");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_every_server_say_how_far_a_match_is_and_how_many_watch() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.serve("one"), fleet.serve("two"));
    let ada = one.register_first();
    let _worker = fleet.work_for(&[&one], "worker");
    let bot = one.make_bot(&ada, "tankcraft", "slow");
    let version = one.try_upload(&ada, bot, PAUSE).expect("it is accepted");
    one.wait_for_version(version);
    let random = one.bot_named("tankcraft", "random");
    let id = one.ask_for_match(&ada, bot, random);
    let listed = |server: &fleet::Server| {
        let page = server.get("/api/matches?state=running&game=tankcraft");
        let items = page["items"].as_array().expect("a list").clone();
        items.into_iter().find(|own| own["id"] == id)
    };
    let shows = |server: &fleet::Server, spectators: u64| {
        listed(server).is_some_and(|own| own["round"].is_u64() && own["spectators"] == spectators)
    };
    // Nobody watches it, there or here.
    for server in [&two, &one] {
        wait_until("the list shows the round", || shows(server, 0));
    }
    let watching = [watch(&one, id), watch(&two, id)];
    for server in [&one, &two] {
        wait_until("both spectators are counted", || shows(server, 2));
    }
    watching.iter().for_each(tokio::task::JoinHandle::abort);
}

#[test]
fn a_worker_of_a_server_that_is_stuck_brings_its_match_to_another() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.serve("one"), fleet.serve("two"));
    let ada = one.register_first();
    let worker = fleet.work_for(&[&one, &two], "worker");
    let bot = one.make_bot(&ada, "tankcraft", "slow");
    let version = one.try_upload(&ada, bot, PAUSE).expect("it is accepted");
    two.wait_for_version(version);
    let random = two.bot_named("tankcraft", "random");
    let id = two.ask_for_match(&ada, bot, random);
    let state = || two.get(&format!("/api/matches/{id}"))["state"].clone();
    wait_until("the match runs", || state() == "running");
    one.process.signal("STOP");
    wait_until("the worker turns to the other server", || {
        worker.log().contains("goes on at another server")
    });
    fleet.hurry();
    wait_until("the match is over", || state() == "finished");
    let log = worker.log();
    assert!(!log.contains("a result came too late"), "{log}");
}

/// How many watch the match at all servers.
fn count_spectators(server: &fleet::Server, id: i64) -> Option<u64> {
    server.get(&format!("/api/matches/{id}"))["spectators"].as_u64()
}

/// Whether the match is watched here beyond this round.
fn is_beyond(server: &fleet::Server, id: i64, round: u64) -> bool {
    let found = server.get(&format!("/api/matches/{id}"));
    assert_ne!(found["state"], "finished", "it is over too soon");
    found["round"].as_u64().is_some_and(|now| now > round)
}
