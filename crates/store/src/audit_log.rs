//! Who did what: what administrators and the arena itself change.

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;
use sea_orm::{DatabaseTransaction, QueryOrder, QuerySelect};

use crate::{AuditId, Json, Page, PageQuery, Store, StoreError, Timestamp, UserId};

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: AuditId,
    /// When.
    pub at: Timestamp,
    /// Who; nothing for the arena itself.
    pub user: Option<UserId>,
    /// What, for example `bot.disable`.
    pub deed: String,
    /// To whom or what, for example `bot 12`.
    pub subject: String,
    /// More about it.
    pub detail: Json,
}

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Audit;

/// What was done.
#[derive(Clone, Debug)]
pub struct AuditedAction {
    /// Who; nothing for the arena itself.
    pub user: Option<UserId>,
    /// What, for example `bot.disable`.
    pub deed: String,
    /// To whom or what.
    pub subject: String,
    /// More about it.
    pub detail: Json,
}

impl Store {
    /// Writes a line.
    pub async fn write_audit(&self, deed: AuditedAction, at: Timestamp) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        write(&change, deed, at).await?;
        Ok(change.commit().await?)
    }

    /// The lines, newest first.
    pub async fn list_audit(&self, ask: &PageQuery) -> Result<Page<Audit>, StoreError> {
        let mut lines = Entity::find()
            .order_by_desc(Column::Id)
            .limit(ask.row_limit() + 1);
        if let Some(before) = ask.cursor_id()? {
            lines = lines.filter(Column::Id.lt(before));
        }
        Ok(Page::of(ask, lines.all(&self.readers).await?, |line| {
            line.id.to_string()
        }))
    }
}

/// Takes the name after a subject, as in `bot 12 (viper)`, out of every line about it.
pub(crate) async fn forget_name(
    change: &DatabaseTransaction,
    subject: &str,
) -> Result<(), StoreError> {
    let bare = ActiveModel {
        subject: Set(subject.to_owned()),
        ..<ActiveModel as ActiveModelTrait>::default()
    };
    let named = Column::Subject.starts_with(format!("{subject} ("));
    Entity::update_many()
        .set(bare)
        .filter(named)
        .exec(change)
        .await?;
    Ok(())
}

/// Writes a line together with what it tells.
pub(crate) async fn write(
    change: &DatabaseTransaction,
    deed: AuditedAction,
    at: Timestamp,
) -> Result<(), StoreError> {
    let line = ActiveModel {
        id: NotSet,
        at: Set(at),
        user: Set(deed.user),
        deed: Set(deed.deed),
        subject: Set(deed.subject),
        detail: Set(deed.detail),
    };
    line.insert(change).await?;
    Ok(())
}
