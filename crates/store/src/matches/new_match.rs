//! A match to be created, and whether all who play in it are still there.

use std::collections::BTreeSet;

use sea_orm::sea_query::LockType;

use crate::bots::living;
use crate::database::prelude::*;
use crate::tables::matches::{MatchEntrant, MatchKind, MatchSeed};
use crate::{
    BotId, Json, LadderId, MatchOpener, MatchTags, PerSide, TokenHash, UserId, VersionId, tables,
};

/// A match to be created.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// The game's id.
    pub game: String,
    /// The kind.
    pub kind: MatchKind,
    /// The ladder for which a match of the kind [`MatchKind::Ladder`] counts.
    pub ladder: Option<LadderId>,
    /// Entrant A; `None` if the invited person takes this side.
    pub a: Option<MatchEntrant>,
    /// Entrant B; `None` if the invited person takes this side.
    pub b: Option<MatchEntrant>,
    /// The hashes of the seat tokens with which people join.
    pub seats: PerSide<Option<TokenHash>>,
    /// The code of the invite. With an invite the match waits and has no job yet.
    pub invite: Option<String>,
    /// The seed.
    pub seed: MatchSeed,
    /// The game's config.
    pub config: Json,
    /// The limits of time and resources.
    pub limits: Json,
    /// The most legs that are played.
    pub legs: i32,
    /// Matches with a larger priority go first, whoever's turn it is; 0 for all but those with people.
    pub priority: i32,
    /// The tags.
    pub tags: MatchTags,
    /// Who opens a match with people, if such matches of one person are limited.
    pub opener: Option<MatchOpener>,
}

impl NewMatch {
    /// A match with the game's usual choices and clocks, without tokens or an invite; a ladder match counts for the standard ladder. Other values are set in the fields, by `..NewMatch::new(…)`.
    pub fn new(
        game: &str,
        kind: MatchKind,
        entrants: PerSide<Option<MatchEntrant>>,
        seed: MatchSeed,
        legs: usize,
    ) -> NewMatch {
        NewMatch {
            game: game.to_owned(),
            kind,
            ladder: (kind == MatchKind::Ladder).then(|| LadderId::standard(game)),
            a: entrants.a,
            b: entrants.b,
            seats: PerSide::default(),
            invite: None,
            seed,
            config: Json::Object(Default::default()),
            limits: Json::Null,
            legs: i32::try_from(legs).expect("a match has few legs"),
            priority: 0,
            tags: MatchTags::default(),
            opener: None,
        }
    }
}

/// The rows that new matches refer to.
#[derive(Debug, Default)]
struct Needed {
    bots: BTreeSet<BotId>,
    versions: BTreeSet<VersionId>,
    people: BTreeSet<UserId>,
}

impl Needed {
    fn count_needed(new: &[NewMatch]) -> Needed {
        let mut needed = Needed::default();
        for entrant in new.iter().flat_map(|new| [&new.a, &new.b]).flatten() {
            needed.bots.extend(entrant.bot);
            needed.versions.extend(entrant.version);
            needed.people.extend(account_of(entrant));
        }
        needed
    }
}

/// The account of a person who plays; `None` for bots and guests.
fn account_of(entrant: &MatchEntrant) -> Option<UserId> {
    entrant.user.filter(|_| entrant.bot.is_none())
}

/// Refuses matches whose bots, versions or accounts were deleted meanwhile, and locks the others
/// against deletion until `change` ends.
pub(crate) async fn check_entrants(change: &Change, new: &[NewMatch]) -> Result<()> {
    let needed = Needed::count_needed(new);
    // Lock order: accounts before bots, as when an account is deleted.
    check_accounts(change, needed.people).await?;
    let found = tables::bots::Entity::find().filter(tables::bots::Column::Id.is_in(needed.bots));
    for bot in found
        .order_by_asc(tables::bots::Column::Id)
        .lock_shared()
        .all(change)
        .await?
    {
        let id = bot.id;
        living::require_living(Some(bot), id)?;
    }
    let gone = tables::versions::Entity::find()
        .filter(tables::versions::Column::Id.is_in(needed.versions));
    if let Some(gone) = gone
        .filter(tables::versions::Column::Deleted.is_not_null())
        .one(change)
        .await?
    {
        let (which, at) = (gone.id.to_string(), gone.deleted.unwrap_or_default());
        return Err(StoreError::Deleted {
            what: "version",
            which,
            at,
        });
    }
    Ok(())
}

/// Refuses a person whose account was deleted meanwhile, and locks the account against deletion
/// until `change` ends.
pub(crate) async fn check_person(change: &Change, person: &MatchEntrant) -> Result<()> {
    check_accounts(change, account_of(person).into_iter().collect()).await
}

async fn check_accounts(change: &Change, ids: BTreeSet<UserId>) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let known =
        tables::users::Entity::find().filter(tables::users::Column::Id.is_in(ids.iter().copied()));
    let known = known
        .order_by_asc(tables::users::Column::Id)
        .lock(LockType::KeyShare)
        .all(change)
        .await?;
    match ids
        .iter()
        .find(|id| known.iter().all(|user| user.id != **id))
    {
        Some(id) => Err(StoreError::row_missing("user", id)),
        None => Ok(()),
    }
}
