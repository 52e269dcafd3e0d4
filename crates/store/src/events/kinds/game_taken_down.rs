//! An administrator took down a game: its owner is told.

use crate::events::event::*;

#[derive(Serialize, Deserialize)]
pub(crate) struct GameTakenDown {
    /// The game's id.
    pub game: String,
    pub owner: UserId,
}

#[async_trait]
impl Event for GameTakenDown {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let key = format!("game-taken-down {} {}", self.game, to.at.0);
        let news = News {
            game: Some(self.game.clone()),
            ..News::new(NotificationKind::GameTakenDown, key)
        };
        Ok(vec![(self.owner, news)])
    }
}
