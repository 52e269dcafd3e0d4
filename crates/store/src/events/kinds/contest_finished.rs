//! A contest is over and has a result: who plays in it is told, who follows it, and, if everybody sees
//! the standings now, who follows one of its bots or their people; and webhooks.

use crate::Contest;
use crate::events::event::*;
use crate::messages::contest_news::{ContestKinds, tell_contest};
use crate::messages::webhook_events::{of_contest, wake_held};

#[derive(Serialize, Deserialize)]
pub(crate) struct ContestFinished {
    pub contest: ContestId,
    /// Its bots with their places, best first.
    pub placed: Vec<(BotId, Option<i32>)>,
}

#[async_trait]
impl Event for ContestFinished {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let hides_bots = |contest: &Contest, at| {
            let over = Contest {
                ended: Some(at),
                ..contest.clone()
            };
            over.hides_matches(at)
        };
        let kinds = ContestKinds {
            own: NotificationKind::ContestEnded,
            followed_bot: Some(NotificationKind::FollowedPlaced),
            followed: NotificationKind::FollowedEnded,
            hides_bots,
        };
        let placed = self.placed.clone();
        tell_contest(to.change, self.contest, kinds, placed, to.at).await
    }

    async fn webhooks(&self, to: Telling<'_>) -> Told<WebhookEvent> {
        wake_held(to.change, self.contest, to.at).await?;
        of_contest(to.change, self.contest, EventKind::ContestEnded, to.at).await
    }
}
