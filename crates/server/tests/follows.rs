//! Whom people follow, and what they are told in the page.

use std::time::Duration;

use axum::body::Body;
use http_body_util::BodyExt;
use leitai_server::schedule::{ScheduleOptions, Scheduler};
use leitai_store::{LadderId, Timestamp};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::contests::{advance, at, play_next, with_entrants};
use crate::kit::{Answer, Kit, Person};

async fn put(person: &Person, path: &str, body: Value) -> Answer {
    person.put(path, body).await
}

async fn follow(person: &Person, target: &str) -> Answer {
    put(person, &format!("/api/me/follows/{target}"), json!({})).await
}

async fn unread(person: &Person) -> u64 {
    let told = person.get("/api/me/notifications/unread").await.ok();
    told["unread"].as_u64().expect("a number")
}

/// What a person is told, newest first.
async fn told(person: &Person) -> Vec<Value> {
    let told = person.get("/api/me/notifications").await.ok();
    told["items"].as_array().expect("a list").clone()
}

/// The next number of unread notifications that the stream tells; sooner than by its own looks,
/// once a minute.
async fn next_unread(stream: &mut Body) -> u64 {
    loop {
        let frame = timeout(Duration::from_secs(40), stream.frame()).await;
        let frame = frame.expect("news wake it").expect("it goes on");
        let frame = frame.expect("the stream is sound");
        let text = String::from_utf8_lossy(frame.data_ref().expect("data")).into_owned();
        let Some(data) = text.strip_prefix("event: unread\ndata: ") else {
            continue; // It only keeps the line alive.
        };
        let told: Value = serde_json::from_str(data).expect("JSON");
        return told["unread"].as_u64().expect("a number");
    }
}

#[tokio::test]
async fn people_follow_bots_and_players_and_see_whom() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("Ada").await, kit.person("bea").await);
    let (root, guest) = (kit.admin().await, kit.guest());
    let bot = kit.bot(&ada, "cutoff").await;
    let own = format!("bots/{}", bot.id);
    follow(&guest, &own).await.refused(401, "login");
    for path in "follows notifications notifications/unread notifications/live".split_whitespace() {
        refused!(guest.get(&format!("/api/me/{path}")) => 401, "login");
    }
    for nobody in ["bots/99", "players/nobody", "contests/none"] {
        follow(&bea, nobody).await.refused(404, "not-found");
    }
    // Twice is once, and names are found in any case.
    for target in [own.as_str(), &own, "players/ADA"] {
        assert_eq!(follow(&bea, target).await.status, 204, "{target}");
    }
    let list = async || bea.get("/api/me/follows").await.ok();
    let bots = json!([{"id": bot.id, "name": "cutoff", "game": "kob"}]);
    assert_eq!(
        list().await,
        json!({"bots": bots, "players": [{"name": "Ada"}], "contests": []})
    );
    let nothing = json!({"bots": [], "players": [], "contests": []});
    assert_eq!(ada.get("/api/me/follows").await.ok(), nothing);

    // Who is locked out is left out, and can be unfollowed.
    let ada_path = format!("/api/admin/users/{}", ada.id.expect("an account"));
    root.post(&ada_path, json!({"disabled": true})).await.ok();
    assert_eq!(list().await["players"], json!([]));
    follow(&bea, "players/ada").await.refused(404, "not-found");
    for target in [own.as_str(), &own, "players/ada"] {
        let path = format!("/api/me/follows/{target}");
        assert_eq!(bea.delete(&path).await.status, 204);
    }
    root.post(&ada_path, json!({"disabled": false})).await.ok();
    assert_eq!(list().await, nothing);
}

#[tokio::test]
async fn followers_are_told_of_versions_and_nobody_reads_for_another() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let bot = kit.bot(&ada, "cutoff").await;
    for person in [&ada, &bea] {
        answers!(follow(person, &format!("bots/{}", bot.id)) => 204);
    }
    // An open page hears of each at once.
    let mut stream = bea.follow("/api/me/notifications/live").await;
    assert_eq!(next_unread(&mut stream).await, 0);
    for number in 1..=3 {
        kit.ready_version(&bot).await;
        assert_eq!(next_unread(&mut stream).await, number);
    }
    assert_eq!((unread(&ada).await, unread(&bea).await), (0, 3));
    let news = told(&bea).await;
    let shown = news.iter().map(|one| {
        let named = (&one["bot"]["name"], &one["bot"]["id"]);
        assert_eq!(named, (&json!("cutoff"), &json!(bot.id)));
        assert_eq!(one["kind"], "bot-version");
        one["version"].as_i64().expect("a number")
    });
    assert_eq!(shown.collect::<Vec<_>>(), [3, 2, 1]);

    let until = json!({"until": news[0]["id"]});
    let all = "/api/me/notifications/read";
    let second = format!("/api/me/notifications/{}/read", news[1]["id"]);
    refused!(put(&kit.guest(), all, until.clone()) => 401, "login");
    for (path, body) in [(all, until.clone()), (&second, json!({}))] {
        assert_eq!(put(&ada, path, body).await.status, 204);
    }
    assert_eq!(unread(&bea).await, 3, "not somebody else's");
    assert_eq!(put(&bea, &second, json!({})).await.status, 204);
    let read: Vec<Value> = told(&bea)
        .await
        .iter()
        .map(|one| one["read"].clone())
        .collect();
    assert_eq!(read, [false, true, false]);
    kit.ready_version(&bot).await;
    assert_eq!(put(&bea, all, until).await.status, 204);
    assert_eq!(unread(&bea).await, 1, "what came later is not read");

    // What was told of a bot goes with it.
    let path = format!("/api/bots/{}", bot.id);
    assert_eq!(ada.delete(&path).await.status, 204);
    assert_eq!(told(&bea).await, [Value::Null; 0]);
}

/// Whoever commits a change tells people of it; if that server is killed in between, the leader does.
#[tokio::test]
async fn people_are_told_what_a_killed_server_did() {
    let mut kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let bot = kit.bot(&ada, "cutoff").await;
    follow(&bea, &format!("bots/{}", bot.id)).await;
    let mut stream = bea.follow("/api/me/notifications/live").await;
    assert_eq!(next_unread(&mut stream).await, 0);
    let lives = kit.app.store.clone();
    kit.app.store = lives.dying_server_for_tests();
    kit.ready_version(&bot).await;
    assert_eq!(unread(&bea).await, 0);
    let options = ScheduleOptions::new("test", 1);
    let mut scheduler = Scheduler::new(kit.app.games.clone(), lives, options);
    for _ in 0..2 {
        ok!(scheduler.create_matches(Timestamp::now()));
        assert_eq!(unread(&bea).await, 1, "once");
    }
    assert_eq!(next_unread(&mut stream).await, 1);
    assert_eq!(told(&bea).await[0]["kind"], "bot-version");
}

#[tokio::test]
async fn players_and_their_followers_are_told_of_a_contest() {
    let kit = Kit::new().await;
    let people = with_entrants(&kit).await;
    let (fan, stranger) = (kit.person("fan").await, kit.person("stranger").await);
    for target in ["players/p0", "players/p4"] {
        assert_eq!(follow(&fan, target).await.status, 204);
    }
    // Who follows the contest and one of its players, or plays in it, is told once.
    let viewer = kit.person("viewer").await;
    for person in [&viewer, &fan, &people[0]] {
        answers!(follow(person, "contests/spring") => 204);
    }
    let list = viewer.get("/api/me/follows").await.ok();
    let followed = &list["contests"][0];
    let named = (&followed["id"], &followed["title"]["zh"]);
    assert_eq!(named, (&json!("spring"), &json!("春季赛")));
    let kinds = async |person: &Person| -> Vec<String> {
        let news = told(person).await;
        let kinds = news.iter().map(|one| one["kind"].as_str().expect("a kind"));
        kinds.map(str::to_owned).collect()
    };
    advance(&kit, at(0)).await;
    advance(&kit, at(0)).await;
    assert_eq!(kinds(&people[0]).await, ["contest-begun"]);
    assert_eq!(kinds(&fan).await, ["followed-plays"]);
    assert_eq!(kinds(&viewer).await, ["followed-begun"]);
    for day in 0..20 {
        advance(&kit, at(day)).await;
        while play_next(&kit).await {
            advance(&kit, at(day)).await;
        }
    }
    assert_eq!(kinds(&people[0]).await, ["contest-ended", "contest-begun"]);
    assert_eq!(kinds(&stranger).await, [""; 0]);
    assert_eq!(kinds(&viewer).await, ["followed-ended", "followed-begun"]);
    assert_eq!(told(&viewer).await[0]["contest"]["id"], "spring");
    let path = "/api/me/follows/contests/spring";
    assert_eq!(viewer.delete(path).await.status, 204);
    let list = viewer.get("/api/me/follows").await.ok();
    assert_eq!(list["contests"], json!([]));
    let result = |news: &Value| {
        let title = (&news["contest"]["id"], &news["contest"]["title"]["zh"]);
        assert_eq!(title, (&json!("spring"), &json!("春季赛")));
        json!([news["bot"]["name"], news["place"], news["player"]])
    };
    // The final is among four.
    for (number, place) in [(0, json!(1)), (1, json!(2)), (5, Value::Null)] {
        let own = &told(&people[number]).await[0];
        assert_eq!(own["kind"], "contest-ended");
        let name = format!("bot{number}");
        assert_eq!(result(own), json!([name, place, null]));
    }
    let news = told(&fan).await;
    assert_eq!(kinds(&fan).await, ["followed-placed", "followed-plays"]);
    assert_eq!(result(&news[0]), json!(["bot0", 1, "p0"]), "the best one");
}

/// The scheduler notes ranks; the worst place of the interval has to be better than ever.
#[tokio::test]
async fn people_are_told_when_a_bot_stands_higher_than_ever() {
    const DAY: u64 = 24 * 3600;
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let (fan, rival) = (kit.person("fan").await, kit.person("rival").await);
    let viper = kit.ready_bot(&ada, "viper").await.0;
    let mut others = Vec::new();
    for name in ["one", "two", "three"] {
        others.push(kit.ready_bot(&rival, name).await.0);
    }
    for (person, target) in [
        (&bea, format!("bots/{}", viper.id)),
        (&fan, "players/ada".to_owned()),
    ] {
        assert_eq!(follow(person, &target).await.status, 204, "{target}");
    }
    // Where a bot begins is noted before the scheduler queues matches.
    let kob = LadderId::standard("kob");
    let begun = kit.app.store.update_best_ranks(&kob, Timestamp::now());
    assert_eq!(begun.await.expect("noted"), 0);
    for _ in 0..8 {
        for other in &others {
            kit.ladder_match([&viper, other]).await;
        }
    }
    let options = ScheduleOptions::new("test", 1);
    let mut scheduler = Scheduler::new(kit.app.games.clone(), kit.app.store.clone(), options);
    let mut schedule = async |seconds: u64| {
        let at = Timestamp::now().after(Duration::from_secs(seconds));
        scheduler.create_matches(at).await.expect("it schedules")
    };
    schedule(3600).await;
    assert_eq!(unread(&ada).await, 0, "not on the first day");
    let mut stream = fan.follow("/api/me/notifications/live").await;
    assert_eq!(next_unread(&mut stream).await, 0);
    for day in [1, 3] {
        schedule(day * DAY + 60).await;
        for person in [&ada, &bea, &fan] {
            let news = told(person).await;
            assert_eq!(news.len(), 1, "once, on day {day}");
            let news = (&news[0]["kind"], &news[0]["bot"]["name"], &news[0]["place"]);
            assert_eq!(news, (&json!("best-rank"), &json!("viper"), &json!(1)));
            assert_eq!(unread(person).await, 1);
        }
        if day == 1 {
            assert_eq!(next_unread(&mut stream).await, 1);
        }
        let others = told(&rival).await;
        let best = others.iter().find(|one| one["kind"] == "best-rank");
        assert_eq!(best, None, "whose bots lost");
    }
    let rank = ada.get(&format!("/api/bots/{}", viper.id)).await.ok()["rank"].clone();
    assert_eq!(rank, json!([1, 1]));
}
