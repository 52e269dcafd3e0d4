//! The versions of a contest are chosen: who plays in it is told, in the page and by mail; who follows
//! it, one of its bots or their people in the page; and webhooks.

use crate::events::event::*;
use crate::messages::contest_news::{ContestKinds, find, tell_contest};
use crate::messages::webhook_events::of_contest;

#[derive(Serialize, Deserialize)]
pub(crate) struct ContestBegun {
    pub contest: ContestId,
    /// The bots that play.
    pub playing: Vec<BotId>,
}

#[async_trait]
impl Event for ContestBegun {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let kinds = ContestKinds {
            own: NotificationKind::ContestBegun,
            followed_bot: Some(NotificationKind::FollowedPlays),
            followed: NotificationKind::FollowedBegun,
            // That somebody plays in a public contest is no secret.
            hides_bots: |contest, _| contest.private,
        };
        let bots = self.playing.iter().map(|bot| (*bot, None)).collect();
        tell_contest(to.change, self.contest, kinds, bots, to.at).await
    }

    async fn notices(&self, to: Telling<'_>) -> Told<Notice> {
        let Some(contest) = find(to.change, self.contest).await? else {
            return Ok(Vec::new());
        };
        let known = BotPeople::of_bots(to.change, self.playing.iter().copied()).await?;
        let of = |bot: &BotId| Notice {
            kind: MailKind::Contest,
            people: known.people(*bot).to_vec(),
            subject: json!({"contest": contest.name}),
        };
        Ok(self.playing.iter().map(of).collect())
    }

    async fn webhooks(&self, to: Telling<'_>) -> Told<WebhookEvent> {
        of_contest(to.change, self.contest, EventKind::ContestBegun, to.at).await
    }
}
