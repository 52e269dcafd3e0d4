//! Matches, replays, logs.

use crate::kit;
use crate::kit::each;

use kit::{Kit, says};
use leitai_game::Replay;
use leitai_game::replay::verify_replay;
use leitai_server::signatures::check_signature;
use leitai_store::MatchKind;
use serde_json::{Value, json};

#[tokio::test]
async fn matches_are_listed_and_filtered() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let waits = kit.queued(MatchKind::Friendly, [&two, &one]).await;
    for (query, expected) in [
        ("", vec![waits.id.0, done.id.0]),
        ("?game=kob", vec![waits.id.0, done.id.0]),
        ("?game=snakego", vec![]),
        ("?kind=ladder", vec![done.id.0]),
        ("?state=queued", vec![waits.id.0]),
        ("?bot=1&state=finished", vec![done.id.0]),
        ("?bot=99", vec![]),
        ("?limit=1", vec![waits.id.0]),
    ] {
        let list = kit.guest().get(&format!("/api/matches{query}")).await.ok();
        let ids = each(&list["items"], "id");
        assert_eq!(ids, expected, "{query}");
    }
    refused!(kit.guest().get("/api/matches?game=chess") => 404, "not-found");
    refused!(kit.guest().get("/api/matches?state=odd") => 400, "bad-query");
    let brief = &kit.guest().get("/api/matches?state=finished").await.ok()["items"][0];
    for (key, expected) in [
        ("winner", json!("a")),
        ("scores", json!([[1, 0], [1, 0]])),
        ("faults", json!([{"entrant": "b", "code": "RE"}])),
    ] {
        assert_eq!(brief[key], expected, "{key}");
    }
    let entrant = json!({"kind": "bot", "name": "one", "bot": one.id, "version": 1, "user": "ada", "built_in": false,
        "deleted": false});
    assert_eq!(brief["a"], entrant);
    assert!(
        brief["rating_change"]["a"]
            .as_f64()
            .is_some_and(|change| change > 0.0),
        "{brief}"
    );
}

#[tokio::test]
async fn a_match_is_shown_as_its_viewer_may_see_it() {
    let kit = Kit::new().await;
    let [ada, bob] = kit.people(["ada", "bob"]).await;
    let root = kit.admin().await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&bob, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let path = format!("/api/matches/{}", done.id);
    for (person, your, worker) in [
        (&kit.guest(), Value::Null, Value::Null),
        (&ada, json!("a"), Value::Null),
        (&bob, json!("b"), Value::Null),
        (&root, Value::Null, json!("test")),
    ] {
        let shown = person.get(&path).await.ok();
        assert_eq!((&shown["your"], &shown["worker"]), (&your, &worker));
        has!(shown, {"seed": 7, "/files/replay": format!("{path}/replay")});
    }
    let paths = "/api/matches/99 /api/matches/x /api/matches/99/replay /api/matches/99/logs";
    for path in paths.split_whitespace() {
        kit.guest().get(path).await.refused(404, "not-found");
    }
    let waits = kit.queued(MatchKind::Friendly, [&one, &two]).await;
    refused!(kit.guest().get(&format!("/api/matches/{}/replay", waits.id)) => 404, "not-found");
}

/// Where a replay may be changed without harm to its signature.
fn accepted_changes(replay: &Value) -> Vec<String> {
    let mut places = vec![String::new()];
    let mut accepted = Vec::new();
    while let Some(place) = places.pop() {
        let at = |key: &str| format!("{place}/{key}");
        match replay.pointer(&place).expect("a place") {
            Value::Object(fields) => places.extend(fields.keys().map(|key| at(key))),
            Value::Array(items) => {
                places.extend((0..items.len()).map(|item| at(&item.to_string())))
            }
            leaf => {
                let mut changed = replay.clone();
                let other = match leaf {
                    Value::String(text) => json!(format!("{text}0")),
                    Value::Number(number) => json!(number.as_f64().map(|number| number + 1.0)),
                    _ => json!("else"),
                };
                *changed.pointer_mut(&place).expect("a place") = other;
                if check_signature(&changed).is_ok() {
                    accepted.push(place);
                }
            }
        }
    }
    accepted
}

#[tokio::test]
async fn replays_contain_the_output_of_a_bot_only_for_its_author() {
    let kit = Kit::new().await;
    let [ada, bob, eve] = kit.people(["ada", "bob", "eve"]).await;
    let root = kit.admin().await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&bob, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let path = format!("/api/matches/{}", done.id);
    for (name, person, a, b) in [
        ("guest", &kit.guest(), false, false),
        ("eve", &eve, false, false),
        ("ada", &ada, true, false),
        ("bob", &bob, false, true),
        ("root", &root, true, true),
    ] {
        let answer = person.get(&format!("{path}/replay")).await;
        says(
            answer.header("content-disposition"),
            &[&format!("kob-{}.json", done.id)],
        );
        assert!(answer.header("cache-control").contains("private"));
        let text = answer.text();
        for (entrant, may) in [("a", a), ("b", b)] {
            assert_eq!(
                text.contains(&format!("secret of {entrant}")),
                may,
                "{name} reads the log of {entrant}"
            );
            assert_eq!(
                text.contains(&format!("secret words of {entrant}")),
                may,
                "{name} reads last words of {entrant}"
            );
        }
        assert_eq!(
            text.matches("5ec3e7").count(),
            usize::from(a) + usize::from(b),
            "{name}"
        );
        let replay = Replay::parse(&text).expect("a replay");
        let game = leitai_games::find_game("kob").expect("a built-in game");
        let verified = verify_replay(game, &replay).expect("it can be played");
        assert!(verified.is_ok(), "{name}: {verified:?}");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let signature = check_signature(&value).expect("unchanged");
        let signature = signature.expect("signed");
        let keys = kit.guest().get("/api/signing-keys").await.ok();
        assert_eq!(keys["items"][0]["key"], signature.key, "{name}");
        assert_eq!(signature.match_id, done.id.0);
        assert_eq!(accepted_changes(&value), Vec::<String>::new());

        let logs = person.get(&format!("{path}/logs?leg=1")).await.ok();
        let reported = each(&logs, "entrant");
        let expected: Vec<&str> = [("a", a), ("b", b)]
            .into_iter()
            .filter(|(_, may)| *may)
            .map(|(who, _)| who)
            .collect();
        assert_eq!(reported, expected, "{name}");
    }
    for leg in ["0", "9"] {
        refused!(ada.get(&format!("{path}/logs?leg={leg}")) => 404, "not-found");
    }
    refused!(ada.get(&format!("{path}/logs?leg=x")) => 400, "bad-query");
}

#[tokio::test]
async fn every_listed_choice_of_a_game_is_accepted() {
    let snakego = leitai_games::find_game("snakego").expect("a built-in game");
    let ladder = snakego
        .read_config(&json!({"max_round": 64}))
        .expect("a sound config");
    let ladders = leitai_server::ladders::LadderOptions {
        standard: [("snakego".to_owned(), ladder)].into(),
        ..Default::default()
    };
    let kit = Kit::changed(|to| to.ladders = ladders).await;
    for game in leitai_games::ALL {
        let id = game.meta().id;
        let about = kit.guest().get(&format!("/api/games/{id}")).await.ok();
        let choices = about["config_options"].as_array().expect("a list");
        assert!(choices.len() >= 3, "{id}: {choices:?}");
        let rounds = about["ladder_config"]["max_round"].as_u64();
        assert_eq!(rounds, (id == "snakego").then_some(64), "{id}");
        for choice in choices {
            let key = choice["key"].as_str().expect("a key");
            assert!(about["config"].get(key).is_some(), "{id} has no {key}");
            for word in ["en", "zh"] {
                assert!(
                    !choice["title"][word]
                        .as_str()
                        .unwrap_or_default()
                        .is_empty(),
                    "{id} {key} {word}"
                );
            }
            let values = match choice["kind"].as_str() {
                Some("number") => vec![choice["least"].clone(), choice["most"].clone()],
                Some("word") => {
                    let values = choice["values"].as_array().expect("a list").iter();
                    values.map(|value| value["value"].clone()).collect()
                }
                _ => vec![json!(true), json!(false)],
            };
            for value in values {
                let config = game.read_config(&json!({key: value}));
                let config = config.unwrap_or_else(|error| panic!("{id} {key}={value}: {error}"));
                for seed in 0..8 {
                    game.deal_setup(&config, seed)
                        .unwrap_or_else(|error| panic!("{id} {key}={value}: {error}"));
                }
            }
        }
    }
}

#[tokio::test]
async fn a_fault_is_described_in_both_languages() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    // The text in a replay is English, whichever version wrote it.
    let details = get!(kit.guest(), "/api/matches/{}/frames", done.id);
    has!(details, {"/faults/0/what": {"en": "crashed", "zh": "崩溃了"}});
}

#[tokio::test]
async fn links_to_matches_bots_and_games_have_previews() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let [one, two] = kit.ready_bots([(&ada, "one"), (&bob, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let waits = kit.queued(MatchKind::Friendly, [&one, &two]).await;
    let guest = kit.guest();
    let (match_page, bot_page) = (format!("/matches/{}", done.id), format!("/bots/{}", one.id));
    let picture = format!("/api/matches/{}/picture", done.id);
    for (path, title, has_picture) in [
        (match_page.as_str(), "one – two · King of Bots", true),
        (
            &format!("/embed{match_page}"),
            "one – two · King of Bots",
            true,
        ),
        (
            &format!("/matches/{}", waits.id),
            "one – two · King of Bots",
            false,
        ),
        (&bot_page, "one · King of Bots", true),
        ("/games/kob", "King of Bots · Leitai 擂台", true),
        ("/games/kob/ladder", "King of Bots · Leitai 擂台", true),
        ("/games/snakego", "SnakeGo · Leitai 擂台", false),
    ] {
        let page = guest.get(path).await;
        let text = page.text();
        assert!(
            text.contains(&format!("\"og:title\" content=\"{title}\"")),
            "{path}: {text}"
        );
        assert_eq!(text.contains(&picture), has_picture, "{path}: {text}");
        assert!(page.header("vary").contains("accept-language"), "{path}");
    }
    let shown = guest.get(&picture).await;
    assert_eq!(shown.header("content-type"), "image/png");
    assert!(shown.bytes.starts_with(b"\x89PNG"));
    for path in [
        &format!("/api/matches/{}/picture", waits.id),
        "/api/matches/99/picture",
    ] {
        guest.get(path).await.refused(404, "not-found");
    }
}

#[tokio::test]
async fn other_sites_learn_how_to_embed_a_match() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let [one, two] = kit.ready_bots([(&ada, "one"), (&bob, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let guest = kit.guest();
    let page = guest.get(&format!("/matches/{}", done.id)).await.text();
    let address = page.split("application/json+oembed\" href=\"").nth(1);
    let address = address
        .and_then(|rest| rest.split('"').next())
        .expect("the page names it");
    let path = &address[address.find("/api/").expect("an API path")..];
    let told = get!(guest, "{path}&maxwidth=320&maxheight=99999");
    has!(told, {"version": "1.0", "type": "rich"});
    has!(told, {"width": 320, "height": 600});
    let html = told["html"].as_str().unwrap_or_default();
    says(html, &[&format!("/embed/matches/{}\"", done.id)]);
    let foreign = "/api/oembed?url=http://evil.example/matches/1";
    guest.get(foreign).await.refused(404, "not-found");
    refused!(guest.get(&format!("{path}&format=xml")) => 501, "unknown-format");
}

#[tokio::test]
async fn the_author_of_a_bot_plays_on_from_a_moment() {
    let kit = Kit::new().await;
    let [ada, bob, eve] = kit.people(["ada", "bob", "eve"]).await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&bob, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let path = format!("/api/matches/{}/continue", done.id);
    let moment = json!({"leg": 1, "round": 1});
    refused!(kit.guest().post(&path, moment.clone()) => 401, "login");
    refused!(eve.post(&path, moment.clone()) => 403, "not-yours");
    for wrong in [
        json!({"leg": 1, "round": 0}),
        json!({"leg": 1, "round": 99_999}),
        json!({"leg": 9, "round": 1}),
    ] {
        ada.post(&path, wrong).await.refused(422, "bad-moment");
    }
    // Either author.
    for author in [&ada, &bob] {
        let made = author.post(&path, moment.clone()).await.ok();
        assert_eq!(made["kind"], "friendly");
        let shown = get!(author, "/api/matches/{}", made["id"]);
        has!(shown, {"continued": {"match": done.id.0, "leg": 1, "round": 1}, "limits": null,
            "seed": done.seed.get()});
    }
    let waits = kit.queued(MatchKind::Friendly, [&one, &two]).await;
    refused!(ada.post(&format!("/api/matches/{}/continue", waits.id), moment) => 404, "not-found");
}

#[tokio::test]
async fn results_come_as_a_feed() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let [one, two, other] = kit
        .ready_bots([(&ada, "one"), (&bob, "two"), (&bob, "other")])
        .await;
    let empty = kit.guest().get("/api/feeds/results").await;
    assert!(empty.text().contains("<updated>1970-"), "{}", empty.text());
    let done = kit.ladder_match([&one, &two]).await;
    kit.queued(MatchKind::Ladder, [&one, &two]).await;
    let of = async |query: &str| kit.guest().get(&format!("/api/feeds/results{query}")).await;
    let feed = of(&format!("?bot={}", one.id)).await;
    assert_eq!(
        feed.header("content-type"),
        "application/atom+xml; charset=utf-8"
    );
    let text = feed.text();
    assert_eq!(text.matches("<entry>").count(), 1, "{text}");
    for part in [
        "<title>one: results</title>",
        "<title>one – two · King of Bots</title>",
        "<summary>one won, by games won.</summary>",
        &format!("<id>http://arena.test/matches/{}</id>", done.id),
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(of("?game=kob").await.text().matches("<entry>").count(), 1);
    for query in ["?game=snakego", &format!("?bot={}", other.id)] {
        assert!(!of(query).await.text().contains("<entry>"), "{query}");
    }
    of("?game=chess").await.refused(404, "not-found");
    of("?bot=99").await.refused(404, "not-found");
}
