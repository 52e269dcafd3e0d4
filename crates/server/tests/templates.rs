//! The programs that the editor begins with play whole legs without a fault.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leitai_game::{AnyGame, ByEntrant, Template};
use leitai_judge::build::{self, Source};
use leitai_judge::driver::{Match, play};
use leitai_judge::{Connect, Limits, Manners, Nobody, Player, PlayerKind, Resources, Sandbox};
use serde_json::Value;

/// Builds the template as an upload is built.
fn built(game: &dyn AnyGame, template: &Template, folder: &std::path::Path) -> PlayerKind {
    let source = folder.join(template.file_name);
    std::fs::write(&source, template.code).expect("there is room");
    let source = Source::detect(&source, game.hosts()).expect("a source");
    let limits = build::Limits { wall: Duration::from_secs(300), ..build::Limits::default() };
    let built = build::build(&source, &folder.join("work"), &limits, game.hosts(), &Sandbox::none());
    let built = built.unwrap_or_else(|error| panic!("{} {}: {error}", game.meta().id, template.file_name));
    let dialect = built.dialect.unwrap_or_else(|| game.dialects()[0].0.to_owned());
    PlayerKind::Program { program: built.program, dialect, connect: Connect::Stdio }
}

fn check(game: &'static dyn AnyGame, template: &Template) {
    let folder = tempfile::tempdir().expect("there is room");
    let config = game.config(&Value::Null).expect("the default");
    let bot = Player { name: template.file_name.into(), kind: built(game, template, folder.path()) };
    let random = Player { name: "random".into(), kind: PlayerKind::BuiltIn("random".into()) };
    let fixture = Match {
        game,
        setup: game.deal(&config, 7).expect("the default"),
        config,
        seed: 7,
        legs: 2,
        players: ByEntrant::new(bot, random),
        limits: Limits {
            start: Duration::from_secs(60),
            ..Limits::new(Duration::from_secs(60), game.meta().message_limit)
        },
        // Without a sandbox memory is counted by address space and processes over all of a user, which fits no JVM.
        resources: Resources { memory: None, processes: None, ..Resources::BOT },
        sandbox: Sandbox::none(),
        recorded: None,
        from: None,
        manners: Manners::Usual,
    };
    let played = play(&fixture, &mut Nobody, &mut (), &AtomicBool::new(false)).expect("this machine plays");
    let faults: Vec<_> = played.replay.legs.iter().flat_map(|leg| &leg.faults).collect();
    let own = faults.iter().find(|fault| fault.entrant == leitai_game::Entrant::A);
    assert!(own.is_none(), "{} {}: {own:?}", game.meta().id, template.file_name);
    let winner = played.verdict.expect("it was played to its end").winner;
    assert_eq!(
        winner,
        Some(leitai_game::Entrant::A),
        "{} {} beats random",
        game.meta().id,
        template.file_name
    );
}

#[test]
fn every_template_beats_random() {
    for game in leitai_games::ALL {
        let languages: Vec<&str> = game.templates().iter().map(|template| template.language).collect();
        assert!(languages.starts_with(&["python", "cpp"]), "{}: {languages:?}", game.meta().id);
        game.templates().iter().for_each(|template| check(*game, template));
    }
}
