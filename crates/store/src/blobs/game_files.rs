//! Games that administrators brought: each row is a version of a game, a file in the blob store under
//! its hash. A version never changes, and stays for the replays of its matches when a newer one is
//! published or the game is retired.

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;
use sea_orm::{IntoActiveModel, QueryOrder, QuerySelect};
use serde_json::json;

use crate::database::audit_log;
use crate::database::availability::DatabaseTransaction;
use crate::tables::game_files::{ActiveModel, Column, Entity, GameFileRow, GameFileState, Model};
use crate::{AuditedAction, BlobKey, Json, Store, StoreError, Timestamp, UserId};

/// The most files of an arena that were not refused.
pub const MOST_FILES: u64 = 500;
/// How long a server checks a file at most; another one takes it over then.
const CHECK_FOR_MS: i64 = 10 * 60 * 1000;

/// A file to be added.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "as in `Model`")]
pub struct NewGameFile {
    pub game: String,
    pub rules: String,
    pub hash: String,
    pub bytes: usize,
    /// `None`: as long as an earlier version of the game that is hidden.
    pub hidden_until: Option<Timestamp>,
}

impl Model {
    /// Where its bytes lie.
    pub fn blob(&self) -> BlobKey {
        BlobKey::of_game_file(&self.hash)
    }
}

impl Store {
    /// Every file, the oldest first.
    pub async fn game_files(&self) -> Result<Vec<GameFileRow>, StoreError> {
        let all = Entity::find().order_by_asc(Column::Id);
        Ok(all.all(&self.readers).await?)
    }

    /// The state of every file, and whether it is hidden now, the oldest first: a small answer for who
    /// asks often.
    pub async fn game_file_states(
        &self,
        at: Timestamp,
    ) -> Result<Vec<(i64, GameFileState, bool)>, StoreError> {
        let all =
            Entity::find()
                .select_only()
                .columns([Column::Id, Column::State, Column::HiddenUntil]);
        let all = all.order_by_asc(Column::Id).into_tuple();
        let rows: Vec<(i64, GameFileState, Option<Timestamp>)> = all.all(&self.readers).await?;
        let is_hidden = |until: Option<Timestamp>| until.is_some_and(|until| at < until);
        let rows = rows.into_iter();
        Ok(rows
            .map(|(id, state, until)| (id, state, is_hidden(until)))
            .collect())
    }

    /// Hides the versions of a game that nobody could see so far until another date, or shows them from
    /// now on. A version that was public stays so.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is no such version.
    pub async fn hide_game(
        &self,
        game: &str,
        until: Option<Timestamp>,
        by: UserId,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        let of_game = Entity::find().filter(Column::Game.eq(game));
        let rows = of_game.lock_exclusive().all(&change).await?;
        let mut unseen = rows.into_iter().filter(|row| !row.is_public(at)).peekable();
        if unseen.peek().is_none() {
            return Err(StoreError::row_missing("hidden game", game));
        }
        for row in unseen {
            let mut row = row.into_active_model();
            row.hidden_until = Set(until);
            row.update(&change).await?;
        }
        let action = AuditedAction {
            user: Some(by),
            action: "game.hide".to_owned(),
            subject: format!("game {game}"),
            detail: json!({"until": until}),
        };
        audit_log::write(&change, action, at).await?;
        Ok(change.commit().await?)
    }

    /// Adds a file, which is checked then. A file that was refused is checked once more.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if it is there already, its rules are those of another file, or there
    /// are too many.
    pub async fn add_game_file(
        &self,
        new: NewGameFile,
        by: UserId,
        at: Timestamp,
    ) -> Result<GameFileRow, StoreError> {
        let change = self.begin_write().await?;
        let mut known = Entity::find().lock_exclusive().all(&change).await?;
        known.retain(|row| row.state != GameFileState::Refused || row.hash == new.hash);
        let earlier = known
            .iter()
            .filter(|row| row.game == new.game && row.is_hidden(at));
        let hidden_until = new
            .hidden_until
            .or(earlier.filter_map(|row| row.hidden_until).max());
        let row = match known.iter().find(|row| row.hash == new.hash) {
            Some(same) if same.state == GameFileState::Refused => {
                let mut again = same.clone().into_active_model();
                again.state = Set(GameFileState::Checking);
                again.said = Set(json!({}));
                again.checked_until = Set(None);
                again.hidden_until = Set(hidden_until);
                again.update(&change).await?
            }
            Some(same) => {
                let (game, state) = (&same.game, same.state.word());
                return Err(StoreError::Refused(format!(
                    "this file of {game} is here already ({state})"
                )));
            }
            None => {
                check_new(&known, &new)?;
                let new = NewGameFile {
                    hidden_until,
                    ..new.clone()
                };
                insert(&change, &new, by, at).await?
            }
        };
        let action = AuditedAction {
            user: Some(by),
            action: "game.add".to_owned(),
            subject: format!("game {}", new.game),
            detail: json!({"rules": new.rules, "hash": new.hash, "hidden_until": hidden_until}),
        };
        audit_log::write(&change, action, at).await?;
        change.commit().await?;
        Ok(row)
    }

    /// Takes a file that waits for its check, the oldest first; a server that was killed loses it after
    /// a while.
    pub async fn claim_game_check(&self, at: Timestamp) -> Result<Option<GameFileRow>, StoreError> {
        let waits = Entity::find().filter(Column::State.eq(GameFileState::Checking));
        if waits.one(&self.readers).await?.is_none() {
            return Ok(None);
        }
        let change = self.begin_write().await?;
        let waits = Entity::find().filter(Column::State.eq(GameFileState::Checking));
        let waits = waits.order_by_asc(Column::Id).lock_exclusive();
        let waits = waits.all(&change).await?;
        let is_free = |row: &GameFileRow| row.checked_until.is_none_or(|until| until.0 <= at.0);
        let Some(row) = waits.into_iter().find(is_free) else {
            return Ok(None);
        };
        let mut taken = row.into_active_model();
        taken.checked_until = Set(Some(Timestamp(at.0 + CHECK_FOR_MS)));
        let taken = taken.update(&change).await?;
        change.commit().await?;
        Ok(Some(taken))
    }

    /// Notes how a check ended: the file is published, or refused.
    pub async fn end_game_check(
        &self,
        id: i64,
        passed: bool,
        said: Json,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        let row = Entity::find_by_id(id).lock_exclusive().one(&change).await?;
        let Some(row) = row.filter(|row| row.state == GameFileState::Checking) else {
            return Ok(());
        };
        let (state, action) = match passed {
            true => (GameFileState::Published, "game.publish"),
            false => (GameFileState::Refused, "game.refuse"),
        };
        let action = AuditedAction {
            user: None,
            action: action.to_owned(),
            subject: format!("game {}", row.game),
            detail: json!({"rules": row.rules, "hash": row.hash}),
        };
        let mut ended = row.into_active_model();
        ended.state = Set(state);
        ended.said = Set(said);
        ended.checked_until = Set(None);
        ended.published = Set(passed.then_some(at));
        ended.update(&change).await?;
        audit_log::write(&change, action, at).await?;
        Ok(change.commit().await?)
    }

    /// Takes a game away, with a reason for whoever looks for it: no new matches of it. What was played
    /// is still shown.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if no version of it is published.
    pub async fn retire_game(
        &self,
        game: &str,
        why: Option<&str>,
        by: UserId,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        let published = Entity::find()
            .filter(Column::Game.eq(game))
            .filter(Column::State.eq(GameFileState::Published))
            .lock_exclusive();
        let published = published.all(&change).await?;
        if published.is_empty() {
            return Err(StoreError::row_missing("game", game));
        }
        for row in published {
            let mut said = row.said.clone();
            if let (Some(why), Some(said)) = (why, said.as_object_mut()) {
                said.insert("why".to_owned(), json!(why));
            }
            let mut retired = row.into_active_model();
            retired.said = Set(said);
            retired.state = Set(GameFileState::Retired);
            retired.retired = Set(Some(at));
            retired.update(&change).await?;
        }
        let action = AuditedAction {
            user: Some(by),
            action: "game.retire".to_owned(),
            subject: format!("game {game}"),
            detail: why.map_or(Json::Null, |why| json!({"why": why})),
        };
        audit_log::write(&change, action, at).await?;
        Ok(change.commit().await?)
    }
}

/// The rules of the newest version of a game that everybody may know, if it comes from a game file.
pub(crate) async fn newest_rules(
    change: &DatabaseTransaction,
    game: &str,
    at: Timestamp,
) -> Result<Option<String>, StoreError> {
    let published = Entity::find()
        .filter(Column::Game.eq(game))
        .filter(Column::State.eq(GameFileState::Published))
        .order_by_asc(Column::Id);
    let rows = published.all(change).await?;
    let newest = rows.into_iter().rfind(|row| !row.is_hidden(at));
    Ok(newest.map(|row| row.rules))
}

fn check_new(known: &[GameFileRow], new: &NewGameFile) -> Result<(), StoreError> {
    if known.len() as u64 >= MOST_FILES {
        return Err(StoreError::Refused(format!(
            "this arena has {MOST_FILES} game files, which is the most"
        )));
    }
    match known.iter().any(|row| row.rules == new.rules) {
        true => Err(StoreError::Refused(format!(
            "the rules {} are those of another file; count rules up in game.toml",
            new.rules
        ))),
        false => Ok(()),
    }
}

async fn insert(
    change: &DatabaseTransaction,
    new: &NewGameFile,
    by: UserId,
    at: Timestamp,
) -> Result<GameFileRow, StoreError> {
    let row = ActiveModel {
        id: NotSet,
        game: Set(new.game.clone()),
        rules: Set(new.rules.clone()),
        hash: Set(new.hash.clone()),
        bytes: Set(i64::try_from(new.bytes).unwrap_or(i64::MAX)),
        state: Set(GameFileState::Checking),
        said: Set(json!({})),
        brought_by: Set(Some(by)),
        created: Set(at),
        checked_until: Set(None),
        published: Set(None),
        retired: Set(None),
        hidden_until: Set(new.hidden_until),
    };
    Ok(row.insert(change).await?)
}
