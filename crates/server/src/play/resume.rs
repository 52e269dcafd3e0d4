//! Matches with people that a stop of their server cut off: whoever starts it again opens their
//! human matches, people join again with their tokens, and the match goes on after its last
//! recorded move.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use leitai_game::ByEntrant;
use leitai_game::replay::LegRecord;
use leitai_judge::ResumePoint;
use leitai_store::{
    LeasedJob, Match, MatchEntrant, MatchEntrantKind, MatchId, StoreError, Timestamp,
};

use super::context::PlayContext;
use super::run::{self, Held, RunError};
use super::{HumanMatch, HumanMatchOptions, Opener, Resumed};
use crate::client_address::ClientAddress;
use crate::live::LegFramesHeader;
use crate::work::queue;

/// Longer than any lease.
const FOREVER: Duration = Duration::from_secs(24 * 3600);
/// Why a match that cannot go on is void.
const ENDED: &str = "ended by a restart of the server";

/// Adds the human matches that a server left behind; those that cannot go on are void.
/// To be called before a server listens, and now and then. Gives how many became void.
///
/// # Errors
/// If the database fails.
pub async fn resume(context: &PlayContext) -> Result<usize, StoreError> {
    if context.human_matches.is_stopping() {
        return Ok(0);
    }
    let now = Timestamp::now();
    // Of an embedded database this is the only server: whatever has no human match here is played
    // by nobody, however long its lease still lasts.
    let ended = if context.store.is_embedded() {
        now.after(FOREVER)
    } else {
        now
    };
    let mut voided = 0;
    for id in context.store.stranded_people(ended).await? {
        if context.human_matches.table(id.0).is_some() {
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

/// Adds a human match again, unless another server has its lease.
async fn open_again(context: &PlayContext, id: MatchId, ended: Timestamp) -> Result<(), RunError> {
    let own = context.store.match_by_id(id).await?;
    let opening = opening(context, &own)?;
    let (setup, legs) = (opening.cast.setup.clone(), recorded(context, id).await?);
    let from =
        ResumePoint::after(&*setup, legs).map_err(|error| RunError::Ours(error.to_string()))?;
    let now = Timestamp::now();
    let taken = context
        .store
        .take_over_people(id, run::WORKER, ended, now, queue::LEASE)
        .await?;
    let Some(LeasedJob { lease, .. }) = taken else {
        return Ok(());
    };
    tracing::info!(%id, steps = from.script.len(), "a match with people waits to go on");
    // The human match is there before the lease is kept, which may stop it.
    let table = context.human_matches.open(opening);
    table.set_resumed(Resumed {
        held: Held::keep(context, lease, &table),
        from,
    });
    tokio::spawn(give_up_late(context.clone(), table));
    Ok(())
}

/// What is played, and who may join.
fn opening(context: &PlayContext, own: &Match) -> Result<HumanMatchOptions, RunError> {
    let fail = |why: String| RunError::Ours(why);
    let game = context
        .find_game(&own.game)
        .ok_or_else(|| fail(format!("there is no game {}", own.game)))?;
    let setup = game
        .deal_setup(&own.config, own.seed.get())
        .map_err(|error| fail(error.to_string()))?;
    let (Some(a), Some(b)) = (&own.a, &own.b) else {
        return Err(fail("an entrant is missing".into()));
    };
    let people =
        ByEntrant::new(a, b).map_values(|entrant| entrant.kind == MatchEntrantKind::Person);
    let tokens = ByEntrant::new(own.a_seat_token.clone(), own.b_seat_token.clone());
    if people
        .iter_pairs()
        .any(|(entrant, person)| *person && tokens[entrant].is_none())
    {
        return Err(fail("a person has no token for a seat".into()));
    }
    let uploaded = [a, b]
        .iter()
        .any(|entrant| entrant.kind == MatchEntrantKind::Bot && !entrant.built_in);
    if uploaded
        && context
            .human_matches
            .workshop()
            .is_none_or(|shop| shop.program_sandbox().is_none())
    {
        return Err(fail("this server runs no uploaded programs".into()));
    }
    let entrants = ByEntrant::new(a.name.clone(), b.name.clone());
    let legs = usize::try_from(own.legs).unwrap_or(1).max(1);
    let cast = LegFramesHeader {
        game,
        setup,
        legs,
        entrants,
    };
    Ok(HumanMatchOptions {
        id: own.id.0,
        cast,
        tokens,
        people,
        by: opener([a, b]),
    })
}

/// To whom the limits of human matches count it. The address of a guest is not kept: all of them count as one.
fn opener(entrants: [&MatchEntrant; 2]) -> Opener {
    let account = entrants.iter().find_map(|entrant| entrant.user);
    let nowhere = ClientAddress(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    account.map_or(Opener::Guest(nowhere), Opener::Account)
}

async fn recorded(context: &PlayContext, id: MatchId) -> Result<Vec<LegRecord>, RunError> {
    let legs = context.store.recorded_legs(id).await?;
    let legs = legs
        .iter()
        .map(|leg| serde_json::from_str(leg))
        .collect::<Result<Vec<LegRecord>, _>>();
    legs.map_err(|error| RunError::Ours(format!("its moves cannot be read: {error}")))
}

/// Ends the match unless its people have come back in time.
async fn give_up_late(context: PlayContext, table: Arc<HumanMatch>) {
    tokio::time::sleep(context.human_matches.returning()).await;
    if !table.withdraw() {
        return;
    }
    let why = format!("{ENDED}: its people did not come back in time");
    run::void(&context, MatchId(table.id()), &why).await;
    run::finish_match(&context, &table).await;
}
