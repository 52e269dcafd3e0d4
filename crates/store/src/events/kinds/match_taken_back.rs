//! An organiser took back a match of a contest that had a result: webhooks are told.

use crate::events::event::*;
use crate::messages::webhook_events::of_match;

#[derive(Serialize, Deserialize)]
pub(crate) struct MatchTakenBack {
    pub id: MatchId,
}

#[async_trait]
impl Event for MatchTakenBack {
    async fn webhooks(&self, to: Telling<'_>) -> Told<WebhookEvent> {
        let key = format!("taken back {}", self.id);
        let subject = json!({"match": self.id, "taken_back": to.at});
        of_match(
            to.change,
            self.id,
            (EventKind::MatchCorrected, key, subject),
        )
        .await
    }
}
