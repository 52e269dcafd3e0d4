//! The door for coding agents: its tools have the rights of the caller's token and no others, and other
//! sites' pages do not come in. Documents by address.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, Uri, header};
use leitai_server::http::agent_door::find_wrong_place;
use leitai_store::MatchKind;
use serde_json::{Value, json};

use crate::kit::each;
use crate::kit::{self, Answer, Kit, Person, says, table};

/// A message of the protocol, as a client sends it.
async fn send(person: &Person, headers: &[(&str, &str)], message: &Value) -> Answer {
    let mut request = Request::post("/mcp")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream");
    let own = person.token.as_ref().map(|token| format!("Bearer {token}"));
    let cookie = person
        .session
        .as_ref()
        .map(|token| format!("leitai={token}"));
    let csrf = person.csrf.clone();
    for (name, value) in [
        ("authorization", own),
        ("cookie", cookie),
        ("x-leitai-csrf", csrf),
    ] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    let mut request = request
        .body(Body::from(message.to_string()))
        .expect("sound");
    let here = HeaderValue::from_static("localhost:8080");
    request.headers_mut().insert(header::HOST, here);
    for (name, value) in headers {
        let name: header::HeaderName = name.parse().expect("a name");
        request
            .headers_mut()
            .insert(name, value.parse().expect("a value"));
    }
    person.request(request).await
}

/// The answer of a tool: whether it is a refusal, and what it says.
async fn call(person: &Person, tool: &str, arguments: Value) -> (bool, Value) {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}});
    let answer = send(person, &[], &message).await.ok();
    let result = &answer["result"];
    let is_refusal = result["isError"] == true;
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let said = match &result["structuredContent"] {
        Value::Null => json!(text),
        said => said.clone(),
    };
    (is_refusal, said)
}

async fn with_token(kit: &Kit, person: &Person, scopes: &[&str]) -> Person {
    let body = json!({"name": format!("{scopes:?}"), "scopes": scopes});
    let made = person.post("/api/me/tokens", body).await.ok();
    Person {
        token: Some(made["token"].as_str().expect("a token").to_owned()),
        ..kit.guest()
    }
}

fn source(name: &str) -> Value {
    json!({"game": "kob", "name": name, "file_name": "bot.py", "code": "print(0)", "wait": 0})
}

#[tokio::test]
async fn a_tool_has_the_rights_of_the_token_and_no_others() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let (bob, eve) = (kit.person("bob").await, kit.person("eve").await);
    let [hers, his] = kit.ready_bots([(&ada, "hers"), (&bob, "his")]).await;
    let played = kit.finished(MatchKind::Friendly, [&hers, &his]).await;
    let reads = with_token(&kit, &ada, &[]).await;
    let submits = with_token(&kit, &ada, &["submit"]).await;
    let plays = with_token(&kit, &ada, &["play"]).await;
    let wrong = Person {
        token: Some("leitai_wrong".to_owned()),
        ..kit.guest()
    };
    let challenge = json!({"game": "kob", "bot": "hers", "opponent": "his", "wait": 0});
    let elsewhere = json!({"game": "../admin", "wait": 0});
    for (who, tool, arguments, refusal) in [
        (&kit.guest(), "submit", source("new"), "[login]"),
        (&reads, "submit", source("new"), "the scope `submit`"),
        (&plays, "submit", source("new"), "the scope `submit`"),
        (&reads, "challenge", challenge.clone(), "the scope `play`"),
        (&submits, "challenge", challenge.clone(), "the scope `play`"),
        // A cookie opens nothing here: whoever can make a browser send it is not its owner.
        (&ada, "my_bots", json!({}), "[login]"),
        (&reads, "ladder", elsewhere, "an id has"),
    ] {
        let (is_refusal, said) = call(who, tool, arguments).await;
        let why = said["error"].as_str().unwrap_or_default();
        assert!(is_refusal && why.contains(refusal), "{tool}: {said}");
    }
    for [tool, arguments, refusal] in table(
        r#"
ladder | {"game": "chess"} | there is no game
ladder | {"game": "kob", "rows": 3} | no argument "rows"; it takes game
ladder | {"game": "kob", "limit": 1000} | a whole number from 1 to 30
match_report | {"match": -1} | a whole number
match_report | {"match": 99999} | [not-found]
drop_tables | {} | there is no tool "drop_tables"; there are read_document
submit | {"game": "kob"} | submit needs name
read_document | {"path": "rules/../../../etc/passwd"} | there is no document
"#,
    ) {
        let arguments = serde_json::from_str(arguments).expect("JSON");
        let (is_refusal, said) = call(&submits, tool, arguments).await;
        let why = said["error"].as_str().unwrap_or_default();
        assert!(is_refusal && why.contains(refusal), "{tool}: {said}");
    }
    send(
        &wrong,
        &[],
        &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    )
    .await
    .refused(401, "token");

    let (is_refusal, said) = call(&submits, "submit", source("new")).await;
    assert!(!is_refusal && said["state"] == "queued", "{said}");
    for by_agent in [true, false] {
        let mut again = source("new");
        again["by_agent"] = by_agent.into();
        let (_, said) = call(&submits, "submit", again).await;
        assert_eq!(said["state"], "queued", "{said}");
        let mine = ada.get("/api/me/bots").await.ok();
        assert_eq!(mine["items"][0]["by_agent"] == true, by_agent, "{mine}");
    }
    let (is_refusal, said) = call(&plays, "challenge", challenge).await;
    assert!(!is_refusal && said["state"] == "queued", "{said}");
    says(said["next"].as_str().expect("a step"), &["match_report"]);

    // Who is nobody gets no work done.
    let (_, said) = call(&kit.guest(), "match_report", json!({"match": played.id.0})).await;
    assert!(said.to_string().contains("send an API token"), "{said}");
    // Logs and last words are their author's alone.
    let report = json!({"match": played.id.0, "wait": 0});
    let eve = with_token(&kit, &eve, &[]).await;
    for (who, sees, hidden) in [
        (&reads, "secret words of a", "secret words of b"),
        (&eve, "leg 1", "secret"),
    ] {
        let (is_refusal, said) = call(who, "match_report", report.clone()).await;
        let text = said.to_string();
        assert!(
            !is_refusal && text.contains(sees) && !text.contains(hidden),
            "{text}"
        );
        let lines =
            ["faults", "why", "your_log"].map(|part| said[part].as_array().map_or(0, Vec::len));
        assert!(
            lines.iter().sum::<usize>() <= 30 && lines[1] > 3,
            "{said:#}"
        );
    }
}

#[tokio::test]
async fn a_match_that_a_contest_hides_is_hidden_here_too() {
    let kit = Kit::new().await;
    crate::contests::with_entrants(&kit).await;
    let admin = kit.admin().await;
    crate::contests::advance(&kit, crate::contests::at(0)).await;
    assert!(crate::contests::play_next(&kit).await);
    let contest = admin.get("/api/contests/spring").await.ok();
    let first = &contest["stages"][0]["encounters"][0]["matches"][0]["id"];
    let report = json!({"match": first, "wait": 0});
    let (is_refusal, said) = call(&kit.guest(), "match_report", report.clone()).await;
    assert!(
        is_refusal && said.to_string().contains("[contest-hidden]"),
        "{said}"
    );
    let (is_refusal, said) = call(
        &with_token(&kit, &admin, &["admin"]).await,
        "match_report",
        report,
    )
    .await;
    assert!(!is_refusal && said["winner"].is_string(), "{said}");
}

#[tokio::test]
async fn quotas_rates_and_sizes_are_those_of_people() {
    let mut options = kit::options();
    options.rates.upload =
        leitai_server::config::make_quota(1, std::time::Duration::from_secs(3600));
    let kit = Kit::with(options).await;
    let ada = kit.person("ada").await;
    let submits = with_token(&kit, &ada, &["submit"]).await;
    let mut large = source("large");
    large["code"] = "#".repeat(500_000).into();
    let (is_refusal, said) = call(&submits, "submit", large).await;
    assert!(
        is_refusal
            && said
                .to_string()
                .contains("it has 500000 bytes; at most 400000"),
        "{said}"
    );
    let endless = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "submit", "arguments": {"code": "#".repeat(2_000_000)}}});
    assert_eq!(send(&submits, &[], &endless).await.status, 413);
    let (is_refusal, said) = call(&submits, "submit", source("one")).await;
    assert!(!is_refusal, "{said}");
    let (is_refusal, said) = call(&submits, "submit", source("two")).await;
    assert!(
        is_refusal && said.to_string().contains("too many requests; try again in"),
        "{said}"
    );
}

#[tokio::test]
async fn pages_of_other_sites_and_other_names_do_not_come_in() {
    // Where it is to be found, the host and the origin of a request, and why it is refused.
    for [public, host, origin, code] in table(
        "
 | localhost:8080 | |
 | 127.0.0.1:8080 | http://127.0.0.1:8080 |
 | [::1]:8080 | |
 | 192.168.1.5 | |
 | localhost:8080 | http://evil.example | cross-site
 | localhost:8080 | http://localhost:9999 | cross-site
 | localhost:8080 | null | cross-site
 | evil.example:8080 | http://evil.example:8080 | wrong-host
 | evil.example | | wrong-host
 | 127.0.0.1.evil.example | | wrong-host
 | | | wrong-host
https://arena.example.org/ | arena.example.org | https://arena.example.org |
https://arena.example.org | arena.example.org | https://arena.example.org.evil.example | cross-site
https://arena.example.org | evil.example | | wrong-host
",
    ) {
        let [public, origin] =
            [public, origin].map(|text| Some(text).filter(|text| !text.is_empty()));
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().expect("a value"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().expect("a value"));
        }
        let found = find_wrong_place(public, &headers, &Uri::from_static("/mcp"));
        let found = found.map_or("", |refusal| refusal.code);
        assert_eq!(found, code, "{public:?} {host} {origin:?}");
    }
    let kit = Kit::new().await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let evil = [
        ("host", "evil.example:8080"),
        ("origin", "http://evil.example:8080"),
    ];
    refused!(send(&kit.guest(), &evil, &list) => 403, "wrong-host");
    let other = [("origin", "http://evil.example")];
    refused!(send(&kit.guest(), &other, &list) => 403, "cross-site");
    let tools = send(&kit.guest(), &[], &list).await.ok();
    // Nothing that would run a stranger's program outside the judge's queue.
    let names = "read_document submit my_bots version_status challenge ladder matches match_report";
    let names: Vec<&str> = names.split(' ').collect();
    assert_eq!(each(&tools["result"]["tools"], "name"), names);
}

#[tokio::test]
async fn documents_have_addresses_and_llms_txt_names_them() {
    let kit = Kit::new().await;
    let guest = kit.guest();
    let list = guest.get("/llms.txt").await;
    assert!(list.header("content-type").starts_with("text/plain"));
    let text = list.text();
    let addresses: Vec<&str> = text
        .split("](http://arena.test")
        .skip(1)
        .filter_map(|part| part.split(')').next())
        .collect();
    assert!(addresses.len() > 12, "{text}");
    for address in &addresses {
        let answer = guest.get(address).await;
        assert!(answer.status.is_success(), "{address}: {}", answer.text());
        let document = answer.text();
        // What is linked in the repository is not here.
        assert!(
            address.starts_with("/api") || !document.contains("](../"),
            "{address}"
        );
        let chinese = address.replace(".md", ".zh.md");
        if address.ends_with(".md") && *address != "/games.md" {
            let chinese = guest.get(&chinese).await.text();
            assert!(
                chinese
                    .chars()
                    .any(|sign| ('\u{4e00}'..'\u{9fff}').contains(&sign)),
                "{address}"
            );
        }
    }
    for (address, part) in [
        ("/rules/kob.md", "java.util.Random(seed)"),
        ("/guides/kob.md", "the map (182 characters"),
        ("/protocols.md", "json-lines"),
        ("/templates/kob/main.py", "import play"),
        ("/templates/kob/leitai_kob.py", "def reach("),
        ("/games.md", "built-in bots, the weakest first: random"),
    ] {
        let text = guest.get(address).await.text();
        assert!(text.contains(part), "{address}: {text}");
    }
    guest.get("/rules/chess.md").await.refused(404, "not-found");
    refused!(guest.get("/rules/..%2f..%2fCargo.toml") => 404, "not-found");
}
