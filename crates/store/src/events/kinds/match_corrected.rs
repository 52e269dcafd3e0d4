//! The result of a match was corrected or withdrawn: webhooks are told.

use crate::events::event::*;
use crate::messages::webhook_events::of_match;

#[derive(Serialize, Deserialize)]
pub(crate) struct MatchCorrected {
    pub id: MatchId,
}

#[async_trait]
impl Event for MatchCorrected {
    async fn webhooks(&self, to: Telling<'_>) -> Told<WebhookEvent> {
        let key = format!("corrected {} {}", self.id, to.at.0);
        let subject = json!({"match": self.id});
        of_match(
            to.change,
            self.id,
            (EventKind::MatchCorrected, key, subject),
        )
        .await
    }
}
