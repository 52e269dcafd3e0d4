//! Ctrl-C: the first one ends the match in order, the second one ends the program.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Sets the returned flag at an interruption from now on. The terminal does not interrupt the
/// programs of a match: they run in process groups of their own.
pub fn on_interrupt() -> anyhow::Result<&'static AtomicBool> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            exit(130);
        }
    })?;
    Ok(&STOP)
}

/// Sets the returned flag at an interruption from now on, and never ends the program: Ctrl-C is also
/// a command of the debugger that shares the terminal.
pub fn note_interrupts() -> anyhow::Result<&'static AtomicBool> {
    ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed))?;
    Ok(&STOP)
}
