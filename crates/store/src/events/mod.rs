//! What happened, once: each kind of event in a file of its own, and who reads them.

pub(crate) mod event;
pub(crate) mod kinds;
pub(crate) mod subscribers;
