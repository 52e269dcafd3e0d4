//! Second factors: set up, asked for, lost, switched off, and required by the operator.

use axum::body::Body;
use axum::http::{Request, header};
use leitai_server::accounts::secret::API_PREFIX;
use leitai_server::config::SecondFactorRule;
use leitai_store::{NewToken, NewUser, Timestamp, TokenHash, TokenKind, TokenScope, TokenScopes};
use serde_json::json;
use totp_rs::{Builder, Secret};

use crate::kit::each;
use crate::kit::{Answer, Kit, PASSWORD, Person, says};
use crate::rights::FILE;

const FACTOR: &str = "/api/me/second-factor";

/// The time step now.
pub fn now() -> u64 {
    u64::try_from(Timestamp::now().0).expect("after 1970") / 30_000
}

/// The code that an app with this secret shows at a time step.
pub fn code_of(secret: &str, step: u64) -> String {
    let secret = Secret::try_from_base32(secret).expect("Base32");
    let app = Builder::new().with_secret(secret).build();
    app.expect("160 bits").generate(step * 30).to_string()
}

/// Sets a second factor up; the secret and the recovery codes.
pub async fn set_up(person: &Person, step: u64) -> (String, Vec<String>) {
    let begun = person.post(FACTOR, json!({"password": PASSWORD})).await;
    assert_eq!(begun.header("cache-control"), "no-store");
    let secret = begun.ok()["secret"].as_str().expect("shown").to_owned();
    let code = json!({"code": code_of(&secret, step)});
    let confirmed = person.post(&format!("{FACTOR}/confirm"), code).await;
    assert_eq!(confirmed.header("cache-control"), "no-store");
    let codes = confirmed.ok()["recovery_codes"].clone();
    (secret, serde_json::from_value(codes).expect("words"))
}

async fn log_in(kit: &Kit, password: &str, code: Option<&str>) -> Answer {
    let mut asked = json!({"name": "ada", "password": password});
    if let Some(code) = code {
        asked["code"] = code.into();
    }
    kit.guest().post("/api/login", asked).await
}

#[tokio::test]
async fn logging_in_takes_the_password_and_a_code_once() {
    let kit = Kit::new().await;
    let (ada, other) = (kit.person("ada").await, kit.person("bob").await);
    refused!(ada.post(FACTOR, json!({"password": "wrong horse"})) => 422, "wrong-password");
    let confirm = format!("{FACTOR}/confirm");
    refused!(ada.post(&confirm, json!({"code": "123456"})) => 409, "second-factor-over");
    let begun = ada.post(FACTOR, json!({"password": PASSWORD})).await.ok();
    let (first, link) = (&begun["secret"], &begun["link"]);
    let link = link.as_str().expect("a link");
    assert!(link.starts_with("otpauth://totp/Leitai:ada?"), "{link}");
    says(&begun["qr"].to_string(), &["<svg"]);
    refused!(ada.post(&confirm, json!({"code": "12345"})) => 422, "wrong-code");
    log_in(&kit, PASSWORD, None).await.ok();
    let step = now();
    let (secret, recovery) = set_up(&ada, step).await;
    assert_ne!(*first, *secret, "a new secret each time");
    assert_eq!(recovery.len(), 10);
    let sessions = ada.get("/api/me/sessions").await.ok();
    assert_eq!(sessions["items"].as_array().map(Vec::len), Some(1));

    // Nobody reads the secret again.
    let shown = ada.get(FACTOR).await;
    assert_eq!(
        (&shown.ok()["enabled"], &shown.ok()["recovery_codes"]),
        (&json!(true), &json!(10))
    );
    let again = ada.post(FACTOR, json!({"password": PASSWORD})).await;
    again.refused(409, "second-factor-on");
    for answer in [&shown, &again, &ada.get("/api/me").await] {
        assert!(!answer.text().contains(&secret), "{}", answer.text());
    }
    assert_eq!(other.get(FACTOR).await.ok()["enabled"], false);

    let asked = log_in(&kit, PASSWORD, None).await;
    asked.refused(401, "second-factor");
    assert_eq!(asked.json()["error"]["field"], "code");
    assert_eq!(asked.header("set-cookie"), "");
    // The next code of this moment: that of the set-up may be minutes old on a busy machine.
    let (used, next) = (code_of(&secret, step), code_of(&secret, now() + 1));
    let wrong = log_in(&kit, "wrong horse", Some(&next)).await;
    wrong.refused(401, "bad-login");
    for (code, right) in [
        (&used, false),
        (&next, true),
        (&next, false),
        (&recovery[0].to_uppercase(), true),
        (&recovery[0], false),
    ] {
        match log_in(&kit, PASSWORD, Some(code)).await {
            entered if right => assert_eq!(entered.ok()["user"]["name"], "ada", "{code}"),
            refused => refused.refused(422, "wrong-code"),
        }
    }
    assert_eq!(ada.get(FACTOR).await.ok()["recovery_codes"], 9);

    // A token opens nothing of it; the owner needs both, and a wrong password uses up no code.
    let token = ada.post("/api/me/tokens", json!({"name": "laptop"})).await;
    let program = Person {
        token: token.ok()["token"].as_str().map(str::to_owned),
        ..kit.guest()
    };
    program.get(FACTOR).await.refused(403, "session-only");
    let anew = format!("{FACTOR}/recovery-codes");
    let both =
        |password: &str, code: &str| Some(json!({"password": password, "code": code.to_owned()}));
    for (method, path) in [("POST", &*anew), ("DELETE", FACTOR)] {
        let wrong = ada.send(method, path, both("wrong horse", &recovery[1]));
        wrong.await.refused(422, "wrong-password");
        let wrong = ada.send(method, path, both(PASSWORD, &next));
        wrong.await.refused(422, "wrong-code");
    }
    let made = ada.send("POST", &anew, both(PASSWORD, &recovery[1])).await;
    let fresh = made.ok()["recovery_codes"][0].clone();
    let fresh = fresh.as_str().expect("a code");
    let old = ada.send("DELETE", FACTOR, both(PASSWORD, &recovery[2]));
    old.await.refused(422, "wrong-code");
    answers!(ada.send("DELETE", FACTOR, both(PASSWORD, fresh)) => 204);
    refused!(ada.send("DELETE", FACTOR, both(PASSWORD, fresh)) => 409, "no-second-factor");
    log_in(&kit, PASSWORD, None).await.ok();
    let told = ada.get("/api/me/notifications").await.ok();
    let (off, on, used) = (
        "second-factor-off",
        "second-factor-on",
        "recovery-code-used",
    );
    let kinds = [off, used, "recovery-codes-made", used, used, on];
    assert_eq!(each(&told["items"], "kind"), kinds);
}

#[tokio::test]
async fn codes_are_not_guessed_and_the_holder_is_not_kept_out() {
    let kit = Kit::new().await;
    let (ada, step) = (kit.person("ada").await, now());
    let (secret, recovery) = set_up(&ada, step).await;
    let entered = log_in(&kit, PASSWORD, Some(&recovery[0])).await;
    entered.ok();
    let cookies = entered.headers.get_all("set-cookie").iter();
    let cookies = cookies.filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
    let known: String = cookies
        .filter(|cookie| cookie.starts_with("leitai-known="))
        .collect();
    // Somebody has the password, many addresses and time: there were nine more attempts.
    let user = ada.id.expect("an account");
    for _ in 0..9 {
        ok!(kit.app.limiter.allow_factor_code(user, None));
    }
    let right = code_of(&secret, now() + 1);
    let stranger = log_in(&kit, PASSWORD, Some(&right)).await;
    stranger.refused(429, "too-often");
    let wait: u64 = stranger.header("retry-after").parse().expect("seconds");
    assert!((60..=300).contains(&wait), "{wait}");
    let asked = json!({"name": "ada", "password": PASSWORD, "code": right});
    let request = Request::post("/api/login")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::COOKIE, known)
        .body(Body::from(asked.to_string()))
        .expect("a request");
    kit.guest().request(request).await.ok();
}

/// An arena that requires second factors.
async fn strict() -> Kit {
    Kit::changed(|to| to.second_factor = SecondFactorRule::Required).await
}

/// What the page is told: whether the account administers, and whether it must set one up.
async fn told(person: &Person) -> (bool, bool) {
    let me = person.get("/api/me").await.ok()["user"].clone();
    let flag = |key: &str| me[key].as_bool().expect("a flag");
    (flag("admin"), flag("must_set_second_factor"))
}

const NEEDED: &str = "second-factor-required";

#[tokio::test]
async fn an_arena_requires_it_of_administrators() {
    let kit = strict().await;
    let (root, ada) = (kit.admin().await, kit.person("ada").await);
    let token = leitai_server::accounts::secret::make_token(API_PREFIX);
    let new = NewToken {
        user: root.id,
        kind: TokenKind::Author,
        name: "nightly".to_owned(),
        hash: TokenHash::from_token(&token),
        scopes: TokenScopes::from_scopes(&[TokenScope::Admin, TokenScope::Organise]),
        until: None,
    };
    ok!(kit.app.store.create_token(new, Timestamp::now()));
    let program = Person {
        token: Some(token),
        ..kit.guest()
    };
    assert_eq!(told(&root).await, (false, true));
    assert_eq!(told(&ada).await, (false, false));
    for person in [&root, &program] {
        refused!(person.get("/api/admin/users") => 403, NEEDED);
        let group = json!({"name": "AI 2026", "organiser": "ada"});
        refused!(person.post("/api/groups", group) => 403, NEEDED);
    }
    let scopes = json!({"name": "x", "scopes": ["admin"]});
    refused!(root.post("/api/me/tokens", scopes) => 403, NEEDED);
    refused!(ada.get("/api/admin/users") => 403, "not-admin");
    let bot = json!({"game": "kob", "name": "viper"});
    root.post("/api/bots", bot).await.ok();

    // In the same session, and with the same token.
    set_up(&root, now()).await;
    assert_eq!(told(&root).await, (true, false));
    for person in [&root, &program] {
        person.get("/api/admin/users").await.ok();
    }

    // Whoever has no password is asked by the provider.
    let (store, at) = (&kit.app.store, Timestamp::now());
    let new = NewUser {
        name: "guest-of-campus".to_owned(),
        password: "none".to_owned(),
        admin: true,
    };
    let campus = store.create_user(new, at).await.expect("the name is free");
    let (token, until) = ("c".repeat(64), Timestamp(at.0 + 3_600_000));
    ok!(store.create_session(campus.id, TokenHash::from_token(&token), at, until));
    let campus = Person {
        csrf: Some(leitai_server::accounts::secret::csrf_token(&token)),
        session: Some(token),
        ..kit.guest()
    };
    assert_eq!(told(&campus).await, (true, false));
    refused!(campus.post(FACTOR, json!({"password": ""})) => 409, "no-password");
}

#[tokio::test]
async fn an_arena_requires_it_of_organisers() {
    let kit = strict().await;
    let [teacher, dave] = kit.people(["teacher", "dave"]).await;
    let root = kit.admin().await;
    set_up(&root, now()).await;
    let group = json!({"name": "AI 2026", "organiser": "teacher"});
    let class = root.post("/api/groups", group).await.ok()["id"].clone();
    assert_eq!(told(&dave).await, (false, false));
    assert_eq!(told(&teacher).await, (false, true));
    let members = format!("/api/groups/{class}/members");
    let (list, check) = (json!({"csv": "pupil"}), json!({"file": FILE}));
    for (path, body) in [
        (&*members, &list),
        ("/api/contest-checks", &check),
        ("/api/contests", &check),
    ] {
        refused!(teacher.post(path, body.clone()) => 403, NEEDED);
    }
    let shown = teacher.get(&format!("/api/groups/{class}")).await.ok();
    has!(shown, {"role": "organiser", "manages": false});
    set_up(&teacher, now()).await;
    teacher.post(&members, list).await.ok();
    answers!(teacher.post("/api/contests", check) => 201);

    // Who is named in the file sees the contest, and organises it later.
    assert_eq!(told(&dave).await, (false, true));
    let path = "/api/contests/class-cup";
    let shown = dave.get(path).await.ok();
    has!(shown, {"organises": false, "file": null});
    let export = format!("{path}/export");
    dave.get(&export).await.refused(403, NEEDED);
    set_up(&dave, now()).await;
    assert_eq!(dave.get(path).await.ok()["organises"], true);
}
