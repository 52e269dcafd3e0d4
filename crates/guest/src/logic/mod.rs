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
//! | `told` | what is told of the game |
//! | `packed` | the program as files, built when it is first needed |
//! | `moment` | what a replay keeps of the program |
//! | `recorded` | a leg by what was kept, where the program is not run |
//!
//! A game that was loaded runs nothing: it describes itself, and shows replays by what they kept. A machine
//! that plays opens it with its sandbox ([`LogicGame::open`]).
//!
//! It may draw while it plays. What it cannot give has no substitute: positions, legal actions,
//! bots, analysis.

mod botzone;
mod leg;
mod moment;
mod notation;
mod packed;
pub mod patience;
mod process;
mod protocol;
mod recorded;
mod setup;
mod told;
mod wire;

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use leitai_game::erased::{AnyGame, AnyProtocol, AnySetup};
use leitai_game::host::{BOTZONE, Host};
use leitai_game::lang::{Texts, say};
use leitai_game::replay::{LegRecord, Replay, ReplayWalker};
use leitai_game::text::TextOf;
use leitai_game::{BotProgram, Capabilities, ConfigChoice, InvalidSetup, MetaOf, TemplateOf, Text};
use leitai_judge::build::BuildError;
use leitai_sandbox::Sandbox;
use serde_json::{Value, json};

use crate::bots::{GuestBot, GuestBots};
use crate::meta::LogicProtocol;
use crate::meta::{Choice, GuestMeta, read_choices};
use crate::starters::Starter;

use packed::{LazyProgram, PackedProgram};
use process::Logic;
use protocol::{BotzonePlayer, REQUESTS, SAIBLO, SaibloPlayer};
use setup::LogicSetup;
use told::Told;

/// The choice of a setup that holds the seed.
const SEED: &str = "random_seed";
/// The largest seed: many processes take it as a signed number of 32 bits.
const MOST_SEED: u64 = i32::MAX as u64;

/// A game that a logic process leads. Clones share everything.
#[derive(Clone)]
pub struct LogicGame {
    told: Arc<Told>,
    /// `None` where the process is not run.
    logic: Option<Arc<Logic>>,
}

/// Whether both are the game of one file that was read once, wherever each is led.
impl PartialEq for LogicGame {
    fn eq(&self, other: &LogicGame) -> bool {
        Arc::ptr_eq(&self.told, &other.told)
    }
}

/// What belongs to a game beside its program.
#[derive(Default)]
pub(crate) struct LogicParts {
    pub(crate) bots: Vec<GuestBot>,
    pub(crate) starters: Vec<Starter>,
    pub(crate) emblem: Option<String>,
}

impl LogicGame {
    /// A game that runs nothing. The program: an archive, and what is built of it.
    pub(crate) fn describe(
        meta: GuestMeta,
        protocol: LogicProtocol,
        (archive, path): (Vec<u8>, String),
        parts: LogicParts,
    ) -> LogicGame {
        let program = PackedProgram {
            bytes: archive.into(),
            path,
        };
        LogicGame {
            told: Arc::new(Told {
                meta,
                protocol,
                program,
                bots: GuestBots::of_programs(parts.bots),
                starters: parts.starters,
                emblem: parts.emblem,
            }),
            logic: None,
        }
    }

    /// The game that another one is, if a judge program leads it.
    pub fn of(game: &dyn AnyGame) -> Option<&LogicGame> {
        game.judge_program()?.downcast_ref()
    }

    /// The same game, led here: its program runs in this sandbox. It is built when the first leg begins, once,
    /// and its folder goes with the game.
    #[must_use]
    pub fn open(&self, sandbox: &Sandbox) -> LogicGame {
        self.open_until(sandbox, None)
    }

    /// The same for a check, which may not take for ever: after this moment each step fails.
    #[must_use]
    pub fn open_until(&self, sandbox: &Sandbox, until: Option<Instant>) -> LogicGame {
        let logic = Logic {
            until,
            id: self.told.meta.id.clone(),
            sandbox: sandbox.clone(),
            program: LazyProgram::new(self.told.program.clone()),
        };
        LogicGame {
            told: self.told.clone(),
            logic: Some(Arc::new(logic)),
        }
    }

    /// Builds the program of a game that is [open](LogicGame::open), if no leg did.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn build(&self) -> Result<(), BuildError> {
        match &self.logic {
            Some(logic) => logic.program.build_once(&logic.sandbox).map(drop),
            None => Ok(()),
        }
    }
}

impl AnyGame for LogicGame {
    fn meta(&self) -> MetaOf<'_> {
        self.told.meta.as_meta()
    }

    fn list_bots(&self) -> Vec<(&str, TextOf<'_>)> {
        self.told.bots.list()
    }

    fn bot_program(&self, name: &str) -> Option<&BotProgram> {
        self.told.bots.program(name)
    }

    fn list_templates(&self) -> Vec<TemplateOf<'_>> {
        self.told
            .starters
            .iter()
            .map(Starter::as_template)
            .collect()
    }

    fn is_on_ladder(&self, _bot: &str) -> bool {
        false
    }

    fn list_protocols(&self) -> Vec<(&'static str, Text)> {
        match self.told.protocol {
            LogicProtocol::Saiblo => vec![SAIBLO],
            LogicProtocol::Botzone => vec![REQUESTS],
        }
    }

    fn list_hosts(&self) -> &'static [Host] {
        match self.told.protocol {
            LogicProtocol::Saiblo => &[],
            LogicProtocol::Botzone => &[BOTZONE],
        }
    }

    fn config_choices(&self) -> Vec<ConfigChoice> {
        self.told.meta.choices.iter().map(Choice::shown).collect()
    }

    fn rules_guide(&self) -> TextOf<'_> {
        self.told.meta.guide.as_text()
    }

    fn emblem(&self) -> Option<&str> {
        self.told.emblem.as_deref()
    }

    fn messages(&self) -> &'static Texts {
        &crate::messages::MESSAGES
    }

    fn read_config(&self, choices: &Value) -> Result<Value, InvalidSetup> {
        read_choices(&self.told.meta.choices, choices)
    }

    fn deal_setup(&self, config: &Value, seed: u64) -> Result<Arc<dyn AnySetup>, InvalidSetup> {
        let mut setup = self.read_config(config)?;
        setup[SEED] = json!(seed % (MOST_SEED + 1));
        Ok(Arc::new(LogicSetup {
            told: self.told.clone(),
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
        match self.told.protocol {
            LogicProtocol::Saiblo if name == SAIBLO.0 => Some(Box::new(SaibloPlayer)),
            LogicProtocol::Botzone if name == REQUESTS.0 => {
                let meta = self.told.meta.as_meta();
                Some(Box::new(BotzonePlayer {
                    game: meta.id.to_owned(),
                    rules: meta.rules.to_owned(),
                }))
            }
            _ => None,
        }
    }

    fn is_open(&self) -> bool {
        self.told.meta.is_open
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            public_setup: self.told.meta.is_open,
            guide_pictures: false,
            prompt_rules: false,
            legal_actions: false,
            plays_here: self.logic.is_some(),
        }
    }

    fn judge_program(&self) -> Option<&dyn Any> {
        Some(self)
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
        // A program that is seeded by the second does the same for as long as one lasts.
        let ends_later = |record: &LegRecord| {
            std::thread::sleep(Duration::from_millis(1100));
            ends(record)
        };
        replay.legs.iter().all(|leg| ends(leg) == ends_later(leg))
    }
}
