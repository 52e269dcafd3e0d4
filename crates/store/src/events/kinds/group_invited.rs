//! A group asks somebody to join: that person is told, once for each group, however often the list is
//! imported.

use crate::events::event::*;

#[derive(Serialize, Deserialize)]
pub(crate) struct GroupInvited {
    pub group: GroupId,
    pub user: UserId,
}

#[async_trait]
impl Event for GroupInvited {
    async fn news(&self, _: Telling<'_>) -> Told<(UserId, News)> {
        let key = format!("invited {}", self.group);
        let news = News {
            group: Some(self.group),
            ..News::new(NotificationKind::GroupInvited, key)
        };
        Ok(vec![(self.user, news)])
    }
}
