//! Games whose judge is a program that exists already: a *logic process* in the protocol of Saiblo
//! (`docs/game-files.md`). It leads each leg; a replay keeps what the players told it.
//!
//! | module | noun |
//! |---|---|
//! | `process` | the running process, and when it waits for a message |
//! | `wire` | the messages |
//! | `leg` | a leg that it leads |
//! | `notation` | messages as actions of a replay |
//! | `protocol` | what players read and write |
//!
//! It may draw while it plays. What it cannot give has no substitute: positions, legal actions,
//! bots, analysis.

mod leg;
mod notation;
mod process;
mod protocol;
mod wire;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leitai_game::erased::{AnyActionBuilder, AnyBot, AnyGame, AnyProtocol, AnySetup};
use leitai_game::lang::{Texts, say};
use leitai_game::parity::ParityCase;
use leitai_game::render::{AxisLabels, KeyBinding};
use leitai_game::replay::{LegRecord, Replay, ReplayFormat, ReplayWalker};
use leitai_game::{ConfigOption, Host, InvalidSetup, Meta, RatingScale, Seat, Template, Text};
use leitai_judge::build::{BuildError, BuildLimits, ProgramSource, build_source};
use leitai_sandbox::{Program, Sandbox, SandboxLimits, Tier};
use serde_json::{Value, json};

use crate::game::{Choice, GuestMeta, constant, constant_meta, read_choices};

use leg::LogicSetup;
use protocol::{SAIBLO, SaibloPlayer};

/// The choice of a setup that holds the seed.
const SEED: &str = "random_seed";
/// The largest seed: many processes take it as a signed number of 32 bits.
const MOST_SEED: u64 = i32::MAX as u64;

/// The program that leads a game, built and ready to start.
struct Logic {
    id: &'static str,
    sandbox: Sandbox,
    program: Program,
    /// Where the process may write its own replay.
    replay: String,
    /// The most rounds of a leg.
    rounds: u32,
}

/// A game that a logic process leads.
pub struct LogicGame {
    meta: &'static Meta,
    options: &'static [ConfigOption],
    choices: Vec<Choice>,
    guide: Text,
    is_open: bool,
    logic: Arc<Logic>,
}

impl LogicGame {
    /// Builds the program in a folder inside `work`, which must stay as long as the game.
    ///
    /// # Errors
    /// The program cannot be built.
    pub fn build(
        meta: &GuestMeta,
        program: &Path,
        work: &Path,
        sandbox: &Sandbox,
    ) -> Result<LogicGame, BuildError> {
        let source = ProgramSource::detect_path(program, &[])?;
        let built = build_source(&source, work, &BuildLimits::default(), &[], sandbox)?;
        let constants: &'static Meta = Box::leak(Box::new(constant_meta(meta)));
        let replay = match sandbox.tier() {
            Tier::None => work.join("replay.json"),
            _ => PathBuf::from("/tmp/replay.json"),
        };
        let options = meta.choices.iter().map(Choice::constant);
        Ok(LogicGame {
            meta: constants,
            options: options.collect::<Vec<_>>().leak(),
            choices: meta.choices.clone(),
            guide: constant(&meta.guide),
            is_open: meta.is_open,
            logic: Arc::new(Logic {
                id: constants.id,
                sandbox: sandbox.clone(),
                program: built.program.with_limits(SandboxLimits::BOT),
                replay: replay.to_string_lossy().into_owned(),
                rounds: meta.rounds,
            }),
        })
    }
}

impl AnyGame for LogicGame {
    fn meta(&self) -> &'static Meta {
        self.meta
    }

    fn list_bots(&self) -> Vec<(&'static str, Text)> {
        Vec::new()
    }

    fn is_on_ladder(&self, _bot: &str) -> bool {
        false
    }

    fn list_protocols(&self) -> Vec<(&'static str, Text)> {
        vec![SAIBLO]
    }

    fn list_hosts(&self) -> &'static [Host] {
        &[]
    }

    fn list_templates(&self) -> &'static [Template] {
        &[]
    }

    fn rating_scale(&self) -> Option<&'static RatingScale> {
        None
    }

    fn config_choices(&self) -> &'static [ConfigOption] {
        self.options
    }

    fn rules_guide(&self) -> Text {
        self.guide
    }

    fn messages(&self) -> &'static Texts {
        &crate::messages::MESSAGES
    }

    fn replay_formats(&self) -> &'static [ReplayFormat] {
        &[]
    }

    fn read_config(&self, choices: &Value) -> Result<Value, InvalidSetup> {
        read_choices(&self.choices, choices)
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

    fn make_bot(&self, _name: &str, _seed: u64) -> Option<Box<dyn AnyBot>> {
        None
    }

    fn make_protocol(&self, name: &str) -> Option<Box<dyn AnyProtocol>> {
        (name == SAIBLO.0).then(|| Box::new(SaibloPlayer) as Box<dyn AnyProtocol>)
    }

    fn compare_corpus(&self, _text: &str, report: &mut dyn FnMut(ParityCase)) {
        report(ParityCase {
            id: "the corpus".into(),
            result: Err("a game with a logic process has none".into()),
        });
    }

    fn axis_labels(&self) -> AxisLabels {
        AxisLabels::default()
    }

    fn key_bindings(&self, _seat: Seat) -> &'static [KeyBinding] {
        &[]
    }

    fn action_builder(&self, _seat: Seat) -> Option<Box<dyn AnyActionBuilder>> {
        None
    }

    fn is_open(&self) -> bool {
        self.is_open
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
