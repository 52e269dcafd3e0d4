//! Invites and seat tokens of human matches.

use crate::database::prelude::*;
use crate::jobs::job_turns::JobFlow;
use crate::jobs::jobs;
use crate::matches::{lobby, matches, new_match};
use crate::tables::matches::{ActiveModel, Column, Entity};
use crate::{Match, MatchEntrant, MatchSide, MatchState, TokenHash};

impl Store {
    /// Finds the match of an invite, whether it has been accepted or not.
    pub async fn match_by_invite(&self, code: &str) -> Result<Option<Match>> {
        Ok(query_invite(code).one(&self.readers).await?)
    }

    /// Accepts an invite: the person takes the free side, and the match is queued.
    /// [`StoreError::Missing`] if there is no such invite, [`StoreError::Refused`] if it was
    /// already accepted or cancelled.
    pub async fn take_invite(
        &self,
        code: &str,
        person: MatchEntrant,
        seat: TokenHash,
        at: Timestamp,
    ) -> Result<(Match, MatchSide)> {
        let change = self.begin_write().await?;
        let found = query_invite(code).lock_exclusive().one(&change).await?;
        let found = found.ok_or_else(|| StoreError::row_missing("invite", code))?;
        let side = match (&found.a, &found.b) {
            _ if found.state != MatchState::Waiting => None,
            (None, _) => Some(MatchSide::A),
            (_, None) => Some(MatchSide::B),
            _ => None,
        };
        let side = side.ok_or_else(|| {
            StoreError::Refused("this invite has been taken or withdrawn".to_owned())
        })?;
        new_match::check_person(&change, &person).await?;
        matches::note_person(&change, found.id, side, &person).await?;
        let mut taken = match side {
            MatchSide::A => ActiveModel {
                a: Set(Some(person)),
                a_seat_token: Set(Some(seat)),
                ..Default::default()
            },
            MatchSide::B => ActiveModel {
                b: Set(Some(person)),
                b_seat_token: Set(Some(seat)),
                ..Default::default()
            },
        };
        taken.state = Set(MatchState::Queued);
        matches::update_match(&change, found.id, taken).await?;
        lobby::withdraw_table(&change, found.id).await?;
        jobs::insert_job(&change, jobs::match_job_row(&found), &JobFlow::Arena, at).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok((self.match_by_id(found.id).await?, side))
    }
}

impl Match {
    /// The side that this seat token belongs to.
    pub fn side_of_seat(&self, token: &TokenHash) -> Option<MatchSide> {
        let held = |seat: &Option<TokenHash>| seat.as_ref() == Some(token);
        match (held(&self.a_seat_token), held(&self.b_seat_token)) {
            (true, _) => Some(MatchSide::A),
            (_, true) => Some(MatchSide::B),
            _ => None,
        }
    }
}

fn query_invite(code: &str) -> Select<Entity> {
    Entity::find().filter(Column::Invite.eq(code))
}
