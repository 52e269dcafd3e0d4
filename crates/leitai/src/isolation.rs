//! The isolation of programs from this machine: the requested and the available one.

use std::path::Path;

use anyhow::{Context, bail};
use clap::ValueEnum;
use leitai_sandbox::{Sandbox, Tier};

use crate::lang::Localizer;

/// What is asked of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RequestedIsolation {
    /// The best that this machine offers; without any, programs are refused
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

/// This binary, even if its file is replaced while it runs.
pub const THIS_BINARY: &str = "/proc/self/exe";

/// Opens the requested sandbox; tells `say` which limits it cannot enforce.
pub fn open_sandbox(
    lang: Localizer,
    asked: RequestedIsolation,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Sandbox> {
    let helper = Path::new(THIS_BINARY);
    let tier = match asked {
        RequestedIsolation::Auto => return open_best_tier(lang, helper, say),
        RequestedIsolation::A => Tier::A,
        RequestedIsolation::B => Tier::B,
        RequestedIsolation::C => Tier::C,
        RequestedIsolation::None => Tier::None,
    };
    Sandbox::of_tier(helper, tier).context(
        lang.label("`leitai doctor` shows which tiers it offers and how to get better ones"),
    )
}

fn open_best_tier(
    lang: Localizer,
    helper: &Path,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Sandbox> {
    let sandbox = match Sandbox::open_tier(helper, Tier::C) {
        Ok(sandbox) => sandbox,
        Err(refused) => bail!(
            "{refused}. {}",
            lang.label("`leitai doctor` shows how to fix it; for programs that you trust, add --isolation none")
        ),
    };
    if let Some(note) = tier_note(lang, sandbox.tier()) {
        say(note);
    }
    Ok(sandbox)
}

/// The limitations of a tier that is not the best.
fn tier_note(lang: Localizer, tier: Tier) -> Option<&'static str> {
    match tier {
        Tier::A | Tier::None => None,
        Tier::B => Some(lang.label(
            "isolation B: memory is watched, not bounded exactly (leitai doctor says how to get A)",
        )),
        Tier::C => Some(lang.label(
            "isolation C: only for programs of your own (leitai doctor says how to get A or B)",
        )),
    }
}
