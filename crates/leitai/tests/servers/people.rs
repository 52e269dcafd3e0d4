//! People play from any server, and go on when the server of their match is killed.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Semaphore;

use crate::fleet::{Fleet, Person, wait_until};
use crate::player::Player;
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
