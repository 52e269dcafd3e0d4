//! Contests that a group's organisers publish, co-organisers, and what versions a contest takes.

use leitai_server::config::Limits;
use leitai_server::contests::rules::{publish_contest, read_new_rules};
use leitai_store::Timestamp;
use serde_json::{Value, json};

use crate::contests::{advance, at, play_next, readable_addresses, telling_addresses};
use crate::kit::{Kit, Person, by_operator, says};

const FILE: &str = r#"
id = "class-cup"
game = "kob"
time-zone = "UTC"
title = "Class cup"

[entry]
who = "group"
group = "AI 2026"

[dates]
opens = 2025-01-01T00:00:00
freezes = 2035-01-01T00:00:00

[visibility]
standings = "end"

[[stage]]
name = "All"
format = "round-robin"
"#;

fn file(words: &[(&str, &str)]) -> Value {
    let mut file = FILE.to_owned();
    for (from, to) in words {
        assert!(file.contains(from), "{from}");
        file = file.replace(from, to);
    }
    json!({"file": file})
}

/// The group "AI 2026": its organiser, so many members, and the administrator.
async fn with_group(kit: &Kit, members: usize) -> (Person, Vec<Person>, Person) {
    let root = kit.admin().await;
    let teacher = kit.person("teacher").await;
    let new = json!({"name": "AI 2026", "organiser": "teacher"});
    let made = root.post("/api/groups", new).await.ok();
    let path = format!("/api/groups/{}/members", made["id"]);
    let (mut people, mut csv) = (Vec::new(), String::new());
    for number in 0..members {
        people.push(kit.person(&format!("p{number}")).await);
        csv += &format!("p{number}\n");
    }
    if members > 0 {
        teacher.post(&path, json!({"csv": csv})).await.ok();
        let asked = format!("/api/me/invitations/{}", made["id"]);
        for person in &people {
            person.post(&asked, json!({})).await.ok();
        }
    }
    (teacher, people, root)
}

async fn shown(person: &Person) -> Value {
    person.get("/api/contests/class-cup").await.ok()
}

#[tokio::test]
async fn a_groups_organiser_publishes_and_runs_its_contest() {
    let kit = Kit::new().await;
    let (teacher, people, root) = with_group(&kit, 3).await;
    let stranger = kit.person("stranger").await;
    for person in [&stranger, &people[0]] {
        refused!(person.post("/api/contests", file(&[])) => 403, "not-organiser");
    }
    let open = [(
        "who = \"group\"\ngroup = \"AI 2026\"",
        "who = \"everybody\"",
    )];
    refused!(teacher.post("/api/contests", file(&open)) => 403, "not-organiser");
    // Up to 1,000 entrants, each against each.
    refused!(teacher.post("/api/contests", file(&[])) => 422, "too-many-matches");
    let fits = ("group = \"AI 2026\"", "group = \"AI 2026\"\nmost = 9");
    answers!(teacher.post("/api/contests", file(&[fits])) => 201);

    for person in &people {
        let (bot, _) = kit
            .ready_bot(person, &format!("bot-{}", person.id.expect("one")))
            .await;
        answers!(person.post("/api/contests/class-cup/join", json!({"bot": bot.id})) => 201);
    }
    // Only its organisers see what is hidden, and act.
    advance(&kit, at(0)).await;
    while play_next(&kit).await {
        advance(&kit, at(0)).await;
        let (told, hidden) = (shown(&teacher).await, shown(&people[0]).await);
        assert_eq!(
            (&told["organises"], &hidden["organises"]),
            (&json!(true), &json!(false))
        );
        assert!(told["file"].is_string() && hidden["file"].is_null());
        if told["state"] == "running" {
            assert_eq!(hidden["stages"][0]["standings"], Value::Null);
            let played = &told["stages"][0]["encounters"][0]["matches"][0]["id"];
            let path = format!("/api/matches/{played}/replay");
            people[0].get(&path).await.refused(403, "contest-hidden");
            assert_eq!(teacher.get(&path).await.status, 200);
            let why = json!({"why": "the hall is closed"});
            refused!(people[0].post("/api/contests/class-cup/annul", why) => 403, "not-organiser");
            let hooks = "/api/contests/class-cup/webhooks";
            assert_eq!(teacher.get(hooks).await.status, 200);
            assert_eq!(people[0].get(hooks).await.status, 403);
            answers!(teacher.post("/api/contests/class-cup/pause", json!({})) => 204);
            answers!(teacher.post("/api/contests/class-cup/resume", json!({})) => 204);
        }
    }
    assert_eq!(shown(&stranger).await["state"], "finished");
    answers!(teacher.get("/api/contests/class-cup/export") => 200);
    refused!(stranger.get("/api/contests/class-cup/export") => 403, "not-organiser");
    let audit = root.get("/api/admin/audit").await.text();
    says(&audit, &["contest.pause", "teacher"]);
}

#[tokio::test]
async fn an_organiser_widens_nothing_and_publishes_no_more_than_the_arena_allows() {
    let limits = Limits {
        group_contests: 1,
        ..Limits::default()
    };
    let kit = Kit::changed(|to| to.limits = limits).await;
    let (teacher, people, _) = with_group(&kit, 1).await;
    let named = (
        "title = \"Class cup\"",
        "title = \"Class cup\"\norganisers = [\"P0\"]",
    );
    let few = ("group = \"AI 2026\"", "group = \"AI 2026\"\nmost = 9");
    let nobody = ("[\"P0\"]", "[\"nobody\"]");
    let refused = teacher
        .post("/api/contests", file(&[named, nobody, few]))
        .await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    says(&refused.text(), &["no account \\\"nobody\\\""]);
    answers!(teacher.post("/api/contests", file(&[named, few])) => 201);
    let other = file(&[("class-cup", "second-cup"), few]);
    refused!(teacher.post("/api/contests", other.clone()) => 409, "group-contests");
    // The second organiser, named in another case, changes texts and dates, and opens it to nobody.
    let path = "/api/contests/class-cup/update";
    let wider = file(&[
        named,
        (
            "who = \"group\"\ngroup = \"AI 2026\"",
            "who = \"everybody\"\nmost = 9",
        ),
    ]);
    people[0].post(path, wider).await.refused(403, "not-admin");
    let larger = file(&[named]);
    refused!(people[0].post(path, larger) => 422, "too-many-matches");
    let titled = file(&[named, few, ("= \"Class cup\"", "= \"Autumn cup\"")]);
    answers!(people[0].post(path, titled) => 200);
    refused!(people[0].post("/api/contests", other.clone()) => 403, "not-organiser");
    answers!(people[0].post("/api/contests/class-cup/annul", json!({"why": "rain"})) => 204);
    assert_eq!(teacher.post("/api/contests", other).await.status, 201);
}

#[tokio::test]
async fn a_contest_takes_the_languages_and_sizes_of_its_file() {
    let kit = Kit::new().await;
    let (teacher, people, _) = with_group(&kit, 3).await;
    let few = "group = \"AI 2026\"\nmost = 9";
    let entry = format!("{few}\nlanguages = [\"pyhton\", \"cpp\"]\nsource-size = \"64 kB\"");
    let refused = teacher
        .post("/api/contests", file(&[("group = \"AI 2026\"", &entry)]))
        .await;
    assert_eq!(refused.status, 422);
    let text = refused.text();
    says(&text, &["did you mean \\\"python\\\"", "64KiB"]);

    let entry = format!("{few}\nlanguages = [\"cpp\"]");
    let cpp = file(&[("group = \"AI 2026\"", &entry)]);
    assert_eq!(teacher.post("/api/contests", cpp).await.status, 201);
    let path = "/api/contests/class-cup/join";
    // A bot without a version may join; the freeze looks at what it has then.
    let later = kit.bot(&people[0], "later").await;
    answers!(people[0].post(path, json!({"bot": later.id})) => 201);
    let (python, version) = kit.ready_bot(&people[1], "snake").await;
    let refused = people[1].post(path, json!({"bot": python.id})).await;
    refused.refused(422, "version-refused");
    assert!(refused.text().contains("only cpp"), "{}", refused.text());

    let entry = format!("{few}\nlanguages = [\"cpp\", \"python\"]");
    let both = file(&[("group = \"AI 2026\"", &entry)]);
    let update = "/api/contests/class-cup/update";
    assert_eq!(teacher.post(update, both).await.status, 200);
    answers!(people[1].post(path, json!({"bot": python.id})) => 201);
    let (third, _) = kit.ready_bot(&people[2], "third").await;
    answers!(people[2].post(path, json!({"bot": third.id})) => 201);

    // The contest asks for candidates: the lane of the bot has to be so, and stays so.
    let entry = format!("{few}\ncandidates = \"required\"");
    let tested = file(&[("group = \"AI 2026\"", &entry)]);
    assert_eq!(teacher.post(update, tested).await.status, 200);
    let (fourth, _) = kit.ready_bot(&people[0], "fourth").await;
    let entered = json!({"bot": fourth.id});
    let lane_path = format!("/api/bots/{}/lane", python.id);
    let lane = |name: &str| Some(json!({"lane": name}));
    refused!(people[0].post(path, entered) => 409, "contest-lane");
    for (name, status) in [("automatic", 200), ("hand", 409), ("off", 409)] {
        let set = people[1].send("PUT", &lane_path, lane(name)).await;
        assert_eq!(set.status, status, "{name}: {}", set.text());
    }
    let entry = format!("{few}\ncandidates = \"forbidden\"");
    let untested = file(&[("group = \"AI 2026\"", &entry)]);
    assert_eq!(teacher.post(update, untested).await.status, 200);
    for (name, status) in [("automatic", 409), ("off", 200)] {
        let set = people[1].send("PUT", &lane_path, lane(name)).await;
        assert_eq!(set.status, status, "{name}: {}", set.text());
    }

    // The contest allows two versions a day, of which the first is used up.
    let entry = format!("{few}\ndaily-versions = 2");
    let daily = file(&[("group = \"AI 2026\"", &entry)]);
    assert_eq!(teacher.post(update, daily).await.status, 200);
    let versions = format!("/api/bots/{}/versions", python.id);
    people[1]
        .upload(&versions, "bot.py", b"print(1)")
        .await
        .ok();
    let refused = people[1].upload(&versions, "bot.py", b"print(2)").await;
    refused.refused(409, "quota-daily-versions");
    says(&refused.text(), &["the next one at 20"]);
    let free = kit.bot(&people[1], "free").await;
    let path = format!("/api/bots/{}/versions", free.id);
    for _ in 0..3 {
        people[1].upload(&path, "bot.py", b"print(3)").await.ok();
    }

    let entry = format!("{few}\nlanguages = [\"java\"]");
    let java = file(&[("group = \"AI 2026\"", &entry)]);
    assert_eq!(teacher.post(update, java).await.status, 200);
    advance(&kit, at(0)).await;
    let over = shown(&teacher).await;
    assert_eq!(over["state"], "annulled", "nobody's version may play");
    let entries = over["entries"].as_array().expect("a list");
    let of = |bot: i64| {
        entries
            .iter()
            .find(|one| one["bot"] == bot)
            .expect("it joined")
    };
    let why = of(python.id.0)["why"]["en"]
        .as_str()
        .expect("a reason")
        .to_owned();
    says(&why, &["python3", "only java"]);
    let zh = of(python.id.0)["why"]["zh"]
        .as_str()
        .expect("a reason")
        .to_owned();
    assert!(zh.contains("只接受"), "{zh}");
    assert!(version.bytes > 0);
    says(
        of(later.id.0)["why"]["en"].as_str().expect("a reason"),
        &["no version"],
    );
}

#[tokio::test]
async fn a_file_is_played_on_paper_before_it_is_published() {
    let kit = Kit::new().await;
    let (teacher, people, _) = with_group(&kit, 1).await;
    let path = "/api/contest-checks";
    refused!(people[0].post(path, file(&[])) => 403, "not-organiser");
    answers!(teacher.post(path, file(&[("round-robin", "roundrobin"), ("kob", "kbo")])) => 422);
    let mut asked = file(&[]);
    let told = teacher.post(path, asked.clone()).await.ok();
    assert_eq!(told["measured"], 0, "nothing was played here");
    let dry = &told["dry_run"];
    has!(dry, {"/stages/0/matches": [120, 120], "/assumptions/workers": 1});
    let best = dry["quality"]["best-wins"].as_f64().expect("a number");
    assert!((0.3..=1.0).contains(&best), "{dry}");
    asked["entrants"] = json!(1);
    refused!(teacher.post(path, asked.clone()) => 422, "bad-field");
    // The time is measured once matches were played.
    let [one, other] = ["one", "other"];
    let ((one, _), (other, _)) = (
        kit.ready_bot(&people[0], one).await,
        kit.ready_bot(&people[0], other).await,
    );
    kit.ladder_match([&one, &other]).await;
    asked["entrants"] = json!(4);
    let told = teacher.post(path, asked).await.ok();
    has!(told, {"measured": 1, "/dry_run/stages/0/matches": [6, 6]});
    shows!(kit.guest().get("/api/contests") => {"items": []});
}

#[tokio::test]
#[ignore = "takes minutes; a part of ./dev long"]
async fn a_thousand_entrants_play_a_swiss_and_a_knockout() {
    let kit = Kit::new().await;
    let store = &kit.app.store;
    let rules = FILE
        .replace(
            "who = \"group\"\ngroup = \"AI 2026\"",
            "who = \"everybody\"",
        )
        .replace("class-cup", "large-cup")
        .replace("\"round-robin\"", "\"swiss\"\nrounds = 3")
        + "\n[[stage]]\nname = \"Final\"\nformat = \"single\"\ntake = 16\n";
    let by = by_operator(Timestamp::now());
    let read = read_new_rules(&kit.app.games, &rules).expect("it is sound");
    let contest = publish_contest(store, &read, (rules, Vec::new()), Some(7), by).await;
    let contest = contest.expect("it is published");
    for number in 0..1_001 {
        let name = format!("bot{number:04}");
        let bot = store.ensure_built_in("kob", &name, "", by.at).await;
        let (bot, _) = bot.expect("the name is free");
        let joined = store.join_contest(contest.id, bot.id, (1_000, 1), by).await;
        assert_eq!(joined.is_ok(), number < 1_000, "{joined:?}");
    }
    let admin = kit.admin().await;
    let path = "/api/contests/large-cup";
    let mut slowest = std::time::Duration::ZERO;
    for day in 0.. {
        let begun = std::time::Instant::now();
        advance(&kit, at(day)).await;
        slowest = slowest.max(begun.elapsed());
        if admin.get(path).await.ok()["state"] == "finished" {
            break;
        }
        assert!(play_next(&kit).await, "it goes on");
        while play_next(&kit).await {}
    }
    eprintln!("the longest look at the contest took {slowest:?}");
    let over = admin.get(path).await.ok();
    assert_eq!(over["entries"].as_array().map(Vec::len), Some(1_000));
    let swiss = over["stages"][0]["standings"].as_array().expect("a list");
    assert_eq!(swiss.len(), 1_000);
    let places: Vec<_> = swiss.iter().map(|row| row["place"].as_u64()).collect();
    assert!(places.is_sorted(), "{places:?}");
    let played = over["stages"][0]["encounters"].as_array().map(Vec::len);
    assert_eq!(played, Some(3 * 500));
    let last = over["stages"][1]["standings"].as_array().expect("a list");
    assert_eq!(last.len(), 16);
    // The bot with the smaller name wins every match.
    let name = |entry: &Value| {
        let entries = over["entries"].as_array().expect("a list");
        let found = entries.iter().find(|one| one["id"] == *entry);
        found.and_then(|one| one["name"].as_str().map(str::to_owned))
    };
    let best: Vec<_> = last.iter().map(|row| name(&row["entry"])).collect();
    assert!(best[0] < best[1], "{best:?}");
}

#[tokio::test]
async fn a_private_contest_is_seen_by_those_who_may_enter() {
    let kit = Kit::new().await;
    let (teacher, people, root) = with_group(&kit, 3).await;
    let stranger = kit.person("stranger").await;
    let few = ("group = \"AI 2026\"", "group = \"AI 2026\"\nmost = 9");
    let private = (
        "standings = \"end\"",
        "standings = \"always\"\ncontest = \"invited\"",
    );
    let published = teacher.post("/api/contests", file(&[few, private])).await;
    assert_eq!(published.status, 201, "{}", published.text());
    assert_eq!(published.ok()["private"], true);
    for person in &people[..2] {
        let name = format!("bot-{}", person.id.expect("one"));
        let (bot, _) = kit.ready_bot(person, &name).await;
        answers!(person.post("/api/contests/class-cup/join", json!({"bot": bot.id})) => 201);
        // Who follows a bot of strangers learns nothing of their contest.
        let follow = stranger
            .send("PUT", &format!("/api/me/follows/bots/{}", bot.id), None)
            .await;
        assert!(follow.status.is_success(), "{}", follow.text());
    }
    advance(&kit, at(0)).await;
    assert!(play_next(&kit).await);
    let told = shown(&teacher).await;
    let id = &told["stages"][0]["encounters"][0]["matches"][0]["id"];
    let id = id.as_i64().expect("a match");
    let own = kit.app.store.match_by_id(leitai_store::MatchId(id)).await;
    let own = own.expect("it is there");

    // The third member has no bot in it, and sees it like the others.
    let path = format!("/api/matches/{id}");
    for person in [&teacher, &people[0], &people[2], &root] {
        let list = person.get("/api/contests").await.ok();
        assert_eq!(list["items"][0]["id"], "class-cup", "{list}");
        assert!(shown(person).await["stages"][0]["standings"].is_array());
        assert!(person.get(&path).await.ok()["winner"].is_string());
        assert_eq!(person.get(&format!("{path}/replay")).await.status, 200);
    }
    // Nobody else learns that it exists.
    let mut all = readable_addresses(&own, "class-cup");
    all.extend([
        "/api/contests".to_owned(),
        "/api/me/notifications".to_owned(),
    ]);
    for person in [&stranger, &kit.guest()] {
        let telling = telling_addresses(person, &own, &all).await;
        assert_eq!(telling, Vec::<String>::new());
        for path in &all {
            // The answer for an unknown contest says the name that was asked for.
            let text = person.get(path).await.text();
            let told = text.contains("class-cup") && !path.contains("class-cup");
            assert!(!told, "{path}: {text}");
        }
        person.get(&path).await.refused(404, "not-found");
        let replay = format!("{path}/replay");
        person.get(&replay).await.refused(404, "not-found");
        refused!(person.get("/api/contests/class-cup") => 404, "not-found");
    }
    for action in ["join", "leave", "annul", "pause", "update"] {
        let body = json!({"bot": 1, "why": "x", "file": "x"});
        let bodies = [
            body.clone(),
            json!({"bot": 1}),
            json!({"why": "x"}),
            json!({"file": "x"}),
        ];
        let route = format!("/api/contests/class-cup/{action}");
        for body in bodies {
            let answer = stranger.post(&route, body).await;
            assert!(
                [404, 400, 422].contains(&answer.status.as_u16()),
                "{route}: {}",
                answer.text()
            );
        }
    }
    let path_of = "/api/me/follows/contests/class-cup";
    refused!(stranger.put(path_of, json!({})) => 404, "not-found");
    // A member who left sees it as long as a bot of his plays in it.
    let groups = root.get("/api/groups").await.ok();
    let group = &groups["items"][0]["id"];
    for person in [&people[0], &people[2]] {
        let member = person.id.expect("one");
        let out = teacher
            .send(
                "DELETE",
                &format!("/api/groups/{group}/members/{member}"),
                None,
            )
            .await;
        assert!(out.status.is_success(), "{}", out.text());
    }
    assert!(shown(&people[0]).await["entries"].is_array());
    refused!(people[2].get("/api/contests/class-cup") => 404, "not-found");

    // Made public, it is seen by everybody, with its matches.
    let public = file(&[few, ("standings = \"end\"", "standings = \"always\"")]);
    answers!(teacher.post("/api/contests/class-cup/update", public) => 200);
    assert!(shown(&stranger).await["entries"].is_array());
    let telling = telling_addresses(&kit.guest(), &own, &all).await;
    for path in [path, "/api/matches".to_owned()] {
        assert!(telling.contains(&path), "{path} is not among {telling:?}");
    }
}

#[tokio::test]
async fn a_private_contest_needs_a_list_of_people() {
    let kit = Kit::new().await;
    let root = kit.admin().await;
    let open = (
        "who = \"group\"\ngroup = \"AI 2026\"",
        "who = \"everybody\"",
    );
    let private = (
        "standings = \"end\"",
        "contest = \"invited\"\ndataset = \"end\"",
    );
    let answer = root.post("/api/contests", file(&[open, private])).await;
    assert_eq!(answer.status, 422, "{}", answer.text());
    let problems = answer.json()["problems"].clone();
    let lines: Vec<_> = problems.as_array().expect("a list").iter().collect();
    assert_eq!(lines.len(), 2, "{problems}");
    assert!(lines.iter().all(|one| one["line"] == 15), "{problems}");
    let text = problems.to_string();
    says(&text, &["entry.who", "dataset"]);
}
