//! Locks, and calls that may take their time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use leitai_game::AnyGame;
use tokio::runtime::{Handle, RuntimeFlavor};

/// Locks a mutex and ignores poisoning: every update in this crate is complete before anything can
/// panic.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work that calls the rules of a game. Rules that may take their time give way to the other
/// tasks of this thread meanwhile.
pub fn call_rules<T>(game: &dyn AnyGame, work: impl FnOnce() -> T) -> T {
    let has_others =
        Handle::try_current().is_ok_and(|on| on.runtime_flavor() == RuntimeFlavor::MultiThread);
    match has_others && !game.capabilities().prompt_rules {
        true => tokio::task::block_in_place(work),
        false => work(),
    }
}
