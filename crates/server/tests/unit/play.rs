//! Human matches over real WebSockets. The clock only moves when a test moves it or the server
//! sleeps.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{Path, State, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use futures_util::{SinkExt, StreamExt};
use leitai_game::Rng;
use leitai_game::replay::{MatchStatus, Replay};
use leitai_judge::{MatchSpec, Player, PlayerKind};
use leitai_store::{MatchSide, Timestamp};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::live::SpectatorView;
use crate::kit::says;
use leitai_game::{ByEntrant, Entrant};
use leitai_server::client_address::ClientAddress;
use leitai_server::config::Limits as TableLimits;
use leitai_server::http::routes::{live, play};
use leitai_server::http::socket::{BoundedSocket, bound_upgrade};
use leitai_server::live::LegFramesHeader;
use leitai_server::live::LiveMatches;
use leitai_server::play::clock::PlayClock;
use leitai_server::play::lobby::{LATE, TableRequest};
use leitai_server::play::open_table::{OpenTable, TableForm};
use leitai_server::play::participant::WINDOW;
use leitai_server::play::state::CloseReason;
use leitai_server::play::state::{HumanMatchState, ParticipantMessage};
use leitai_server::play::time_budget::TimeBudget;
use leitai_server::play::*;
use leitai_server::sync::lock;
use leitai_store::{TokenHash, UserId};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// A clock that only moves when a test moves it or code sleeps on it.
#[derive(Debug, Default)]
pub struct ManualClock(std::sync::Mutex<Duration>);

impl ManualClock {
    /// Moves the clock forward.
    pub fn advance_by(&self, time: Duration) {
        *lock(&self.0) += time;
    }
}

impl PlayClock for ManualClock {
    fn elapsed(&self) -> Duration {
        *lock(&self.0)
    }

    fn sleep_for(&self, time: Duration) {
        self.advance_by(time);
        std::thread::yield_now();
    }
}

/// A server with human matches on a real port.
#[derive(Clone)]
struct PlayTest {
    address: SocketAddr,
    live: LiveMatches,
    human_matches: HumanMatches,
    clock: Arc<ManualClock>,
    replays: Arc<Mutex<Vec<Replay>>>,
}

const HOST: ClientAddress = ClientAddress(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

impl PlayTest {
    async fn open() -> PlayTest {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let clock = Arc::new(ManualClock::default());
        let test = PlayTest {
            address: listener.local_addr().expect("it is bound"),
            live: LiveMatches::with_pause(Duration::ZERO),
            human_matches: HumanMatches::with_clock(clock.clone()),
            clock,
            replays: Arc::default(),
        };
        let routes = Router::new()
            .route("/play/{id}", get(play_socket))
            .route("/live/{id}", get(live_socket));
        let routes = routes.with_state(test.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        test
    }

    /// Creates a human match of this game: a bot's name, or `None` for a person.
    fn human_match(&self, game: &str, config: &Value, bots: [Option<&str>; 2]) -> Arc<HumanMatch> {
        let game = leitai_games::find_game(game).expect("a built-in game");
        let setup = game.deal_setup(config, 11).expect("a sound config");
        let [a, b] = bots;
        let bots = ByEntrant::new(a, b);
        let name =
            |entrant: Entrant| bots[entrant].map_or(format!("person {entrant}"), str::to_owned);
        let header = LegFramesHeader {
            game: game.into(),
            setup,
            legs: game.meta().legs,
            entrants: ByEntrant::from_fn(name),
        };
        self.human_matches.open_match(HumanMatchOptions {
            id: 1,
            header,
            tokens: ByEntrant::from_fn(|entrant: Entrant| {
                bots[entrant]
                    .is_none()
                    .then(|| TokenHash::from_token(&format!("token {entrant}")))
            }),
            people: bots.map_values(|bot| bot.is_none()),
            at_home: ByEntrant::default(),
            by: Opener::Guest(HOST),
            open_table: None,
        })
    }

    async fn connect(&self, path: &str) -> TestPerson {
        let (socket, _) = connect_async(format!("ws://{}/{path}", self.address))
            .await
            .expect("it listens");
        TestPerson {
            socket,
            seen: Vec::new(),
            view: SpectatorView::default(),
            closed: None,
        }
    }

    async fn sit(&self, token: &str) -> TestPerson {
        let mut person = self.connect("play/1").await;
        person.say(json!({"type": "join", "token": token})).await;
        person
    }

    fn replay(&self) -> Replay {
        lock(&self.replays).pop().expect("the match is over")
    }
}

async fn play_socket(
    State(test): State<PlayTest>,
    Path(id): Path<i64>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let human_match = test
        .human_matches
        .find_match(id)
        .expect("the test has opened it");
    bound_upgrade(upgrade).on_upgrade(move |socket| {
        play::join_match(
            BoundedSocket::new(socket),
            r#"{"type":"hello"}"#.into(),
            human_match,
            async { r#"{"type":"finished"}"#.to_owned() },
            move |human_match| begin(test, human_match),
        )
    })
}

async fn live_socket(
    State(test): State<PlayTest>,
    Path(id): Path<i64>,
    upgrade: WebSocketUpgrade,
) -> Response {
    bound_upgrade(upgrade).on_upgrade(move |socket| async move {
        let watch = test.live.watch_when_begun(id).await;
        let over = async { r#"{"type":"finished"}"#.to_owned() };
        live::serve_live(BoundedSocket::new(socket), watch, over).await;
    })
}

fn begin(test: PlayTest, human_match: Arc<HumanMatch>) {
    std::thread::spawn(move || {
        let played = leitai_server::play::run::judge_match(
            &human_match,
            &test.live,
            &spec(&human_match),
            None,
        )
        .expect("the game is sound");
        lock(&test.replays).push(played.replay);
        test.live.end_match(human_match.id());
        test.human_matches.remove_match(human_match.id());
        human_match.end_match();
    });
}

fn spec(human_match: &HumanMatch) -> MatchSpec {
    let header = human_match.frames_header();
    let people = human_match.human_sides();
    let player = |entrant: Entrant| {
        let name = header.entrants[entrant].clone();
        let kind = match people[entrant] {
            true => PlayerKind::Human {
                period: leitai_server::play::run::ENDLESS,
                protocol: None,
            },
            false => PlayerKind::BuiltIn(name.clone()),
        };
        Player { name, kind }
    };
    let players = ByEntrant::from_fn(player);
    MatchSpec {
        legs: header.legs,
        ..MatchSpec::with_setup(&header.game, Value::Null, 11, header.setup.clone(), players)
    }
}

/// A WebSocket client that keeps what it receives.
struct TestPerson {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    seen: Vec<Value>,
    view: SpectatorView,
    /// The code with which the connection was closed.
    closed: Option<u16>,
}

impl TestPerson {
    async fn say(&mut self, word: Value) {
        // Messages to a closed connection are lost, as with a real client.
        let _ = self.socket.send(Message::text(word.to_string())).await;
    }

    /// The next message; `None` when the connection is closed.
    async fn next(&mut self) -> Option<Value> {
        loop {
            match self.socket.next().await? {
                Ok(Message::Text(text)) => {
                    let message: Value = serde_json::from_str(&text).expect("JSON");
                    self.note(&message);
                    return Some(message);
                }
                Ok(Message::Close(frame)) => self.closed = frame.map(|frame| frame.code.into()),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    fn note(&mut self, message: &Value) {
        self.view.take(message);
        self.seen.push(message.clone());
    }

    /// The next message of this type.
    async fn wait(&mut self, kind: &str) -> Value {
        loop {
            let message = self
                .next()
                .await
                .unwrap_or_else(|| panic!("no {kind} came: {:?}", self.seen.last()));
            if message["type"] == kind {
                return message;
            }
        }
    }

    async fn until_closed(&mut self) -> Option<u16> {
        while self.next().await.is_some() {}
        self.closed
    }

    async fn choose(&mut self, ask: &Value, action: &str) {
        self.say(
            json!({"type": "choose", "leg": ask["leg"], "step": ask["step"], "action": action}),
        )
        .await;
    }

    /// Plays until the match is over, with the actions of `choice`.
    async fn play(&mut self, mut choice: impl FnMut(&Value, &[Value]) -> String) {
        while let Some(message) = self.next().await {
            match message["type"].as_str() {
                Some("question") => {
                    assert_eq!(
                        message["step"].as_u64(),
                        Some(self.view.frames.len() as u64 - 1)
                    );
                    let action = choice(&message, &self.view.frames);
                    self.choose(&message, &action).await;
                }
                Some("refused") => panic!("{message}"),
                _ => {}
            }
        }
    }
}

/// One of the legal keys.
fn any_key(rng: &mut Rng, ask: &Value) -> String {
    let legal = |choice: &&Value| choice["legal"] == true;
    let choices: Vec<&Value> = ask["choices"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(legal)
        .collect();
    choices[rng.next_below(choices.len())]["action"]
        .as_str()
        .expect("notation")
        .to_owned()
}

fn of_type<'a>(seen: &'a [Value], kind: &str) -> Vec<&'a Value> {
    seen.iter()
        .filter(|message| message["type"] == kind)
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_plays_snakego_against_random_to_the_end() {
    let test = PlayTest::open().await;
    test.human_match("snakego", &json!({"max_round": 40}), [None, Some("random")]);
    let mut person = test.sit("token A").await;
    let mut rng = Rng::new(1);
    person.play(|ask, _| any_key(&mut rng, ask)).await;
    assert_eq!(person.closed, Some(1000));
    assert_eq!(
        person.seen.last().map(|last| last["type"].clone()),
        Some(json!("finished"))
    );
    let replay = test.replay();
    fields!(replay, {status: MatchStatus::Complete, legs.len(): 2});
    assert!(
        replay
            .legs
            .iter()
            .all(|leg| leg.faults.iter().all(|fault| fault.entrant != Entrant::A))
    );
    let seats: Vec<&Value> = of_type(&person.seen, "leg")
        .iter()
        .map(|leg| &leg["frames_of_leg"]["perspective"])
        .collect();
    assert_eq!(seats, ["first", "second"], "seats are swapped");
    assert_eq!(
        of_type(&person.seen, "countdown").len(),
        1,
        "between the legs"
    );
    let last = person.view.frames.last().expect("frames");
    assert_eq!(last["step"], replay.legs[1].replies.split(' ').count());
    assert!(!last["outcome"].is_null());
    assert!(test.human_matches.find_match(1).is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_people_play_kob_and_others_watch() {
    let test = PlayTest::open().await;
    test.human_match("kob", &Value::Null, [None, None]);
    let mut spectator = test.connect("live/1").await;
    let mut one = test.sit("token A").await;
    let mut two = test.sit("token B").await;
    let watching = tokio::spawn(async move {
        let code = spectator.until_closed().await;
        (spectator, code)
    });
    let (mut first, mut second) = (Rng::new(5), Rng::new(6));
    tokio::join!(
        one.play(|ask, _| any_key(&mut first, ask)),
        two.play(|ask, _| any_key(&mut second, ask))
    );
    let replay = test.replay();
    assert_eq!(replay.status, MatchStatus::Complete);
    for person in [&one, &two] {
        assert_eq!(of_type(&person.seen, "countdown").len(), replay.legs.len());
        assert_eq!(of_type(&person.seen, "countdown")[0]["ms"], 5000);
        for question in of_type(&person.seen, "question") {
            let budget = if question["step"] == 0 { 60_000 } else { 5000 };
            assert_eq!(question["budget_ms"], budget, "{}", question["step"]);
            assert_eq!(question["left_ms"], budget, "{}", question["step"]);
        }
        let choices = of_type(&person.seen, "countdown")[0]["choices"].as_array();
        assert_eq!(choices.map(Vec::len), Some(4), "seen before the question");
        assert!(of_type(&person.seen, "ready").is_empty(), "nobody reads");
    }
    let (spectator, code) = watching.await.expect("it ends");
    assert_eq!(
        (code, &spectator.seen.last().expect("messages")["type"]),
        (Some(1000), &json!("finished"))
    );
    let tokens = |frames: &[Value]| -> Vec<Value> {
        frames
            .iter()
            .skip(1)
            .map(|frame| frame["token"].clone())
            .collect()
    };
    assert_eq!(tokens(&spectator.view.frames), tokens(&one.view.frames));
    let here = of_type(&spectator.seen, "presence");
    assert!(
        here.iter()
            .any(|people| people["a"] == "here" && people["b"] == "here"),
        "{here:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_fog_nobody_is_sent_more_than_its_seat_sees() {
    let test = PlayTest::open().await;
    let config = json!({"rounds": 12});
    let human_match = test.human_match("tankcraft", &config, [None, None]);
    let setup = human_match.frames_header().setup;
    let (mut one, mut two) = (test.sit("token A").await, test.sit("token B").await);
    let mine = |seed: u64| {
        let mut rng = Rng::new(seed);
        move |_: &Value, frames: &[Value]| tank_orders(&mut rng, frames)
    };
    tokio::join!(one.play(mine(1)), two.play(mine(2)));
    let replay = test.replay();
    assert_eq!(replay.status, MatchStatus::Complete);
    for (person, entrant) in [(&one, Entrant::A), (&two, Entrant::B)] {
        for (index, record) in replay.legs.iter().enumerate() {
            let perspective = leitai_game::Perspective::Seat(entrant.seat_in_leg(index));
            let game = leitai_games::find_game("tankcraft").expect("a game");
            let known = leitai_game::frames::make_frames(game, &*setup, record, perspective)
                .expect("its own");
            let known: Vec<Value> = known
                .iter()
                .map(|frame| serde_json::to_value(frame).expect("data"))
                .collect();
            let sent = sent_of_leg(&person.seen, index + 1);
            assert_eq!(sent.len(), known.len(), "leg {} of {entrant}", index + 1);
            for (sent, known) in sent.iter().zip(&known) {
                assert_eq!(strip_times(sent), strip_times(known));
            }
        }
        let text = Value::from(person.seen.clone()).to_string();
        assert!(
            !text.contains("\"events\""),
            "events tell of what is not seen"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spectators_of_people_in_fog_are_told_nothing_before_the_leg_is_over() {
    let test = PlayTest::open().await;
    test.human_match("tankcraft", &json!({"rounds": 4}), [None, None]);
    let mut spectator = test.connect("live/1").await;
    let (mut one, mut two) = (test.sit("token A").await, test.sit("token B").await);
    let mut rng = Rng::new(1);
    for _ in 0..3 {
        for person in [&mut one, &mut two] {
            let ask = person.wait("question").await;
            let orders = tank_orders(&mut rng, &person.view.frames);
            person.choose(&ask, &orders).await;
        }
    }
    one.wait("question").await;
    drop(two);
    // Three steps were played; this message comes after them.
    while spectator.wait("presence").await["b"] != "away" {}
    let kinds: Vec<&Value> = spectator
        .seen
        .iter()
        .map(|message| &message["type"])
        .collect();
    assert!(kinds.iter().all(|kind| *kind == "presence"), "{kinds:?}");
    one.say(json!({"type": "resign"})).await;
    test.clock.advance_by(WINDOW);
    spectator.until_closed().await;
    assert_eq!(
        sent_of_leg(&spectator.seen, 1).last().expect("frames")["outcome"]["faults"][0],
        "exited"
    );
}

/// The frames of a leg in all received messages.
fn sent_of_leg(seen: &[Value], leg: usize) -> Vec<Value> {
    let mut view = SpectatorView::default();
    let of_leg = |message: &&Value| {
        [&message["frames_of_leg"]["leg"], &message["leg"]].contains(&&json!(leg))
    };
    for message in seen.iter().filter(of_leg) {
        view.take(message);
    }
    view.frames
}

fn strip_times(frame: &Value) -> Value {
    let mut frame = frame.clone();
    frame.as_object_mut().expect("an object").remove("spent_us");
    frame
}

/// Orders for the tank types, then random moves.
fn tank_orders(rng: &mut Rng, frames: &[Value]) -> String {
    if frames.len() == 1 {
        return "Team;Striker;Pioneer;Sniper;Striker;Pioneer".to_owned();
    }
    let words = ["STOP", "GOUP", "GODOWN", "GOLEFT", "GORIGHT"];
    let orders: Vec<&str> = (0..5).map(|_| words[rng.next_below(words.len())]).collect();
    orders.join(";")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_cut_off_comes_back_to_its_seat_its_frames_and_its_question() {
    let test = PlayTest::open().await;
    test.human_match("snakego", &json!({"max_round": 10}), [None, None]);
    let (mut one, mut two) = (test.sit("token A").await, test.sit("token B").await);
    let ask = one.wait("question").await;
    one.choose(&ask, "1").await;
    let asked = two.wait("question").await;
    has!(asked, {"seat": "second", "step": 1});
    test.clock.advance_by(Duration::from_secs(20));
    drop(two);
    while one.wait("presence").await["b"] != "away" {}
    assert_eq!(one.seen.last().expect("a message")["until_ms"], 30_000);
    test.clock.advance_by(Duration::from_secs(29));
    let mut two = test.sit("token B").await;
    let frames = two.wait("leg").await;
    has!(frames, {"/frames_of_leg/frames/#": 2});
    let again = two.wait("question").await;
    assert_eq!(again["step"], 1);
    assert_eq!(
        again["left_ms"], 40_000,
        "the clock stood still while nobody was there"
    );
    while one.wait("presence").await["b"] != "here" {}
    // Both have received the first step, and the match continues.
    two.choose(&again, "3").await;
    assert_eq!(one.wait("question").await["step"], 2);
    // A second connection with the same token replaces the first.
    let mut other = test.sit("token B").await;
    assert_eq!(two.until_closed().await, Some(play::REPLACED));
    has!(other.wait("leg").await, {"/frames_of_leg/frames/#": 3});
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_does_not_come_back_has_left() {
    let test = PlayTest::open().await;
    test.human_match("snakego", &Value::Null, [None, None]);
    let (mut one, mut two) = (test.sit("token A").await, test.sit("token B").await);
    let ask = one.wait("question").await;
    one.choose(&ask, "1").await;
    two.wait("question").await;
    drop(two);
    while one.wait("presence").await["b"] != "away" {}
    test.clock.advance_by(WINDOW);
    one.wait("finished").await;
    let replay = test.replay();
    assert_eq!(
        replay.verdict.and_then(|verdict| verdict.winner),
        Some(Entrant::A)
    );
    let fault = replay.legs[0].faults[0].clone();
    fields!(fault, {entrant: Entrant::B, code.as_str(): "EXIT", what.as_str(): "left the match"});
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_that_is_over_costs_what_the_rules_say() {
    let test = PlayTest::open().await;
    test.human_match("kob", &Value::Null, [None, Some("random")]);
    let mut person = test.sit("token A").await;
    let question = person.wait("question").await;
    assert_eq!(
        question["budget_ms"], 60_000,
        "a bot waits for the first move"
    );
    assert!(of_type(&person.seen, "countdown").is_empty());
    test.clock.advance_by(Duration::from_secs(60));
    while person.wait("leg").await["frames_of_leg"]["leg"] != 2 {}
    person.say(json!({"type": "resign"})).await;
    person.wait("finished").await;
    let replay = test.replay();
    let codes: Vec<&str> = replay
        .legs
        .iter()
        .map(|leg| leg.faults[0].code.as_str())
        .collect();
    assert_eq!(codes, ["TLE", "EXIT"]);
    assert_eq!(replay.legs[0].faults[0].what, "did not answer within 60 s");
    assert_eq!(
        replay.verdict.and_then(|verdict| verdict.winner),
        Some(Entrant::B)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_illegal_old_or_nonsense_costs_nothing() {
    let test = PlayTest::open().await;
    test.human_match("snakego", &json!({"max_round": 3}), [None, None]);
    let (mut one, mut two) = (test.sit("token A").await, test.sit("token B").await);
    let ask = one.wait("question").await;
    for nonsense in [
        json!({}),
        json!([1]),
        json!("choose"),
        json!({"type": "choose"}),
        json!({"type": "join", "token": "x"}),
    ] {
        one.say(nonsense).await;
    }
    for (action, why) in [("6", "length"), ("9", "no action"), ("", "no action")] {
        one.choose(&ask, action).await;
        let refused = one.wait("refused").await;
        assert_eq!(refused["step"], 0);
        says(&refused["why"]["en"].to_string(), &[why]);
    }
    one.choose(&ask, &"9".repeat(500)).await;
    says(
        one.wait("refused").await["why"]["en"]
            .as_str()
            .expect("a reason"),
        &["at most"],
    );
    one.choose(&ask, "1").await;
    let asked = two.wait("question").await;
    // It is not the first person's turn any more: its messages are ignored.
    one.choose(&ask, "4").await;
    one.say(json!({"type": "choose", "leg": 2, "step": 1, "action": "1"}))
        .await;
    one.say(json!({"type": "choose", "leg": 1, "step": 1, "action": "1"}))
        .await;
    two.choose(&asked, "3").await;
    assert_eq!(one.wait("question").await["step"], 2);
    let tokens: Vec<&Value> = one
        .view
        .frames
        .iter()
        .skip(1)
        .map(|frame| &frame["token"])
        .collect();
    assert_eq!(tokens, ["1", "3"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_who_move_at_once_the_last_word_counts() {
    let test = PlayTest::open().await;
    test.human_match("kob", &Value::Null, [None, None]);
    let (mut one, mut two) = (test.sit("token A").await, test.sit("token B").await);
    let (ask, asked) = (one.wait("question").await, two.wait("question").await);
    one.choose(&ask, "0").await;
    one.choose(&ask, "1").await;
    // The first message had no effect: a refusal after it shows that both were handled.
    one.choose(&ask, "7").await;
    one.wait("refused").await;
    two.choose(&asked, "3").await;
    one.wait("frames").await;
    assert_eq!(one.view.frames[1]["token"], "1/3");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_token_and_a_flood_are_refused() {
    let test = PlayTest::open().await;
    test.human_match("snakego", &Value::Null, [None, Some("random")]);
    for token in ["token B", "", "token a"] {
        assert_eq!(
            test.sit(token).await.until_closed().await,
            Some(play::NO_SEAT),
            "{token:?}"
        );
    }
    let mut rude = test.connect("play/1").await;
    rude.say(json!({"type": "choose", "leg": 1, "step": 0, "action": "1"}))
        .await;
    assert_eq!(rude.until_closed().await, Some(1008));
    let mut person = test.sit("token A").await;
    person.wait("question").await;
    for _ in 0..500 {
        person
            .say(json!({"type": "choose", "leg": 1, "step": 99, "action": "1"}))
            .await;
    }
    assert!(matches!(person.until_closed().await, Some(1008) | None));
    let mut person = test.sit("token A").await;
    person.wait("question").await;
    person
        .say(json!({"type": "noise", "text": "x".repeat(100_000)}))
        .await;
    person.until_closed().await;
    test.sit("token A").await.wait("question").await;
}

/// What a person was sent of this type.
fn told(messages: &mut mpsc::Receiver<axum::extract::ws::Utf8Bytes>, kind: &str) -> Vec<Value> {
    let all = std::iter::from_fn(|| messages.try_recv().ok());
    let parsed = all.map(|text| serde_json::from_str::<Value>(text.as_str()).expect("JSON"));
    parsed.filter(|message| message["type"] == kind).collect()
}

#[test]
fn two_people_begin_when_both_have_read_or_one_has_left_or_after_two_minutes() {
    const BEGUN: Duration = Duration::from_secs(1);
    const READY: ParticipantMessage = ParticipantMessage::Ready;
    // What each says after a second, the seconds that pass, and whether somebody still reads.
    for (game, said, seconds, reads) in [
        ("kob", [None, None], 1, true),
        ("kob", [Some(READY), None], 1, true),
        ("kob", [Some(READY), Some(READY)], 1, false),
        ("snakego", [None, Some(READY)], 1, true),
        ("snakego", [Some(READY), Some(READY)], 1, false),
        (
            "tankcraft",
            [None, Some(ParticipantMessage::Resign)],
            1,
            false,
        ),
        ("kob", [None, Some(READY)], 119, true),
        ("kob", [None, Some(READY)], 120, false),
    ] {
        let row = format!("{game} {said:?} {seconds}");
        let game = leitai_games::find_game(game).expect("a game");
        let setup = game.deal_setup(&Value::Null, 1).expect("the default");
        let header = LegFramesHeader {
            game: game.into(),
            setup,
            legs: 1,
            entrants: ByEntrant::default(),
        };
        let mut state = HumanMatchState::new(header, ByEntrant::new(true, true));
        let (sender, mut messages) = mpsc::channel(100);
        for entrant in Entrant::BOTH {
            state.note_reading(entrant);
            state.connect_person(entrant, sender.clone(), Duration::ZERO);
        }
        state.begin_reading(BEGUN);
        assert!(state.is_reading(BEGUN), "{row}");
        let ready = [said[0] == Some(READY), said[1] == Some(READY)];
        let now = BEGUN + Duration::from_secs(seconds);
        for (entrant, word) in Entrant::BOTH.into_iter().zip(said) {
            if let Some(word) = word {
                state.handle_message(entrant, word, now);
            }
        }
        assert_eq!(state.is_reading(now), reads, "{row}");
        let last = told(&mut messages, "ready").pop().expect("both are told");
        assert_eq!([&last["a"], &last["b"]], [ready[0], ready[1]], "{row}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_in_which_neither_person_moves_has_no_result() {
    let test = PlayTest::open().await;
    let human_match = test.human_match("kob", &Value::Null, [None, None]);
    let mut people = [test.sit("token A").await, test.sit("token B").await];
    for person in &mut people {
        person.wait("question").await;
    }
    test.clock.advance_by(Duration::from_secs(60));
    for person in &mut people {
        person.until_closed().await;
        assert!(of_type(&person.seen, "frames").is_empty(), "no step");
    }
    assert!(human_match.unplayed.load(Ordering::Relaxed));
    assert!(test.replay().verdict.is_none());
    // Who alone has moved wins, as the rules say.
    let human_match = test.human_match("kob", &Value::Null, [None, None]);
    let mut people = [test.sit("token A").await, test.sit("token B").await];
    let question = people[0].wait("question").await;
    people[1].wait("question").await;
    let legal = any_key(&mut Rng::new(1), &question);
    people[0].choose(&question, &legal).await;
    people[0]
        .say(json!({"type": "say", "phrase": "hello"}))
        .await;
    people[1].wait("said").await;
    test.clock.advance_by(Duration::from_secs(60));
    while people[1].wait("leg").await["frames_of_leg"]["leg"] != 2 {}
    people[1].say(json!({"type": "resign"})).await;
    people[1].until_closed().await;
    assert!(!human_match.unplayed.load(Ordering::Relaxed));
    let verdict = test.replay().verdict.expect("a result");
    assert_eq!(verdict.winner, Some(Entrant::A));
}

#[test]
fn a_participant_who_does_not_read_is_disconnected_and_the_others_are_notified() {
    let game = leitai_games::find_game("kob").expect("a game");
    let setup = game.deal_setup(&Value::Null, 1).expect("the default");
    let header = LegFramesHeader {
        game: game.into(),
        setup,
        legs: 2,
        entrants: ByEntrant::default(),
    };
    let mut state = HumanMatchState::new(header, ByEntrant::new(true, true));
    let ((slow, mut first), (quick, mut messages)) = (mpsc::channel(1), mpsc::channel(100));
    let connection = state
        .connect_person(Entrant::A, slow, Duration::ZERO)
        .expect("a person's side");
    state.connect_person(Entrant::B, quick, Duration::ZERO);
    state.update_clocks(Duration::ZERO);
    let last = std::iter::from_fn(|| messages.try_recv().ok())
        .last()
        .expect("messages");
    assert_eq!(
        last.as_str(),
        r#"{"a":"away","b":"here","type":"presence","until_ms":30000}"#
    );
    assert!(first.try_recv().is_ok() && first.try_recv().is_err());
    assert_eq!(state.end_of(Entrant::A, connection), CloseReason::Slow);
}

#[test]
fn people_have_no_less_time_than_the_operator_says() {
    let seconds = Duration::from_secs;
    // The first turn of King of Bots has a minute, the others 5 s.
    for (game, least, expected) in [
        ("kob", None, [60, 5]),
        ("kob", Some(30), [60, 30]),
        ("kob", Some(600), [600, 600]),
        ("snakego", Some(30), [60, 60]),
        ("tankcraft", Some(600), [600, 600]),
    ] {
        let game = leitai_games::find_game(game).expect("a game");
        let setup = game.deal_setup(&Value::Null, 1).expect("the default");
        let people = ByEntrant::new(true, false);
        let budget = TimeBudget::from_game(game, &*setup, &people).at_least(least.map(seconds));
        let leg = setup.start_leg();
        let times = [0, 1].map(|step| budget.period_budget(&*leg, step));
        assert_eq!(times, expected.map(seconds), "{} {least:?}", game.meta().id);
        // A program at home has the game's own time, if that is not shorter.
        let own = leg.period_limit().unwrap_or_default();
        let own = own.max(game.meta().period_limit);
        let of_program = own.max(seconds(least.unwrap_or_default()));
        assert_eq!(budget.program_budget(&*leg), of_program);
    }
}

#[test]
fn a_disconnected_participant_has_limited_time() {
    let (mut participant, seconds) = (
        leitai_server::play::participant::Participant::default(),
        Duration::from_secs,
    );
    let mut now = Duration::ZERO;
    // The length of each absence, and the window that was left.
    for (away, window) in [
        (29, 30),
        (29, 30),
        (29, 30),
        (29, 30),
        (3, 4),
        (1, 1),
        (0, 0),
    ] {
        let (sender, _messages) = mpsc::channel(100);
        let connection = participant.connect_person(sender, now);
        assert_eq!(participant.return_window(now), None);
        assert!(
            !participant.note_disconnect(connection + 1, now)
                && participant.note_disconnect(connection, now)
        );
        assert_eq!(participant.return_window(now), Some(seconds(window)));
        now += seconds(away);
        assert_eq!(participant.return_window(now), Some(seconds(window - away)));
    }
}

/// Human matches with these limits, and a function that creates one more.
fn limited(
    limits: TableLimits,
) -> (
    HumanMatches,
    Arc<ManualClock>,
    impl Fn(i64, Opener) -> Arc<HumanMatch>,
) {
    let (human_matches, clock, open) = limited_tables(limits);
    (human_matches, clock, move |id, by| open(id, by, None))
}

/// Opens a match, in the lobby or not.
type OpenOne = Box<dyn Fn(i64, Opener, Option<OpenTable>) -> Arc<HumanMatch>>;

/// Human matches with these limits, and a function that opens one more.
fn limited_tables(limits: TableLimits) -> (HumanMatches, Arc<ManualClock>, OpenOne) {
    let clock = Arc::new(ManualClock::default());
    let human_matches = HumanMatches::with_clock(clock.clone());
    human_matches.set_limits(limits);
    let game = leitai_games::find_game("kob").expect("a game");
    let setup = game.deal_setup(&Value::Null, 1).expect("the default");
    let all = human_matches.clone();
    let open = move |id: i64, by: Opener, open_table: Option<OpenTable>| {
        let header = LegFramesHeader {
            game: game.into(),
            setup: setup.clone(),
            legs: 2,
            entrants: ByEntrant::default(),
        };
        let people = ByEntrant::new(true, true);
        all.open_match(HumanMatchOptions {
            id,
            header,
            tokens: ByEntrant::default(),
            people,
            at_home: ByEntrant::default(),
            by,
            open_table,
        })
    };
    (human_matches, clock, Box::new(open))
}

#[test]
fn a_few_addresses_cannot_use_all_human_matches() {
    let (human_matches, _, open) = limited(TableLimits {
        account_matches: 2,
        ..TableLimits::default()
    });
    let guest = |n: u8| Opener::Guest(ClientAddress(std::net::IpAddr::from([10, 0, 0, n])));
    let mut id = 0;
    // Opens as many as this person may have open.
    let mut fill = |by: Opener| {
        let mut own = 0;
        while human_matches.check_limits(by).is_ok_and(|most| own < most) {
            (own, id) = (own + 1, id + 1);
            open(id, by);
        }
        own
    };
    let taken: Vec<usize> = (1..=9).map(|n| fill(guest(n))).collect();
    assert!(
        taken[0] >= 30 && taken.iter().all(|own| *own > 0),
        "{taken:?}"
    );
    let left = human_matches.check_limits(guest(1));
    assert!(left.is_ok_and(|most| most < taken[0]), "{left:?}");
    assert!(left.is_ok_and(|most| most > 0), "a tenth address plays");
    for n in 10..=250 {
        fill(guest(n));
    }
    assert_eq!(
        human_matches.check_limits(guest(251)),
        Err(HumanMatchLimit::Guests)
    );
    for account in 0..100 {
        assert_eq!(
            fill(Opener::Account(UserId(account))),
            2,
            "a class that is logged in plays"
        );
    }
    for account in 100..200 {
        fill(Opener::Account(UserId(account)));
    }
    assert_eq!(
        human_matches.check_limits(Opener::Account(UserId(200))),
        Err(HumanMatchLimit::Server)
    );
}

#[test]
fn empty_human_matches_are_removed_within_a_minute() {
    let (human_matches, clock, open) = limited(TableLimits::default());
    let by = Opener::Account(UserId(1));
    let (begun, waits, left) = (open(1, by), open(2, by), open(3, by));
    open(4, by);
    begun.begun.store(true, Ordering::Relaxed);
    let _inviter = waits.join_match(Entrant::A);
    let gone = left.join_match(Entrant::A);
    let late = || {
        human_matches
            .remove_expired()
            .iter()
            .map(|human_match| human_match.id())
            .collect::<Vec<i64>>()
    };
    clock.advance_by(VACANT - Duration::from_secs(1));
    assert!(late().is_empty());
    drop(gone);
    clock.advance_by(Duration::from_secs(1));
    assert_eq!(late(), [4], "nobody came");
    clock.advance_by(VACANT);
    assert_eq!(late(), [3], "the inviter left");
    clock.advance_by(WAIT);
    assert_eq!(late(), [2], "the guest did not come to the inviter");
    assert!(human_matches.find_match(1).is_some());
}

/// King of Bots with a free side B.
fn kob_table(legs: usize) -> OpenTable {
    OpenTable {
        invite: "code".to_owned(),
        name: "ada".to_owned(),
        has_account: true,
        free: MatchSide::B,
        form: TableForm {
            game: "kob".to_owned(),
            config: Value::Null,
            legs,
        },
        since: Timestamp::now(),
    }
}

fn seeking(by: Opener, side: Option<MatchSide>) -> TableRequest {
    TableRequest {
        form: kob_table(1).form,
        side,
        by,
    }
}

#[test]
fn the_longest_waiting_table_that_suits_is_found() {
    let (human_matches, clock, open) = limited_tables(TableLimits::default());
    let (ada, bea) = (Opener::Account(UserId(1)), Opener::Account(UserId(2)));
    let guest = Opener::Guest(HOST);
    open(1, ada, None);
    open(2, ada, Some(kob_table(2)));
    let waiting = open(3, ada, Some(kob_table(1)));
    open(4, guest, Some(kob_table(1)));
    let find = |by: Opener, side: Option<MatchSide>| {
        human_matches
            .find_open_table(&seeking(by, side))
            .map(|table| table.id())
    };
    assert_eq!(find(bea, None), Some(3), "the first with equal legs");
    assert_eq!(find(bea, Some(MatchSide::B)), Some(3));
    assert_eq!(find(bea, Some(MatchSide::A)), None, "the side is taken");
    assert_eq!(find(ada, None), Some(4), "nobody meets their own account");
    assert_eq!(find(guest, None), Some(3));
    // Before the person connects, a table is offered for a moment, and not listed.
    assert!(human_matches.list_open_tables().is_empty());
    let connection = waiting.join_match(Entrant::A);
    clock.advance_by(Duration::from_secs(5));
    let listed = || -> Vec<i64> {
        let tables = human_matches.list_open_tables();
        tables.into_iter().map(|(id, _)| id).collect()
    };
    assert_eq!(listed(), [3]);
    assert_eq!(find(ada, None), None, "the guest has not come");
    assert_eq!(find(guest, None), Some(3));
    drop(connection);
    assert!(listed().is_empty(), "who leaves the page leaves the lobby");
    assert_eq!(find(guest, None), None);
    let _again = waiting.join_match(Entrant::A);
    assert_eq!((listed(), find(bea, None)), (vec![3], Some(3)));
    waiting.admit_invited(Entrant::B, TokenHash::from_token("b"), "bea".to_owned());
    assert!(listed().is_empty(), "the seat is taken");
    assert_eq!(find(guest, None), None);
}

#[test]
fn a_table_ends_when_the_second_person_does_not_come() {
    let (human_matches, clock, open) = limited_tables(TableLimits::default());
    let by = Opener::Guest(HOST);
    let (stood_up, invited, waiting) = (
        open(1, by, Some(kob_table(1))),
        open(2, by, None),
        open(3, by, Some(kob_table(1))),
    );
    let _connections = [&stood_up, &invited, &waiting].map(|table| table.join_match(Entrant::A));
    for table in [&stood_up, &invited] {
        table.admit_invited(Entrant::B, TokenHash::from_token("b"), "bea".to_owned());
    }
    let late = || -> Vec<i64> {
        let removed = human_matches.remove_expired();
        removed.iter().map(|human_match| human_match.id()).collect()
    };
    clock.advance_by(LATE - Duration::from_secs(1));
    assert!(late().is_empty());
    clock.advance_by(Duration::from_secs(1));
    assert_eq!(late(), [1], "an invited friend may take longer");
    assert!(human_matches.find_match(3).is_some(), "nobody has come yet");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_people_say_preset_phrases_to_each_other() {
    let test = PlayTest::open().await;
    test.human_match("snakego", &Value::Null, [None, None]);
    let (mut a, b) = (test.sit("token A").await, test.sit("token B").await);
    a.wait("leg").await;
    drop(b);
    while a.wait("presence").await["b"] != "away" {}
    a.say(json!({"type": "say", "phrase": "hello"})).await;
    a.wait("said").await;
    let mut b = test.sit("token B").await;
    // Too soon, in words of one's own, and by somebody else's name.
    a.say(json!({"type": "say", "phrase": "thanks"})).await;
    a.say(json!({"type": "say", "phrase": "you are bad"})).await;
    let said = b.wait("said").await;
    assert_eq!(
        said,
        json!({"type": "said", "by": "a", "phrase": "hello"}),
        "while she was away"
    );
    b.say(json!({"type": "say", "phrase": "good_luck", "by": "a"}))
        .await;
    let said = a.wait("said").await;
    assert_eq!(
        said,
        json!({"type": "said", "by": "b", "phrase": "good_luck"})
    );
    // Only those who play hear it.
    let mut spectator = test.connect("live/1").await;
    spectator.wait("leg").await;
    test.clock.advance_by(Duration::from_secs(3));
    a.say(json!({"type": "say", "phrase": "oops"})).await;
    b.wait("said").await;
    a.say(json!({"type": "resign"})).await;
    let _ = tokio::join!(a.until_closed(), b.until_closed(), spectator.until_closed());
    assert!(of_type(&spectator.seen, "said").is_empty());
    assert_eq!(of_type(&b.seen, "said").len(), 3);
}
