//! Bots stand higher on a ladder than ever: their people are told, and who follows them or their
//! people.

use std::collections::HashSet;

use crate::events::event::*;
use crate::messages::follows::followers_of;
use crate::tables::follows::FollowKind;

#[derive(Serialize, Deserialize)]
pub(crate) struct BestRanksReached {
    pub ladder: LadderId,
    /// With their places.
    pub ranked: Vec<(BotId, i32)>,
}

#[async_trait]
impl Event for BestRanksReached {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let ladder = &self.ladder;
        let bots = self.ranked.iter().map(|(bot, _)| *bot);
        let known = BotPeople::of_bots(to.change, bots.clone()).await?;
        let keys: Vec<i64> = bots.clone().map(|bot| bot.0).collect();
        let of_bots = followers_of(to.change, FollowKind::Bot, &keys).await?;
        let people: HashSet<i64> = bots
            .flat_map(|bot| known.people(bot))
            .map(|user| user.0)
            .collect();
        let people: Vec<i64> = people.into_iter().collect();
        let of_people = followers_of(to.change, FollowKind::Player, &people).await?;
        let mut news = Vec::new();
        for (bot, rank) in &self.ranked {
            let key = match ladder.is_standard() {
                true => format!("best rank {bot} {rank}"),
                false => format!("best rank {bot} {rank} {ladder}"),
            };
            let one = News {
                bot: Some(*bot),
                place: Some(*rank),
                ladder: Some(ladder.clone()),
                ..News::new(NotificationKind::BestRank, key)
            };
            let own = known.people(*bot);
            let of_own = own.iter().filter_map(|user| of_people.get(&user.0));
            let followers = of_bots.get(&bot.0).into_iter().chain(of_own).flatten();
            let told: HashSet<UserId> = own.iter().chain(followers).copied().collect();
            news.extend(told.into_iter().map(|user| (user, one.clone())));
        }
        Ok(news)
    }
}
