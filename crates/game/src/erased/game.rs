//! A game without type parameters.

use super::assessor::AnyAssessor;
use super::leg::{AnyActionBuilder, AnyBot, AnyProtocol, AnySetup};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use serde_json::Value;

use crate::bot_program::BotProgram;
use crate::config_options::ConfigChoice;
use crate::figures::LegFigures;
use crate::game::MetaOf;
use crate::game_fault::GameFault;
use crate::host::Host;
use crate::invalid::InvalidSetup;
use crate::lang::Texts;
use crate::parity;
use crate::rating_scale::{MissingScale, RatingScale};
use crate::render::{AxisLabels, KeyBinding};
use crate::replay::{Replay, ReplayFormat};
use crate::seat::Perspective;
use crate::seat::Seat;
use crate::template::TemplateOf;
use crate::text::{Text, TextOf};

/// A game's rules as the engine in a page takes them.
#[derive(Clone, Debug)]
pub struct PreparedRules {
    /// Another version of Leitai may prepare the same rules otherwise: this is the hash of the bytes.
    pub hash: String,
    /// A text and a module.
    pub bytes: Arc<[u8]>,
}

/// A game of any kind. What a source may lack has a default: nothing.
pub trait AnyGame: Send + Sync {
    /// Name and constants of the game.
    fn meta(&self) -> MetaOf<'_>;
    /// Built-in bots with descriptions, weakest first: those that [`make_bot`](AnyGame::make_bot)
    /// makes, and those that come as [programs](AnyGame::bot_program).
    fn list_bots(&self) -> Vec<(&str, TextOf<'_>)>;
    /// The program of a built-in bot that came with the game, by the name that
    /// [`find_bot`](AnyGame::find_bot) gives. Such a bot is run in the sandbox as any program;
    /// [`make_bot`](AnyGame::make_bot) does not make it.
    fn bot_program(&self, _name: &str) -> Option<&BotProgram> {
        None
    }
    /// The built-in bots that play without a sandbox.
    fn list_own_bots(&self) -> Vec<&str> {
        let names = self.list_bots().into_iter().map(|(name, _)| name);
        names
            .filter(|name| self.bot_program(name).is_none())
            .collect()
    }
    /// Whether an arena ranks this built-in bot on the game's ladder; see
    /// [`BotInfo::is_on_ladder`](crate::BotInfo::is_on_ladder).
    fn is_on_ladder(&self, _bot: &str) -> bool {
        true
    }
    /// Protocols with descriptions, the default first.
    fn list_protocols(&self) -> Vec<(&'static str, Text)>;
    /// See [`PackageContents::hosts`](crate::package::PackageContents::hosts).
    fn list_hosts(&self) -> &'static [Host] {
        &[]
    }
    /// See [`PackageContents::templates`](crate::package::PackageContents::templates).
    fn list_templates(&self) -> Vec<TemplateOf<'_>> {
        Vec::new()
    }
    /// See [`PackageContents::rating_scale`](crate::package::PackageContents::rating_scale).
    fn rating_scale(&self) -> Option<&RatingScale> {
        None
    }
    /// Why it has no rating scale, where it has none.
    fn missing_scale(&self) -> MissingScale {
        MissingScale::NoLevels
    }
    /// See [`PackageContents::figures`](crate::package::PackageContents::figures).
    fn leg_figures(&self) -> Option<&'static LegFigures> {
        None
    }
    /// See [`PackageContents::config_options`](crate::package::PackageContents::config_options).
    fn config_choices(&self) -> Vec<ConfigChoice>;
    /// See [`PackageContents::rules_guide`](crate::package::PackageContents::rules_guide).
    fn rules_guide(&self) -> TextOf<'_>;
    /// The complete rules in Markdown: [`PackageContents::full_rules`](crate::package::PackageContents::full_rules),
    /// or the guide where they are no text of their own.
    fn full_rules(&self) -> TextOf<'_> {
        self.rules_guide()
    }
    /// See [`PackageContents::situations`](crate::package::PackageContents::situations).
    fn situations(&self) -> &'static str {
        ""
    }
    /// A stranger's script that draws the board in a page, which runs it apart from everything else.
    fn viewer_script(&self) -> Option<&str> {
        None
    }
    /// A stranger's picture of the game, an SVG; those of Leitai's games are in the page.
    fn emblem(&self) -> Option<&str> {
        None
    }
    /// The rules as the engine in a page takes them, of a game file that everybody may have.
    fn page_rules(&self) -> Option<&PreparedRules> {
        None
    }
    /// The messages of the game in both languages.
    fn messages(&self) -> &'static Texts {
        Texts::NOTHING
    }
    /// Foreign replay formats.
    fn replay_formats(&self) -> &'static [ReplayFormat] {
        &[]
    }
    /// The config of these choices with every default written out; fails on unknown or invalid
    /// ones.
    fn read_config(&self, choices: &Value) -> Result<Value, InvalidSetup>;
    /// Draws a setup.
    fn deal_setup(&self, config: &Value, seed: u64) -> Result<Arc<dyn AnySetup>, InvalidSetup>;
    /// Reads and checks a setup.
    fn read_setup(&self, setup: &Value) -> Result<Arc<dyn AnySetup>, InvalidSetup>;
    /// The name of the built-in bot that a word means: its own, or `NAME@NUMBER` for what played
    /// under this name in that version.
    fn find_bot(&self, word: &str) -> Option<&str> {
        let bots = self.list_bots();
        let find = |wanted: &str| {
            bots.iter()
                .map(|(name, _)| *name)
                .find(|name| *name == wanted)
        };
        if let Some(name) = find(word) {
            return Some(name);
        }
        let (name, version) = word.rsplit_once('@')?;
        let version = version.parse().ok()?;
        match self.rating_scale() {
            Some(scale) => find(scale.find_version(name, version)?),
            None => find(name).filter(|_| version == 1),
        }
    }
    /// A built-in bot for one leg, by a word as [`find_bot`](AnyGame::find_bot) knows it; `None` for
    /// one that is a program.
    fn make_bot(&self, _name: &str, _seed: u64) -> Option<Box<dyn AnyBot>> {
        None
    }
    /// A judge of positions for one leg; `None` if the game has none. See
    /// [`PackageContents::assessor`](crate::package::PackageContents::assessor).
    fn make_assessor(&self) -> Option<Box<dyn AnyAssessor>> {
        None
    }
    /// The nodes of a decision if nobody says how many; `None` if the game has no assessor.
    fn decision_nodes(&self) -> Option<u64> {
        None
    }
    /// Bounds the fuel that a level or an analysis takes for one decision. Only searches over rules of
    /// somebody else count fuel.
    fn bound_search(&self, _fuel: u64) {}
    /// One seat's side of one leg in the protocol of this name.
    fn make_protocol(&self, name: &str) -> Option<Box<dyn AnyProtocol>>;
    /// See [`GamePackage::compare_corpus`](crate::package::GamePackage::compare_corpus).
    fn compare_corpus(&self, _text: &str, report: &mut dyn FnMut(parity::ParityCase)) {
        report(parity::ParityCase::without_corpus());
    }
    /// See [`PackageContents::axis_labels`](crate::package::PackageContents::axis_labels).
    fn axis_labels(&self) -> AxisLabels {
        AxisLabels::default()
    }
    /// See [`GamePackage::key_bindings`](crate::package::GamePackage::key_bindings).
    fn key_bindings(&self, _seat: Seat) -> &'static [KeyBinding] {
        &[]
    }
    /// See [`GamePackage::action_builder`](crate::package::GamePackage::action_builder).
    fn action_builder(&self, _seat: Seat) -> Option<Box<dyn AnyActionBuilder>> {
        None
    }
    /// See [`Game::is_open`](crate::game::Game::is_open).
    fn is_open(&self) -> bool;
    /// What callers may expect beside the rules. The games of this house give everything.
    fn capabilities(&self) -> Capabilities {
        Capabilities::WHOLE
    }
    /// The first failure of the rules since they were loaded, in any position. The rules of this
    /// house cannot fail.
    fn first_fault(&self) -> Option<GameFault> {
        None
    }
    /// The judge program that leads it, for a machine that may run it; only the source of the game knows
    /// what this is.
    fn judge_program(&self) -> Option<&dyn Any> {
        None
    }
    /// Whether the legs of a replay are the same each time they are played. Always so but for a judge
    /// program that draws while it plays: then a replay can be checked for its form only.
    fn is_repeatable(&self, _replay: &Replay) -> bool {
        true
    }
}

/// What the source of a game gives beside its rules. Callers ask for it here and never for the
/// source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether everybody may see a setup. Otherwise it may hold what a seat must not know, and only
    /// those who see everything get it.
    pub public_setup: bool,
    /// Whether its guide has positions that can be drawn whenever somebody reads it.
    pub guide_pictures: bool,
    /// Whether its rules answer in a moment, so that they may be called where others wait.
    pub prompt_rules: bool,
    /// Whether a position tells its legal actions. Otherwise only programs play it: no people, no
    /// built-in bots, no *What if*.
    pub legal_actions: bool,
    /// Whether its legs can be played here, and replays again. Otherwise a judge program leads them on a
    /// machine that plays matches, and a replay is shown by what it recorded of it.
    pub plays_here: bool,
}

impl Capabilities {
    /// Everything.
    pub const WHOLE: Capabilities = Capabilities {
        public_setup: true,
        guide_pictures: true,
        prompt_rules: true,
        legal_actions: true,
        plays_here: true,
    };

    /// Whether a reader with this perspective gets the setup.
    pub fn shows_setup(self, perspective: Perspective) -> bool {
        self.public_setup || perspective == Perspective::All
    }
}
