//! Matches against programs that are offered from their authors' machines.

use leitai_store::{
    HomeBotId, Match, MatchEntrant, MatchKind, MatchSide, NewHomeMatch, NewMatch, TokenHash,
};

use super::human_matches::{AllowedOpener, DealtMatch, PRIORITY, assign_sides, refuse_opening};
use crate::http::app::App;
use crate::http::error::{ApiError, Result};

/// Who plays against an offered program.
pub(super) enum HomeOpponent {
    /// A person, with the token of the seat.
    Person(MatchEntrant, TokenHash),
    /// A bot of the arena.
    Bot(MatchEntrant),
    /// Another offered program.
    Offered(HomeBotId),
}

/// Opens a match of the opponent, on this side, against an offered program.
pub(super) async fn open_against_program(
    app: &App,
    by: AllowedOpener,
    (side, opponent): (MatchSide, HomeOpponent),
    program: HomeBotId,
    dealt: DealtMatch,
) -> Result<Match> {
    let (entrant, token, offered) = match opponent {
        HomeOpponent::Person(person, token) => (Some(person), Some(token), None),
        HomeOpponent::Bot(bot) => (Some(bot), None, None),
        HomeOpponent::Offered(id) => (None, None, Some(id)),
    };
    let (opener, header) = (by.by, dealt.header);
    let entrants = assign_sides(side, entrant, None);
    let (game, seed) = (header.game.meta().id, dealt.seed.into());
    let new = NewMatch {
        seats: assign_sides(side, token, None),
        config: dealt.config,
        priority: PRIORITY,
        opener: Some(by.counted),
        ..NewMatch::new(game, MatchKind::Human, entrants, seed, header.legs)
    };
    let wanted = NewHomeMatch {
        new,
        offered: assign_sides(side, offered, Some(program)),
        rated: None,
    };
    let context = app.play_context();
    let made = context.open_home_match(wanted, header, opener).await;
    made.map_err(|error| refuse_opening(opener, error))
}

/// Refuses a game that the program does not play.
pub(super) async fn need_game_of(app: &App, id: HomeBotId, game: &str) -> Result<()> {
    let found = app.store.find_home_bot(id).await?;
    if found.game == game {
        return Ok(());
    }
    let message = format!(
        "{} plays {}, not {game}; choose a program of this game",
        found.name, found.game
    );
    Err(ApiError::invalid_field("other-game", "opponent", message))
}
