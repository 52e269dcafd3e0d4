//! The file of a contest was replaced: webhooks wait no longer for what it may show now.

use crate::events::event::*;
use crate::messages::webhook_events::wake_held;

#[derive(Serialize, Deserialize)]
pub(crate) struct ContestUpdated {
    pub contest: ContestId,
}

#[async_trait]
impl Event for ContestUpdated {
    async fn webhooks(&self, to: Telling<'_>) -> Told<WebhookEvent> {
        wake_held(to.change, self.contest, to.at).await?;
        Ok(Vec::new())
    }
}
