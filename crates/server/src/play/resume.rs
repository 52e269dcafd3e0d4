//! Resumes human matches that a stop of their server interrupted: after the restart people join
//! again with their tokens, and the match continues after its last recorded move.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use leitai_game::ByEntrant;
use leitai_game::replay::LegRecord;
use leitai_judge::ResumePoint;
use leitai_store::{
    LeasedJob, Match, MatchEntrant, MatchEntrantKind, MatchId, MatchKind, MatchState, StoreError,
    Timestamp,
};

use super::context::PlayContext;
use super::run::{self, RunError};
use super::{HumanMatch, HumanMatchOptions, Opener, Resumed, WAIT};
use crate::client_address::ClientAddress;
use crate::live::LegFramesHeader;

/// Longer than any lease.
const FOREVER: Duration = Duration::from_secs(24 * 3600);
/// A match that was not played this long after its human match expired will never be played.
const GRACE: Duration = Duration::from_secs(60);
/// The reason of a void match that cannot continue.
const ENDED: &str = "ended by a restart of the server";

/// Resumes the matches that a server left behind, and cancels those whose
/// people never came. Called periodically. Returns the number of ended matches.
///
/// # Errors
/// If the database fails.
pub async fn void_abandoned(context: &PlayContext) -> Result<usize, StoreError> {
    let now = Timestamp::now();
    let mut ended = resume_matches(context).await?;
    context.store.forget_recorded_legs().await?;
    for id in context
        .store
        .unplayed_people(now.before(WAIT + GRACE))
        .await?
    {
        if context.human_matches.find_match(id.0).is_none() {
            ended += usize::from(
                context
                    .store
                    .cancel_match(id, "nobody came", now)
                    .await
                    .is_ok(),
            );
        }
    }
    Ok(ended)
}

/// Resumes the human matches that a server left behind; those that cannot continue become void.
/// Called before a server listens, and periodically. Returns the number of void matches.
///
/// # Errors
/// If the database fails.
pub async fn resume_matches(context: &PlayContext) -> Result<usize, StoreError> {
    if context.human_matches.is_stopping() {
        return Ok(0);
    }
    let now = Timestamp::now();
    // With an embedded database this is the only server: a match without a human match here is
    // played by nobody, even if its lease has not expired.
    let ended = if context.store.is_embedded() {
        now.after(FOREVER)
    } else {
        now
    };
    let mut voided = 0;
    for id in context.store.stranded_people(ended).await? {
        if context.human_matches.find_match(id.0).is_some() {
            continue;
        }
        if let Err(error) = open_again(context, id, ended).await {
            tracing::warn!(%id, %error, "a match with people cannot go on");
            let why = format!("{ENDED}: {error}");
            voided += usize::from(context.store.void_match(id, &why, now).await.is_ok());
        }
    }
    Ok(voided)
}

/// Opens a human match again, unless another server holds its lease.
async fn open_again(context: &PlayContext, id: MatchId, ended: Timestamp) -> Result<(), RunError> {
    let own = context.store.match_by_id(id).await?;
    let opening = match_options(context, &own)?;
    let now = Timestamp::now();
    let taken = context
        .store
        .take_over_people(
            id,
            run::WORKER,
            ended,
            now,
            run::lease_duration(&context.store),
        )
        .await?;
    let Some(LeasedJob { lease, .. }) = taken else {
        return Ok(());
    };
    // Not before: until then the server that had it may record a move.
    let legs = read_recorded_legs(context, id).await?;
    let start = match legs.is_empty() {
        true => run::find_start(context, &own).await?,
        false => None,
    };
    let from = match start {
        Some(start) => start,
        None => ResumePoint::from_recorded_legs(&*opening.header.setup, legs)
            .map_err(|error| RunError::Infrastructure(error.to_string()))?,
    };
    tracing::info!(%id, steps = from.forced_replies.len(), "a match with people waits to go on");
    // The human match must exist before the lease is renewed, because a lost lease stops it.
    let human_match = context.human_matches.open_match(opening);
    human_match.set_resumed(Resumed {
        held: run::keep_lease(context, lease, &human_match),
        from,
    });
    tokio::spawn(give_up_late(context.clone(), human_match));
    Ok(())
}

/// Opens a human match again that waits for its people, and whose server is gone. Returns whether it
/// is open here.
///
/// # Errors
/// If the database fails, or the match cannot be played here.
pub async fn open_waiting(context: &PlayContext, id: MatchId) -> Result<bool, RunError> {
    let own = context.store.match_by_id(id).await?;
    let waits = matches!(own.state, MatchState::Waiting | MatchState::Queued);
    if own.kind != MatchKind::Human || !waits || context.human_matches.is_stopping() {
        return Ok(false);
    }
    let opening = match_options(context, &own)?;
    let open_table = context.adopt_table(&own).await?;
    if context.human_matches.find_match(id.0).is_none() {
        tracing::info!(%id, "a match with people waits for them here: its server is gone");
        let opening = HumanMatchOptions {
            open_table,
            ..opening
        };
        let human_match = context.human_matches.open_match(opening);
        match own.state {
            MatchState::Waiting => run::expire_later(context.clone(), human_match),
            // Both had come.
            _ => _ = tokio::spawn(give_up_late(context.clone(), human_match)),
        }
    }
    Ok(true)
}

/// The options of the resumed match.
fn match_options(context: &PlayContext, own: &Match) -> Result<HumanMatchOptions, RunError> {
    let fail = |why: String| RunError::Infrastructure(why);
    let game = context
        .find_game(&own.game)
        .ok_or_else(|| fail(format!("there is no game {}", own.game)))?;
    let setup = game
        .deal_setup(&own.config, own.seed.get())
        .map_err(|error| fail(error.to_string()))?;
    let sides = ByEntrant::new(own.a.as_ref(), own.b.as_ref());
    // A side without an entrant is that of an invited person.
    if sides.iter_pairs().any(|(_, who)| who.is_none()) && own.state != MatchState::Waiting {
        return Err(fail("an entrant is missing".into()));
    }
    let people =
        sides.map_values(|who| who.is_none_or(|entrant| entrant.kind == MatchEntrantKind::Person));
    let tokens = ByEntrant::new(own.a_seat_token.clone(), own.b_seat_token.clone());
    if people
        .iter_pairs()
        .any(|(entrant, person)| *person && sides[entrant].is_some() && tokens[entrant].is_none())
    {
        return Err(fail("a person has no token for a seat".into()));
    }
    let present: Vec<&MatchEntrant> = [&own.a, &own.b].into_iter().flatten().collect();
    let uploaded = present
        .iter()
        .any(|entrant| entrant.kind == MatchEntrantKind::Bot && !entrant.built_in);
    if uploaded
        && context
            .human_matches
            .program_cache()
            .is_none_or(|cache| cache.program_sandbox().is_none())
    {
        return Err(fail("this server runs no uploaded programs".into()));
    }
    let entrants = sides.map_values(|who| who.map(|who| who.name.clone()).unwrap_or_default());
    let legs = usize::try_from(own.legs).unwrap_or(1).max(1);
    let header = LegFramesHeader {
        game,
        setup,
        legs,
        entrants,
    };
    Ok(HumanMatchOptions {
        id: own.id.0,
        header,
        tokens,
        people,
        at_home: sides.map_values(|who| who.and_then(|who| who.home.clone())),
        by: opener_of(&present),
        open_table: None,
    })
}

/// The creator for the limits of human matches. Addresses of guests are not stored, so all guests
/// count as one.
fn opener_of(entrants: &[&MatchEntrant]) -> Opener {
    let account = entrants.iter().find_map(|entrant| entrant.user);
    let nowhere = ClientAddress(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    account.map_or(Opener::Guest(nowhere), Opener::Account)
}

async fn read_recorded_legs(
    context: &PlayContext,
    id: MatchId,
) -> Result<Vec<LegRecord>, RunError> {
    let legs = context.store.recorded_legs(id).await?;
    let legs = legs
        .iter()
        .map(|leg| serde_json::from_str(leg))
        .collect::<Result<Vec<LegRecord>, _>>();
    legs.map_err(|error| RunError::Infrastructure(format!("its moves cannot be read: {error}")))
}

/// Ends the match unless its people reconnect in time.
async fn give_up_late(context: PlayContext, human_match: Arc<HumanMatch>) {
    tokio::time::sleep(context.human_matches.return_time()).await;
    if !human_match.prevent_start() {
        return;
    }
    let why = format!("{ENDED}: its people did not come back in time");
    run::void_match(&context, MatchId(human_match.id()), &why).await;
    run::finish_match(&context, &human_match).await;
}
