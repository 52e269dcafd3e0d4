//! Everything of a game beside its rules, for people and programs. [`PackageContents`] holds the
//! lists and texts that are the same in every position: built-in bots, protocols, templates,
//! foreign replay formats. [`GamePackage`] adds what depends on the position: rendering and keys.

use crate::action_builder::ActionBuilder;
use crate::assessment::AssessorInfo;
use crate::bot::BotInfo;
use crate::config_options::ConfigOption;
use crate::figures::{FigureCounter, LegFigures};
use crate::game::Game;
use crate::host::Host;
use crate::lang::Texts;
use crate::parity;
use crate::protocol::ProtocolInfo;
use crate::rating_scale::RatingScale;
use crate::render::{AxisLabels, KeyBinding, RenderOptions, Rendering};
use crate::replay::ReplayFormat;
use crate::seat::Seat;
use crate::template::Template;
use crate::text::Text;

/// The parts of a game that do not depend on a position. A game sets those that it has and takes
/// the rest from [`PackageContents::NOTHING`].
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
    /// The built-in bots, weakest first. Every game has at least one.
    pub bots: &'static [BotInfo<G>],
    /// The game's own protocols, the default first. Leitai adds JSON lines.
    pub protocols: &'static [ProtocolInfo<G>],
    /// Programs that run bots which do not speak over stdin and stdout.
    pub hosts: &'static [Host],
    /// Programs from which an author begins, one a language; each plays as it is.
    pub templates: &'static [Template],
    /// The config keys that a page offers, the most important first.
    pub config_options: &'static [ConfigOption],
    /// The guide for players and authors of bots, in Markdown; see [`crate::guide`].
    pub rules_guide: Text,
    /// The complete rules in Markdown, if they are a text of their own.
    pub full_rules: Option<Text>,
    /// The messages of its rules and formats (reasons of illegal actions, errors) in both
    /// languages; see [`crate::lang`].
    pub messages: &'static Texts,
    /// Foreign replay formats.
    pub replay_formats: &'static [ReplayFormat],
    /// A situation pack that every upload is asked (docs/situations.md); empty: none.
    pub situations: &'static str,
    /// The scale on which bots are rated, if the game has one.
    pub rating_scale: Option<&'static RatingScale>,
    /// The figures that explain a leg, if the game has some.
    pub figures: Option<&'static LegFigures>,
    /// The game's judge of positions, for the analysis of replays, if it has one.
    pub assessor: Option<AssessorInfo<G>>,
    /// The numbers of columns and rows in drawings; by default from the top left and 0.
    pub axis_labels: AxisLabels,
}

impl<G: Game> PackageContents<G> {
    /// Empty contents: no bot, no protocol of its own, no text.
    pub const NOTHING: PackageContents<G> = PackageContents {
        bots: &[],
        protocols: &[],
        hosts: &[],
        templates: &[],
        config_options: &[],
        rules_guide: Text::new("", ""),
        full_rules: None,
        messages: Texts::NOTHING,
        replay_formats: &[],
        situations: "",
        rating_scale: None,
        figures: None,
        assessor: None,
        axis_labels: AxisLabels {
            first: 0,
            rows_up: false,
        },
    };
}

/// A complete game; the position type implements it together with [`Game`].
pub trait GamePackage: Game {
    /// The parts that do not depend on a position.
    const CONTENTS: PackageContents<Self>;

    /// Compares the engine with the text of a corpus file, case by case.
    fn compare_corpus(text: &str, report: &mut dyn FnMut(parity::ParityCase));
    /// The position drawn for a terminal.
    fn render_position(&self, setup: &Self::Setup, options: &RenderOptions) -> Rendering;
    /// The keys with which a person plays on this seat; empty if there is an
    /// [`action_builder`](GamePackage::action_builder).
    fn key_bindings(seat: Seat) -> &'static [KeyBinding];
    /// A builder for one question to a person on this seat, if a single key cannot express an
    /// action.
    fn action_builder(_seat: Seat) -> Option<Box<dyn ActionBuilder<Self>>> {
        None
    }
    /// The choices of a person on this seat, for the page of the game, if they are more than
    /// [`key_bindings`](GamePackage::key_bindings); computed from the knowledge of the seat. Null
    /// if the keys suffice.
    fn list_options(&self, _setup: &Self::Setup, _seat: Seat) -> serde_json::Value {
        serde_json::Value::Null
    }
    /// Counts the [figures](PackageContents::figures) of a step from `before` to `after`.
    fn count_figures(
        _setup: &Self::Setup,
        _before: &Self,
        _after: &Self,
        _events: &[Self::Event],
        _count: FigureCounter<'_>,
    ) {
    }
}
