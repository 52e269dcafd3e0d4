//! The options of every match of a series.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use leitai_game::{AnyGame, AnySetup, ByEntrant, GameHandle};
use leitai_judge::build::{BuildCache, LibrarySet};
use leitai_judge::{MatchSpec, Player, RefereeLimits, Transport};
use leitai_sandbox::{Sandbox, SandboxLimits};
use serde_json::{Map, Value};

/// The default CPU time of a build.
const BUILD_LIMIT: Duration = Duration::from_secs(30);

/// The options of every match of a series.
#[derive(Clone, Debug)]
pub struct MatchOptions {
    /// The config with every default written out.
    pub config: Value,
    /// Legs of a match.
    pub legs: usize,
    /// The limits of programs that the referee enforces.
    pub limits: RefereeLimits,
    /// The limits of programs that the sandbox enforces.
    pub resources: SandboxLimits,
    /// The connection to programs.
    pub transport: Transport,
    /// The sandbox of programs. Built-in bots need none.
    pub sandbox: Sandbox,
    /// The CPU time of a build.
    pub build_limit: Duration,
    /// The cache of builds.
    pub build_cache: Option<&'static BuildCache>,
    /// The libraries that programs find.
    pub libraries: Option<Arc<LibrarySet>>,
    /// The `leitai` program, which wraps programs that are started anew every turn.
    pub leitai: PathBuf,
    /// Whether programs are compiled for a debugger.
    pub debug_info: bool,
}

impl MatchOptions {
    /// The game's default options for built-in bots: no sandbox and no build cache.
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
            libraries: None,
            leitai: PathBuf::from("leitai"),
            debug_info: false,
        })
    }

    /// A match between these players, from its beginning.
    pub fn make_match(
        &self,
        game: impl Into<GameHandle>,
        players: ByEntrant<Player>,
        seed: u64,
        setup: Arc<dyn AnySetup>,
    ) -> MatchSpec {
        MatchSpec {
            legs: self.legs,
            limits: self.limits,
            resources: self.resources,
            sandbox: self.sandbox.clone(),
            recorded: format_time(SystemTime::now()),
            ..MatchSpec::with_setup(game, self.config.clone(), seed, setup, players)
        }
    }
}

/// The time in RFC 3339, to the second; `None` where a clock is set to a year that it cannot write,
/// before 1970 or after 9999.
fn format_time(time: SystemTime) -> Option<String> {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let last = 253_402_300_799; // 9999-12-31T23:59:59Z
    (seconds <= last).then(|| humantime::format_rfc3339_seconds(time).to_string())
}
