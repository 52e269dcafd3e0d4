//! A bot rests since a match: its people are told.

use crate::events::event::*;

#[derive(Serialize, Deserialize)]
pub(crate) struct BotRested {
    pub bot: BotId,
    pub since: MatchId,
}

#[async_trait]
impl Event for BotRested {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let known = BotPeople::of_bots(to.change, [self.bot]).await?;
        let key = format!("rests {} {}", self.bot, self.since);
        let one = News {
            bot: Some(self.bot),
            ..News::new(NotificationKind::BotRests, key)
        };
        let people = known.people(self.bot).iter();
        Ok(people.map(|user| (*user, one.clone())).collect())
    }
}
