//! How much there is of everything, for metrics and the status page.

use std::collections::BTreeMap;

use crate::{Store, StoreError};

/// How much there is of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accounts.
    pub users: u64,
    /// Bots, built-in ones included.
    pub bots: u64,
    /// Uploads.
    pub versions: u64,
    /// Matches by state (`queued`, `running`, …).
    pub matches: BTreeMap<String, u64>,
    /// Jobs that wait, by kind.
    pub queued: BTreeMap<String, u64>,
    /// Jobs that are leased, by kind.
    pub leased: BTreeMap<String, u64>,
}

impl Store {
    /// Counts everything; some milliseconds with a million matches.
    pub async fn counts(&self) -> Result<Counts, StoreError> {
        todo!()
    }

    /// How many jobs wait: cheap, for every page.
    pub async fn queue_depth(&self) -> Result<u64, StoreError> {
        todo!()
    }
}
