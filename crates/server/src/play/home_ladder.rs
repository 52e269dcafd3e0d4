//! The ladders of programs at home, where the operator opens them: rated matches between programs whose
//! commands ask for them, and against built-in bots as anchors. Every server looks; the database lets
//! one of them call a program, and count a match.

use std::collections::BTreeMap;
use std::time::Duration;

use leitai_game::{ByEntrant, GameHandle};
use leitai_ladder::pairing::{WaitingPlayer, pick_opponents};
use leitai_ladder::weng_lin::Rating;
use leitai_store::{
    BotId, HomeBotId, HomeCandidate, LadderId, MatchKind, NewHomeMatch, NewMatch, PerSide,
    StoreError, Timestamp, UserId,
};
use serde_json::Value;

use super::Opener;
use super::context::PlayContext;
use crate::live::LegFramesHeader;
use crate::sync::call_rules;

/// The pause between two looks.
const LOOK: Duration = Duration::from_secs(2);
/// How long a program is free for others after it began a rated match.
const REST: Duration = Duration::from_secs(10);
/// Stands for as many matches that two are not paired.
const NEVER: u32 = u32::MAX;
/// The priority of a match with programs at home.
const PRIORITY: i32 = 100;

/// The games with a ladder of programs at home, and what is played there.
pub type HomeLadders = BTreeMap<String, Value>;

/// Pairs programs and rates their matches, for ever.
pub async fn keep_home_ladders(context: PlayContext, ladders: HomeLadders) {
    loop {
        tokio::time::sleep(LOOK).await;
        if context.human_matches.is_stopping() {
            return;
        }
        if let Err(error) = context.store.count_home_matches().await {
            tracing::warn!(%error, "matches of programs at home are not rated; tried again in a moment");
        }
        for (game, config) in &ladders {
            let Some(game) = context.find_game(game) else {
                continue;
            };
            if let Err(error) = pair_programs(&context, &game, config).await {
                tracing::warn!(%error, "programs at home are not paired; tried again in a moment");
            }
        }
    }
}

/// Who may play.
#[derive(Clone, Copy, Debug)]
pub enum Player {
    /// A program, and its author.
    Program(HomeBotId, UserId),
    /// A built-in bot, whose rating stays.
    BuiltIn(BotId),
}

/// Lets the programs of a game that wait play, until none waits.
async fn pair_programs(
    context: &PlayContext,
    game: &GameHandle,
    config: &Value,
) -> Result<(), StoreError> {
    let (id, now) = (game.meta().id, Timestamp::now());
    let rested = |one: &HomeCandidate| one.played.is_none_or(|at| now.since(at) >= REST);
    let waiting = context.store.home_candidates(id, now).await?;
    let waiting: Vec<HomeCandidate> = waiting.into_iter().filter(rested).collect();
    if waiting.is_empty() {
        return Ok(());
    }
    let met = context.store.home_meetings(id).await?;
    let ladder = context.store.load_pairing(&LadderId::standard(id)).await?;
    let anchors = ladder.candidates.iter().filter(|one| one.is_built_in);
    let anchors = anchors.map(|one| (Player::BuiltIn(one.bot), one.rating, 0));
    // Whoever has waited for longest comes first.
    let programs = waiting.iter().map(|one| {
        let waited = one.played.map_or(u64::MAX, |at| now.since(at).as_secs());
        (Player::Program(one.id, one.owner), one.rating, waited)
    });
    let mut players: Vec<(Player, Rating, u64)> = programs.chain(anchors).collect();
    while let Some(pair) = pick_pair(&players, |one, two| {
        met.get(&(one.min(two), one.max(two))).copied().unwrap_or(0)
    }) {
        play(context, game, config, pair).await?;
        let played = pair.map(|(player, _)| player);
        players.retain(|(one, ..)| match one {
            Player::Program(id, _) => !played
                .iter()
                .any(|own| matches!(own, Player::Program(other, _) if other == id)),
            Player::BuiltIn(_) => true,
        });
    }
    Ok(())
}

/// The program that waits for longest, and who fits; `None` if nobody may play. Of each it is known how long
/// it has waited.
pub fn pick_pair(
    players: &[(Player, Rating, u64)],
    met: impl Fn(HomeBotId, HomeBotId) -> u32,
) -> Option<[(Player, Rating); 2]> {
    let waiting = players.iter().map(|(_, rating, waited)| WaitingPlayer {
        skill: rating.shown_rating().value,
        waited: *waited,
    });
    let waiting: Vec<WaitingPlayer> = waiting.collect();
    let often = |one: usize, two: usize| match (players[one].0, players[two].0) {
        (Player::Program(one, owner), Player::Program(two, other)) if owner != other => {
            met(one, two)
        }
        // An author with two programs would let one of them win.
        (Player::Program(..), Player::Program(..)) | (Player::BuiltIn(_), Player::BuiltIn(_)) => {
            NEVER
        }
        _ => 0,
    };
    let (one, two) = pick_opponents(&waiting, often, rand::random())?;
    if often(one, two) == NEVER {
        return None;
    }
    let mut pair = [one, two].map(|index| (players[index].0, players[index].1));
    if rand::random::<bool>() {
        pair.reverse();
    }
    Some(pair)
}

/// Lets two play. A program that is not offered any more, or that somebody else has just called, is
/// left for the next look.
async fn play(
    context: &PlayContext,
    game: &GameHandle,
    config: &Value,
    pair: [(Player, Rating); 2],
) -> Result<(), StoreError> {
    let owner = pair.iter().find_map(|(player, _)| match player {
        Player::Program(_, owner) => Some(Opener::Account(*owner)),
        Player::BuiltIn(_) => None,
    });
    let has_room = |by: &Opener| context.human_matches.check_limits(*by).is_ok();
    let Some(owner) = owner.filter(has_room) else {
        return Ok(());
    };
    let seed = u64::from(rand::random::<u32>());
    let dealt = call_rules(&**game, || {
        let config = game.read_config(config)?;
        let setup = game.deal_setup(&config, seed)?;
        Ok::<_, leitai_game::InvalidSetup>((config, setup))
    });
    let (config, setup) = dealt.map_err(|why| StoreError::Refused(why.0.to_string()))?;
    let (mut entrants, mut offered, mut anchor) = ([None, None], [None, None], None);
    for (index, (player, rating)) in pair.into_iter().enumerate() {
        match player {
            Player::Program(id, _) => offered[index] = Some(id),
            Player::BuiltIn(bot) => {
                entrants[index] = Some(context.store.bot_entrant(bot).await?);
                anchor = Some(rating);
            }
        }
    }
    let [a, b] = offered;
    let new = NewMatch {
        config,
        priority: PRIORITY,
        ..NewMatch::new(
            game.meta().id,
            MatchKind::Human,
            entrants.into(),
            seed.into(),
            game.meta().legs,
        )
    };
    let wanted = NewHomeMatch {
        new,
        offered: PerSide { a, b },
        rated: Some(anchor),
    };
    let header = LegFramesHeader {
        game: game.clone(),
        setup,
        legs: game.meta().legs,
        entrants: ByEntrant::default(),
    };
    match context.open_home_match(wanted, header, owner).await {
        Ok(_) | Err(StoreError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
