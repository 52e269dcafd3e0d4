//! Routes: what other sites show of a match or an invite: a picture with names, and oEmbed.

use leitai_game::render::RenderOptions;
use leitai_game::replay::{Replay, ReplayWalker};
use leitai_game::{AnyGame, AnyLeg, BySeat, Entrant, Lang, Perspective, Seat};
use leitai_series::report::escape::escape_html;
use leitai_store::{Match, MatchId, MatchState};
use serde_json::Value;

use crate::http::board_picture::{self, Caption, draw_board};
use crate::http::layers::prefers_chinese;
use crate::http::link_preview::{describe_shown_match, find_origin, find_picture_of_game};
use crate::http::prelude::*;
use crate::http::routes::matches::read;
use crate::http::summaries::MatchSummary;

/// The routes of shared links.
pub fn share_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(serve_picture))
        .routes(routes!(serve_invite_picture))
        .routes(routes!(serve_oembed))
}

/// The last position of a finished match as a picture of 1200 x 630 pixels: the names with the
/// scores of the legs, the board of the last leg, and at its sides bars as high as the scores'
/// shares. At the left is who had the first seat in that leg. Letters other than Latin ones are drawn
/// by a font of the server's machine; a name that it cannot draw is its seat's letter.
#[utoipa::path(get, operation_id = "get_match_picture",
    path = "/api/matches/{id}/picture", tag = "matches", params(("id" = i64, Path)), responses(
    (status = 200, description = "the picture", body = Vec<u8>, content_type = "image/png"),
    (status = 404, description = "there is no such match, or it is not over", body = ErrorBody),
    (status = 503, body = ErrorBody),
))]
async fn serve_picture(app: App, Path(id): Path<MatchId>) -> Result<Response> {
    let (own, replay) = read(&app, &Caller(None), id).await?;
    let game = app.need_rules(&own.game, &replay.rules)?;
    let caption = caption_of(&own, replay.legs.len(), game.meta().title.en);
    let draw = move || {
        let leg = last_position(&*game, &replay)?;
        Ok::<_, ApiError>(draw_leg(&*leg, leg.scores(), &caption))
    };
    let picture = app.arena.frames.run_when_free(draw).await??;
    Ok(png_response(picture))
}

/// Who invites, and the game of the invite with its newest position that is shown: a picture of
/// 1200 x 630 pixels.
#[utoipa::path(get, operation_id = "get_invite_preview",
    path = "/api/invites/{code}/picture", tag = "play", params(("code" = String, Path)), responses(
    (status = 200, description = "the picture", body = Vec<u8>, content_type = "image/png"),
    (status = 404, description = "nobody waits in such a match", body = ErrorBody),
    (status = 503, body = ErrorBody),
))]
async fn serve_invite_picture(app: App, Path(code): Path<String>) -> Result<Response> {
    let gone = || ApiError::not_found("there is no such invite; ask for a new link");
    let own = app.store.match_by_invite(&code).await?.ok_or_else(gone)?;
    if own.state != MatchState::Waiting {
        return Err(gone());
    }
    let game = app.find_game(&own.game).ok_or_else(gone)?;
    let shown = match find_picture_of_game(&app, &own.game).await? {
        Some(id) => Some(read(&app, &Caller(None), id).await?.1),
        None => None,
    };
    let summary = MatchSummary::from(&own);
    let names = [summary.a.name(), summary.b.name()];
    let inviter = names.into_iter().find(|name| !name.is_empty());
    let caption = Caption {
        names: BySeat::new(inviter.unwrap_or("?").to_owned(), "?".to_owned()),
        middle: "vs".to_owned(),
        below: game.meta().title.en.to_owned(),
    };
    let draw = move || {
        let replay = shown.filter(|replay| replay.rules == game.meta().rules);
        let leg = match replay {
            Some(replay) => last_position(&*game, &replay)?,
            None => first_position(&*game)?,
        };
        Ok::<_, ApiError>(draw_leg(&*leg, BySeat::new(0, 0), &caption))
    };
    let picture = app.arena.frames.run_when_free(draw).await??;
    Ok(png_response(picture))
}

fn png_response(picture: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/png")),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=3600"),
        ),
    ];
    (headers, picture).into_response()
}

/// The most legs whose scores are written one by one.
const MOST_LEGS: usize = 3;

/// The names and scores of a match, in the seats of its last leg.
fn caption_of(own: &Match, legs: usize, game: &str) -> Caption {
    let summary = MatchSummary::from(own);
    let in_seats = |a: String, b: String| match Entrant::A.seat_in_leg(legs.saturating_sub(1)) {
        Seat::First => BySeat::new(a, b),
        Seat::Second => BySeat::new(b, a),
    };
    let scores: Vec<[i64; 2]> = serde_json::from_value(summary.scores.clone()).unwrap_or_default();
    let won = |side: usize| {
        let wins = (scores.iter()).filter(|leg| leg[side] > leg[1 - side]);
        wins.count() as i64
    };
    let shown = match scores.len() > MOST_LEGS {
        true => vec![[won(0), won(1)]],
        false => scores.clone(),
    };
    let texts = shown.into_iter().map(|[a, b]| {
        let pair = in_seats(a.to_string(), b.to_string());
        format!("{}:{}", pair[Seat::First], pair[Seat::Second])
    });
    Caption {
        names: in_seats(summary.a.name().to_owned(), summary.b.name().to_owned()),
        middle: texts.collect::<Vec<_>>().join("  "),
        below: game.to_owned(),
    }
}

fn draw_leg(leg: &dyn AnyLeg, scores: BySeat<i32>, caption: &Caption) -> Vec<u8> {
    let look = RenderOptions {
        perspective: Perspective::All,
        ahead: 0,
    };
    draw_board(&leg.render_position(&look), scores, caption)
}

/// The start of a leg with the game's own choices, for a game of which no match was shown yet.
fn first_position(game: &dyn AnyGame) -> Result<Box<dyn AnyLeg>> {
    let failed = |why| ApiError::internal_error("the game deals no setup", &why);
    let config = game.read_config(&Value::Null).map_err(failed)?;
    Ok(game.deal_setup(&config, 0).map_err(failed)?.start_leg())
}

fn last_position(game: &dyn AnyGame, replay: &Replay) -> Result<Box<dyn AnyLeg>> {
    let damaged =
        |why: &dyn std::fmt::Display| ApiError::internal_error("the replay cannot be played", why);
    let setup = game
        .read_setup(&replay.setup)
        .map_err(|why| damaged(&why))?;
    let last = replay.legs.last();
    let last = last.ok_or_else(|| ApiError::not_found("no leg of this match was played"))?;
    let mut walker = ReplayWalker::new(&*setup, last);
    while walker.next(&mut ()).map_err(|why| damaged(&why))?.is_some() {}
    Ok(walker.current_leg().clone_leg())
}

/// What an oEmbed consumer asks.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct OembedParameters {
    /// The address of a match's page.
    #[param(max_length = 500)]
    url: String,
    /// The most pixels of width; default 800.
    #[param(minimum = 1)]
    maxwidth: Option<u32>,
    /// The most pixels of height; default 600.
    #[param(minimum = 1)]
    maxheight: Option<u32>,
    /// `json`, the only format.
    format: Option<String>,
}

/// An oEmbed answer of type `rich` (oembed.com, 2.3.4.4).
#[derive(Clone, Debug, Serialize, ToSchema)]
struct Oembed {
    version: &'static str,
    r#type: &'static str,
    provider_name: &'static str,
    provider_url: String,
    title: String,
    /// A frame with the match.
    html: String,
    width: u32,
    height: u32,
    /// The picture of a finished match.
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_width: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_height: Option<usize>,
}

/// How other sites embed a match (oembed.com).
#[utoipa::path(get, operation_id = "get_oembed",
    path = "/api/oembed", tag = "matches", params(OembedParameters), responses(
    (status = 200, body = Oembed),
    (status = 404, description = "it is not the address of a match of this arena", body = ErrorBody),
    (status = 501, description = "only `json` is supported", body = ErrorBody),
))]
async fn serve_oembed(
    app: App,
    headers: HeaderMap,
    Query(asked): Query<OembedParameters>,
) -> Answer<Oembed> {
    if let Some(format) = asked.format.as_deref().filter(|format| *format != "json") {
        let format: String = format.chars().take(20).collect();
        let message = format!("the format {format:?} is not supported; ask for json");
        return Err(ApiError::new(
            StatusCode::NOT_IMPLEMENTED,
            "unknown-format",
            message,
        ));
    }
    let foreign = || ApiError::not_found("this is not the address of a match of this arena");
    let origin = find_origin(&app, &headers).ok_or_else(foreign)?;
    let id = match_of_address(&asked.url, &origin).ok_or_else(foreign)?;
    let lang = match prefers_chinese(&headers) {
        true => Lang::Zh,
        false => Lang::En,
    };
    let preview = describe_shown_match(&app, id, lang).await?;
    let preview = preview.ok_or_else(foreign)?;
    let (width, height) = (
        asked.maxwidth.unwrap_or(800).clamp(1, 800),
        asked.maxheight.unwrap_or(600).clamp(1, 600),
    );
    let title = escape_html(&preview.title);
    let MatchId(number) = id;
    let (thumbnail_width, thumbnail_height) = board_picture::SIZE;
    let has_picture = preview.picture.is_some();
    Ok(Json(Oembed {
        version: "1.0",
        r#type: "rich",
        provider_name: "Leitai 擂台",
        html: format!(
            "<iframe src=\"{origin}/embed/matches/{number}\" width=\"{width}\" height=\"{height}\" \
             title=\"{title}\" style=\"border:0\" loading=\"lazy\" allowfullscreen></iframe>"
        ),
        thumbnail_url: has_picture.then(|| format!("{origin}/api/matches/{number}/picture")),
        thumbnail_width: has_picture.then_some(thumbnail_width),
        thumbnail_height: has_picture.then_some(thumbnail_height),
        provider_url: origin,
        title: preview.title,
        width,
        height,
    }))
}

/// The match whose page has this address.
pub fn match_of_address(url: &str, origin: &str) -> Option<MatchId> {
    let path = url.strip_prefix(origin)?.strip_prefix('/')?;
    let path = path.split(['?', '#']).next()?.trim_end_matches('/');
    let id = path
        .strip_prefix("matches/")
        .or_else(|| path.strip_prefix("embed/matches/"))?;
    id.parse().ok().map(MatchId)
}
