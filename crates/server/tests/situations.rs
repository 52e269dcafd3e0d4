//! Situation packs: who uploads and sees them, what every upload is asked, and what hostile ones are
//! answered.

use std::time::Duration;

use leitai_game::text::LocalizedText;
use leitai_game::{Entrant, Replay};
use leitai_series::regression::{PinnedPosition, SituationPack};
use leitai_server::schedule::new_match;
use leitai_store::{MatchKind, MatchSeed, NewMatch, NewPin, Timestamp, VersionState};
use serde_json::{Value, json};

use crate::contests;
use crate::kit::each;
use crate::kit::{Kit, Person, says_but_not, telling_replay};
use crate::rights::{CONTEST, FILE};
use crate::worker_kit::{By, WorkerKit};

/// Plays the legal action at an index in every turn, and asks for nothing else.
const BOT: &str = "# leitai: protocol=json-lines
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'turn':
        print(json.dumps({'action': message['legal'][INDEX]}), flush=True)
";

/// The moment of a round of the first leg.
fn moment(replay: &Replay, entrant: Entrant, round: u32) -> PinnedPosition {
    let game = leitai_games::find_game("kob").expect("a built-in game");
    let name = entrant.to_string();
    let made = PinnedPosition::new(game, replay, Some(1), round, Some(&name), "");
    made.expect("it played there")
}

fn pack(moments: Vec<PinnedPosition>) -> SituationPack {
    SituationPack {
        name: LocalizedText {
            en: "Walls".to_owned(),
            zh: "墙".to_owned(),
        },
        game: "kob".to_owned(),
        moments,
    }
}

fn new_pack(pack: &SituationPack, hidden_until: Option<Timestamp>) -> leitai_store::NewPack {
    leitai_store::NewPack {
        game: "kob".to_owned(),
        contest: None,
        name: json!(pack.name),
        moments: pack.moments.len() as i32,
        content: pack.to_text(),
        hidden_until,
    }
}

/// Real workers, in this process and over HTTP, ask the real program; who repeats the recorded action
/// fails, who plays another passes.
#[test]
fn every_upload_is_asked_what_concerns_it() {
    for by in [By::Process, By::Http] {
        let worker_kit = WorkerKit::new();
        let store = &worker_kit.app.store;
        let upload = |name: &str, index: &str| {
            let source = BOT.replace("INDEX", index);
            let (bot, version) = worker_kit.upload("kob", name, "bot.py", &source);
            worker_kit.work_until(by, || worker_kit.is_checked(&version));
            assert_eq!(worker_kit.version(&version).state, VersionState::Ready);
            (bot, version)
        };
        let (bot, _) = upload("first", "0");
        let now = Timestamp::now();
        let (game, safe) = (worker_kit.game("kob"), worker_kit.bot("kob", "safe"));
        let entrant = |id| worker_kit.ok(store.bot_entrant(id));
        // Which lasts eleven rounds.
        let new = NewMatch {
            seed: MatchSeed::from(1),
            ..new_match(
                &*game,
                MatchKind::Friendly,
                entrant(bot.id),
                entrant(safe.id),
            )
        };
        let made = worker_kit.ok(store.create_match(new, now)).id;
        worker_kit.work_until(by, || worker_kit.is_over(made));
        let replay = worker_kit.replay(&worker_kit.read(made));
        let own = moment(&replay, Entrant::A, 2);
        let pin = NewPin {
            bot: bot.id,
            match_id: made,
            moment: (1, 2),
            entrant: 0,
            played: json!(own.played),
            why: "a wall".to_owned(),
        };
        worker_kit.ok(store.add_pin(pin, now));
        let passing = own.clone().with_passes(vec![own.played.clone()]);
        let packs = pack(vec![own, passing]);
        let hidden = now.after(Duration::from_secs(3600));
        let author = bot.owner.expect("a person");
        for until in [None, Some(hidden)] {
            let added = store.add_pack(new_pack(&packs, until), author, now);
            worker_kit.ok(added);
        }
        for (index, verdicts) in [
            ("0", ["still-made", "gone"]),
            ("-1", ["gone", "still-made"]),
        ] {
            let source = BOT.replace("INDEX", index) + "# once more";
            let version = worker_kit.upload_next(&bot, "bot.py", &source);
            worker_kit.work_until(by, || worker_kit.is_checked(&version));
            let answered = store.situation_answers(version.id);
            let answered = worker_kit.ok(answered);
            let of = |source: &str| {
                let own = answered.iter().find(|one| one.source == source);
                let own = own.unwrap_or_else(|| panic!("{source}: {answered:?}"));
                own.list()
                    .map(|one| one["verdict"].clone())
                    .collect::<Vec<Value>>()
            };
            assert_eq!(of("pins"), [verdicts[0]], "{by:?} {index}");
            assert_eq!(of("1"), verdicts, "{by:?} {index}");
            assert_eq!(of("2"), verdicts, "hidden, and asked");
        }
    }
}

/// What the API says of packs to whom, and how it refuses what is wrong.
#[tokio::test]
async fn a_hidden_pack_is_known_to_its_organisers_alone() {
    let kit = Kit::new().await;
    let (root, dave) = (kit.admin().await, kit.person("dave").await);
    let (ada, guest) = (kit.person("ada").await, kit.guest());
    let group = json!({"name": "AI 2026", "organiser": "dave"});
    root.post("/api/groups", group).await.ok();
    post!(root, "/api/contests", {"file": FILE.replace("contest = \"invited\"", "")});
    assert_eq!(guest.get(CONTEST).await.status, 200);
    let text = pack(vec![moment(&telling_replay(), Entrant::B, 1)]).to_text();
    let body = |contest: Value, until: Value| json!({"pack": text, "contest": contest, "hidden_until": until});
    let later = json!(Timestamp::now().after(Duration::from_secs(3600)));
    let upload = |body| ("/api/situations", body);
    let (path, for_all) = upload(body(Value::Null, Value::Null));
    refused!(ada.post(path, for_all.clone()) => 403, "not-admin");
    refused!(dave.post(path, for_all.clone()) => 403, "not-admin");
    refused!(guest.post(path, for_all.clone()) => 401, "login");
    refused!(ada.post(path, body(json!("class-cup"), Value::Null)) => 403, "not-organiser");
    let open = root.post(path, for_all).await.ok();
    let secret = dave
        .post(path, body(json!("class-cup"), later.clone()))
        .await
        .ok();
    has!(open, {"moments": 1, "contest": null, "game": "kob"});
    let id = secret["id"].as_i64().expect("an id");
    for (who, sees) in [(&root, true), (&dave, true), (&ada, false), (&guest, false)] {
        let listed = who.get(path).await.ok();
        let listed = listed.as_array().expect("a list").len();
        assert_eq!(listed, 1 + usize::from(sees));
        let own = format!("/api/situations/{id}");
        for path in [own.clone(), format!("{own}/moments/1")] {
            let answer = who.get(&path).await;
            match sees {
                true => drop(answer.ok()),
                // As of what is not there.
                false => answer.refused(404, "not-found"),
            }
        }
        if !sees && who.id.is_some() {
            refused!(who.delete(&own) => 404, "not-found");
        }
    }
    let public = format!("/api/situations/{}", open["id"]);
    assert_eq!(guest.get(&public).await.ok()["pack"], json!(text));
    refused!(ada.delete(&public) => 403, "not-organiser");

    // What was answered there is shown to nobody before the date.
    let bot = kit.bot(&ada, "hydra").await;
    let answer = json!([{"verdict": "failed", "answers": ["!TLE"]}]);
    let kept = json!({open["id"].to_string(): answer, id.to_string(): answer});
    let report = json!({"passed": true, "steps": [], "situations": kept});
    let version = kit.version_with(&bot, report).await;
    let shown = ada.get(&format!("/api/versions/{}", version.id)).await;
    let situations = shown.ok()["situations"].clone();
    let sources = each(&situations, "source");
    assert_eq!(sources, [json!(open["id"].to_string())]);
    has!(situations[0], {"passed": 0, "failed": 1, "name": {"en": "Walls", "zh": "墙"}});
    shows!(guest.get(&format!("/api/versions/{}", version.id)) => {"situations": []});
    dave.delete(&format!("/api/situations/{id}")).await.ok();

    let wrong = json!({"pack": text.replace("\"round\":1", "\"round\":999")});
    let said = root.post(path, wrong).await;
    said.refused(422, "bad-pack");
    assert!(said.text().contains("moment 1"), "{}", said.text());
    let large = json!({"pack": "x".repeat(3 << 20)});
    root.post(path, large).await.refused(413, "too-large");
}

/// The packs that a contest's file names come, change and go with it; a hidden one is known to its
/// organisers alone, and asked.
#[tokio::test]
async fn a_contest_brings_the_packs_that_its_file_names() {
    let kit = Kit::new().await;
    let (root, ada, guest) = (kit.admin().await, kit.person("ada").await, kit.guest());
    let text = |name: &str| {
        let own = pack(vec![moment(&telling_replay(), Entrant::B, 1)]);
        let (en, zh) = (name.to_owned(), name.to_owned());
        let name = LocalizedText { en, zh };
        SituationPack { name, ..own }.to_text()
    };
    let (walls, secret) = (text("one"), text("two"));
    let named = |packs: &str| contests::FILE.replace("[dates]", &format!("{packs}[dates]"));
    let file = named(
        "[[situations]]\nfile = \"walls.jsonl\"\n[[situations]]\nfile = \"secret.jsonl\"\n\
         hidden-until = 2099-01-01T00:00:00\n",
    );
    let broken = walls.replace("\"round\":1", "\"round\":999");
    for (packs, code, said) in [
        (json!({"walls.jsonl": walls}), "bad-contest", "secret.jsonl"),
        (
            json!({"walls.jsonl": broken, "secret.jsonl": secret}),
            "bad-contest",
            "moment 1",
        ),
        (
            json!({"walls.jsonl": walls, "secret.jsonl": secret, "x": walls}),
            "bad-pack",
            "leave it out",
        ),
    ] {
        let body = json!({"file": file, "packs": packs});
        let refused = root.post("/api/contests", body).await;
        refused.refused(422, code);
        assert!(refused.text().contains(said), "{}", refused.text());
        refused!(guest.get("/api/contests/spring") => 404, "not-found");
    }
    let both = json!({"walls.jsonl": walls, "secret.jsonl": secret});
    answers!(root.post("/api/contests", json!({"file": file, "packs": both})) => 201);
    let path = "/api/situations?contest=spring";
    let listed = async |who: &Person| {
        let listed = who.get(path).await.ok();
        let ids = listed.as_array().expect("a list").iter();
        ids.map(|one| (one["file"].clone(), one["id"].clone()))
            .collect::<Vec<_>>()
    };
    let before = listed(&root).await;
    assert_eq!(
        (
            before.len(),
            listed(&ada).await.len(),
            listed(&guest).await.len()
        ),
        (2, 1, 1)
    );
    let shown = guest.get("/api/contests/spring").await.ok().to_string();
    says_but_not(&shown, &[], &["secret", "walls"]);

    // Whoever is entered is asked both.
    let (bot, _) = kit.ready_bot(&ada, "hydra").await;
    let asked = async || kit.app.store.packs_for(&bot).await.expect("listed").len();
    assert_eq!(asked().await, 0);
    let join = json!({"bot": bot.id, "code": "plum-blossom"});
    ada.post("/api/contests/spring/join", join).await;
    assert_eq!(asked().await, 2);

    // What is as it was keeps its number; another date counts, another text is another pack.
    let update = async |file: &str, packs: Value| {
        let body = json!({"file": file, "packs": packs});
        root.post("/api/contests/spring/update", body).await
    };
    update(&file, json!({})).await.ok();
    assert_eq!(listed(&root).await, before);
    let open = file.replace("hidden-until = 2099", "hidden-until = 2020");
    update(&open, json!({"walls.jsonl": walls})).await.ok();
    assert_eq!(
        (listed(&root).await, listed(&guest).await.len()),
        (before.clone(), 2)
    );
    update(&open, json!({"walls.jsonl": text("three")}))
        .await
        .ok();
    let now = listed(&root).await;
    assert!(
        now.contains(&before[1]) && !now.contains(&before[0]) && now.len() == 2,
        "{now:?}"
    );
    let new = open.replace("walls.jsonl", "other.jsonl");
    update(&new, json!({})).await.refused(422, "bad-contest");
    let own = format!("/api/situations/{}", now[0].1);
    refused!(root.delete(&own) => 409, "refused");
    update(&named(""), json!({})).await.ok();
    assert_eq!((listed(&root).await.len(), asked().await), (0, 0));
}
