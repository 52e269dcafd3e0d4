//! The scheduler itself.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use leitai_game::{AnyGame, GameHandle, GameSet};
use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::weng_lin::Rating;
use leitai_store::values::secret::random_token;
use leitai_store::{LadderId, LadderPairing, MatchKind, Store, StoreError, Timestamp};
use metrics::gauge;
use rand::RngExt;

use crate::contests::advance::{ContestSteps, advance_contests};
use crate::daily::DailyMaker;
use crate::experiments::advance::{ExperimentRunner, ExperimentSteps};
use crate::ladders::LadderRules;
use crate::metrics_registry::LEADER;
use crate::schedule::capacity::WorkerCapacity;
use crate::schedule::exhibitions::{cancel_left_over, create_exhibition, needs_exhibition};
use crate::schedule::new_match::new_match;
use crate::schedule::options::{NO_LADDER, ScheduleOptions};
use crate::schedule::pairing::{
    choose_pairs, count_seeking, is_unsettled, match_interval, rest_built_ins, wanted_matches,
};

/// The interval of the scheduler.
const LOOK: Duration = Duration::from_secs(1);
/// The interval of the scheduler while there is nothing to schedule, unless there is news.
const QUIET: Duration = Duration::from_secs(5);
/// The time between two updates of the divisions of a ladder.
const DIVIDE: Duration = Duration::from_secs(10);
/// The time between two looks for bots that stand higher on a ladder than ever.
const RANKS: Duration = Duration::from_secs(600);
/// How long a server leads unless it renews its lead, which it does at every look: of several
/// servers on one database only the leader schedules.
pub const LEAD: Duration = Duration::from_secs(8);
/// Queued matches for each slot: the minimum, and the maximum for matches so short that the queue
/// runs empty.
const DEPTH: [u64; 2] = [2, 16];

/// A ladder that is fed.
struct ScheduledLadder {
    game: GameHandle,
    rules: LadderRules,
}

impl ScheduledLadder {
    fn both(&self) -> (&dyn AnyGame, &LadderRules) {
        (&*self.game, &self.rules)
    }
}

/// When something was last done for each ladder.
#[derive(Debug, Default)]
struct LastTimes(HashMap<LadderId, Timestamp>);

impl LastTimes {
    /// Whether it was done so long ago, or never.
    fn is_due(&self, ladder: &LadderId, every: Duration, at: Timestamp) -> bool {
        let last = self.0.get(ladder);
        last.is_none_or(|last| at.since(*last) >= every)
    }

    fn note(&mut self, ladder: &LadderId, at: Timestamp) {
        self.0.insert(ladder.clone(), at);
    }
}

/// The scheduler.
pub struct Scheduler {
    games: GameSet,
    store: Store,
    options: ScheduleOptions,
    /// The games whose ladders these are.
    opened: Arc<[GameHandle]>,
    ladders: Arc<[ScheduledLadder]>,
    /// When the last match of each ladder was due.
    last: HashMap<LadderId, Timestamp>,
    /// When the divisions of each ladder were last updated.
    divided: LastTimes,
    /// When the best ranks of each ladder were last noted.
    ranked: LastTimes,
    /// Matches in the queue for each slot, by ladder.
    depth: HashMap<LadderId, u64>,
    /// The name under which this server leads, new at every start.
    leader_name: String,
    /// Whether this server led at the last look.
    leads: bool,
    /// Whether the lack of workers was logged.
    said_idle: bool,
    /// Whether there was nothing to schedule at the last look.
    quiet: bool,
    /// Whether somebody was here to watch exhibitions at the last look.
    is_watched_here: bool,
    /// Whether somebody is there to watch exhibitions.
    has_audience: Box<dyn Fn(Timestamp) -> bool + Send + Sync>,
    /// Makes the challenge of the day while this server leads.
    daily: Option<DailyMaker>,
    experiments: ExperimentRunner,
}

impl Scheduler {
    /// A scheduler of these games.
    pub fn new(games: impl Into<GameSet>, store: Store, options: ScheduleOptions) -> Scheduler {
        Scheduler {
            games: games.into(),
            opened: Arc::default(),
            ladders: Arc::default(),
            store,
            options,
            last: HashMap::new(),
            divided: LastTimes::default(),
            ranked: LastTimes::default(),
            depth: HashMap::new(),
            leader_name: random_token(),
            leads: false,
            said_idle: false,
            quiet: false,
            is_watched_here: false,
            has_audience: Box::new(|_| true),
            daily: None,
            experiments: ExperimentRunner::default(),
        }
    }

    /// Exhibitions begin only while somebody is there to watch.
    pub fn with_audience(
        self,
        has_audience: impl Fn(Timestamp) -> bool + Send + Sync + 'static,
    ) -> Scheduler {
        Scheduler {
            has_audience: Box::new(has_audience),
            ..self
        }
    }

    /// Makes the challenge of each day.
    pub fn with_daily(self, maker: DailyMaker) -> Scheduler {
        Scheduler {
            daily: Some(maker),
            ..self
        }
    }

    /// Opens the ladders of every game, enters its built-in bots, most of them on its ladders, and
    /// cancels the exhibitions that an earlier process of this name left behind.
    pub async fn open_ladders(&self, at: Timestamp) -> Result<(), StoreError> {
        for game in self.games.list().iter() {
            self.open_ladders_of(game, at).await?;
            cancel_left_over(&self.store, &self.options.name, game.meta().id, at).await?;
        }
        Ok(())
    }

    async fn open_ladders_of(&self, game: &GameHandle, at: Timestamp) -> Result<(), StoreError> {
        for (name, about) in game.list_bots() {
            let ensured = self.ensure_built_in(&**game, (name, about.en), at).await;
            match ensured {
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
        let id = game.meta().id;
        let further = self.options.ladders.further(id).map(|own| own.id.clone());
        let further: Vec<LadderId> = further.collect();
        self.store.open_ladders(id, &further).await
    }

    /// Games come and go while the server runs: opens the ladders of new ones, and feeds those of the
    /// games that are there.
    async fn follow_games(&mut self, at: Timestamp) -> Result<(), StoreError> {
        let listed = self.games.list();
        if Arc::ptr_eq(&listed, &self.opened) {
            return Ok(());
        }
        for game in listed.iter() {
            let is_known = |old: &GameHandle| old.meta() == game.meta();
            if !self.opened.is_empty() && !self.opened.iter().any(is_known) {
                self.open_ladders_of(game, at).await?;
            }
        }
        let of_game = |game: &GameHandle| {
            let (game, ladders) = (game.clone(), self.options.ladders.of_game(&**game));
            let ladder = move |rules| ScheduledLadder {
                game: game.clone(),
                rules,
            };
            ladders.into_iter().map(ladder)
        };
        self.ladders = listed.iter().flat_map(of_game).collect();
        self.opened = listed;
        Ok(())
    }

    async fn ensure_built_in(
        &self,
        game: &dyn AnyGame,
        (name, about): (&str, &str),
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let (id, store) = (game.meta().id, &self.store);
        let known = known_rating(game, name).filter(|_| self.options.known_ratings);
        match known {
            _ if !game.is_on_ladder(name) => {
                let scale = game.rating_scale();
                let number = scale.map_or(1, |scale| scale.version_of(name)) as i32;
                store
                    .ensure_unranked_built_in(id, name, about, number, at)
                    .await?
            }
            Some(rating) => {
                store
                    .ensure_rated_built_in(id, name, about, rating, at)
                    .await?
            }
            None => store.ensure_built_in(id, name, about, at).await?,
        };
        Ok(())
    }

    /// Schedules until the future is dropped.
    pub async fn run(mut self) {
        let (mut jobs, mut versions) = (self.store.job_arrivals(), self.store.version_changes());
        loop {
            jobs.mark_unchanged();
            versions = versions.resubscribe();
            match self.create_matches(Timestamp::now()).await {
                Ok(made) if made > 0 => tracing::debug!(made, "matches were made"),
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "cannot schedule"),
            }
            let looked = tokio::time::Instant::now();
            loop {
                tokio::time::sleep(LOOK).await;
                let news = jobs.has_changed().unwrap_or(true) || !versions.is_empty();
                let may_rest = !news && self.may_rest(Timestamp::now());
                if !may_rest || looked.elapsed() >= QUIET {
                    break;
                }
            }
        }
    }

    /// Whether the next look may wait: nothing was due at the last one, and nobody has begun to watch
    /// or left since. Exhibitions that run while somebody watches need no look.
    pub fn may_rest(&self, at: Timestamp) -> bool {
        self.quiet && (self.has_audience)(at) == self.is_watched_here
    }

    /// Creates the matches that are due and returns their number.
    pub async fn create_matches(&mut self, at: Timestamp) -> Result<usize, StoreError> {
        let leads = self.take_lead(at).await;
        gauge!(LEADER).set(f64::from(u8::from(matches!(leads, Ok(true)))));
        if !leads? {
            return Ok(0);
        }
        self.read_left_events().await;
        self.follow_games(at).await?;
        if let Some(maker) = &self.daily {
            maker.make_if_due(at);
        }
        let alive = self.store.living_workers(at).await?;
        let contests = self.advance_contests(at).await;
        let fleet = self.measure_capacity(&alive);
        self.say_if_idle(&fleet);
        let experiments = self.advance_experiments(&fleet, at).await;
        self.is_watched_here = (self.has_audience)(at);
        let is_watched = self.is_watched(&alive);
        let mut pairings = Vec::new();
        let ladders = self.ladders.clone();
        for ladder in ladders.iter() {
            let id = &ladder.rules.id;
            self.update_ladder(id, at).await?;
            let mut pairing = self.store.load_pairing(id).await?;
            if !is_watched {
                rest_built_ins(&mut pairing);
            }
            pairings.push((ladder, pairing));
        }
        let unsettled = pairings
            .iter()
            .filter(|(_, pairing)| self.options.ladder_every != NO_LADDER && is_unsettled(pairing))
            .count() as u64;
        let mut made = experiments.made;
        for (ladder, mut pairing) in pairings {
            if self.options.exhibitions
                && ladder.rules.id.is_standard()
                && needs_exhibition(&self.store, &*ladder.game, &fleet, at).await?
                && is_watched
            {
                made += create_exhibition(&self.store, ladder.both(), &pairing, &fleet, at).await?;
            }
            let sharing = match is_unsettled(&pairing) {
                true => unsettled,
                false => ladders.len() as u64,
            };
            made += self
                .fill_ladder(ladder, &mut pairing, fleet.slots, sharing, at)
                .await?;
        }
        // Several servers share the lead, which has to be renewed at every look.
        self.quiet = self.store.is_embedded()
            && made == 0
            && unsettled == 0
            && experiments.running == 0
            && contests == Some(ContestSteps::default());
        Ok(made)
    }

    /// What happened in contests; `None` if they did not go on.
    async fn advance_contests(&self, at: Timestamp) -> Option<ContestSteps> {
        let steps = advance_contests(&self.games, &self.store, at).await;
        let problem = |error: &StoreError| {
            tracing::warn!(%error, "contests did not go on; tried again in a moment");
        };
        steps.inspect_err(problem).ok()
    }

    /// Lets people be told what a server wrote that was killed before it told them.
    async fn read_left_events(&self) {
        if let Err(error) = self.store.read_events().await {
            tracing::warn!(%error, "people are not told what happened; tried again in a moment");
        }
    }

    /// Creates the matches of experiments that are due; an error ends nothing else.
    async fn advance_experiments(
        &mut self,
        fleet: &WorkerCapacity,
        at: Timestamp,
    ) -> ExperimentSteps {
        let steps = self
            .experiments
            .advance(&self.games, &self.store, fleet.slots, at);
        steps.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "experiments did not go on; tried again in a moment");
            ExperimentSteps::default()
        })
    }

    /// Promotes and relegates bots, and notes their best ranks, each from time to time.
    async fn update_ladder(&mut self, ladder: &LadderId, at: Timestamp) -> Result<(), StoreError> {
        if self.divided.is_due(ladder, DIVIDE, at) {
            let moved = self.store.update_divisions(ladder).await?;
            self.divided.note(ladder, at);
            if moved > 0 {
                tracing::info!(%ladder, moved, "bots changed their division");
            }
        }
        if self.ranked.is_due(ladder, RANKS, at) {
            let told = self.store.update_best_ranks(ladder, at).await?;
            self.ranked.note(ladder, at);
            if told > 0 {
                tracing::info!(%ladder, told, "bots stand higher than ever");
            }
        }
        Ok(())
    }

    /// Whether somebody may watch exhibitions. A server knows its own visitors only, so several
    /// servers always have exhibitions.
    fn is_watched(&self, alive: &[leitai_store::Worker]) -> bool {
        let has_others =
            (alive.iter()).any(|worker| !worker.remote && worker.name != self.options.name);
        has_others || self.is_watched_here
    }

    /// Takes or renews the lead among the servers; returns whether this one has it.
    async fn take_lead(&mut self, at: Timestamp) -> Result<bool, StoreError> {
        let leads = self.store.take_lead(&self.leader_name, at, LEAD).await?;
        if leads != self.leads && !self.store.is_embedded() {
            match leads {
                true => tracing::info!("this server schedules matches from now on"),
                false => tracing::warn!("another server schedules matches now"),
            }
        }
        self.leads = leads;
        Ok(leads)
    }

    /// The name under which this server leads, for [`Store::give_lead_back`].
    pub fn leader_name(&self) -> &str {
        &self.leader_name
    }

    /// The capacity of this server and the live workers.
    fn measure_capacity(&self, alive: &[leitai_store::Worker]) -> WorkerCapacity {
        let others = alive
            .iter()
            .filter(|worker| worker.name != self.options.name);
        let slots: u64 = others.clone().map(leitai_store::Worker::match_slots).sum();
        let elsewhere = others
            .clone()
            .any(|worker| worker.exhibitions > 0 && worker.runs_programs());
        let names = others.map(|worker| worker.name.clone());
        WorkerCapacity {
            slots: slots + self.options.slots as u64,
            shows_programs: self.options.programs || elsewhere,
            alive: names.chain([self.options.name.clone()]).collect(),
        }
    }

    /// Logs once that no worker plays ladder matches.
    fn say_if_idle(&mut self, fleet: &WorkerCapacity) {
        let idle = fleet.slots == 0;
        if idle && !self.said_idle {
            tracing::warn!(
                "no worker is connected and this server has no slots: ladders and uploads wait"
            );
        }
        self.said_idle = idle;
    }

    /// The most pending matches of a ladder. It grows for matches so short that the queue runs empty.
    fn most_pending(
        &mut self,
        ladder: &LadderId,
        open: u64,
        slots: u64,
        sharing: u64,
        at: Timestamp,
    ) -> u64 {
        let [least, highest] = DEPTH;
        let ran_dry = open == 0
            && self
                .last
                .get(ladder)
                .is_some_and(|last| at.since(*last) <= 2 * LOOK);
        let depth = self.depth.entry(ladder.clone()).or_insert(least);
        let most = (*depth * slots).div_ceil(sharing.max(1));
        *depth = if ran_dry {
            *depth * 2
        } else {
            *depth - u64::from(2 * open > most)
        };
        *depth = (*depth).clamp(least, highest);
        (*depth * slots).div_ceil(sharing.max(1))
    }

    async fn fill_ladder(
        &mut self,
        ladder: &ScheduledLadder,
        pairing: &mut LadderPairing,
        slots: u64,
        sharing: u64,
        at: Timestamp,
    ) -> Result<usize, StoreError> {
        let id = &ladder.rules.id;
        let most = match is_unsettled(pairing) {
            true => self.most_pending(id, pairing.open, slots, sharing, at),
            false => (DEPTH[0] * slots).div_ceil(sharing.max(1)),
        };
        let last = self.last.get(id).copied();
        let wanted = wanted_matches(
            pairing,
            most,
            last.map(|last| at.since(last)),
            self.options.ladder_every,
        );
        let pairs = choose_pairs(pairing, wanted, || rand::rng().random());
        let mut new = Vec::new();
        for [a, b] in &pairs {
            let (a, b) = (
                self.store.bot_entrant(*a).await,
                self.store.bot_entrant(*b).await,
            );
            match (a, b) {
                (Ok(a), Ok(b)) => {
                    let own = new_match(&*ladder.game, MatchKind::Ladder, a, b);
                    new.push(ladder.rules.draw_match(own))
                }
                // The bot was removed from the ladder meanwhile.
                (Err(StoreError::Refused(_)), _) | (_, Err(StoreError::Refused(_))) => {}
                (Err(error), _) | (_, Err(error)) => return Err(error),
            }
        }
        if new.is_empty() {
            return Ok(0);
        }
        let each = match_interval(count_seeking(pairing), self.options.ladder_every);
        let due = last.map_or(at, |last| {
            last.after(each * u32::try_from(new.len()).unwrap_or(u32::MAX))
        });
        // Missed intervals are not made up for.
        self.last
            .insert(id.clone(), due.max(at.before(each)).min(at));
        Ok(self.store.create_matches(new, at).await?.len())
    }
}

/// Half the width of an interval of 95 %, in standard errors.
const HALF_WIDTH: f64 = 1.96;

/// The rating that a built-in bot has on the ladder of a new arena, if it is known.
pub fn known_rating(game: &dyn AnyGame, name: &str) -> Option<Rating> {
    let known = game.rating_scale()?.ladder_bots.iter();
    let known = known.copied().find(|known| known.name == name)?;
    Some(Rating::from_shown(Estimated {
        value: f64::from(known.rating),
        error: f64::from(known.error) / HALF_WIDTH,
    }))
}
