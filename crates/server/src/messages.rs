//! The Chinese translations of messages of the server and its database.

use leitai_game::AnyGame;
use leitai_game::lang::{Catalogue, Lang, Say, Texts};
use serde_json::{Value, json};

/// The messages of the server, of its database, of series, of the judge, and of these games.
pub fn catalogue<'a>(games: impl IntoIterator<Item = &'a dyn AnyGame>) -> Catalogue {
    Catalogue::new([&MESSAGES])
        .with_labels(&LABELS)
        .with(leitai_series::messages::catalogue(games))
}

/// A message about a match of this game as JSON, `{"en", "zh"}`.
pub fn in_both(game: &dyn AnyGame, message: &(impl Say + ?Sized)) -> Value {
    json!(catalogue([game]).write_both(|lang| lang.say(message)))
}

/// A text of the database as JSON, `{"en", "zh"}`: the store writes its messages in English alone.
pub fn complete_languages(mut text: Value) -> Value {
    if let (Some(en), None) = (text["en"].as_str(), text["zh"].as_str()) {
        text["zh"] = catalogue([]).say(Lang::Zh, en).into_owned().into();
    }
    text
}

/// The messages; see `leitai_game::lang`.
pub static MESSAGES: Texts = Texts::new(include_str!("../messages.json"));
/// Labels and templates, found by their exact English text.
pub static LABELS: Texts = Texts::new(include_str!("../labels.json"));
