//! Routes: results as Atom feeds.

use leitai_game::Lang;
use leitai_series::report::escape::escape_html;
use leitai_store::{BotId, Match, MatchFilter, MatchState, PageQuery};

use crate::http::layers::prefers_chinese;
use crate::http::link_preview::{describe_match, find_origin};
use crate::http::prelude::*;

/// Results in a feed.
const ENTRIES: u64 = 30;

/// Routes of feeds.
pub fn feed_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(serve_results))
}

/// Which results.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FeedParameters {
    /// Only of this game.
    #[param(example = "kob")]
    game: Option<String>,
    /// Only of this bot.
    bot: Option<i64>,
}

/// The last 30 results as an Atom feed, of all games, of one, or of one bot. Titles are in the
/// language that `Accept-Language` asks for.
#[utoipa::path(get, operation_id = "get_results_feed",
    path = "/api/feeds/results", tag = "matches", params(FeedParameters),
    responses((status = 200, description = "the feed (RFC 4287)", body = String, content_type = "application/atom+xml"),
    (status = 404, description = "there is no such game or bot", body = ErrorBody)))]
async fn serve_results(
    app: App,
    Query(wanted): Query<FeedParameters>,
    headers: HeaderMap,
) -> Result<Response> {
    let lang = match prefers_chinese(&headers) {
        true => Lang::Zh,
        false => Lang::En,
    };
    let origin = find_origin(&app, &headers).ok_or_else(|| {
        let message =
            "the request names no host, so the feed would have no addresses; send a header Host";
        ApiError::new(StatusCode::BAD_REQUEST, "malformed", message)
    })?;
    let (filter, title, path) = choose_results(&app, wanted, lang).await?;
    let page = app
        .store
        .list_matches(&filter, &PageQuery::first_page(ENTRIES))
        .await?;
    let ids: Vec<_> = page.items.iter().map(|row| row.id).collect();
    let corrected = app.store.last_corrections(&ids).await?;
    let matches = app.store.matches_by_ids(&ids).await?.into_iter();
    let results = matches.map(|own| {
        let updated = corrected.get(&own.id).copied().or(own.finished);
        (own, updated)
    });
    let results = results.collect();
    let feed = write_feed(&app, &origin, &path, &title, results, lang);
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/atom+xml; charset=utf-8"),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=60"),
        ),
        (header::VARY, HeaderValue::from_static("accept-language")),
    ];
    Ok((headers, feed).into_response())
}

/// The filter, the title of the feed, and the page that it belongs to.
async fn choose_results(
    app: &App,
    wanted: FeedParameters,
    lang: Lang,
) -> Result<(MatchFilter, String, String)> {
    let what = match lang {
        Lang::En => "results",
        Lang::Zh => "赛果",
    };
    let mut filter = MatchFilter {
        state: Some(MatchState::Finished),
        seen_at: Some(Timestamp::now()),
        ..MatchFilter::default()
    };
    let (mut title, mut path) = (format!("Leitai 擂台: {what}"), "/matches".to_owned());
    if let Some(game) = &wanted.game {
        let game = app.need_game(game)?;
        let game = game.meta();
        title = format!("{}: {what}", game.title.in_language(lang));
        path = format!("/games/{}", game.id);
        filter.game = Some(game.id.to_owned());
    }
    if let Some(bot) = wanted.bot {
        let bot = app.store.find_bot(BotId(bot)).await?;
        title = format!("{}: {what}", bot.name);
        path = format!("/bots/{}", bot.id);
        filter.bot = Some(bot.id);
    }
    Ok((filter, title, path))
}

fn write_feed(
    app: &App,
    origin: &str,
    path: &str,
    title: &str,
    results: Vec<(Match, Option<Timestamp>)>,
    lang: Lang,
) -> String {
    let code = match lang {
        Lang::En => "en",
        Lang::Zh => "zh-CN",
    };
    let (origin, path, title) = (escape_html(origin), escape_html(path), escape_html(title));
    let updated = results.iter().filter_map(|(_, updated)| *updated).max();
    let updated = updated.unwrap_or(Timestamp(0));
    let mut feed = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{code}\">\n\
         <title>{title}</title>\n<id>{origin}{path}</id>\n<updated>{updated}</updated>\n\
         <link href=\"{origin}{path}\"/>\n<author><name>Leitai 擂台</name></author>\n"
    );
    for (own, updated) in results {
        let address = format!("{origin}/matches/{}", own.id);
        let at = updated.unwrap_or(own.created);
        let Some(about) = describe_match(app, own, lang) else {
            continue;
        };
        let (title, summary) = (escape_html(&about.title), escape_html(&about.description));
        feed += &format!(
            "<entry><title>{title}</title><id>{address}</id><link href=\"{address}\"/>\
             <updated>{at}</updated><summary>{summary}</summary></entry>\n"
        );
    }
    feed + "</feed>\n"
}
