//! Human matches and live matches over HTTP and real WebSockets, and the frames of recorded
//! matches.

use crate::kit;

use std::io::Read;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use flate2::read::DeflateDecoder;
use futures_util::{SinkExt, StreamExt};
use kit::{Kit, Person, says};
use leitai_game::conformance::random_leg_tokens;
use leitai_game::{AnySetup, ByEntrant, Replay, Rng};
use leitai_guest::file::parts::Parts;
use leitai_guest::{GameFile, Limits};
use leitai_judge::Sandbox;
use leitai_server::live::LiveMatchStart;
use leitai_server::play::resume;
use leitai_server::work::program_cache::ProgramCache;
use leitai_store::{
    MatchEntrant, MatchId, MatchKind, MatchSide, MatchState, NewMatch, PerSide, RematchOffer,
    Timestamp, TokenHash,
};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// A server on a local port, with the built-in bots `random` of every game.
pub(crate) struct TestServer {
    pub(crate) kit: Kit,
    address: SocketAddr,
}

impl Deref for TestServer {
    type Target = Kit;

    fn deref(&self) -> &Kit {
        &self.kit
    }
}

impl TestServer {
    async fn open() -> TestServer {
        TestServer::over(Kit::new().await).await
    }

    pub(crate) async fn over(kit: Kit) -> TestServer {
        for game in leitai_games::ALL {
            let (store, id) = (&kit.app.store, game.meta().id);
            ok!(store.ensure_built_in(id, "random", "", Timestamp::now()));
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let router = leitai_server::build_router(kit.app.clone());
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        TestServer { kit, address }
    }

    /// From now it runs programs, without isolation.
    fn run_programs(&self) {
        let sandbox = Some(Sandbox::without_isolation());
        let shop = ProgramCache::new(sandbox, 2, "/proc/self/exe".into());
        self.app.arena.human_matches.set_program_cache(shop);
    }

    async fn random(&self, game: &str) -> i64 {
        let bot = ok!(self.kit.app.store.bot_by_name(game, "random"));
        bot.expect("it was made").id.0
    }

    async fn connect(&self, path: &str) -> Result<Line, Error> {
        let (socket, _) = connect_async(format!("ws://{}{path}", self.address)).await?;
        Ok(Line {
            socket,
            seen: Vec::new(),
            bytes: 0,
            packed: 0,
        })
    }

    pub(crate) async fn sit(&self, seat: &Value) -> Line {
        let mut line = ok!(self.connect(&format!("/api/matches/{}/play", seat["match"])));
        line.say(json!({"type": "join", "token": seat["token"]}))
            .await;
        line
    }
}

/// A WebSocket and the messages received so far.
pub(crate) struct Line {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    seen: Vec<Value>,
    /// The bytes of all message texts.
    bytes: usize,
    /// Bytes of the compressed messages as received.
    packed: usize,
}

impl Line {
    async fn say(&mut self, word: Value) {
        ok!(self.socket.send(Message::text(word.to_string())));
    }

    pub(crate) async fn say_resign(&mut self) {
        self.say(json!({"type": "resign"})).await;
    }

    async fn next(&mut self) -> Option<Value> {
        loop {
            match self.socket.next().await? {
                Ok(Message::Text(text)) => return Some(self.see(&text)),
                Ok(Message::Binary(bytes)) => {
                    let mut text = String::new();
                    DeflateDecoder::new(&bytes[..])
                        .read_to_string(&mut text)
                        .expect("raw DEFLATE");
                    self.packed += bytes.len();
                    return Some(self.see(&text));
                }
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    fn see(&mut self, text: &str) -> Value {
        let message: Value = serde_json::from_str(text).expect("JSON");
        self.bytes += text.len();
        self.seen.push(message.clone());
        message
    }

    pub(crate) async fn wait(&mut self, kind: &str) -> Value {
        while let Some(message) = self.next().await {
            if message["type"] == kind {
                return message;
            }
        }
        panic!("no {kind} came: {:?}", self.seen.last());
    }

    /// Plays random legal keys until the match is over; returns the last message.
    pub(crate) async fn play(&mut self, seed: u64) -> Value {
        let mut rng = Rng::new(seed);
        loop {
            let message = self.next().await.expect("there is an end");
            match message["type"].as_str() {
                Some("question") => {
                    let legal = |choice: &&Value| choice["legal"] == true;
                    let choices = message["choices"].as_array().expect("a list");
                    let choices: Vec<&Value> = choices.iter().filter(legal).collect();
                    let action = &choices[rng.next_below(choices.len())]["action"];
                    self.say(json!({"type": "choose", "leg": message["leg"], "step": message["step"], "action": action}))
                        .await;
                }
                Some("finished") => return message,
                _ => {}
            }
        }
    }

    fn kinds(&self) -> Vec<&str> {
        self.seen
            .iter()
            .filter_map(|message| message["type"].as_str())
            .collect()
    }
}

async fn table(person: &Person, wanted: Value) -> Value {
    person.post("/api/human-matches", wanted).await.ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_plays_a_bot_and_everything_is_kept() {
    let server = TestServer::open().await;
    let guest = server.guest();
    let wanted = json!({
        "game": "snakego", "seat": "a", "opponent": {"bot": server.random("snakego").await},
        "name": "visitor", "config": {"max_round": 6},
    });
    let seat = table(&guest, wanted).await;
    has!(seat, {"seat": "a", "invite": null});
    let id = &seat["match"];
    refused!(guest.get(&format!("/api/matches/{id}/frames")) => 404, "not-found");
    let mut spectator = ok!(server.connect(&format!("/api/matches/{id}/live")));
    let hello = spectator.wait("hello").await;
    has!(hello["match"], {"kind": "human", "/a/name": "visitor"});
    let mut line = server.sit(&seat).await;
    let over = line.play(1).await["match"].clone();
    has!(over, {"state": "finished", "rating_change": null});
    assert_eq!(line.kinds()[..3], ["hello", "presence", "leg"]);
    spectator.wait("leg").await;
    assert_eq!(spectator.wait("finished").await["match"], over);
    let full = guest.get(&format!("/api/matches/{id}")).await.ok();
    assert_eq!(full["winner"], over["winner"]);
    let frames = get!(guest, "/api/matches/{id}/frames?leg=2&perspective=second");
    has!(frames, {"leg": 2, "perspective": "second", "status": "complete"});
    assert_eq!(frames["seats"], json!({"first": "b", "second": "a"}));
    assert!(frames["frames"][1]["spent_us"].is_array());
    refused!(guest.get(&format!("/api/matches/{id}/frames?leg=3")) => 404, "not-found");
    refused!(guest.get(&format!("/api/matches/{id}/frames?leg=0")) => 404, "not-found");
    // The replay is downloaded like any other.
    let replay = guest.get(&format!("/api/matches/{id}/replay")).await.text();
    let parsed = Replay::parse(&replay).expect("it is a replay");
    assert_eq!(
        parsed.entrants[leitai_game::Entrant::A].kind,
        leitai_game::replay::EntrantKind::Human
    );
    let shown = guest
        .raw("POST", "/api/replays/frames", None, replay.into_bytes())
        .await
        .ok();
    assert_eq!(shown["verified"], true);
    // A late spectator receives the result.
    let mut late = ok!(server.connect(&format!("/api/matches/{id}/live")));
    assert_eq!(late.wait("finished").await["match"], over);
    assert!(
        server
            .connect(&format!("/api/matches/{id}/play"))
            .await
            .is_err(),
        "the match is removed from memory"
    );
    assert_eq!(server.app.arena.live.list_matches(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_is_invited_and_the_other_leaves() {
    let server = TestServer::open().await;
    let (ada, guest) = (server.person("ada").await, server.guest());
    let config = json!({"max_round": 5});
    let wanted =
        json!({"game": "snakego", "seat": "b", "opponent": {"invite": true}, "config": config});
    let seat = table(&ada, wanted).await;
    let code = seat["invite"].as_str().expect("a code");
    let invited = guest.get(&format!("/api/invites/{code}")).await.ok();
    has!(invited, {"game": "snakego", "/match/state": "waiting"});
    assert_eq!(invited["match"]["b"]["name"], "ada");
    let link = format!("http://arena.test/invite/{code}");
    assert_eq!(invited["link"], json!(link));
    // The link shows who invites before it is opened, and a phone beside can read it.
    let opened = guest.get(&format!("/invite/{code}")).await.text();
    let title = "ada invites you to a match of SnakeGo";
    says(&opened, &[&format!("\"og:title\" content=\"{title}\"")]);
    let picture = format!("/api/invites/{code}/picture");
    assert!(opened.contains(&picture), "{opened}");
    let shown = guest.get(&picture).await;
    assert_eq!(shown.header("content-type"), "image/png");
    assert!(shown.bytes.starts_with(b"\x89PNG"));
    let drawn = guest.get(&format!("/api/invites/{code}/qr")).await;
    assert_eq!(drawn.header("content-type"), "image/svg+xml");
    assert!(drawn.text().contains("<svg"));
    refused!(guest.get("/api/invites/0123456789/qr") => 404, "not-found");
    let mut ada_line = server.sit(&seat).await;
    assert_eq!(ada_line.wait("presence").await["a"], "none");
    refused!(guest.post(&format!("/api/invites/{code}"), json!({"name": "a\u{202e}b"})) => 422, "bad-name");
    let other = post!(guest, &format!("/api/invites/{code}"), {"name": "bea"});
    has!(other, {"seat": "a", "match": seat["match"]});
    guest.get(&picture).await.refused(404, "not-found");
    answers!(guest.post(&format!("/api/invites/{code}"), json!({})) => 409);
    refused!(guest.get("/api/invites/0123456789") => 404, "not-found");
    refused!(guest.post("/api/invites/0123456789", json!({})) => 404, "not-found");
    let mut bea_line = server.sit(&other).await;
    let frames = ada_line.wait("leg").await;
    assert_eq!(frames["frames_of_leg"]["entrants"], json!(["bea", "ada"]));
    bea_line.wait("question").await;
    // Spectators are counted; the people who play are none.
    let shown = format!("/api/matches/{}", seat["match"]);
    assert_eq!(guest.get(&shown).await.ok()["spectators"], 0);
    let live = format!("{shown}/live");
    let mut spectator = server.connect(&live).await.expect("anybody may watch");
    spectator.wait("leg").await;
    assert_eq!(guest.get(&shown).await.ok()["spectators"], 1);
    bea_line.say(json!({"type": "resign"})).await;
    let over = ada_line.wait("finished").await["match"].clone();
    has!(over, {"winner": "b", "faults": [{"entrant": "a", "code": "EXIT", "leg": 1, "round": 1,
        "step": 0}]});
    let full = get!(ada, "/api/matches/{}", seat["match"]);
    has!(full, {"your": "b", "/a/name": "bea"});
}

/// Waits until the lobby shows so many tables.
async fn lobby_of(person: &Person, count: usize) -> Vec<Value> {
    loop {
        let lobby = person.get("/api/lobby").await.ok();
        let tables = lobby["items"].as_array().expect("a list").clone();
        if tables.len() == count {
            return tables;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_people_meet_in_the_lobby_and_play() {
    let server = TestServer::open().await;
    let (ada, guest) = (server.person("ada").await, server.guest());
    let wanted = json!({
        "game": "snakego", "opponent": {"anybody": true}, "config": {"max_round": 5}, "legs": 1,
    });
    guest
        .post(
            "/api/human-matches",
            json!({"game": "snakego", "opponent": {"anybody": false}}),
        )
        .await
        .refused(422, "bad-field");
    assert_eq!(lobby_of(&guest, 0).await, [] as [Value; 0]);
    let first = table(&ada, wanted.clone()).await;
    assert_eq!(first["invite"], Value::Null, "the page opens the match");
    let mut ada_line = server.sit(&first).await;
    let listed = lobby_of(&guest, 1).await;
    let free = if first["seat"] == "a" { "b" } else { "a" };
    has!(listed[0], {"match": first["match"], "game": "snakego", "name": "ada", "has_account": true,
        "free": free, "legs": 1, "/config/max_round": 5});
    // Another length, the seat that is taken, and the same account lead to tables of their own.
    let mut other = wanted.clone();
    other["config"] = json!({"max_round": 6});
    assert_ne!(table(&guest, other).await["match"], first["match"]);
    let mut same_seat = wanted.clone();
    same_seat["seat"] = first["seat"].clone();
    assert_ne!(table(&guest, same_seat).await["match"], first["match"]);
    let own = format!("/api/lobby/{}", first["match"]);
    ada.post(&own, json!({})).await.refused(409, "own-table");
    let second = table(&guest, wanted).await;
    has!(second, {"match": first["match"], "seat": free, "invite": null});
    guest.post(&own, json!({})).await.refused(409, "gone");
    lobby_of(&guest, 0).await;
    let mut guest_line = server.sit(&second).await;
    let (over, _) = tokio::join!(ada_line.play(1), guest_line.play(2));
    assert_eq!(over["match"]["state"], "finished");
    guest.post(&own, json!({})).await.refused(404, "not-found");
}

/// Who stays need not act first, in games of turns and in games where both move at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resignation_ends_the_match_while_the_other_person_is_asked() {
    let server = TestServer::open().await;
    let (ada, guest) = (server.person("ada").await, server.guest());
    for game in ["snakego", "kob", "tankcraft"] {
        for leaver in ["a", "b"] {
            let wanted = json!({
                "game": game, "seat": "a", "opponent": {"anybody": true}, "legs": 1,
            });
            let (_, [mut first_line, mut second_line]) = meet(&server, wanted, &guest, &ada).await;
            // The first player is asked in each of the games.
            first_line.wait("question").await;
            let leaving = match leaver {
                "a" => &mut first_line,
                _ => &mut second_line,
            };
            leaving.say(json!({"type": "resign"})).await;
            let over = first_line.wait("finished").await["match"].clone();
            let stays = if leaver == "a" { "b" } else { "a" };
            assert_eq!(over["winner"], stays, "{game}, {leaver} resigns: {over}");
            let faults = over["faults"].as_array().expect("a list");
            let blamed: Vec<_> = faults.iter().map(|fault| &fault["entrant"]).collect();
            assert_eq!(blamed, [leaver], "{game}: {over}");
        }
    }
}

/// Somebody opens this table, and another one takes it in the lobby.
async fn meet(
    server: &TestServer,
    wanted: Value,
    one: &Person,
    other: &Person,
) -> ([Value; 2], [Line; 2]) {
    let first = table(one, wanted).await;
    let line = server.sit(&first).await;
    let listed = lobby_of(other, 1).await;
    let second = post!(other, &format!("/api/lobby/{}", listed[0]["match"]), {});
    let lines = [line, server.sit(&second).await];
    ([first, second], lines)
}

/// A match of ada (a) and a guest (b) that is over.
async fn finished_match(server: &TestServer, ada: &Person, guest: &Person) -> [Value; 2] {
    let wanted = json!({
        "game": "snakego", "seat": "b", "opponent": {"anybody": true}, "name": "bea", "legs": 1,
        "config": {"max_round": 7},
    });
    let ([first, second], [mut line, mut ada_line]) = meet(server, wanted, guest, ada).await;
    ada_line.wait("question").await;
    line.say(json!({"type": "resign"})).await;
    assert_eq!(line.wait("finished").await["match"]["winner"], "a");
    [second, first]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_people_play_a_rematch() {
    let server = TestServer::open().await;
    let (ada, guest) = (server.person("ada").await, server.guest());
    let [own, other] = finished_match(&server, &ada, &guest).await;
    let path = format!("/api/matches/{}/rematch", own["match"]);
    let get = async |person: &Person, seat: &Value| {
        person.send_from_seat(("GET", &path), seat, None).await
    };
    let ask = async |person: &Person, seat: &Value, side: &str| {
        let wanted = json!({"seat": side});
        person
            .send_from_seat(("POST", &path), seat, Some(wanted))
            .await
    };
    let refuse = async |person: &Person, seat: &Value| {
        answers!(person.send_from_seat(("DELETE", &path), seat, None) => 204);
    };
    // Nobody else learns of it.
    guest.get(&path).await.refused(403, "no-seat");
    let wrong = json!({"token": "0123"});
    get(&guest, &wrong).await.refused(403, "no-seat");
    assert_eq!(get(&ada, &own).await.ok()["state"], "none");
    // What one says after the match, the other one hears; in their own words nobody speaks.
    let phrase = format!("/api/matches/{}/phrase", own["match"]);
    let say = async |person: &Person, seat: &Value, word: &str| {
        let said = json!({"phrase": word});
        person
            .send_from_seat(("PUT", &phrase), seat, Some(said))
            .await
    };
    say(&guest, &wrong, "hello").await.refused(403, "no-seat");
    assert_eq!(say(&ada, &own, "good_game").await.status.as_u16(), 204);
    // Again at once; a slow machine may take the two seconds after which it is allowed.
    let mut again = say(&ada, &own, "good_game").await;
    for _ in 0..20 {
        if again.status.is_success() {
            again = say(&ada, &own, "good_game").await;
        }
    }
    again.refused(429, "too-often");
    let refused = say(&guest, &other, "you are bad").await;
    assert!(refused.status.is_client_error());
    assert_eq!(get(&guest, &other).await.ok()["said"], "good_game");
    assert_eq!(get(&ada, &own).await.ok()["said"], Value::Null);
    // Asked for with swapped sides, and declined.
    let asked = ask(&ada, &own, "b").await.ok();
    has!(asked, {"state": "asked", "seat": "b"});
    let received = get(&guest, &other).await.ok();
    has!(received, {"state": "received", "seat": "a", "joined": null});
    refuse(&guest, &other).await;
    assert_eq!(get(&ada, &own).await.ok()["state"], "declined");
    assert_eq!(get(&guest, &other).await.ok()["state"], "none");
    // Asked for and taken back.
    ask(&ada, &own, "b").await.ok();
    refuse(&ada, &own).await;
    assert_eq!(get(&guest, &other).await.ok()["state"], "none");
    // Asked for and accepted.
    ask(&ada, &own, "b").await.ok();
    let accepted = ask(&guest, &other, "b").await.ok();
    let joined = &accepted["joined"];
    assert_eq!(
        (&accepted["state"], &joined["seat"]),
        (&json!("accepted"), &json!("a"))
    );
    let told = get(&ada, &own).await.ok();
    has!(told, {"state": "accepted", "/joined/match": joined["match"], "/joined/seat": "b"});
    let mut lines = [server.sit(joined).await, server.sit(&told["joined"]).await];
    let frames = lines[0].wait("leg").await;
    assert_eq!(frames["frames_of_leg"]["entrants"], json!(["bea", "ada"]));
    let full = get!(ada, "/api/matches/{}", joined["match"]);
    assert_eq!(
        (
            &full["legs"],
            &full["config"]["max_round"],
            &full["b"]["user"].is_null()
        ),
        (&json!(1), &json!(7), &false)
    );
    refused!(ask(&ada, &own, "a") => 409, "has-rematch");
    // Whoever has watched can go on watching.
    let before = format!("/api/matches/{}", own["match"]);
    let before = server.guest().get(&before).await.ok();
    assert_eq!(before["rematch"], joined["match"]);
    // The new match is not over.
    let next = format!("/api/matches/{}/rematch", joined["match"]);
    refused!(guest.send_from_seat(("GET", &next), joined, None) => 409, "not-finished");
    // Against a bot there is nobody to ask.
    let bot = json!({"bot": server.random("kob").await});
    let alone = table(&guest, json!({"game": "kob", "opponent": bot})).await;
    let path = format!("/api/matches/{}/rematch", alone["match"]);
    refused!(guest.send_from_seat(("GET", &path), &alone, None) => 409, "no-person");
}

/// A match of before seats were kept, or one whose seats were forgotten.
#[tokio::test]
async fn a_rematch_needs_the_seats_of_both_people() {
    let kit = Kit::new().await;
    let (store, guest, now) = (&kit.app.store, kit.guest(), Timestamp::now());
    let person = || Some(MatchEntrant::human_entrant("guest", None));
    let pair = PerSide {
        a: person(),
        b: person(),
    };
    let new = NewMatch {
        seats: PerSide {
            a: Some(TokenHash::from_token("a")),
            b: None,
        },
        ..NewMatch::new("kob", MatchKind::Human, pair, 7.into(), 2)
    };
    let made = store.create_match(new, now).await.expect("made");
    let lease = Duration::from_secs(60);
    let taken = store.acquire_match(made.id, "test", now, lease).await;
    kit.finish(&taken.expect("it answers").expect("free")).await;
    let offer = RematchOffer {
        by: MatchSide::B,
        wants: MatchSide::B,
        account: None,
        since: Timestamp::now(),
        answer: None,
    };
    ok!(store.offer_rematch(made.id, offer));
    let path = format!("/api/matches/{}/rematch", made.id.0);
    let wanted = Some(json!({"seat": "a"}));
    let seat = json!({"token": "a"});
    refused!(guest.send_from_seat(("POST", &path), &seat, wanted) => 409, "no-person");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_is_chosen_from_the_lobby_while_its_person_is_there() {
    let server = TestServer::open().await;
    let (ada, guest) = (server.person("ada").await, server.guest());
    let wanted = json!({
        "game": "snakego", "seat": "b", "opponent": {"anybody": true}, "name": "bea", "legs": 1,
    });
    let first = table(&guest, wanted).await;
    let line = server.sit(&first).await;
    let listed = lobby_of(&ada, 1).await;
    has!(listed[0], {"name": "bea", "has_account": false});
    // Who leaves the page leaves the lobby, and is there again when they come back.
    drop(line);
    lobby_of(&ada, 0).await;
    let mut line = server.sit(&first).await;
    lobby_of(&ada, 1).await;
    let path = format!("/api/lobby/{}", first["match"]);
    let second = ada.post(&path, json!({})).await.ok();
    has!(second, {"match": first["match"], "seat": "a"});
    let mut ada_line = server.sit(&second).await;
    let frames = line.wait("leg").await;
    assert_eq!(frames["frames_of_leg"]["entrants"], json!(["ada", "bea"]));
    ada_line.wait("question").await;
    ada_line.say(json!({"type": "resign"})).await;
    assert_eq!(line.wait("finished").await["match"]["winner"], "b");
    refused!(guest.post("/api/lobby/99999", json!({})) => 404, "not-found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_table_does_not_stop_the_next_person() {
    let server = TestServer::open().await;
    let guest = server.guest();
    let wanted = json!({"game": "kob", "opponent": {"anybody": true}, "legs": 1});
    let (first, id) = {
        let first = table(&guest, wanted.clone()).await;
        let id = MatchId(first["match"].as_i64().expect("a number"));
        (first, id)
    };
    let _line = server.sit(&first).await;
    lobby_of(&guest, 1).await;
    let store = &server.app.store;
    ok!(store.cancel_match(id, "by an administrator", Timestamp::now()));
    let second = table(&guest, wanted).await;
    assert_ne!(second["match"], first["match"]);
    lobby_of(&guest, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_plays_an_uploaded_program() {
    let server = TestServer::open().await;
    server.run_programs();
    let owner = server.person("owner").await;
    // The program answers one 0 and exits.
    let (uploaded, version) = server.ready_bot(&owner, "mine").await;
    let wanted = json!({"game": "kob", "seat": "b", "opponent": {"version": version.id}});
    let seat = table(&server.guest(), wanted).await;
    let mut line = server.sit(&seat).await;
    let over = line.play(3).await["match"].clone();
    has!(over, {"state": "finished", "/a/bot": uploaded.id});
    let frames = get!(server.guest(), "/api/matches/{}/frames", seat["match"]);
    let token = frames["frames"][1]["token"].as_str().expect("both moved");
    assert!(token.starts_with("0/"), "{token}");
}

/// A bot that a game file brought is a program that the server builds as an upload.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_plays_a_bot_that_came_with_the_game() {
    let server = TestServer::open().await;
    let games = &server.app.games;
    let file = crate::game_files::with_bot();
    let parts = Parts::from_archive(&file, Path::new("file")).expect("it is packed");
    let file = GameFile::load(parts, Limits::default()).unwrap_or_else(|why| panic!("{why:?}"));
    games.put(Arc::new(file.game).into());
    let (store, now) = (&server.app.store, Timestamp::now());
    let made = store.ensure_unranked_built_in("say-a", "answers", "", 1, now);
    let (bot, _) = made.await.expect("the name is free");
    server.run_programs();
    let wanted = json!({"game": "say-a", "seat": "b", "opponent": {"bot": bot.id.0}});
    let seat = table(&server.guest(), wanted).await;
    let mut line = server.sit(&seat).await;
    let over = line.play(3).await["match"].clone();
    assert_eq!(over["state"], "finished", "{over}");
    let path = format!("/api/matches/{}/frames", seat["match"]);
    let frames = server.guest().get(&path).await.ok();
    has!(frames, {"/frames/1/outcome/winner": "first"});
}

#[tokio::test]
async fn what_a_program_at_home_draws_is_as_long_as_the_schema_says() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let api: Value = kit.guest().get("/api/openapi.json").await.ok();
    let schema = &api["components"]["schemas"]["HomeOfferRequest"]["properties"];
    let (session, token) = ("s".repeat(20), "t".repeat(40));
    for field in ["session", "token"] {
        let bound = |name: &str| schema[field][name].as_u64().expect("a number") as usize;
        let (least, most) = (bound("minLength"), bound("maxLength"));
        for length in [least - 1, least, most, most + 1] {
            let mut offer = json!({"game": "kob", "name": "mybot", "protocol": "json-lines",
                "session": session, "token": token, "begins": true});
            offer[field] = "x".repeat(length).into();
            let answer = ada.put("/api/home-bots", offer).await;
            if (least..=most).contains(&length) {
                has!(answer.ok(), {"state": "waits"});
                continue;
            }
            answer.refused(422, "bad-token");
            let why = format!("{field} has {length} characters; draw {least} to {most} letters");
            says(&answer.text(), &[&why, &format!("\"field\":\"{field}\"")]);
        }
    }
}

#[tokio::test]
async fn requests_that_cannot_be_played_are_refused() {
    let server = TestServer::open().await;
    let guest = server.guest();
    let bot = server.random("kob").await;
    // What differs from a match that is played.
    for [changed, status, code] in kit::table(
        r#"
"game": "chess" | 404 | not-found
"game": "snakego" | 422 | other-game
"opponent": {"bot": 999} | 404 | not-found
"opponent": {"version": 999} | 404 | not-found
"config": {"rows": -1} | 422 | bad-config
"config": {"nonsense": 1} | 422 | bad-config
"legs": 0 | 422 | bad-config
"legs": 3 | 422 | bad-config
"name": "" | 422 | bad-name
"seat": "c" | 422 | bad-field
"opponent": {"invite": false} | 422 | bad-field
"#,
    ) {
        let mut wanted = json!({"game": "kob", "opponent": {"bot": bot}});
        let changed: Value = serde_json::from_str(&format!("{{{changed}}}")).expect("JSON");
        let changed = changed.as_object().expect("fields").clone();
        wanted.as_object_mut().expect("fields").extend(changed);
        let refused = guest.post("/api/human-matches", wanted).await;
        refused.refused(status.parse().expect("a status"), code);
    }
    refused!(guest.post("/api/human-matches", json!({"game": "kob"})) => 422, "bad-field");
    let owner = server.person("owner").await;
    let (uploaded, _) = server.ready_bot(&owner, "mine").await;
    // This server has no sandbox.
    let wanted = json!({"game": "kob", "opponent": {"bot": uploaded.id}});
    refused!(guest.post("/api/human-matches", wanted) => 503, "no-isolation");
    for path in ["/api/matches/999/live", "/api/matches/999/play"] {
        assert!(server.connect(path).await.is_err(), "{path}");
        let plain = guest.get(path).await.status;
        assert!(plain.is_client_error(), "{path} is only for WebSockets");
    }
    let wanted = json!({"game": "kob", "opponent": {"bot": bot}});
    let open = async || guest.post("/api/human-matches", wanted.clone()).await;
    let mut opened = 0;
    while open().await.status.is_success() {
        opened += 1;
        assert!(opened < 100, "the number of human matches is limited");
    }
    refused!(open() => 503, "human-matches-full");
}

/// Chooses the first legal key.
async fn answer(line: &mut Line, ask: &Value) {
    let choices = ask["choices"].as_array().expect("a list");
    let legal = choices.iter().find(|choice| choice["legal"] == true);
    let action = &legal.expect("somebody can move")["action"];
    line.say(json!({"type": "choose", "leg": ask["leg"], "step": ask["step"], "action": action}))
        .await;
}

/// The recorded replies of every leg, once the database has any.
async fn recorded(server: &TestServer, id: MatchId) -> Vec<String> {
    loop {
        let legs = ok!(server.app.store.recorded_legs(id));
        let legs = legs
            .iter()
            .map(|leg| serde_json::from_str::<Value>(leg).expect("JSON"));
        let replies = |leg: Value| leg["replies"].as_str().expect("text").to_owned();
        let legs: Vec<String> = legs.map(replies).collect();
        if legs.iter().any(|leg| !leg.is_empty()) {
            return legs;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_with_people_goes_on_after_a_restart() {
    let server = TestServer::open().await;
    let against = json!({"bot": server.random("snakego").await});
    let wanted =
        json!({"game": "snakego", "seat": "a", "opponent": against, "config": {"max_round": 12}});
    let seat = table(&server.guest(), wanted).await;
    let id = MatchId(seat["match"].as_i64().expect("a number"));
    let mut line = server.sit(&seat).await;
    for _ in 0..5 {
        let ask = line.wait("question").await;
        answer(&mut line, &ask).await;
    }
    recorded(&server, id).await;
    let folder = server.kit.kill();
    // The next server resumes the match before a participant reconnects.
    let server = TestServer::over(Kit::at(folder, kit::options()).await).await;
    assert_eq!(ok!(resume::void_abandoned(&server.app.play_context())), 0);
    let before = recorded(&server, id).await;
    let shown = get!(server.guest(), "/api/matches/{id}");
    assert_eq!(shown["state"], "running");
    let mut line = server.sit(&seat).await;
    let over = line.play(3).await["match"].clone();
    has!(over, {"state": "finished", "faults": []});
    let replay = server.replay(id.0).await;
    for (played, before) in replay.legs.iter().zip(&before) {
        assert!(
            played.replies.starts_with(before),
            "{} does not begin with {before}",
            played.replies
        );
    }
    assert_verifies("snakego", &replay);
    ok!(server.app.store.forget_recorded_legs());
    assert!(ok!(server.app.store.recorded_legs(id)).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_people_go_on_in_the_second_leg_after_a_server_is_stopped() {
    let server = TestServer::open().await;
    let invite = json!({"game": "snakego", "seat": "a", "opponent": {"invite": true}, "config": {"max_round": 2}});
    let ada = table(&server.guest(), invite).await;
    let code = ada["invite"].as_str().expect("a code");
    let bea = post!(server.guest(), &format!("/api/invites/{code}"), {"name": "bea"});
    let (mut one, mut two) = (server.sit(&ada).await, server.sit(&bea).await);
    let until_second = async |line: &mut Line| loop {
        let message = line.next().await.expect("the match goes on");
        match (message["type"].as_str(), message["leg"].as_u64()) {
            (Some("question"), Some(1)) => answer(line, &message).await,
            (Some("question"), _) => return,
            _ => {}
        }
    };
    tokio::select! {
        () = until_second(&mut one) => {}
        () = until_second(&mut two) => {}
    }
    // The server is shut down in order, as by SIGTERM.
    server.app.arena.human_matches.stop_matches();
    server
        .app
        .arena
        .human_matches
        .wait_until_cut_off(Duration::from_secs(60))
        .await;
    while one.next().await.is_some() {}
    assert!(
        one.seen.iter().all(|message| message["type"] != "finished"),
        "no participant is told that the match is over"
    );
    let folder = server.kit.kill();
    let server = TestServer::over(Kit::at(folder, kit::options()).await).await;
    ok!(resume::void_abandoned(&server.app.play_context()));
    let (mut one, mut two) = (server.sit(&ada).await, server.sit(&bea).await);
    let frames = one.wait("leg").await["frames_of_leg"].clone();
    assert_eq!(frames["leg"], 2);
    let (over, _) = tokio::join!(one.play(5), two.play(6));
    let over = over["match"].clone();
    has!(over, {"state": "finished", "faults": []});
    let replay = server
        .replay(ada["match"].as_i64().expect("a number"))
        .await;
    assert_eq!(replay.legs.len(), 2);
    assert_verifies("snakego", &replay);
}

/// The engine plays the replay to the same states, outcomes and verdict.
fn assert_verifies(game: &str, replay: &Replay) {
    let game = leitai_games::find_game(game).expect("a built-in game");
    assert!(
        leitai_game::replay::verify_replay(game, replay)
            .expect("the rules")
            .is_ok(),
        "the replay verifies"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_whose_people_do_not_come_back_is_void() {
    let server = TestServer::open().await;
    let wanted =
        json!({"game": "kob", "seat": "a", "opponent": {"bot": server.random("kob").await}});
    let seat = table(&server.guest(), wanted).await;
    let mut line = server.sit(&seat).await;
    line.wait("question").await;
    let folder = server.kit.kill();
    let mut kit = Kit::at(folder, kit::options()).await;
    let tables = leitai_server::play::HumanMatches::default().with_return_time(Duration::ZERO);
    kit.app.arena.human_matches = tables;
    let server = TestServer::over(kit.again()).await;
    ok!(resume::void_abandoned(&server.app.play_context()));
    let id = MatchId(seat["match"].as_i64().expect("a number"));
    let ended = loop {
        let found = ok!(server.app.store.match_by_id(id));
        if found.state != MatchState::Running {
            break found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(ended.state, MatchState::Void);
    let note = ended.note.expect("a reason");
    says(&note, &["ended by a restart", "did not come back"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_whose_result_is_not_recorded_is_deleted() {
    let server = TestServer::open().await;
    let wanted = json!({
        "game": "snakego", "seat": "a", "opponent": {"bot": server.random("snakego").await},
        "config": {"max_round": 2},
    });
    let seat = table(&server.guest(), wanted).await;
    let id = MatchId(seat["match"].as_i64().expect("a number"));
    let mut line = server.sit(&seat).await;
    let ask = line.wait("question").await;
    ok!(server
        .app
        .store
        .cancel_match(id, "by an administrator", Timestamp::now()));
    answer(&mut line, &ask).await;
    let over = line.play(1).await["match"].clone();
    assert_eq!(over["state"], "cancelled");
    assert_eq!(
        server.replays(),
        Vec::<std::path::PathBuf>::new(),
        "nobody points to it"
    );
}

#[tokio::test]
async fn matches_whose_server_died_are_ended() {
    let server = TestServer::open().await;
    let (store, long_ago) = (
        &server.app.store,
        Timestamp::now().before(Duration::from_secs(3600)),
    );
    let make = async |invite: Option<String>, at: Timestamp| {
        let person = MatchEntrant::human_entrant("ada", None);
        let other = invite
            .is_none()
            .then(|| MatchEntrant::human_entrant("bea", None));
        let pair = [Some(person), other].into();
        let new = NewMatch {
            invite,
            ..NewMatch::new("kob", MatchKind::Human, pair, 1.into(), 2)
        };
        store.create_match(new, at).await.expect("a sound match").id
    };
    let waiting = make(Some("code".into()), long_ago).await;
    let (queued, played, fresh) = (
        make(None, long_ago).await,
        make(None, long_ago).await,
        make(None, Timestamp::now()).await,
    );
    let lease = Duration::from_secs(30);
    ok!(store.acquire_match(played, "gone", long_ago, lease)).expect("nobody has it");
    let ended = ok!(resume::void_abandoned(&server.app.play_context()));
    assert_eq!(ended, 3);
    for (id, state) in [
        (waiting, MatchState::Cancelled),
        (queued, MatchState::Cancelled),
        (played, MatchState::Void),
        (fresh, MatchState::Queued),
    ] {
        assert_eq!(ok!(store.match_by_id(id)).state, state);
    }
}

#[tokio::test]
async fn every_replay_is_shown_and_other_files_are_refused() {
    let server = TestServer::open().await;
    let guest = server.guest();
    let post = async |body: Vec<u8>| guest.raw("POST", "/api/replays/frames", None, body).await;
    let replay = kit::telling_replay();
    let text = replay.to_text();
    let frames = post(text.clone().into_bytes()).await.ok();
    has!(frames, {"verified": true, "game": "kob", "match": null});
    assert!(
        frames["frames"]
            .as_array()
            .is_some_and(|frames| frames.len() > 1)
    );
    // The end of a leg is missing: the existing frames are shown.
    let mut cut = replay.clone();
    cut.legs[1].replies.clear();
    let frames = post(cut.to_text().into_bytes()).await.ok();
    assert_eq!(frames["verified"]["leg"], 2, "{}", frames["verified"]);
    // The same match in the format of its site.
    let game = leitai_games::find_game("kob").expect("a built-in game");
    for format in game.replay_formats() {
        let foreign = (format.export)(&replay, 0).expect("it can be told");
        let frames = post(foreign.into_bytes()).await.ok();
        assert_eq!(
            (&frames["verified"], &frames["legs"]),
            (&json!(true), &json!(1)),
            "{}",
            format.name
        );
    }
    let with = |change: &dyn Fn(&mut Replay)| {
        let mut replay = replay.clone();
        change(&mut replay);
        replay.to_text().into_bytes()
    };
    for (body, code) in [
        (Vec::new(), "not-a-replay"),
        (vec![0xff, 0xfe, 0], "not-a-replay"),
        (b"{}".to_vec(), "not-a-replay"),
        (vec![b'['; 100_000], "not-a-replay"),
        (text.as_bytes()[..text.len() / 2].to_vec(), "not-a-replay"),
        (
            with(&|replay| replay.game = "chess".to_owned()),
            "unknown-game",
        ),
        (
            with(&|replay| replay.rules = "kob/0".to_owned()),
            "not-playable",
        ),
        (with(&|replay| replay.setup = json!({})), "not-playable"),
        (
            with(&|replay| replay.legs[0].replies = "0/0 nonsense".to_owned()),
            "not-playable",
        ),
        (
            with(&|replay| replay.legs[0].replies = "0/0 ".repeat(200_001)),
            "too-long",
        ),
    ] {
        refused!(post(body) => 422, code);
    }
    assert_eq!(post(vec![b' '; (16 << 20) + 1]).await.status.as_u16(), 413);
    let legless = guest
        .raw(
            "POST",
            "/api/replays/frames?leg=9",
            None,
            text.clone().into_bytes(),
        )
        .await;
    legless.refused(404, "not-found");
    let nobody = guest
        .raw(
            "POST",
            "/api/replays/frames?perspective=third",
            None,
            text.into_bytes(),
        )
        .await;
    assert_eq!(nobody.status.as_u16(), 400);
}

/// A worker begins a match of the seed 7.
fn begin_live(server: &TestServer, game: &str, id: i64) -> Arc<dyn AnySetup> {
    let game = server.app.find_game(game).expect("it is played here");
    let setup: Arc<dyn AnySetup> = game.deal_setup(&Value::Null, 7).expect("the default");
    server.app.arena.live.begin_match(LiveMatchStart {
        id,
        game,
        setup: setup.clone(),
        legs: 2,
        entrants: ByEntrant::new("ada".into(), "bea".into()),
        has_people: false,
    });
    setup
}

/// Starts a match in which all steps of a leg but the last were reported; returns the rest of the
/// leg.
async fn begun(server: &TestServer, game: &str) -> (i64, Vec<String>) {
    let pair = ["ada", "bea"].map(|name| Some(MatchEntrant::human_entrant(name, None)));
    let new = NewMatch::new(game, MatchKind::Exhibition, pair.into(), 7.into(), 2);
    let made = ok!(server.app.store.create_match(new, Timestamp::now()));
    let (id, live) = (made.id.0, &server.app.arena.live);
    let setup = begin_live(server, game, id);
    let tokens = random_leg_tokens(&*setup, 5).expect("the game is sound");
    live.begin_leg(id, 0);
    live.append_steps(id, 0, &tokens[..tokens.len() - 1].join(" "), &[]);
    (id, tokens)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spectator_stays_when_another_worker_plays_the_match_again() {
    let server = TestServer::open().await;
    let (id, tokens) = begun(&server, "kob").await;
    let path = format!("/api/matches/{id}/live");
    let mut client = server.connect(&path).await.expect("it is live");
    let seen = client.wait("leg").await["frames_of_leg"]["frames"].clone();
    // The worker is lost: its lease ends.
    let app = &server.app;
    app.arena.live.end_match(id);
    // Another one plays the match from its beginning.
    begin_live(&server, "kob", id);
    // It is in the next leg before the spectator sees anything of the first one.
    app.arena.live.begin_leg(id, 0);
    app.arena.live.append_steps(id, 0, &tokens.join(" "), &[]);
    app.arena.live.begin_leg(id, 1);
    // `finished` before it would end the wait with an error.
    let mut frames = Vec::new();
    loop {
        let message = client.next().await.expect("it goes on");
        let of_leg = &message["frames_of_leg"];
        if of_leg["leg"] == 2 {
            break;
        }
        if of_leg["leg"] == 1 {
            frames.clear();
        }
        let more = of_leg["frames"].as_array().or(message["frames"].as_array());
        frames.extend(more.into_iter().flatten().cloned());
    }
    let seen = seen.as_array().expect("frames");
    assert_eq!(frames.len(), tokens.len() + 1, "the whole leg");
    assert_eq!(frames[..seen.len()], seen[..]);
    let cancelled = app
        .store
        .cancel_match(MatchId(id), "no need", Timestamp::now());
    cancelled.await.expect("it was queued");
    app.arena.live.end_match(id);
    let over = client.wait("finished").await;
    assert_eq!(over["match"]["state"], "cancelled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_spectator_sees_the_newest_position_first_and_earlier_ones_when_it_asks() {
    let server = TestServer::open().await;
    for game in ["snakego", "kob", "tankcraft"] {
        let (id, tokens) = begun(&server, game).await;
        let last = tokens.len() - 1;
        // A client without options receives the original format.
        let mut old = ok!(server.connect(&format!("/api/matches/{id}/live")));
        let mut expected = Vec::new();
        while expected.len() <= last {
            let message = old.next().await.expect("it goes on");
            let frames = message["frames_of_leg"]["frames"]
                .as_array()
                .or(message["frames"].as_array());
            expected.extend(frames.into_iter().flatten().cloned());
        }
        assert_eq!(
            old.packed, 0,
            "a client without the header gets uncompressed messages"
        );
        let path = format!("/api/matches/{id}/live?start=newest&encoding=deflate");
        let mut late = server.connect(&path).await.expect("anybody may watch");
        let leg = late.wait("leg").await;
        let newest = &leg["frames_of_leg"]["frames"];
        assert_eq!(newest.as_array().map(Vec::len), Some(1), "{game}");
        assert_eq!(newest[0]["step"], last);
        // The whole view that results from applying the changes of all frames.
        let mut view = expected[0]["view"].clone();
        for change in expected.iter().filter_map(|frame| frame.get("change")) {
            leitai_game::frames::apply_change(&mut view, change).expect("every change fits");
        }
        assert_eq!(newest[0]["view"], view);
        // New frames are sent before the older frames that were requested.
        server
            .app
            .arena
            .live
            .append_steps(id, 0, &tokens[last], &[]);
        let came = late.wait("frames").await;
        has!(came, {"leg": 1, "/frames/0/step": last + 1});
        let mut earlier: Vec<Value> = Vec::new();
        while earlier.len() <= last {
            late.say(json!({"type": "earlier", "run": leg["run"], "from": earlier.len()}))
                .await;
            let more = late.wait("earlier").await;
            assert_eq!(more["run"], leg["run"]);
            earlier.extend(more["frames"].as_array().expect("frames").iter().cloned());
        }
        assert!(
            earlier[..=last] == expected[..=last],
            "{game}: every frame arrives once and in order"
        );
        assert!(
            late.packed > 0 && late.packed * 2 < late.bytes,
            "{} of {}",
            late.packed,
            late.bytes
        );
        server.app.arena.live.end_match(id);
    }
}
