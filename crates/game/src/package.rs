//! What a game brings along beside its rules, for people and programs: built-in bots, protocols, programs to begin
//! with, foreign replay formats, a drawing for terminals, keys. Only [`bots`](GamePackage::bots),
//! [`dialects`](GamePackage::dialects), [`parity`](GamePackage::parity), [`picture`](GamePackage::picture) and
//! [`keys`](GamePackage::keys) must be there; a game begins without the others.

use crate::bot::BotInfo;
use crate::choice::ConfigChoice;
use crate::composer::Composer;
use crate::dialect::DialectInfo;
use crate::game::Game;
use crate::host::Host;
use crate::parity;
use crate::picture::{Axes, KeyBinding, Look, Picture};
use crate::replay::Format;
use crate::seat::Seat;
use crate::template::Template;
use crate::text::Text;

/// A game with all that belongs to it; the position implements it as it does [`Game`].
pub trait GamePackage: Game {
    /// The built-in bots, weakest first.
    fn bots() -> &'static [BotInfo<Self>];
    /// The game's own dialects, the default first. JSON lines are added by the house.
    fn dialects() -> &'static [DialectInfo<Self>];
    /// What runs programs that are not plain stdin and stdout programs.
    fn hosts() -> &'static [Host] {
        &[]
    }
    /// Programs to begin with, one a language; each plays as it stands.
    fn templates() -> &'static [Template] {
        &[]
    }
    /// The keys of the config that people are offered on a page, the most important first.
    fn config_choices() -> &'static [ConfigChoice] {
        &[]
    }
    /// The rules and how to write a bot, in Markdown: the game's README.
    fn guide() -> Text {
        Text { en: "", zh: "" }
    }
    /// What its rules and formats say to people (reasons of illegal actions, errors), in both languages; see
    /// [`crate::lang`].
    fn messages() -> &'static [Text] {
        &[]
    }
    /// Foreign replay formats.
    fn formats() -> &'static [Format] {
        &[]
    }
    /// Compares the engine with the text of a corpus file, case by case.
    fn parity(text: &str, report: &mut dyn FnMut(parity::Case));
    /// The position drawn for a terminal.
    fn picture(&self, setup: &Self::Setup, look: &Look) -> Picture;
    /// How people number the picture's columns and rows; from the top left and 0 by default.
    fn axes() -> Axes {
        Axes::default()
    }
    /// The keys with which a person plays on this seat; none where there is a [`composer`](GamePackage::composer).
    fn keys(seat: Seat) -> &'static [KeyBinding];
    /// For one question to a person on this seat, where a single key cannot say an action.
    fn composer(_seat: Seat) -> Option<Box<dyn Composer<Self>>> {
        None
    }
    /// What a person on this seat can choose from, for the game's own page, where that is more than
    /// [`keys`](GamePackage::keys); made from what the seat may know. Null where the keys say it all.
    fn options(&self, _setup: &Self::Setup, _seat: Seat) -> serde_json::Value {
        serde_json::Value::Null
    }
}
