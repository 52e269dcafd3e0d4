//! Texts that live as long as the process, each once: names of games, planes and scalars that files bring.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The text that is the same and stays.
pub fn intern(text: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = known.get(text) {
        return text;
    }
    let text: &'static str = Box::leak(text.into());
    known.insert(text);
    text
}
