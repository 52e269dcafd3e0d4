//! Routes: what the author of a game saves while he plays it (`leitai game play`).

use std::time::Duration;

use crate::config::GameSave;
use crate::http::prelude::*;

/// The longest wait for the next save.
const WAIT: Duration = Duration::from_secs(20);

/// The route of an author's saves.
pub fn save_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(await_save))
}

/// Which save is known.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SaveQuery {
    /// Its number; 0: none.
    #[serde(default)]
    after: u64,
}

/// Waits up to 20 s for a later save of the game that its author plays here while he writes it, and
/// answers with the newest.
#[utoipa::path(get, operation_id = "await_save",
    path = "/api/saves", tag = "games", params(SaveQuery),
    responses((status = 200, body = GameSave), (status = 404, body = ErrorBody)))]
async fn await_save(app: App, Query(query): Query<SaveQuery>) -> Answer<GameSave> {
    let Some(mut saves) = app.options.saves.clone() else {
        return Err(ApiError::not_found(
            "nobody writes a game here; `leitai game play FOLDER` does that",
        ));
    };
    // Without a later one, the last one is the answer.
    let _ = tokio::time::timeout(WAIT, saves.wait_for(|save| save.number > query.after)).await;
    let save = saves.borrow().clone();
    Ok(Json(save))
}
