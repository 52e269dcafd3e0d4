//! The sandbox: how programs are started.

use crate::{Child, Program, SpawnError, StdioKind, Tier};

/// How programs are started: in which tier, and by which helper.
#[derive(Clone, Debug)]
pub struct Sandbox {
    tier: Tier,
}

impl Sandbox {
    /// No isolation at all: for programs that one trusts.
    pub fn none() -> Sandbox {
        Sandbox { tier: Tier::None }
    }

    /// How well programs are kept apart.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Starts a program.
    ///
    /// # Errors
    /// If the program cannot be started; what goes wrong inside it afterwards is seen in its [`Exit`](crate::Exit).
    pub fn spawn(&self, program: &Program, stdio: StdioKind) -> Result<Child, SpawnError> {
        Child::plain(program, stdio)
    }
}
