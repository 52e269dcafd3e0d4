//! Pinned moments: mistakes of a bot that its candidates must not make again.

use crate::database::prelude::*;
use crate::tables::experiments;
use crate::tables::pins::{ActiveModel, Column, Entity, Pin};
use crate::{BotId, Json, MatchId, PinId};

/// The most pinned moments of a bot.
pub const MOST_PINS: usize = 20;

/// A moment to be pinned.
#[derive(Clone, Debug)]
pub struct NewPin {
    /// The bot that made the mistake.
    pub bot: BotId,
    /// The match.
    pub match_id: MatchId,
    /// The leg, from 1, and the round.
    pub moment: (i32, i32),
    /// Who of the match the bot was: 0 for A, 1 for B.
    pub entrant: i32,
    /// The mistake: its replies in that round, in notation.
    pub played: Json,
    /// Why it is one.
    pub why: String,
}

impl Store {
    /// Pins a moment; one that is pinned already stays as it is.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the bot has [`MOST_PINS`].
    pub async fn add_pin(&self, new: NewPin, at: Timestamp) -> Result<Pin> {
        let change = self.begin_write().await?;
        let known = pins_within(&change, new.bot).await?;
        let same = |pin: &&Pin| {
            pin.match_id == new.match_id
                && (pin.leg, pin.round) == new.moment
                && pin.entrant == new.entrant
        };
        if let Some(pin) = known.iter().find(same) {
            return Ok(pin.clone());
        }
        if known.len() >= MOST_PINS {
            return Err(StoreError::Refused(format!(
                "a bot has at most {MOST_PINS} pinned moments; remove one first"
            )));
        }
        let row = ActiveModel {
            id: NotSet,
            bot: Set(new.bot),
            match_id: Set(new.match_id),
            leg: Set(new.moment.0),
            round: Set(new.moment.1),
            entrant: Set(new.entrant),
            played: Set(new.played),
            why: Set(new.why),
            created: Set(at),
        };
        let made = row.insert(&change).await?;
        change.commit().await?;
        Ok(made)
    }

    /// The pinned moments of a bot, oldest first.
    pub async fn pins_of(&self, bot: BotId) -> Result<Vec<Pin>> {
        pins_within(&self.readers, bot).await
    }

    /// Removes a pinned moment of a bot; false if it has no such one.
    pub async fn remove_pin(&self, bot: BotId, id: PinId) -> Result<bool> {
        let change = self.begin_write().await?;
        let own = Condition::all().add(Column::Id.eq(id));
        let removed = delete_rows::<Entity>(&change, own.add(Column::Bot.eq(bot))).await?;
        change.commit().await?;
        Ok(removed > 0)
    }
}

/// Forgets what the author of a bot wrote: what was pinned, also where its experiments keep it, and
/// what its versions were tested with.
pub(crate) async fn forget_bot(change: &Change, bot: BotId) -> Result<()> {
    delete_rows::<Entity>(change, Column::Bot.eq(bot)).await?;
    let kept = experiments::Entity::update_many()
        .col_expr(experiments::Column::Pins, Expr::value(Option::<Json>::None))
        .col_expr(
            experiments::Column::Settings,
            Expr::value(Option::<Json>::None),
        )
        .filter(experiments::Column::Bot.eq(bot));
    kept.exec(change).await?;
    Ok(())
}

/// The pinned moments of a bot, oldest first.
pub(crate) async fn pins_within(place: &impl ConnectionTrait, bot: BotId) -> Result<Vec<Pin>> {
    let pins = Entity::find()
        .filter(Column::Bot.eq(bot))
        .order_by_asc(Column::Id);
    Ok(pins.all(place).await?)
}
