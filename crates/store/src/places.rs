//! Places on a ladder, with their uncertainty, kept ready.

use crate::{BotId, Store, StoreError};

impl Store {
    /// Best and worst place of a bot on its ladder; nothing if it is not listed.
    pub async fn rank_of(&self, bot: BotId) -> Result<Option<[u32; 2]>, StoreError> {
        let _ = bot;
        todo!()
    }
}
