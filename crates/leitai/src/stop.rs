//! Ctrl-C: the first one asks the match to end cleanly, the second one ends the program.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on an interruption is noted in the flag, which is given. The programs of a match are
/// not asked by the terminal themselves: they run in process groups of their own.
pub fn on_interrupt() -> anyhow::Result<&'static AtomicBool> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            exit(130);
        }
    })?;
    Ok(&STOP)
}
