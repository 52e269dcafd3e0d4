//! Bots that stay at home: real programs behind `leitai connect` at a real server, which play or wait to be
//! played, and hostile connections to their seats.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::agents::Arena;
use crate::game_authors::{copy_of, has_clang};
use crate::place::{FIRST_LEGAL, Place, fill_words, says, text};
use crate::ports::find_port;

/// Forwards connections to the arena; the first `cuts` connections that upgrade are cut after some bytes.
fn open_bad_line(arena: &str, cuts: usize) -> String {
    let arena = arena.trim_start_matches("http://").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        let mut left = cuts;
        for near in listener.incoming() {
            let (near, far) = (
                near.expect("it comes"),
                TcpStream::connect(&arena).expect("it listens"),
            );
            for stream in [&near, &far] {
                stream.set_nodelay(true).expect("it is open");
            }
            let mut first = [0; 4096];
            let mut reader = near.try_clone().expect("a descriptor");
            let count = reader.read(&mut first).unwrap_or_default();
            let upgrades = String::from_utf8_lossy(&first[..count])
                .to_lowercase()
                .contains("upgrade: websocket");
            (&far).write_all(&first[..count]).expect("it reads");
            let is_cut = upgrades && left > 0;
            left -= usize::from(is_cut);
            forward(near, far, if is_cut { 6000 } else { usize::MAX });
        }
    });
    address
}

/// Forwards both ways until so many bytes have come from afar.
fn forward(near: TcpStream, far: TcpStream, most: usize) {
    let pairs = [
        (near.try_clone(), far.try_clone(), usize::MAX),
        (far.try_clone(), near.try_clone(), most),
    ];
    for (from, to, most) in pairs {
        let (mut from, mut to) = (from.expect("a descriptor"), to.expect("a descriptor"));
        std::thread::spawn(move || {
            let (mut sum, mut buffer) = (0, [0; 1024]);
            while let Ok(count) = from.read(&mut buffer)
                && count > 0
                && sum < most
                && to.write_all(&buffer[..count]).is_ok()
            {
                sum += count;
            }
            _ = from.shutdown(Shutdown::Both);
            _ = to.shutdown(Shutdown::Both);
        });
    }
}

fn connect_command(place: &Place, words: &[&str]) -> Command {
    let mut command = place.leitai(&[&["connect"], words].concat());
    command
        .env("LEITAI_ISOLATION", "none")
        .env("HOME", place.path());
    command
}

fn connect(place: &Place, words: &[&str]) -> (bool, String) {
    let done = connect_command(place, words).output().expect("it starts");
    (done.status.success(), text(&done))
}

#[test]
fn a_bot_at_home_plays_from_both_sides_and_a_cut_loses_nothing() {
    let place = Place::new();
    place.write("mybot.py", FIRST_LEGAL);
    let arena = Arena::start(place.path());
    for (game, config, cuts) in [
        ("kob", &[][..], 0),
        ("snakego", &["--config", "max_round=12"], 1),
        ("tankcraft", &["--config", "rounds=12"], 0),
    ] {
        let address = open_bad_line(&arena.address, cuts);
        let mut words = vec![address.as_str(), game, "mybot.py", "--against", "random"];
        words.extend(fill_words(
            "--matches 2 --seed 7 --json --token {}",
            &[&arena.token],
        ));
        words.extend(config);
        let (went_well, said) = connect(&place, &words);
        assert!(went_well, "{game}: {said}");
        let ends = said
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let ends: Vec<Value> = ends.collect();
        let sides: Vec<&Value> = ends.iter().map(|end| &end["seat"]).collect();
        assert_eq!(sides, ["a", "b"], "{game}: {said}");
        for end in &ends {
            let own = &end["match"];
            assert_eq!(own["state"], "finished", "{game}: {said}");
            assert_eq!(own["kind"], "human", "{game}: it is not rated");
            let side = end["seat"].as_str().expect("a word");
            assert_eq!(own[side]["name"], "ada+mybot", "{game}: {said}");
        }
        let latencies = ends.iter().map(|end| &end["latency_us"]);
        assert!(latencies.clone().all(Value::is_array), "{game}: {said}");
        let seen = ends
            .iter()
            .map(|end| end["cuts"].as_u64().unwrap_or_default());
        assert_eq!(seen.sum::<u64>(), cuts as u64, "{game}: {said}");
    }
}

#[test]
fn a_match_of_a_bot_at_home_goes_on_in_the_next_server() {
    let place = Place::new();
    let mut arena = Arena::start(place.path());
    let go = place.path().join("go");
    // In its third turn it kills the server, and waits for the next one.
    let kills = format!(
        "turn = globals().get('turn', 0) + 1\n        \
         if turn == 3 and not os.path.exists({go:?}): os.kill({}, 9)\n        \
         while turn == 3 and not os.path.exists({go:?}): time.sleep(0.02)\n        ",
        arena.process_id()
    );
    let bot = FIRST_LEGAL
        .replace("import json", "import os, time, json")
        .replace("print(", &format!("{kills}print("));
    place.write("mybot.py", &bot);
    let address = arena.address.clone();
    let words = "snakego mybot.py --against random --seed 7 --json --config max_round=12 --token";
    let words: Vec<&str> = [&*address]
        .into_iter()
        .chain(words.split(' '))
        .chain([&*arena.token])
        .collect();
    let child = connect_command(&place, &words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    arena.start_again_when_killed(place.path());
    std::fs::write(&go, "").expect("own folder");
    let done = child.wait_with_output().expect("it ends");
    let said = text(&done);
    assert!(done.status.success(), "{said}");
    let end: Value = said
        .lines()
        .find_map(|line| serde_json::from_str(line).ok())
        .expect("a line of JSON");
    assert_eq!(end["match"]["state"], "finished", "{said}");
    // It never loses by what it said in the first server.
    assert!(!said.contains("\"PE\""), "{said}");
    assert!(end["cuts"].as_u64() >= Some(1), "{said}");
}

#[test]
fn a_bot_at_home_plays_a_game_that_came_as_a_file() {
    if !has_clang() {
        return;
    }
    let place = Place::new();
    place.write("mybot.py", FIRST_LEGAL);
    copy_of(place.path(), "goofspiel", &[]);
    std::fs::create_dir(place.path().join("games")).expect("own folder");
    let file = "games/goofspiel.leitai-game";
    for words in [
        &["game", "build", "goofspiel"][..],
        &["game", "pack", "goofspiel", "--output", file],
    ] {
        let done = place.leitai(words).output().expect("it starts");
        assert!(done.status.success(), "{}", text(&done));
    }
    let arena = Arena::start(place.path());
    // Its file and its folder name it here, its id in the arena.
    for (game, seat) in [(file, "a"), ("goofspiel", "a")] {
        let words = fill_words(
            "{} {} mybot.py --against random --seed 7 --json --config cards=3 --token {}",
            &[arena.address.as_str(), game, &*arena.token],
        );
        let (went_well, said) = connect(&place, &words);
        assert!(went_well && !said.contains("\"PE\""), "{said}");
        let end = said
            .lines()
            .find_map(|line| serde_json::from_str(line).ok());
        let end: Value = end.expect("a line of JSON");
        assert_eq!(end["match"]["game"], "goofspiel", "{said}");
        assert_eq!(end["match"]["state"], "finished", "{said}");
        assert_eq!(end["match"][seat]["name"], "ada+mybot", "{said}");
    }
}

#[test]
fn a_command_that_cannot_connect_says_why() {
    let place = Place::new();
    place.write("mybot.py", FIRST_LEGAL);
    let arena = Arena::start(place.path());
    let nobody = format!("http://127.0.0.1:{}", find_port());
    for (server, token, against, why) in [
        (
            &arena.address,
            "leitai_wrong",
            "random",
            "does not accept this login",
        ),
        (
            &arena.address,
            &*arena.token,
            "nobody",
            "has no bot nobody for kob",
        ),
        (&nobody, &*arena.token, "random", "no answer from"),
    ] {
        let words = fill_words(
            "{} kob mybot.py --against {} --token {}",
            &[server.as_str(), against, token],
        );
        let (went_well, said) = connect(&place, &words);
        assert!(!went_well && said.contains(why), "{why}: {said}");
    }
}

/// Joins a seat with this token of an account, if there is one, says these words, and gives the code and
/// the reason with which the arena ends the connection; or the status with which it refuses it.
async fn end_of(
    arena: &Arena,
    token: Option<&str>,
    seat: &Value,
    words: Vec<String>,
) -> (u16, String) {
    let address = arena.address.replace("http", "ws");
    let url = format!("{address}/api/matches/{}/play", seat["match"]);
    let mut request = url.into_client_request().expect("an address");
    if let Some(token) = token {
        let bearer = format!("Bearer {token}").parse().expect("ASCII");
        request.headers_mut().insert("authorization", bearer);
    }
    let socket = match connect_async(request).await {
        Ok((socket, _)) => socket,
        Err(Error::Http(answer)) => return (answer.status().as_u16(), String::new()),
        Err(error) => panic!("{error}"),
    };
    let join = json!({"type": "join", "token": seat["token"]}).to_string();
    let (mut sink, mut stream) = socket.split();
    let is_over = Arc::new(AtomicBool::new(false));
    let ended = is_over.clone();
    let speak = async move {
        for word in [vec![join], words].concat() {
            if ended.load(Ordering::Relaxed) || sink.send(Message::text(word)).await.is_err() {
                break;
            }
        }
        sink
    };
    let hear = async {
        let mut end = (0, String::new());
        while let Some(Ok(message)) = stream.next().await {
            if let Message::Close(Some(frame)) = message {
                end = (frame.code.into(), frame.reason.to_string());
            }
        }
        is_over.store(true, Ordering::Relaxed);
        end
    };
    let (_sink, end) = tokio::join!(speak, hear);
    end
}

#[test]
fn the_seat_of_a_bot_at_home_is_its_authors_and_a_flood_ends_the_connection() {
    let place = Place::new();
    let arena = Arena::start(place.path());
    let agent = ureq::Agent::new_with_defaults();
    let ask = |path: &str, body: Value| -> Value {
        let request = agent.post(format!("{}{path}", arena.address));
        let request = request.header("authorization", format!("Bearer {}", arena.token));
        let mut answer = request.send_json(body).expect("it answers");
        answer.body_mut().read_json().expect("JSON")
    };
    let found = agent
        .get(format!("{}/api/search?q=random", arena.address))
        .call();
    let found: Value = found
        .expect("it answers")
        .body_mut()
        .read_json()
        .expect("JSON");
    let bots = found["bots"].as_array().expect("a list");
    let bot = bots
        .iter()
        .find(|bot| bot["game"] == "kob")
        .expect("it has one");
    let wanted = json!({
        "game": "kob", "seat": "a", "opponent": {"bot": bot["id"]}, "seed": 7,
        "program": {"name": "mybot", "protocol": "json-lines"},
    });
    let pong = json!({"type": "pong", "n": 0}).to_string();
    let runtime = tokio::runtime::Runtime::new().expect("it starts");
    let mine = Some(&*arena.token);
    let stranger = arena.other_token();
    for (token, words, code, why) in [
        (None, Vec::new(), 401, ""),
        (Some(&*stranger), Vec::new(), 403, ""),
        (mine, vec!["x".repeat(9000)], 1009, "at most 8192 bytes"),
        (mine, vec![pong; 200_000], 1008, "too many messages"),
    ] {
        // A match of its own: one whose program is away for long is over.
        let seat = ask("/api/human-matches", wanted.clone());
        let end = runtime.block_on(end_of(&arena, token, &seat, words));
        assert!(end.0 == code && end.1.contains(why), "{why}: {end:?}");
    }
}

/// What the arena answers to a request without a body, or with one; with a token of an account, if there is
/// one.
fn ask(arena: &Arena, token: Option<&str>, path: &str, body: Option<Value>) -> (u16, Value) {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let url = format!("{}{path}", arena.address);
    let bearer = token.map(|token| format!("Bearer {token}"));
    let answer = match body {
        Some(body) => {
            let request = agent.post(url);
            let signed = match &bearer {
                Some(bearer) => request.header("authorization", bearer),
                None => request,
            };
            signed.send_json(body)
        }
        None => agent.get(url).call(),
    };
    // A server that starts does not answer yet.
    let Ok(mut answer) = answer else {
        return (0, Value::Null);
    };
    let status = answer.status().as_u16();
    (status, answer.body_mut().read_json().unwrap_or(Value::Null))
}

/// The programs that wait at home for an opponent.
fn offered(arena: &Arena) -> Vec<Value> {
    let (_, list) = ask(arena, None, "/api/home-bots?game=kob", None);
    list["items"].as_array().cloned().unwrap_or_default()
}

/// Looks until it is so.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The program that waits, once it does and is free.
fn wait_for_offer(arena: &Arena) -> Value {
    until("a program is offered", || {
        offered(arena)
            .into_iter()
            .find(|one| one["plays"].is_null())
    })
}

fn offer(place: &Place, arena: &Arena, more: &[&str]) -> Child {
    let words = [&*arena.address, "kob", "mybot.py", "--token", &arena.token];
    connect_command(place, &[&words, more].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

fn find_bot(arena: &Arena, name: &str) -> Value {
    let (_, found) = ask(arena, None, &format!("/api/search?q={name}"), None);
    let bots = found["bots"].as_array().cloned().unwrap_or_default();
    let bot = bots.into_iter().find(|bot| bot["game"] == "kob");
    bot.expect("it has one")["id"].clone()
}

/// Joins a seat, as somebody whose account has this token, if there is one, and resigns; gives the code
/// with which the arena closes the connection, or the last message.
async fn resign(arena: &Arena, seat: &Value, account: Option<&str>) -> (u16, Value) {
    let address = arena.address.replace("http", "ws");
    let url = format!("{address}/api/matches/{}/play", seat["match"]);
    let mut request = url.into_client_request().expect("an address");
    if let Some(token) = account {
        let bearer = format!("Bearer {token}").parse().expect("ASCII");
        request.headers_mut().insert("authorization", bearer);
    }
    let (mut socket, _) = connect_async(request).await.expect("it opens");
    for word in [
        json!({"type": "join", "token": seat["token"]}),
        json!({"type": "resign"}),
    ] {
        let said = socket.send(Message::text(word.to_string())).await;
        said.expect("it hears");
    }
    let mut last = (0, Value::Null);
    while let Some(Ok(message)) = socket.next().await {
        match message {
            Message::Text(text) => last.1 = serde_json::from_str(&text).expect("JSON"),
            Message::Close(Some(frame)) => last.0 = frame.code.into(),
            _ => {}
        }
    }
    last
}

#[test]
fn a_program_that_waits_at_home_plays_whoever_comes_and_its_author_finds_the_matches() {
    let place = Place::new();
    place.write("mybot.py", FIRST_LEGAL);
    let arena = Arena::start(place.path());
    let eve = arena.other_token();
    let child = offer(&place, &arena, &["--matches", "2", "--json"]);
    let program = wait_for_offer(&arena);
    has!(program, {"name": "mybot", "owner": "ada"});
    let home = &program["id"];
    // A guest in a browser.
    let wanted = json!({"game": "kob", "seat": "a", "opponent": {"home": home}, "legs": 1});
    let (status, seat) = ask(&arena, None, "/api/human-matches", Some(wanted.clone()));
    assert_eq!(status, 200, "{seat}");
    let (status, refused) = ask(&arena, None, "/api/human-matches", Some(wanted));
    assert!(
        status == 409 && refused.to_string().contains("plays a match now"),
        "{refused}"
    );
    let runtime = tokio::runtime::Runtime::new().expect("it starts");
    let (_, end) = runtime.block_on(resign(&arena, &seat, None));
    let own = &end["match"];
    assert_eq!(
        (&own["winner"], &own["b"]["name"]),
        (&json!("b"), &json!("ada+mybot")),
        "{end}"
    );
    // Somebody else's choice of a bot.
    wait_for_offer(&arena);
    let path = format!("/api/home-bots/{home}/matches");
    let bot = json!({"bot": find_bot(&arena, "random"), "legs": 1, "seat": "b"});
    let (status, refused) = ask(&arena, None, &path, Some(bot.clone()));
    assert_eq!(status, 401, "{refused}");
    let (status, made) = ask(&arena, Some(&eve), &path, Some(bot));
    assert_eq!(status, 201, "{made}");
    let done = child.wait_with_output().expect("it ends");
    let said = text(&done);
    assert!(done.status.success(), "{said}");
    says(&said, &["guest has come", "mybot is withdrawn"]);
    assert_eq!(said.matches("\"state\":\"finished\"").count(), 2, "{said}");
    assert!(offered(&arena).is_empty(), "it is withdrawn");
    let (_, listed) = ask(&arena, None, "/api/matches?home=ada", None);
    let listed = listed["items"].as_array().expect("a list");
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert!(
        listed
            .iter()
            .all(|own| own.to_string().contains("\"home\":true")),
        "{listed:?}"
    );
    let (_, of_eve) = ask(&arena, None, "/api/matches?home=eve", None);
    assert_eq!(of_eve["items"], json!([]));
    let (_, own) = ask(&arena, None, &format!("/api/matches/{}", made["id"]), None);
    assert!(own["a"]["latency_ms"].is_f64(), "{own}");
    let mine = place
        .leitai(&["matches", "--home", "--json"])
        .env("LEITAI_SERVER", &arena.address)
        .env("LEITAI_TOKEN", &arena.token)
        .output();
    let mine = text(&mine.expect("it starts"));
    assert_eq!(mine.matches("ada+mybot").count(), 2, "{mine}");
}

#[test]
fn an_offer_lives_as_long_as_its_command_and_nobody_takes_it_over() {
    let place = Place::new();
    place.write("mybot.py", FIRST_LEGAL);
    let mut arena = Arena::start(place.path());
    let first = offer(&place, &arena, &[]);
    wait_for_offer(&arena);
    // The later command goes on, and the earlier one says so.
    let mut second = offer(&place, &arena, &[]);
    let done = first.wait_with_output().expect("it ends");
    let said = text(&done);
    assert!(
        !done.status.success() && said.contains("another command of yours"),
        "{said}"
    );
    let program = wait_for_offer(&arena);
    // A restart of the server ends no offer.
    let pid = rustix::process::Pid::from_raw(arena.process_id().cast_signed());
    let pid = pid.expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("own child");
    arena.start_again_when_killed(place.path());
    wait_for_offer(&arena);
    // The seat of a program opens to its author alone, and not with the token of the other seat.
    let wanted = json!({"game": "kob", "opponent": {"home": program["id"]}, "legs": 1});
    let (_, seat) = ask(&arena, None, "/api/human-matches", Some(wanted));
    let stolen = json!({"match": seat["match"], "token": "not the token"});
    let runtime = tokio::runtime::Runtime::new().expect("it starts");
    let (code, _) = runtime.block_on(resign(&arena, &stolen, None));
    assert_eq!(code, 4403);
    let (_, end) = runtime.block_on(resign(&arena, &seat, None));
    assert_eq!(end["type"], "finished", "{end}");
    // Whoever kills the command ends the offer, within seconds.
    wait_for_offer(&arena);
    second.kill().expect("own child");
    second.wait().expect("own child");
    until("nothing is offered", || {
        offered(&arena).is_empty().then_some(())
    });
}

#[test]
fn programs_at_home_play_rated_matches_where_the_operator_has_opened_a_ladder() {
    let place = Place::new();
    place.write("mybot.py", FIRST_LEGAL);
    let arena = Arena::start(place.path());
    let eve = arena.other_token();
    let words = |game, token| -> [&str; 6] {
        let address: &str = &arena.address;
        [address, game, "mybot.py", "--rated", "--token", token]
    };
    let (went_well, said) = connect(&place, &words("tankcraft", &arena.token));
    assert!(
        !went_well && said.contains("no ladder of programs at home"),
        "{said}"
    );
    let both = [&*arena.token, &*eve].map(|token| {
        let words = [&words("kob", token)[..], &["--matches", "1", "--json"]].concat();
        connect_command(&place, &words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts")
    });
    for child in both {
        let done = child.wait_with_output().expect("it ends");
        let said = text(&done);
        assert!(
            done.status.success() && said.contains("\"state\":\"finished\""),
            "{said}"
        );
    }
    let rows = until("both are rated", || {
        let (_, ladder) = ask(&arena, None, "/api/games/kob/home-ladder", None);
        let rows = ladder["items"].as_array().cloned().unwrap_or_default();
        let games = |row: &Value| ["wins", "draws", "losses"].map(|key| row[key].as_i64());
        let is_rated = |row: &Value| games(row).into_iter().flatten().sum::<i64>() == 1;
        (rows.len() == 2 && rows.iter().all(is_rated)).then_some(rows)
    });
    let owners: Vec<&Value> = rows.iter().map(|row| &row["owner"]).collect();
    assert!(
        owners.contains(&&json!("ada")) && owners.contains(&&json!("eve")),
        "{rows:?}"
    );
    let (_, listed) = ask(&arena, None, "/api/matches?home=eve", None);
    assert!(listed["items"][0]["rating_change"].is_object(), "{listed}");
    // Nothing of it counts on the ladders of the game.
    let (_, ladder) = ask(&arena, None, "/api/games/kob/ladder", None);
    assert!(!ladder.to_string().contains("mybot"), "{ladder}");
}

#[test]
fn a_program_that_sends_more_than_may_wait_to_be_read_is_cut() {
    let place = Place::new();
    let arena = Arena::start(place.path());
    let token = "a-token-that-nobody-guesses-for-the-next-seat";
    let words = json!({
        "game": "kob", "name": "flood", "protocol": "json-lines", "begins": true,
        "session": "a-session-of-a-test", "token": token,
    });
    let agent = ureq::Agent::new_with_defaults();
    let offered = agent
        .put(format!("{}/api/home-bots", arena.address))
        .header("authorization", format!("Bearer {}", arena.token))
        .send_json(words);
    let said: Value = offered
        .expect("it answers")
        .body_mut()
        .read_json()
        .expect("JSON");
    assert_eq!(said["state"], "waits");
    let id = &wait_for_offer(&arena)["id"];
    let wanted = json!({"game": "kob", "opponent": {"home": id}, "legs": 1});
    let (_, seat) = ask(&arena, None, "/api/human-matches", Some(wanted));
    // The person has not come: nothing of it is read yet.
    let seat = json!({"match": seat["match"], "token": token});
    let piece = "QUFB".repeat(1400);
    let outputs = (0..64).map(|index| {
        json!({"type": "output", "leg": 1, "at": index * 4200, "data": piece}).to_string()
    });
    let runtime = tokio::runtime::Runtime::new().expect("it starts");
    let end = runtime.block_on(end_of(&arena, Some(&arena.token), &seat, outputs.collect()));
    assert!(
        end.0 == 1008 && end.1.contains("more bytes than may wait"),
        "{end:?}"
    );
    // Whose token is another account's does not get the seat at all.
    let end = runtime.block_on(end_of(
        &arena,
        Some(&arena.other_token()),
        &seat,
        Vec::new(),
    ));
    assert_eq!(end.0, 4403, "{end:?}");
}
