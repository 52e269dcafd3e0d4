//! A replay in the terminal.
use leitai_game::{AnyGame, Replay};
/// Shows.
pub fn run(_: &'static dyn AnyGame, _: &Replay, _: usize, _: u32) -> anyhow::Result<()> {
    anyhow::bail!("not yet")
}
