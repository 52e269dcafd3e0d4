//! Workers, servers, the bus and the database are killed while an arena is used. At the end everything
//! that was accepted is there, every match counts once and verifies, and nobody saw a wrong board. A
//! comparison on the same bus is complete, too.
//! `./dev long` does it with crowds, `LEITAI_CHAOS` times.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use leitai_game::replay::{Replay, verify_replay};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::experiment::Experiment;
use crate::fleet::{Fleet, Person, Process, Server, match_of, wait_until};
use crate::player::Player;
use crate::ports::find_port;
use crate::spectator::{Recorded, Seen, watch, watch_to_the_end};

/// How long the bot pauses before each answer.
const PAUSE: Duration = Duration::from_millis(30);

/// How much is going on in an arena.
#[derive(Clone, Copy)]
pub struct Size {
    /// Spectators of one match at each server.
    crowd: usize,
    /// Pairs of matches of a comparison on the bus.
    pairs: usize,
    /// Whether a worker is stopped until its leases end, and another one killed, whose match is
    /// played again after its lease.
    loses_workers: bool,
}

impl Size {
    pub const SMALL: Size = Size {
        crowd: 3,
        pairs: 8,
        loses_workers: false,
    };
    const LARGE: Size = Size {
        crowd: 100,
        pairs: 120,
        loses_workers: true,
    };
}

/// How long people think about a move.
const THOUGHT: Duration = Duration::from_millis(300);

pub const LIMITS: &str = "uploads=1000/1h matches=1000/1h";

/// An arena in use.
pub struct Chaos<'a> {
    fleet: &'a Fleet,
    size: Size,
    ada: Person,
    bots: [i64; 2],
    /// Versions that were accepted.
    versions: Vec<i64>,
    /// Matches that were asked for, and who watches them.
    matches: Vec<i64>,
    watching: Vec<(i64, JoinHandle<Seen>)>,
    /// Spectators who do not go away.
    crowd: Vec<(i64, JoinHandle<Seen>)>,
    /// People who play, with the last message of their matches.
    people: Vec<JoinHandle<Value>>,
    /// A comparison on the bus of the arena.
    experiment: Option<Experiment>,
}

/// The processes of an arena.
pub struct Parts {
    pub one: Server,
    pub two: Server,
    /// The first one begins at the first server, the second one at the other.
    pub workers: [Process; 2],
}

impl Chaos<'_> {
    /// Asks for a match, which is watched on these servers. A database that is away is asked again.
    pub fn ask_for_match(&mut self, server: &Server, watched_at: &[&Server]) -> i64 {
        let [a, b] = self.bots;
        let wanted = match_of(a, b);
        let made = self.post_until_accepted(server, "/api/matches", &wanted);
        let id = made["id"].as_i64().expect("a number");
        self.matches.push(id);
        let watching = watched_at.iter().map(|server| (id, watch(server, id)));
        self.watching.extend(watching);
        id
    }

    pub fn upload(&mut self, server: &Server) {
        wait_until("an upload is accepted", || {
            let accepted = server.try_upload(&self.ada, self.bots[0], PAUSE);
            self.versions.extend(accepted);
            accepted.is_some()
        });
    }

    fn post_until_accepted(&self, server: &Server, path: &str, body: &Value) -> Value {
        let mut made = Value::Null;
        wait_until("a request is accepted", || {
            let Some((status, answer)) = server.try_post(&self.ada, path, body) else {
                return false;
            };
            assert!(
                (200..300).contains(&status) || status >= 500,
                "{status} {answer}"
            );
            made = answer;
            status < 300
        });
        made
    }

    /// So many spectators at each server watch a match until it is over.
    pub fn gather_crowd(&mut self, [one, two]: [&Server; 2], id: i64, count: usize) {
        for servers in [[one, two], [two, one]] {
            let crowd = (0..count).map(|_| (id, watch_to_the_end(&servers, id)));
            self.crowd.extend(crowd);
        }
    }

    /// Two people begin a match, each at another server.
    pub fn seat_people(&mut self, one: &Server, two: &Server) {
        let wanted = json!({
            "game": "snakego", "seat": "a", "opponent": {"invite": true}, "config": {"max_round": 8},
        });
        let seat = self.post_until_accepted(one, "/api/human-matches", &wanted);
        let accept = format!("/api/invites/{}", seat["invite"].as_str().expect("text"));
        let invited = two.post(&Person::guest(), &accept, &json!({"name": "bob"}));
        let permits = Arc::new(Semaphore::new(0));
        self.people.extend([
            Player::new(&seat, &[one, two], &permits).play(),
            Player::new(&invited, &[two, one], &permits).play(),
        ]);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(THOUGHT).await;
                permits.add_permits(2);
            }
        });
    }

    /// Stops the second worker, so that its leases end; kills the bus; restarts the database.
    fn take_away_what_is_shared(&mut self, parts: &Parts, time: usize) {
        let (one, two) = (&parts.one, &parts.two);
        let running = [one, two].map(|server| self.ask_for_match(server, &[one, two]));
        self.gather_crowd([one, two], running[0], self.size.crowd);
        self.seat_people(one, two);
        wait_until("both matches have begun", || {
            running.iter().all(|&id| state_of(two, id) != "queued")
        });
        if self.size.loses_workers {
            parts.workers[1].signal("STOP");
        }
        self.upload(two);
        let mut experiment =
            Experiment::begin(self.fleet, &format!("experiment-{time}"), self.size.pairs);
        experiment.wait_until_under_way();
        self.fleet.nats.lock().expect("it is there").kill();
        experiment.kill_worker();
        self.experiment = Some(experiment);
        self.upload(one);
        self.ask_for_match(two, &[two]);
        self.fleet.nats.lock().expect("it is there").start_again();
        let postgres = self.fleet.postgres.as_ref().expect("one of its own");
        postgres.lock().expect("nobody panics with it").restart();
        self.upload(two);
        self.ask_for_match(one, &[one, two]);
    }

    /// Kills the first server: its workers go on at the other one, with their matches.
    fn kill_server(&mut self, one: Server, two: &Server, worker: &Process) {
        let is_leader = leads(&one) > leads(two);
        let before = leads(two);
        one.process.kill();
        let killed = Instant::now();
        if is_leader {
            wait_until("the other server schedules", || leads(two) > before);
            let took = killed.elapsed();
            eprintln!("another server schedules {took:.1?} after the leader was killed");
        }
        wait_until("the worker of the killed server goes on", || {
            worker.log().contains("goes on at another server")
        });
        let orphan = *self.matches.last().expect("there are some");
        wait_until("the last match is over", || {
            state_of(two, orphan) == "finished"
        });
        let took = killed.elapsed();
        eprintln!("the last match was over {took:.1?} after the kill");
        assert!(
            !worker.log().contains("a result came too late"),
            "{}",
            worker.log()
        );
        self.upload(two);
    }

    /// Asserts that everything that was accepted is there.
    pub fn assert_all_is_there(&self, server: &Server) {
        for &version in &self.versions {
            server.wait_for_version(version);
            let source = server.try_get_as(&self.ada, &format!("/api/versions/{version}/source"));
            assert_eq!(source.expect("it answers").0, 200, "version {version}");
        }
        wait_until("every match is over", || {
            let mut matches = self.matches.iter();
            matches.all(|&id| state_of(server, id) == "finished")
        });
    }

    /// Asserts that nobody saw a wrong board.
    pub async fn assert_boards_were_right(&mut self, server: &Server) {
        for (id, seen) in self.watching.drain(..) {
            let seen = seen.await.expect("it watched");
            // Who was cut off with the killed server may have seen a run that was played again.
            if let Some(finished) = &seen.finished {
                assert_eq!(finished["state"], "finished", "{finished}");
                seen.assert_right(server, id, false);
            }
        }
        let mut recorded = BTreeMap::new();
        let (mut boards, mut shown, all) = (0, 0, self.crowd.len());
        for (id, seen) in self.crowd.drain(..) {
            let seen = seen.await.expect("it watched");
            let recorded = recorded
                .entry(id)
                .or_insert_with(|| Recorded::of(server, id, 1..=2));
            seen.assert_like(recorded, false);
            boards += seen.legs.values().map(Vec::len).sum::<usize>();
            shown += seen.shown;
        }
        eprintln!(
            "{all} spectators saw {shown} boards, {boards} at the end, each as it is recorded"
        );
        // How many are left at the end is a matter of luck: who joins again after the match is over
        // begins a new page, which shows its result alone.
        assert!(shown > all, "few boards were seen: {shown}");
    }

    /// Asserts that every match counts once, verifies, and is in the ratings.
    pub fn assert_results_are_right(&self, server: &Server) {
        let replays = assert_replays_verify(server);
        eprintln!("{replays} finished matches verify");
        assert!(replays >= self.matches.len());
        for game in ["tankcraft", "snakego", "kob"] {
            let rebuilt = self.fleet.admin(&["rebuild-ratings", game]);
            assert!(rebuilt.contains(" 0 ratings changed"), "{rebuilt}");
        }
    }

    fn assert_experiment_is_complete(&mut self) {
        let experiment = self.experiment.take();
        experiment.expect("it was begun").assert_complete();
    }

    pub async fn assert_people_ended(&mut self) {
        for person in self.people.drain(..) {
            let finished = person.await.expect("it plays");
            assert_eq!(finished["match"]["state"], "finished", "{finished}");
        }
    }
}

/// How often this server began to schedule.
fn leads(server: &Server) -> usize {
    let log = server.process.log();
    log.matches("this server schedules matches").count()
}

pub fn state_of(server: &Server, id: i64) -> Value {
    let found = server.try_get(&format!("/api/matches/{id}"));
    found.map_or(Value::Null, |(_, found)| found["state"].clone())
}

/// Asserts that the replay of every finished match is there and verifies; returns their number.
fn assert_replays_verify(server: &Server) -> usize {
    let (mut cursor, mut seen) = (String::new(), BTreeSet::new());
    loop {
        let page = server.get(&format!("/api/matches?state=finished&limit=100{cursor}"));
        for found in page["items"].as_array().expect("a list") {
            let id = found["id"].as_i64().expect("a number");
            assert!(seen.insert(id), "match {id} is there twice");
            let text = server.get(&format!("/api/matches/{id}/replay")).to_string();
            let replay = Replay::parse(&text).expect("a replay");
            let game = leitai_games::ALL
                .iter()
                .find(|game| game.meta().id == replay.game)
                .expect("a game of ours");
            let verified = verify_replay(*game, &replay).expect("the rules of today");
            assert!(verified.is_ok(), "match {id}: {:?}", verified.err());
        }
        let Some(next) = page["next"].as_str() else {
            return seen.len();
        };
        cursor = format!("&before={next}");
    }
}

/// A free address, for a server that starts again at the same one.
pub fn find_address() -> String {
    format!("127.0.0.1:{}", find_port())
}

/// Starts two servers, two workers, and a bot of theirs.
pub fn begin(fleet: &Fleet, size: Size) -> (Parts, Chaos<'_>) {
    // Both prepare the database.
    let starting = fleet.launch("one", &find_address(), LIMITS);
    let two = fleet.serve_at("two", &find_address(), LIMITS);
    let one = starting.wait_for_greeting();
    let ada = one.register_first();
    wait_until("one of them schedules", || leads(&one) + leads(&two) > 0);
    let workers = [
        fleet.work_for(&[&one, &two], "first"),
        fleet.work_for(&[&two, &one], "second"),
    ];
    let bot = one.make_bot(&ada, "tankcraft", "slow");
    let random = two.bot_named("tankcraft", "random");
    let mut chaos = Chaos {
        fleet,
        size,
        ada,
        bots: [bot, random],
        versions: Vec::new(),
        matches: Vec::new(),
        watching: Vec::new(),
        crowd: Vec::new(),
        people: Vec::new(),
        experiment: None,
    };
    chaos.upload(&one);
    two.wait_for_version(chaos.versions[0]);
    (Parts { one, two, workers }, chaos)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_and_nothing_wrong_is_shown_when_parts_are_killed() {
    kill_parts(Size::SMALL, 1).await;
}

mod long {
    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "minutes, with crowds; ./dev long"]
    async fn nothing_is_lost_in_a_crowded_arena() {
        let asked = std::env::var("LEITAI_CHAOS").ok();
        let times = asked.map_or(1, |asked| asked.parse().expect("a number"));
        super::kill_parts(super::Size::LARGE, times).await;
    }
}

async fn kill_parts(size: Size, times: usize) {
    let Some(fleet) = Fleet::start_with_s3(true) else {
        return;
    };
    let (mut parts, mut chaos) = begin(&fleet, size);
    let _third = fleet.work_for(&[&parts.two, &parts.one], "third");
    for time in 0..times {
        chaos.take_away_what_is_shared(&parts, time);
        let Parts { one, two, workers } = parts;
        let [first, second] = workers;
        wait_until("the last match has begun", || {
            (chaos.matches.last()).is_none_or(|&id| state_of(&two, id) != "queued")
        });
        let address = one.address.clone();
        chaos.kill_server(one, &two, &first);
        if size.loses_workers {
            // A worker is killed in the middle of a match, and another one begins.
            let orphan = chaos.ask_for_match(&two, &[]);
            wait_until("the match has begun", || state_of(&two, orphan) != "queued");
            first.kill();
        }
        let one = fleet.serve_at(&format!("again-{time}"), &address, LIMITS);
        if size.loses_workers {
            second.signal("CONT");
        }
        chaos.ask_for_match(&one, &[&one, &two]);
        chaos.assert_all_is_there(&two);
        chaos.assert_boards_were_right(&one).await;
        chaos.assert_people_ended().await;
        chaos.assert_experiment_is_complete();
        let next = fleet.work_for(&[&two, &one], &format!("next-{time}"));
        // The servers change their parts.
        parts = Parts {
            one: two,
            two: one,
            workers: [next, second],
        };
    }
    chaos.assert_results_are_right(&parts.one);
}
