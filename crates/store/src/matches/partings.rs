//! What two people say to each other when their match is over, at whichever servers they are: the
//! last phrase of each, and the offer of a rematch.

use std::time::Duration;

use crate::database::prelude::*;
use crate::jobs::job_turns::JobFlow;
use crate::matches::matches;
use crate::matches::new_match::{self, NewMatch};
use crate::tables::matches::Match;
use crate::tables::partings::{
    ActiveModel, Column, Entity, Parting, RematchAnswer, RematchOffer, RematchState,
};
use crate::{MatchId, MatchSide};

/// How long what was said last is kept.
const KEPT: Duration = Duration::from_secs(5 * 60);

impl Parting {
    /// What the person on this side said last.
    pub fn said_by(&self, side: MatchSide) -> Option<&str> {
        let said = match side {
            MatchSide::A => &self.a_said,
            MatchSide::B => &self.b_said,
        };
        said.as_deref()
    }
}

impl Store {
    /// What was said after a match.
    pub async fn parting_of(&self, id: MatchId) -> Result<Option<Parting>> {
        Ok(Entity::find_by_id(id).one(&self.readers).await?)
    }

    /// Notes what the person on this side says.
    pub async fn say_parting(
        &self,
        id: MatchId,
        side: MatchSide,
        phrase: String,
        at: Timestamp,
    ) -> Result<()> {
        let say = |parting: &mut Parting| match side {
            MatchSide::A => parting.a_said = Some(phrase),
            MatchSide::B => parting.b_said = Some(phrase),
        };
        self.change_parting(id, at, say).await
    }

    /// Offers a rematch; an earlier offer after the same match is replaced.
    pub async fn offer_rematch(&self, id: MatchId, offer: RematchOffer) -> Result<()> {
        let at = offer.since;
        self.change_parting(id, at, |parting| parting.rematch = Some(offer))
            .await
    }

    /// Accepts the open offer: creates this match, in the same transaction.
    /// [`StoreError::Refused`] if no offer is open.
    pub async fn accept_rematch(&self, id: MatchId, new: NewMatch, at: Timestamp) -> Result<Match> {
        let change = self.begin_write().await?;
        let mut parting = lock_parting(&change, id, at).await?;
        let offer = parting.rematch.as_mut();
        let open = offer.filter(|offer| offer.state_at(at) == RematchState::Open);
        let offer = open.ok_or_else(|| {
            StoreError::Refused("no offer of a rematch waits for an answer".to_owned())
        })?;
        new_match::check_entrants(&change, std::slice::from_ref(&new)).await?;
        let made = matches::insert_match(&change, new, None, &JobFlow::Arena, at).await?;
        offer.answer = Some(RematchAnswer::Accepted(made.id));
        update_parting(&change, parting, at).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(made)
    }

    /// Declines an offer, or takes the own one back; nothing happens without an open one.
    pub async fn refuse_rematch(&self, id: MatchId, side: MatchSide, at: Timestamp) -> Result<()> {
        let refuse = |parting: &mut Parting| {
            if let Some(offer) = &mut parting.rematch
                && offer.answer.is_none()
            {
                match offer.by == side {
                    true => parting.rematch = None,
                    false => offer.answer = Some(RematchAnswer::Declined),
                }
            }
        };
        self.change_parting(id, at, refuse).await
    }

    /// Forgets what was said long ago; returns of how many matches.
    pub async fn sweep_partings(&self, at: Timestamp) -> Result<u64> {
        let old = Entity::delete_many().filter(Column::At.lt(at.before(KEPT)));
        self.delete_rows(old).await
    }

    /// Changes what was said after a match; others who do so at the same time wait.
    async fn change_parting(
        &self,
        id: MatchId,
        at: Timestamp,
        make: impl FnOnce(&mut Parting) + Send,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let mut parting = lock_parting(&change, id, at).await?;
        make(&mut parting);
        update_parting(&change, parting, at).await?;
        Ok(change.commit().await?)
    }
}

/// What was said after a match, locked against others until `change` ends.
async fn lock_parting(change: &Change, id: MatchId, at: Timestamp) -> Result<Parting> {
    let nothing = Parting {
        match_id: id,
        a_said: None,
        b_said: None,
        rematch: None,
        at,
    };
    insert_new(change, nothing.into_active_model(), [Column::MatchId]).await?;
    lock_row::<Entity>(change, id, "match").await
}

async fn update_parting(change: &Change, parting: Parting, at: Timestamp) -> Result<()> {
    let row = ActiveModel {
        match_id: Set(parting.match_id),
        a_said: Set(parting.a_said),
        b_said: Set(parting.b_said),
        rematch: Set(parting.rematch),
        at: Set(at),
    };
    Entity::update(row).exec(change).await?;
    Ok(())
}
