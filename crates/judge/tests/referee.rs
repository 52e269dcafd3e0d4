//! Every judging rule as a table: the bytes and silences of a program, and the ruling of the
//! referee. No process, no port, no sleep.

use std::time::Duration;

use leitai_game::lang::Say;
use leitai_game::replay::LimitName;
use leitai_game::{AnyGame, BySeat, Erased, Fault, Seat};
use leitai_judge::noise::Noise;
use leitai_judge::referee::{InputEnd, Referee, RefereeCommand, SeatInput, SeatPlayer};
use leitai_judge::{Grace, RefereeLimits, Spent, TimeBank};
use leitai_snakego::Position;
use serde_json::json;

use crate::table::table;

static GAME: Erased<Position> = Erased::new();
const MS: Duration = Duration::from_millis(1);
const LIMITS: RefereeLimits = RefereeLimits {
    start: Duration::ZERO,
    ..RefereeLimits::new(Duration::from_millis(3000), 2048)
};

/// An input of the script, from the first seat unless it says otherwise.
enum RefereeOutput {
    /// Bytes, after this many milliseconds of listening.
    Bytes(&'static [u8], u32),
    /// No bytes for this many milliseconds.
    Silence(u32),
    /// The program is gone.
    Gone(Fault, &'static str),
    /// An op of the second seat, which is a built-in bot.
    Second(&'static str),
}
use RefereeOutput::{Bytes, Gone, Second, Silence};

/// Two rounds without items: each seat is asked twice.
fn referee(protocol: &str) -> Referee {
    seated(protocol, LIMITS)
}

fn referee_with(limits: RefereeLimits) -> Referee {
    let mut referee = seated("saiblo", limits);
    while let RefereeCommand::Send(..) = referee.next_command() {}
    referee
}

fn seated(protocol: &str, limits: RefereeLimits) -> Referee {
    let setup = GAME
        .deal_setup(&json!({"max_round": 2, "items": []}), 1)
        .expect("a sound config");
    let protocol = GAME.make_protocol(protocol).expect("SnakeGo has it");
    Referee::new(
        &*setup,
        0,
        BySeat::new(SeatPlayer::Program(protocol), SeatPlayer::Direct),
        limits,
    )
}

/// Plays a script; returns the leg's reply tokens and its faults as `CODE: text`.
fn play(protocol: &str, script: &[RefereeOutput]) -> (String, Vec<String>) {
    let mut referee = referee(protocol);
    for heard in script {
        while let RefereeCommand::Send(..) = referee.next_command() {}
        let ending;
        let (seat, said, spent) = match heard {
            Bytes(bytes, spent) => (Seat::First, SeatInput::Bytes(bytes), *spent),
            Silence(spent) => (Seat::First, SeatInput::Nothing, *spent),
            Gone(fault, what) => {
                ending = InputEnd {
                    fault: *fault,
                    what: (*what).into(),
                    limit: None,
                    exit: None,
                    ours: false,
                };
                (Seat::First, SeatInput::Closed(&ending), 0)
            }
            Second(op) => (Seat::Second, SeatInput::Action(op), 0),
        };
        referee.handle_input(seat, said, Spent::from_wall(spent * MS));
    }
    // Whatever the referee found carries its values; of an end from outside only words are known.
    let ended = script.iter().any(|heard| matches!(heard, Gone(..)));
    for fault in referee.fault_records() {
        assert!(ended || fault.said.is_some(), "{}", fault.what);
        assert_eq!(fault.to_message().to_string(), fault.what);
    }
    let faults = referee
        .fault_records()
        .iter()
        .map(|fault| format!("{}: {}", fault.code, fault.what))
        .collect();
    (referee.finish_leg().0.replies, faults)
}

/// What stands in a row: an op of the second seat as `/3`; of the first seat `1` is the frame of an op,
/// `x0001` are bytes, `t{"a":1}\n` is text, `-` is silence, and `!RE:was_killed` is its end. `*9` repeats
/// the bytes, and `@2900` is the time of listening, which is 1 ms unless it is given.
fn read_script(script: &str) -> Vec<RefereeOutput> {
    let read = |word: &str| {
        let (word, spent) = word.rsplit_once('@').unwrap_or((word, "1"));
        let (word, times) = word.rsplit_once('*').unwrap_or((word, "1"));
        let (spent, times) = (
            spent.parse().expect("a time"),
            times.parse().expect("a count"),
        );
        let kept = |rest: &str| -> &'static str { rest.to_owned().leak() };
        let bytes = |bytes: Vec<u8>| Bytes(bytes.repeat(times).leak(), spent);
        match word.split_at(1) {
            ("-", "") => Silence(spent),
            ("/", op) => Second(kept(op)),
            ("!", end) => {
                let (code, what) = end.split_once(':').expect("a code and words");
                let fault = Fault::ALL.into_iter().find(|fault| fault.code() == code);
                Gone(fault.expect("a known code"), kept(&what.replace('_', " ")))
            }
            ("x", hex) => {
                let digits = hex
                    .as_bytes()
                    .chunks(2)
                    .map(|two| str::from_utf8(two).expect("hex"));
                bytes(
                    digits
                        .map(|two| u8::from_str_radix(two, 16).expect("hex"))
                        .collect(),
                )
            }
            ("t", text) => {
                let text = text
                    .replace(r"\n", "\n")
                    .replace(r"\r", "\r")
                    .replace(r"\s", " ");
                bytes(text.into_bytes())
            }
            (op, "") => bytes(vec![0, 0, 0, 1, op.parse().expect("an op")]),
            _ => panic!("what is {word}?"),
        }
    };
    script.split_whitespace().map(read).collect()
}

#[test]
fn what_a_program_says_is_judged_so() {
    // A sentence, the protocol, the script, the replies of the leg, and a part of its fault.
    let rows = r#"
a whole leg without fault | saiblo | 1 /3 1 /3 | 1 3 1 3 |
an answer may come in pieces | saiblo | x0000 x00 x01 x01 /3 | 1 3 |
time is the sum of a turn | saiblo | -@2999 1 | 1 |
time is the sum of a turn | saiblo | -@2999 -@1 | |
time is the sum of a turn | saiblo | -@2999 -@2 | !TLE | TLE: used 3.001 s of 3 s in its turn
time is the sum of a turn | saiblo | -@1500 x0000@1500 -@250 | !TLE | used 3.25 s of 3 s
a late answer is too late | saiblo | 1@3001 | !TLE | TLE
the clock starts anew with every turn | saiblo | 1@2900 /3 1@2900 | 1 3 1 |
an early answer waits until it is asked | saiblo | 1 4 /3 /3 | 1 3 4 3 |
an early answer waits until it is asked | saiblo | x00000001010000000104 /3 /3 | 1 3 4 3 |
time before the question is not charged | saiblo | 1 4@60000 /3 /3 | 1 3 4 3 |
answers far ahead are too many | saiblo | 1 1*9@0 /3 | 1 3 !OLE | more than 8 answers ahead
eight answers ahead are not | saiblo | 1 1*8@0 /3 /3 | 1 3 1 3 |
malformed answers are faults | saiblo | 0 | !PE | op 0; ops are 1 to 6
malformed answers are faults | saiblo | 7 | !PE | op 7
malformed answers are faults | saiblo | x00000000 | !PE | has 0 bytes
malformed answers are faults | saiblo | x00000003000003 | !PE | has 3 bytes; an op is one byte
malformed answers are faults | saiblo | xffffffff | !PE | length of -1
malformed answers are faults | saiblo | x00000801 | !OLE | length of 2049
malformed answers are faults | saiblo | x7fffffff | !OLE | length of 2147483647
malformed answers are faults | saiblo | tthinking...\n | !PE | starts with the text "thinking..." where
half a frame is waited for until time is up | saiblo | x000000 -@3001 | !TLE | TLE
the rules decide what an illegal action costs | saiblo | 5 | 5 | IA: fired a ray it does not hold (snake 0, op 5)
the rules decide what an illegal action costs | saiblo | 6 | 6 | IA: split with length 1
// The initial snake grows in round 2, so with length 2 it may not turn back.
the rules decide what an illegal action costs | saiblo | 1 /3 3 | 1 3 3 | own neck
a program that is gone when asked has left | saiblo | !EXIT:exited | !EXIT | EXIT: exited
a program that is gone when asked has left | saiblo | !RE:was_killed_by_signal_11 | !RE | RE: was killed
a program that is gone when asked has left | saiblo | x0000 !RE:ended | !RE | 2 bytes into an unfinished answer
one that leaves between questions may have answered all | saiblo | 1 1@0 !EXIT:exited /3 /3 | 1 3 1 3 |
… or not | saiblo | 1 !EXIT:exited /3 | 1 3 !EXIT | EXIT
one that never started loses on its first turn | saiblo | !CE:could_not_be_started | !CE | CE: could not be started
the second seat is not heard out of turn | saiblo | /3 /3 1 | 1 |
json lines are read | json-lines | t{"action":"1"}\n /3 t{"action":"4","why":1}\r\n | 1 3 4 |
json lines are read | json-lines | t\n | !PE | is not JSON
json lines are read | json-lines | thello\n | !PE | is not JSON
json lines are read | json-lines | t{"move":1}\n | !PE | has no "action"
json lines are read | json-lines | t{"action":"up"}\n | !PE | unknown action "up"
json lines are read | json-lines | t[*2049 | !OLE | no end of line within 2048 bytes
a second line breaks the rules | json-lines | t{"action":"1"}\n*2 /3 | 1 3 !PE | said "{\"action\":\"1\"}\n" although it was not asked
a blank one does not | json-lines | t{"action":"1"}\n\s\n /3 t{"action":"1"}\n | 1 3 1 |
a second line breaks the rules | json-lines | t{"action":"1"}\n t?@0 /3 | 1 3 !PE | not asked
"#;
    for [sentence, protocol, script, replies, fault] in table(rows) {
        let (seen, faults) = play(protocol, &read_script(script));
        assert_eq!(seen, replies, "{sentence}: {script}: {faults:?}");
        let said = match &faults[..] {
            [] => "",
            [one] => one,
            many => panic!("{sentence}: a leg has at most one fault: {many:?}"),
        };
        let is_told = said.contains(fault) && said.is_empty() == fault.is_empty();
        assert!(is_told, "{sentence}: {script}: {said:?}");
    }
}

const RIGHT: &[u8] = b"\0\0\0\x01\x01";

/// The measured time of a program, in milliseconds: wall, CPU, and the time its core was withheld.
/// withheld.
fn spent([wall, cpu, delay]: [u32; 3]) -> Spent {
    let noise = Noise {
        delay: delay * MS,
        ..Noise::default()
    };
    Spent {
        wall: wall * MS,
        cpu: Some(cpu * MS),
        noise,
    }
}

#[test]
fn a_program_that_the_machine_ended_is_not_blamed() {
    let mut referee = referee("saiblo");
    while let RefereeCommand::Send(..) = referee.next_command() {}
    let ending = InputEnd {
        fault: Fault::Crashed,
        what: "was ended".into(),
        limit: None,
        exit: None,
        ours: true,
    };
    referee.handle_input(
        Seat::First,
        SeatInput::Closed(&ending),
        Spent::from_wall(MS),
    );
    assert_eq!(referee.next_command(), RefereeCommand::Abandon);
    let why = referee.find_disturbance().expect("it says why");
    assert_eq!(why.why, "was ended");
    assert!(referee.fault_records().is_empty());
}

/// Listens to the first seat, a program, in its first turn, then lets it answer if it still may.
/// Returns the reply and the broken limit, or why the leg cannot be judged.
fn timed(limits: RefereeLimits, listened: &[[u32; 3]]) -> (String, String) {
    let mut referee = referee_with(limits);
    listened
        .iter()
        .for_each(|times| referee.handle_input(Seat::First, SeatInput::Nothing, spent(*times)));
    if referee.next_command() == RefereeCommand::Abandon {
        let why = referee.find_disturbance().expect("it says why").clone();
        assert!(why.noise.delay_us > 0 && why.round == 1, "{why:?}");
        return ("again".to_owned(), why.why);
    }
    referee.handle_input(Seat::First, SeatInput::Bytes(RIGHT), Spent::default());
    let words = referee.fault_records().first().map(|fault| {
        let limit = fault.limit.as_ref().expect("time is a limit");
        format!(
            "{}; {} {}/{} {}",
            fault.what, limit.name, limit.used, limit.allowed, limit.unit
        )
    });
    (referee.replies_text().to_owned(), words.unwrap_or_default())
}

#[track_caller]
fn check_timed(limits: RefereeLimits, listened: &[[u32; 3]], reply: &str, words: &[&str]) {
    let (seen, said) = timed(limits, listened);
    assert_eq!(seen, reply, "{listened:?}: {said}");
    words
        .iter()
        .for_each(|part| assert!(said.contains(part), "{listened:?}: no {part:?} in {said}"));
    assert!(!words.is_empty() || said.is_empty(), "{said}");
}

#[test]
fn cpu_time_is_what_counts_and_wall_time_is_capped() {
    let check = |listened, reply, words: &[&str]| check_timed(LIMITS, listened, reply, words);
    // A program that computes all the time ends at the limit.
    check(&[[3000, 3000, 0]], "1", &[]);
    let words = [
        "used 3.001 s of CPU time of 3 s in its turn",
        "period-cpu 3001000/3000000 us",
    ];
    check(&[[3001, 3001, 0]], "!TLE", &words);
    let words = ["used 3.001 s of CPU time"];
    check(&[[3000, 2500, 0], [600, 501, 0]], "!TLE", &words);
    // CPU time from before the question is charged, too.
    check(&[[10, 3000, 0]], "1", &[]);
    let words =
        ["used 3.50 s of CPU time of 3 s in its turn, at least 3.49 s of it before it was asked"];
    check(&[[10, 3500, 0]], "!TLE", &words);
    // A sleeping program ends at the cap.
    check(&[[3000, 5, 0], [3000, 0, 0]], "1", &[]);
    let words = [
        "took 6.001 s of 6 s in its turn, waiting",
        "5 ms of 3 s",
        "period-wall 6001000/6000000 us",
    ];
    check(&[[3000, 5, 0], [3001, 0, 0]], "!TLE", &words);
    // A program without a CPU clock is limited by wall time alone.
    let (tokens, faults) = play("saiblo", &[Silence(3001)]);
    assert_eq!(
        (
            tokens.as_str(),
            faults[0].contains("used 3.001 s of 3 s in its turn")
        ),
        ("!TLE", true)
    );
}

#[test]
fn noise_moves_the_cap_but_excuses_no_sleeper_and_no_thinker() {
    let check = |listened, reply, words: &[&str]| check_timed(LIMITS, listened, reply, words);
    // A program whose core was withheld for 9 of 11 seconds.
    check(&[[3000, 600, 2400], [8000, 1400, 6600]], "1", &[]);
    // It may use the rest of its CPU time and no more.
    let words = ["used 3.001 s of CPU time"];
    check(&[[3000, 600, 2400], [9000, 2401, 6600]], "!TLE", &words);
    // A sleeping program gains the time that was withheld.
    check(&[[6500, 10, 600]], "1", &[]);
    let words = ["took 6.70 s of 6 s", "600 ms of noise are excused"];
    check(&[[6700, 10, 600]], "!TLE", &words);
    // Threads of the program that wait for each other are no noise, because the program computed
    // meanwhile.
    check(&[[6100, 3001, 50_000]], "!TLE", &["CPU time"]);
}

#[test]
fn when_the_machine_withholds_too_much_the_leg_is_played_again() {
    let words = [
        "after 24 s in its turn",
        "only 2 s of 3 s of CPU time",
        "waited 22 s for its core",
    ];
    check_timed(LIMITS, &[[24_000, 2000, 22_000]], "again", &words);
    check_timed(LIMITS, &[[23_999, 2000, 22_000]], "1", &[]);
    check_timed(LIMITS, &[[24_000, 2000, 10_000]], "!TLE", &["period-wall"]);
}

#[test]
fn an_abandoned_leg_listens_to_nobody() {
    let mut referee = referee("saiblo");
    while let RefereeCommand::Send(..) = referee.next_command() {}
    referee.handle_input(Seat::First, SeatInput::Nothing, spent([24_000, 0, 24_000]));
    assert_eq!(
        (referee.next_command(), referee.owes_reply(Seat::First)),
        (RefereeCommand::Abandon, false)
    );
    referee.handle_input(Seat::First, SeatInput::Bytes(RIGHT), Spent::default());
    assert_eq!(
        (referee.next_command(), referee.replies_text()),
        (RefereeCommand::Abandon, "")
    );
}

#[test]
fn the_first_turn_of_a_program_has_more_time() {
    let limits = RefereeLimits {
        start: 10_000 * MS,
        ..LIMITS
    };
    check_timed(limits, &[[13_000, 13_000, 0]], "1", &[]);
    check_timed(limits, &[[26_000, 100, 0]], "1", &[]);
    let words = ["of CPU time of 13 s in its first turn; 10 s of the limit are for its start"];
    check_timed(limits, &[[13_001, 13_001, 0]], "!TLE", &words);
    // The second turn is as short as all others, and so is the first turn of a seat that is no
    // program.
    let mut referee = referee_with(limits);
    let mut say = |seat: Seat, bytes: &[u8], wall: u32| {
        while let RefereeCommand::Send(..) = referee.next_command() {}
        let said = if seat == Seat::First {
            SeatInput::Bytes(bytes)
        } else {
            SeatInput::Action("3")
        };
        referee.handle_input(seat, said, spent([wall, wall, 0]));
        referee.replies_text().to_owned()
    };
    assert_eq!(say(Seat::First, RIGHT, 12_000), "1");
    assert_eq!(say(Seat::Second, b"", 2999), "1 3");
    assert_eq!(say(Seat::First, RIGHT, 3001), "1 3 !TLE");
    let mut referee = referee_with(limits);
    referee.handle_input(Seat::First, SeatInput::Bytes(RIGHT), Spent::default());
    referee.handle_input(
        Seat::Second,
        SeatInput::Action("3"),
        Spent::from_wall(3001 * MS),
    );
    assert_eq!(referee.replies_text(), "1 !TLE");
}

#[test]
fn a_match_may_have_a_budget_over_all_turns_and_legs() {
    let limits = RefereeLimits {
        total: Some(5000 * MS),
        ..LIMITS
    };
    let check = |before: u32, replies: &str| {
        let used = BySeat::new(spent([before, before, 0]), Spent::from_wall(90_000 * MS));
        let mut referee = referee_with(limits).with_spent_before(used);
        for _ in 0..2 {
            while let RefereeCommand::Send(..) = referee.next_command() {}
            referee.handle_input(Seat::First, SeatInput::Bytes(RIGHT), spent([2500, 2500, 0]));
            while let RefereeCommand::Send(..) = referee.next_command() {}
            referee.handle_input(Seat::Second, SeatInput::Action("3"), Spent::from_wall(MS));
        }
        let limit = referee
            .fault_records()
            .first()
            .and_then(|fault| fault.limit.clone());
        assert!(limit.is_none_or(|limit| limit.name == LimitName::MatchCpu));
        assert_eq!(referee.finish_leg().0.replies, replies, "{before}");
    };
    check(0, "1 3 1 3");
    check(1, "1 3 !TLE");
    check(2501, "!TLE");
}

#[test]
fn a_program_may_wait_only_so_long_in_a_match() {
    let limits = RefereeLimits {
        waiting: Some(5000 * MS),
        ..LIMITS
    };
    // What it waited before, and its two turns: wall and CPU time, and the time withheld from it.
    let check = |before: u32, turn: [u32; 3], replies: &str| {
        let waited = BySeat::new(before * MS, Duration::ZERO);
        let mut referee = referee_with(limits).with_waited_before(waited);
        for _ in 0..2 {
            while let RefereeCommand::Send(..) = referee.next_command() {}
            referee.handle_input(Seat::First, SeatInput::Bytes(RIGHT), spent(turn));
            while let RefereeCommand::Send(..) = referee.next_command() {}
            referee.handle_input(Seat::Second, SeatInput::Action("3"), Spent::from_wall(MS));
        }
        let fault = referee.fault_records().first().cloned();
        if let Some(fault) = fault {
            let limit = fault.limit.expect("the allowance");
            assert_eq!((limit.name, limit.allowed), (LimitName::Waiting, 5_000_000));
            assert!(
                fault.what.contains("rather than computed"),
                "{}",
                fault.what
            );
        }
        assert_eq!(referee.finish_leg().0.replies, replies, "{before} {turn:?}");
    };
    // Every turn is within the time of a turn.
    check(0, [2500, 0, 0], "1 3 1 3");
    check(1, [2500, 0, 0], "1 3 !TLE");
    check(2501, [2500, 0, 0], "!TLE");
    check(2501, [2500, 100, 0], "1 3 !TLE");
    // Computing is no waiting, and neither is what the machine withholds.
    check(4990, [2500, 2495, 0], "1 3 1 3");
    check(4990, [2500, 500, 1000], "1 3 1 3");
}

#[test]
fn a_time_bank_is_used_up_and_filled_by_every_turn() {
    // The turns of the first seat: wall and CPU time, and the time withheld; what is left of the bank
    // after each in milliseconds; the fault.
    let check = |start: u32, increment: u32, turns: &[[u32; 3]], left: &[u64], part: &str| {
        let limits = RefereeLimits {
            start: start * MS,
            bank: Some(TimeBank {
                time: 1000 * MS,
                increment: increment * MS,
            }),
            ..LIMITS
        };
        let mut referee = referee_with(limits);
        for turn in turns {
            while let RefereeCommand::Send(..) = referee.next_command() {}
            referee.handle_input(Seat::First, SeatInput::Bytes(RIGHT), spent(*turn));
            while let RefereeCommand::Send(..) = referee.next_command() {}
            referee.handle_input(Seat::Second, SeatInput::Action("3"), Spent::from_wall(MS));
        }
        let said = referee.fault_records().iter().map(|fault| {
            let limit = fault.limit.as_ref().expect("time is a limit");
            format!(
                "{} {}/{}; {}",
                limit.name, limit.used, limit.allowed, fault.what
            )
        });
        let said = said.collect::<String>();
        let ok = (said.is_empty() && part.is_empty()) || (!part.is_empty() && said.contains(part));
        assert!(ok, "{turns:?}: {said}");
        let record = referee.finish_leg().0;
        let first: Vec<u64> = record
            .bank_us
            .iter()
            .step_by(2)
            .flatten()
            .copied()
            .collect();
        let left: Vec<u64> = left.iter().map(|left| left * 1000).collect();
        assert_eq!(first, left, "{turns:?}");
        assert_eq!(record.bank_us.len(), record.times_us.len());
    };
    // Of a turn's increment the rest stays in the bank.
    check(0, 100, &[[40, 40, 0], [500, 500, 0]], &[1060, 660], "");
    check(0, 0, &[[400, 400, 0], [600, 600, 0]], &[600, 0], "");
    let over =
        "bank-cpu 1001000/1000000; used up its time bank of 1 s in its turn 2: it used 1.001 s";
    check(0, 0, &[[400, 400, 0], [601, 601, 0]], &[600, 0], over);
    let over = "of 1 s, with 100 ms more for every turn, in its turn 2";
    check(0, 100, &[[400, 400, 0], [801, 801, 0]], &[700, 0], over);
    // What the machine withholds is not counted; a sleeper has the cap of a turn.
    check(0, 0, &[[900, 400, 500], [500, 500, 0]], &[600, 100], "");
    check(0, 0, &[[1000, 0, 0], [1000, 0, 0]], &[500, 0], "");
    check(
        0,
        0,
        &[[1000, 0, 0], [1001, 0, 0]],
        &[500, 0],
        "bank-wall 2001000/2000000",
    );
    // The start of a program is not charged, as far as it uses its allowance by computing.
    check(300, 0, &[[500, 500, 0], [800, 800, 0]], &[800, 0], "");
    check(
        300,
        0,
        &[[500, 0, 0], [1400, 1001, 0]],
        &[750, 0],
        "bank-cpu",
    );
}

#[test]
fn a_late_answer_counts_within_the_grace_until_the_strikes_are_used_up() {
    let check = |turns: &[u32], replies: &str, strikes: &[u32], part: &str| {
        let limits = RefereeLimits {
            grace: Some(Grace {
                time: 500 * MS,
                strikes: 1,
            }),
            ..LIMITS
        };
        let mut referee = referee_with(limits);
        for turn in turns {
            while let RefereeCommand::Send(..) = referee.next_command() {}
            let said = SeatInput::Bytes(RIGHT);
            referee.handle_input(Seat::First, said, spent([*turn, *turn, 0]));
            while let RefereeCommand::Send(..) = referee.next_command() {}
            referee.handle_input(Seat::Second, SeatInput::Action("3"), Spent::from_wall(MS));
        }
        let said: String = referee
            .fault_records()
            .iter()
            .map(|fault| &*fault.what)
            .collect();
        assert!(
            said.contains(part) && said.is_empty() == part.is_empty(),
            "{said}"
        );
        let record = referee.finish_leg().0;
        assert_eq!(record.replies, replies, "{turns:?}");
        let rounds: Vec<u32> = record.strikes.iter().map(|strike| strike.round).collect();
        assert_eq!(rounds, strikes, "{turns:?}");
    };
    check(&[3000, 3000], "1 3 1 3", &[], "");
    check(&[3001, 3000], "1 3 1 3", &[1], "");
    check(&[3000, 3500], "1 3 1 3", &[2], "");
    check(&[3501], "!TLE", &[], "used 3.501 s of CPU time of 3.50 s");
    // With its only strike used up, a program has the limit of today.
    let late = "used 3.001 s of CPU time of 3 s in its turn; it had been late 1 times before";
    check(&[3001, 3001], "1 3 !TLE", &[1], late);
}

#[test]
fn the_limit_of_a_turn_holds_beside_the_bank_which_a_built_in_bot_divides() {
    let bank = TimeBank {
        time: 9000 * MS,
        increment: Duration::ZERO,
    };
    let limits = RefereeLimits {
        bank: Some(bank),
        ..LIMITS
    };
    let words = ["in its turn; ", "period-cpu"];
    check_timed(limits, &[[3001, 3001, 0]], "!TLE", &words);
    // What a built-in bot is told to think about lasts for many turns.
    let (share, whole) = (bank.share_of(bank.time), bank.time);
    assert!(share * 10 < whole && !share.is_zero(), "{share:?}");
}

#[test]
fn the_judge_looks_when_the_waiting_allowance_may_be_over() {
    let limits = RefereeLimits {
        waiting: Some(2000 * MS),
        ..LIMITS
    };
    let mut referee = referee_with(limits);
    let budget = |referee: &Referee| referee.time_budget(Seat::First).expect("it is asked");
    assert_eq!(budget(&referee), 2000 * MS);
    referee.handle_input(Seat::First, SeatInput::Nothing, spent([1500, 700, 0]));
    assert_eq!(budget(&referee), 1200 * MS);
    referee.handle_input(Seat::First, SeatInput::Nothing, spent([1199, 0, 0]));
    assert_eq!(budget(&referee), 20 * MS);
    referee.handle_input(Seat::First, SeatInput::Nothing, spent([20, 0, 0]));
    assert_eq!(referee.replies_text(), "!TLE");
}

#[test]
fn time_and_noise_of_every_reply_are_recorded() {
    let mut referee = referee("saiblo");
    while let RefereeCommand::Send(..) = referee.next_command() {}
    referee.handle_input(Seat::First, SeatInput::Bytes(b"\0\0"), spent([5, 3, 0]));
    referee.handle_input(
        Seat::First,
        SeatInput::Bytes(b"\0\x01\x01"),
        spent([7, 4, 1]),
    );
    referee.handle_input(Seat::Second, SeatInput::Action("3"), Spent::from_wall(MS));
    let slowest = referee.slowest_period(Seat::First);
    assert_eq!((slowest.wall, slowest.cpu), (12 * MS, Some(7 * MS)));
    let record = referee.finish_leg().0;
    assert_eq!(
        (record.times_us, record.cpu_us),
        (vec![12_000, 1000], vec![Some(7000), None])
    );
    let noise: Vec<(usize, u64)> = record
        .noise
        .iter()
        .map(|noise| (noise.reply, noise.noise.delay_us))
        .collect();
    assert_eq!(noise, [(0, 1000)], "only disturbed replies are listed");
}

#[test]
fn the_bytes_of_a_wrong_answer_are_kept() {
    let check = |bytes: &'static [u8], code: &str, hex: &str| {
        let mut referee = referee("saiblo");
        while let RefereeCommand::Send(..) = referee.next_command() {}
        referee.handle_input(Seat::First, SeatInput::Bytes(bytes), Spent::default());
        let fault = &referee.fault_records()[0];
        assert_eq!(
            (fault.code.as_str(), fault.received.as_deref()),
            (code, Some(hex))
        );
        assert_eq!((fault.leg, fault.round, fault.step), (Some(1), 1, 0));
    };
    check(b"\0\0\0\x01\x07", "PE", "0000000107");
    check(b"\0\0\0\x01\x05", "IA", "0000000105");
    check(b"\0\0\x08\x01\xff", "OLE", "00000801ff");
    check(b"hello", "PE", "68656c6c6f");
}

#[test]
fn the_clock_counts_a_players_whole_turn() {
    // Two snakes need a split; with length 1 in round 1 it is impossible, so the snake grows first.
    let setup = GAME
        .deal_setup(&json!({"max_round": 9, "items": []}), 1)
        .expect("a sound config");
    let protocol = GAME.make_protocol("saiblo").expect("SnakeGo has it");
    let mut referee = Referee::new(
        &*setup,
        0,
        BySeat::new(SeatPlayer::Program(protocol), SeatPlayer::Direct),
        LIMITS,
    );
    let mut say = |seat: Seat, op: &'static str, spent: u32| {
        while let RefereeCommand::Send(..) = referee.next_command() {}
        let frame = [0, 0, 0, 1, op.as_bytes()[0] - b'0'];
        let said = if seat == Seat::First {
            SeatInput::Bytes(&frame)
        } else {
            SeatInput::Action(op)
        };
        referee.handle_input(seat, said, Spent::from_wall(spent * MS));
    };
    say(Seat::First, "1", 0);
    say(Seat::Second, "3", 0);
    say(Seat::First, "6", 2900);
    say(Seat::Second, "3", 0);
    // Two snakes act now; their times are added.
    say(Seat::First, "1", 1600);
    say(Seat::First, "4", 1600);
    assert_eq!(referee.fault_records().len(), 1);
    assert_eq!(referee.fault_records()[0].code, Fault::Timeout);
    assert_eq!(referee.finish_leg().0.replies, "1 3 6 3 1 !TLE");
}

#[test]
fn an_external_clock_runs_out() {
    let setup = GAME
        .deal_setup(&json!({"max_round": 2, "items": []}), 1)
        .expect("a sound config");
    let mut referee = Referee::new(
        &*setup,
        0,
        BySeat::new(SeatPlayer::Direct, SeatPlayer::Direct),
        LIMITS,
    );
    let up = SeatInput::TimeUp(Duration::from_secs(60));
    // It does not end the turn of a seat that was not asked.
    referee.handle_input(Seat::Second, up, Spent::default());
    assert_eq!(referee.replies_text(), "");
    referee.handle_input(Seat::First, SeatInput::Action("1"), Spent::from_wall(MS));
    assert_eq!(
        (referee.replies_text(), referee.times_us()),
        ("1", &[1000][..])
    );
    referee.handle_input(Seat::Second, up, Spent::from_wall(MS));
    assert_eq!(referee.replies_text(), "1 !TLE");
    let fault = &referee.fault_records()[0];
    assert_eq!(
        (fault.seat, fault.what.as_str()),
        (Seat::Second, "did not answer within 60 s")
    );
    let limit = fault.limit.as_ref().expect("a limit was broken");
    assert_eq!(
        (limit.name, limit.allowed),
        (LimitName::PeriodWall, 60_000_000)
    );
}

#[test]
fn a_flood_is_not_read_any_further() {
    let mut referee = referee("saiblo");
    while let RefereeCommand::Send(..) = referee.next_command() {}
    referee.handle_input(Seat::First, SeatInput::Bytes(RIGHT), Spent::from_wall(MS));
    assert!(referee.accepts_input(Seat::First));
    referee.handle_input(
        Seat::First,
        SeatInput::Bytes(&RIGHT.repeat(9)),
        Spent::from_wall(MS),
    );
    assert!(!referee.accepts_input(Seat::First));
}

#[test]
fn the_referee_sends_these_bytes_at_these_moments() {
    let mut referee = referee("saiblo");
    let mut sent = Vec::new();
    let mut drain = |referee: &mut Referee| {
        loop {
            match referee.next_command() {
                RefereeCommand::Send(seat, bytes) => sent.push((seat, bytes)),
                other => break other,
            }
        }
    };
    let first = drain(&mut referee);
    assert_eq!(
        first,
        RefereeCommand::Listen(BySeat::new(Some(LIMITS.period), None))
    );
    referee.handle_input(Seat::First, SeatInput::Bytes(RIGHT), Spent::from_wall(MS));
    assert_eq!(
        drain(&mut referee),
        RefereeCommand::Listen(BySeat::new(None, Some(LIMITS.period)))
    );
    for op in ["3", "1", "3"] {
        let seat = if op == "1" { Seat::First } else { Seat::Second };
        let said = if op == "1" {
            SeatInput::Bytes(RIGHT)
        } else {
            SeatInput::Action(op)
        };
        referee.handle_input(seat, said, Spent::from_wall(MS));
        drain(&mut referee);
    }
    assert_eq!(drain(&mut referee), RefereeCommand::Done);
    let sent: Vec<Vec<u8>> = sent.into_iter().map(|(_, bytes)| bytes).collect();
    // Header (16 x 16, 2 rounds, player 0), no items; the echo of all actions; the end: normal,
    // player 0, 3 : 3.
    let expected: [&[u8]; 6] = [
        &[16, 16, 0, 2, 0, 0x10, 0, 0],
        &[1],
        &[3],
        &[1],
        &[3],
        &[0x11, 0, 0, 0, 3, 0, 3],
    ];
    assert_eq!(sent, expected);
}

#[test]
fn the_end_by_an_illegal_action_has_the_official_bytes() {
    let mut referee = referee("saiblo");
    while let RefereeCommand::Send(..) = referee.next_command() {}
    referee.handle_input(
        Seat::First,
        SeatInput::Bytes(b"\0\0\0\x01\x06"),
        Spent::from_wall(MS),
    );
    // No echo of the illegal action; type 0x11, winner 1, -100 : 0.
    let end = RefereeCommand::Send(Seat::First, vec![0x11, 0x11, 1, 0xff, 0x9c, 0, 0]);
    assert_eq!(referee.next_command(), end);
    assert_eq!(referee.next_command(), RefereeCommand::Done);
}
