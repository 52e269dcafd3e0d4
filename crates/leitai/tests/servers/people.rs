//! People play from any server, and go on when the server of their match is killed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::fleet::{Fleet, Person, Server, wait_until};
use crate::player::Player;
use crate::programs::FIRST_LEGAL;
use crate::spectator::watch;

/// The code with which a server closes the connection of a wrong token.
const NO_SEAT: u16 = 4403;

#[tokio::test(flavor = "multi_thread")]
async fn people_play_from_any_server_and_go_on_when_one_dies() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.serve("one"), fleet.serve("two"));
    let ada = one.register_first();
    let wanted = json!({
        "game": "snakego", "seat": "a", "opponent": {"invite": true}, "config": {"max_round": 8},
    });
    let seat = one.post(&ada, "/api/human-matches", &wanted);
    let id = seat["match"].as_i64().expect("a number");
    let code = seat["invite"].as_str().expect("text");
    // The invited person goes to the other server, and so does the one who invited.
    let accept = format!("/api/invites/{code}");
    let invited = two.post(&Person::guest(), &accept, &json!({"name": "bob"}));
    let watching = [watch(&one, id), watch(&two, id)];
    let permits = Arc::new(Semaphore::new(5));
    for server in [&one, &two] {
        let stranger = json!({"match": id, "token": "guessed"});
        let code = Player::new(&stranger, &[server], &permits)
            .join_in_vain()
            .await;
        assert_eq!(code, Some(NO_SEAT));
    }
    let people = [
        Player::new(&seat, &[&two], &permits).play(),
        Player::new(&invited, &[&one, &two], &permits).play(),
    ];
    let answer = |more: usize| {
        permits.add_permits(more);
        wait_until("the match goes on", || permits.available_permits() == 0);
    };
    answer(0);

    // The bus dies: who is at the other server joins again, and the match goes on.
    fleet.nats.lock().expect("it is there").kill();
    fleet.nats.lock().expect("it is there").start_again();
    answer(6);

    // Another match waits for somebody who is invited.
    let wanted = json!({"game": "snakego", "seat": "a", "opponent": {"invite": true}, "legs": 1,
        "config": {"max_round": 8}});
    let waiting = one.post(&ada, "/api/human-matches", &wanted);
    let free = Arc::new(Semaphore::new(1000));
    let inviter = Player::new(&waiting, &[&one, &two], &free).play();

    // The server of the match is killed: the other one goes on after the last recorded move.
    one.process.kill();
    permits.add_permits(1000);
    for person in people {
        let finished = person.await.expect("it plays");
        assert_eq!(finished["match"]["state"], "finished", "{finished}");
        assert_eq!(finished["match"]["faults"], json!([]), "{finished}");
    }
    let code = waiting["invite"].as_str().expect("text");
    let invited = two.post(
        &Person::guest(),
        &format!("/api/invites/{code}"),
        &json!({"name": "eve"}),
    );
    let invited = Player::new(&invited, &[&two], &free).play();
    for person in [inviter, invited] {
        let finished = person.await.expect("it plays");
        assert_eq!(finished["match"]["state"], "finished", "{finished}");
        assert_eq!(finished["match"]["b"]["name"], "eve", "{finished}");
    }
    let [at_one, at_two] = watching;
    let seen = at_two.await.expect("it watched");
    let state = &seen.finished.as_ref().expect("it ended")["state"];
    assert_eq!(state, "finished");
    seen.assert_right(&two, id, true);
    // What was shown there less than 0.2 s before the kill may have been played anew.
    at_one.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_at_home_plays_who_comes_at_another_server_and_goes_on_when_that_one_dies() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.serve("one"), fleet.serve("two"));
    let ada = one.register_first();
    std::fs::write(fleet.path("first.py"), FIRST_LEGAL).expect("own folder");
    let address = format!("http://{}", one.address);
    let words = ["connect", &address, "snakego", "first.py", "--matches", "2"];
    let words = [&words[..], &["--json", "--token", ada.token()]].concat();
    let mut program = fleet.run_beside(&words, "home");
    let free = || {
        let offered = two.get("/api/home-bots");
        let mut items = offered["items"].as_array().cloned().unwrap_or_default();
        items.retain(|one| one["plays"].is_null());
        items.first().map(|one| one["id"].clone())
    };
    let come = |server: &Server| {
        wait_until("the other server shows that it waits", || free().is_some());
        let wanted = json!({"game": "snakego", "seat": "a", "opponent": {"home": free()}, "legs": 1,
            "config": {"max_round": 8}});
        server.post(&Person::guest(), "/api/human-matches", &wanted)
    };
    // Once the match is played where the person came, once that server dies in the middle of it.
    let permits = Arc::new(Semaphore::new(1000));
    let seat = come(&two);
    let finished = Player::new(&seat, &[&two], &permits).play().await;
    assert_played(&finished.expect("it plays"));
    let permits = Arc::new(Semaphore::new(2));
    let seat = come(&two);
    let playing = Player::new(&seat, &[&two, &one], &permits).play();
    wait_until("two rounds are played", || permits.available_permits() == 0);
    two.process.kill();
    permits.add_permits(1000);
    assert_played(&playing.await.expect("it plays"));
    assert_eq!(program.wait(), Some(0), "{}", program.log());
    let said = program.log();
    assert_eq!(said.matches("\"state\":\"finished\"").count(), 2, "{said}");
}

fn assert_played(finished: &Value) {
    let own = &finished["match"];
    assert_eq!(
        (&own["state"], &own["faults"]),
        (&json!("finished"), &json!([])),
        "{finished}"
    );
    assert_eq!(own["b"]["name"], "ada+first", "{finished}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_who_wait_at_two_servers_meet_at_one_table() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.serve("one"), fleet.serve("two"));
    let free = Arc::new(Semaphore::new(10_000));
    let wanted = |name: &str| {
        json!({"game": "snakego", "opponent": {"anybody": true}, "name": name, "legs": 1,
            "config": {"max_round": 8}})
    };
    let seek = |server: &Server, name: &str| {
        server.post(&Person::guest(), "/api/human-matches", &wanted(name))
    };
    let lobby = |server: &Server| server.get("/api/lobby")["items"].as_array().map(Vec::len);
    // Ann waits at one server; Ben, at the other one, sees her there, and meets her.
    let ann = seek(&one, "ann");
    let waiting = Player::new(&ann, &[&one], &free).play();
    wait_until("both lobbies show her", || {
        [&one, &two].iter().all(|server| lobby(server) == Some(1))
    });
    let ben = seek(&two, "ben");
    assert_eq!(ben["match"], ann["match"]);
    let ben = Player::new(&ben, &[&two], &free).play();
    for person in [waiting, ben] {
        let finished = person.await.expect("it plays");
        assert_eq!(finished["match"]["state"], "finished", "{finished}");
    }

    // Many come at once at both servers: two at each table, nobody left.
    let (none, here) = (Arc::new(Semaphore::new(0)), Handle::current());
    let seats: Vec<Value> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|number| {
                let server = [&one, &two][number % 2];
                let (seek, none, here) = (&seek, &none, &here);
                scope.spawn(move || {
                    let seat = seek(server, &format!("guest{number}"));
                    // A table is offered while its person is there.
                    let _guard = here.enter();
                    Player::new(&seat, &[server], none).play();
                    seat
                })
            })
            .collect();
        let all = all.into_iter().map(|one| one.join().expect("it answers"));
        all.collect()
    });
    let mut tables: BTreeMap<i64, Vec<&Value>> = BTreeMap::new();
    for seat in &seats {
        let id = seat["match"].as_i64().expect("a number");
        tables.entry(id).or_default().push(seat);
    }
    assert_eq!(tables.len(), 4, "{seats:?}");
    for pair in tables.values() {
        assert_eq!(pair.len(), 2, "{seats:?}");
        assert_ne!(pair[0]["seat"], pair[1]["seat"]);
    }

    // Who left is not met, and a server without a bus serves its own people.
    fleet.nats.lock().expect("it is there").kill();
    wait_until("the bus is away", || {
        [&one, &two]
            .iter()
            .all(|server| server.process.log().contains("the bus is away"))
    });
    let (cut, other) = (seek(&one, "cut"), seek(&two, "other"));
    assert_ne!(cut["match"], other["match"]);
    let waiting = Player::new(&other, &[&two], &free).play();
    let near = seek(&two, "near");
    assert_eq!(near["match"], other["match"], "she has just come");
    for person in [waiting, Player::new(&near, &[&two], &free).play()] {
        let finished = person.await.expect("it plays");
        assert_eq!(finished["match"]["state"], "finished", "{finished}");
    }
    fleet.nats.lock().expect("it is there").start_again();

    // The server of somebody who waits is killed: nobody is sent there. The page, which comes back only
    // now, or nobody might see that, goes to the other server, and is met there.
    let away = Player::new(&cut, &[&one], &free).play();
    let back = Player::new(&cut, &[&one, &two], &free);
    wait_until("the other lobby shows the table", || lobby(&two) == Some(1));
    one.process.kill();
    wait_until("nobody is sent to a server that is gone", || {
        lobby(&two) == Some(0)
    });
    away.abort();
    let cut = back.play();
    wait_until("the table is opened at the other server", || {
        lobby(&two) == Some(1)
    });
    let met = seek(&two, "met");
    let met = Player::new(&met, &[&two], &free).play();
    for person in [cut, met] {
        let finished = person.await.expect("it plays");
        assert_eq!(finished["match"]["state"], "finished", "{finished}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_at_two_servers_play_a_rematch() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.serve("one"), fleet.serve("two"));
    let free = Arc::new(Semaphore::new(10_000));
    let wanted = |name: &str| {
        json!({"game": "snakego", "opponent": {"anybody": true}, "name": name, "legs": 1,
            "config": {"max_round": 8}})
    };
    let people = [(&one, "ann"), (&two, "ben")]
        .map(|(server, name)| server.post(&Person::guest(), "/api/human-matches", &wanted(name)));
    let play = async |seats: [&Value; 2]| {
        let sat = [(seats[0], &one), (seats[1], &two)]
            .map(|(seat, server)| Player::new(seat, &[server], &free).play());
        for person in sat {
            let finished = person.await.expect("it plays");
            assert_eq!(finished["match"]["state"], "finished", "{finished}");
        }
    };
    let [ann, ben] = &people;
    assert_eq!(ann["match"], ben["match"]);
    play([ann, ben]).await;
    let path = format!("/api/matches/{}/rematch", ann["match"]);
    let look = |server: &Server, seat: &Value| {
        let found = server.ask_from_seat("GET", &path, seat, &Value::Null);
        assert_eq!(found["status"], 200, "{found}");
        found["body"].clone()
    };
    let ask = |server: &Server, seat: &Value| {
        let asked = server.ask_from_seat("POST", &path, seat, &json!({"seat": "a"}));
        assert_eq!(asked["status"], 200, "{asked}");
        asked["body"].clone()
    };
    // The balancer sends every request to another server.
    let phrase = path.replace("rematch", "phrase");
    let say = |server: &Server| {
        let said = json!({"phrase": "good_game"});
        server.ask_from_seat("PUT", &phrase, ann, &said)["status"].clone()
    };
    // Again at once; a slow machine may take the two seconds after which it is allowed.
    wait_until("who spoke at one server is refused at the other", || {
        let is_refused = say(&one) == 204 && say(&two) == 429;
        if !is_refused {
            std::thread::park_timeout(Duration::from_secs(3));
        }
        is_refused
    });
    assert_eq!(look(&two, ben)["said"], "good_game");
    assert_eq!(ask(&one, ann)["state"], "asked");
    assert_eq!(look(&two, ann)["state"], "asked");
    assert_eq!(look(&two, ben)["state"], "received");
    let refused = two.ask_from_seat("DELETE", &path, ben, &Value::Null);
    assert_eq!(refused["status"], 204, "{refused}");
    assert_eq!(look(&one, ann)["state"], "declined");

    // Both ask at the same time: one rematch, at which they meet.
    let asked = std::thread::scope(|scope| {
        let both =
            [(&one, ann), (&two, ben)].map(|(server, seat)| scope.spawn(|| ask(server, seat)));
        both.map(|one| one.join().expect("it answers"))
    });
    let states = asked.each_ref().map(|one| one["state"].as_str());
    let (first, last) = match states {
        [Some("asked"), Some("accepted")] => (look(&two, ann), &asked[1]),
        [Some("accepted"), Some("asked")] => (look(&one, ben), &asked[0]),
        _ => panic!("{asked:?}"),
    };
    assert_eq!(first["state"], "accepted", "{first}");
    let seats = [&first["joined"], &last["joined"]];
    assert_eq!(seats[0]["match"], seats[1]["match"]);
    assert_ne!(seats[0]["match"], ann["match"]);
    play(seats).await;
}
