//! The house's games as modules (`crates/module/examples`), if `LEITAI_MODULES` names the folder
//! in which they were compiled; `./dev modules` compiles them.

use std::path::PathBuf;
use std::time::Duration;

use leitai_game::{AnyGame, LocalizedText};
use leitai_guest::{GuestGame, GuestMeta, Limits};

/// What a native game says of itself.
pub fn meta_of(game: &dyn AnyGame) -> GuestMeta {
    let meta = game.meta();
    GuestMeta {
        id: meta.id.into(),
        title: meta.title.into(),
        about: meta.about.into(),
        rules: meta.rules.into(),
        legs: meta.legs,
        period_limit: meta.period_limit,
        message_limit: meta.message_limit,
        is_open: game.is_open(),
        choices: Vec::new(),
        rounds: 0,
        guide: LocalizedText::default(),
    }
}

/// The meta of a game that has nothing to say.
pub fn meta_of_nothing() -> GuestMeta {
    let text = |text: &str| LocalizedText {
        en: text.into(),
        zh: text.into(),
    };
    GuestMeta {
        id: "probe".into(),
        title: text("Probe"),
        about: text("a probe"),
        rules: "probe/1".into(),
        legs: 1,
        period_limit: Duration::from_secs(1),
        message_limit: 1024,
        is_open: true,
        choices: Vec::new(),
        rounds: 0,
        guide: LocalizedText::default(),
    }
}

/// The bytes of a game's module.
pub fn module_of(id: &str) -> Vec<u8> {
    let folder =
        std::env::var_os("LEITAI_MODULES").expect("LEITAI_MODULES, as `./dev modules` sets it");
    let path = PathBuf::from(folder).join(format!("{id}.wasm"));
    std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Every game of the house with itself as a guest.
pub fn pairs(limits: Limits) -> Vec<(&'static dyn AnyGame, GuestGame)> {
    let guest = |game: &'static dyn AnyGame| {
        let guest = GuestGame::load(&meta_of(game), &module_of(game.meta().id), limits);
        (game, guest.unwrap_or_else(|why| panic!("{why}")))
    };
    leitai_games::ALL.iter().map(|game| guest(*game)).collect()
}
