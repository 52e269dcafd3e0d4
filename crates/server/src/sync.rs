//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the mutex, also after a thread panicked with it: every update here is complete before
/// anything can panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
