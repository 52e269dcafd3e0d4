//! A match has a result: webhooks of its bots' people and of its contest are told. Pages that show a
//! match live have it from the judge.

use crate::events::event::*;
use crate::messages::webhook_events::of_match;

#[derive(Serialize, Deserialize)]
pub(crate) struct MatchFinished {
    pub id: MatchId,
}

#[async_trait]
impl Event for MatchFinished {
    async fn webhooks(&self, to: Telling<'_>) -> Told<WebhookEvent> {
        let key = format!("match {}", self.id);
        let subject = json!({"match": self.id});
        of_match(to.change, self.id, (EventKind::MatchFinished, key, subject)).await
    }
}
