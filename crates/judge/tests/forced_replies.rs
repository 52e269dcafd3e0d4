//! Legs whose first replies are forced: which replies are played, which seats are asked, and which
//! divergences are recorded. No process, no port, no sleep.

use std::sync::Arc;
use std::time::Duration;

use leitai_game::replay::LegRecord;
use leitai_game::{AnyGame, AnySetup, BySeat, Entrant, Erased, Fault, Replay, Seat};
use leitai_judge::referee::{InputEnd, Referee, RefereeCommand, SeatInput, SeatPlayer};
use leitai_judge::{ForcedReplies, RefereeLimits, ReplayPoint, ResumePoint, Spent};
use leitai_snakego::Position;
use serde_json::json;

static GAME: Erased<Position> = Erased::new();
const LIMITS: RefereeLimits = RefereeLimits {
    start: Duration::ZERO,
    ..RefereeLimits::new(Duration::from_secs(3), 2048)
};
/// The first player goes right, then down; the second left, then up.
const WHOLE: &str = "1 3 1 3 4 2 4 2";

fn setup() -> Arc<dyn AnySetup> {
    GAME.deal_setup(&json!({"max_round": 4, "items": []}), 1)
        .expect("a sound config")
}

/// Records a leg of two direct seats with these replies.
fn record(replies: &str) -> LegRecord {
    let players = BySeat::new(SeatPlayer::Direct, SeatPlayer::Direct);
    let mut referee = Referee::new(&*setup(), 0, players, LIMITS);
    for reply in replies.split(' ') {
        let RefereeCommand::Listen(budgets) = referee.next_command() else {
            panic!("{reply} is a reply too many")
        };
        let seat = if budgets[Seat::First].is_some() {
            Seat::First
        } else {
            Seat::Second
        };
        let gone = InputEnd {
            fault: Fault::Exited,
            what: "left".into(),
            limit: None,
            exit: None,
            ours: false,
        };
        let said = if reply == "!EXIT" {
            SeatInput::Closed(&gone)
        } else {
            SeatInput::Action(reply)
        };
        referee.handle_input(seat, said, Spent::default());
    }
    referee.finish_leg().0
}

/// The behaviour of the program on the first seat when it is asked.
#[derive(Clone, Copy)]
enum Does {
    /// Answers with this op after this many seconds.
    Op(u8, u64),
    /// Sends these bytes.
    Bytes(&'static [u8]),
    /// Says nothing for this many seconds.
    Stalls(u64),
    /// Ends with exit code 3.
    Dies,
}
use Does::{Bytes, Dies, Op, Stalls};

use crate::table::table;

/// The result of a leg.
struct Seen {
    replies: String,
    faults: Vec<String>,
    divergence: Option<String>,
    /// How often the built-in bot on the second seat was asked.
    asked: usize,
    /// Bytes sent to the program.
    sent: Vec<u8>,
}

/// Plays the recorded leg up to `round` with a program that does these things one after the other
/// and then stalls.
fn play(round: u32, does: &[Does]) -> Seen {
    let forced =
        ForcedReplies::until_round(&*setup(), &record(WHOLE), round).expect("it came so far");
    let protocol = GAME.make_protocol("saiblo").expect("SnakeGo has it");
    let players = BySeat::new(SeatPlayer::Program(protocol), SeatPlayer::Direct);
    let mut referee = Referee::with_forced_replies(&*setup(), 0, players, LIMITS, forced);
    let mut does = does.iter().copied();
    let (mut asked, mut sent) = (0, Vec::new());
    loop {
        match referee.next_command() {
            RefereeCommand::Done | RefereeCommand::Abandon => break,
            RefereeCommand::Send(_, bytes) => sent.extend(bytes),
            RefereeCommand::Listen(budgets) if budgets[Seat::Second].is_some() => {
                asked += 1;
                referee.handle_input(Seat::Second, SeatInput::Action("3"), Spent::default());
            }
            RefereeCommand::Listen(budgets) => {
                let left = budgets[Seat::First].expect("somebody is asked");
                act(
                    &mut referee,
                    does.next().unwrap_or(Stalls(left.as_secs() + 1)),
                );
            }
        }
    }
    let divergence = referee.divergences()[Seat::First].as_ref();
    let divergence = divergence.map(|found| {
        serde_json::to_string(&(found.round, &found.recorded, &found.instead)).expect("plain data")
    });
    let faults = referee
        .fault_records()
        .iter()
        .map(|fault| format!("{}: {}", fault.code, fault.what))
        .collect();
    Seen {
        faults,
        divergence,
        asked,
        sent,
        replies: referee.finish_leg().0.replies,
    }
}

fn act(referee: &mut Referee, does: Does) {
    let gone = InputEnd {
        fault: Fault::Crashed,
        what: "ended with exit code 3".into(),
        limit: None,
        exit: None,
        ours: false,
    };
    let frame;
    let (said, seconds) = match does {
        Op(op, seconds) => {
            frame = [0, 0, 0, 1, op];
            (SeatInput::Bytes(&frame), seconds)
        }
        Bytes(bytes) => (SeatInput::Bytes(bytes), 0),
        Stalls(seconds) => (SeatInput::Nothing, seconds),
        Dies => (SeatInput::Closed(&gone), 0),
    };
    referee.handle_input(
        Seat::First,
        said,
        Spent::from_wall(Duration::from_secs(seconds)),
    );
}

/// What a program does, in words: an op with its seconds as `1@29`, its silence as `-@31`, bytes as
/// `x0000`, and `dies`.
fn read_deeds(deeds: &str) -> Vec<Does> {
    let read = |word: &str| {
        let (word, seconds) = word.rsplit_once('@').unwrap_or((word, "0"));
        let seconds = seconds.parse().expect("seconds");
        match word {
            "dies" => Dies,
            "-" => Stalls(seconds),
            _ if word.starts_with('x') => {
                let digits = word.as_bytes()[1..].chunks(2);
                let digits = digits.map(|two| str::from_utf8(two).expect("hex"));
                let bytes = digits.map(|two| u8::from_str_radix(two, 16).expect("hex"));
                Bytes(bytes.collect::<Vec<u8>>().leak())
            }
            op => Op(op.parse().expect("an op"), seconds),
        }
    };
    deeds.split(' ').map(read).collect()
}

#[test]
fn a_program_that_is_asked_again_reaches_the_position_or_diverges() {
    // What it does, the replies of the leg, a part of its fault, and the divergence.
    let rows = r#"
// The same answers reach the same position.
1 1 dies | 1 3 1 3 !RE | RE: ended with exit code 3 |
1 1 4 4 | 1 3 1 3 4 3 4 3 | |
// The first divergence is recorded, and the recorded reply is played.
4 1 dies | 1 3 1 3 !RE | RE | [1,"1",{"action":"4"}]
4 2 dies | 1 3 1 3 !RE | RE | [1,"1",{"action":"4"}]
1 2 dies | 1 3 1 3 !RE | RE | [2,"1",{"action":"2"}]
// An illegal answer before the round is no fault, and a fault there is a divergence.
6 1 dies | 1 3 1 3 !RE | RE | [1,"1",{"action":"6"}]
x0000000100 1 dies | 1 3 1 3 !RE | RE | [1,"1",{"fault":{"code":"PE","what":"sent the answer [00], which is op 0; ops are 1 to 6"}}]
dies | 1 3 1 3 !RE | RE: ended with exit code 3 | [1,"1",{"fault":{"code":"RE","what":"ended with exit code 3"}}]
// Time does not count before the round, but is bounded.
1@29 1@29 4@4 | 1 3 1 3 !TLE | used 4 s of 3 s |
// A program that was silent too long is not waited for again, but must answer from the round on.
-@31 -@4 | 1 3 1 3 !TLE | used 4 s of 3 s | [1,"1",{"fault":{"code":"TLE","what":"used 31 s of 30 s in its turn"}}]
"#;
    for [deeds, replies, fault, divergence] in table(rows) {
        let seen = play(3, &read_deeds(deeds));
        assert_eq!(seen.replies, replies, "{deeds}: {:?}", seen.faults);
        assert_eq!(seen.divergence.unwrap_or_default(), divergence, "{deeds}");
        let said = match &seen.faults[..] {
            [] => "",
            [one] => one,
            many => panic!("{deeds}: {many:?}"),
        };
        let is_told = said.contains(fault) && said.is_empty() == fault.is_empty();
        assert!(is_told, "{deeds}: {said:?}");
    }
}

#[test]
fn programs_receive_the_same_bytes_as_in_the_recorded_leg() {
    let whole = play(1, &[Op(1, 0), Op(1, 0), Op(4, 0), Op(4, 0)]);
    assert_eq!(whole.replies, "1 3 1 3 4 3 4 3");
    let forced = play(3, &[Op(4, 0), Op(4, 0), Op(4, 0), Op(4, 0)]);
    assert_eq!((forced.replies, forced.sent), (whole.replies, whole.sent));
}

#[test]
fn built_in_bots_are_asked_during_forced_replies_so_that_they_draw_the_same_random_numbers() {
    let seen = play(3, &[Op(1, 0), Op(1, 0), Op(4, 0), Op(4, 0)]);
    assert_eq!(seen.asked, 4);
    let players = BySeat::new(SeatPlayer::Direct, SeatPlayer::Direct);
    let forced = ForcedReplies::until_round(&*setup(), &record(WHOLE), 2).expect("it came so far");
    let mut referee = Referee::with_forced_replies(&*setup(), 0, players, LIMITS, forced);
    let zero = Some(Duration::ZERO);
    assert_eq!(
        referee.next_command(),
        RefereeCommand::Listen(BySeat::new(zero, None)),
        "built-in bots are charged no time"
    );
    // A silent person does not delay the leg.
    referee.handle_input(Seat::First, SeatInput::Nothing, Spent::default());
    assert_eq!(
        referee.next_command(),
        RefereeCommand::Listen(BySeat::new(None, zero))
    );
    referee.handle_input(Seat::Second, SeatInput::Action("1"), Spent::default());
    assert_eq!(referee.replies_text(), "1 3");
    assert!(
        !referee.is_forced()
            && referee
                .divergences()
                .iter_pairs()
                .all(|(_, found)| found.is_none())
    );
    assert_eq!(
        referee.next_command(),
        RefereeCommand::Listen(BySeat::new(Some(LIMITS.period), None))
    );
}

#[test]
fn moments_outside_the_recorded_leg_are_refused() {
    let replay = |legs: &[&str]| Replay {
        format: leitai_game::replay::FORMAT.into(),
        game: "snakego".into(),
        rules: "snakego/1".into(),
        engine: "a test".into(),
        recorded: None,
        seed: Some(1),
        config: json!(null),
        setup: setup().to_json(),
        entrants: leitai_game::ByEntrant::from_fn(|entrant: Entrant| {
            leitai_game::replay::EntrantRecord {
                name: entrant.to_string(),
                kind: leitai_game::replay::EntrantKind::Program,
                protocol: None,
                settings: None,
            }
        }),
        limits: None,
        status: leitai_game::replay::MatchStatus::Complete,
        forced: None,
        legs: legs.iter().map(|leg| record(leg)).collect(),
        verdict: None,
        origin: None,
        signature: None,
    };
    let check = |replay: &Replay, moment: &str, part: &str| {
        let moment: ReplayPoint = moment.parse().expect("a moment");
        let said = ResumePoint::new(&GAME, replay, moment)
            .map(|(_, resume)| resume.forced_replies.len().to_string());
        let said = said.unwrap_or_else(|why| why.to_string());
        assert!(said.contains(part), "{moment}: {said}");
    };
    let sound = replay(&[WHOLE, "1 3 !EXIT", "1 3 6"]);
    check(&sound, "1:1", "0");
    check(&sound, "1:3", "4");
    check(&sound, "1:4", "6");
    check(&sound, "1:0", "there is no round 0");
    check(&sound, "1:5", "ends in round 4, before round 5");
    check(&sound, "4:1", "there is no leg 4; it has 3");
    check(&sound, "0:1", "there is no leg 0");
    check(&sound, "2:2", "2");
    check(
        &sound,
        "2:3",
        "leg 2: in round 2 the first player left before the end (EXIT)",
    );
    check(&sound, "3:3", "ends in round 2, before round 3");
    check(&replay(&[]), "1:1", "it has no legs");
    check(
        &Replay {
            game: "kob".into(),
            ..sound.clone()
        },
        "1:1",
        "it is a replay of kob, not of snakego",
    );
    check(
        &Replay {
            rules: "snakego/0".into(),
            ..sound.clone()
        },
        "1:1",
        "\"snakego/0\"",
    );
    let mut changed = sound.clone();
    changed.legs[0].replies = "1 3 4 3 4 2 4 2".into();
    check(
        &changed,
        "1:3",
        "in round 2 the engine comes to another position",
    );
    changed.legs[0].replies = "1 3 9".into();
    check(&changed, "1:3", "there is no action \"9\"");
}
