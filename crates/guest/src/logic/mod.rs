//! Games whose judge is a program that exists already: a *logic process* in the protocol of Saiblo or
//! of Botzone (`docs/logic-processes.md`). It leads each leg; a replay keeps what the players told it.
//!
//! | module | noun |
//! |---|---|
//! | `process` | the running process, and when it waits for a message |
//! | `wire` | the messages |
//! | `setup` | a config and a seed, with which legs begin |
//! | `leg` | a leg that it leads |
//! | `botzone` | a leg that a program of Botzone leads |
//! | `notation` | messages as actions of a replay |
//! | `protocol` | what players read and write |
//!
//! It may draw while it plays. What it cannot give has no substitute: positions, legal actions,
//! bots, analysis.

mod botzone;
mod leg;
mod notation;
pub mod patience;
mod process;
mod protocol;
mod setup;
mod wire;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leitai_game::erased::{AnyGame, AnyProtocol, AnySetup};
use leitai_game::host::{BOTZONE, Host};
use leitai_game::lang::{Texts, say};
use leitai_game::replay::{LegRecord, Replay, ReplayWalker};
use leitai_game::text::TextOf;
use leitai_game::{BotProgram, Capabilities, ConfigChoice, InvalidSetup, MetaOf, TemplateOf, Text};
use leitai_judge::build::{BuildError, BuildLimits, ProgramSource, build_source};
use leitai_sandbox::{Sandbox, SandboxLimits, Tier};
use serde_json::{Value, json};

use crate::bots::{GuestBot, GuestBots};
use crate::meta::LogicProtocol;
use crate::meta::{Choice, GuestMeta, read_choices};
use crate::starters::Starter;

use process::Logic;
use protocol::{BotzonePlayer, REQUESTS, SAIBLO, SaibloPlayer};
use setup::LogicSetup;

/// The choice of a setup that holds the seed.
const SEED: &str = "random_seed";
/// The largest seed: many processes take it as a signed number of 32 bits.
const MOST_SEED: u64 = i32::MAX as u64;

/// A game that a logic process leads.
pub struct LogicGame {
    meta: GuestMeta,
    logic: Arc<Logic>,
    bots: GuestBots,
    starters: Vec<Starter>,
    emblem: Option<String>,
}

impl LogicGame {
    /// Builds the program in a folder inside `work`, which must stay as long as the game.
    ///
    /// # Errors
    /// The program cannot be built.
    pub fn build(
        meta: &GuestMeta,
        (program, protocol): (&Path, LogicProtocol),
        work: &Path,
        sandbox: &Sandbox,
    ) -> Result<LogicGame, BuildError> {
        let source = ProgramSource::detect_path(program, &[])?;
        let built = build_source(&source, work, &BuildLimits::default(), &[], sandbox)?;
        let replay = match sandbox.tier() {
            Tier::None => work.join("replay.json"),
            _ => PathBuf::from("/tmp/replay.json"),
        };
        Ok(LogicGame {
            meta: meta.clone(),
            bots: GuestBots::of_programs(Vec::new()),
            starters: Vec::new(),
            emblem: None,
            logic: Arc::new(Logic {
                id: meta.id.clone(),
                sandbox: sandbox.clone(),
                program: built.program.with_limits(SandboxLimits::BOT),
                replay: replay.to_string_lossy().into_owned(),
                rounds: meta.rounds,
                protocol,
            }),
        })
    }
}

impl LogicGame {
    /// The same game with these programs and templates.
    #[must_use]
    pub fn with_programs(self, bots: Vec<GuestBot>, starters: Vec<Starter>) -> LogicGame {
        LogicGame {
            bots: GuestBots::of_programs(bots),
            starters,
            ..self
        }
    }

    /// The same game with this picture.
    #[must_use]
    pub fn with_emblem(self, emblem: Option<String>) -> LogicGame {
        LogicGame { emblem, ..self }
    }
}

impl AnyGame for LogicGame {
    fn meta(&self) -> MetaOf<'_> {
        self.meta.as_meta()
    }

    fn list_bots(&self) -> Vec<(&str, TextOf<'_>)> {
        self.bots.list()
    }

    fn bot_program(&self, name: &str) -> Option<&BotProgram> {
        self.bots.program(name)
    }

    fn list_templates(&self) -> Vec<TemplateOf<'_>> {
        self.starters.iter().map(Starter::as_template).collect()
    }

    fn is_on_ladder(&self, _bot: &str) -> bool {
        false
    }

    fn list_protocols(&self) -> Vec<(&'static str, Text)> {
        match self.logic.protocol {
            LogicProtocol::Saiblo => vec![SAIBLO],
            LogicProtocol::Botzone => vec![REQUESTS],
        }
    }

    fn list_hosts(&self) -> &'static [Host] {
        match self.logic.protocol {
            LogicProtocol::Saiblo => &[],
            LogicProtocol::Botzone => &[BOTZONE],
        }
    }

    fn config_choices(&self) -> Vec<ConfigChoice> {
        self.meta.choices.iter().map(Choice::shown).collect()
    }

    fn rules_guide(&self) -> TextOf<'_> {
        self.meta.guide.as_text()
    }

    fn emblem(&self) -> Option<&str> {
        self.emblem.as_deref()
    }

    fn messages(&self) -> &'static Texts {
        &crate::messages::MESSAGES
    }

    fn read_config(&self, choices: &Value) -> Result<Value, InvalidSetup> {
        read_choices(&self.meta.choices, choices)
    }

    fn deal_setup(&self, config: &Value, seed: u64) -> Result<Arc<dyn AnySetup>, InvalidSetup> {
        let mut setup = self.read_config(config)?;
        setup[SEED] = json!(seed % (MOST_SEED + 1));
        Ok(Arc::new(LogicSetup {
            logic: self.logic.clone(),
            json: setup,
        }))
    }

    fn read_setup(&self, setup: &Value) -> Result<Arc<dyn AnySetup>, InvalidSetup> {
        let mut config = setup.clone();
        let seed = config
            .as_object_mut()
            .and_then(|config| config.remove(SEED));
        let seed = seed
            .and_then(|seed| seed.as_u64())
            .filter(|seed| *seed <= MOST_SEED);
        let seed = seed.ok_or_else(|| {
            InvalidSetup(say!(
                "{SEED} is missing, or no whole number from 0 to {MOST_SEED}"
            ))
        })?;
        self.deal_setup(&config, seed)
    }

    fn make_protocol(&self, name: &str) -> Option<Box<dyn AnyProtocol>> {
        match self.logic.protocol {
            LogicProtocol::Saiblo if name == SAIBLO.0 => Some(Box::new(SaibloPlayer)),
            LogicProtocol::Botzone if name == REQUESTS.0 => {
                let meta = self.meta.as_meta();
                Some(Box::new(BotzonePlayer {
                    game: meta.id.to_owned(),
                    rules: meta.rules.to_owned(),
                }))
            }
            _ => None,
        }
    }

    fn is_open(&self) -> bool {
        self.meta.is_open
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            public_setup: self.meta.is_open,
            guide_pictures: false,
            prompt_rules: false,
            legal_actions: false,
        }
    }

    fn is_repeatable(&self, replay: &Replay) -> bool {
        let Ok(setup) = self.read_setup(&replay.setup) else {
            return true;
        };
        let ends = |record: &LegRecord| {
            let mut walk = ReplayWalker::new(&*setup, record);
            while let Ok(Some(_)) = walk.next(&mut ()) {}
            walk.current_leg().hash()
        };
        replay.legs.iter().all(|leg| ends(leg) == ends(leg))
    }
}
