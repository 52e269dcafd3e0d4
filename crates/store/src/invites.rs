//! Invites, and who may sit down at a match.

use crate::{Entrant, Match, MatchId, Side, Store, StoreError, Timestamp, TokenHash};

impl Store {
    /// The match that an invite is for, whether it has been taken or not.
    pub async fn match_by_invite(&self, code: &str) -> Result<Option<Match>, StoreError> {
        let _ = code;
        todo!()
    }

    /// Takes an invite: the free side is the person's, and the match goes into the queue. [`StoreError::Missing`] if
    /// there is no such invite, [`StoreError::Refused`] if somebody was faster or it was cancelled.
    pub async fn take_invite(
        &self,
        code: &str,
        person: Entrant,
        seat: TokenHash,
        at: Timestamp,
    ) -> Result<(Match, Side), StoreError> {
        let _ = (code, person, seat, at);
        todo!()
    }

    /// Which side of the match belongs to whoever shows this token.
    pub async fn seat_of(&self, id: MatchId, token: &TokenHash) -> Result<Option<Side>, StoreError> {
        let _ = (id, token);
        todo!()
    }
}
