//! Titles, descriptions and pictures of pages for others' previews of a link (Open Graph, oEmbed):
//! programs that fetch a page and run no script.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use axum::http::{HeaderMap, header};
use leitai_game::{AnyGame, Lang};
use leitai_series::report::escape::escape_html;
use leitai_store::{
    BotId, Contest, Match, MatchFilter, MatchId, MatchKind, MatchState, PageQuery, StoreError,
    Timestamp,
};
use reqwest::Url;

use crate::contests::routes::access::hidden_parts_of;
use crate::http::app::App;
use crate::http::layers::prefers_chinese;
use crate::http::summaries::{MatchSummary, WinnerName};

/// The newest matches among which the picture of its preview is looked for.
const PICTURES: u64 = 10;

/// The picture of a preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreviewPicture {
    /// The last position of a match, with its names and scores.
    Match(MatchId),
    /// The game of an invite, and who invites.
    Invite(String),
}

impl PreviewPicture {
    /// The path of the picture.
    fn path(&self) -> String {
        match self {
            PreviewPicture::Match(MatchId(id)) => format!("/api/matches/{id}/picture"),
            PreviewPicture::Invite(code) => format!("/api/invites/{code}/picture"),
        }
    }
}

/// What a preview of a page says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkPreview {
    /// One line.
    pub title: String,
    /// One sentence or two.
    pub description: String,
    /// What is shown.
    pub picture: Option<PreviewPicture>,
    /// The match that other sites may embed.
    pub embeds: Option<MatchId>,
}

/// The arena's address as the client sees it, without a slash at its end.
pub fn find_origin(app: &App, headers: &HeaderMap) -> Option<String> {
    if let Some(url) = &app.options.public_url {
        return Some(url.trim_end_matches('/').to_owned());
    }
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let is_host = |sign: char| sign.is_ascii_alphanumeric() || ".-:[]".contains(sign);
    (host.len() <= 255 && host.chars().all(is_host)).then(|| format!("http://{host}"))
}

/// The arena's address for other machines. A name that means every machine itself is replaced by the
/// machine's address in its network, if the server listens there (`network`).
pub fn origin_for_others(origin: &str, network: Option<SocketAddr>) -> Option<String> {
    let url = Url::parse(origin).ok()?;
    let host = url.host_str()?.trim_matches(['[', ']']);
    let is_own = match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    };
    match is_own {
        true => network.map(|address| format!("http://{address}")),
        false => Some(origin.to_owned()),
    }
}

/// The address from which this machine would leave its network, with this port. Nothing is sent: the
/// other end is an address of documentation.
pub fn network_address(port: u16) -> Option<SocketAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(SocketAddr::new(socket.local_addr().ok()?.ip(), port))
}

/// The preview of the page at this path; `None` where the page says all there is to say.
///
/// # Errors
/// If the database fails.
pub async fn describe_page(
    app: &App,
    path: &str,
    headers: &HeaderMap,
) -> Result<Option<LinkPreview>, StoreError> {
    let lang = match prefers_chinese(headers) {
        true => Lang::Zh,
        false => Lang::En,
    };
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let found = match parts[..] {
        ["matches", id] | ["embed", "matches", id] => match id.parse() {
            Ok(id) => describe_shown_match(app, MatchId(id), lang).await,
            Err(_) => Ok(None),
        },
        ["bots", id] => match id.parse() {
            Ok(id) => describe_bot(app, BotId(id), lang).await,
            Err(_) => Ok(None),
        },
        ["games", id] | ["games", id, "ladder"] | ["play", id] => match app.find_game(id) {
            Some(game) => describe_game(app, &*game, lang).await.map(Some),
            None => Ok(None),
        },
        ["invite", code] => describe_invite(app, code, lang).await,
        _ => Ok(None),
    };
    match found {
        Err(StoreError::Missing { .. } | StoreError::Deleted { .. }) => Ok(None),
        found => found,
    }
}

/// The preview of a game, with the picture of the last of its newest matches that is shown.
async fn describe_game(
    app: &App,
    game: &dyn AnyGame,
    lang: Lang,
) -> Result<LinkPreview, StoreError> {
    let picture = find_picture_of_game(app, game.meta().id).await?;
    Ok(LinkPreview {
        title: format!("{} · Leitai 擂台", game.meta().title.in_language(lang)),
        description: game.meta().about.in_language(lang).to_owned(),
        picture: picture.map(PreviewPicture::Match),
        embeds: None,
    })
}

/// The preview of an invite: who invites, and to which game.
async fn describe_invite(
    app: &App,
    code: &str,
    lang: Lang,
) -> Result<Option<LinkPreview>, StoreError> {
    let Some(own) = app.store.match_by_invite(code).await? else {
        return Ok(None);
    };
    let Some(game) = app.find_game(&own.game) else {
        return Ok(None);
    };
    let summary = MatchSummary::from(&own);
    let names = [summary.a.name(), summary.b.name()];
    let inviter = names.into_iter().find(|name| !name.is_empty());
    let (inviter, of_game) = (inviter.unwrap_or("?"), game.meta().title.in_language(lang));
    let waits = own.state == MatchState::Waiting;
    let (title, description) = match (lang, waits) {
        (Lang::En, true) => (
            format!("{inviter} invites you to a match of {of_game}"),
            format!(
                "Open the link to play at once, without an account. {}",
                game.meta().about.en
            ),
        ),
        (Lang::Zh, true) => (
            format!("{inviter} 邀请你对战 {of_game}"),
            format!("打开链接即可开始，无需注册。{}", game.meta().about.zh),
        ),
        (Lang::En, false) => (
            format!("{} – {} · {of_game}", names[0], names[1]),
            "This invite has been taken: watch the match, or play one of your own.".to_owned(),
        ),
        (Lang::Zh, false) => (
            format!("{} – {} · {of_game}", names[0], names[1]),
            "这个邀请已被接受：可以观战，或自己开一场比赛。".to_owned(),
        ),
    };
    let of_game = describe_game(app, &*game, lang).await?;
    let invites = waits.then(|| PreviewPicture::Invite(code.to_owned()));
    Ok(Some(LinkPreview {
        title,
        description,
        picture: invites.or(of_game.picture),
        embeds: None,
    }))
}

/// The preview of a match; none while its contest hides its result.
pub async fn describe_shown_match(
    app: &App,
    id: MatchId,
    lang: Lang,
) -> Result<Option<LinkPreview>, StoreError> {
    let own = app.store.match_by_id(id).await?;
    if own.kind == MatchKind::Experiment {
        return Ok(None);
    }
    if own.kind == MatchKind::Contest {
        let now = Timestamp::now();
        let contests = app.store.contests_of_matches(&[id]).await?;
        if (contests.iter()).any(|(_, contest)| contest.hides_matches(now)) {
            return Ok(None);
        }
    }
    Ok(describe_match(app, own, lang))
}

/// The preview of a match.
pub fn describe_match(app: &App, own: Match, lang: Lang) -> Option<LinkPreview> {
    let game = app.find_game(&own.game)?;
    let id = own.id;
    let is_over = own.state == MatchState::Finished;
    let summary = MatchSummary::from(&own);
    let [a, b] = [summary.a.name(), summary.b.name()];
    let winner = match summary.winner {
        Some(WinnerName::A) => Some(a),
        Some(WinnerName::B) => Some(b),
        _ => None,
    };
    let code = if lang == Lang::Zh { "zh" } else { "en" };
    let reason = summary.reason.as_ref();
    let reason = reason.and_then(|reason| reason[code].as_str());
    let result = match (is_over, winner, lang) {
        (false, _, Lang::En) => "Not over yet".to_owned(),
        (false, _, Lang::Zh) => "尚未结束".to_owned(),
        (true, Some(name), Lang::En) => format!("{name} won"),
        (true, Some(name), Lang::Zh) => format!("{name} 获胜"),
        (true, None, Lang::En) => "A draw".to_owned(),
        (true, None, Lang::Zh) => "平局".to_owned(),
    };
    let description = match (reason, lang) {
        (Some(reason), Lang::En) => format!("{result}, {reason}."),
        (Some(reason), Lang::Zh) => format!("{result}：{reason}。"),
        (None, _) => result,
    };
    Some(LinkPreview {
        title: format!("{a} – {b} · {}", game.meta().title.in_language(lang)),
        description,
        picture: is_over.then_some(PreviewPicture::Match(id)),
        embeds: Some(id),
    })
}

/// The preview of a bot, with the picture of the last of its newest matches that is shown.
async fn describe_bot(app: &App, id: BotId, lang: Lang) -> Result<Option<LinkPreview>, StoreError> {
    let bot = app.store.find_bot(id).await?;
    let Some(game) = app.find_game(&bot.game) else {
        return Ok(None);
    };
    let filter = MatchFilter {
        bot: Some(id),
        ..MatchFilter::default()
    };
    let about: String = bot.about.chars().take(200).collect();
    Ok(Some(LinkPreview {
        title: format!("{} · {}", bot.name, game.meta().title.in_language(lang)),
        description: if about.trim().is_empty() {
            game.meta().about.in_language(lang).to_owned()
        } else {
            about
        },
        picture: find_picture(app, filter).await?.map(PreviewPicture::Match),
        embeds: None,
    }))
}

/// The newest finished match of a game whose end may be shown.
///
/// # Errors
/// If the database fails.
pub async fn find_picture_of_game(app: &App, game: &str) -> Result<Option<MatchId>, StoreError> {
    let filter = MatchFilter {
        game: Some(game.to_owned()),
        ..MatchFilter::default()
    };
    find_picture(app, filter).await
}

/// The newest finished match of this filter whose end may be shown.
async fn find_picture(app: &App, filter: MatchFilter) -> Result<Option<MatchId>, StoreError> {
    let filter = MatchFilter {
        state: Some(MatchState::Finished),
        seen_at: Some(Timestamp::now()),
        ..filter
    };
    let last = app
        .store
        .list_matches(&filter, &PageQuery::first_page(PICTURES))
        .await?;
    let ids: Vec<MatchId> = last.items.iter().map(|row| row.id).collect();
    let contests = app.store.contests_of_matches(&ids).await?;
    let hides = |contest: &Contest| hidden_parts_of(app, contest, Timestamp::now()).replay;
    let is_shown =
        |id: &MatchId| !(contests.iter()).any(|(of, contest)| of == id && hides(contest));
    Ok(ids.into_iter().find(is_shown))
}

impl LinkPreview {
    /// The page with the tags of this preview in its head.
    pub fn write_into(&self, page: &str, origin: Option<&str>, path: &str) -> String {
        let tags = self.tags(origin, path);
        let page = page.replacen(DEFAULT_TITLE, "", 1);
        page.replacen("</head>", &format!("{tags}</head>"), 1)
    }

    fn tags(&self, origin: Option<&str>, path: &str) -> String {
        let mut tags =
            meta_tag("og:title", &self.title) + &meta_tag("og:description", &self.description);
        tags += &meta_tag("og:site_name", "Leitai 擂台");
        // Pictures and embeds need whole addresses.
        let Some(origin) = origin else { return tags };
        tags += &meta_tag("og:url", &format!("{origin}/{path}"));
        if let Some(picture) = &self.picture {
            let [width, height] = [super::board_picture::SIZE.0, super::board_picture::SIZE.1];
            tags += &meta_tag("og:image", &format!("{origin}{}", picture.path()));
            tags += &meta_tag("og:image:type", "image/png");
            tags += &meta_tag("og:image:width", &width.to_string());
            tags += &meta_tag("og:image:height", &height.to_string());
            tags += "<meta name=\"twitter:card\" content=\"summary_large_image\" />";
        }
        if let Some(MatchId(id)) = self.embeds {
            let address = format!("{origin}/api/oembed?url={origin}/matches/{id}");
            tags += &format!(
                "<link rel=\"alternate\" type=\"application/json+oembed\" href=\"{}\" />",
                escape_html(&address)
            );
        }
        tags
    }
}

/// The title that `web/index.html` has for pages without a preview of their own.
pub const DEFAULT_TITLE: &str = "<meta property=\"og:title\" content=\"Leitai 擂台\" />";

fn meta_tag(name: &str, content: &str) -> String {
    format!(
        "<meta property=\"{name}\" content=\"{}\" />",
        escape_html(content)
    )
}
