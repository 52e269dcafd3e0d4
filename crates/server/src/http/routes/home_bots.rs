//! Routes: programs that stay on their authors' machines and wait for opponents.

use std::time::Duration;

use leitai_store::{
    HomeBotId, HomeOffer, HomeStand, HomeStanding, MatchEntrant, MatchSide, OfferedBot, TokenHash,
};
use tokio::time::Instant;

use super::home_matches::{HomeOpponent, need_game_of, open_against_program};
use super::human_match_routes::need_sandbox_for;
use super::human_matches::{SideChoice, check_limits, choose_side, deal_match, need_people};
use crate::accounts::names;
use crate::client_address::ClientAddress;
use crate::http::chosen_bot::{ChosenBot, find_chosen_entrant};
use crate::http::prelude::*;
use crate::http::summaries::{MatchSummary, RatingSummary};
use crate::play::Opener;

/// How long a program waits in one request.
const WAIT: Duration = Duration::from_secs(4);
/// How long it is offered without another request.
const OFFERED: Duration = Duration::from_secs(8);
/// The pause between two looks whether somebody came, perhaps at another server.
const LOOK: Duration = Duration::from_millis(500);

/// The routes of programs at home.
pub fn home_bot_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_home_bots, offer_home_bot))
        .routes(routes!(play_home_bot))
        .routes(routes!(show_home_ladder))
}

/// A program that its author's command offers.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct HomeOfferRequest {
    /// The game's id.
    #[schema(example = "kob")]
    game: String,
    /// Its name, which is shown after the author's.
    #[schema(
        min_length = 2,
        max_length = 24,
        example = "hydra",
        pattern = r"^[-_.]*[A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff][-_.A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff]*$"
    )]
    name: String,
    /// The name of its protocol, one of the game's.
    #[schema(example = "json-lines")]
    protocol: String,
    /// Drawn by the command when it starts: of two commands with one program the later one goes on.
    #[schema(min_length = 16, max_length = 64)]
    session: String,
    /// The first request of the command.
    #[serde(default)]
    begins: bool,
    /// The token with which the program will join its next match; drawn by the command, another one
    /// for each match.
    #[schema(min_length = 32, max_length = 128)]
    token: String,
    /// Whether it plays rated matches, too, where the arena has a ladder for programs at home.
    #[serde(default)]
    rated: bool,
    /// Withdraws the program.
    #[serde(default)]
    withdraw: bool,
}

/// How an offered program stands.
#[derive(Debug, Serialize, ToSchema)]
struct HomeStandSummary {
    state: HomeStateName,
    /// The match that it is to join, or that it still plays.
    #[serde(rename = "match")]
    id: Option<i64>,
    /// Its side in the match that it is to join.
    #[schema(value_type = Option<String>, example = "a")]
    seat: Option<MatchSide>,
}

/// How an offered program stands.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum HomeStateName {
    /// Nobody has come yet: ask again at once.
    Waits,
    /// It is to join the match with its token.
    Called,
    /// A match of an earlier command is not over yet: ask again in a few seconds.
    Busy,
    /// It is not offered any more.
    Withdrawn,
}

/// An offered program.
#[derive(Debug, Serialize, ToSchema)]
struct HomeBotSummary {
    id: i64,
    /// The game's id.
    game: String,
    /// Its name.
    name: String,
    /// The name of its author.
    owner: String,
    /// The match that it plays now; then nobody else can play against it.
    plays: Option<i64>,
    /// Whether an administrator took it away; only administrators see such ones.
    disabled: bool,
}

impl From<OfferedBot> for HomeBotSummary {
    fn from(own: OfferedBot) -> HomeBotSummary {
        HomeBotSummary {
            id: own.id.0,
            game: own.game,
            name: own.name,
            owner: own.owner_name,
            plays: own.plays.map(|id| id.0),
            disabled: own.disabled,
        }
    }
}

/// Which offered programs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct HomeBotQuery {
    /// The game's id.
    game: Option<String>,
}

/// A match of a bot, or of another offered program, against an offered program.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct HomeMatchRequest {
    /// A bot's id: its active version plays. One of `bot`, `version` and `home`.
    bot: Option<i64>,
    /// A version's id: the active one of any bot, or any that is ready of a bot of one's own.
    version: Option<i64>,
    /// The id of an offered program of one's own.
    home: Option<i64>,
    /// The side of the bot, or of one's own program.
    #[serde(default)]
    seat: SideChoice,
    /// The game's config; absent keys have their defaults.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    config: serde_json::Value,
    /// The number of legs; the game's own number if absent, and at most that.
    #[schema(minimum = 1, example = 1)]
    legs: Option<usize>,
}

/// Programs that wait at their authors' homes for an opponent, and those that play.
#[utoipa::path(get, operation_id = "list_home_bots",
    path = "/api/home-bots", tag = "play", security((), ("token" = []), ("session" = [])), params(HomeBotQuery), responses(
    (status = 200, body = ListPage<HomeBotSummary>), (status = 404, body = ErrorBody),
))]
async fn list_home_bots(
    app: App,
    caller: Caller,
    Query(query): Query<HomeBotQuery>,
) -> Answer<ListPage<HomeBotSummary>> {
    let game = query.game.as_deref().map(|id| app.need_game(id));
    let game = game.transpose()?;
    let game = game.as_ref().map(|game| game.meta().id);
    let found = &app.store;
    let found = found
        .list_home_bots(game, caller.is_admin(), Timestamp::now())
        .await?;
    // Games that this arena does not have any more have no page.
    let known = |own: &OfferedBot| app.find_game(&own.game).is_some();
    let shown = found.into_iter().filter(known).map(HomeBotSummary::from);
    Ok(Json(ListPage::single_page(shown.collect())))
}

/// Offers a program that stays on the caller's machine, and waits for an opponent for a few seconds.
/// The offer vanishes with the requests. A program that is `called` joins at
/// `/api/matches/{match}/play` with its token.
#[utoipa::path(put, operation_id = "offer_home_bot",
    path = "/api/home-bots", tag = "play", security(("token" = []), ("session" = [])),
    request_body = HomeOfferRequest, responses((status = 200, body = HomeStandSummary),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn offer_home_bot(
    app: App,
    user: SignedInUser,
    Json(wanted): Json<HomeOfferRequest>,
) -> Answer<HomeStandSummary> {
    let withdraws = wanted.withdraw;
    // The command says at once that the program is offered.
    let wait = if wanted.begins { Duration::ZERO } else { WAIT };
    let offer = read_offer(&app, &user, wanted)?;
    if withdraws {
        app.store.withdraw_home_bot(&offer).await?;
        return Ok(Json(summarize(HomeState::Withdrawn)));
    }
    let until = Instant::now() + wait;
    loop {
        let now = Timestamp::now();
        let offer = HomeOffer {
            until: now.after(OFFERED),
            ..offer.clone()
        };
        let stand = app.store.offer_home_bot(offer.clone(), now).await;
        let stand = stand.map_err(|error| refuse_offer(&app, error))?;
        if stand != HomeStand::Waits {
            return Ok(Json(summarize(describe_stand(stand, &offer)?)));
        }
        while !app.store.home_bot_called(&offer).await? {
            if Instant::now() >= until || app.arena.human_matches.is_stopping() {
                return Ok(Json(summarize(HomeState::Stands(HomeStand::Waits))));
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// What is answered to a command.
enum HomeState {
    Stands(HomeStand),
    Withdrawn,
}

fn summarize(state: HomeState) -> HomeStandSummary {
    let (state, id, seat) = match state {
        HomeState::Withdrawn => (HomeStateName::Withdrawn, None, None),
        HomeState::Stands(HomeStand::Called(id, seat)) => {
            (HomeStateName::Called, Some(id.0), Some(seat))
        }
        HomeState::Stands(HomeStand::Busy(id)) => (HomeStateName::Busy, Some(id.0), None),
        HomeState::Stands(_) => (HomeStateName::Waits, None, None),
    };
    HomeStandSummary { state, id, seat }
}

fn describe_stand(stand: HomeStand, offer: &HomeOffer) -> Result<HomeState> {
    let name = &offer.name;
    match stand {
        HomeStand::Replaced => {
            let message = format!(
                "another command of yours offers {name} now; end it, or name this one otherwise"
            );
            Err(ApiError::conflict("replaced", message))
        }
        HomeStand::Disabled => {
            let message = format!("an administrator does not let {name} be offered; ask there");
            Err(ApiError::forbidden("disabled", message))
        }
        stand => Ok(HomeState::Stands(stand)),
    }
}

fn refuse_offer(app: &App, error: StoreError) -> ApiError {
    match error {
        StoreError::TooManyOpen { .. } => {
            let most = app.options.limits.home_bots;
            let message =
                format!("you offer {most} programs already, as many as an account may; end one");
            ApiError::conflict("too-many-home-bots", message)
        }
        other => other.into(),
    }
}

/// What the request says, if it may be offered.
fn read_offer(app: &App, user: &SignedInUser, wanted: HomeOfferRequest) -> Result<HomeOffer> {
    let game = app.need_game(&wanted.game)?;
    need_people(&*game)?;
    if game.make_protocol(&wanted.protocol).is_none() {
        let why = format!(
            "{} has no protocol {}; see the protocols of the game",
            game.meta().id,
            wanted.protocol
        );
        return Err(ApiError::invalid_field("bad-protocol", "protocol", why));
    }
    if wanted.rated && !has_ladder(app, game.meta().id) {
        let why = format!(
            "this arena has no ladder of programs at home for {}; leave out --rated",
            game.meta().id
        );
        return Err(ApiError::invalid_field("no-home-ladder", "rated", why));
    }
    // As the schema says.
    for (field, drawn, least, most) in [
        ("session", &wanted.session, 16, 64),
        ("token", &wanted.token, 32, 128),
    ] {
        let is_plain = drawn.chars().all(|c| c.is_ascii_graphic());
        if !is_plain || !(least..=most).contains(&drawn.len()) {
            let count = drawn.chars().count();
            let why = format!(
                "{field} has {count} characters; draw {least} to {most} letters and digits"
            );
            return Err(ApiError::invalid_field("bad-token", field, why));
        }
    }
    Ok(HomeOffer {
        owner: user.id,
        game: game.meta().id.to_owned(),
        name: names::of_guest(&wanted.name)?.to_owned(),
        protocol: wanted.protocol,
        session: wanted.session,
        begins: wanted.begins,
        seat_token: TokenHash::from_token(&wanted.token),
        until: Timestamp(0),
        most: app.options.limits.home_bots as u64,
        rated: wanted.rated,
    })
}

/// Lets a bot, or a program of the caller's that is offered, too, play an offered program. The match
/// is not rated. People play against one by `POST /api/human-matches`.
#[utoipa::path(post, operation_id = "play_home_bot",
    path = "/api/home-bots/{id}/matches", tag = "play", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = HomeMatchRequest, responses(
    (status = 201, body = MatchSummary), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
async fn play_home_bot(
    app: App,
    user: SignedInUser,
    address: ClientAddress,
    Path(id): Path<HomeBotId>,
    Json(wanted): Json<HomeMatchRequest>,
) -> Result<(StatusCode, Json<MatchSummary>)> {
    app.limiter
        .allow_human_match(Some(user.id), address)
        .await?;
    let found = app.store.find_home_bot(id).await?;
    let game = app.need_game(&found.game)?;
    let opponent = find_opponent(&app, &user, id, &found.game, &wanted).await?;
    let by = check_limits(&app, Opener::Account(user.id)).await?;
    let dealt = deal_match(&game, &wanted.config, wanted.legs)?;
    let own = (choose_side(wanted.seat), opponent);
    let made = open_against_program(&app, by, own, id, dealt).await?;
    Ok((StatusCode::CREATED, Json(MatchSummary::from(&made))))
}

async fn find_opponent(
    app: &App,
    user: &SignedInUser,
    id: HomeBotId,
    game: &str,
    wanted: &HomeMatchRequest,
) -> Result<HomeOpponent> {
    let refuse = |why: &str| Err(ApiError::invalid_field("bad-entrant", "bot", why));
    let chosen = match (wanted.bot, wanted.version, wanted.home) {
        (Some(bot), None, None) => ChosenBot::Bot(bot),
        (None, Some(version), None) => ChosenBot::Version(version),
        (None, None, Some(home)) if home == id.0 => {
            return refuse("a program does not play against itself; choose another one");
        }
        (None, None, Some(home)) => {
            need_game_of(app, HomeBotId(home), game).await?;
            if app.store.find_home_bot(HomeBotId(home)).await?.owner != user.id {
                let message = "only its author sends a program at home against others";
                return Err(ApiError::forbidden("not-yours", message));
            }
            return Ok(HomeOpponent::Offered(HomeBotId(home)));
        }
        _ => return refuse("name either a bot, a version or a program at home, by its id"),
    };
    let entrant: MatchEntrant = find_chosen_entrant(app, Some(user), game, ("bot", chosen)).await?;
    need_sandbox_for(app, &entrant)?;
    Ok(HomeOpponent::Bot(entrant))
}

/// The ladder of programs at home.
#[derive(Debug, Serialize, ToSchema)]
struct HomeLadder {
    /// Whether the arena has one for this game.
    open: bool,
    /// The programs with a rated match, the best first, at most 500.
    items: Vec<HomeLadderRow>,
}

/// A row of the ladder of programs at home.
#[derive(Debug, Serialize, ToSchema)]
struct HomeLadderRow {
    /// The program's id.
    id: i64,
    /// Its name.
    name: String,
    /// The name of its author.
    owner: String,
    rating: RatingSummary,
    wins: i64,
    draws: i64,
    losses: i64,
    /// Whether it is offered now.
    offered: bool,
}

impl From<HomeStanding> for HomeLadderRow {
    fn from(own: HomeStanding) -> HomeLadderRow {
        HomeLadderRow {
            id: own.id.0,
            name: own.name,
            owner: own.owner,
            rating: own.rating.shown_rating().into(),
            wins: own.wins,
            draws: own.draws,
            losses: own.losses,
            offered: own.is_offered,
        }
    }
}

/// The ladder of programs that stay at home, of rated matches between them and against built-in bots;
/// never mixed with the other ladders.
#[utoipa::path(get, operation_id = "get_home_ladder",
    path = "/api/games/{game}/home-ladder", tag = "ladders", params(("game" = String, Path)), responses(
    (status = 200, body = HomeLadder), (status = 404, body = ErrorBody)))]
async fn show_home_ladder(app: App, Path(game): Path<String>) -> Answer<HomeLadder> {
    let game = app.need_game(&game)?;
    let id = game.meta().id;
    let open = has_ladder(&app, id);
    let found = match open {
        true => app.store.home_ladder(id, Timestamp::now()).await?,
        false => Vec::new(),
    };
    Ok(Json(HomeLadder {
        open,
        items: found.into_iter().map(HomeLadderRow::from).collect(),
    }))
}

/// Whether the operator has opened a ladder of programs at home for this game.
fn has_ladder(app: &App, game: &str) -> bool {
    app.options.home_ladders.iter().any(|own| own == game)
}
