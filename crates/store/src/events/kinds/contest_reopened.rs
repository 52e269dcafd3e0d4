//! A contest goes on after its end: what was told of its result is taken back.

use crate::events::event::*;
use crate::messages::notifications;

#[derive(Serialize, Deserialize)]
pub(crate) struct ContestReopened {
    pub contest: ContestId,
}

#[async_trait]
impl Event for ContestReopened {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        notifications::take_back_end(to.change, self.contest).await?;
        Ok(Vec::new())
    }
}
