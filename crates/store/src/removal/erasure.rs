//! Replacement of the names of deleted bots and accounts in old matches and replays.
//!
//! A bot may have played a hundred thousand matches, so the names are replaced in batches; if the
//! server stops, the next one continues. Replays are rewritten by the server crate, which knows
//! their format.

use crate::blobs::discards;
use crate::database::prelude::*;
use crate::matches::{matches, retention};
use crate::tables::erasure::{ActiveModel, Column, Entity, Model, rewrites};
use crate::tables::matches::{DELETED, entrants};
use crate::{
    BlobKey, BotId, Match, MatchEntrant, MatchEntrantKind, MatchId, MatchKind, UserId, tables,
};

/// The bot or account whose name is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameOwner {
    Bot(BotId),
    User(UserId),
}

/// Matches per transaction.
const TOGETHER: u64 = 200;

impl NameOwner {
    fn from_row(row: &Model) -> Option<NameOwner> {
        row.bot
            .map(NameOwner::Bot)
            .or(row.user.map(NameOwner::User))
    }

    /// The entrant with the name replaced; `None` if it is a different entrant.
    fn erase_entrant(self, entrant: &MatchEntrant) -> Option<MatchEntrant> {
        let (is_own, name) = match self {
            NameOwner::Bot(bot) => (entrant.bot == Some(bot), bot_name(bot)),
            NameOwner::User(user) => (
                entrant.kind == MatchEntrantKind::Person && entrant.user == Some(user),
                person_name(),
            ),
        };
        is_own.then(|| MatchEntrant {
            name,
            user: None,
            user_name: None,
            settings: None,
            ..entrant.clone()
        })
    }
}

impl Store {
    /// Replaces deleted names in one batch of matches. False if there was nothing to do.
    pub async fn erase_names(&self) -> Result<bool> {
        let change = self.begin_write().await?;
        let next = Entity::find()
            .order_by_asc(Column::Id)
            .lock_exclusive()
            .one(&change)
            .await?;
        let Some(row) = next else { return Ok(false) };
        let own = next_matches(&change, &row).await?;
        if let Some(of) = NameOwner::from_row(&row) {
            for own in &own {
                erase_name(&change, of, own).await?;
            }
        }
        match own.last() {
            Some(last) => {
                let rest = ActiveModel {
                    before: Set(last.id),
                    ..Default::default()
                };
                update_rows(&change, Column::Id.eq(row.id), rest).await?;
            }
            None => _ = Entity::delete_by_id(row.id).exec(&change).await?,
        }
        change.commit().await?;
        Ok(true)
    }

    /// One batch of matches whose replays still contain a deleted name.
    pub async fn replays_to_rewrite(&self) -> Result<Vec<Match>> {
        let rows = rewrites::Entity::find()
            .order_by_asc(rewrites::Column::MatchId)
            .limit(TOGETHER);
        let ids = rows
            .all(&self.readers)
            .await?
            .into_iter()
            .map(|row| row.match_id);
        Ok(tables::matches::Entity::find()
            .filter(tables::matches::Column::Id.is_in(ids))
            .all(&self.readers)
            .await?)
    }

    /// Records that a replay was rewritten into another blob (`None` if the match has no replay any
    /// more). The blob that is not used is scheduled for removal.
    pub async fn finish_rewrite(
        &self,
        id: MatchId,
        files: Option<(&str, &BlobKey)>,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        if let Some((old, new)) = files {
            let name = new.as_str().to_owned();
            discards::cancel_discard(&change, &name).await?;
            let is_used =
                retention::replace_replay(&change, id, old, Some(name.clone()), at).await?;
            let unused = if is_used { old.to_owned() } else { name };
            discards::insert_discards(&change, [unused], at).await?;
        }
        rewrites::Entity::delete_by_id(id).exec(&change).await?;
        Ok(change.commit().await?)
    }
}

/// Schedules the replacement of a name.
pub(crate) async fn insert_erasure(change: &Change, of: NameOwner) -> Result<()> {
    let (bot, user) = match of {
        NameOwner::Bot(bot) => (Some(bot), None),
        NameOwner::User(user) => (None, Some(user)),
    };
    let row = ActiveModel {
        id: NotSet,
        bot: Set(bot),
        user: Set(user),
        before: Set(MatchId(i64::MAX)),
    };
    insert_row(change, row).await
}

/// The next matches that may contain the name, newest first.
async fn next_matches(change: &Change, row: &Model) -> Result<Vec<Match>> {
    use tables::matches::Column::{Id, Kind};
    let before = tables::matches::Entity::find()
        .filter(Id.lt(row.before))
        .order_by_desc(Id)
        .limit(TOGETHER);
    let own = match NameOwner::from_row(row) {
        Some(NameOwner::Bot(bot)) => before
            .join(JoinType::InnerJoin, entrants::Relation::Match.def().rev())
            .filter(entrants::Column::Bot.eq(bot)),
        _ => before.filter(Kind.eq(MatchKind::Human)),
    };
    Ok(own.all(change).await?)
}

async fn erase_name(change: &Change, of: NameOwner, own: &Match) -> Result<()> {
    let a = own.a.as_ref().and_then(|entrant| of.erase_entrant(entrant));
    let b = own.b.as_ref().and_then(|entrant| of.erase_entrant(entrant));
    if a.is_none() && b.is_none() {
        return Ok(());
    }
    let kept = |new: Option<MatchEntrant>| new.map_or(NotSet, |new| Set(Some(new)));
    let names = tables::matches::ActiveModel {
        a: kept(a),
        b: kept(b),
        ..Default::default()
    };
    matches::update_match(change, own.id, names).await?;
    if own.replay.is_some() {
        let row = rewrites::ActiveModel {
            match_id: Set(own.id),
        };
        insert_new(change, row, [rewrites::Column::MatchId]).await?;
    }
    Ok(())
}

/// The placeholder name of a deleted bot. Users cannot choose it, because it contains a space.
pub(crate) fn bot_name(id: BotId) -> String {
    format!("{DELETED}bot {id}")
}

/// The placeholder name of a person whose account was deleted.
pub(crate) fn person_name() -> String {
    format!("{DELETED}account")
}
