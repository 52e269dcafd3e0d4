//! Who may add games, and whom a game belongs to. Both hang on the key of an account, never on its
//! name.
//!
//! A game belongs to who brought it first; administrators may change every game, and hand it over. The
//! row of a game stays when its owner's account is deleted, so that nobody else takes its id over.
//!
//! Lock order: the right of the holder, the game, its files.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use crate::database::audit_log;
use crate::database::prelude::*;
use crate::game_files::game_quota::GameQuota;
use crate::tables::game_files::{self, GameFileState};
use crate::tables::game_rights::{owners, rights};
use crate::tables::users;
use crate::{AuditedAction, User, UserId};

/// Who changes games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameActor {
    /// An administrator: every game, without quota.
    Admin(UserId),
    /// An account with the right to add games: those that belong to it.
    Holder(UserId, GameQuota),
}

impl GameActor {
    /// The account.
    pub fn user(self) -> UserId {
        match self {
            GameActor::Admin(user) | GameActor::Holder(user, _) => user,
        }
    }

    fn holder(self) -> Option<UserId> {
        match self {
            GameActor::Admin(_) => None,
            GameActor::Holder(user, _) => Some(user),
        }
    }
}

/// A game that an account may not touch is one that there is not.
fn no_such_game(game: &str) -> StoreError {
    StoreError::row_missing("game", game)
}

impl Store {
    /// Whether this account has the right to add games.
    pub async fn may_add_games(&self, user: UserId) -> Result<bool> {
        let right = rights::Entity::find_by_id(user).one(&self.readers).await?;
        Ok(right.is_some())
    }

    /// Which of these accounts have the right to add games.
    pub async fn who_may_add_games(&self, of: &[UserId]) -> Result<HashSet<UserId>> {
        let these = rights::Entity::find().filter(rights::Column::User.is_in(of.to_vec()));
        let rows = these.all(&self.readers).await?;
        Ok(rows.into_iter().map(|row| row.user).collect())
    }

    /// Gives an account the right to add games, or takes it away, which holds at once. The same again
    /// is no line of the audit log.
    pub async fn set_game_right(
        &self,
        user: UserId,
        may: bool,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<User> {
        let change = self.begin_write().await?;
        let account = lock_row::<users::Entity>(&change, user, "user").await?;
        let has = rights::Entity::find_by_id(user).one(&change).await?;
        if has.is_some() == may {
            return Ok(account);
        }
        if may {
            let row = rights::ActiveModel {
                user: Set(user),
                given: Set(at),
            };
            insert_row(&change, row).await?;
        } else {
            rights::Entity::delete_by_id(user).exec(&change).await?;
        }
        let action = if may {
            "user.allow-games"
        } else {
            "user.forbid-games"
        };
        let subject = format!("user {user} ({})", account.name);
        write_audit(&change, by, action, subject, crate::Json::Null, at).await?;
        change.commit().await?;
        Ok(account)
    }

    /// The owners of games, by the games' ids: the key, and the name of now.
    pub async fn game_owners(&self) -> Result<HashMap<String, (UserId, String)>> {
        let rows = owners::Entity::find().filter(owners::Column::User.is_not_null());
        let rows = rows.all(&self.readers).await?;
        let of = rows.iter().filter_map(|row| row.user);
        let names = users::Entity::find().filter(users::Column::Id.is_in(of));
        let names = names.all(&self.readers).await?;
        let names: HashMap<UserId, String> =
            names.into_iter().map(|user| (user.id, user.name)).collect();
        let named = |row: owners::Model| {
            let user = row.user?;
            Some((row.game, (user, names.get(&user)?.clone())))
        };
        Ok(rows.into_iter().filter_map(named).collect())
    }

    /// Refuses whoever may not change a game.
    ///
    /// # Errors
    /// [`StoreError::Missing`].
    pub async fn need_own_game(&self, game: &str, by: GameActor) -> Result<()> {
        let change = self.begin_write().await?;
        need(&change, game, by).await?;
        Ok(())
    }

    /// Hands a game over to an account that may add games, or to the administrators. A game that was
    /// taken down may be brought again by its new owner.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is no such game, [`StoreError::Refused`] if the account may
    /// not add games.
    pub async fn hand_game_over(
        &self,
        game: &str,
        to: Option<UserId>,
        by: UserId,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        if let Some(to) = to
            && !lock_right(&change, to).await?
        {
            return Err(StoreError::Refused(format!(
                "account {to} may not add games; give it the right first"
            )));
        }
        if !has_files(&change, game).await? {
            return Err(no_such_game(game));
        }
        let row = find_or_insert(&change, game, None).await?;
        let before = row.user;
        let mut row = row.into_active_model();
        row.user = Set(to);
        row.taken_down = Set(None);
        row.update(&change).await?;
        let detail = json!({"before": before, "after": to});
        let subject = format!("game {game}");
        write_audit(&change, Some(by), "game.hand-over", subject, detail, at).await?;
        Ok(change.commit().await?)
    }
}

/// Whether this account may add games; what it adds waits for the end of `change`.
pub(super) async fn lock_right(change: &Change, user: UserId) -> Result<bool> {
    let right = rights::Entity::find_by_id(user).lock_exclusive();
    Ok(right.one(change).await?.is_some())
}

/// Whether a version of the game was not refused.
async fn has_files(change: &Change, game: &str) -> Result<bool> {
    let files = game_files::Entity::find()
        .filter(game_files::Column::Game.eq(game))
        .filter(game_files::Column::State.ne(GameFileState::Refused));
    Ok(files.one(change).await?.is_some())
}

/// The row of a game, locked; a new one belongs to `user`.
async fn find_or_insert(
    change: &Change,
    game: &str,
    user: Option<UserId>,
) -> Result<owners::Model> {
    let new = owners::ActiveModel {
        game: Set(game.to_owned()),
        user: Set(user),
        taken_down: Set(None),
    };
    insert_new(change, new, [owners::Column::Game]).await?;
    let row = find(change, game).await?;
    row.ok_or_else(|| no_such_game(game))
}

/// The row of a game, locked.
pub(super) async fn find(change: &Change, game: &str) -> Result<Option<owners::Model>> {
    let row = owners::Entity::find_by_id(game.to_owned()).lock_exclusive();
    Ok(row.one(change).await?)
}

/// Lets an account bring a version of a game: who brings an id first has it.
pub(super) async fn claim(change: &Change, game: &str, by: GameActor) -> Result<()> {
    let Some(user) = by.holder() else {
        // What an administrator brings again is no longer taken down.
        let mut row = find_or_insert(change, game, None)
            .await?
            .into_active_model();
        row.taken_down = Set(None);
        row.update(change).await?;
        return Ok(());
    };
    if !lock_right(change, user).await? {
        return Err(StoreError::Refused(
            "this account may not add games any more; ask an administrator".to_owned(),
        ));
    }
    let first = match has_files(change, game).await? {
        true => None,
        false => Some(user),
    };
    let row = find_or_insert(change, game, first).await?;
    if row.user != Some(user) {
        return Err(StoreError::Refused(format!(
            "the id {game} is taken; choose another in game.toml, or ask an administrator to hand the game over"
        )));
    }
    match row.taken_down {
        None => Ok(()),
        Some(_) => Err(StoreError::Refused(format!(
            "an administrator took {game} down; ask one before you bring it again"
        ))),
    }
}

/// The row of a game that an account changes.
///
/// # Errors
/// [`StoreError::Missing`] if it is not the account's: who may not change it learns nothing of it.
pub(super) async fn need(
    change: &Change,
    game: &str,
    by: GameActor,
) -> Result<Option<owners::Model>> {
    if let Some(user) = by.holder()
        && !lock_right(change, user).await?
    {
        return Err(no_such_game(game));
    }
    let row = find(change, game).await?;
    match by.holder() {
        Some(user) if row.as_ref().and_then(|row| row.user) != Some(user) => {
            Err(no_such_game(game))
        }
        _ => Ok(row),
    }
}

/// Notes that an administrator took a game from its owner; returns whom to tell.
pub(super) async fn take_down(
    change: &Change,
    row: Option<owners::Model>,
    by: GameActor,
    at: Timestamp,
) -> Result<Option<UserId>> {
    let owner = row.as_ref().and_then(|row| row.user);
    let (Some(row), Some(owner), GameActor::Admin(_)) = (row, owner, by) else {
        return Ok(None);
    };
    let mut row = row.into_active_model();
    row.taken_down = Set(Some(at));
    row.update(change).await?;
    Ok(Some(owner))
}

/// Whether what this account brought may still be published.
pub(super) async fn may_publish(
    change: &Change,
    row: Option<&owners::Model>,
    user: Option<UserId>,
) -> Result<bool> {
    let Some(user) = user else { return Ok(false) };
    let account = users::Entity::find_by_id(user).one(change).await?;
    let Some(account) = account.filter(|account| !account.disabled) else {
        return Ok(false);
    };
    if account.admin {
        return Ok(true);
    }
    let right = rights::Entity::find_by_id(user).one(change).await?;
    let is_own = row.is_some_and(|row| row.user == Some(user) && row.taken_down.is_none());
    Ok(right.is_some() && is_own)
}

/// Frees the id of a game of which nothing is left but refused versions.
pub(super) async fn release(change: &Change, game: &str) -> Result<()> {
    if !has_files(change, game).await? {
        owners::Entity::delete_by_id(game.to_owned())
            .exec(change)
            .await?;
    }
    Ok(())
}

/// Games of a deleted account are the administrators' from now on.
pub(crate) async fn forget_person(change: &Change, user: UserId) -> Result<()> {
    rights::Entity::delete_by_id(user).exec(change).await?;
    let nobody = Option::<i64>::None;
    owners::Entity::update_many()
        .col_expr(owners::Column::User, Expr::value(nobody))
        .filter(owners::Column::User.eq(user))
        .exec(change)
        .await?;
    game_files::Entity::update_many()
        .col_expr(game_files::Column::BroughtBy, Expr::value(nobody))
        .filter(game_files::Column::BroughtBy.eq(user))
        .exec(change)
        .await?;
    Ok(())
}

/// An entry of the audit log about games.
pub(super) async fn write_audit(
    change: &Change,
    user: Option<UserId>,
    action: &str,
    subject: String,
    detail: crate::Json,
    at: Timestamp,
) -> Result<()> {
    let action = AuditedAction::new(user, action, subject, detail);
    audit_log::write(change, action, at).await
}
