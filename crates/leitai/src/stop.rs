//! Ctrl-C, and SIGTERM as `timeout` and service managers send it: the first one ends the match in
//! order, the second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::series::INTERRUPTED;

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static IS_SET: AtomicBool = AtomicBool::new(false);

/// Sets the returned flag at an interruption from now on. The terminal does not interrupt the
/// programs of a match: they run in process groups of their own.
pub fn on_interrupt() -> anyhow::Result<&'static AtomicBool> {
    // Twice, the first signal would find the flag raised by itself.
    if IS_SET.swap(true, Ordering::Relaxed) {
        return Ok(&STOP);
    }
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down, the second one finds it raised.
        flag::register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(&STOP))?;
        flag::register(signal, Arc::clone(&STOP))?;
    }
    Ok(&STOP)
}

/// Sets the returned flag at Ctrl-C from now on, and never ends the program: Ctrl-C is also a
/// command of the debugger that shares the terminal.
pub fn note_interrupts() -> anyhow::Result<&'static AtomicBool> {
    flag::register(SIGINT, Arc::clone(&STOP))?;
    Ok(&STOP)
}
