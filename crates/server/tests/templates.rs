//! The templates of the editor play whole legs without a fault.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leitai_game::{AnyGame, ByEntrant, Template};
use leitai_judge::build::{self, ProgramSource};
use leitai_judge::driver::{MatchSpec, play_match};
use leitai_judge::{NoHumans, Player, PlayerKind, RefereeLimits, Resources, Sandbox, Transport};
use serde_json::Value;

/// Builds the template like an upload.
fn built(game: &dyn AnyGame, template: &Template, folder: &std::path::Path) -> PlayerKind {
    let source = folder.join(template.file_name);
    std::fs::write(&source, template.code).expect("there is room");
    let source = ProgramSource::detect_path(&source, game.list_hosts()).expect("a source");
    let limits = build::BuildLimits {
        wall: Duration::from_secs(300),
        ..build::BuildLimits::default()
    };
    let built = build::build_source(
        &source,
        &folder.join("work"),
        &limits,
        game.list_hosts(),
        &Sandbox::without_isolation(),
    );
    let built =
        built.unwrap_or_else(|error| panic!("{} {}: {error}", game.meta().id, template.file_name));
    let protocol = built
        .protocol
        .unwrap_or_else(|| game.list_protocols()[0].0.to_owned());
    PlayerKind::Program {
        program: built.program,
        protocol,
        connect: Transport::Stdio,
    }
}

fn check(game: &'static dyn AnyGame, template: &Template) {
    let folder = tempfile::tempdir().expect("there is room");
    let config = game.read_config(&Value::Null).expect("the default");
    let bot = Player {
        name: template.file_name.into(),
        kind: built(game, template, folder.path()),
    };
    let random = Player {
        name: "random".into(),
        kind: PlayerKind::BuiltIn("random".into()),
    };
    let fixture = MatchSpec {
        legs: 2,
        limits: RefereeLimits {
            start: Duration::from_secs(60),
            ..RefereeLimits::new(Duration::from_secs(60), game.meta().message_limit)
        },
        // Without a sandbox, memory is limited by address space and processes by user, which no JVM
        // fits into.
        resources: Resources {
            memory: None,
            processes: None,
            ..Resources::BOT
        },
        ..MatchSpec::new(game, config, 7, ByEntrant::new(bot, random)).expect("the default")
    };
    let played = play_match(&fixture, &mut NoHumans, &mut (), &AtomicBool::new(false))
        .expect("this machine plays");
    let faults: Vec<_> = played
        .replay
        .legs
        .iter()
        .flat_map(|leg| &leg.faults)
        .collect();
    let own = faults
        .iter()
        .find(|fault| fault.entrant == leitai_game::Entrant::A);
    assert!(
        own.is_none(),
        "{} {}: {own:?}",
        game.meta().id,
        template.file_name
    );
    let winner = played.verdict.expect("it was played to its end").winner;
    assert_eq!(
        winner,
        Some(leitai_game::Entrant::A),
        "{} {} must beat random",
        game.meta().id,
        template.file_name
    );
}

#[test]
fn every_template_beats_random() {
    for game in leitai_games::ALL {
        let languages: Vec<&str> = game
            .list_templates()
            .iter()
            .map(|template| template.language)
            .collect();
        assert!(
            languages.starts_with(&["python", "cpp"]),
            "{}: {languages:?}",
            game.meta().id
        );
        game.list_templates()
            .iter()
            .for_each(|template| check(*game, template));
    }
}
