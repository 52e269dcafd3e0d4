//! Analyses of finished matches, made once for all readers.

use std::ops::ControlFlow;
use std::time::Duration;

use leitai_analysis::{AnalysisOptions, analyze_replay};
use leitai_game::Replay;
use leitai_store::{MatchId, MatchKind, Timestamp};
use serde_json::{Value, json};

use crate::kit::{Kit, Person, says};
use crate::returning::{on_ladder, played};

const SEED: u64 = 3;

fn path_of(id: MatchId) -> String {
    format!("/api/matches/{id}/analysis")
}

/// The answer once the analysis is made; it takes moments.
async fn made(reader: &Person, id: MatchId) -> Value {
    for _ in 0..30_000 {
        let told = reader.get(&path_of(id)).await.ok();
        if told["state"] != "waiting" && told["state"] != "running" {
            return told;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it takes too long")
}

/// What the engine of a page finds in a leg, without its digest.
fn found_by_page(replay: &Replay) -> Value {
    let game = leitai_games::find_game("kob").expect("a built-in game");
    let options = AnalysisOptions {
        leg: Some(1),
        ..AnalysisOptions::default()
    };
    let found = analyze_replay(game, replay, options, &mut |_| ControlFlow::Continue(()));
    serde_json::to_value(found.expect("it is analysed")).expect("plain data")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_analysis_is_made_once_and_read_by_everybody_at_every_server() {
    let kit = Kit::new().await;
    let replay = played(SEED);
    let id = on_ladder(&kit, &replay, SEED).await;
    let (ada, guest, path) = (kit.person("eve").await, kit.guest(), path_of(id));
    let router = kit.second_server().await;
    let there = |person: &Person| Person {
        router: router.clone(),
        ..person.clone()
    };
    // Nobody makes it before somebody asks who is signed in.
    assert_eq!(guest.get(&path).await.ok()["state"], "none");
    guest.post(&path, json!({})).await.refused(401, "login");
    assert_eq!(guest.get(&path).await.ok()["state"], "none");
    assert_eq!(ada.post(&path, json!({})).await.status, 202);
    let told = made(&ada, id).await;
    assert_eq!(told["state"], "done", "{told}");
    let mut leg = told["legs"][0].clone();
    let digest = leg.as_object_mut().expect("an object").remove("digest");
    let digest = digest.expect("beside what was found");
    says(&digest["zh"].to_string(), &["局"]);
    assert!(
        digest["en"]
            .as_str()
            .is_some_and(|text| text.contains("leg 1") || text.contains("Leg 1")),
        "{digest}"
    );
    let mut expected = found_by_page(&replay);
    for one in [&mut leg, &mut expected] {
        one["entrants"] = Value::Null;
    }
    assert_eq!(leg, expected, "what the page would find");
    // Everybody reads it, wherever, and asking again makes nothing.
    for reader in [&guest, &there(&guest)] {
        assert_eq!(reader.get(&path).await.ok(), told);
    }
    let again = there(&ada).post(&path, json!({})).await;
    assert_eq!(again.status, 200);
    assert_eq!(again.json(), told);
    let store = &kit.app.store;
    let own = store.match_by_id(id).await.expect("there");
    let (key, now) = (own.replay.expect("it has one"), Timestamp::now());
    store.remove_replay(id, &key, now).await.expect("removed");
    guest.get(&path).await.refused(404, "replay-removed");
    let blobs = store.claim_discards(now).await.expect("asked");
    assert!(
        blobs.iter().any(|key| key.starts_with("replays/analyses/")),
        "{blobs:?}"
    );
}

#[tokio::test]
async fn who_may_not_read_the_replay_reads_no_analysis() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let hidden = kit.queued(MatchKind::Experiment, [&one, &two]).await;
    let open = kit.queued(MatchKind::Friendly, [&one, &two]).await;
    let eve = kit.person("eve").await;
    for (reader, id, status) in [
        (&eve, hidden.id, 404),
        (&ada, hidden.id, 404),
        (&eve, open.id, 404),
        (&eve, MatchId(99), 404),
    ] {
        for answer in [
            reader.get(&path_of(id)).await,
            reader.post(&path_of(id), json!({})).await,
        ] {
            assert_eq!(answer.status, status, "{id}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn an_operator_may_have_none() {
    let kit = Kit::changed(|to| to.analyses = 0).await;
    let id = on_ladder(&kit, &played(SEED), SEED).await;
    let eve = kit.person("eve").await;
    refused!(eve.post(&path_of(id), json!({})) => 422, "no-analysis");
    assert_eq!(eve.get(&path_of(id)).await.ok()["state"], "none");
}
