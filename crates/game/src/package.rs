//! What a game brings along beside its rules, for people and programs. [`PackageContents`] holds
//! the lists and texts that are the same in every position: built-in bots, protocols, programs to
//! begin with, foreign replay formats. [`GamePackage`] adds what a position shows: a drawing for
//! terminals, keys.

use crate::action_builder::ActionBuilder;
use crate::bot::BotInfo;
use crate::config_options::ConfigOption;
use crate::game::Game;
use crate::host::Host;
use crate::parity;
use crate::protocol::ProtocolInfo;
use crate::rating_scale::RatingScale;
use crate::render::{AxisLabels, KeyBinding, RenderOptions, Rendering};
use crate::replay::ReplayFormat;
use crate::seat::Seat;
use crate::template::Template;
use crate::text::Text;

/// What a game brings along that depends on no position. A game writes what it has and takes the
/// rest from [`PackageContents::NOTHING`].
///
/// ```
/// # use leitai_game::Game;
/// use leitai_game::package::PackageContents;
/// # fn contents<G: Game>() -> PackageContents<G> {
/// PackageContents {
///     bots: &[],
///     ..PackageContents::NOTHING
/// }
/// # }
/// ```
pub struct PackageContents<G: Game> {
    /// The built-in bots, weakest first. Every game has one.
    pub bots: &'static [BotInfo<G>],
    /// The game's own protocols, the default first. Leitai adds JSON lines.
    pub protocols: &'static [ProtocolInfo<G>],
    /// What runs programs that are not plain stdin and stdout programs.
    pub hosts: &'static [Host],
    /// Programs to begin with, one a language; each plays as it stands.
    pub templates: &'static [Template],
    /// The keys of the config that people are offered on a page, the most important first.
    pub config_options: &'static [ConfigOption],
    /// The rules and how to write a bot, in Markdown: the game's README.
    pub rules_guide: Text,
    /// What its rules and formats say to people (reasons of illegal actions, errors), in both
    /// languages; see [`crate::lang`].
    pub messages: &'static [Text],
    /// Foreign replay formats.
    pub replay_formats: &'static [ReplayFormat],
    /// The scale on which bots are rated, if the game has one.
    pub rating_scale: Option<&'static RatingScale>,
    /// How people number the drawing's columns and rows; from the top left and 0 by default.
    pub axis_labels: AxisLabels,
}

impl<G: Game> PackageContents<G> {
    /// Nothing at all: no bot, no protocol of its own, no text.
    pub const NOTHING: PackageContents<G> = PackageContents {
        bots: &[],
        protocols: &[],
        hosts: &[],
        templates: &[],
        config_options: &[],
        rules_guide: Text { en: "", zh: "" },
        messages: &[],
        replay_formats: &[],
        rating_scale: None,
        axis_labels: AxisLabels {
            first: 0,
            rows_up: false,
        },
    };
}

/// A game with all that belongs to it; the position implements it as it does [`Game`].
pub trait GamePackage: Game {
    /// Lists and texts.
    const CONTENTS: PackageContents<Self>;

    /// Compares the engine with the text of a corpus file, case by case.
    fn compare_corpus(text: &str, report: &mut dyn FnMut(parity::ParityCase));
    /// The position drawn for a terminal.
    fn render_position(&self, setup: &Self::Setup, options: &RenderOptions) -> Rendering;
    /// The keys with which a person plays on this seat; none where there is an
    /// [`action_builder`](GamePackage::action_builder).
    fn key_bindings(seat: Seat) -> &'static [KeyBinding];
    /// For one question to a person on this seat, where a single key cannot say an action.
    fn action_builder(_seat: Seat) -> Option<Box<dyn ActionBuilder<Self>>> {
        None
    }
    /// What a person on this seat can choose from, for the game's own page, where that is more than
    /// [`key_bindings`](GamePackage::key_bindings); made from what the seat may know. Null where
    /// the keys say it all.
    fn list_options(&self, _setup: &Self::Setup, _seat: Seat) -> serde_json::Value {
        serde_json::Value::Null
    }
}
