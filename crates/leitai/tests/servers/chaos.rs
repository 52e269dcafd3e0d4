//! Workers, servers and the bus are killed while an arena is used. At the end everything that was
//! accepted is there, every match counts once, and nobody saw a wrong board.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinHandle;

use crate::fleet::{Fleet, Person, Server, wait_until};
use crate::spectator::{Seen, watch};

/// How long it may take until another server schedules: the lead lasts 8 s, and a busy machine is
/// slow.
const TAKE_OVER: Duration = Duration::from_secs(20);

/// How long the bot pauses before each answer.
const PAUSE: Duration = Duration::from_millis(5);

/// An arena in use.
struct Chaos {
    ada: Person,
    bots: [i64; 2],
    /// Versions that were accepted.
    versions: Vec<i64>,
    /// Matches that were asked for, and who watches them.
    matches: Vec<i64>,
    watching: Vec<(i64, JoinHandle<Seen>)>,
}

impl Chaos {
    /// Asks for a match, which is watched on these servers.
    fn ask_for_match(&mut self, server: &Server, watched_at: &[&Server]) -> i64 {
        let [a, b] = self.bots;
        let id = server.ask_for_match(&self.ada, a, b);
        self.matches.push(id);
        let watching = watched_at.iter().map(|server| (id, watch(server, id)));
        self.watching.extend(watching);
        id
    }

    fn upload(&mut self, server: &Server) {
        let accepted = server.try_upload(&self.ada, self.bots[0], PAUSE);
        self.versions.push(accepted.expect("it is accepted"));
    }
}

fn state_of(server: &Server, id: i64) -> Value {
    server.get(&format!("/api/matches/{id}"))["state"].clone()
}

/// A free address, for a server that starts again at the same one.
fn find_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_and_nothing_wrong_is_shown_when_parts_are_killed() {
    let Some(fleet) = Fleet::start() else { return };
    let limits = "uploads=1000/1h matches=1000/1h";
    let address = find_address();
    let begin = |name: &str, at: &str| fleet.serve_at(name, at, limits);
    // Both prepare the database.
    let starting = fleet.launch("one", &address, limits);
    let two = begin("two", "127.0.0.1:0");
    let one = starting.wait_for_greeting();
    let ada = one.register_first();
    let leads = |server: &Server| {
        server
            .process
            .log()
            .contains("this server schedules matches")
    };
    wait_until("one of them schedules", || leads(&one) || leads(&two));
    assert!(!(leads(&one) && leads(&two)), "only one schedules");
    let [first, second, third] = ["first", "second", "third"];
    let worker_one = fleet.work_for(&[&one, &two], first);
    let worker_two = fleet.work_for(&[&two, &one], second);
    let bot = one.make_bot(&ada, "tankcraft", "slow");
    let version = one.try_upload(&ada, bot, PAUSE).expect("it is accepted");
    two.wait_for_version(version);
    let random = two.bot_named("tankcraft", "random");
    let mut chaos = Chaos {
        ada,
        bots: [bot, random],
        versions: vec![version],
        matches: Vec::new(),
        watching: Vec::new(),
    };

    // A worker stops and its leases end; the bus is killed meanwhile.
    let running: Vec<i64> = [&one, &two]
        .map(|server| chaos.ask_for_match(server, &[&one, &two]))
        .to_vec();
    wait_until("both matches have begun", || {
        running.iter().all(|&id| state_of(&two, id) != "queued")
    });
    worker_two.signal("STOP");
    chaos.upload(&two);
    fleet.nats.lock().expect("it is there").kill();
    chaos.upload(&one);
    chaos.ask_for_match(&two, &[&two]);
    fleet.nats.lock().expect("it is there").start_again();

    // A server is killed. Its worker, the only one that is not stopped, goes on at the other server.
    wait_until("the last match has begun", || {
        (chaos.matches.last()).is_none_or(|&id| state_of(&two, id) != "queued")
    });
    let was_leader = leads(&one);
    one.process.kill();
    let killed = Instant::now();
    if was_leader {
        wait_until("the other server schedules", || leads(&two));
        let took = killed.elapsed();
        assert!(took < TAKE_OVER, "it took {took:?}");
        eprintln!("another server schedules {took:.1?} after the leader was killed");
    }
    let orphan = *chaos.matches.last().expect("there are some");
    wait_until("the worker of the killed server goes on", || {
        state_of(&two, orphan) == "finished"
    });
    let took = killed.elapsed();
    eprintln!("the worker of the killed server brought its match {took:.1?} after the kill");
    let log = worker_one.log();
    assert!(log.contains("goes on at another server"), "{log}");
    assert!(!log.contains("a result came too late"), "{log}");
    chaos.upload(&two);
    chaos.ask_for_match(&two, &[]);
    // A worker is killed in the middle of a match, and another one begins.
    let orphan = chaos.ask_for_match(&two, &[]);
    wait_until("the match has begun", || state_of(&two, orphan) != "queued");
    worker_one.kill();
    let one = begin("one", &address);
    let _worker_three = fleet.work_for(&[&one], third);
    chaos.ask_for_match(&one, &[&one, &two]);
    worker_two.signal("CONT");

    // Everything that was accepted happens.
    for &version in &chaos.versions {
        two.wait_for_version(version);
    }
    wait_until("every match is over", || {
        chaos
            .matches
            .iter()
            .all(|&id| state_of(&two, id) == "finished")
    });
    for (id, seen) in chaos.watching {
        let seen = seen.await.expect("it watched");
        // Who was cut off with the killed server may have seen a run that was played again.
        if let Some(finished) = &seen.finished {
            assert_eq!(finished["state"], "finished", "{finished}");
            seen.assert_right(&one, id, false);
        }
    }
    let rebuilt = fleet.admin(&["rebuild-ratings", "tankcraft"]);
    assert!(rebuilt.contains(" 0 ratings changed"), "{rebuilt}");
}
