//! Routes: the tags of a match.

use leitai_store::{Match, MatchId, MatchKind, MatchTags, Store, TagProblem};

use crate::contests::routes::access::caller_organises;
use crate::http::prelude::*;
use crate::http::routes::match_access::{hidden_of, refuse_hidden};
use crate::http::summaries::MatchSummary;

/// Routes of the tags of matches.
pub fn match_tag_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(set_tags))
}

/// All tags of a match.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TagList {
    /// Small letters, digits, `-`, `_`, `.` and Chinese characters, at most 24. Capital letters,
    /// spaces and `#` are cleaned.
    #[schema(max_items = 8, example = json!(["final", "late-game"]))]
    tags: Vec<String>,
}

/// As whom somebody gives tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tagger {
    /// Who asked for the friendly match.
    Asker,
    /// An organiser of the match's contest, or an administrator.
    Organiser,
}

/// Replaces the tags of a match. For who asked for the friendly match, the organisers of its contest,
/// and administrators.
#[utoipa::path(put, operation_id = "set_match_tags",
    path = "/api/matches/{id}/tags", tag = "matches", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = TagList, responses((status = 200, body = TagList)))]
async fn set_tags(
    app: App,
    user: SignedInUser,
    Path(id): Path<MatchId>,
    Json(asked): Json<TagList>,
) -> Answer<TagList> {
    let (by, caller) = (user.id, Caller(Some(user)));
    let own = app.store.match_by_id(id).await?;
    let hidden = hidden_of(&app, &own, &caller).await?;
    if hidden.match_itself {
        return Err(refuse_hidden(id, hidden));
    }
    let Some(tagger) = find_tagger(&app, &caller, &own).await? else {
        let message = "only who asked for a friendly match, the organisers of its contest and \
                       administrators give it tags; ask one of them";
        return Err(ApiError::forbidden("not-yours", message));
    };
    let tags = read_tags(&asked.tags)?;
    let audited = (tagger == Tagger::Organiser).then_some(by);
    let now = Timestamp::now();
    app.store.set_match_tags(id, &tags, audited, now).await?;
    let tags = tags.words().to_vec();
    Ok(Json(TagList { tags }))
}

/// Whether the caller may give a match tags.
pub async fn may_tag(app: &App, caller: &Caller, own: &Match) -> Result<bool, StoreError> {
    Ok(find_tagger(app, caller, own).await?.is_some())
}

async fn find_tagger(
    app: &App,
    caller: &Caller,
    own: &Match,
) -> Result<Option<Tagger>, StoreError> {
    let Some(user) = &caller.0 else {
        return Ok(None);
    };
    let asked = own.kind == MatchKind::Friendly;
    if asked && app.store.asked_for_match(own.id, user.id).await? {
        return Ok(Some(Tagger::Asker));
    }
    let organises = user.admin || organises_match(app, caller, own).await?;
    Ok(organises.then_some(Tagger::Organiser))
}

async fn organises_match(app: &App, caller: &Caller, own: &Match) -> Result<bool, StoreError> {
    if own.kind != MatchKind::Contest {
        return Ok(false);
    }
    match app.store.contests_of_matches(&[own.id]).await?.first() {
        Some((_, contest)) => caller_organises(app, caller.user(), contest).await,
        None => Ok(false),
    }
}

/// The tags of a request.
pub fn read_tags(written: &[String]) -> Result<MatchTags> {
    MatchTags::parse(written.iter().map(String::as_str)).map_err(|why| refuse_tag("tags", &why))
}

/// The error for a tag that is not one.
pub fn refuse_tag(field: &'static str, why: &TagProblem) -> ApiError {
    ApiError::invalid_field("bad-tag", field, why.to_string())
}

/// Adds the tags of matches to their summaries.
pub async fn add_tags<'a>(
    store: &Store,
    matches: impl IntoIterator<Item = &'a mut MatchSummary>,
) -> Result<(), StoreError> {
    let matches: Vec<_> = matches.into_iter().collect();
    let ids: Vec<MatchId> = matches.iter().map(|own| MatchId(own.id)).collect();
    let mut tags = store.tags_of_matches(&ids).await?;
    for own in matches {
        own.tags = tags.remove(&MatchId(own.id)).unwrap_or_default();
    }
    Ok(())
}
