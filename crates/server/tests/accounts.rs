//! Accounts, sessions, API tokens, CSRF tokens and rate limits.

use crate::kit;

use std::time::Duration;

use kit::{Kit, PASSWORD, Person, options, plain_result};
use leitai_server::config::make_quota;
use leitai_server::{Limits, RateLimits, ServerOptions};
use leitai_store::{
    MatchEntrant, MatchId, MatchKind, MatchResult, MatchSeed, MatchWinner, NewCorrection, NewMatch,
    Timestamp, UserId,
};
use serde_json::{Value, json};

fn who(name: &str) -> Value {
    json!({"name": name, "password": PASSWORD})
}

/// The client of a person who is logged in after this response.
fn logged_in(person: &Person, answer: &kit::Answer) -> Person {
    let cookie = answer.header("set-cookie").to_owned();
    let token = cookie
        .split(';')
        .next()
        .and_then(|pair| pair.split_once('='))
        .map(|(_, token)| token.to_owned());
    let csrf = answer.ok()["csrf"].as_str().map(str::to_owned);
    Person {
        session: token,
        csrf,
        ..person.clone()
    }
}

#[tokio::test]
async fn the_first_account_is_an_administrator_and_the_next_is_not() {
    let kit = Kit::new().await;
    let stranger = kit.guest().post("/api/register", who("mallory")).await;
    stranger.refused(403, "first-account");
    assert_eq!(stranger.json()["error"]["field"], "secret");
    let wrong = json!({"name": "mallory", "password": PASSWORD, "secret": "0000"});
    refused!(kit.guest().post("/api/register", wrong) => 403, "first-account");
    let right =
        |name: &str| json!({"name": name, "password": PASSWORD, "secret": &*kit.app.first_secret});
    shows!(kit.guest().post("/api/register", right("ada")) => {"/user/admin": true});
    let used = kit.guest().post("/api/register", right("carol")).await;
    assert_eq!(used.ok()["user"]["admin"], false, "the secret works once");
    let second = kit.guest().post("/api/register", who("bob")).await;
    assert_eq!(
        second.ok()["user"],
        json!({"id": 3, "name": "bob", "admin": false, "has_password": true, "must_change_password": false,
            "must_set_second_factor": false, "adds_games": false})
    );
}

#[tokio::test]
async fn names_and_passwords_are_checked() {
    let kit = Kit::new().await;
    kit.person("ada").await;
    for (name, password, status, code) in [
        ("ADA", PASSWORD, 409, "taken"),
        ("a", PASSWORD, 422, "bad-name"),
        ("a b", PASSWORD, 422, "bad-name"),
        ("bob", "short", 422, "bad-password"),
    ] {
        let answer = kit
            .guest()
            .post("/api/register", json!({"name": name, "password": password}))
            .await;
        answer.refused(status, code);
    }
    refused!(kit.guest().post("/api/register", json!({"name": 7})) => 422, "bad-field");
    kit.guest()
        .raw("POST", "/api/register", Some("text/plain"), b"{}".to_vec())
        .await
        .refused(415, "wrong-type");
    kit.guest()
        .raw(
            "POST",
            "/api/register",
            Some("application/json"),
            b"{".to_vec(),
        )
        .await
        .refused(400, "malformed");
    let long = vec![b' '; 300 << 10];
    refused!(kit.guest().raw("POST", "/api/register", Some("application/json"), long) => 413, "too-large");
}

#[tokio::test]
async fn common_passwords_and_reserved_names_are_refused() {
    let kit = Kit::new().await;
    let credentials = |name: &str, password: &str| json!({"name": name, "password": password});
    let first = json!({"name": "Admin", "password": PASSWORD, "secret": &*kit.app.first_secret});
    shows!(kit.guest().post("/api/register", first) => {"/user/admin": true});
    for (name, password, code, field) in [
        ("bob", "PassWord", "common-password", "password"),
        ("bob", "12345678", "common-password", "password"),
        (
            "grace.hopper",
            "Grace.Hopper",
            "password-is-name",
            "password",
        ),
        ("root", PASSWORD, "reserved-name", "name"),
        ("lei-tai", PASSWORD, "reserved-name", "name"),
        ("Guest", PASSWORD, "reserved-name", "name"),
        ("管理员", PASSWORD, "reserved-name", "name"),
        ("random", PASSWORD, "reserved-name", "name"),
    ] {
        let answer = kit
            .guest()
            .post("/api/register", credentials(name, password))
            .await;
        answer.refused(422, code);
        assert_eq!(answer.json()["error"]["field"], field, "{name}");
    }
    let bob = logged_in(
        &kit.guest(),
        &kit.guest().post("/api/register", who("bob")).await,
    );
    let change = json!({"old": PASSWORD, "new": "iloveyou"});
    refused!(bob.post("/api/me/password", change) => 422, "common-password");
    let table = json!({"game": "kob", "opponent": {"invite": true}, "name": "admin"});
    refused!(kit.guest().post("/api/human-matches", table) => 422, "reserved-name");
}

#[tokio::test]
async fn a_class_behind_one_address_registers_and_plays() {
    let kit = Kit::changed(|to| to.rates = RateLimits::default()).await;
    let here = leitai_server::client_address::ClientAddress::from_ip([127, 0, 0, 1].into());
    for pupil in 0..100 {
        ok!(kit.app.limiter.allow_register(here));
        ok!(kit.app.limiter.allow_login(here, &format!("pupil{pupil}")));
        let pupil = kit.person(&format!("pupil{pupil}")).await;
        let table = json!({"game": "kob", "opponent": {"invite": true}});
        let seat = pupil.post("/api/human-matches", table).await.ok();
        let code = seat["invite"].as_str().expect("an invite").to_owned();
        pupil.get(&format!("/api/invites/{code}")).await.ok();
    }
}

#[tokio::test]
async fn an_account_and_guests_have_separate_limits_of_human_matches() {
    let limits = Limits {
        account_matches: 2,
        guest_matches: 4,
        ..Limits::default()
    };
    let kit = Kit::changed(|to| to.limits = limits).await;
    let ada = kit.person("ada").await;
    let table = || json!({"game": "kob", "opponent": {"invite": true}});
    let opened = kit.guest().post("/api/human-matches", table()).await;
    opened.ok();
    assert_eq!(
        opened.header("cache-control"),
        "no-store",
        "the response contains the seat's token"
    );
    let full = kit.guest().post("/api/human-matches", table()).await;
    full.refused(503, "human-matches-full");
    assert_eq!(full.header("retry-after"), "60");
    // What is open at one server counts at all.
    let router = kit.second_server().await;
    let there = |person: &Person| Person {
        router: router.clone(),
        ..person.clone()
    };
    refused!(there(&kit.guest()).post("/api/human-matches", table()) => 503, "human-matches-full");
    for person in [&ada, &there(&ada)] {
        person.post("/api/human-matches", table()).await.ok();
    }
    for person in [&ada, &there(&ada)] {
        refused!(person.post("/api/human-matches", table()) => 503, "human-matches-full");
    }
    kit.person("bob")
        .await
        .post("/api/human-matches", table())
        .await
        .ok();
}

#[tokio::test]
async fn a_closed_arena_opens_no_accounts_but_the_first() {
    let kit = Kit::changed(|to| to.registration = false).await;
    refused!(kit.guest().post("/api/register", who("bob")) => 403, "first-account");
    let first = json!({"name": "ada", "password": PASSWORD, "secret": &*kit.app.first_secret});
    shows!(kit.guest().post("/api/register", first) => {"/user/admin": true});
    refused!(kit.guest().post("/api/register", who("bob")) => 403, "closed");
}

#[tokio::test]
async fn people_log_in_and_out() {
    let kit = Kit::new().await;
    let guest = kit.guest();
    kit.person("ada").await;
    guest
        .post(
            "/api/login",
            json!({"name": "ada", "password": "wrong horse"}),
        )
        .await
        .refused(401, "bad-login");
    refused!(guest.post("/api/login", who("nobody")) => 401, "bad-login");
    let answer = guest.post("/api/login", who("Ada")).await;
    let cookie = answer.header("set-cookie");
    for part in ["leitai=", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "{cookie}");
    let ada = logged_in(&guest, &answer);
    let me = ada.get("/api/me").await;
    assert_eq!(
        (me.ok()["user"]["name"].as_str(), me.header("cache-control")),
        (Some("ada"), "no-store")
    );
    ada.post("/api/logout", json!({})).await.ok();
    assert_eq!(
        ada.get("/api/me").await.ok(),
        json!({"user": null, "csrf": null})
    );
    refused!(ada.post("/api/me/tokens", json!({"name": "x"})) => 401, "login");
}

#[tokio::test]
async fn behind_https_the_cookie_is_bound_to_its_host() {
    let kit = Kit::changed(|to| to.public_url = Some("https://arena.test".into())).await;
    kit.person("ada").await;
    let answer = kit.guest().post("/api/login", who("ada")).await;
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.starts_with("__Host-leitai=") && cookie.contains("Secure"),
        "{cookie}"
    );
}

#[tokio::test]
async fn requests_without_the_csrf_token_change_nothing() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    for csrf in [
        None,
        Some(String::new()),
        Some("x".repeat(64)),
        bob.csrf.clone(),
    ] {
        let forged = Person {
            csrf,
            ..ada.clone()
        };
        for (method, path) in [
            ("POST", "/api/logout"),
            ("POST", "/api/bots"),
            ("PATCH", "/api/bots/1"),
            ("DELETE", "/api/me/tokens/1"),
            ("POST", "/api/me/password"),
            ("POST", "/api/login"),
        ] {
            refused!(forged.send(method, path, Some(json!({}))) => 403, "csrf");
        }
    }
    assert!(
        ada.get("/api/me").await.ok()["user"].is_object(),
        "the session still works"
    );
}

#[tokio::test]
async fn the_csrf_token_of_an_ended_session_is_refused() {
    let kit = Kit::new().await;
    let old = kit.person("ada").await;
    old.post("/api/logout", json!({})).await.ok();
    refused!(old.post("/api/bots", json!({"game": "kob", "name": "viper"})) => 401, "login");
    let fresh = logged_in(
        &kit.guest(),
        &kit.guest().post("/api/login", who("ada")).await,
    );
    let replayed = Person {
        csrf: old.csrf.clone(),
        ..fresh.clone()
    };
    refused!(replayed.post("/api/bots", json!({"game": "kob", "name": "viper"})) => 403, "csrf");
    post!(fresh, "/api/bots", {"game": "kob", "name": "viper"});
}

#[tokio::test]
async fn requests_from_pages_of_other_sites_change_nothing() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let send = |name: &'static str, value: &'static str| {
        let request = axum::http::Request::post("/api/logout")
            .header("host", "arena.test")
            .header(
                "cookie",
                format!("leitai={}", ada.session.as_deref().unwrap_or_default()),
            )
            .header("x-leitai-csrf", ada.csrf.as_deref().unwrap_or_default())
            .header(name, value)
            .body(axum::body::Body::empty())
            .expect("a request");
        let ada = ada.clone();
        async move { ada.request(request).await }
    };
    refused!(send("sec-fetch-site", "cross-site") => 403, "cross-site");
    refused!(send("origin", "https://evil.test") => 403, "cross-site");
    send("origin", "http://arena.test").await.ok();
}

#[tokio::test]
async fn a_new_password_ends_the_other_sessions() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let other = logged_in(
        &kit.guest(),
        &kit.guest().post("/api/login", who("ada")).await,
    );
    let change = |old: &str, new: &str| json!({"old": old, "new": new});
    refused!(ada.post("/api/me/password", change("wrong horse", "another horse")) => 422, "wrong-password");
    refused!(ada.post("/api/me/password", change(PASSWORD, "short")) => 422, "bad-password");
    ada.post("/api/me/password", change(PASSWORD, "another horse"))
        .await
        .ok();
    assert!(other.get("/api/me").await.ok()["user"].is_null());
    assert!(ada.get("/api/me").await.ok()["user"].is_object());
    refused!(kit.guest().post("/api/login", who("ada")) => 401, "bad-login");
}

#[tokio::test]
async fn locked_accounts_may_do_nothing() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let made = post!(ada, "/api/me/tokens", {"name": "laptop"});
    let program = Person {
        token: made["token"].as_str().map(str::to_owned),
        ..kit.guest()
    };
    program.get("/api/me/bots").await.ok();
    ok!(kit
        .app
        .store
        .set_user_disabled(ada.id.expect("an account"), true));
    ada.get("/api/me/bots").await.refused(401, "login");
    program.get("/api/me/bots").await.refused(401, "token");
    refused!(kit.guest().post("/api/login", who("ada")) => 403, "disabled");
}

#[tokio::test]
async fn api_tokens_are_shown_once_and_need_no_csrf_token() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    refused!(ada.post("/api/me/tokens", json!({"name": " "})) => 422, "bad-name");
    let made = post!(ada, "/api/me/tokens", {"name": "laptop"});
    let token = made["token"].as_str().expect("it is shown").to_owned();
    assert!(
        token.starts_with("leitai_") && made["once"] == true,
        "{made}"
    );
    let listed = ada.get("/api/me/tokens").await;
    assert!(
        !listed.text().contains(&token) && listed.ok()["items"][0]["name"] == "laptop",
        "{}",
        listed.text()
    );
    assert_eq!(bob.get("/api/me/tokens").await.ok()["items"], json!([]));

    let program = Person {
        token: Some(token.clone()),
        ..kit.guest()
    };
    assert_eq!(program.get("/api/me").await.ok()["csrf"], Value::Null);
    post!(program, "/api/bots", {"game": "kob", "name": "viper"});
    refused!(program.post("/api/me/tokens", json!({"name": "more"})) => 403, "session-only");
    program
        .post(
            "/api/me/password",
            json!({"old": PASSWORD, "new": "another horse"}),
        )
        .await
        .refused(403, "session-only");

    let id = made["id"].as_i64().expect("an id");
    refused!(bob.delete(&format!("/api/me/tokens/{id}")) => 404, "not-found");
    ada.delete(&format!("/api/me/tokens/{id}")).await.ok();
    program.get("/api/me").await.refused(401, "token");
    for wrong in [
        "",
        "leitai_",
        "leitai_0000000000000000000000",
        "with spaces in it, and long enough",
    ] {
        Person {
            token: Some(wrong.into()),
            ..kit.guest()
        }
        .get("/api/me")
        .await
        .refused(401, "token");
    }
}

#[tokio::test]
async fn api_tokens_do_what_their_scopes_say_until_they_end() {
    let kit = Kit::new().await;
    let (root, ada) = (kit.admin().await, kit.person("ada").await);
    let make = async |person: &Person, wanted: Value| {
        let answer = person.post("/api/me/tokens", wanted).await;
        assert_eq!(answer.header("cache-control"), "no-store");
        let token = answer.ok()["token"].as_str().map(str::to_owned);
        (
            Person {
                token,
                ..kit.guest()
            },
            answer.ok(),
        )
    };
    let (usual, said) = make(&ada, json!({"name": "usual"})).await;
    has!(said, {"scopes": ["submit"], "until": null});
    let (reads, said) = make(&ada, json!({"name": "reads", "scopes": [], "days": 1})).await;
    assert_eq!(said["scopes"], json!([]));
    assert!(said["until"].as_str() > said["created"].as_str(), "{said}");
    let (plays, _) = make(&ada, json!({"name": "plays", "scopes": ["play"]})).await;

    let bot = |name: &str| json!({"game": "kob", "name": name});
    usual.post("/api/bots", bot("viper")).await.ok();
    for program in [&usual, &reads, &plays] {
        assert_eq!(
            program.get("/api/me/bots").await.ok()["items"][0]["name"],
            "viper",
            "every token may read"
        );
    }
    refused!(reads.post("/api/bots", bot("adder")) => 403, "scope");
    refused!(plays.post("/api/bots", bot("adder")) => 403, "scope");
    for method in ["TRACE", "PROPFIND", "BREW"] {
        for person in [&usual, &reads, &ada, &kit.guest()] {
            for path in ["/api/bots", "/api/admin/users/2", "/api/me"] {
                refused!(person.send(method, path, None) => 405, "wrong-method");
            }
        }
    }
    let table = || json!({"game": "kob", "opponent": {"invite": true}});
    refused!(usual.post("/api/human-matches", table()) => 403, "scope");
    plays.post("/api/human-matches", table()).await.ok();
    refused!(usual.post("/api/me/tokens", json!({"name": "more"})) => 403, "session-only");
    usual.get("/api/me/data").await.refused(403, "session-only");

    refused!(ada.post("/api/me/tokens", json!({"name": "x", "scopes": ["admin"]})) => 422, "bad-scopes");
    refused!(ada.post("/api/me/tokens", json!({"name": "x", "scopes": ["fly"]})) => 422, "bad-field");
    refused!(ada.post("/api/me/tokens", json!({"name": "x", "days": 0})) => 422, "bad-days");
    let (weak, _) = make(&root, json!({"name": "weak", "scopes": ["submit", "play"]})).await;
    weak.get("/api/admin/users").await.refused(403, "not-admin");
    refused!(weak.post("/api/admin/users/2", json!({"disabled": true})) => 403, "scope");
    let (strong, _) = make(&root, json!({"name": "strong", "scopes": ["admin"]})).await;
    strong.get("/api/admin/users").await.ok();
    strong.get("/metrics").await.text();
    let worker = json!({"name": "rack", "days": 30});
    let made = root.post("/api/admin/worker-tokens", worker).await;
    assert!(made.ok()["until"].is_string() && made.header("cache-control") == "no-store");
}

#[tokio::test]
async fn too_frequent_requests_must_wait() {
    let rare = make_quota(2, Duration::from_secs(3600));
    let rates = RateLimits {
        login: rare,
        register: rare,
        upload: rare,
        ..options().rates
    };
    let kit = Kit::with(ServerOptions { rates, ..options() }).await;
    let ada = kit.person("ada").await;
    for _ in 0..2 {
        refused!(kit.guest().post("/api/login", who("nobody")) => 401, "bad-login");
    }
    let answer = kit.guest().post("/api/login", who("ada")).await;
    answer.refused(429, "too-often");
    let wait: u64 = answer.header("retry-after").parse().expect("seconds");
    assert!((1..=3600).contains(&wait), "{wait}");

    let bot = kit.bot(&ada, "viper").await;
    let path = format!("/api/bots/{}/versions", bot.id);
    for _ in 0..2 {
        ada.upload(&path, "bot.py", b"print(0)").await.ok();
    }
    refused!(ada.upload(&path, "bot.py", b"print(0)") => 429, "too-often");
    assert_eq!(ok!(kit.app.store.versions_of(bot.id)).len(), 2);
}

#[tokio::test]
async fn guesses_of_strangers_keep_nobody_out() {
    let rates = RateLimits {
        account: make_quota(1, Duration::from_secs(3600)),
        ..options().rates
    };
    let kit = Kit::changed(|to| {
        to.rates = rates;
        to.trust_proxy = true;
    })
    .await;
    kit.person("ada").await;
    let attempt = async |address: &str, password: &str, cookie: &str| {
        let request = axum::http::Request::post("/api/login")
            .header("content-type", "application/json")
            .header("x-forwarded-for", address)
            .header("cookie", cookie)
            .body(axum::body::Body::from(
                json!({"name": "Ada", "password": password}).to_string(),
            ))
            .expect("a request");
        kit.guest().request(request).await
    };
    refused!(attempt("1.1.1.1", "wrong horse", "") => 401, "bad-login");
    refused!(attempt("1.1.1.1", "wrong horse", "") => 429, "too-often");
    // The holder is somewhere else, and afterwards the browser is known.
    let right = attempt("2.2.2.2", PASSWORD, "").await;
    right.ok();
    let known = right.headers.get_all("set-cookie").iter();
    let known = known.filter_map(|cookie| cookie.to_str().ok());
    let known = known.filter_map(|cookie| cookie.split(';').next());
    let known = known.filter(|pair| pair.starts_with("leitai-known="));
    let known = known.collect::<String>();
    // Strangers with many addresses together have a bound, too, and the known browser has its own.
    let mut last = None;
    for number in 0..20 {
        let answer = attempt(&format!("3.3.3.{number}"), "wrong horse", "").await;
        last = Some(answer.status.as_u16());
        if last == Some(429) {
            break;
        }
    }
    assert_eq!(last, Some(429), "all addresses together are bounded");
    refused!(attempt("5.5.5.5", PASSWORD, "") => 429, "too-often");
    let other = known.replace("leitai-known=", "leitai-known=0");
    refused!(attempt("5.5.5.6", PASSWORD, &other) => 429, "too-often");
    attempt("1.1.1.1", PASSWORD, &known).await.ok();
    refused!(attempt("1.1.1.1", PASSWORD, &known) => 429, "too-often");
}

#[tokio::test]
async fn the_command_line_opens_accounts() {
    let kit = Kit::new().await;
    let store = &kit.app.store;
    let made = ok!(leitai_server::accounts::create_account(
        store, "ada", PASSWORD, true
    ));
    assert_eq!(made, UserId(1));
    assert!(
        leitai_server::accounts::create_account(store, "Ada", PASSWORD, true)
            .await
            .is_err()
    );
    shows!(kit.guest().post("/api/login", who("ada")) => {"/user/admin": true});
}

#[tokio::test]
async fn a_profile_shows_what_everyone_may_know() {
    let kit = Kit::new().await;
    let ada = kit.person("Ada").await;
    let bot = kit.bot(&ada, "cutoff").await;
    let guest = kit.guest().get("/api/users/ada").await;
    let profile = guest.ok();
    assert_eq!(profile["name"], "Ada");
    let bots = profile["bots"].as_array().expect("a list");
    assert_eq!(bots.len(), 1);
    has!(bots, {"/0/id": bot.id.0, "/0/yours": false});
    // The owner gets the same: the answer is kept for everyone.
    shows!(ada.get("/api/users/Ada") => {"/bots/0/yours": false});
    assert!(!guest.text().contains("password"), "{}", guest.text());
    for unknown in ["nobody", "a%2Fb", "%E5%AD%97"] {
        let path = format!("/api/users/{unknown}");
        kit.guest().get(&path).await.refused(404, "not-found");
    }
    let account = ada.id.expect("an account");
    ok!(kit.app.store.set_user_disabled(account, true));
    refused!(kit.guest().get("/api/users/ada") => 404, "not-found");
}

#[tokio::test]
async fn people_bots_and_matches_are_found() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "Adder"), (&ada, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let guest = kit.guest();
    let found = guest.get("/api/search?q=AD").await.ok();
    has!(found, {"/bots/0/name": "Adder", "/bots/#": 1, "people": [{"name": "ada"}]});
    assert!(found["match"].is_null());
    for number in [format!("{}", done.id), format!("%23{}", done.id)] {
        let found = guest.get(&format!("/api/search?q={number}")).await.ok();
        assert_eq!(found["match"]["id"], done.id.0);
    }
    assert!(guest.get("/api/search?q=999").await.ok()["match"].is_null());
    refused!(guest.get("/api/search?q=%20") => 400, "empty-search");
    assert_eq!(guest.get("/api/users/ADA").await.ok()["played"], json!([]));
    let none = guest.get("/api/matches?person=ada").await.ok();
    assert_eq!(none["items"], json!([]), "her bots played, not she");
    refused!(guest.get("/api/matches?person=nobody") => 404, "not-found");
}

/// Lets a person play a match against a built-in bot to this result.
async fn play_built_in(kit: &Kit, person: &Person, bot: &str, winner: MatchWinner) -> MatchId {
    let store = &kit.app.store;
    let (bot, _) = ok!(store.ensure_unranked_built_in("kob", bot, "", 1, Timestamp::now()));
    let own = MatchEntrant::human_entrant("Ada", person.id);
    let level = store.bot_entrant(bot.id).await.expect("it may play");
    play_to(kit, [own, level], winner).await
}

/// A match with people that ended so.
async fn play_to(kit: &Kit, [a, b]: [MatchEntrant; 2], winner: MatchWinner) -> MatchId {
    let (store, now) = (&kit.app.store, Timestamp::now());
    let entrants = [Some(a), Some(b)].into();
    let new = NewMatch::new("kob", MatchKind::Human, entrants, MatchSeed::from(7), 1);
    let made = store.create_match(new, now).await.expect("made").id;
    let minute = std::time::Duration::from_secs(60);
    let lease = ok!(store.acquire_match(made, "server", now, minute))
        .expect("free")
        .lease;
    let result = MatchResult {
        leg_outcomes: json!([{"winner": winner}]),
        ..plain_result(winner)
    };
    ok!(store.finish_match(&lease, result, now));
    made
}

#[tokio::test]
async fn people_have_a_rating_from_matches_against_levels() {
    let kit = Kit::new().await;
    let (ada, guest) = (kit.person("Ada").await, kit.guest());
    let rating = async || guest.get("/api/users/ada").await.ok()["played"][0]["rating"].clone();
    let untold = play_built_in(&kit, &ada, "safe", MatchWinner::A).await;
    assert!(rating().await.is_null(), "not on the scale");
    refused!(guest.get(&format!("/api/matches/{untold}/rating")) => 404, "not-found");
    let mut last = untold;
    for _ in 0..4 {
        last = play_built_in(&kit, &ada, "level2", MatchWinner::A).await;
    }
    let few = rating().await;
    assert_eq!(few["missing"], 1, "{few}");
    assert!(few["value"].is_null(), "{few}");
    let after = guest.get(&format!("/api/matches/{last}/rating")).await.ok();
    assert_eq!(after["rating"], few);
    play_built_in(&kit, &ada, "level2", MatchWinner::A).await;
    let lost = play_built_in(&kit, &ada, "level2", MatchWinner::B).await;
    let low = rating().await;
    assert_eq!((&low["matches"], &low["missing"]), (&json!(6), &json!(0)));
    let path = format!("/api/matches/{lost}/rating");
    let after = guest.get(&path).await.ok();
    assert_eq!((&after["name"], &after["rating"]), (&json!("Ada"), &low));
    assert!(
        after["change"].as_f64().is_some_and(|change| change < 0.0),
        "{after}"
    );
    let correct = async |winner| {
        let new = NewCorrection {
            winner,
            why: "a wrong map".to_owned(),
            user: None,
        };
        ok!(kit.app.store.correct_match(lost, new, Timestamp::now()));
    };
    let value = |rating: &Value| rating["value"].as_f64().expect("a rating");
    correct(Some(MatchWinner::A)).await;
    assert!(value(&rating().await) > value(&low), "the winner changed");
    correct(None).await;
    let withdrawn = rating().await;
    assert_eq!(withdrawn["matches"], 5);
    guest.get(&path).await.refused(404, "not-found");
    // Another account counts once levels have shown how strong it is.
    let bea = kit.person("Bea").await;
    let meet = async || {
        let [one, other] = [("Ada", &ada), ("Bea", &bea)]
            .map(|(name, person)| MatchEntrant::human_entrant(name, person.id));
        play_to(&kit, [one, other], MatchWinner::A).await
    };
    let path = format!("/api/matches/{}/rating", meet().await);
    guest.get(&path).await.refused(404, "not-found");
    for _ in 0..5 {
        play_built_in(&kit, &bea, "level6", MatchWinner::A).await;
    }
    let path = format!("/api/matches/{}/rating", meet().await);
    let winner = guest.get(&path).await.ok();
    let loser = guest.get(&format!("{path}?side=b")).await.ok();
    assert_eq!(
        (&winner["name"], &loser["name"]),
        (&json!("Ada"), &json!("Bea"))
    );
    let change = |after: &Value| after["change"].as_f64().expect("it changed");
    assert!(change(&winner) > 50.0, "{winner}");
    assert_eq!(loser["rating"]["matches"], 7, "both matches with Ada count");
    assert!(change(&loser) < 0.0, "{loser}");
    refused!(guest.get(&format!("{path}?side=c")) => 400, "bad-query");
    let account = ada.id.expect("an account");
    ok!(kit.app.store.set_user_disabled(account, true));
    let path = format!("/api/matches/{last}/rating");
    guest.get(&path).await.refused(404, "not-found");
}
