//! The challenge of the day: a moment of a ladder match at which the game was still open, from which
//! everybody plays on against the same opponent; where the ladder has none, a short match on the
//! map of the day. The leading server makes it once a day, with a bounded number of nodes.

mod position;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use leitai_contest::date::day_in_zone;
use leitai_game::{AnyGame, GameHandle, GameSet, Replay};
use leitai_store::{
    BlobKey, BlobStore, Json, LadderId, MatchFilter, MatchId, MatchKind, MatchRow, MatchState,
    PageQuery, Store, StoreError, Timestamp,
};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub use position::{OpenPosition, find_open_position};

use crate::sync::{call_rules, lock};
use crate::work::continuation::MatchOrigin;

/// The latest matches of a ladder whose replays are read, the latest first.
const READ: u64 = 6;
/// After a failure the challenge is made again after this time.
const RETRY: Duration = Duration::from_secs(60);
/// The opponent is this level of the game's scale, from 0, or the strongest below it: who has
/// played a few evenings beats it.
const LEVEL: usize = 4;
/// The options of a short match, as far as the game has them, beside those of a level.
const SHORT: [(&str, &str, u64); 2] = [("snakego", "max_round", 128), ("tankcraft", "rounds", 100)];

/// The challenge of a day, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Challenge {
    /// The game's id.
    pub game: String,
    /// The built-in bot that everybody plays against.
    pub opponent: String,
    /// The seed of the map.
    pub seed: u64,
    /// The config with all defaults.
    pub config: Json,
    /// The moment from which it is played; `None`: from the beginning.
    pub from: Option<MatchOrigin>,
    /// Whether the person has the first seat.
    pub first: bool,
    /// The chance to win with the best action at that moment, as the assessor sees it.
    pub chance: Option<f64>,
    /// The rounds that are left at most.
    pub rounds: u32,
}

/// The day of the arena at this moment, and when the next one begins.
pub fn day_of(at: Timestamp, zone: &str) -> (String, Timestamp) {
    let (day, next) = day_in_zone(at.0.div_euclid(1000), zone);
    (day, Timestamp(next.saturating_mul(1000)))
}

/// Makes the challenges of an arena. Clones share what they know.
#[derive(Clone)]
pub struct DailyMaker {
    games: GameSet,
    store: Store,
    blobs: BlobStore,
    zone: Arc<str>,
    /// The day whose challenge is known to be there, and when it was last tried.
    last: Arc<Mutex<(String, Timestamp)>>,
}

impl DailyMaker {
    /// The maker for days of this time zone.
    pub fn new(games: &GameSet, store: Store, blobs: BlobStore, zone: &str) -> DailyMaker {
        DailyMaker {
            games: games.clone(),
            store,
            blobs,
            zone: zone.into(),
            last: Arc::default(),
        }
    }

    /// Makes the challenge of the day in a task of its own, unless it is there or was tried a moment
    /// ago.
    pub fn make_if_due(&self, at: Timestamp) {
        let (day, _) = day_of(at, &self.zone);
        let mut last = lock(&self.last);
        if last.0 == day || at.since(last.1) < RETRY && last.1 <= at {
            return;
        }
        last.1 = at;
        drop(last);
        let maker = self.clone();
        tokio::spawn(async move {
            match maker.make(&day, at).await {
                Ok(()) => lock(&maker.last).0 = day,
                Err(error) => {
                    tracing::warn!(%error, "the challenge of the day was not made; tried again in a minute");
                }
            }
        });
    }

    /// Makes the challenge of a day unless it is there.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn make(&self, day: &str, at: Timestamp) -> Result<(), StoreError> {
        if self.store.daily_challenge(day).await?.is_some() {
            return Ok(());
        }
        let Some(challenge) = self.find_challenge(at).await? else {
            return Ok(());
        };
        let text = serde_json::to_string(&challenge).expect("it is plain data");
        self.store.keep_daily_challenge(day, &text, at).await?;
        tracing::info!(day, game = challenge.game, from = ?challenge.from, "the challenge of the day was made");
        Ok(())
    }

    /// A challenge in the game of the day, or in the next one that has a position; else a short match
    /// in the game of the day.
    async fn find_challenge(&self, at: Timestamp) -> Result<Option<Challenge>, StoreError> {
        let known = self.games.list();
        let games: Vec<&GameHandle> = (known.iter())
            .filter(|game| opponent_of(&***game).is_some())
            .collect();
        if games.is_empty() {
            return Ok(None);
        }
        let (day, _) = day_of(at, &self.zone);
        let turn = day.bytes().filter(u8::is_ascii_digit);
        let turn = turn.fold(0_usize, |sum, digit| {
            sum * 10 % 100_000 + usize::from(digit)
        });
        for step in 0..games.len() {
            let game = games[(turn + step) % games.len()];
            if let Some(found) = self.find_in_ladder(game).await? {
                return Ok(Some(found));
            }
        }
        Ok(short_match(&**games[turn % games.len()]))
    }

    /// The best open position of the latest matches on a game's standard ladder.
    async fn find_in_ladder(&self, game: &GameHandle) -> Result<Option<Challenge>, StoreError> {
        let id = game.meta().id;
        let filter = MatchFilter {
            ladder: Some(LadderId::standard(id)),
            kind: Some(MatchKind::Ladder),
            state: Some(MatchState::Finished),
            ..MatchFilter::default()
        };
        let ask = PageQuery::first_page(READ);
        let latest = self.store.list_matches(&filter, &ask).await?;
        let mut replays = Vec::new();
        for own in latest.items {
            replays.extend(self.read_replay(&own).await?);
        }
        let rules = game.clone();
        let search = move || {
            let found = (replays.into_iter()).filter_map(|(id, replay)| {
                let position = find_open_position(&*rules, &replay)?;
                Some((id, replay, position))
            });
            found.max_by(|(_, _, one), (_, _, other)| one.worth.total_cmp(&other.worth))
        };
        let found = tokio::task::spawn_blocking(search).await.ok().flatten();
        Ok(found.and_then(|(id, replay, position)| {
            Some(Challenge {
                game: game.meta().id.to_owned(),
                opponent: opponent_of(&**game)?.to_owned(),
                seed: replay.seed?,
                config: replay.config.clone(),
                from: Some(MatchOrigin {
                    match_id: id.0,
                    leg: 1,
                    round: position.round,
                }),
                first: position.first,
                chance: Some(position.chance),
                rounds: position.rounds,
            })
        }))
    }

    /// The replay of a match, if there is one and it can be read.
    async fn read_replay(&self, own: &MatchRow) -> Result<Option<(MatchId, Replay)>, StoreError> {
        let found = self.store.match_by_id(own.id).await?;
        let key = found.replay.as_deref().map(BlobKey::parse);
        let Some(Ok(key)) = key else { return Ok(None) };
        let Ok(bytes) = self.blobs.read_blob(&key).await else {
            return Ok(None);
        };
        let replay = Replay::parse(&String::from_utf8_lossy(&bytes)).ok();
        Ok(replay.map(|replay| (own.id, replay)))
    }
}

/// The built-in bot that challenges in this game are played against. There are none in games that came
/// as a file: nobody knows what their rules cost.
fn opponent_of(game: &dyn AnyGame) -> Option<&'static str> {
    let scale = game.rating_scale();
    let levels = &scale.filter(|_| game.capabilities().prompt_rules)?.levels;
    let level = levels.get(LEVEL).or(levels.last())?;
    Some(level.name)
}

/// A short match on a map of its own.
fn short_match(game: &dyn AnyGame) -> Option<Challenge> {
    let id = game.meta().id;
    let seed = u64::from(rand::rng().random::<u32>());
    let own = SHORT.iter().find(|(game, ..)| *game == id);
    let choices = match own {
        Some((_, key, rounds)) => json!({*key: rounds, "stop_decided": true}),
        None => json!({}),
    };
    let config = call_rules(game, || game.read_config(&choices)).ok()?;
    let setup = call_rules(game, || game.deal_setup(&config, seed)).ok()?;
    Some(Challenge {
        game: id.to_owned(),
        opponent: opponent_of(game)?.to_owned(),
        seed,
        config,
        from: None,
        first: true,
        chance: None,
        rounds: setup.max_rounds(),
    })
}
