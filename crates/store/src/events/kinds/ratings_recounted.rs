//! Ratings of a ladder changed in a recount: the people of the bots are told, once, with the rating
//! before and after.

use crate::events::event::*;

#[derive(Serialize, Deserialize)]
pub(crate) struct RatingsRecounted {
    pub ladder: LadderId,
    /// Before and after, as shown.
    pub ratings: Vec<(BotId, [f64; 2])>,
}

impl RatingsRecounted {
    /// The least change in Elo of which people are told.
    pub const LEAST: f64 = 1.0;
}

#[async_trait]
impl Event for RatingsRecounted {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let bots = self.ratings.iter().map(|(bot, _)| *bot);
        let known = BotPeople::of_bots(to.change, bots).await?;
        let mut news = Vec::new();
        for (bot, ratings) in &self.ratings {
            let key = format!("recount {bot} {}", self.ladder);
            let one = News {
                bot: Some(*bot),
                ladder: Some(self.ladder.clone()),
                ratings: Some(*ratings),
                ..News::new(NotificationKind::RatingRecounted, key)
            };
            let people = known.people(*bot).iter();
            news.extend(people.map(|user| (*user, one.clone())));
        }
        Ok(news)
    }
}
