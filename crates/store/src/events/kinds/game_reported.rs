//! Somebody reported a game: the administrators are told.

use sea_orm::entity::prelude::*;

use crate::events::event::*;
use crate::tables::users;

#[derive(Serialize, Deserialize)]
pub(crate) struct GameReported {
    /// The game's id.
    pub game: String,
    pub report: i64,
}

#[async_trait]
impl Event for GameReported {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let admins = users::Entity::find()
            .filter(users::Column::Admin.eq(true))
            .filter(users::Column::Disabled.eq(false));
        let key = format!("game-reported {}", self.report);
        let news = News {
            game: Some(self.game.clone()),
            ..News::new(NotificationKind::GameReported, key)
        };
        let told = admins.all(to.change).await?.into_iter();
        Ok(told.map(|admin| (admin.id, news.clone())).collect())
    }
}
