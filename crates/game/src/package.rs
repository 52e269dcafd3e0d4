//! What a game brings along beside its rules, for people and programs: built-in bots, protocols,
//! programs to begin with, foreign replay formats, a drawing for terminals, keys. Only
//! [`bots`](GamePackage::bots), [`dialects`](GamePackage::dialects),
//! [`parity`](GamePackage::parity), [`picture`](GamePackage::picture) and
//! [`keys`](GamePackage::keys) must be there; a game begins without the others.

use crate::action_builder::ActionBuilder;
use crate::bot::BotInfo;
use crate::config_options::ConfigOption;
use crate::game::Game;
use crate::host::Host;
use crate::parity;
use crate::protocol::ProtocolInfo;
use crate::render::{AxisLabels, KeyBinding, RenderOptions, Rendering};
use crate::replay::ReplayFormat;
use crate::seat::Seat;
use crate::template::Template;
use crate::text::Text;

/// A game with all that belongs to it; the position implements it as it does [`Game`].
pub trait GamePackage: Game {
    /// The built-in bots, weakest first.
    fn list_bots() -> &'static [BotInfo<Self>];
    /// The game's own dialects, the default first. JSON lines are added by the house.
    fn list_protocols() -> &'static [ProtocolInfo<Self>];
    /// What runs programs that are not plain stdin and stdout programs.
    fn list_hosts() -> &'static [Host] {
        &[]
    }
    /// Programs to begin with, one a language; each plays as it stands.
    fn list_templates() -> &'static [Template] {
        &[]
    }
    /// The keys of the config that people are offered on a page, the most important first.
    fn config_choices() -> &'static [ConfigOption] {
        &[]
    }
    /// The rules and how to write a bot, in Markdown: the game's README.
    fn rules_guide() -> Text {
        Text { en: "", zh: "" }
    }
    /// What its rules and formats say to people (reasons of illegal actions, errors), in both
    /// languages; see [`crate::lang`].
    fn messages() -> &'static [Text] {
        &[]
    }
    /// Foreign replay formats.
    fn replay_formats() -> &'static [ReplayFormat] {
        &[]
    }
    /// Compares the engine with the text of a corpus file, case by case.
    fn compare_corpus(text: &str, report: &mut dyn FnMut(parity::ParityCase));
    /// The position drawn for a terminal.
    fn render_position(&self, setup: &Self::Setup, look: &RenderOptions) -> Rendering;
    /// How people number the picture's columns and rows; from the top left and 0 by default.
    fn axis_labels() -> AxisLabels {
        AxisLabels::default()
    }
    /// The keys with which a person plays on this seat; none where there is a
    /// [`composer`](GamePackage::composer).
    fn key_bindings(seat: Seat) -> &'static [KeyBinding];
    /// For one question to a person on this seat, where a single key cannot say an action.
    fn action_builder(_seat: Seat) -> Option<Box<dyn ActionBuilder<Self>>> {
        None
    }
    /// What a person on this seat can choose from, for the game's own page, where that is more than
    /// [`keys`](GamePackage::keys); made from what the seat may know. Null where the keys say it
    /// all.
    fn list_options(&self, _setup: &Self::Setup, _seat: Seat) -> serde_json::Value {
        serde_json::Value::Null
    }
}
