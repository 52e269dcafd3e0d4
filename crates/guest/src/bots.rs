//! The built-in bots of a guest game: `random`, levels that search, functions of its module, and
//! programs that are packed with it.
//!
//! Whoever adds a kind adds a variant of [`BotKind`]; everything else asks `GuestBots`.

use leitai_game::text::{LocalizedText, Text, TextOf};
use leitai_game::{AnyBot, BotProgram, Rng};

use crate::export_bot::ExportBot;
use crate::levels::{LEVELS, make_level};
use crate::random_bot::{self, RandomBot};

/// A built-in bot of a guest game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestBot {
    /// What it is called in commands and on pages.
    pub name: String,
    /// One sentence on how it plays.
    pub about: LocalizedText,
    /// What plays.
    pub kind: BotKind,
}

/// What plays under the name of a built-in bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BotKind {
    /// Any legal action.
    Random,
    /// A search over the rules, of an open game.
    Level,
    /// The function `bot` of the module, which is told the name.
    Export,
    /// A program that is packed with the game and runs in the sandbox.
    Program(BotProgram),
}

/// All built-in bots of a guest game, weakest first.
#[derive(Clone, Debug)]
pub(crate) struct GuestBots(Vec<GuestBot>);

impl GuestBots {
    /// `random`, which every game of a module has, the levels of an open one, and these.
    pub(crate) fn with_random(is_open: bool, own: Vec<GuestBot>) -> GuestBots {
        let bot = |(name, about): (&str, Text), kind| GuestBot {
            name: name.to_owned(),
            about: about.into(),
            kind,
        };
        let mut bots = vec![bot(random_bot::ABOUT, BotKind::Random)];
        if is_open {
            bots.extend(LEVELS.iter().map(|level| bot(level.about, BotKind::Level)));
        }
        bots.extend(own);
        GuestBots(bots)
    }

    /// Whether it plays on an arena's ladder. Levels play on request, and so do programs: not every
    /// machine that plays ladders can isolate them.
    pub(crate) fn is_on_ladder(&self, name: &str) -> bool {
        let kind = self.find(name).map(|bot| &bot.kind);
        matches!(kind, Some(BotKind::Random | BotKind::Export))
    }

    /// For a game without legal actions: its programs.
    pub(crate) fn of_programs(own: Vec<GuestBot>) -> GuestBots {
        let is_program = |bot: &GuestBot| matches!(bot.kind, BotKind::Program(_));
        GuestBots(own.into_iter().filter(is_program).collect())
    }

    /// Name and description of each.
    pub(crate) fn list(&self) -> Vec<(&str, TextOf<'_>)> {
        let bots = self.0.iter();
        bots.map(|bot| (bot.name.as_str(), bot.about.as_text()))
            .collect()
    }

    /// The program of one that is a program.
    pub(crate) fn program(&self, name: &str) -> Option<&BotProgram> {
        match &self.find(name)?.kind {
            BotKind::Program(program) => Some(program),
            BotKind::Random | BotKind::Level | BotKind::Export => None,
        }
    }

    /// A bot for one leg, unless it is a program.
    pub(crate) fn make(&self, name: &str, seed: u64) -> Option<Box<dyn AnyBot>> {
        let rng = Rng::new(seed);
        match &self.find(name)?.kind {
            BotKind::Random => Some(Box::new(RandomBot(rng))),
            BotKind::Level => make_level(name, seed),
            BotKind::Export => Some(Box::new(ExportBot {
                name: name.to_owned(),
                rng,
            })),
            BotKind::Program(_) => None,
        }
    }

    fn find(&self, name: &str) -> Option<&GuestBot> {
        self.0.iter().find(|bot| bot.name == name)
    }
}
