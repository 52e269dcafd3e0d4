//! Reports of games by people who are signed in. One is open of a person and a game; administrators
//! close it, or take the game down.

use std::collections::HashMap;

use serde_json::json;

use crate::UserId;
use crate::database::prelude::*;
use crate::events::kinds::{self as events, GameReported};
use crate::game_files::game_owners::write_audit;
use crate::tables::game_files;
use crate::tables::game_reports::{ActiveModel, Column, Entity, GameReport, ReportReason};
use crate::tables::users;

/// The most open reports that are shown.
const SHOWN: u64 = 200;

/// A report to be made.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "as in `Model`")]
pub struct NewGameReport {
    pub game: String,
    pub reason: ReportReason,
    pub note: String,
}

impl Store {
    /// Reports a game, and tells the administrators.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if everybody may not know of such a game that was brought as a file,
    /// [`StoreError::Refused`] if a report of this person and game is open.
    pub async fn report_game(&self, new: NewGameReport, by: UserId, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        let files = game_files::Entity::find()
            .filter(game_files::Column::Game.eq(&new.game))
            .filter(game_files::Column::State.eq(game_files::GameFileState::Published));
        let files = files.all(&change).await?;
        if !files.iter().any(|row| row.is_public(at)) {
            return Err(StoreError::row_missing("game file", &new.game));
        }
        let row = ActiveModel {
            id: NotSet,
            game: Set(new.game.clone()),
            user: Set(Some(by)),
            open_by: Set(Some(by)),
            reason: Set(new.reason),
            note: Set(new.note),
            created: Set(at),
            closed: Set(None),
        };
        let made = insert_new(&change, row, [Column::Game, Column::OpenBy]).await?;
        if !made {
            return Err(StoreError::Refused(format!(
                "you have reported {} already; an administrator will look at it",
                new.game
            )));
        }
        let mine = Entity::find()
            .filter(Column::Game.eq(&new.game))
            .filter(Column::OpenBy.eq(by));
        let made = mine.one(&change).await?;
        let made = made.ok_or_else(|| StoreError::row_missing("report", &new.game))?;
        let (subject, detail) = (format!("game {}", new.game), describe(&made));
        write_audit(&change, Some(by), "game.report", subject, detail, at).await?;
        let (game, report) = (made.game, made.id);
        events::write(&change, GameReported { game, report }, at);
        Ok(change.commit().await?)
    }

    /// The open reports, newest first, with the names of who made them.
    pub async fn open_game_reports(&self) -> Result<Vec<(GameReport, Option<String>)>> {
        let open = Entity::find()
            .filter(Column::Closed.is_null())
            .order_by_desc(Column::Id)
            .limit(SHOWN);
        let open = open.all(&self.readers).await?;
        let by = open.iter().filter_map(|report| report.user);
        let names = users::Entity::find().filter(users::Column::Id.is_in(by));
        let names = names.all(&self.readers).await?;
        let names: HashMap<UserId, String> =
            names.into_iter().map(|user| (user.id, user.name)).collect();
        let named = |report: GameReport| {
            let name = report.user.and_then(|user| names.get(&user).cloned());
            (report, name)
        };
        Ok(open.into_iter().map(named).collect())
    }

    /// Closes a report.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if no such report is open.
    pub async fn close_game_report(&self, id: i64, by: UserId, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        let open = Entity::find_by_id(id)
            .filter(Column::Closed.is_null())
            .lock_exclusive();
        let report = open.one(&change).await?;
        let report = report.ok_or_else(|| StoreError::row_missing("open report", id))?;
        close(&change, &report, at).await?;
        let (subject, detail) = (format!("game {}", report.game), describe(&report));
        write_audit(&change, Some(by), "game.close-report", subject, detail, at).await?;
        Ok(change.commit().await?)
    }
}

fn describe(report: &GameReport) -> crate::Json {
    json!({"report": report.id, "reason": report.reason})
}

async fn close(change: &Change, report: &GameReport, at: Timestamp) -> Result<()> {
    let closed = ActiveModel {
        open_by: Set(None),
        closed: Set(Some(at)),
        ..Default::default()
    };
    update_rows(change, Column::Id.eq(report.id), closed).await?;
    Ok(())
}

/// Closes what was reported of a game that an administrator took down.
pub(super) async fn close_of_game(change: &Change, game: &str, at: Timestamp) -> Result<usize> {
    let open = Entity::find()
        .filter(Column::Game.eq(game))
        .filter(Column::Closed.is_null())
        .order_by_asc(Column::Id)
        .lock_exclusive();
    let open = open.all(change).await?;
    for report in &open {
        close(change, report, at).await?;
    }
    Ok(open.len())
}

/// Removes what a deleted account wrote; that a game was reported stays.
pub(crate) async fn forget_person(change: &Change, user: UserId) -> Result<()> {
    let forgotten = ActiveModel {
        user: Set(None),
        open_by: Set(None),
        note: Set(String::new()),
        ..Default::default()
    };
    update_rows(change, Column::User.eq(user), forgotten).await?;
    Ok(())
}
