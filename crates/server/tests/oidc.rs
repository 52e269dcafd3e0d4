//! Sign in by OpenID Connect: with a real provider, and with one that lies.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request, header};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD as BASE64};
use leitai_server::ServerOptions;
use leitai_server::accounts::secret;
use leitai_server::oidc::Providers;
use leitai_server::oidc::config::ProviderConfig;
use leitai_store::{Timestamp, UserId};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;

use crate::kit::{self, Answer, Kit, PASSWORD, Person};
use crate::ports::find_port;

/// The time limit of the provider's start.
const PATIENCE: Duration = Duration::from_secs(300);

/// A provider (oidc-provider-mock) for the duration of a test.
struct RealProvider {
    process: Child,
    issuer: String,
}

impl Drop for RealProvider {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl RealProvider {
    /// Prints a loud note and returns `None` where the provider is not installed; panics if
    /// `LEITAI_REQUIRE_OIDC` is 1.
    async fn start(users: &[Value]) -> Option<RealProvider> {
        let installed = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../target/venv/bin/oidc-provider-mock"
        );
        let program =
            std::env::var_os("LEITAI_OIDC_PROVIDER").map_or(installed.into(), PathBuf::from);
        let port = find_port();
        let mut command = Command::new(program);
        command.args(["--require-nonce", "true", "--port", &port.to_string()]);
        for user in users {
            command.args(["--user-claims", &user.to_string()]);
        }
        let started = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = started else {
            let required = std::env::var("LEITAI_REQUIRE_OIDC").is_ok_and(|value| value == "1");
            assert!(
                !required,
                "oidc-provider-mock is not installed: run ./dev test"
            );
            eprintln!(
                "NOT TESTED: sign-ins with a real provider, as there is no oidc-provider-mock; \
                 `./dev test` installs it, or name one in LEITAI_OIDC_PROVIDER"
            );
            return None;
        };
        let provider = RealProvider {
            process,
            issuer: format!("http://127.0.0.1:{port}"),
        };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < PATIENCE, "the provider did not start");
            std::thread::park_timeout(Duration::from_millis(10));
        }
        Some(provider)
    }
}

/// Sends the provider's form, and returns where it sends the browser.
async fn submit_form(url: &str, form: &str) -> String {
    // It may be installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .expect("a client");
    let answer = ok!(client
        .post(url)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form.to_owned())
        .send());
    let to = answer.headers().get("location").expect("a redirect");
    let to = to.to_str().expect("text").to_owned();
    to.strip_prefix("https://arena.test")
        .expect("back here")
        .to_owned()
}

fn provider(id: &str, issuer: &str) -> ProviderConfig {
    ProviderConfig {
        id: id.to_owned(),
        name: "Campus".to_owned(),
        name_zh: Some("校园".to_owned()),
        issuer: issuer.to_owned(),
        client: "leitai".to_owned(),
        secret: Some("not told".to_owned()),
        scopes: ["openid", "profile", "email"].map(str::to_owned).to_vec(),
        register: None,
        domains: Vec::new(),
    }
}

async fn open_kit(options: ServerOptions, providers: Vec<ProviderConfig>) -> Kit {
    let mut kit = Kit::with(ServerOptions {
        public_url: Some("https://arena.test".to_owned()),
        ..options
    })
    .await;
    let providers = Providers::new(providers, "https://arena.test").expect("they are sound");
    kit.app = kit.app.with_providers(providers);
    kit.again()
}

/// A browser with cookies.
struct Browser {
    person: Person,
    cookies: BTreeMap<String, String>,
    csrf: Option<String>,
}

impl Browser {
    fn new(kit: &Kit) -> Browser {
        Browser {
            person: kit.guest(),
            cookies: BTreeMap::new(),
            csrf: None,
        }
    }

    /// A browser in which somebody is logged in.
    async fn logged_in(kit: &Kit, name: &str) -> Browser {
        Browser::of(kit, kit.person(name).await)
    }

    fn of(kit: &Kit, person: Person) -> Browser {
        let mut browser = Browser::new(kit);
        let session = person.session.expect("a session");
        browser.cookies.insert("__Host-leitai".to_owned(), session);
        browser.csrf = person.csrf;
        browser
    }

    async fn send(&mut self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "arena.test")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::COOKIE, cookies.join("; "));
        if let Some(csrf) = &self.csrf {
            request = request.header("x-leitai-csrf", csrf);
        }
        let body = body.map_or(Body::empty(), |body| Body::from(body.to_string()));
        let answer = self.person.request(request.body(body).expect("a request"));
        let answer = answer.await;
        for set in answer.headers.get_all(header::SET_COOKIE) {
            let set = set.to_str().expect("text");
            assert!(set.contains("HttpOnly") && set.contains("Secure"), "{set}");
            let (cookie, _) = set.split_once(';').expect("attributes");
            let (name, value) = cookie.split_once('=').expect("a value");
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        let session = self.cookies.get("__Host-leitai");
        self.csrf = session.map(|session| secret::csrf_token(session));
        answer
    }

    async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    async fn post(&mut self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(body)).await
    }

    async fn delete(&mut self, path: &str) -> Answer {
        self.send("DELETE", path, None).await
    }

    /// Goes to a provider; returns the address there.
    async fn begin(&mut self, id: &str, body: Value) -> String {
        let answer = self.post(&format!("/api/sign-in/{id}"), body).await;
        answer.ok()["url"].as_str().expect("an address").to_owned()
    }

    /// Follows the provider's redirect; returns where the arena sends the browser.
    async fn come_back(&mut self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        answer.header("location").to_owned()
    }

    async fn name(&mut self) -> Value {
        self.get("/api/me").await.ok()["user"]["name"].clone()
    }
}

#[tokio::test]
async fn a_person_signs_in_with_a_provider_chooses_a_name_and_comes_again() {
    let ada = json!({"sub": "7f3", "preferred_username": "Ada Lovelace"});
    let Some(real) = RealProvider::start(&[ada]).await else {
        return;
    };
    let kit = open_kit(kit::options(), vec![provider("campus", &real.issuer)]).await;
    kit.admin().await;
    kit.person("Ada-Lovelace").await;
    let mut browser = Browser::new(&kit);
    let shown = browser.get("/api/sign-in").await.ok();
    let name = json!({"en": "Campus", "zh": "校园"});
    assert_eq!(shown, json!([{"id": "campus", "name": name}]));

    let url = browser
        .begin("campus", json!({"return_to": "/upload?x=1"}))
        .await;
    assert!(url.starts_with(&format!("{}/oauth2/authorize?", real.issuer)));
    for part in "response_type=code code_challenge_method=S256 &nonce= &state=".split_whitespace() {
        assert!(url.contains(part), "{url}");
    }
    assert!(!url.contains("not+told") && !url.contains("not%20told"));
    let back = submit_form(&url, "sub=7f3").await;
    assert_eq!(browser.come_back(&back).await, "/choose-name");
    assert_eq!(browser.name().await, Value::Null, "there is no account yet");
    let newcomer = browser.get("/api/newcomer").await.ok();
    assert_eq!(newcomer["name"], "Ada-Lovelace-2", "the name is taken");
    assert_eq!(newcomer["return_to"], "/upload?x=1");
    for (name, status, code) in [
        ("ada-lovelace", 409, "taken"),
        ("admin", 422, "reserved-name"),
        ("a b", 422, "bad-name"),
    ] {
        let refused = browser.post("/api/newcomer", json!({"name": name}));
        refused.await.refused(status, code);
    }
    let admitted = browser.post("/api/newcomer", json!({"name": "ada"}));
    let me = admitted.await.ok();
    has!(me["user"], {"name": "ada", "has_password": false, "admin": false});
    let again = browser.post("/api/newcomer", json!({"name": "eve"}));
    again.await.refused(404, "sign-in-over");

    // From another browser, without a question.
    let mut other = Browser::new(&kit);
    let url = other.begin("campus", json!({})).await;
    let back = submit_form(&url, "sub=7f3").await;
    assert_eq!(other.come_back(&back).await, "/account");
    assert_eq!(other.name().await, "ada");
    // Nobody knows a password of hers.
    let login = json!({"name": "ada", "password": "none"});
    refused!(kit.guest().post("/api/login", login) => 401, "bad-login");
    // An account that is locked stays so.
    let id = UserId(me["user"]["id"].as_i64().expect("a number"));
    let store = &kit.app.store;
    store.set_user_disabled(id, true).await.expect("locked");
    let url = other.begin("campus", json!({})).await;
    let back = submit_form(&url, "sub=7f3").await;
    let said = other.come_back(&back).await;
    assert_eq!(said, "/login?problem=disabled&provider=campus");
    assert_eq!(other.name().await, Value::Null);
}

#[tokio::test]
async fn an_account_is_linked_unlinked_and_takes_its_identities_with_it() {
    let Some(real) = RealProvider::start(&[]).await else {
        return;
    };
    let kit = open_kit(kit::options(), vec![provider("campus", &real.issuer)]).await;
    let mut root = Browser::of(&kit, kit.admin().await);
    let mut ann = Browser::logged_in(&kit, "ann").await;
    let link = json!({"link": true});
    refused!(kit.guest().post("/api/sign-in/campus", link) => 401, "login");
    let link = json!({"link": true, "return_to": "/account?linked"});
    let url = ann.begin("campus", link.clone()).await;
    let back = submit_form(&url, "sub=ann%40example.org").await;
    assert_eq!(ann.come_back(&back).await, "/account?linked");
    let own = ann.get("/api/me/identities").await.ok();
    assert_eq!(own.as_array().map(Vec::len), Some(1), "{own}");
    assert_eq!(own[0]["provider"]["zh"], "校园");
    let mut fresh = Browser::new(&kit);
    let url = fresh.begin("campus", json!({})).await;
    let back = submit_form(&url, "sub=ann%40example.org").await;
    assert_eq!(fresh.come_back(&back).await, "/account");
    assert_eq!(fresh.name().await, "ann");

    // The same identity opens no second account, and an answer links nobody else's.
    let mut bob = Browser::logged_in(&kit, "bob").await;
    let url = bob.begin("campus", link.clone()).await;
    let back = submit_form(&url, "sub=ann%40example.org").await;
    let said = bob.come_back(&back).await;
    assert_eq!(said, "/account?problem=linked&provider=campus");
    let url = bob.begin("campus", link.clone()).await;
    let back = submit_form(&url, "sub=bob").await;
    let eve = Browser::logged_in(&kit, "eve").await;
    let session = eve.cookies["__Host-leitai"].clone();
    bob.cookies.insert("__Host-leitai".to_owned(), session);
    let said = bob.come_back(&back).await;
    assert_eq!(said, "/account?problem=session&provider=campus");

    let path = format!("/api/me/identities/{}", own[0]["id"]);
    refused!(bob.delete(&path) => 404, "not-found");
    assert_eq!(ann.delete(&path).await.status, 204);
    let audit = root.get("/api/admin/audit").await;
    assert_eq!(audit.status, 200);
    let text = audit.text();
    for part in ["user.link-identity", "user.unlink-identity", "campus"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(
        !text.contains("ann@example.org"),
        "the log outlives accounts"
    );

    // Without a password the last one stays, until there is one.
    let mut eve = Browser::new(&kit);
    let url = eve.begin("campus", json!({})).await;
    let back = submit_form(&url, "sub=eve2").await;
    assert_eq!(eve.come_back(&back).await, "/choose-name");
    let admitted = eve.post("/api/newcomer", json!({"name": "eve2"}));
    let id = UserId(
        admitted.await.ok()["user"]["id"]
            .as_i64()
            .expect("a number"),
    );
    let own = eve.get("/api/me/identities").await.ok();
    let path = format!("/api/me/identities/{}", own[0]["id"]);
    refused!(eve.delete(&path) => 409, "refused");
    let change = json!({"old": "", "new": PASSWORD});
    answers!(eve.post("/api/me/password", change) => 204);
    assert_eq!(eve.delete(&path).await.status, 204);

    // What is deleted opens nothing: the person is a newcomer again.
    let url = eve.begin("campus", link).await;
    let back = submit_form(&url, "sub=eve2").await;
    assert_eq!(eve.come_back(&back).await, "/account?linked");
    let farewell = Some(json!({"password": PASSWORD}));
    assert_eq!(eve.send("DELETE", "/api/me", farewell).await.status, 204);
    assert!(ok!(kit.app.store.identities_of(id)).is_empty());
    let mut again = Browser::new(&kit);
    let url = again.begin("campus", json!({})).await;
    let back = submit_form(&url, "sub=eve2").await;
    assert_eq!(again.come_back(&back).await, "/choose-name");
}

#[tokio::test]
async fn the_operator_says_who_gets_an_account() {
    let users = [
        json!({"sub": "in", "email": "in@Example.org", "email_verified": true}),
        json!({"sub": "unverified", "email": "un@example.org"}),
        json!({"sub": "out", "email": "out@example.org.evil.com", "email_verified": true}),
        json!({"sub": "none"}),
    ];
    let Some(real) = RealProvider::start(&users).await else {
        return;
    };
    let closed = || ServerOptions {
        registration: false,
        ..kit::options()
    };
    let domains = ProviderConfig {
        domains: vec!["example.org".to_owned()],
        ..provider("domains", &real.issuer)
    };
    let open = ProviderConfig {
        register: Some(true),
        ..domains.clone()
    };
    for (options, config, to) in [
        (kit::options(), domains.clone(), "/choose-name"),
        (closed(), domains, "/login?problem=closed&provider=domains"),
        (closed(), open, "/choose-name"),
    ] {
        let kit = open_kit(options, vec![config]).await;
        let mut browser = Browser::new(&kit);
        let url = browser.begin("domains", json!({})).await;
        let back = submit_form(&url, "sub=in").await;
        let said = browser.come_back(&back).await;
        if to == "/choose-name" {
            assert_eq!(said, "/login?problem=first-account&provider=domains");
        }
        kit.admin().await;
        for (sub, to) in [
            ("in", to),
            ("unverified", "/login?problem=domain&provider=domains"),
            ("out", "/login?problem=domain&provider=domains"),
            ("none", "/login?problem=domain&provider=domains"),
        ] {
            let url = browser.begin("domains", json!({})).await;
            let back = submit_form(&url, &format!("sub={sub}")).await;
            assert_eq!(browser.come_back(&back).await, to, "{sub}");
        }
    }
}

#[tokio::test]
async fn an_answer_works_once_in_its_browser_and_a_refusal_is_said() {
    let Some(real) = RealProvider::start(&[]).await else {
        return;
    };
    let kit = open_kit(kit::options(), vec![provider("campus", &real.issuer)]).await;
    kit.admin().await;
    let expired = "/login?problem=expired&provider=campus";
    let mut browser = Browser::new(&kit);
    let url = browser.begin("campus", json!({})).await;
    let back = submit_form(&url, "sub=ann").await;
    // Somebody else's browser, with and without a sign-in of its own.
    let mut victim = Browser::new(&kit);
    assert_eq!(victim.come_back(&back).await, expired);
    let url = browser.begin("campus", json!({})).await;
    let back = submit_form(&url, "sub=ann").await;
    victim.begin("campus", json!({})).await;
    assert_eq!(victim.come_back(&back).await, expired);
    // Again.
    let url = browser.begin("campus", json!({})).await;
    let back = submit_form(&url, "sub=ann").await;
    assert_eq!(browser.come_back(&back).await, "/choose-name");
    assert_eq!(browser.come_back(&back).await, expired);
    // Two tabs.
    let first = browser.begin("campus", json!({})).await;
    browser.begin("campus", json!({})).await;
    let back = submit_form(&first, "sub=ann").await;
    assert_eq!(browser.come_back(&back).await, "/choose-name");
    // The person says no.
    let url = browser.begin("campus", json!({})).await;
    let (_, query) = url.split_once("&state=").expect("a state");
    let state = query.split('&').next().expect("a state").to_owned();
    let back = format!("/sign-in/campus?error=access_denied&state={state}");
    let denied = "/login?problem=denied&provider=campus";
    assert_eq!(browser.come_back(&back).await, denied);
    for nonsense in [
        "",
        "?code=x",
        "?code=x&state=y",
        "?state=%3Cscript%3E&code=%00",
    ] {
        let said = browser
            .come_back(&format!("/sign-in/campus{nonsense}"))
            .await;
        assert_eq!(said, expired, "{nonsense}");
    }
    // A code that the provider did not give.
    let url = browser.begin("campus", json!({})).await;
    let (_, query) = url.split_once("&state=").expect("a state");
    let state = query.split('&').next().expect("a state");
    let forged = format!("/sign-in/campus?code=forged&state={state}");
    assert_eq!(
        browser.come_back(&forged).await,
        "/login?problem=answer&provider=campus"
    );
    for (to, code) in [
        ("//evil.example", "bad-return"),
        ("https://evil.example", "bad-return"),
        ("/\\evil.example", "bad-return"),
    ] {
        let asked = json!({"return_to": to});
        refused!(browser.post("/api/sign-in/campus", asked) => 422, code);
    }
    refused!(browser.post("/api/sign-in/other", json!({})) => 404, "not-found");
    // The provider is gone.
    drop(real);
    let url = browser.begin("campus", json!({})).await;
    let (_, query) = url.split_once("&state=").expect("a state");
    let state = query.split('&').next().expect("a state");
    let back = format!("/sign-in/campus?code=x&state={state}");
    let said = browser.come_back(&back).await;
    assert_eq!(said, "/login?problem=unreachable&provider=campus");
    let kit = open_kit(
        kit::options(),
        vec![provider("campus", "http://127.0.0.1:9")],
    )
    .await;
    refused!(kit.guest().post("/api/sign-in/campus", json!({})) => 502, "provider-away");
}

/// A provider that says what a test wants.
#[derive(Clone)]
struct Liar {
    issuer: String,
    lie: Arc<Mutex<Lie>>,
    keys: Arc<Vec<Ed25519KeyPair>>,
    /// `Authorization` and the form of the last request for a token.
    asked: Arc<Mutex<(String, String)>>,
}

#[derive(Clone, Default)]
struct Lie {
    /// Claims that replace the right ones; null leaves one out.
    claims: Value,
    header: Value,
    /// The key that signs; the provider shows the first.
    key: usize,
    nonce: String,
    issuer: Option<String>,
}

impl Liar {
    async fn start() -> Liar {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let random = SystemRandom::new();
        let keys = (0..2).map(|_| {
            let key = Ed25519KeyPair::generate_pkcs8(&random).expect("randomness");
            Ed25519KeyPair::from_pkcs8(key.as_ref()).expect("a key")
        });
        let liar = Liar {
            issuer: format!("http://{address}"),
            lie: Arc::default(),
            keys: Arc::new(keys.collect()),
            asked: Arc::default(),
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(tell_addresses))
            .route("/jwks", get(tell_keys))
            .route("/token", post(tell_token))
            .with_state(liar.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        liar
    }

    fn tell(&self, lie: Lie) {
        *self.lie.lock().expect("no test panics with it") = lie;
    }
}

async fn tell_addresses(State(liar): State<Liar>) -> Json<Value> {
    let issuer = liar.lie.lock().expect("a lie").issuer.clone();
    let own = &liar.issuer;
    Json(json!({
        "issuer": issuer.unwrap_or_else(|| own.clone()),
        "authorization_endpoint": format!("{own}/authorize"),
        "token_endpoint": format!("{own}/token"),
        "jwks_uri": format!("{own}/jwks"),
    }))
}

async fn tell_keys(State(liar): State<Liar>) -> Json<Value> {
    let x = BASE64.encode(liar.keys[0].public_key().as_ref());
    Json(json!({"keys": [
        {"kty": "strange", "kid": "zero"},
        {"kty": "OKP", "crv": "Ed25519", "kid": "one", "x": x},
    ]}))
}

async fn tell_token(State(liar): State<Liar>, headers: HeaderMap, form: String) -> Json<Value> {
    let client = headers
        .get(header::AUTHORIZATION)
        .expect("the client's secret");
    let client = client.to_str().expect("text").to_owned();
    *liar.asked.lock().expect("nothing panics with it") = (client, form);
    let lie = liar.lie.lock().expect("a lie").clone();
    let now = Timestamp::now().0 / 1000;
    let mut header = json!({"alg": "EdDSA", "kid": "one"});
    let mut claims = json!({
        "iss": liar.issuer, "aud": "leitai", "sub": "ann", "nonce": lie.nonce,
        "iat": now, "exp": now + 300, "preferred_username": "ann",
    });
    merge(&mut header, &lie.header);
    merge(&mut claims, &lie.claims);
    let body = format!(
        "{}.{}",
        BASE64.encode(header.to_string()),
        BASE64.encode(claims.to_string())
    );
    let signature = BASE64.encode(liar.keys[lie.key].sign(body.as_bytes()));
    Json(
        json!({"id_token": format!("{body}.{signature}"), "access_token": "x", "token_type": "Bearer"}),
    )
}

fn merge(into: &mut Value, changes: &Value) {
    for (name, value) in changes.as_object().into_iter().flatten() {
        match value {
            Value::Null => _ = into.as_object_mut().expect("an object").remove(name),
            value => into[name] = value.clone(),
        }
    }
}

impl Liar {
    /// Signs a browser in without a lie; where the arena sends it.
    async fn sign_in(&self, browser: &mut Browser, asked: Value) -> String {
        let url = browser.begin("liar", asked).await;
        let nonce = part_of(&url, "nonce");
        self.tell(Lie {
            nonce,
            ..Lie::default()
        });
        let back = format!("/sign-in/liar?code=x&state={}", part_of(&url, "state"));
        browser.come_back(&back).await
    }
}

#[tokio::test]
async fn what_opens_an_account_needs_a_login_of_just_now() {
    let honest = Liar::start().await;
    let kit = open_kit(kit::options(), vec![provider("liar", &honest.issuer)]).await;
    kit.admin().await;
    let mut ann = Browser::new(&kit);
    assert_eq!(honest.sign_in(&mut ann, json!({})).await, "/choose-name");
    let admitted = ann.post("/api/newcomer", json!({"name": "ann"}));
    let id = UserId(admitted.await.ok()["user"]["id"].as_i64().expect("a key"));
    // She has no password, administers, and organises a group with an account of its own.
    let store = &kit.app.store;
    store.set_admin(id, true).await.expect("there");
    let group = json!({"name": "class"});
    let group = ann.post("/api/groups", group).await.ok()["id"].clone();
    let members = format!("/api/groups/{group}/members");
    let list = Some(json!({"csv": "tim"}));
    ann.send("POST", &members, list).await.ok();
    let tim = ok!(store.user_by_name("tim")).expect("made");
    let other = kit.person("other").await.id.expect("an account").0;
    let own = ann.get("/api/me/identities").await.ok();
    let unlink = format!("/api/me/identities/{}", own[0]["id"]);
    let (issue, delete) = (
        format!("{members}/{}/password", tim.id),
        format!("/api/admin/users/{other}"),
    );
    let link = json!({"link": true, "return_to": "/account?linked"});
    let changes = [
        ("POST", "/api/sign-in/liar", Some(link), 200),
        ("POST", "/api/me/tokens", Some(json!({"name": "x"})), 201),
        ("DELETE", "/api/me/mail", None, 204),
        ("POST", &*issue, None, 200),
        ("DELETE", &*delete, None, 204),
        (
            "POST",
            "/api/me/password",
            Some(json!({"old": "", "new": PASSWORD})),
            204,
        ),
        ("DELETE", &*unlink, None, 204),
        ("DELETE", "/api/me", Some(json!({"password": ""})), 422),
    ];
    // Somebody finds the browser open a quarter of an hour later.
    let quarter = Duration::from_secs(15 * 60);
    let begun = Timestamp::now().before(quarter);
    let mut late = Browser::of(&kit, kit.session_since(id, begun).await);
    for (method, path, body, _) in &changes {
        let answer = late.send(method, path, body.clone()).await;
        assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text());
        answer.refused(403, "sign-in-again");
    }
    // In a session of 14 minutes it goes.
    let begun = Timestamp::now().before(quarter - Duration::from_secs(60));
    let mut soon = Browser::of(&kit, kit.session_since(id, begun).await);
    for (method, path, body, status) in &changes {
        let answer = soon.send(method, path, body.clone()).await;
        assert_eq!(answer.status, *status, "{method} {path}: {}", answer.text());
    }
}

/// A part of the address at the provider.
fn part_of(url: &str, name: &str) -> String {
    let (_, rest) = url.split_once(&format!("&{name}=")).expect("it is there");
    rest.split('&').next().expect("a value").to_owned()
}

#[tokio::test]
async fn a_token_that_is_wrong_in_any_way_opens_nothing() {
    let liar = Liar::start().await;
    let other = Liar::start().await;
    let providers = vec![
        provider("liar", &liar.issuer),
        provider("other", &other.issuer),
    ];
    let kit = open_kit(kit::options(), providers).await;
    kit.admin().await;
    let now = Timestamp::now().0 / 1000;
    let claims = |claims: Value| Lie {
        claims,
        ..Lie::default()
    };
    let header = |header: Value| Lie {
        header,
        ..Lie::default()
    };
    let key = |key: usize, header: Value| Lie {
        key,
        header,
        ..Lie::default()
    };
    let lies = [
        (claims(json!({})), None),
        (claims(json!({"aud": ["leitai"]})), None),
        (
            claims(json!({"aud": ["leitai", "x"], "azp": "leitai"})),
            None,
        ),
        (header(json!({"kid": null})), None),
        (claims(json!({"aud": "another"})), Some("audience")),
        (claims(json!({"aud": null})), Some("token")),
        (claims(json!({"aud": ["leitai", "x"]})), Some("audience")),
        (claims(json!({"azp": "x"})), Some("audience")),
        (claims(json!({"iss": other.issuer})), Some("issuer")),
        (claims(json!({"iss": null})), Some("token")),
        (
            claims(json!({"nonce": "of another sign-in"})),
            Some("nonce"),
        ),
        (claims(json!({"nonce": null})), Some("nonce")),
        (claims(json!({"exp": now - 120})), Some("clock")),
        (claims(json!({"exp": now - 30})), None),
        (claims(json!({"exp": null})), Some("token")),
        (
            claims(json!({"iat": now + 3000, "exp": now + 9000})),
            Some("clock"),
        ),
        (
            claims(json!({"iat": now - 90_000, "exp": now + 9000})),
            Some("clock"),
        ),
        (claims(json!({"nbf": now + 3000})), Some("clock")),
        (claims(json!({"sub": ""})), Some("token")),
        (claims(json!({"sub": "a".repeat(300)})), Some("token")),
        (claims(json!({"sub": null})), Some("token")),
        (key(1, json!({})), Some("signature")),
        (key(1, json!({"kid": null})), Some("signature")),
        (header(json!({"kid": "two"})), Some("signature")),
        (header(json!({"kid": "zero"})), Some("signature")),
        (header(json!({"alg": "none"})), Some("token")),
        (header(json!({"alg": "HS256"})), Some("token")),
        (header(json!({"alg": "RS256"})), Some("signature")),
        (header(json!({"alg": "ES256"})), Some("signature")),
    ];
    for (lie, problem) in lies {
        let mut browser = Browser::new(&kit);
        let url = browser.begin("liar", json!({})).await;
        let said = format!("{} {} {}", lie.claims, lie.header, lie.key);
        liar.tell(Lie {
            nonce: part_of(&url, "nonce"),
            ..lie
        });
        let back = format!("/sign-in/liar?code=x&state={}", part_of(&url, "state"));
        let to = browser.come_back(&back).await;
        let expected = match problem {
            Some(problem) => format!("/login?problem={problem}&provider=liar"),
            None => "/choose-name".to_owned(),
        };
        assert_eq!(to, expected, "{said}");
        let is_newcomer = browser.get("/api/newcomer").await.status == 200;
        assert_eq!(is_newcomer, problem.is_none(), "{said}");
    }

    // The provider can tell that the code came to whom it sent away (PKCE), and who asks.
    let mut browser = Browser::new(&kit);
    let url = browser.begin("liar", json!({})).await;
    let back = format!("/sign-in/liar?code=a%26b&state={}", part_of(&url, "state"));
    browser.come_back(&back).await;
    let (client, form) = liar.asked.lock().expect("nothing panics with it").clone();
    assert_eq!(
        client,
        format!("Basic {}", STANDARD.encode("leitai:not+told"))
    );
    let verifier = part_of(&form, "code_verifier");
    let challenge = BASE64.encode(Sha256::digest(verifier.as_bytes()));
    assert_eq!(challenge, part_of(&url, "code_challenge"));
    assert_eq!(part_of(&form, "code"), "a%26b");
    assert!(form.contains("&redirect_uri=https%3A%2F%2Farena.test%2Fsign-in%2Fliar"));

    // An answer of one provider that is sent to the address of another, or says whose it is.
    let mut browser = Browser::new(&kit);
    let url = browser.begin("liar", json!({})).await;
    let mixed = format!("/sign-in/other?code=x&state={}", part_of(&url, "state"));
    let to = browser.come_back(&mixed).await;
    assert_eq!(to, "/login?problem=expired&provider=other");
    let url = browser.begin("liar", json!({})).await;
    let issuer = other.issuer.replace(':', "%3A").replace('/', "%2F");
    let mixed = format!(
        "/sign-in/liar?code=x&state={}&iss={issuer}",
        part_of(&url, "state")
    );
    let to = browser.come_back(&mixed).await;
    assert_eq!(to, "/login?problem=issuer&provider=liar");
    // A configuration of another issuer.
    let third = Liar::start().await;
    third.tell(Lie {
        issuer: Some(liar.issuer.clone()),
        ..Lie::default()
    });
    let kit = open_kit(kit::options(), vec![provider("third", &third.issuer)]).await;
    refused!(kit.guest().post("/api/sign-in/third", json!({})) => 502, "provider-away");
}

#[tokio::test]
async fn nothing_requires_a_provider() {
    let kit = Kit::new().await;
    assert_eq!(kit.guest().get("/api/sign-in").await.ok(), json!([]));
    refused!(kit.guest().post("/api/sign-in/campus", json!({})) => 404, "not-found");
    refused!(kit.guest().get("/api/newcomer") => 404, "sign-in-over");
}
