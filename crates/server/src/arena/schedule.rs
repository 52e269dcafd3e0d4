//! The scheduler: keeps every ladder moving, and something to watch in every game.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use leitai_game::AnyGame;
use leitai_ladder::pairing::{Waiting, pick};
use leitai_store::{
    Ask, BotId, Candidate, Entrant, Json, Match, MatchFilter, MatchKind, MatchState, NewMatch, Pairing, Seed,
    Store, StoreError, Timestamp,
};
use rand::RngExt;

/// How it schedules.
#[derive(Clone, Debug)]
pub struct ScheduleOptions {
    /// Its name: that of its server's worker. Of several servers on one database only the oldest schedules.
    pub name: String,
    /// Matches that the arena plays at once.
    pub slots: usize,
    /// Time between two ladder matches of a game whose ratings have settled, so that a laptop stays cool.
    pub ladder_every: Duration,
    /// Whether every game has a match to watch all the time.
    pub shows: bool,
    /// Whether uploaded programs may appear in shows.
    pub programs: bool,
    /// What ladders and shows play, by game, where it is not the game's usual config.
    pub configs: BTreeMap<String, Json>,
}

impl ScheduleOptions {
    /// The usual ones.
    pub fn new(name: impl Into<String>, slots: usize) -> ScheduleOptions {
        let ladder_every = Duration::from_secs(25);
        ScheduleOptions {
            name: name.into(),
            slots,
            ladder_every,
            shows: true,
            programs: true,
            configs: BTreeMap::new(),
        }
    }
}

/// How often it looks.
const LOOK: Duration = Duration::from_secs(1);
/// A server that was not heard of for so long is gone.
const GONE: Duration = Duration::from_secs(10);
/// A doubt that is no more than this, on the scale of the paper (a newcomer's is 8.3), has settled: about 100 Elo, after
/// some 60 matches.
const SETTLED: f64 = 3.5;
/// Larger means first: what people asked for comes before ladders.
const PRIORITY: i32 = 0;

/// The scheduler.
pub struct Scheduler {
    games: &'static [&'static dyn AnyGame],
    store: Store,
    options: ScheduleOptions,
    /// When a ladder match of a game was made last.
    last: HashMap<&'static str, Timestamp>,
}

impl Scheduler {
    /// A scheduler of these games.
    pub fn new(games: &'static [&'static dyn AnyGame], store: Store, options: ScheduleOptions) -> Scheduler {
        Scheduler { games, store, options, last: HashMap::new() }
    }

    /// Puts the built-in bots of every game on its ladder, and cancels the shows that a server of this name left behind.
    pub async fn open(&self, at: Timestamp) -> Result<(), StoreError> {
        for game in self.games {
            for (name, about) in game.bots() {
                match self.store.ensure_built_in(game.meta().id, name, about.en, at).await {
                    Ok(_) => {}
                    Err(StoreError::Taken { .. }) => {
                        tracing::warn!(
                            game = game.meta().id,
                            name,
                            "a person's bot has the name of a built-in bot"
                        );
                    }
                    Err(error) => return Err(error),
                }
            }
            self.cancel_left_over(game.meta().id, at).await?;
        }
        Ok(())
    }

    async fn cancel_left_over(&self, game: &str, at: Timestamp) -> Result<(), StoreError> {
        for shown in self.shows_of(game, MatchState::Running).await? {
            let left = self.store.match_by_id(shown).await?;
            if left.worker.as_deref() == Some(&self.options.name) {
                match self.store.cancel_match(shown, "its server was started again", at).await {
                    Ok(_) | Err(StoreError::Refused(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Schedules until the future that it is raced with ends.
    pub async fn run(mut self) {
        loop {
            match self.tick(Timestamp::now()).await {
                Ok(made) if made > 0 => tracing::debug!(made, "matches were made"),
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "cannot schedule"),
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Makes the matches that are due; how many.
    pub async fn tick(&mut self, at: Timestamp) -> Result<usize, StoreError> {
        if !self.leads(at).await? {
            return Ok(0);
        }
        let mut made = 0;
        for game in self.games {
            let mut pairing = self.store.pairing(game.meta().id).await?;
            if self.options.shows {
                made += self.show(*game, &pairing, at).await?;
            }
            made += self.ladder(*game, &mut pairing, at).await?;
        }
        Ok(made)
    }

    /// Whether no older server is alive.
    async fn leads(&self, at: Timestamp) -> Result<bool, StoreError> {
        let alive = self.store.workers(at.before(GONE)).await?;
        let oldest =
            alive.iter().filter(|worker| !worker.remote).min_by_key(|worker| (worker.created, &worker.name));
        Ok(oldest.is_none_or(|oldest| oldest.name == self.options.name))
    }

    async fn ladder(
        &mut self,
        game: &'static dyn AnyGame,
        pairing: &mut Pairing,
        at: Timestamp,
    ) -> Result<usize, StoreError> {
        let id = game.meta().id;
        let most = (2 * self.options.slots).div_ceil(self.games.len().max(1)).max(1) as u64;
        let last = self.last.get(id).copied();
        let wanted = wanted(pairing, most, last.map(|last| at.since(last)), self.options.ladder_every);
        let pairs = pairs(pairing, wanted, || rand::rng().random());
        let mut new = Vec::new();
        for [a, b] in &pairs {
            let (a, b) = (self.store.entrant(*a).await, self.store.entrant(*b).await);
            match (a, b) {
                (Ok(a), Ok(b)) => new.push(self.configured(new_match(game, MatchKind::Ladder, a, b))),
                // Somebody took it off the ladder just now.
                (Err(StoreError::Refused(_)), _) | (_, Err(StoreError::Refused(_))) => {}
                (Err(error), _) | (_, Err(error)) => return Err(error),
            }
        }
        if new.is_empty() {
            return Ok(0);
        }
        self.last.insert(id, at);
        Ok(self.store.create_matches(new, at).await?.len())
    }

    async fn show(
        &self,
        game: &'static dyn AnyGame,
        pairing: &Pairing,
        at: Timestamp,
    ) -> Result<usize, StoreError> {
        for state in [MatchState::Running, MatchState::Queued] {
            if !self.shows_of(game.meta().id, state).await?.is_empty() {
                return Ok(0);
            }
        }
        let mut entrants = Vec::new();
        for candidate in &pairing.candidates {
            match self.store.entrant(candidate.bot).await {
                Ok(entrant) if entrant.built_in || self.options.programs => {
                    entrants.push((candidate.rating.shown().value, entrant));
                }
                Ok(_) | Err(StoreError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let Some([a, b]) = cast(&entrants, &mut rand::rng()) else { return Ok(0) };
        let new = self.configured(new_match(game, MatchKind::Show, a, b));
        self.store.create_match(new, at).await?;
        Ok(1)
    }

    fn configured(&self, new: NewMatch) -> NewMatch {
        let config = self.options.configs.get(&new.game).cloned();
        NewMatch { config: config.unwrap_or(new.config), ..new }
    }

    async fn shows_of(
        &self,
        game: &str,
        state: MatchState,
    ) -> Result<Vec<leitai_store::MatchId>, StoreError> {
        let (game, kind, state) = (Some(game.to_owned()), Some(MatchKind::Show), Some(state));
        let filter = MatchFilter { game, kind, state, ..MatchFilter::default() };
        Ok(self
            .store
            .matches(&filter, &Ask::first(10))
            .await?
            .items
            .into_iter()
            .map(|shown| shown.id)
            .collect())
    }
}

/// A match with the game's own choices and a fresh seed.
pub fn new_match(game: &dyn AnyGame, kind: MatchKind, a: Entrant, b: Entrant) -> NewMatch {
    let meta = game.meta();
    NewMatch {
        game: meta.id.to_owned(),
        kind,
        a: Some(a),
        b: Some(b),
        seats: Default::default(),
        invite: None,
        seed: Seed::from(seed()),
        config: game.config(&Json::Null).unwrap_or(Json::Null),
        limits: Json::Null,
        legs: i32::try_from(meta.legs).unwrap_or(1),
        priority: PRIORITY,
    }
}

/// A seed that people can read, type, and keep in a spreadsheet or a script: less than 2^53.
pub fn seed() -> u64 {
    rand::rng().random::<u64>() >> 11
}

/// How many ladder matches are to be made now.
fn wanted(pairing: &Pairing, most: u64, last: Option<Duration>, every: Duration) -> u64 {
    if pairing.candidates.len() < 2 {
        return 0;
    }
    if pairing.candidates.iter().any(|candidate| candidate.rating.doubt > SETTLED) {
        return most.saturating_sub(pairing.open);
    }
    u64::from(pairing.open == 0 && last.is_none_or(|last| last >= every))
}

/// Who plays whom, in random order of the two.
fn pairs(pairing: &mut Pairing, wanted: u64, mut chance: impl FnMut() -> u64) -> Vec<[BotId; 2]> {
    let mut picked = Vec::new();
    for _ in 0..wanted {
        let candidates = &pairing.candidates;
        let waiting = |one: &Candidate| Waiting { skill: one.rating.shown().value, waited: one.waited };
        let waiting: Vec<Waiting> = candidates.iter().map(waiting).collect();
        let met = |one: usize, two: usize| {
            let pair = ordered(candidates[one].bot, candidates[two].bot);
            pairing.met.get(&pair).copied().unwrap_or(0)
        };
        let Some((one, two)) = pick(&waiting, met, chance()) else { break };
        let (one, two) = (candidates[one].bot, candidates[two].bot);
        *pairing.met.entry(ordered(one, two)).or_default() += 1;
        for candidate in &mut pairing.candidates {
            let plays = candidate.bot == one || candidate.bot == two;
            candidate.waited = if plays { 0 } else { candidate.waited.saturating_add(1) };
        }
        picked.push(if chance().is_multiple_of(2) { [one, two] } else { [two, one] });
    }
    picked
}

fn ordered(one: BotId, two: BotId) -> (BotId, BotId) {
    (one.min(two), one.max(two))
}

/// Two near each other, the strong ones more often, with their skill.
fn cast(entrants: &[(f64, Entrant)], rng: &mut impl RngExt) -> Option<[Entrant; 2]> {
    if entrants.len() < 2 {
        return None;
    }
    let mut order: Vec<&(f64, Entrant)> = entrants.iter().collect();
    order.sort_by(|one, two| two.0.total_cmp(&one.0));
    // The lower of two numbers: the best of n comes n times as often as the worst.
    let first = rng.random_range(0..order.len()).min(rng.random_range(0..order.len()));
    let near = [first.checked_sub(1), Some(first + 1), first.checked_sub(2), Some(first + 2)];
    let near: Vec<usize> = near.into_iter().flatten().filter(|at| *at < order.len()).take(3).collect();
    let second = near[rng.random_range(0..near.len())];
    let mut pair = [order[first].1.clone(), order[second].1.clone()];
    if rng.random() {
        pair.reverse();
    }
    Some(pair)
}

/// For whoever asks for a match by hand.
pub async fn friendly(
    store: &Store,
    game: &'static dyn AnyGame,
    entrants: [Entrant; 2],
    seed: Option<u64>,
    config: &Json,
    at: Timestamp,
) -> Result<Match, FriendlyError> {
    let config = game.config(config).map_err(|error| FriendlyError::Config(error.to_string()))?;
    let seed = Seed::from(seed.unwrap_or_else(self::seed));
    // Only a deal shows whether the choices fit together.
    game.deal(&config, seed.get()).map_err(|error| FriendlyError::Config(error.to_string()))?;
    let [a, b] = entrants;
    let new =
        NewMatch { seed, config, priority: PRIORITY + 10, ..new_match(game, MatchKind::Friendly, a, b) };
    Ok(store.create_match(new, at).await?)
}

/// Why a friendly match was not made.
#[derive(Debug, thiserror::Error)]
pub enum FriendlyError {
    /// The game's choices are none.
    #[error("{0}")]
    Config(String),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use leitai_ladder::weng_lin::Rating;
    use leitai_store::VersionId;

    fn pairing(doubts: &[f64], open: u64) -> Pairing {
        let candidate = |(index, doubt): (usize, &f64)| Candidate {
            bot: BotId(index as i64),
            version: VersionId(index as i64),
            rating: Rating { skill: 25.0 + index as f64, doubt: *doubt },
            waited: u64::MAX,
        };
        Pairing { candidates: doubts.iter().enumerate().map(candidate).collect(), met: HashMap::new(), open }
    }

    #[test]
    fn the_queue_is_short_and_settled_ladders_are_slow() {
        let check = |doubts: &[f64], open: u64, last: Option<u64>, expected: u64| {
            let (every, last) = (Duration::from_secs(25), last.map(Duration::from_secs));
            assert_eq!(
                wanted(&pairing(doubts, open), 4, last, every),
                expected,
                "{doubts:?} {open} {last:?}"
            );
        };
        check(&[], 0, None, 0);
        check(&[8.3], 0, None, 0);
        check(&[8.3, 8.3], 0, None, 4);
        check(&[8.3, 1.0], 3, Some(0), 1);
        check(&[8.3, 8.3], 4, None, 0);
        check(&[8.3, 8.3], 9, None, 0);
        check(&[1.0, 2.0], 0, None, 1);
        check(&[1.0, 2.0], 0, Some(24), 0);
        check(&[1.0, 2.0], 0, Some(25), 1);
        check(&[1.0, 2.0], 1, Some(60), 0);
    }

    #[test]
    fn newcomers_play_first_and_nobody_starves() {
        let mut ladder = pairing(&[1.0; 7], 0);
        ladder.candidates.iter_mut().for_each(|one| one.waited = 3);
        ladder.candidates[5].waited = u64::MAX;
        let mut chance = 0;
        let mut next = || {
            chance += 1;
            chance
        };
        let first = pairs(&mut ladder, 1, &mut next);
        assert!(first[0].contains(&BotId(5)), "{first:?}");
        let played = pairs(&mut ladder, 70, &mut next);
        for window in played.windows(7) {
            let seen = |bot: i64| window.iter().any(|pair| pair.contains(&BotId(bot)));
            assert!((0..7).all(seen), "{window:?}");
        }
        assert!(played.iter().all(|[a, b]| a != b));
    }

    #[test]
    fn shows_are_varied_and_between_near_bots() {
        let entrant = |name: &str| Entrant { built_in: true, ..Entrant::person(name, None) };
        let all: Vec<(f64, Entrant)> = ["a", "b", "c", "d", "e", "f"]
            .iter()
            .enumerate()
            .map(|(n, name)| (n as f64, entrant(name)))
            .collect();
        let mut rng = rand::rng();
        assert_eq!(cast(&all[..1], &mut rng), None);
        let mut seen = HashMap::<String, usize>::new();
        for _ in 0..600 {
            let [one, two] = cast(&all, &mut rng).expect("there are six");
            let place = |one: &Entrant| {
                all.iter().position(|(_, other)| other.name == one.name).expect("one of them")
            };
            let apart = place(&one).abs_diff(place(&two));
            assert!((1..=2).contains(&apart), "{} {}", one.name, two.name);
            [one, two].iter().for_each(|one| *seen.entry(one.name.clone()).or_default() += 1);
        }
        assert_eq!(seen.len(), 6, "{seen:?}");
        assert!(seen["f"] > seen["a"], "{seen:?}");
    }
}
