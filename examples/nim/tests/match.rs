//! The whole house plays Nim, and no line of it knows the game: one folder and one line are enough.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use leitai_game::replay::{Replay, Verified, verify};
use leitai_game::{AnyGame, Entrant, Erased};
use leitai_judge::build::{self, Source};
use leitai_judge::{Connect, Limits, Match, Nobody, Played, Player, PlayerKind, Sandbox, play};
use leitai_nim::Nim;
use serde_json::json;

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
fn played(a: Player, b: Player) -> Played {
    let (game, seed) =
        (game(), (0..).find(|seed| heap(*seed) == 7).expect("a heap of 7 is dealt sooner or later"));
    let config = game.config(&json!(null)).expect("the default");
    let setup = game.deal(&config, seed).expect("the default config is sound");
    let meta = game.meta();
    let limits = Limits::new(std::time::Duration::from_secs(60), meta.message_limit);
    let players = leitai_game::ByEntrant::new(a, b);
    let fixture = Match {
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
    };
    play(&fixture, &mut Nobody, &mut (), &AtomicBool::new(false)).expect("this machine can play")
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
