//! Position books of experiments and candidates: sent, kept, played from, exported and removed.

use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;

use leitai_game::replay::ForcedRecord;
use leitai_game::{ByEntrant, GameHandle};
use leitai_judge::driver::{MatchSpec, play_match};
use leitai_judge::{NoHumans, Player, PlayerKind};
use leitai_series::book::{Book, BookMaker, BookRules};
use leitai_server::experiments::advance::ExperimentRunner;
use leitai_server::work::books::limits_with_book;
use leitai_store::{
    BlobKey, DeletionRequest, ExperimentId, ExperimentState, JobKind, MatchState, NewExperiment,
    StoredBook, Timestamp, WorkerOffer,
};
use serde_json::{Value, json};

use crate::experiments::{begin_against, play_to_its_end, recount};
use crate::kit::Kit;
use crate::worker_kit::{By, FIRST_LEGAL, WorkerKit, kob};

/// A book of positions that built-in bots of King of Bots reached.
fn made_book(rounds: RangeInclusive<u32>) -> String {
    let game = GameHandle::from(kob()[0]);
    let rules = BookRules {
        rounds,
        least_games: 1,
        balance: None,
        by_results: true,
        budget: None,
        most: 12,
        is_even: true,
    };
    let mut maker = BookMaker::new(&game, &rules).expect("a book");
    for seed in 1..=3 {
        let player = |name: &str| Player {
            name: name.to_owned(),
            kind: PlayerKind::BuiltIn(name.to_owned()),
        };
        let players = ByEntrant::new(player("space"), player("safe"));
        let config = game.read_config(&Value::Null).expect("the usual one");
        let spec = MatchSpec::new(&game, config, seed, players).expect("a match");
        let played = play_match(&spec, &mut NoHumans, &mut (), &AtomicBool::new(false));
        let played = played.expect("it is played");
        maker.add_replay(&played.replay).expect("it verifies");
    }
    let made = maker.finish(&|| false).expect("a book");
    made.expect("nobody stopped it").0
}

#[tokio::test]
async fn a_book_is_checked_kept_and_exported_with_its_experiment() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let (bot, _) = kit.ready_bot(&ada, "climber").await;
    kit.ready_version(&bot).await;
    let book = made_book(3..=5);
    let (head, lines) = book.split_once('\n').expect("a head");
    let first = lines.lines().next().expect("a position");
    let start = |book: &str| json!({"bot": bot.id, "version": 1, "book": book});
    let mut spoiled: Value = serde_json::from_str(first).expect("JSON");
    spoiled["setup"]["rows"] = json!(99);
    for (text, part) in [
        (String::new(), "no head of a book"),
        (head.to_owned(), "has 0 positions; it may have 1 to 2000"),
        (
            format!("{head}\n{first}\n{first}\n"),
            "position 2 of the book: it is position 1 again",
        ),
        (format!("{head}\n{spoiled}\n"), "position 1"),
        (book.replacen("kob", "snakego", 1), "it is a book of"),
        ("x".repeat(5 << 20), "an arena takes at most 4194304"),
    ] {
        let said = ada.post("/api/experiments", start(&text)).await;
        said.refused(422, "bad-book");
        assert!(said.text().contains(part), "{part}: {}", said.text());
    }
    let mut both = start(&book);
    both["config"] = json!({});
    refused!(ada.post("/api/experiments", both) => 422, "bad-book");

    let own = created!(ada.post("/api/experiments", start(&book)));
    let positions = lines.lines().count();
    assert_eq!(own["book"]["positions"], positions);
    let path = format!("/api/experiments/{}", own["id"]);
    let file = ada.get(&format!("{path}/export?form=book")).await;
    assert_eq!(file.text(), book, "as it was sent");
    refused!(bea.get(&format!("{path}/export?form=book")) => 404, "not-found");
    let whole = ada.get(&format!("{path}/export")).await.ok();
    assert_eq!(whole["book"], book.as_str());

    // Its matches name it, and no worker of before gets them.
    let id = ExperimentId(own["id"].as_i64().expect("an id"));
    let (store, games) = (&kit.app.store, kit.app.games.clone());
    let mut runner = ExperimentRunner::default();
    ok!(runner.advance(&games, store, 1, Timestamp::now()));
    let matches = ok!(store.experiment_matches(id, 0));
    assert!(matches.len() > 1, "{matches:?}");
    let hash = own["book"]["hash"].as_str().expect("a hash");
    for one in &matches {
        let shown = ada.get(&format!("/api/matches/{}", one.id)).await.ok();
        has!(shown, {"book": hash, "limits": null, "config": {}});
        assert_eq!(
            ok!(store.match_by_id(one.id)).limits,
            limits_with_book(hash)
        );
    }
    let offer = |wire: i32| WorkerOffer {
        worker: "test".to_owned(),
        kinds: vec![JobKind::Match],
        games: Vec::new(),
        programs: true,
        wire,
    };
    let lease = std::time::Duration::from_secs(60);
    assert!(ok!(store.lease_job(&offer(6), Timestamp::now(), lease)).is_none());
    assert!(ok!(store.lease_job(&offer(7), Timestamp::now(), lease)).is_some());

    // What nobody names any more goes.
    let deletion = DeletionRequest {
        by: None,
        at: Timestamp::now(),
    };
    let later = Timestamp::now().after(std::time::Duration::from_secs(7200));
    let key = BlobKey::of_book(hash).to_string();
    assert!(!ok!(store.claim_discards(later)).contains(&key));
    ok!(store.delete_bot(bot.id, deletion));
    assert!(ok!(store.claim_discards(later)).contains(&key));
}

#[tokio::test]
async fn candidates_start_from_the_book_of_their_lane() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let (bot, _) = kit.ready_bot(&ada, "climber").await;
    let path = format!("/api/bots/{}/lane", bot.id);
    let book = made_book(3..=3);
    let set = async |book: Option<&str>| {
        let mut wanted = json!({"lane": "automatic"});
        if let Some(book) = book {
            wanted["book"] = json!(book);
        }
        ada.put(&path, wanted).await
    };
    set(Some("{}")).await.refused(422, "bad-book");
    let lane = set(Some(&book)).await.ok();
    assert_eq!(lane["book"]["positions"], book.lines().count() - 1);
    assert_eq!(set(None).await.ok()["book"], lane["book"], "as it was");
    kit.ready_version(&bot).await;
    let listed = ada.get("/api/experiments").await.ok();
    assert_eq!(listed["items"][0]["book"], lane["book"]);
    assert_eq!(set(Some("")).await.ok()["book"], Value::Null);
}

#[test]
fn both_games_of_a_pair_start_from_the_position_that_its_seed_draws() {
    let worker_kit = WorkerKit::of_games(kob());
    let (bot, version) = worker_kit.upload("kob", "climber", "bot.py", FIRST_LEGAL);
    worker_kit.work_until(By::Process, || worker_kit.is_checked(&version));
    let text = made_book(3..=6);
    let book = Book::read_checked(&text).expect("a book");
    let key = BlobKey::of_book("feed");
    let put = worker_kit.app.blobs.put_blob(&key, text.into_bytes());
    worker_kit.ok(put);
    let own = begin_against(&worker_kit, "random", |new| NewExperiment {
        tested: (bot.id, version.id),
        book: Some(StoredBook {
            hash: "feed".to_owned(),
            positions: book.positions.len() as i32,
        }),
        ..new
    });
    // Its replays are verified: they come over HTTP.
    let ended = play_to_its_end(&worker_kit, &own, By::Http);
    assert_ne!(ended.state, ExperimentState::Failed, "{ended:?}");
    let counted = recount(&worker_kit, &ended);
    assert_eq!(counted.outcome(), Some(ended.state));
    assert_eq!(counted.result.to_json()["void"], json!([]));
    let store = &worker_kit.app.store;
    let matches = worker_kit.wait_for(store.experiment_matches(own.id, 0));
    let mut seen = Vec::new();
    for one in matches.expect("listed") {
        if one.state != MatchState::Finished {
            continue;
        }
        let played = worker_kit.read(one.id);
        let replay = worker_kit.replay(&played);
        let at = book.draw_index(counted.seed_of(one.place.pair));
        let position = &book.positions[at];
        let forced = ForcedRecord {
            leg: 1,
            round: position.round,
            each_leg: true,
        };
        assert_eq!(replay.forced, Some(forced));
        assert_eq!(replay.setup, position.setup);
        assert_eq!(replay.config, position.config);
        assert_eq!(replay.legs.len(), if one.place.part == 0 { 2 } else { 1 });
        for leg in &replay.legs {
            assert!(leg.replies.starts_with(&position.replies), "{at}: {leg:?}");
        }
        seen.push(at);
    }
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() > 2, "{seen:?}");
}
