//! Who may see an experiment.

use leitai_store::{Experiment, ExperimentId, StoreError};

use crate::http::app::App;
use crate::http::caller::SignedInUser;
use crate::http::error::Result;

/// The experiment, if the caller may see it: it is of a bot of the caller, or of a team of the caller's.
pub async fn need_seen(app: &App, user: &SignedInUser, id: i64) -> Result<Experiment> {
    let missing = || StoreError::row_missing("experiment", id);
    let own = app.store.find_experiment(ExperimentId(id)).await?;
    if user.admin {
        return Ok(own);
    }
    match app.store.find_bot(own.bot).await {
        Ok(bot) if app.store.owns_bot(&bot, user.id).await? => Ok(own),
        Ok(_) | Err(StoreError::Deleted { .. } | StoreError::Missing { .. }) => {
            Err(missing().into())
        }
        Err(error) => Err(error.into()),
    }
}
