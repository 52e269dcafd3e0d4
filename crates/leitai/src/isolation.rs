//! How programs are kept apart from this machine: what is asked, and what the machine offers.

use std::path::Path;

use anyhow::{Context, bail};
use clap::ValueEnum;
use leitai_sandbox::{Sandbox, Tier};

use crate::lang::translate;

/// What is asked of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RequestedIsolation {
    /// The best that this machine offers, and nothing without any
    Auto,
    /// Namespaces, system-call filter, memory bounded by a control group
    A,
    /// The same, but memory is only watched
    B,
    /// Landlock and system-call filter, for programs of your own
    C,
    /// No isolation at all: only for programs that you trust
    None,
}

/// This binary, as long as it runs, even if its file is replaced.
pub const THIS_BINARY: &str = "/proc/self/exe";

/// Opens the sandbox that was asked for; tells `say` what it does not hold.
pub fn open_sandbox(
    asked: RequestedIsolation,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Sandbox> {
    let helper = Path::new(THIS_BINARY);
    let tier = match asked {
        RequestedIsolation::Auto => return open_best_tier(helper, say),
        RequestedIsolation::A => Tier::A,
        RequestedIsolation::B => Tier::B,
        RequestedIsolation::C => Tier::C,
        RequestedIsolation::None => Tier::None,
    };
    Sandbox::of_tier(helper, tier).context(translate(
        "`leitai doctor` shows what it does offer, and what would make it offer more",
        "运行 leitai doctor 查看本机提供哪些隔离等级，以及如何改善",
    ))
}

fn open_best_tier(helper: &Path, say: &mut dyn FnMut(&str)) -> anyhow::Result<Sandbox> {
    let sandbox = match Sandbox::open_tier(helper, Tier::C) {
        Ok(sandbox) => sandbox,
        Err(refused) => bail!(
            "{refused}. {}",
            translate(
                "`leitai doctor` shows what would mend it; for programs that you trust: --isolation none",
                "运行 leitai doctor 查看如何改善；若信任这些程序，可加 --isolation none"
            )
        ),
    };
    if let Some(note) = tier_note(sandbox.tier()) {
        say(note);
    }
    Ok(sandbox)
}

/// What people should know of a tier that is not the best.
fn tier_note(tier: Tier) -> Option<&'static str> {
    match tier {
        Tier::A | Tier::None => None,
        Tier::B => Some(translate(
            "isolation B: memory is watched, not bounded exactly (leitai doctor says how to get A)",
            "隔离等级 B：内存仅被监视，未被精确限制（leitai doctor 说明如何达到 A）",
        )),
        Tier::C => Some(translate(
            "isolation C: only for programs of your own (leitai doctor says how to get A or B)",
            "隔离等级 C：仅适用于自己的程序（leitai doctor 说明如何达到 A 或 B）",
        )),
    }
}
