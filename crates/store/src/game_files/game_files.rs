//! Games that people brought: each row is a version of a game, a file in the blob store under its
//! hash. A version never changes, and stays for the replays of its matches when a newer one is
//! published or the game is retired.

use serde_json::json;

use crate::blobs::discards;
use crate::bots::counted_actions;
use crate::database::prelude::*;
use crate::events::kinds::{self as events, GameTakenDown};
use crate::game_files::game_owners::{self, GameActor, write_audit};
use crate::game_files::{game_jobs, game_quota, game_reports};
use crate::tables::game_files::{ActiveModel, Column, Entity, GameFileRow, GameFileState, Model};
use crate::tables::game_rights::{owners, previews};
use crate::{BlobKey, Json, UserId};

/// The most files of an arena that were not refused.
pub const MOST_FILES: u64 = 500;
/// How many of them only administrators may fill.
const FOR_ADMINS: u64 = 100;
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

/// How a check ended.
#[derive(Clone, Debug)]
pub struct GameCheckEnd {
    /// Whether the file is published.
    pub passed: bool,
    /// What the check said.
    pub said: Json,
    /// The replay of the match before publication.
    pub preview: Option<String>,
    /// What is said instead if whoever brought the file may not publish it any more.
    pub forbidden: Json,
}

impl Model {
    /// Where its bytes lie.
    pub fn blob(&self) -> BlobKey {
        BlobKey::of_game_file(&self.hash)
    }
}

impl Store {
    /// Every file, the oldest first.
    pub async fn game_files(&self) -> Result<Vec<GameFileRow>> {
        let all = Entity::find().order_by_asc(Column::Id);
        Ok(all.all(&self.readers).await?)
    }

    /// The file with this id, if there is one.
    pub async fn find_game_file(&self, id: i64) -> Result<Option<GameFileRow>> {
        Ok(Entity::find_by_id(id).one(&self.readers).await?)
    }

    /// The state of every file, and whether it is hidden now, the oldest first: a small answer for who
    /// asks often.
    pub async fn game_file_states(&self, at: Timestamp) -> Result<Vec<(i64, GameFileState, bool)>> {
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

    /// Whether a game that everybody may know was brought as a file.
    pub async fn is_brought(&self, game: &str, at: Timestamp) -> Result<bool> {
        let published = Entity::find()
            .filter(Column::Game.eq(game))
            .filter(Column::State.eq(GameFileState::Published));
        let rows = published.all(&self.readers).await?;
        Ok(rows.iter().any(|row| row.is_public(at)))
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
        by: GameActor,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        game_owners::need(&change, game, by).await?;
        let of_game = Entity::find()
            .filter(Column::Game.eq(game))
            .order_by_asc(Column::Id);
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
        let (by, subject) = (Some(by.user()), format!("game {game}"));
        let detail = json!({"until": until});
        write_audit(&change, by, "game.hide", subject, detail, at).await?;
        Ok(change.commit().await?)
    }

    /// Adds a file, which is checked then. A file that was refused is checked once more.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if it is there already, its rules are those of another file, its game
    /// is another's, or there are too many; [`StoreError::Quota`].
    pub async fn add_game_file(
        &self,
        new: NewGameFile,
        by: GameActor,
        at: Timestamp,
    ) -> Result<GameFileRow> {
        let change = self.begin_write().await?;
        let row = add(&change, &new, by, at).await?;
        change.commit().await?;
        Ok(row)
    }

    /// Whether a file could be added now; what refuses it is found before its bytes are kept.
    ///
    /// # Errors
    /// As [`Store::add_game_file`].
    pub async fn try_game_file(
        &self,
        new: &NewGameFile,
        by: GameActor,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        add(&change, new, by, at).await?;
        Ok(()) // Without a commit nothing stays.
    }

    /// The files that an account may see: an administrator all; others those of their games, and
    /// what they brought and was refused. The oldest first.
    pub async fn game_files_for(&self, by: GameActor) -> Result<Vec<GameFileRow>> {
        let mut rows = self.game_files().await?;
        if let GameActor::Holder(user, _) = by {
            let owners = self.game_owners().await?;
            rows.retain(|row| match row.state {
                GameFileState::Refused => row.brought_by == Some(user),
                _ => owners.get(&row.game).is_some_and(|(own, _)| *own == user),
            });
        }
        Ok(rows)
    }

    /// A file that an account may see, with the replay of the match before its publication.
    pub async fn game_preview(&self, id: i64, by: GameActor) -> Result<(GameFileRow, String)> {
        let missing = || StoreError::row_missing("preview of a game file", id);
        let mut rows = self.game_files_for(by).await?.into_iter();
        let row = rows.find(|row| row.id == id).ok_or_else(missing)?;
        let preview = previews::Entity::find_by_id(id).one(&self.readers).await?;
        Ok((row, preview.ok_or_else(missing)?.replay))
    }

    /// Removes a file that was refused.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if the account brought no such file.
    pub async fn remove_refused_file(&self, id: i64, by: GameActor, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        let refused = Entity::find_by_id(id)
            .filter(Column::State.eq(GameFileState::Refused))
            .lock_exclusive();
        let row = refused.one(&change).await?;
        let is_own = |row: &GameFileRow| match by {
            GameActor::Admin(_) => true,
            GameActor::Holder(user, _) => row.brought_by == Some(user),
        };
        let row = row.filter(is_own);
        let row = row.ok_or_else(|| StoreError::row_missing("refused game file", id))?;
        let (subject, detail) = (format!("game {}", row.game), json!({"hash": row.hash}));
        let user = Some(by.user());
        write_audit(&change, user, "game.remove-refused", subject, detail, at).await?;
        forget(&change, &[row], at).await?;
        Ok(change.commit().await?)
    }

    /// Takes a file that waits for its check, the oldest first; a server that was killed loses it after
    /// a while.
    pub async fn claim_game_check(&self, at: Timestamp) -> Result<Option<GameFileRow>> {
        let waits = Entity::find().filter(Column::State.eq(GameFileState::Checking));
        if waits.one(&self.readers).await?.is_none() {
            return Ok(None);
        }
        let change = self.begin_write().await?;
        let waits = Entity::find().filter(Column::State.eq(GameFileState::Checking));
        let waits = waits.order_by_asc(Column::Id).lock_exclusive();
        let mut waits = waits.all(&change).await?;
        // Who waits longest; a file that is checked once more waits anew.
        waits.sort_by_key(|row| (row.queued.unwrap_or(row.created), row.id));
        let is_free = |row: &GameFileRow| row.checked_until.is_none_or(|until| until.0 <= at.0);
        let Some(row) = waits.into_iter().find(is_free) else {
            return Ok(None);
        };
        let attempts = row.check_attempts + 1;
        let mut taken = row.into_active_model();
        taken.check_attempts = Set(attempts);
        taken.checked_until = Set(Some(Timestamp(at.0 + CHECK_FOR_MS)));
        let taken = taken.update(&change).await?;
        change.commit().await?;
        Ok(Some(taken))
    }

    /// Notes how a check of this server ended: the file is published, or refused; a job for it goes.
    pub async fn end_game_check(&self, id: i64, end: GameCheckEnd, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        game_jobs::forget(&change, id).await?;
        end_check(&change, id, end, at).await?;
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
        by: GameActor,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let owner = game_owners::need(&change, game, by).await?;
        let published = Entity::find()
            .filter(Column::Game.eq(game))
            .filter(Column::State.eq(GameFileState::Published))
            .order_by_asc(Column::Id)
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
        let (user, subject) = (Some(by.user()), format!("game {game}"));
        let detail = why.map_or(Json::Null, |why| json!({"why": why}));
        write_audit(&change, user, "game.retire", subject, detail, at).await?;
        if matches!(by, GameActor::Admin(_)) {
            take_down(&change, game, owner, by, at).await?;
        }
        Ok(change.commit().await?)
    }
}

/// Notes how a check ended: the file is published, or refused.
pub(crate) async fn end_check(
    change: &Change,
    id: i64,
    end: GameCheckEnd,
    at: Timestamp,
) -> Result<()> {
    let Some(row) = Entity::find_by_id(id).one(change).await? else {
        return Ok(());
    };
    let owner = game_owners::find(change, &row.game).await?;
    let row = Entity::find_by_id(id).lock_exclusive().one(change).await?;
    let Some(row) = row.filter(|row| row.state == GameFileState::Checking) else {
        return Ok(());
    };
    let may = game_owners::may_publish(change, owner.as_ref(), row.brought_by).await?;
    let (passed, said) = match may {
        true => (end.passed, end.said),
        false => (false, end.forbidden),
    };
    let (state, action) = match passed {
        true => (GameFileState::Published, "game.publish"),
        false => (GameFileState::Refused, "game.refuse"),
    };
    let (game, subject) = (row.game.clone(), format!("game {}", row.game));
    let detail = json!({"rules": row.rules, "hash": row.hash});
    let mut ended = row.into_active_model();
    ended.state = Set(state);
    ended.said = Set(said);
    ended.checked_until = Set(None);
    ended.published = Set(passed.then_some(at));
    ended.update(change).await?;
    match end.preview.filter(|_| passed) {
        Some(replay) => keep_preview(change, id, replay).await?,
        None => game_owners::release(change, &game).await?,
    }
    write_audit(change, None, action, subject, detail, at).await
}

/// An administrator took the game from its owner, who is told, and closed its reports.
async fn take_down(
    change: &Change,
    game: &str,
    owner: Option<owners::Model>,
    by: GameActor,
    at: Timestamp,
) -> Result<()> {
    if game_reports::close_of_game(change, game, at).await? > 0 {
        let (user, subject) = (Some(by.user()), format!("game {game}"));
        let (action, detail) = ("game.close-reports", Json::Null);
        write_audit(change, user, action, subject, detail, at).await?;
    }
    let Some(owner) = game_owners::take_down(change, owner, by, at).await? else {
        return Ok(());
    };
    let game = game.to_owned();
    events::write(change, GameTakenDown { game, owner }, at);
    Ok(())
}

/// The rules of the newest version of a game that everybody may know, if it comes from a game file.
pub(crate) async fn newest_rules(
    change: &Change,
    game: &str,
    at: Timestamp,
) -> Result<Option<String>> {
    let published = Entity::find()
        .filter(Column::Game.eq(game))
        .filter(Column::State.eq(GameFileState::Published))
        .order_by_asc(Column::Id);
    let rows = published.all(change).await?;
    let newest = rows.into_iter().rfind(|row| !row.is_hidden(at));
    Ok(newest.map(|row| row.rules))
}

/// Adds a file, or lets a refused one wait for its check again.
async fn add(
    change: &Change,
    new: &NewGameFile,
    by: GameActor,
    at: Timestamp,
) -> Result<GameFileRow> {
    game_owners::claim(change, &new.game, by).await?;
    if let GameActor::Holder(user, quota) = by {
        forget_refused(change, user, new, at).await?;
        game_quota::check(change, user, quota, (&new.hash, new.bytes), at).await?;
        counted_actions::count_game_check(change, user, at).await?;
    }
    let all = Entity::find().order_by_asc(Column::Id).lock_exclusive();
    let mut known = all.all(change).await?;
    known.retain(|row| row.state != GameFileState::Refused || row.hash == new.hash);
    let earlier = known
        .iter()
        .filter(|row| row.game == new.game && row.is_hidden(at));
    let new = NewGameFile {
        hidden_until: new
            .hidden_until
            .or(earlier.filter_map(|row| row.hidden_until).max()),
        ..new.clone()
    };
    let same = known.iter().find(|row| row.hash == new.hash);
    let row = match same {
        Some(same) if same.state == GameFileState::Refused => {
            game_jobs::forget(change, same.id).await?;
            let mut again = same.clone().into_active_model();
            again.state = Set(GameFileState::Checking);
            again.said = Set(json!({}));
            again.brought_by = Set(Some(by.user()));
            again.checked_until = Set(None);
            again.queued = Set(Some(at));
            again.check_attempts = Set(0);
            again.hidden_until = Set(new.hidden_until);
            again.update(change).await?
        }
        Some(same) => {
            let (game, state) = (&same.game, same.state.word());
            return Err(StoreError::Refused(format!(
                "this file of {game} is here already ({state})"
            )));
        }
        None => {
            check_new(&known, &new, by)?;
            // It may have been removed a moment ago.
            let key = BlobKey::of_game_file(&new.hash);
            discards::cancel_discard(change, key.as_str()).await?;
            insert(change, &new, by.user(), at).await?
        }
    };
    let (user, subject) = (Some(by.user()), format!("game {}", new.game));
    let detail = json!({"rules": new.rules, "hash": new.hash, "hidden_until": new.hidden_until});
    write_audit(change, user, "game.add", subject, detail, at).await?;
    Ok(row)
}

/// Removes what an account brought of this game before and was refused: the new file stands for it.
async fn forget_refused(
    change: &Change,
    user: UserId,
    new: &NewGameFile,
    at: Timestamp,
) -> Result<()> {
    let refused = Entity::find()
        .filter(Column::Game.eq(&new.game))
        .filter(Column::BroughtBy.eq(user))
        .filter(Column::State.eq(GameFileState::Refused))
        .filter(Column::Hash.ne(&new.hash))
        .order_by_asc(Column::Id);
    let refused = refused.lock_exclusive().all(change).await?;
    forget(change, &refused, at).await
}

/// Removes rows, and what lies in the blob store of them.
async fn forget(change: &Change, rows: &[GameFileRow], at: Timestamp) -> Result<()> {
    for row in rows {
        game_jobs::forget(change, row.id).await?;
        Entity::delete_by_id(row.id).exec(change).await?;
    }
    let keys = rows.iter().map(|row| row.blob().as_str().to_owned());
    discards::insert_discards(change, keys.collect::<Vec<_>>(), at).await
}

async fn keep_preview(change: &Change, file: i64, replay: String) -> Result<()> {
    let row = previews::ActiveModel {
        file: Set(file),
        replay: Set(replay),
    };
    insert_row(change, row).await
}

fn check_new(known: &[GameFileRow], new: &NewGameFile, by: GameActor) -> Result<()> {
    let most = match by {
        GameActor::Admin(_) => MOST_FILES,
        GameActor::Holder(..) => MOST_FILES - FOR_ADMINS,
    };
    if known.len() as u64 >= most {
        return Err(StoreError::Refused(format!(
            "this arena has {} game files, and {most} is the most; ask its administrator",
            known.len()
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
    change: &Change,
    new: &NewGameFile,
    by: UserId,
    at: Timestamp,
) -> Result<GameFileRow> {
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
        queued: Set(Some(at)),
        check_attempts: Set(0),
        checked_until: Set(None),
        published: Set(None),
        retired: Set(None),
        hidden_until: Set(new.hidden_until),
    };
    Ok(row.insert(change).await?)
}
