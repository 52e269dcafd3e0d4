//! A version was built and checked. Of one that failed its people are told, in the page and by mail;
//! of one that may play who follows the bot, once, however often it is checked; of both webhooks.

use std::collections::HashSet;

use crate::events::event::*;
use crate::messages::follows::followers_of;
use crate::messages::webhook_events::owners_of_bots;
use crate::tables::follows::FollowKind;
use crate::{Version, VersionState};

#[derive(Serialize, Deserialize)]
pub(crate) struct VersionChecked {
    pub version: VersionId,
    bot: BotId,
    /// The version's number.
    number: i32,
    failed: bool,
}

impl VersionChecked {
    /// A version in the state after its check.
    pub fn of(version: &Version) -> VersionChecked {
        VersionChecked {
            version: version.id,
            bot: version.bot,
            number: version.number,
            failed: version.state == VersionState::Failed,
        }
    }
}

#[async_trait]
impl Event for VersionChecked {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let known = BotPeople::of_bots(to.change, [self.bot]).await?;
        let own = known.people(self.bot);
        let (kind, key, people) = match self.failed {
            true => {
                let key = format!("failed {} {}", self.version, to.at.0);
                (NotificationKind::VersionFailed, key, own.to_vec())
            }
            false => {
                let followers = followers_of(to.change, FollowKind::Bot, &[self.bot.0]).await?;
                let others = followers.into_values().flatten();
                let others = others.filter(|user| !own.contains(user)).collect();
                let key = format!("version {}", self.version);
                (NotificationKind::BotVersion, key, others)
            }
        };
        let news = News {
            bot: Some(self.bot),
            version: Some(self.number),
            ..News::new(kind, key)
        };
        Ok(people
            .into_iter()
            .map(|user| (user, news.clone()))
            .collect())
    }

    async fn notices(&self, to: Telling<'_>) -> Told<Notice> {
        if !self.failed {
            return Ok(Vec::new());
        }
        let known = BotPeople::of_bots(to.change, [self.bot]).await?;
        let own = known.bot(self.bot).into_iter();
        let notices = own.map(|bot| Notice {
            kind: MailKind::Upload,
            people: known.people(bot.id).to_vec(),
            subject: json!({"bot": bot.id, "name": bot.name, "version": self.number}),
        });
        Ok(notices.collect())
    }

    async fn webhooks(&self, to: Telling<'_>) -> Told<WebhookEvent> {
        let owners = owners_of_bots(to.change, HashSet::from([self.bot])).await?;
        Ok(vec![WebhookEvent {
            kind: EventKind::VersionChecked,
            // A check of the same version later is another event.
            key: format!("version {} {}", self.version, to.at.0),
            subject: json!({"version": self.version}),
            contest: None,
            owners: owners.into_values().collect(),
        }])
    }
}
