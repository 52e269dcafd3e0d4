//! Passwords that are set by a link in a mail.

use serde_json::json;

use crate::accounts::users::{PasswordEnds, replace_password};
use crate::database::audit_log;
use crate::database::prelude::*;
use crate::messages::mail::take_link;
use crate::tables::mail::{MailKind, links};
use crate::{AuditedAction, TokenHash, tables};

impl Store {
    /// The account whose password a link sets; `None` if the link is unknown, used or too old.
    pub async fn user_of_reset(
        &self,
        hash: &TokenHash,
        at: Timestamp,
    ) -> Result<Option<tables::users::User>> {
        let link = links::Entity::find_by_id(hash.as_str())
            .one(&self.readers)
            .await?;
        let link = link.filter(|link| link.kind == MailKind::Reset && at < link.until);
        match link {
            Some(link) => Ok(Some(self.find_user(link.user).await?)),
            None => Ok(None),
        }
    }

    /// Sets a password by the secret of a link, which works once; all sessions and all links of the
    /// account end. False if the link is unknown, used or too old.
    pub async fn reset_password(
        &self,
        hash: &TokenHash,
        password: &str,
        at: Timestamp,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let Some(link) = take_link(&change, hash, MailKind::Reset, at).await? else {
            return Ok(false);
        };
        replace_password(
            &change,
            link.user,
            password,
            false,
            PasswordEnds::Everything,
        )
        .await?;
        delete_rows::<links::Entity>(&change, links::Column::User.eq(link.user)).await?;
        let subject = format!("user {}", link.user);
        let action = AuditedAction::new(Some(link.user), "user.reset-password", subject, json!({}));
        audit_log::write(&change, action, at).await?;
        change.commit().await?;
        Ok(true)
    }
}
