//! The sandbox: how programs are started.

use crate::cgroup::CgroupParent;
use crate::machine_memory::{ceiling, usual_reserve};
use crate::messages::StartOrder;
use crate::{Program, SandboxLimits, SandboxedChild, SpawnError, StdioKind, Tier, leftovers, sys};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Attempts at a start. A program that was just written can be open for writing for a moment:
/// another thread has forked, and its child holds the file until its `exec`.
const BUSY_TRIES: u32 = 100;
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// How programs are started: in which tier, and by which helper.
#[derive(Clone, Debug)]
pub struct Sandbox {
    tier: Tier,
    helper: PathBuf,
    cgroups: Option<CgroupParent>,
    reserve: u64,
}

/// This machine does not offer the requested tier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this machine offers no isolation of tier {wanted}: {why}")]
pub struct IsolationError {
    /// The requested tier, the weakest acceptable one.
    pub wanted: Tier,
    /// What is missing.
    pub why: String,
}

/// The availability of one tier.
#[derive(Clone, Debug)]
pub struct TierOffer {
    /// The tier.
    pub tier: Tier,
    /// The result of starting a program in it.
    pub works: Result<(), String>,
}

impl Sandbox {
    /// No isolation, for trusted programs.
    pub fn without_isolation() -> Sandbox {
        Sandbox {
            tier: Tier::None,
            helper: PathBuf::new(),
            cgroups: None,
            reserve: 0,
        }
    }

    /// The best tier that this machine offers; `weakest` is the last that will do. `helper` is a
    /// binary that calls [`run_if_called`](crate::run_if_called) first; of one's own,
    /// `/proc/self/exe`. Tries each tier by starting a program, and removes what killed processes
    /// have left behind.
    ///
    /// # Errors
    /// [`IsolationError`].
    pub fn open_tier(helper: &Path, weakest: Tier) -> Result<Sandbox, IsolationError> {
        let mut reasons = Vec::new();
        for tier in Tier::ALL.into_iter().filter(|tier| *tier <= weakest) {
            match Sandbox::of_tier(helper, tier) {
                Ok(sandbox) => return Ok(sandbox),
                Err(refused) => reasons.push(format!("{tier}: {}", refused.why)),
            }
        }
        Err(IsolationError {
            wanted: weakest,
            why: reasons.join("; "),
        })
    }

    /// Exactly this tier.
    ///
    /// # Errors
    /// [`IsolationError`].
    pub fn of_tier(helper: &Path, tier: Tier) -> Result<Sandbox, IsolationError> {
        let refused = |why| IsolationError { wanted: tier, why };
        if tier == Tier::None {
            return Ok(Sandbox::without_isolation());
        }
        let cgroups = if tier == Tier::A {
            Some(CgroupParent::find_parent().map_err(refused)?)
        } else {
            None
        };
        leftovers::sweep_leftovers();
        if let Some(place) = &cgroups {
            place.sweep_leftovers();
        }
        if tier == Tier::C && sys::landlock_version().is_none() {
            return Err(refused(
                "the kernel has no Landlock (5.13 or newer, and lsm=landlock)".into(),
            ));
        }
        let sandbox = Sandbox {
            tier,
            helper: helper.to_owned(),
            cgroups,
            reserve: 0,
        };
        let sandbox = sandbox.with_reserve(usual_reserve())?;
        sandbox.try_out().map_err(refused)?;
        Ok(sandbox)
    }

    /// Lets all programs together leave this many bytes of the machine's memory free; at first a
    /// sixteenth, 64 MiB to 1 GiB. In tier A it bounds one control group around all programs, also
    /// those of other judges there; in B and C, when less is available, the program that holds the
    /// most is ended ([`ExceededLimit::MachineMemory`](crate::ExceededLimit::MachineMemory)).
    /// Without isolation it has no effect.
    ///
    /// # Errors
    /// If that group cannot be bounded.
    pub fn with_reserve(mut self, bytes: u64) -> Result<Sandbox, IsolationError> {
        self.reserve = bytes;
        if let (Some(place), Some(most)) = (&self.cgroups, ceiling(bytes)) {
            place.bound_programs(most).map_err(|error| IsolationError {
                wanted: self.tier,
                why: format!("bounding the memory of all programs together: {error}"),
            })?;
        }
        Ok(self)
    }

    /// Tests every tier of this machine.
    pub fn list_offers(helper: &Path) -> Vec<TierOffer> {
        let offer = |tier| {
            let works = Sandbox::of_tier(helper, tier)
                .map(drop)
                .map_err(|refused| refused.why);
            TierOffer { tier, works }
        };
        Tier::ALL.into_iter().map(offer).collect()
    }

    /// Starts a program that does nothing.
    fn try_out(&self) -> Result<(), String> {
        const LONG: Duration = Duration::from_secs(20);
        let program = Program::new(["/bin/true"], "/usr").with_limits(SandboxLimits::BOT);
        let mut child = self
            .spawn_program(&program, StdioKind::Separate)
            .map_err(|error| plain_reason(&error.to_string()))?;
        match child.wait_for(LONG) {
            Ok(Some(exit)) if exit.is_success() => Ok(()),
            Ok(Some(exit)) => Err(format!("/bin/true ended with {exit} in it")),
            Ok(None) => Err("/bin/true does not end in it".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The tier.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Starts a program.
    ///
    /// # Errors
    /// If the program cannot be started; what goes wrong inside it afterwards is seen in its
    /// [`ExitReason`](crate::ExitReason).
    pub fn spawn_program(
        &self,
        program: &Program,
        stdio: StdioKind,
    ) -> Result<SandboxedChild, SpawnError> {
        for _ in 0..BUSY_TRIES {
            match self.spawn_once(program, stdio) {
                Err(SpawnError::Refused { source, .. })
                    if source.kind() == ErrorKind::ExecutableFileBusy =>
                {
                    std::thread::sleep(BUSY_PAUSE);
                }
                started => return started,
            }
        }
        self.spawn_once(program, stdio)
    }

    fn spawn_once(
        &self,
        program: &Program,
        stdio: StdioKind,
    ) -> Result<SandboxedChild, SpawnError> {
        if self.tier == Tier::None {
            return SandboxedChild::spawn_unisolated(program, stdio);
        }
        let order = StartOrder::new(self.tier, program, self.cgroups.clone(), self.reserve);
        SandboxedChild::spawn_sandboxed(&self.helper, order, program, stdio)
    }
}

/// Removes the part of the message that belongs to matches.
fn plain_reason(error: &str) -> String {
    let start = error
        .find("sandbox: ")
        .map_or(0, |at| at + "sandbox: ".len());
    let end = error.rfind("; `leitai doctor`").unwrap_or(error.len());
    error[start..end].to_owned()
}
