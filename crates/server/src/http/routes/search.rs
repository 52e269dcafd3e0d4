//! Routes: the search for bots, people and matches.

use leitai_store::MatchId;

use crate::http::prelude::*;
use crate::http::routes::match_access::hidden_of;
use crate::http::summaries::{BotSummary, MatchSummary, with_live_state};

/// The most bots, and the most people, that a search finds.
const FOUND: u64 = 10;
/// The longest text that is searched for, in characters; names are shorter.
const LONGEST: usize = 40;

/// The routes of the search.
pub fn search_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(search))
}

/// What to search for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SearchQuery {
    /// The first letters of a name, in any case, or the number of a match.
    #[param(min_length = 1, example = "gre")]
    q: String,
}

/// A person in a list.
#[derive(Debug, Serialize, ToSchema)]
struct PersonSummary {
    name: String,
}

/// What a search found.
#[derive(Debug, Serialize, ToSchema)]
struct SearchResult {
    /// Bots whose names begin so, by name; at most 10.
    bots: Vec<BotSummary>,
    /// People whose names begin so, by name; at most 10.
    people: Vec<PersonSummary>,
    /// The match of this number.
    #[serde(rename = "match")]
    found_match: Option<MatchSummary>,
}

/// Searches for bots and people by the first letters of their names, and for a match by its number.
#[utoipa::path(get, operation_id = "search_arena",
    path = "/api/search", tag = "matches", params(SearchQuery), responses((status = 200, body = SearchResult)))]
async fn search(
    app: App,
    Query(query): Query<SearchQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    let text: String = query.q.trim().chars().take(LONGEST).collect();
    if text.is_empty() {
        let message = "q is empty; give the first letters of a name, or the number of a match";
        return Err(ApiError {
            field: Some("q"),
            ..ApiError::new(StatusCode::BAD_REQUEST, "empty-search", message)
        });
    }
    let make = async {
        let bots = app.store.search_bots(&text, FOUND).await?;
        let people = app.store.search_users(&text, FOUND).await?;
        Ok(SearchResult {
            bots: bots.into_iter().map(BotSummary::from).collect(),
            people: people
                .into_iter()
                .map(|user| PersonSummary { name: user.name })
                .collect(),
            found_match: find_match(&app, &text).await?,
        })
    };
    let key = format!("search {}", text.to_lowercase());
    app.responses.get(key, &headers, make).await
}

/// The match of a number, with or without `#` before it.
async fn find_match(app: &App, text: &str) -> Result<Option<MatchSummary>> {
    let Ok(id) = text.trim_start_matches('#').parse::<i64>() else {
        return Ok(None);
    };
    match app.store.match_by_id(MatchId(id)).await {
        Ok(found) => {
            // What is found is kept for everyone: a contest hides the same as from a guest.
            let hidden = hidden_of(app, &found, &Caller(None)).await?;
            let brief = with_live_state(MatchSummary::from(&found), &app.arena.live);
            Ok((!hidden.match_itself).then_some(brief))
        }
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
