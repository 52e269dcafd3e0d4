//! The audit log: the changes that administrators and the arena itself make.

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;

use crate::database::availability::Change;
use crate::tables::audit_log::{ActiveModel, Audit, Column, Entity};
use crate::{Json, Page, PageQuery, Result, Store, Timestamp, UserId};

/// An action to be logged.
#[derive(Clone, Debug)]
pub struct AuditedAction {
    /// The account that acted; `None` for the arena itself.
    pub user: Option<UserId>,
    /// The action, for example `bot.disable`.
    pub action: String,
    /// The object of the action, for example `bot 12`.
    pub subject: String,
    /// Details of the action.
    pub detail: Json,
}

impl AuditedAction {
    /// An action of this account, `None` for the arena itself, on this object, for example `bot 12`.
    pub fn new(
        user: Option<UserId>,
        action: impl Into<String>,
        subject: String,
        detail: Json,
    ) -> AuditedAction {
        AuditedAction {
            user,
            action: action.into(),
            subject,
            detail,
        }
    }
}

impl Store {
    /// Adds an entry to the audit log.
    pub async fn write_audit(&self, action: AuditedAction, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        write(&change, action, at).await?;
        Ok(change.commit().await?)
    }

    /// The entries, newest first.
    pub async fn list_audit(&self, ask: &PageQuery) -> Result<Page<Audit>> {
        let rows = Entity::find();
        self.page_of(rows, Column::Id, ask, |row| row.id.0).await
    }
}

/// Removes the name after a subject, as in `bot 12 (viper)`, from every entry about it.
pub(crate) async fn forget_name(change: &Change, subject: &str) -> Result<()> {
    let bare = ActiveModel {
        subject: Set(subject.to_owned()),
        ..Default::default()
    };
    let named = Column::Subject.starts_with(format!("{subject} ("));
    Entity::update_many()
        .set(bare)
        .filter(named)
        .exec(change)
        .await?;
    Ok(())
}

/// Adds an entry in the transaction of the action that it records.
pub(crate) async fn write(change: &Change, action: AuditedAction, at: Timestamp) -> Result<()> {
    let line = ActiveModel {
        id: NotSet,
        at: Set(at),
        user: Set(action.user),
        action: Set(action.action),
        subject: Set(action.subject),
        detail: Set(action.detail),
    };
    line.insert(change).await?;
    Ok(())
}
