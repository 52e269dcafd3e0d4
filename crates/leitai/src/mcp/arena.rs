//! The arena of `leitai login`, for the tools of agents.

use std::time::Duration;

use leitai_game::{Entrant, Replay};
use leitai_server::mcp::arena_tools::{ArenaApi, ArenaMethod, ArenaRequest};
use leitai_server::mcp::match_report::explain_replay;
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::arguments::find_game;
use crate::lang::{Localizer, format_error};
use crate::remote::ArenaClient;

/// The longest time of an analysis.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// The arena of the login that there is when a tool is called.
pub struct LoggedInArena {
    /// The language of its messages.
    pub lang: Localizer,
}

impl ArenaApi for LoggedInArena {
    async fn ask(&self, request: ArenaRequest) -> Result<Value, String> {
        let lang = self.lang;
        let work = move || send(lang, &request);
        let answered = spawn_blocking(work).await.map_err(|why| why.to_string())?;
        answered.map_err(|error| format_error(lang, &error))
    }

    async fn explain(
        &self,
        replay: Value,
        entrant: Option<Entrant>,
    ) -> Result<Vec<String>, String> {
        let lang = self.lang;
        let work = move || {
            let replay = Replay::parse(&replay.to_string()).map_err(|why| why.to_string())?;
            let game = find_game(&replay.game).map_err(|error| format_error(lang, &error))?;
            explain_replay(&*game, &replay, entrant, PATIENCE)
        };
        spawn_blocking(work).await.map_err(|why| why.to_string())?
    }
}

fn send(lang: Localizer, request: &ArenaRequest) -> anyhow::Result<Value> {
    let api = ArenaClient::for_reading(lang)?;
    match request.method {
        ArenaMethod::Get => api.get_with(&request.path, request.query.iter().cloned()),
        ArenaMethod::Patch => {
            let body = request.body.as_ref().unwrap_or(&Value::Null);
            api.patch_json(&request.path, body)
        }
        ArenaMethod::Post => {
            let body = request.body.as_ref().map(Value::to_string);
            let body = body.unwrap_or_default();
            api.post_bytes(&request.path, "application/json", body.as_bytes())
        }
    }
}
