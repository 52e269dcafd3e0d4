//! The whole house plays Nim, and no line of it knows the game: one folder and one line are enough.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leitai_game::picture::{Axes, KeyBinding};
use leitai_game::replay::{Format, Replay, Verified, verify};
use leitai_game::{
    AnyBot, AnyComposer, AnyDialect, AnyGame, AnyLeg, AnySetup, Clock, Entrant, Erased, Host, Invalid, Meta,
    Seat, Template, Text, parity,
};
use leitai_judge::build::{self, Source};
use leitai_judge::{Connect, JudgeError, Limits, Match, Nobody, Played, Player, PlayerKind, Sandbox, play};
use leitai_nim::Nim;
use serde_json::{Value, json};

/// A list of games, as in `games/all`, and the one line that adds a game to it.
#[rustfmt::skip]
static GAMES: &[&dyn AnyGame] = &[
    &Erased::<Nim>::new(),
];

fn game() -> &'static dyn AnyGame {
    GAMES.iter().copied().find(|game| game.meta().id == "nim").expect("the line is there")
}

fn built_in(name: &str) -> Player {
    Player { name: name.into(), kind: PlayerKind::BuiltIn(name.into()) }
}

/// The bot of the docs, built as the command line builds it.
fn first_legal(work: &Path) -> Player {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/first_legal.py"));
    let source = Source::detect(path, &[]).expect("the example of the docs");
    let built = build::build(&source, work, &build::Limits::default(), &[], &Sandbox::none())
        .expect("Python is not compiled");
    let dialect = built.dialect.expect("the source names its dialect");
    let kind = PlayerKind::Program { program: built.program, dialect, connect: Connect::Stdio };
    Player { name: "first_legal".into(), kind }
}

/// A match on a heap of 7, which whoever moves first can win.
fn fixture(game: &'static dyn AnyGame, a: Player, b: Player) -> Match {
    let seed = (0..).find(|seed| heap(*seed) == 7).expect("a heap of 7 is dealt sooner or later");
    let config = game.config(&json!(null)).expect("the default");
    let setup = game.deal(&config, seed).expect("the default config is sound");
    let meta = game.meta();
    let limits = Limits::new(std::time::Duration::from_secs(60), meta.message_limit);
    let players = leitai_game::ByEntrant::new(a, b);
    Match {
        game,
        config,
        seed,
        setup,
        legs: meta.legs,
        players,
        limits,
        resources: leitai_judge::Resources::BOT,
        sandbox: Sandbox::none(),
        recorded: None,
        from: None,
        manners: Default::default(),
    }
}

fn played(a: Player, b: Player) -> Played {
    judged(&fixture(game(), a, b)).expect("this machine can play")
}

fn judged(fixture: &Match) -> Result<Played, JudgeError> {
    play(fixture, &mut Nobody, &mut (), &AtomicBool::new(false))
}

fn heap(seed: u64) -> u64 {
    let setup = game().deal(&json!(null), seed).expect("the default config is sound");
    setup.to_json()["heap"].as_u64().expect("a number of coins")
}

fn verdict(played: &Played) -> (Option<Entrant>, &'static str) {
    let verdict = played.verdict.expect("nobody interrupted the match");
    (verdict.winner, verdict.reason.id)
}

/// The replay is written, read and played again.
fn verified(played: &Played) -> Verified {
    let replay = Replay::parse(&played.replay.to_text()).expect("our own text");
    verify(game(), &replay).expect("our own rules").expect("the same again")
}

/// Nim with one more bot, which has a bug.
struct Buggy(Erased<Nim>);

/// See [`Buggy`].
struct Panics;

impl AnyBot for Panics {
    fn choose(&mut self, _: &dyn AnyLeg, _: Seat, _: &dyn Clock) -> String {
        panic!("a bug in row {}", 255);
    }
}

#[rustfmt::skip]
impl AnyGame for Buggy {
    fn meta(&self) -> &'static Meta { self.0.meta() }
    fn bots(&self) -> Vec<(&'static str, Text)> { self.0.bots() }
    fn dialects(&self) -> Vec<(&'static str, Text)> { self.0.dialects() }
    fn hosts(&self) -> &'static [Host] { self.0.hosts() }
    fn templates(&self) -> &'static [Template] { self.0.templates() }
    fn guide(&self) -> Text { self.0.guide() }
    fn formats(&self) -> &'static [Format] { self.0.formats() }
    fn config(&self, choices: &Value) -> Result<Value, Invalid> { self.0.config(choices) }
    fn deal(&self, config: &Value, seed: u64) -> Result<Arc<dyn AnySetup>, Invalid> { self.0.deal(config, seed) }
    fn load(&self, setup: &Value) -> Result<Arc<dyn AnySetup>, Invalid> { self.0.load(setup) }
    fn bot(&self, name: &str, seed: u64) -> Option<Box<dyn AnyBot>> {
        if name == "buggy" { Some(Box::new(Panics)) } else { self.0.bot(name, seed) }
    }
    fn dialect(&self, name: &str) -> Option<Box<dyn AnyDialect>> { self.0.dialect(name) }
    fn parity(&self, text: &str, report: &mut dyn FnMut(parity::Case)) { self.0.parity(text, report) }
    fn axes(&self) -> Axes { self.0.axes() }
    fn keys(&self, seat: Seat) -> &'static [KeyBinding] { self.0.keys(seat) }
    fn composer(&self, seat: Seat) -> Option<Box<dyn AnyComposer>> { self.0.composer(seat) }
    fn is_open(&self) -> bool { self.0.is_open() }
}

#[test]
fn two_built_in_bots_play_a_match() {
    let played = played(built_in("perfect"), built_in("perfect"));
    assert_eq!(verdict(&played), (None, "equal-legs"), "whoever moves first wins its leg");
    assert!(played.replay.legs.iter().all(|leg| leg.replies == "3 1 3"), "{:?}", played.replay.legs);
    assert_eq!(verified(&played), Verified { legs: 2, steps: 6, hashes: 6, complete: true });
}

#[test]
fn a_program_plays_in_json_lines_against_a_built_in_bot() {
    let work = tempfile::tempdir().expect("a folder for the build");
    let played = played(built_in("perfect"), first_legal(work.path()));
    assert_eq!(verdict(&played), (Some(Entrant::A), "leg-wins"));
    assert_eq!(played.replay.legs[1].replies, "1 2 1 3", "the program moves first in leg 2");
    let log =
        |leg: usize| played.replay.legs[leg].logs.iter().map(|log| log.text.as_str()).collect::<String>();
    assert_eq!(log(0), "I had a loss\n", "its stderr is kept");
    assert!(verified(&played).complete);
}

/// A built-in bot with a bug is nobody's loss, and the process that judged it goes on.
#[test]
fn a_built_in_bot_that_panics_is_our_error() {
    static BUGGY: Buggy = Buggy(Erased::new());
    for (a, b, round) in [("buggy", "perfect", 1), ("perfect", "buggy", 2)] {
        let error = judged(&fixture(&BUGGY, built_in(a), built_in(b))).err().expect("it panics");
        let JudgeError::BotPanicked { bot, leg, round: at, what, .. } = &error else { panic!("{error}") };
        assert_eq!((bot.as_str(), *leg, *at, what.as_str()), ("buggy", 1, round, "a bug in row 255"));
        assert!(error.to_string().contains("the built-in bot buggy panicked in leg 1"), "{error}");
    }
    assert!(judged(&fixture(&BUGGY, built_in("perfect"), built_in("perfect"))).is_ok());
}
