//! What a build may take, and what it gives.

use super::folder_copy::SourceBounds;
use leitai_sandbox::Program;
use std::ffi::OsString;
use std::time::Duration;

/// A program that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltProgram {
    /// The command. Its working directory contains the submitted files. It has no limits yet.
    pub program: Program,
    /// The tool that built it, or that runs it if nothing was built: `make`, `g++ -O2 -std=c++17`,
    /// `python3`, `as it is`, `host java`.
    pub how: String,
    /// The time of copying and building.
    pub took: Duration,
    /// The output of the tools, such as warnings; if it is long, its beginning and end.
    pub log: String,
    /// Notes for the author of a successful build, one sentence each.
    pub notes: Vec<String>,
    /// The protocol of the host, or the one named in the main source file, see [`super::protocol_marker`];
    /// the latter is not checked against any game.
    pub protocol: Option<String>,
    /// The name of the game's host that runs it.
    pub host: Option<&'static str>,
    /// Whether it came from the cache.
    pub kept: bool,
    /// Whether its source contains the name of the input file of other sites.
    pub names_input_file: bool,
}

/// Limits of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildLimits {
    /// CPU time of all tools of one build together; then they are killed. 30 s by default.
    pub cpu: Duration,
    /// Wall time of all tools together, extended by the time that the machine withheld. Four times
    /// the CPU time by default.
    pub wall: Duration,
    /// Limits of copying and unpacking.
    pub bounds: SourceBounds,
    /// Limits of a tool, [`leitai_sandbox::SandboxLimits::TOOL`] by default.
    pub process: leitai_sandbox::SandboxLimits,
}

impl Default for BuildLimits {
    fn default() -> Self {
        BuildLimits::of_cpu_time(Duration::from_secs(30))
    }
}

impl BuildLimits {
    /// Limits with this CPU time.
    pub fn of_cpu_time(cpu: Duration) -> BuildLimits {
        let process = leitai_sandbox::SandboxLimits::TOOL;
        BuildLimits {
            cpu,
            wall: cpu.saturating_mul(4),
            bounds: SourceBounds::FOLDER,
            process,
        }
    }

    /// The CPU limit that the kernel enforces for a single process: slightly larger, so that the
    /// judge acts first and can explain it.
    pub(super) fn kernel_seconds(&self) -> Option<u64> {
        Some(self.cpu.as_secs().saturating_add(2))
    }
}

/// The result of a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeOutput {
    /// The command that starts it.
    pub argv: Vec<OsString>,
    /// The build tool, see [`BuiltProgram::how`].
    pub how: String,
}

/// How a program is built that only has to be started, see [`BuiltProgram::how`].
pub const AS_IT_IS: &str = "as it is";
