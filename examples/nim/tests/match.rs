//! Every part of Leitai plays Nim without a line about it: a new game is one folder and one line.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leitai_game::render::{AxisLabels, KeyBinding};
use leitai_game::replay::{Replay, ReplayFormat, Verified, verify_replay};
use leitai_game::text::TextOf;
use leitai_game::{
    AnyActionBuilder, AnyBot, AnyGame, AnyLeg, AnyProtocol, AnySetup, BotClock, ConfigChoice,
    Entrant, Erased, Host, InvalidSetup, MetaOf, Seat, TemplateOf, Text, parity,
};
use leitai_judge::build::{self, ProgramSource};
use leitai_judge::{
    JudgeError, MatchSpec, NoHumans, PlayedMatch, Player, PlayerKind, RefereeLimits, Sandbox,
    Transport, play_match,
};
use leitai_nim::Nim;
use serde_json::{Value, json};

/// A list of games, as in `games/all`, and the one line that adds a game to it.
#[rustfmt::skip]
static GAMES: &[&dyn AnyGame] = &[
    &Erased::<Nim>::new(),
];

fn game() -> &'static dyn AnyGame {
    GAMES
        .iter()
        .copied()
        .find(|game| game.meta().id == "nim")
        .expect("the line is there")
}

fn built_in(name: &str) -> Player {
    Player {
        name: name.into(),
        kind: PlayerKind::BuiltIn(name.into()),
    }
}

/// The bot of the documents, built as the command line builds it.
fn first_legal(work: &Path) -> Player {
    let path = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/examples/first_legal.py"
    ));
    let source = ProgramSource::detect_path(path, &[]).expect("the example of the docs");
    let built = build::build_source(
        &source,
        work,
        &build::BuildLimits::default(),
        &[],
        &Sandbox::without_isolation(),
    )
    .expect("Python is not compiled");
    let protocol = built.protocol.expect("the source names its protocol");
    let kind = PlayerKind::Program {
        program: built.program,
        protocol,
        connect: Transport::Stdio,
    };
    Player {
        name: "first_legal".into(),
        kind,
    }
}

/// A match on a heap of 7, which the seat that moves first can win.
fn fixture(game: &'static dyn AnyGame, a: Player, b: Player) -> MatchSpec {
    let seed = (0..)
        .find(|seed| heap(*seed) == 7)
        .expect("a heap of 7 is dealt sooner or later");
    let config = game.read_config(&json!(null)).expect("the default");
    let period = std::time::Duration::from_secs(60);
    let players = leitai_game::ByEntrant::new(a, b);
    MatchSpec {
        limits: RefereeLimits::new(period, game.meta().message_limit),
        ..MatchSpec::new(game, config, seed, players).expect("the default config is sound")
    }
}

fn played(a: Player, b: Player) -> PlayedMatch {
    judged(&fixture(game(), a, b)).expect("this machine can play")
}

fn judged(fixture: &MatchSpec) -> Result<PlayedMatch, JudgeError> {
    play_match(fixture, &mut NoHumans, &mut (), &AtomicBool::new(false))
}

fn heap(seed: u64) -> u64 {
    let setup = game()
        .deal_setup(&json!(null), seed)
        .expect("the default config is sound");
    setup.to_json()["heap"].as_u64().expect("a number of coins")
}

fn verdict(played: &PlayedMatch) -> (Option<Entrant>, &'static str) {
    let verdict = played.verdict.expect("nobody interrupted the match");
    (verdict.winner, verdict.reason.id)
}

/// The replay is written, read and played again.
fn verified(played: &PlayedMatch) -> Verified {
    let replay = Replay::parse(&played.replay.to_text()).expect("our own text");
    verify_replay(game(), &replay)
        .expect("our own rules")
        .expect("the same again")
}

/// Nim with one more bot, which has a bug.
struct Buggy(Erased<Nim>);

/// See [`Buggy`].
struct Panics;

impl AnyBot for Panics {
    fn choose_action(&mut self, _: &dyn AnyLeg, _: Seat, _: &dyn BotClock) -> String {
        panic!("a bug in row {}", 255);
    }
}

#[rustfmt::skip]
impl AnyGame for Buggy {
    fn meta(&self) -> MetaOf<'_> { self.0.meta() }
    fn list_bots(&self) -> Vec<(&str, TextOf<'_>)> { self.0.list_bots() }
    fn list_protocols(&self) -> Vec<(&'static str, Text)> { self.0.list_protocols() }
    fn rating_scale(&self) -> Option<&leitai_game::RatingScale> { self.0.rating_scale() }
    fn is_on_ladder(&self, bot: &str) -> bool { self.0.is_on_ladder(bot) }
    fn list_hosts(&self) -> &'static [Host] { self.0.list_hosts() }
    fn list_templates(&self) -> Vec<TemplateOf<'_>> { self.0.list_templates() }
    fn rules_guide(&self) -> TextOf<'_> { self.0.rules_guide() }
    fn replay_formats(&self) -> &'static [ReplayFormat] { self.0.replay_formats() }
    fn read_config(&self, choices: &Value) -> Result<Value, InvalidSetup> { self.0.read_config(choices) }
    fn deal_setup(&self, config: &Value, seed: u64) -> Result<Arc<dyn AnySetup>, InvalidSetup> { self.0.deal_setup(config, seed) }
    fn read_setup(&self, setup: &Value) -> Result<Arc<dyn AnySetup>, InvalidSetup> { self.0.read_setup(setup) }
    fn make_bot(&self, name: &str, seed: u64) -> Option<Box<dyn AnyBot>> {
        if name == "buggy" { Some(Box::new(Panics)) } else { self.0.make_bot(name, seed) }
    }
    fn make_protocol(&self, name: &str) -> Option<Box<dyn AnyProtocol>> { self.0.make_protocol(name) }
    fn compare_corpus(&self, text: &str, report: &mut dyn FnMut(parity::ParityCase)) { self.0.compare_corpus(text, report) }
    fn axis_labels(&self) -> AxisLabels { self.0.axis_labels() }
    fn key_bindings(&self, seat: Seat) -> &'static [KeyBinding] { self.0.key_bindings(seat) }
    fn action_builder(&self, seat: Seat) -> Option<Box<dyn AnyActionBuilder>> { self.0.action_builder(seat) }
    fn is_open(&self) -> bool { self.0.is_open() }
    fn config_choices(&self) -> Vec<ConfigChoice> { self.0.config_choices() }
}

#[test]
fn two_built_in_bots_play_a_match() {
    let played = played(built_in("perfect"), built_in("perfect"));
    assert_eq!(
        verdict(&played),
        (None, "equal-legs"),
        "whoever moves first wins its leg"
    );
    assert!(
        played.replay.legs.iter().all(|leg| leg.replies == "3 1 3"),
        "{:?}",
        played.replay.legs
    );
    assert_eq!(
        verified(&played),
        Verified {
            legs: 2,
            steps: 6,
            hashes: 6,
            complete: true,
            is_form_only: false,
        }
    );
}

#[test]
fn a_program_plays_in_json_lines_against_a_built_in_bot() {
    let work = tempfile::tempdir().expect("a folder for the build");
    let played = played(built_in("perfect"), first_legal(work.path()));
    assert_eq!(verdict(&played), (Some(Entrant::A), "leg-wins"));
    assert_eq!(
        played.replay.legs[1].replies, "1 2 1 3",
        "the program moves first in leg 2"
    );
    let log = |leg: usize| {
        played.replay.legs[leg]
            .logs
            .iter()
            .map(|log| log.text.as_str())
            .collect::<String>()
    };
    assert_eq!(log(0), "I had a loss\n", "its stderr is kept");
    assert!(verified(&played).complete);
}

/// A bug of a built-in bot makes no entrant lose, and the judging process continues.
#[test]
fn a_built_in_bot_that_panics_is_our_error() {
    static BUGGY: Buggy = Buggy(Erased::new());
    for (a, b, round) in [("buggy", "perfect", 1), ("perfect", "buggy", 2)] {
        let error = judged(&fixture(&BUGGY, built_in(a), built_in(b)))
            .err()
            .expect("it panics");
        let JudgeError::BotPanicked {
            bot,
            leg,
            round: at,
            what,
            ..
        } = &error
        else {
            panic!("{error}")
        };
        assert_eq!(
            (bot.as_str(), *leg, *at, what.as_str()),
            ("buggy", 1, round, "a bug in row 255")
        );
        assert!(
            error
                .to_string()
                .contains("the built-in bot buggy panicked in leg 1"),
            "{error}"
        );
    }
    assert!(judged(&fixture(&BUGGY, built_in("perfect"), built_in("perfect"))).is_ok());
}
