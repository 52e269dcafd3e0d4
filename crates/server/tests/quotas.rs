//! Quotas that groups set for their members.

use std::io::Write;
use std::time::Duration;

use axum::http::Request;
use leitai_server::config::make_quota;
use leitai_server::{RateLimits, ServerOptions};
use leitai_store::{MatchKind, Quota, SourceLanguages};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::kit::{self, Kit, Person, says, table};

/// The group `AI 2026`: `root` is the administrator, `ada` its organiser, `bob` its only plain
/// member; `eve` does not belong to it.
struct Class {
    kit: Kit,
    root: Person,
    ada: Person,
    bob: Person,
    eve: Person,
    /// The path of the group's quotas.
    path: String,
}

impl Class {
    async fn with(options: ServerOptions) -> Class {
        let kit = Kit::with(options).await;
        let (root, ada) = (kit.admin().await, kit.person("ada").await);
        let (bob, eve) = (kit.person("bob").await, kit.person("eve").await);
        let new = json!({"name": "AI 2026", "organiser": "ada"});
        let id = root.post("/api/groups", new).await.ok()["id"].clone();
        let list = format!("/api/groups/{id}/members");
        ada.post(&list, json!({"csv": "bob"})).await.ok();
        let asked = format!("/api/me/invitations/{id}");
        bob.post(&asked, json!({})).await.ok();
        Class {
            path: format!("/api/groups/{id}/quota"),
            kit,
            root,
            ada,
            bob,
            eve,
        }
    }

    async fn set(&self, by: &Person, quota: Value) -> kit::Answer {
        by.send("PUT", &self.path, Some(quota)).await
    }
}

/// What is refused, with the group's name and what is left.
fn check_refusal(answer: &kit::Answer, code: &str, parts: &[&str]) {
    answer.refused(409, code);
    let message = answer.json()["error"]["message"].to_string();
    for part in parts {
        assert!(message.contains(part), "{message}: no {part}");
    }
}

fn archive(names: &[&str]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in names {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .expect("a new entry");
        archive.write_all(b"1").expect("it is in memory");
    }
    archive.finish().expect("it is in memory").into_inner()
}

#[tokio::test]
async fn uploads_of_members_keep_to_the_groups_quotas() {
    let class = Class::with(kit::options()).await;
    let Class { kit, ada, bob, .. } = &class;
    let quota = json!({
        "hourly_uploads": 3, "versions": 2, "source_bytes": 300, "languages": ["python", "make"],
    });
    assert_eq!(class.set(ada, quota).await.ok()["hourly_uploads"], 3);

    // A refused first version leaves no bot.
    let first = |name: &str, file: &str, code: &str| json!({"game": "kob", "name": name, "file_name": file, "code": code});
    let cpp = bob
        .post("/api/bots", first("viper", "bot.cpp", "int main() {}"))
        .await;
    let parts = ["cpp", "`AI 2026` allows its members python, make"];
    check_refusal(&cpp, "quota-language", &parts);
    let long = bob
        .post("/api/bots", first("viper", "bot.py", &"#".repeat(301)))
        .await;
    let parts = ["301 bytes", "`AI 2026` allows its members 300"];
    check_refusal(&long, "quota-source-size", &parts);
    let bot = bob.post("/api/bots", first("viper", "bot.py", "1")).await;
    let path = format!("/api/bots/{}/versions", bot.ok()["id"]);
    // An archive is what builds it, or everything that it has.
    let mixed = archive(&["main.py", "lib/fast.c"]);
    check_refusal(
        &bob.upload(&path, "bot.zip", &mixed).await,
        "quota-language",
        &["has c,"],
    );
    let hidden = archive(&["bot/main.py", "bot/tool/Makefile", "bot/x.rs"]);
    check_refusal(
        &bob.upload(&path, "bot.zip", &hidden).await,
        "quota-language",
        &["has rust,"],
    );
    bob.upload(&path, "bot.py", b"\x7fELF").await.ok();
    check_refusal(
        &bob.upload(&path, "bot", b"\x7fELF").await,
        "quota-versions",
        &["2 versions", "`AI 2026` allows its members 2"],
    );
    let second = kit.bot(bob, "asp").await;
    let path = format!("/api/bots/{}/versions", second.id);
    check_refusal(
        &bob.upload(&path, "bot", b"\x7fELF").await,
        "quota-language",
        &["has binary,"],
    );
    let made = archive(&["bot/Makefile", "bot/x.rs"]);
    bob.upload(&path, "bot.zip", &made).await.ok();
    let often = bob.upload(&path, "bot.py", b"2").await;
    let parts = [
        "`AI 2026` allows its members 3 uploads an hour",
        "you made 3: none is left; the next one at 20",
    ];
    check_refusal(&often, "quota-uploads", &parts);
    let wait: u64 = often.header("retry-after").parse().expect("seconds");
    assert!((3_500..=3_600).contains(&wait), "{wait}");
    let chinese = Request::post(&path)
        .header("accept-language", "zh-CN")
        .header("x-leitai-csrf", bob.csrf.clone().expect("a session"))
        .header(
            "cookie",
            format!("leitai={}", bob.session.clone().expect("a session")),
        )
        .header("content-type", "application/json")
        .body(
            json!({"file_name": "bot.py", "code": "1"})
                .to_string()
                .into(),
        );
    let chinese = bob.request(chinese.expect("a request")).await;
    check_refusal(
        &chinese,
        "quota-uploads",
        &["小组 `AI 2026` 规定其成员每小时至多上传 3 次", "没有剩余"],
    );

    let used = bob.get("/api/me/usage").await.ok()["quota"].clone();
    has!(used["uploads"], {"used": 3, "allowed": 3, "/group/name": "AI 2026"});
    assert!(used["uploads"]["next"].is_string(), "{used}");
    has!(used, {"/versions/allowed": 2, "languages": ["python", "make"]});
    // Neither the organiser nor a stranger is bound.
    for (free, name) in [(ada, "boa"), (&class.eve, "krait")] {
        let own = kit.bot(free, name).await;
        let path = format!("/api/bots/{}/versions", own.id);
        for _ in 0..4 {
            free.upload(&path, "bot.cpp", &[b' '; 301]).await.ok();
        }
        let used = free.get("/api/me/usage").await.ok()["quota"].clone();
        has!(used["uploads"], {"used": 4, "group": null});
    }
    let audit = class.root.get("/api/admin/audit").await.ok();
    let line = &audit["items"][0];
    assert_eq!(line["what"], "group.quota", "{audit}");
    assert_eq!(line["detail"]["after"]["source_bytes"], 300);
}

#[tokio::test]
async fn friendly_matches_of_members_keep_to_the_groups_quotas() {
    let class = Class::with(kit::options()).await;
    let (one, _) = class.kit.ready_bot(&class.eve, "one").await;
    let (two, _) = class.kit.ready_bot(&class.eve, "two").await;
    let asked = json!({"game": "kob", "a": {"bot": one.id}, "b": {"bot": two.id}});
    let limit = json!({"daily_friendlies": 2, "daily_cpu_seconds": 1_000});
    class.set(&class.ada, limit).await.ok();
    for _ in 0..2 {
        class.bob.post("/api/matches", asked.clone()).await.ok();
    }
    let parts = [
        "`AI 2026` allows its members 2 friendly matches within 24 hours",
        "you asked for 2: none is left; the next one at 20",
    ];
    let refused = class.bob.post("/api/matches", asked.clone()).await;
    check_refusal(&refused, "quota-friendlies", &parts);
    let limit = json!({"daily_cpu_seconds": 20});
    class.set(&class.ada, limit).await.ok();
    let refused = class.bob.post("/api/matches", asked.clone()).await;
    let parts = ["20 CPU seconds within 24 hours", "took 20: none is left"];
    check_refusal(&refused, "quota-cpu", &parts);
    let used = class.bob.get("/api/me/usage").await.ok()["quota"].clone();
    assert_eq!(used["cpu_seconds"]["used"], 20, "two that are not over");
    for _ in 0..3 {
        class.eve.post("/api/matches", asked.clone()).await.ok();
        class.ada.post("/api/matches", asked.clone()).await.ok();
    }
    // A quota of nothing has no next time, and the one without a quota goes on.
    class
        .set(&class.ada, json!({"daily_friendlies": 0}))
        .await
        .ok();
    let refused = class.bob.post("/api/matches", asked.clone()).await;
    check_refusal(&refused, "quota-friendlies", &["ask an organiser"]);
    assert!(!refused.headers.contains_key("retry-after"));
    class.set(&class.ada, json!({})).await.ok();
    class.bob.post("/api/matches", asked).await.ok();
    let filter = leitai_store::MatchFilter {
        kind: Some(MatchKind::Friendly),
        ..Default::default()
    };
    let page = leitai_store::PageQuery::first_page(50);
    let all = class.kit.app.store.list_matches(&filter, &page).await;
    assert_eq!(all.expect("read").items.len(), 9);
}

#[tokio::test]
async fn a_groups_quota_is_stricter_than_the_arenas_unless_an_administrator_says_so() {
    let rates = RateLimits {
        upload: make_quota(2, Duration::from_secs(3_600)),
        ..kit::options().rates
    };
    let class = Class::with(ServerOptions {
        rates,
        ..kit::options()
    })
    .await;
    let Class { kit, ada, bob, .. } = &class;
    for [quota, code, value, next] in table(
        r#"
{"versions": 0} | bad-quota | `versions` is 0 | 1 to 1000000
{"hourly_uploads": -1} | bad-quota | is -1 | 0 to 1000000
{"source_bytes": 1073741824} | bad-quota | is 1073741824 | to 16777216
{"languages": ["cobol"]} | bad-quota | cobol | python
{"languages": []} | bad-quota | is empty | python
{"versions": 201} | above-arena | is 201 | at most 200
{"hourly_uploads": 4} | above-arena | is 4 | ask an administrator
{"uploads": 4} | unknown-field | `uploads` | hourly_uploads
"#,
    ) {
        let quota = serde_json::from_str(quota).expect("JSON");
        let answer = class.set(ada, quota).await;
        answer.refused(422, code);
        says(
            &answer.json()["error"]["message"].to_string(),
            &[value, next],
        );
    }
    let looser = json!({"looser": true, "versions": 500, "hourly_uploads": 4});
    refused!(class.set(bob, json!({})) => 403, "not-organiser");
    bob.get(&class.path).await.ok();
    class.eve.get(&class.path).await.refused(403, "not-member");
    refused!(class.set(ada, looser.clone()) => 403, "not-admin");
    let set = class.set(&class.root, looser).await.ok();
    has!(set, {"looser": true, "versions": 500, "/arena/versions": 200});
    // The organiser keeps what the administrator allowed.
    let set = class
        .set(ada, json!({"versions": 300, "hourly_uploads": 4}))
        .await
        .ok();
    has!(set, {"looser": true, "versions": 300});
    shows!(bob.get("/api/me/usage") => {"versions_of_a_bot": 300});

    // The group's members upload more often than the arena's rate lets others.
    for (who, name, most, code) in [
        (bob, "asp", 4, (409, "quota-uploads")),
        (&class.eve, "boa", 2, (429, "too-often")),
    ] {
        let bot = kit.bot(who, name).await;
        let path = format!("/api/bots/{}/versions", bot.id);
        for _ in 0..most {
            who.upload(&path, "bot.py", b"1").await.ok();
        }
        refused!(who.upload(&path, "bot.py", b"1") => code.0, code.1);
    }
}

#[tokio::test]
async fn the_arenas_own_quotas_bind_everybody() {
    let quota = Quota {
        daily_friendlies: 1,
        source_bytes: 10,
        languages: SourceLanguages::from_known("python"),
        ..Quota::UNLIMITED
    };
    let class = Class::with(ServerOptions {
        quota,
        ..kit::options()
    })
    .await;
    let (one, _) = class.kit.ready_bot(&class.eve, "one").await;
    let (two, _) = class.kit.ready_bot(&class.eve, "two").await;
    let path = format!("/api/bots/{}/versions", one.id);
    let refused = class.eve.upload(&path, "bot.cpp", b"1").await;
    check_refusal(&refused, "quota-language", &["this arena allows python"]);
    let refused = class.eve.upload(&path, "bot.py", &[b'#'; 11]).await;
    check_refusal(&refused, "quota-source-size", &["this arena allows 10"]);
    class.eve.upload(&path, "bot.py", b"1").await.ok();
    let asked = json!({"game": "kob", "a": {"bot": one.id}, "b": {"bot": two.id}});
    // The organiser of a group, whom its quotas do not bind, as well.
    for who in [&class.eve, &class.ada] {
        who.post("/api/matches", asked.clone()).await.ok();
        let refused = who.post("/api/matches", asked.clone()).await;
        check_refusal(&refused, "quota-friendlies", &["this arena allows 1"]);
    }
}
