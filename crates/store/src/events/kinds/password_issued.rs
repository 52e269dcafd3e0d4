//! A group gave an account that it had made a new one-time password: its holder is told.

use crate::events::event::*;

#[derive(Serialize, Deserialize)]
pub(crate) struct PasswordIssued {
    pub group: GroupId,
    pub user: UserId,
}

#[async_trait]
impl Event for PasswordIssued {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let key = format!("password {} {}", self.group, to.at.0);
        let news = News {
            group: Some(self.group),
            ..News::new(NotificationKind::PasswordIssued, key)
        };
        Ok(vec![(self.user, news)])
    }
}
