//! Who may play next, for `leitai_ladder::pairing`.

use std::collections::HashMap;

use leitai_ladder::weng_lin::Rating;

use crate::{BotId, Entrant, Store, StoreError, VersionId};

/// Who may play next on a ladder.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    /// Everyone who is listed, by key.
    pub candidates: Vec<Candidate>,
    /// How often two have met of late (the smaller key first), queued matches included.
    pub met: HashMap<(BotId, BotId), u32>,
    /// Ladder matches of this game that wait or run.
    pub open: u64,
}

/// One who may play next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Who.
    pub bot: BotId,
    /// With which version.
    pub version: VersionId,
    /// How strong.
    pub rating: Rating,
    /// Picks since it last played, as `leitai_ladder::pairing::Waiting::waited`.
    pub waited: u64,
}

impl Store {
    /// Who may play next on a ladder.
    pub async fn pairing(&self, game: &str) -> Result<Pairing, StoreError> {
        let _ = game;
        todo!()
    }

    /// A bot as an entrant: its active version. [`StoreError::Refused`] if it has none or is off the ladder by an administrator.
    pub async fn entrant(&self, bot: BotId) -> Result<Entrant, StoreError> {
        let _ = bot;
        todo!()
    }

    /// A version as an entrant; [`StoreError::Refused`] unless it is ready.
    pub async fn entrant_of_version(&self, version: VersionId) -> Result<Entrant, StoreError> {
        let _ = version;
        todo!()
    }
}
