//! What every match of a series is played with.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use leitai_game::{AnyGame, AnySetup, ByEntrant};
use leitai_judge::build::BuildCache;
use leitai_judge::{MatchSpec, Player, RefereeLimits, Transport};
use leitai_sandbox::{Sandbox, SandboxLimits};
use serde_json::{Map, Value};

/// CPU time of a build, where nothing else is asked for.
const BUILD_LIMIT: Duration = Duration::from_secs(30);

/// What every match of a series is played with.
#[derive(Clone, Debug)]
pub struct MatchOptions {
    /// The config, as the game has read it.
    pub config: Value,
    /// Legs of a match.
    pub legs: usize,
    /// What programs may use, as the referee checks it.
    pub limits: RefereeLimits,
    /// What programs may use, as the sandbox checks it.
    pub resources: SandboxLimits,
    /// How messages travel to programs.
    pub transport: Transport,
    /// Where programs run. Built-in bots need none.
    pub sandbox: Sandbox,
    /// CPU time for building a program.
    pub build_limit: Duration,
    /// Builds kept from earlier runs.
    pub build_cache: Option<&'static BuildCache>,
    /// The `leitai` program, which wraps programs that are started anew every turn.
    pub leitai: PathBuf,
}

impl MatchOptions {
    /// The game's usual options, for built-in bots: no sandbox and no build cache.
    pub fn new(game: &dyn AnyGame) -> anyhow::Result<MatchOptions> {
        let meta = game.meta();
        Ok(MatchOptions {
            config: game.read_config(&Value::Object(Map::new()))?,
            legs: meta.legs,
            limits: RefereeLimits::new(meta.period_limit, meta.message_limit),
            resources: SandboxLimits::BOT,
            transport: Transport::Stdio,
            sandbox: Sandbox::without_isolation(),
            build_limit: BUILD_LIMIT,
            build_cache: None,
            leitai: PathBuf::from("leitai"),
        })
    }

    /// A match between these players, from its beginning.
    pub fn make_match(
        &self,
        game: &'static dyn AnyGame,
        players: ByEntrant<Player>,
        seed: u64,
        setup: Arc<dyn AnySetup>,
    ) -> MatchSpec {
        MatchSpec {
            legs: self.legs,
            limits: self.limits,
            resources: self.resources,
            sandbox: self.sandbox.clone(),
            recorded: Some(humantime::format_rfc3339_seconds(SystemTime::now()).to_string()),
            ..MatchSpec::with_setup(game, self.config.clone(), seed, setup, players)
        }
    }
}
