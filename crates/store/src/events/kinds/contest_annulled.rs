//! A contest was annulled: who plays in it is told, and who follows it; and webhooks.

use crate::events::event::*;
use crate::messages::contest_news::{ContestKinds, tell_contest};
use crate::messages::webhook_events::{of_contest, wake_held};

#[derive(Serialize, Deserialize)]
pub(crate) struct ContestAnnulled {
    pub contest: ContestId,
    /// The bots that have not left.
    pub playing: Vec<BotId>,
}

#[async_trait]
impl Event for ContestAnnulled {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let kinds = ContestKinds {
            own: NotificationKind::ContestAnnulled,
            followed_bot: None,
            followed: NotificationKind::ContestAnnulled,
            hides_bots: |_, _| true,
        };
        let bots = self.playing.iter().map(|bot| (*bot, None)).collect();
        tell_contest(to.change, self.contest, kinds, bots, to.at).await
    }

    async fn webhooks(&self, to: Telling<'_>) -> Told<WebhookEvent> {
        wake_held(to.change, self.contest, to.at).await?;
        of_contest(to.change, self.contest, EventKind::ContestEnded, to.at).await
    }
}
