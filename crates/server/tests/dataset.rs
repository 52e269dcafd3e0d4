//! The dataset of an arena: what belongs to it, and what a run after another does.

use std::fs;
use std::io::Read;
use std::path::Path;

use leitai_game::Replay;
use leitai_server::contests::rules::{publish_contest, read_new_rules};
use leitai_server::dataset::{DatasetError, DatasetIndex, DatasetRequest, write_dataset};
use leitai_store::{Bot, MatchEntrant, MatchKind, MatchTags, NewMatch, Timestamp};
use serde_json::{Value, json};

use crate::contests::{advance, at, play_next};
use crate::kit::{Kit, Person, by_operator, says_but_not};

const DAY: i64 = 86_400_000;

fn request(folder: &Path, now: Timestamp) -> DatasetRequest {
    DatasetRequest {
        folder: folder.to_owned(),
        game: None,
        again: false,
        today: false,
        now,
    }
}

/// Writes the dataset; returns its index and the days that were written.
async fn write(kit: &Kit, request: &DatasetRequest) -> (DatasetIndex, Vec<String>) {
    let mut days = Vec::new();
    let told = |name: &str, _: &_| days.push(name.to_owned());
    let done = write_dataset(&kit.app.storage(), &kit.app.games, request, told).await;
    (done.expect("it is written"), days)
}

fn entry(archive: &Path, name: &str) -> String {
    let file = fs::File::open(archive).expect("the archive");
    let mut zip = zip::ZipArchive::new(file).expect("a zip");
    let (mut text, mut file) = (String::new(), zip.by_name(name).expect(name));
    file.read_to_string(&mut text).expect("UTF-8");
    text
}

fn rows(archive: &Path) -> Vec<Value> {
    let text = entry(archive, "matches.jsonl");
    let read = |line: &str| serde_json::from_str(line).expect("a row");
    text.lines().map(read).collect()
}

/// A contest of two bots that is over on its first day.
async fn contest(kit: &Kit, entrants: &[(Person, Bot)], name: &str, dataset: &str) {
    let file = format!(
        r#"
id = "{name}"
game = "kob"
time-zone = "UTC"
title = {{ en = "Cup", zh = "杯赛" }}
[entry]
who = "everybody"
[dates]
opens = 2025-01-01T00:00:00
freezes = 2035-01-01T00:00:00
[visibility]
standings = "end"
dataset = "{dataset}"
[[stage]]
name = "All"
format = "round-robin"
"#
    );
    let by = by_operator(Timestamp::now());
    let rules = read_new_rules(&kit.app.games, &file).expect("it is sound");
    ok!(publish_contest(
        &kit.app.store,
        &rules,
        (file, Vec::new()),
        Some(7),
        by
    ));
    for (person, bot) in entrants {
        let body = json!({"bot": bot.id});
        answers!(person.post(&format!("/api/contests/{name}/join"), body) => 201);
    }
}

#[tokio::test]
async fn a_dataset_has_what_everybody_may_read() {
    let kit = Kit::new().await;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let now = Timestamp::now();
    let tomorrow = Timestamp(now.0 + DAY);
    let (index, days) = write(&kit, &request(folder, tomorrow)).await;
    assert_eq!((index.days.len(), days.len()), (0, 0), "nothing was played");

    let mut entrants = Vec::new();
    for name in ["ann", "bob"] {
        let person = kit.person(name).await;
        let (bot, _) = kit.ready_bot(&person, &format!("bot-of-{name}")).await;
        entrants.push((person, bot));
    }
    let (first, second) = (&entrants[0], &entrants[1]);
    let ladder = kit.ladder_match([&first.1, &second.1]).await;
    let tags = MatchTags::parse(["late game"]).expect("a tag");
    ok!(kit.app.store.set_match_tags(ladder.id, &tags, None, now));
    // One with a person is nobody's data.
    let pair = [
        MatchEntrant::human_entrant("guest", None),
        ladder.b.clone().expect("a bot"),
    ];
    let own = NewMatch::new("kob", MatchKind::Human, pair.map(Some).into(), 7.into(), 1);
    kit.app.store.create_match(own, now).await.expect("made");
    // Two contests: one whose organiser consents, one without.
    contest(&kit, &entrants, "open-cup", "end").await;
    contest(&kit, &entrants, "shut-cup", "never").await;
    for _ in 0..4 {
        advance(&kit, at(0)).await;
    }
    while play_next(&kit).await {}

    // The day is not over.
    let (_, days) = write(&kit, &request(folder, Timestamp::now())).await;
    assert_eq!(days, Vec::<String>::new());
    let today = DatasetRequest {
        today: true,
        ..request(folder, Timestamp::now())
    };
    let (index, days) = write(&kit, &today).await;
    let name = &days[0];
    let day = &index.days[name];
    let archive = folder.join(day.file.as_ref().expect("there were matches"));
    assert!(
        day.partial && day.withheld > 0,
        "{day:?}: the contest is not over"
    );
    assert_eq!((day.matches, day.replays), (1, 1));

    // The contest ends; the next run writes the day again, the one after it does not.
    for _ in 0..4 {
        advance(&kit, at(1)).await;
    }
    let state = first.0.get("/api/contests/open-cup").await.ok();
    assert_eq!(state["state"], "finished", "{state}");
    let (index, days) = write(&kit, &request(folder, at(2))).await;
    assert!(days.contains(name), "{days:?}");
    let day = &index.days[name];
    fields!(day, {partial: false, withheld: 0, replays: 2});
    let found = rows(&archive);
    assert_eq!(found.len() as u64, day.matches);
    let kinds: Vec<&str> = found
        .iter()
        .filter_map(|row| row["kind"].as_str())
        .collect();
    assert!(
        kinds.contains(&"contest") && kinds.contains(&"ladder"),
        "{kinds:?}"
    );
    assert!(!kinds.contains(&"human"));
    let contests = kinds.iter().filter(|kind| **kind == "contest").count();
    assert_eq!(
        contests, 1,
        "those of the contest that did not consent are left out"
    );
    let row = found
        .iter()
        .find(|row| row["kind"] == "ladder")
        .expect("it was played");
    has!(row, {"id": ladder.id, "/a/name": "bot-of-ann", "ladder": "standard",
        "tags": ["late-game"]});
    let replay = entry(&archive, row["replay"].as_str().expect("there is one"));
    says_but_not(&replay, &[], &["secret", "5ec3e7"]);
    Replay::parse(&replay).expect("a replay");
    assert!(entry(&archive, "dataset.json").contains("leitai-dataset/1"));
    let bytes = fs::read(&archive).expect("it is there");
    assert_eq!(day.bytes, bytes.len() as u64);
    let (_, days) = write(&kit, &request(folder, at(2))).await;
    assert_eq!(days, Vec::<String>::new(), "everything is there");
    let again = DatasetRequest {
        again: true,
        ..request(folder, at(2))
    };
    write(&kit, &again).await;
    assert_eq!(
        fs::read(&archive).expect("it is there"),
        bytes,
        "the same bytes"
    );

    let other = DatasetRequest {
        game: Some("kob".to_owned()),
        ..request(folder, at(2))
    };
    let storage = kit.app.storage();
    let refused = write_dataset(&storage, &kit.app.games, &other, |_, _| ()).await;
    fits!(refused => Err(DatasetError::OtherGame { .. }));
    fs::write(folder.join("index.json"), "{}").expect("there is room");
    let refused = write_dataset(&storage, &kit.app.games, &today, |_, _| ()).await;
    let message = refused.expect_err("it is no index").to_string();
    assert!(message.contains("choose another folder"), "{message}");
}
