//! A table of faults: the behaviour of a program and the ruling of the judge in each game. A row
//! plays one leg against a sound program; the sound program is never blamed, and no process is left
//! running.

#[path = "chinese/mod.rs"]
mod chinese;
use crate::place;

use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use place::{Place, cells, fill_words, processes_left, processes_with, says, text, wait_for};
use serde_json::{Value, json};

const GAMES: [&str; 3] = ["snakego", "kob", "tankcraft"];
/// Legs that end soon: no items, no inner walls, few rounds.
const CHOICES: [&[&str]; 3] = [
    &["max_round=6", "items=[]"],
    &["inner_pairs=0"],
    &["rounds=6", "map=crossroads"],
];
/// Sound programs have time on any machine.
const LIMITS: &str = "--limit 1m --start-limit 8s --legs 1 --seed 1 --json";
/// The limit of a turn for who shall exceed it, and for nobody else: 250 ms of CPU time, so 1.25 s of
/// wall time.
const SHORT: &str = "@limit=250ms";
/// Rows that are played at the same time.
const WORKERS: usize = 4;

/// The behaviour of a program, the turn in which it is judged, and the verdict in all games or in each of the
/// three: `OK`, or a code and a part of the sentence. An empty verdict: the first protocol of that game
/// does not have this fault. Behind `with` are options of the match.
const ROWS: &str = r#"
 | 0 | OK
--slow 60ms | 0 | OK
--spin 60ms | 0 | OK
--trickle | 0 | OK
--log 10M | 0 | OK
--ignore-term | 0 | OK
--stay | 0 | OK
--fork 3 | 0 | OK
--threads 20 | 0 | OK
--illegal | 3 | IA fired a ray it does not hold (snake |  |
--wrong-op | 3 | PE op 7; ops are 1 to 6 | PE sent the answer "7", which is not one digit | TLE of 1.25 s
--wrong-op --at 1 | 1 | PE op 7 | PE sent the answer "7" | PE send TEAM and five of
--text-before | 3 | PE print only answers to stdout | PE "thinking about it" | OK
--text-before --at 1 | 1 | PE print only | PE "thinking | PE is no team ("thinking about it")
--garbage | 3 | PE announces a length of -559038737 bytes | PE sent the answer [de ad be ef] | OK
--garbage --at 1 | 1 | PE -559038737 bytes | PE sent the answer [de ad be ef] | PE is no team
--flood-newline | 3 | PE starts with the text "\n\n\n\n" | PE which is not one digit |
--flood-newline | 4 |  |  | OLE is more than 8 answers ahead of the questions
--answer-twice | 4 | OK | PE although it was not asked: one answer a question | OK
--flood | 4 | OLE is more than 8 answers ahead | PE although it was not asked | OLE more than 8 answers ahead
--huge-length | 3 | PE 0xffffffff | OLE no end of line within 1024 bytes | OLE within 4096 bytes
--crash-at 3 | 3 | RE ended with exit code 3
--signal-at 3 | 3 | RE was killed by signal 11 (SIGSEGV)
--threads 400 with --processes 32 | 1 | RE ended with exit code 1
--fork-bomb with --processes 32 | 3 | RE ended with exit code 3
--exit-at 1 | 1 | EXIT exited before the match was over
--exit-at 3 | 3 | EXIT exited before the match was over
--close-stdout | 3 | EXIT closed its output before the match was over
--stall-at 3 | 3 | TLE of 1.25 s
--half-frame | 3 | TLE of 1.25 s
--close-stdin | 3 | TLE of 1.25 s
// Much longer than the limit, of which noise excuses a part on a busy machine; less than for the start.
--slow 8s | 2 | TLE of 1.25 s
--spin-at 3 | 3 | TLE of CPU time of 250 ms
--eat-memory 200M with --memory 64MiB | 3 | MLE the 64 MiB that it may
--fill-disk 100M | 3 | RE ended with exit code 1
"#;

struct Row {
    flags: &'static str,
    turn: u64,
    verdicts: [&'static str; 3],
    more: Vec<&'static str>,
}

fn read_rows() -> Vec<Row> {
    let read = |row: Vec<&'static str>| {
        let (flags, more) = row[0].split_once(" with ").unwrap_or((row[0], ""));
        let verdicts = match row[2..] {
            [all] => [all; 3],
            [a, b, c] => [a, b, c],
            _ => panic!("a verdict, or three: {row:?}"),
        };
        Row {
            flags,
            turn: row[1].parse().expect("a turn"),
            verdicts,
            more: more.split_whitespace().collect(),
        }
    };
    cells(ROWS).map(read).collect()
}

/// What the games judge alike is played in one of them, in turn.
#[test]
fn every_misbehaviour_has_its_verdict() {
    let is_alike = |row: &Row| {
        row.verdicts
            .iter()
            .all(|verdict| *verdict == row.verdicts[0])
    };
    let rows = read_rows();
    assert_verdicts(|row, game| !is_alike(&rows[row]) || row % 3 == game);
}

mod long {
    #[test]
    #[ignore = "a minute; ./dev long"]
    fn every_misbehaviour_has_its_verdict_in_every_game() {
        super::assert_verdicts(|_, _| true);
    }
}

/// Plays the rows in these games, by their indices.
fn assert_verdicts(is_played: impl Fn(usize, usize) -> bool) {
    let rows = read_rows();
    let all = (0..rows.len()).flat_map(|row| (0..3).map(move |game| (row, game)));
    let tasks: Vec<(&Row, usize)> = all
        .filter(|&(row, game)| is_played(row, game))
        .map(|(row, game)| (&rows[row], game))
        .filter(|(row, game)| !row.verdicts[*game].is_empty())
        .collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((row, game)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = judge(row, *game) {
                        let what = format!(
                            "{} {} {}: {why}",
                            GAMES[*game], row.flags, row.verdicts[*game]
                        );
                        failures.lock().expect("no panic").push(what);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        tasks.len(),
        failures.join("\n")
    );
}

#[test]
fn every_code_is_in_the_table() {
    for code in ["OK", "IA", "PE", "RE", "TLE", "MLE", "OLE", "EXIT"] {
        let has = |row: &Row| {
            row.verdicts
                .iter()
                .any(|verdict| verdict.split(' ').next() == Some(code))
        };
        assert!(read_rows().iter().any(has), "{code}");
    }
    // CE has no flag: the next test checks it.
}

#[test]
fn a_program_that_does_not_compile_or_start_loses_at_once() {
    let place = Place::new();
    place.write("broken.cpp", "int main( { return 0; }");
    place.write("nowhere", "#!/no/such/interpreter\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(place.path().join("nowhere"), mode).expect("own file");
    let check = |game: &str, program: &str, part: &str| {
        let words = fill_words(
            "match {} random {} --json --legs 1 --no-replay --seed 1",
            &[game, program],
        );
        let output = place.run(&words);
        let result: Value = serde_json::from_slice(&output.stdout).expect("a result");
        let fault = &result["legs"][0]["faults"][0];
        has!(fault, {"code": "CE", "entrant": "B"});
        assert_eq!(
            (&fault["round"], &result["winner"]),
            (&json!(1), &json!("A")),
            "{result}"
        );
        says(&fault["what"].to_string(), &[part]);
    };
    for game in GAMES {
        check(game, "./broken.cpp", "broken.cpp:1:");
        check(
            game,
            "./nowhere",
            "its first line names /no/such/interpreter",
        );
    }
}

/// Plays a row. The misbehaving program alternates between the seats.
fn judge(row: &Row, game: usize) -> Result<(), String> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let place = Place::new();
    let mark = format!("misbehaves-{}-{number}-", std::process::id());
    let bad = place.bot(&mark, GAMES[game], row.flags);
    let is_slow = row.verdicts[game].starts_with("TLE");
    let own = if is_slow { SHORT } else { "" };
    let bad = format!("{} {own}", bad.display());
    let good = opponent(&place, game, number, &mark);
    let (who, [a, b]) = if number.is_multiple_of(2) {
        ("A", [&bad, &good])
    } else {
        ("B", [&good, &bad])
    };
    let choices = CHOICES[game].iter().flat_map(|choice| ["--config", choice]);
    let mut words = vec!["match", GAMES[game], a, b, "--replay", "game.json"];
    words.extend(
        LIMITS
            .split(' ')
            .chain(row.more.iter().copied())
            .chain(choices),
    );
    let output = place.run(&words);
    let said = text(&output);
    let result: Value =
        serde_json::from_slice(&output.stdout).map_err(|_| format!("no result: {said}"))?;
    check(row, game, who, &result)?;
    ensure(
        place
            .run(&["replay", "verify", "game.json"])
            .status
            .success(),
        || "it does not verify".into(),
    )?;
    let left = processes_left(&mark);
    ensure(left.is_empty(), || format!("left running: {left:?}"))
}

/// A sound program, or a built-in bot; in SnakeGo the built-in bot would split, which the mock bot
/// does not understand.
fn opponent(place: &Place, game: usize, number: usize, mark: &str) -> String {
    match (game, number % 4) {
        (1, 2..) => "sample".to_owned(),
        (2, 2..) => "random".to_owned(),
        _ => place
            .bot(&format!("sound-{mark}"), GAMES[game], "")
            .display()
            .to_string(),
    }
}

fn check(row: &Row, game: usize, who: &str, result: &Value) -> Result<(), String> {
    let leg = &result["legs"][0];
    let (code, part) = row.verdicts[game]
        .split_once(' ')
        .unwrap_or((row.verdicts[game], ""));
    ensure(result["status"] == "complete", || {
        format!("not judged: {result}")
    })?;
    if code == "OK" {
        return ensure(leg["faults"] == json!([]), || {
            format!("a fault: {}", leg["faults"])
        });
    }
    ensure(leg["faults"].as_array().map(Vec::len) == Some(1), || {
        format!("not one fault: {}", leg["faults"])
    })?;
    let fault = &leg["faults"][0];
    let what = fault["what"].as_str().unwrap_or_default();
    ensure(fault["code"] == code && what.contains(part), || {
        format!("{fault}")
    })?;
    ensure(fault["entrant"] == who && leg["winner"] != who, || {
        format!("who? {leg}")
    })?;
    // TankCraft's first question asks for the team, before round 1.
    let round = if game == 2 {
        row.turn.saturating_sub(1).max(1)
    } else {
        row.turn
    };
    ensure(fault["round"] == round, || {
        format!("in another round than {round}: {fault}")
    })?;
    check_limit(code, fault)
}

/// Asserts that the fault names the limit, the allowed and the measured value.
fn check_limit(code: &str, fault: &Value) -> Result<(), String> {
    let limit = &fault["limit"];
    if !["TLE", "MLE", "OLE"].contains(&code) {
        return ensure(limit.is_null(), || format!("a limit? {fault}"));
    }
    let number = |field: &str| {
        limit[field]
            .as_u64()
            .ok_or_else(|| format!("no limit: {fault}"))
    };
    let (allowed, used) = (number("allowed")?, number("used")?);
    ensure(used >= allowed && allowed > 0, || format!("{limit}"))?;
    let what = fault["what"].as_str().unwrap_or_default();
    ensure(what.contains(|c: char| c.is_ascii_digit()), || {
        format!("no number for people: {what}")
    })
}

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

#[test]
fn a_process_that_is_left_running_is_found() {
    // The control of the table: the program is found while a match is played, and is not found
    // after an interruption.
    let place = Place::new();
    let mark = format!("stalls-{}-", std::process::id());
    let bot = place
        .bot(&mark, "kob", "--stall-at 1 --fork 2")
        .display()
        .to_string();
    let words = fill_words("match kob {} random --limit 1h --no-replay", &[&bot]);
    let mut command = place.leitai(&words);
    let mut running = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // The bot and its two children.
    let seen = wait_for(&mark, 3);
    if seen < 3 {
        let left = processes_with(&mark);
        let _ = running.kill();
        panic!(
            "{seen} processes: {left:?}\n{}",
            text(&running.wait_with_output().expect("it ends"))
        );
    }
    let pid = running.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .expect("coreutils")
            .success()
    );
    assert_eq!(running.wait().expect("it ends").code(), Some(130));
    assert_eq!(processes_left(&mark), Vec::<String>::new());
}

#[test]
fn the_message_names_the_moment_the_limit_and_the_measured_value() {
    for row in cells(
        "
--spin-at 3 | round 3 | (first) | of CPU time of 250 ms | [TLE] | --from g.json@1:3
--stall-at 3 | round 3 | (first) | of 1.25 s | [TLE] | turn 3 | --from g.json@1:3
--flood | round 4 | more than 8 answers ahead | [OLE] | --from g.json@1:4
--eat-memory 200M with --memory 64MiB | 64 MiB | [MLE] | --memory 64MiB --from g.json@1:3
--crash-at 3 | round 3 | exit code 3 | [RE] | index out of range: 17
",
    ) {
        let (flags, more) = row[0].split_once(" with ").unwrap_or((row[0], ""));
        let more: Vec<&str> = more.split_whitespace().collect();
        let parts = &row[1..];
        let place = Place::new();
        let bot = |name: &str, flags: &str| place.bot(name, "snakego", flags).display().to_string();
        let (bad, sound) = (bot("bad", flags), bot("sound", ""));
        let is_slow = parts.contains(&"[TLE]");
        let bad = format!("{bad} {}", if is_slow { SHORT } else { "" });
        let words = [
            "match", "snakego", &bad, &sound, "--seed", "1", "--limit", "1m", "--replay", "g.json",
        ];
        let said = text(&place.run(&[&words[..], &more].concat()));
        parts
            .iter()
            .for_each(|part| assert!(said.contains(part), "{flags} lacks {part:?}:\n{said}"));
    }
}
