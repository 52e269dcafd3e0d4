//! An arena in a temporary folder, and clients that send requests to it.

#![allow(dead_code, reason = "every test takes what it needs of the kit")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt;
use leitai_game::{ByEntrant, Replay};
use leitai_judge::driver::{MatchSpec, play_match};
use leitai_judge::{NoHumans, Player, PlayerKind};
use leitai_server::Arena;
use leitai_server::accounts::{password::PasswordHasher, secret};
use leitai_server::config::make_quota;
use leitai_server::http::caller::SESSION;
use leitai_server::work::results::record_result;
use leitai_server::{App, RateLimits, ServerOptions};
use leitai_store::{
    BlobKey, BlobStore, JobKind, JobWork, MatchEntrant, MatchEntrantKind, MatchId, MatchKind,
    MatchResult, MatchWinner, NewMatch, NewUser, NewVersion, PerSide, Store, Timestamp, TokenHash,
    UserId, VersionOutcome, WorkerOffer,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt;

#[path = "../../../store/tests/contract/made.rs"]
mod made;
pub mod programs;
mod seen;
mod table;
pub use made::*;
pub use seen::{each, has, says, says_but_not};
pub use table::table;

/// The password of every test account.
pub const PASSWORD: &str = "correct horse";

/// Its hash, of those that [`PasswordHasher::worthless`] makes.
static HASH: LazyLock<String> = LazyLock::new(|| {
    use argon2::PasswordHasher as _;
    let params = argon2::Params::new(8, 1, 1, None).expect("the least");
    let argon = argon2::Argon2::from(params);
    let hash = argon.hash_password(PASSWORD.as_bytes());
    hash.expect("there is a random salt").to_string()
});

/// A new database file with its tables, which are made once for all tests.
static DATABASE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    // A thread of its own, as this one may belong to a runtime.
    let made = std::thread::spawn(|| {
        let folder = tempfile::tempdir().expect("there is room");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let url = format!("sqlite://{}/leitai.db", folder.path().display());
            let store = Store::open_url(&url).await.expect("it opens");
            store.close_store().await.expect("it closes");
        });
        std::fs::read(folder.path().join("leitai.db")).expect("it was made")
    });
    made.join().expect("it is made")
});

/// The address of the database in a folder; a new folder gets one.
pub fn place_database(folder: &Path) -> String {
    let file = folder.join("leitai.db");
    if !file.exists() {
        std::fs::write(&file, &*DATABASE).expect("there is room");
    }
    format!("sqlite://{}", file.display())
}

/// An arena in a temporary folder.
pub struct Kit {
    /// The arena.
    pub app: App,
    router: Router,
    folder: TempDir,
}

/// A client.
#[derive(Clone)]
pub struct Person {
    /// All routes.
    pub router: Router,
    /// The value of the session cookie.
    pub session: Option<String>,
    /// The value of `X-Leitai-Csrf`.
    pub csrf: Option<String>,
    /// The value of `Authorization: Bearer`.
    pub token: Option<String>,
    /// The account.
    pub id: Option<UserId>,
}

/// A response.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub bytes: Vec<u8>,
}

/// Options without limits and without caches.
pub fn options() -> ServerOptions {
    let often = make_quota(1_000_000, Duration::from_millis(1));
    let rates = RateLimits {
        login: often,
        account: often,
        register: often,
        guest: often,
        play: often,
        upload: often,
        friendly: often,
    };
    ServerOptions {
        rates,
        keep_answers: Duration::ZERO,
        ..ServerOptions::default()
    }
}

impl Kit {
    /// An empty arena without limits.
    pub async fn new() -> Kit {
        Kit::with(options()).await
    }

    /// An empty arena without limits whose other options are changed so.
    pub async fn changed(change: impl FnOnce(&mut ServerOptions)) -> Kit {
        let mut options = options();
        change(&mut options);
        Kit::with(options).await
    }

    /// An empty arena.
    pub async fn with(options: ServerOptions) -> Kit {
        Kit::at(tempfile::tempdir().expect("there is room"), options).await
    }

    /// The arena in a folder.
    pub async fn at(folder: TempDir, options: ServerOptions) -> Kit {
        let at = folder.path().display();
        let store = ok!(Store::open_url(&place_database(folder.path())));
        let blobs = ok!(BlobStore::open_url(&format!("file://{at}/blobs")));
        let mut app = App::new(leitai_games::ALL, store, blobs, Arena::default(), options);
        app.passwords = PasswordHasher::worthless();
        Kit {
            router: leitai_server::build_router(app.clone()),
            app,
            folder,
        }
    }

    /// Rebuilds the router after a change of `app`.
    pub fn again(self) -> Kit {
        Kit {
            router: leitai_server::build_router(self.app.clone()),
            ..self
        }
    }

    /// Drops the server without a shutdown, as a kill does, and returns its folder.
    pub fn kill(self) -> TempDir {
        self.folder
    }

    /// A second server of the arena: its own connections to the database, its own memory.
    pub async fn second_server(&self) -> Router {
        let store = Store::open_url(&place_database(self.folder())).await;
        let blobs = self.app.blobs.clone();
        let options = ServerOptions::clone(&self.app.options);
        let (store, arena) = (store.expect("it opens"), Arena::default());
        leitai_server::build_router(App::new(leitai_games::ALL, store, blobs, arena, options))
    }

    /// Where the database and the files lie.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The files of replays.
    pub fn replays(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.folder.path().join("blobs/replays"));
        let folders = folders.into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| {
            std::fs::read_dir(folder.path())
                .expect("a folder")
                .flatten()
        });
        files.map(|file| file.path()).collect()
    }

    /// The replay of a match.
    pub async fn replay(&self, id: i64) -> Replay {
        let played = ok!(self.app.store.match_by_id(MatchId(id)));
        let key = BlobKey::parse(&played.replay.expect("it was played")).expect("a key");
        let bytes = ok!(self.app.blobs.read_blob(&key));
        Replay::parse(&String::from_utf8(bytes).expect("text")).expect("a replay")
    }

    /// A guest.
    pub fn guest(&self) -> Person {
        Person {
            router: self.router.clone(),
            session: None,
            csrf: None,
            token: None,
            id: None,
        }
    }

    /// A signed-in user.
    pub async fn person(&self, name: &str) -> Person {
        self.account(name, false).await
    }

    /// Signed-in users.
    pub async fn people<const N: usize>(&self, names: [&str; N]) -> [Person; N] {
        in_order(names.map(|name| self.person(name))).await
    }

    /// A signed-in administrator.
    pub async fn admin(&self) -> Person {
        self.account("root", true).await
    }

    /// The person of an account, in a session that began then.
    pub async fn session_since(&self, id: UserId, begun: Timestamp) -> Person {
        let token = secret::make_token("");
        let hash = TokenHash::from_token(&token);
        let store = &self.app.store;
        ok!(store.create_session(id, hash, begun, begun.after(SESSION)));
        let csrf = Some(secret::csrf_token(&token));
        Person {
            session: Some(token),
            csrf,
            id: Some(id),
            ..self.guest()
        }
    }

    async fn account(&self, name: &str, admin: bool) -> Person {
        let (store, now) = (&self.app.store, Timestamp::now());
        let new = NewUser {
            name: name.to_owned(),
            password: HASH.clone(),
            admin,
        };
        let user = store.create_user(new, now).await.expect("the name is free");
        self.session_since(user.id, now).await
    }

    /// A bot of this person on the ladder of KOB, without versions.
    pub async fn bot(&self, owner: &Person, name: &str) -> leitai_store::Bot {
        let owner = owner.id.expect("somebody with an account");
        let new = new_bot("kob", name, owner);
        ok!(self.app.store.create_bot(new, Timestamp::now()))
    }

    /// A bot with one version that is ready and active, whatever its source says.
    pub async fn ready_bot(
        &self,
        owner: &Person,
        name: &str,
    ) -> (leitai_store::Bot, leitai_store::Version) {
        let bot = self.bot(owner, name).await;
        let version = self.ready_version(&bot).await;
        let bot = self.app.store.find_bot(bot.id).await.expect("it was made");
        (bot, version)
    }

    /// Such bots of these people.
    pub async fn ready_bots<const N: usize>(
        &self,
        of: [(&Person, &str); N],
    ) -> [leitai_store::Bot; N] {
        let made = of.map(|(owner, name)| async move { self.ready_bot(owner, name).await.0 });
        in_order(made).await
    }

    /// Another version of a bot that is ready and active, whatever its source says.
    pub async fn ready_version(&self, bot: &leitai_store::Bot) -> leitai_store::Version {
        self.version_with(bot, json!({"passed": true, "steps": []}))
            .await
    }

    /// The same with this report of its check.
    pub async fn version_with(
        &self,
        bot: &leitai_store::Bot,
        report: Value,
    ) -> leitai_store::Version {
        let (store, key) = (&self.app.store, BlobKey::new_source());
        let code = b"print(0) # a secret".to_vec();
        let bytes = code.len() as i64;
        ok!(self.app.blobs.put_blob(&key, code));
        let source = key.as_str().to_owned();
        let (file_name, notes) = ("bot.py".to_owned(), "notes".to_owned());
        let new = NewVersion {
            bot: bot.id,
            source,
            file_name,
            bytes,
            notes,
            activates: true,
        };
        let version = ok!(store.create_version(new, Timestamp::now()));
        let taken = self.take(JobKind::Version).await;
        let outcome = VersionOutcome::Ready {
            how: "python3".into(),
            protocol: "line".into(),
            report,
        };
        ok!(store.finish_version(&taken.lease, outcome, Timestamp::now()));
        store.find_version(version.id).await.expect("it was made")
    }

    /// Leases the most urgent job of this kind.
    pub async fn take(&self, kind: JobKind) -> leitai_store::LeasedJob {
        let offer: WorkerOffer = serde_json::from_value(json!({
            "worker": "test", "kinds": [kind], "games": [], "programs": true, "wire": 9,
        }))
        .expect("an offer");
        let lease = Duration::from_secs(60);
        let taken = ok!(self.app.store.lease_job(&offer, Timestamp::now(), lease));
        taken.expect("there is a job")
    }

    /// A match of two bots, queued.
    pub async fn queued(
        &self,
        kind: MatchKind,
        bots: [&leitai_store::Bot; 2],
    ) -> leitai_store::Match {
        let pair = [self.entrant(bots[0]).await, self.entrant(bots[1]).await].map(Some);
        let new = NewMatch::new("kob", kind, pair.into(), 7.into(), 2);
        ok!(self.app.store.create_match(new, Timestamp::now()))
    }

    async fn entrant(&self, bot: &leitai_store::Bot) -> MatchEntrant {
        let user_name = match bot.owner {
            Some(owner) => Some(ok!(self.app.store.find_user(owner)).name),
            None => None,
        };
        MatchEntrant {
            kind: MatchEntrantKind::Bot,
            name: bot.name.clone(),
            bot: Some(bot.id),
            version: bot.active,
            number: bot.active.map(|_| 1),
            user: bot.owner,
            user_name,
            built_in: bot.owner.is_none(),
            home: None,
            home_bot: None,
            latency_us: None,
            settings: None,
        }
    }

    /// Such a match of the ladder.
    pub async fn ladder_match(&self, bots: [&leitai_store::Bot; 2]) -> leitai_store::Match {
        self.finished(MatchKind::Ladder, bots).await
    }

    /// A match that `a` won by a fault of `b`. Its replay contains logs, last words and bytes of
    /// both, which only their authors may read.
    pub async fn finished(
        &self,
        kind: MatchKind,
        bots: [&leitai_store::Bot; 2],
    ) -> leitai_store::Match {
        let queued = self.queued(kind, bots).await;
        let finished = self.finish_next().await;
        assert_eq!(finished.id, queued.id, "no other match is queued");
        finished
    }

    /// Ends the next match in the queue as [`Kit::finished`] does.
    pub async fn finish_next(&self) -> leitai_store::Match {
        let taken = self.take(JobKind::Match).await;
        self.finish(&taken).await
    }

    /// Ends this match as [`Kit::finished`] does.
    pub async fn finish(&self, taken: &leitai_store::LeasedJob) -> leitai_store::Match {
        let JobWork::Match(work) = &taken.work else {
            panic!("a job of a match has one")
        };
        let result = MatchResult {
            reason: json!({"id": "leg-wins", "en": "by games won", "zh": "胜局数"}),
            scores: json!([[1, 0], [1, 0]]),
            faults: json!([{"entrant": "b", "code": "RE"}]),
            fault_counts: PerSide { a: 0, b: 1 },
            longest_us: PerSide {
                a: Some(1000),
                b: None,
            },
            ..plain_result(MatchWinner::A)
        };
        let (app, replay) = (&self.app, telling_replay().to_text());
        let done = record_result(
            &app.store,
            &app.blobs,
            &taken.lease,
            work.id,
            replay,
            result,
        )
        .await;
        fits!(done => Ok(leitai_store::RecordOutcome::Recorded { .. }));
        ok!(self.app.store.match_by_id(work.id))
    }
}

/// A KOB match of two built-in bots, with added logs, last words and bytes of both.
pub fn telling_replay() -> Replay {
    let game = leitai_games::find_game("kob").expect("a built-in game");
    let config = game.read_config(&Value::Null).expect("the default");
    let player = |name: &str| Player {
        name: name.into(),
        kind: PlayerKind::BuiltIn(name.into()),
    };
    let players = ByEntrant::new(player("safe"), player("random"));
    let fixture = MatchSpec {
        legs: 2,
        ..MatchSpec::new(game, config, 7, players).expect("the default")
    };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let played = play_match(&fixture, &mut NoHumans, &mut (), &stop).expect("built-in bots play");
    let mut text = serde_json::to_value(&played.replay).expect("plain data");
    text["legs"][0]["logs"] = json!([
        {"entrant": "A", "period": 1, "text": "secret of a"}, {"entrant": "B", "period": 1, "text": "secret of b"},
    ]);
    let fault = |entrant: &str, seat: &str| {
        json!({"entrant": entrant.to_uppercase(), "seat": seat, "code": "RE", "round": 1, "step": 0, "what": "crashed",
            "last_words": [format!("secret words of {entrant}")], "received": "5ec3e7"})
    };
    text["legs"][0]["faults"] = json!([fault("a", "first"), fault("b", "second")]);
    serde_json::from_value(text).expect("a replay")
}

impl Person {
    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    /// Sends a POST request.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(body)).await
    }

    /// Sends a PUT request.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send("PUT", path, Some(body)).await
    }

    /// Sends a PATCH request.
    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send("PATCH", path, Some(body)).await
    }

    /// Sends a DELETE request.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None).await
    }

    /// Sends a request with or without a JSON body.
    pub async fn send(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let kind = body.as_ref().map(|_| "application/json");
        self.raw(
            method,
            path,
            kind,
            body.map(|body| body.to_string().into_bytes())
                .unwrap_or_default(),
        )
        .await
    }

    /// Uploads a file as a form does.
    pub async fn upload(&self, path: &str, file_name: &str, bytes: &[u8]) -> Answer {
        let head = format!(
            "--limit\r\nContent-Disposition: form-data; name=\"notes\"\r\n\r\nfirst\r\n--limit\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"{file_name}\"\r\n\r\n"
        );
        let body = [head.as_bytes(), bytes, b"\r\n--limit--\r\n"].concat();
        self.raw(
            "POST",
            path,
            Some("multipart/form-data; boundary=limit"),
            body,
        )
        .await
    }

    /// Sends a request with the token of a seat in a match, as the answer to joining it has it.
    pub async fn send_from_seat(
        &self,
        (method, path): (&str, &str),
        joined: &Value,
        body: Option<Value>,
    ) -> Answer {
        let kind = body.as_ref().map(|_| "application/json");
        let bytes = body.map(|body| body.to_string().into_bytes());
        let mut request = self.make_request(method, path, kind, bytes.unwrap_or_default());
        let token = joined["token"].as_str().expect("a seat has a token");
        let token = token.parse().expect("a token is a header's value");
        request.headers_mut().insert("leitai-seat", token);
        self.request(request).await
    }

    /// Sends bytes.
    pub async fn raw(&self, method: &str, path: &str, kind: Option<&str>, body: Vec<u8>) -> Answer {
        self.request(self.make_request(method, path, kind, body))
            .await
    }

    fn make_request(
        &self,
        method: &str,
        path: &str,
        kind: Option<&str>,
        body: Vec<u8>,
    ) -> Request<Body> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "arena.test");
        let headers = [
            (
                header::COOKIE.as_str(),
                self.session.as_ref().map(|token| format!("leitai={token}")),
            ),
            (
                header::AUTHORIZATION.as_str(),
                self.token.as_ref().map(|token| format!("Bearer {token}")),
            ),
            ("x-leitai-csrf", self.csrf.clone()),
            (header::CONTENT_TYPE.as_str(), kind.map(str::to_owned)),
        ];
        for (name, value) in headers {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        request.body(Body::from(body)).expect("a sound request")
    }

    /// Sends a GET request and returns the body as a stream.
    pub async fn follow(&self, path: &str) -> Body {
        let cookie = format!("leitai={}", self.session.as_deref().unwrap_or_default());
        let request = Request::get(path)
            .header(header::COOKIE, cookie)
            .body(Body::empty());
        let response = self
            .router
            .clone()
            .oneshot(request.expect("a sound request"))
            .await;
        response.expect("the router never fails").into_body()
    }

    /// Sends a request as it is.
    pub async fn request(&self, request: Request<Body>) -> Answer {
        let response = ok!(self.router.clone().oneshot(request));
        let (parts, body) = response.into_parts();
        let bytes = ok!(body.collect()).to_bytes().to_vec();
        Answer {
            status: parts.status,
            headers: parts.headers,
            bytes,
        }
    }
}

impl Answer {
    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|_| panic!("no JSON: {} {}", self.status, self.text()))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The code of a refusal.
    pub fn code(&self) -> String {
        self.json()["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Asserts success and returns the JSON.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert!(self.status.is_success(), "{} {}", self.status, self.text());
        if self.bytes.is_empty() {
            Value::Null
        } else {
            self.json()
        }
    }

    /// Asserts an error response with this status and code.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) {
        assert_eq!(
            (self.status.as_u16(), self.code().as_str()),
            (status, code),
            "{}",
            self.text()
        );
        let message = self.json()["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(
            message.len() > 10,
            "an error message says what happened and what to do next: {message:?}"
        );
    }

    /// A header.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}
