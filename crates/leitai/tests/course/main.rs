//! A course from its list of members to the final, on one machine with a real server: accounts with
//! one-time passwords, teams, weeks of uploads, a freeze, a Swiss and a knockout. The server is
//! killed again and again, and the result is the one of a run without kills.
//!
//! `LEITAI_COURSE=200` says how many students take part; a small course is the default.

mod arena;
#[path = "../../../store/tests/contract/ports.rs"]
mod ports;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use arena::{Arena, Person, wait_until};
use serde_json::{Value, json};

/// A bot whose moves follow from the numbers A and B alone.
const BOT: &str = r#"# leitai: dialect=json-lines
import json, sys

turn = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        legal = message["legal"]
        turn += 1
        print(json.dumps({"action": legal[(turn // A + B) % len(legal)]}), flush=True)
"#;

/// How large the course is.
struct Size {
    students: usize,
    /// Rounds of the Swiss.
    rounds: usize,
    /// Entrants of the knockout.
    knockout: usize,
    /// Uploads of every bot; the last ones through two kills.
    weeks: usize,
    /// Kills while the stages are played.
    kills: usize,
}

impl Size {
    fn chosen() -> Size {
        let asked = std::env::var("LEITAI_COURSE").ok();
        let students = asked.map_or(6, |text| text.parse().expect("a number of students"));
        match students {
            0..50 => Size {
                students,
                rounds: 2,
                knockout: 2,
                weeks: 1,
                kills: 2,
            },
            _ => Size {
                students,
                rounds: 8,
                knockout: 16,
                weeks: 3,
                kills: 10,
            },
        }
    }
}

/// A student who uploads for a single bot: on its own, or as the first of a team of two.
struct Entrant {
    name: String,
    number: usize,
    person: Person,
    bot: i64,
}

#[test]
fn a_course_ends_with_the_same_result_however_often_its_server_is_killed() {
    let size = Size::chosen();
    let begun = Instant::now();
    let tell = |what: &str| eprintln!("{:7.1} s  {what}", begun.elapsed().as_secs_f64());
    let place = tempfile::tempdir().expect("a temporary folder");
    let mut arena = Arena::start(place.path(), "data", 2);
    let root = arena.register_first("root");
    let teacher = arena.register("teacher", "a long password", &["organise", "play"]);
    let entrants = enrol(&arena, &root, &teacher, &size);

    tell(&format!("{} entrants are enrolled", entrants.len()));

    for week in 1..size.weeks {
        upload(&arena, &entrants, week);
        tell(&format!("the versions of week {week} are decided"));
    }
    arena = upload_through_kills(arena, &entrants, size.weeks);
    tell("the last versions are decided, through two kills");
    publish(&arena, &teacher, &size);
    for entrant in &entrants {
        let body = json!({"bot": entrant.bot});
        arena.post(&entrant.person, "/api/contests/course/join", &body);
    }

    // The freeze, without anybody who plays. What is uploaded later does not count.
    let mut arena = arena.restart(0);
    set_freeze(&arena, &teacher, &size, 3);
    wait_until("the stages begin", || {
        arena.get("/api/contests/course")["stages"][0]["encounters"][0]["matches"][0].is_object()
    });
    upload_broken(&arena, &entrants[0]);
    arena.stop();
    tell("the contest is frozen");

    let copies = ["plain", "killed"].map(|name| {
        copy_folder(&place.path().join("data"), &place.path().join(name));
        name
    });
    arena = Arena::start(place.path(), copies[0], 2);
    wait_for_end(&arena);
    let plain = export(&arena, &teacher, place.path(), "plain");
    arena.stop();
    tell("played without kills");

    arena = Arena::start(place.path(), copies[1], 2);
    let total = plain.matches.len();
    for kill in 0..size.kills {
        let wanted = (2 * kill + 1) * total / (2 * size.kills);
        wait_until("some matches are played", || {
            count_finished(&arena) >= wanted
        });
        arena = arena.kill_and_start();
    }
    wait_for_end(&arena);
    let killed = export(&arena, &teacher, place.path(), "killed");
    assert_eq!(
        killed.matches, plain.matches,
        "every match has the same result"
    );
    assert_eq!(killed.standings, plain.standings);
    // Who had no version that can play was withdrawn at the freeze.
    let contest = arena.get("/api/contests/course");
    let entries = contest["entries"].as_array().expect("a list");
    let playing = entries.iter().filter(|one| one["left"].is_null()).count();
    let is_withdrawn = |entrant: &&Entrant| size.weeks == 1 && is_broken(entrant);
    let withdrawn = entrants.iter().filter(is_withdrawn).count();
    assert_eq!(playing, entrants.len() - withdrawn, "{entries:?}");
    assert_eq!(
        plain.matches.len(),
        size.rounds * (playing / 2) + size.knockout - 1,
        "{:#?}",
        plain.matches
    );

    // Every upload that was accepted is there and is decided, the late one when its turn beside the matches has come.
    wait_until_decided(&arena, &entrants);
    for entrant in &entrants {
        let bot = arena.get_as(&entrant.person, &format!("/api/bots/{}", entrant.bot));
        let versions = bot["versions"].as_array().expect("a list");
        assert!(versions.len() >= size.weeks, "{bot}");
    }
    arena.stop();
}

/// Imports the list of members, and lets everybody choose a password and make a bot.
fn enrol(arena: &Arena, root: &Person, teacher: &Person, size: &Size) -> Vec<Entrant> {
    let group = json!({"name": "AI 2026", "team_size": 2, "organiser": "teacher"});
    let group = arena.post(root, "/api/groups", &group);
    // Two of five students are a team.
    let mut csv = "name,team\n".to_owned();
    let mut captains = Vec::new();
    for number in 0..size.students {
        let team = match number % 5 {
            0 | 1 => format!(",team{}", number / 5),
            _ => String::new(),
        };
        csv += &format!("student{number}{team}\n");
        if number % 5 != 1 {
            captains.push(number);
        }
    }
    let path = format!("/api/groups/{}/members", group["id"]);
    let imported = arena.post(teacher, &path, &json!({"csv": csv}));
    let slips = imported["members"].as_array().expect("a list");
    assert_eq!(slips.len(), size.students);
    let enrol_one = |number: usize| {
        let slip = &slips[number];
        let (name, password) = (text(&slip["name"]), text(&slip["password"]));
        let person = arena.choose_password(&name, &password, "a long password", &["submit"]);
        let bot = json!({"game": "kob", "name": format!("bot{number}")});
        let bot = arena.post(&person, "/api/bots", &bot)["id"].as_i64();
        let bot = bot.expect("a number");
        let team = arena.get_as(&person, &format!("/api/groups/{}", group["id"]));
        let own = team["members"].as_array().expect("a list").iter();
        let own = own.filter(|one| one["name"] == name.as_str());
        if let Some(team) = own.filter_map(|one| one["team"]["id"].as_i64()).next() {
            arena.post(
                &person,
                &format!("/api/bots/{bot}/team"),
                &json!({"team": team}),
            );
        }
        Entrant {
            name,
            number,
            person,
            bot,
        }
    };
    captains.into_iter().map(enrol_one).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

fn source(number: usize, week: usize) -> Value {
    let (a, b) = (number % 7 + 1, number / 7 + week);
    let code = BOT
        .replace('A', &a.to_string())
        .replace('B', &b.to_string());
    json!({"file_name": "bot.py", "code": code})
}

/// Whether the last upload of this entrant does not compile.
fn is_broken(entrant: &Entrant) -> bool {
    entrant.number % 5 == 2
}

/// Uploads a version of every bot, and waits until all are decided.
fn upload(arena: &Arena, entrants: &[Entrant], week: usize) {
    for entrant in entrants {
        let path = format!("/api/bots/{}/versions", entrant.bot);
        arena.post(&entrant.person, &path, &source(entrant.number, week));
    }
    wait_until_decided(arena, entrants);
}

fn wait_until_decided(arena: &Arena, entrants: &[Entrant]) {
    for entrant in entrants {
        wait_until(
            &format!("the versions of {} are decided", entrant.name),
            || {
                let bot = arena.get_as(&entrant.person, &format!("/api/bots/{}", entrant.bot));
                let versions = bot["versions"].as_array().expect("a list");
                versions.iter().all(|one| {
                    ["ready", "failed"]
                        .iter()
                        .any(|state| one["state"] == *state)
                })
            },
        );
    }
}

/// As [`upload`], while the server is killed twice. An upload without an answer is sent again; every
/// fifth does not compile.
fn upload_through_kills(arena: Arena, entrants: &[Entrant], week: usize) -> Arena {
    let accepted = AtomicUsize::new(0);
    let address = arena.address.clone();
    let send = |entrant: &Entrant| {
        let path = format!("/api/bots/{}/versions", entrant.bot);
        let mut body = source(entrant.number, week);
        if is_broken(entrant) {
            body["code"] = json!("this is not Python");
        }
        wait_until("an upload is accepted", || {
            let answer = arena::post_to(&address, &entrant.person, &path, &body);
            if let Some((status, body)) = &answer {
                assert_eq!(*status, 201, "{body}");
            }
            answer.is_some()
        });
        accepted.fetch_add(1, Ordering::Relaxed);
    };
    let arena = std::thread::scope(|scope| {
        let sender = scope.spawn(|| entrants.iter().for_each(send));
        let mut arena = arena;
        for third in 1..3 {
            let wanted = entrants.len() * third / 3;
            wait_until("some uploads are accepted", || {
                accepted.load(Ordering::Relaxed) >= wanted || sender.is_finished()
            });
            if third > 1 {
                // A version whose check sees two kills waits for a minute, by intention.
                wait_until_decided(&arena, &entrants[..entrants.len() / 3]);
            }
            arena = arena.kill_and_start();
        }
        arena
    });
    assert_eq!(accepted.load(Ordering::Relaxed), entrants.len());
    wait_until_decided(&arena, entrants);
    for entrant in entrants {
        let bot = arena.get_as(&entrant.person, &format!("/api/bots/{}", entrant.bot));
        let failed = bot["versions"].as_array().expect("a list").iter();
        let failed = failed.filter(|one| one["state"] == "failed").count();
        assert_eq!(failed > 0, is_broken(entrant), "{bot}");
    }
    arena
}

/// A version that is uploaded after the freeze, and would lose every match.
fn upload_broken(arena: &Arena, entrant: &Entrant) {
    let path = format!("/api/bots/{}/versions", entrant.bot);
    let code = "# leitai: dialect=json-lines\nraise SystemExit(3)\n";
    let body = json!({"file_name": "bot.py", "code": code});
    arena.post(&entrant.person, &path, &body);
}

/// The contest's file. `freezes` is in UTC.
fn contest_file(size: &Size, freezes: &str) -> String {
    let Size {
        rounds, knockout, ..
    } = size;
    format!(
        r#"id = "course"
game = "kob"
time-zone = "UTC"
title = {{ en = "Course", zh = "课程赛" }}

[entry]
who = "group"
group = "AI 2026"
team-size = 2
most = 200
languages = ["python"]

[matches]
time-limit = "60s"

[dates]
opens = 2025-01-01T00:00:00
freezes = {freezes}

[[stage]]
name = "Swiss"
format = "swiss"
rounds = {rounds}
tie-breaks = ["buchholz", "sonneborn-berger"]

[[stage]]
name = "Final"
format = "single"
take = {knockout}
"#
    )
}

fn publish(arena: &Arena, teacher: &Person, size: &Size) {
    let file = contest_file(size, "2035-01-01T00:00:00");
    arena.post(teacher, "/api/contests", &json!({"file": file}));
}

/// Moves the freeze to so many seconds from now.
fn set_freeze(arena: &Arena, teacher: &Person, size: &Size, seconds: u64) {
    // Refused if it has passed when the server reads it.
    wait_until("the freeze is moved", || {
        let now = std::time::SystemTime::now() + std::time::Duration::from_secs(seconds);
        let date = humantime::format_rfc3339_seconds(now).to_string();
        let body = json!({"file": contest_file(size, date.trim_end_matches('Z'))});
        let answer = arena::post_to(
            &arena.address,
            teacher,
            "/api/contests/course/update",
            &body,
        );
        answer.is_some_and(|(status, _)| status < 300)
    });
}

fn count_finished(arena: &Arena) -> usize {
    let contest = arena.get("/api/contests/course");
    let stages = contest["stages"].as_array().expect("a list").iter();
    let encounters = stages.flat_map(|stage| stage["encounters"].as_array().expect("a list"));
    let matches = encounters.flat_map(|one| one["matches"].as_array().expect("a list"));
    matches.filter(|one| one["state"] == "finished").count()
}

fn wait_for_end(arena: &Arena) {
    wait_until("the contest is over", || {
        let contest = arena.get("/api/contests/course");
        assert_ne!(contest["state"], "annulled", "{contest}");
        contest["state"] == "finished"
    });
}

/// What a contest's archive says.
struct Export {
    /// By stage, place and number: who met, who won, and how; only matches that count.
    matches: BTreeMap<String, Value>,
    standings: String,
}

/// Downloads the archive, verifies every replay in it, and reads what has to be the same.
fn export(arena: &Arena, teacher: &Person, place: &Path, name: &str) -> Export {
    let folder = place.join(format!("{name}-zip"));
    arena.export(teacher, "course", &folder);
    let read = |file: &str| fs::read_to_string(folder.join(file)).expect("it is in the archive");
    let all: Value = serde_json::from_str(&read("matches.json")).expect("JSON");
    let mut matches = BTreeMap::new();
    for one in all.as_array().expect("a list") {
        if one["state"] != "finished" {
            continue;
        }
        let key = format!(
            "{} {} {} {}",
            one["stage"], one["place"], one["number"], one["a"]
        );
        let replay = folder.join(one["replay"].as_str().expect("every match has its replay"));
        assert!(replay.is_file(), "{one}");
        let mut one = one.clone();
        for changing in [
            "id", "created", "started", "finished", "replay", "attempt", "seconds",
        ] {
            one.as_object_mut().expect("an object").remove(changing);
        }
        assert!(matches.insert(key, one).is_none(), "a match counts once");
    }
    arena.verify_replays(&folder.join("replays"), matches.len());
    Export {
        matches,
        standings: read("standings.csv"),
    }
}

fn copy_folder(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp")
        .args(["-a", "--"])
        .args([from, to])
        .status();
    assert!(copied.expect("cp runs").success());
}
