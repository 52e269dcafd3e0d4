//! The scheduler: creates ladder matches and exhibitions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use leitai_game::{AnyGame, GameHandle, GameSet, InvalidSetup};
use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::pairing::{WaitingPlayer, pick_opponents};
use leitai_ladder::weng_lin::Rating;
use leitai_store::values::secret::random_token;
use leitai_store::{
    BotId, Json, LadderId, LadderPairing, Match, MatchEntrant, MatchFilter, MatchId, MatchKind,
    MatchSeed, MatchState, MatchTags, NewMatch, PageQuery, PairingCandidate, Quota, Store,
    StoreError, Timestamp, UserId,
};
use metrics::gauge;
use rand::RngExt;

use crate::contests::{ContestSteps, advance_contests};
use crate::daily::DailyMaker;
use crate::experiments::advance::{ExperimentRunner, ExperimentSteps};
use crate::ladders::{LadderOptions, LadderRules};
use crate::metrics_registry::LEADER;
use crate::sync::call_rules;

/// Options of the scheduler.
#[derive(Clone, Debug)]
pub struct ScheduleOptions {
    /// The name of the server's worker.
    pub name: String,
    /// Matches that this server plays at a time. The slots of live workers are added.
    pub slots: usize,
    /// The time between two matches of a ladder with up to [`FEW`] bots whose ratings have
    /// settled; it keeps a laptop cool. With more bots there are more matches, so that each bot
    /// plays as often. [`NO_LADDER`]: no ladder has matches.
    pub ladder_every: Duration,
    /// Whether there are exhibition matches, one of every game.
    pub exhibitions: bool,
    /// Whether this server runs uploaded programs.
    pub programs: bool,
    /// Whether built-in bots join the ladders of a new arena with their known ratings.
    pub known_ratings: bool,
    /// The ladders; exhibitions are played as on the standard ones.
    pub ladders: LadderOptions,
}

impl ScheduleOptions {
    /// The default options.
    pub fn new(name: impl Into<String>, slots: usize) -> ScheduleOptions {
        let ladder_every = Duration::from_secs(25);
        ScheduleOptions {
            name: name.into(),
            slots,
            ladder_every,
            exhibitions: true,
            programs: true,
            known_ratings: true,
            ladders: LadderOptions::default(),
        }
    }
}

/// The [`ScheduleOptions::ladder_every`] with which ladders rest: only matches that people ask for,
/// checks, contests and exhibitions are played.
pub const NO_LADDER: Duration = Duration::MAX;

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
/// A worker that has not reported for this time is gone: its leases have expired.
pub const ALIVE: Duration = Duration::from_secs(30);
/// A rating has settled when its doubt is at most this, on the scale of the paper (a newcomer's is
/// 8.3): about 100 Elo, after some 60 matches.
const SETTLED: f64 = 3.5;
/// The place of a built-in bot among the others is certain when its skill is this many standard
/// deviations away from each of theirs. A bot that always wins or always loses would else need
/// thousands of matches for a small doubt.
const CERTAIN: f64 = 3.0;
/// Half the width of an interval of 95 %, in standard errors.
const HALF_WIDTH: f64 = 1.96;
/// The number of bots of a settled ladder for one match per interval.
pub const FEW: u64 = 8;
/// Queued matches for each slot: the minimum, and the maximum for matches so short that the queue
/// runs empty.
const DEPTH: [u64; 2] = [2, 16];

/// The capacity of the live workers.
#[derive(Clone, Debug, Default)]
struct WorkerCapacity {
    /// Matches at a time.
    slots: u64,
    /// Whether a worker plays exhibitions with uploaded programs.
    shows_programs: bool,
    /// The names of the live workers.
    alive: HashSet<String>,
}

/// A ladder that is fed.
struct ScheduledLadder {
    game: GameHandle,
    rules: LadderRules,
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
            self.cancel_left_over(game.meta().id, at).await?;
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

    async fn cancel_left_over(&self, game: &str, at: Timestamp) -> Result<(), StoreError> {
        for shown in self.shows_of(game, MatchState::Running).await? {
            let left = self.store.match_by_id(shown).await?;
            if left.worker.as_deref() == Some(&self.options.name) {
                match self
                    .store
                    .cancel_match(shown, "its server was started again", at)
                    .await
                {
                    Ok(_) | Err(StoreError::Refused(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
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
        let alive = self.store.list_workers(at.before(ALIVE)).await?;
        let contests = advance_contests(&self.games, &self.store, at).await;
        if let Err(error) = &contests {
            tracing::warn!(%error, "contests did not go on; tried again in a moment");
        }
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
                && self.needs_exhibition(&*ladder.game, &fleet, at).await?
                && is_watched
            {
                made += self.create_exhibition(ladder, &pairing, &fleet, at).await?;
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
            && contests.is_ok_and(|contests| contests == ContestSteps::default());
        Ok(made)
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

    /// Whether a game has no exhibition. Cancels those that cannot continue.
    async fn needs_exhibition(
        &self,
        game: &dyn AnyGame,
        fleet: &WorkerCapacity,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        for state in [MatchState::Running, MatchState::Queued] {
            for shown in self.shows_of(game.meta().id, state).await? {
                if !self.cancel_stuck(shown, fleet, at).await? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    async fn create_exhibition(
        &self,
        ladder: &ScheduledLadder,
        pairing: &LadderPairing,
        fleet: &WorkerCapacity,
        at: Timestamp,
    ) -> Result<usize, StoreError> {
        let mut entrants = Vec::new();
        for candidate in &pairing.candidates {
            match self.store.bot_entrant(candidate.bot).await {
                Ok(entrant) if entrant.built_in || fleet.shows_programs => {
                    entrants.push((candidate.rating.shown_rating().value, entrant));
                }
                Ok(_) | Err(StoreError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let Some([a, b]) = choose_entrants(&entrants, &mut rand::rng()) else {
            return Ok(0);
        };
        let new = new_match(&*ladder.game, MatchKind::Exhibition, a, b);
        let new = ladder.rules.draw_match(new);
        self.store.create_match(new, at).await?;
        Ok(1)
    }

    /// Cancels an exhibition that cannot continue: its worker is gone, or no worker plays
    /// exhibitions with uploads.
    async fn cancel_stuck(
        &self,
        id: MatchId,
        fleet: &WorkerCapacity,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let shown = self.store.match_by_id(id).await?;
        let uploaded = [&shown.a, &shown.b]
            .into_iter()
            .flatten()
            .any(|entrant| !entrant.built_in);
        let stuck = match (shown.state, &shown.worker) {
            (MatchState::Running, Some(worker)) => !fleet.alive.contains(worker),
            (MatchState::Queued, _) => uploaded && !fleet.shows_programs,
            _ => false,
        };
        if !stuck {
            return Ok(false);
        }
        match self
            .store
            .cancel_match(id, "no worker continues it", at)
            .await
        {
            Ok(_) | Err(StoreError::Refused(_)) => Ok(true),
            Err(error) => Err(error),
        }
    }

    async fn shows_of(&self, game: &str, state: MatchState) -> Result<Vec<MatchId>, StoreError> {
        let (game, kind, state) = (
            Some(game.to_owned()),
            Some(MatchKind::Exhibition),
            Some(state),
        );
        let filter = MatchFilter {
            game,
            kind,
            state,
            ..MatchFilter::default()
        };
        Ok(self
            .store
            .list_matches(&filter, &PageQuery::first_page(10))
            .await?
            .items
            .into_iter()
            .map(|shown| shown.id)
            .collect())
    }
}

/// A match with the game's config and a new seed.
pub fn new_match(
    game: &dyn AnyGame,
    kind: MatchKind,
    a: MatchEntrant,
    b: MatchEntrant,
) -> NewMatch {
    let meta = game.meta();
    let seed = MatchSeed::from(random_seed());
    NewMatch {
        config: game.read_config(&Json::Null).unwrap_or(Json::Null),
        ..NewMatch::new(meta.id, kind, [Some(a), Some(b)].into(), seed, meta.legs)
    }
}

/// A seed below 2^53, which spreadsheets and scripts can hold exactly.
pub fn random_seed() -> u64 {
    rand::rng().random::<u64>() >> 11
}

/// The rating that a built-in bot has on the ladder of a new arena, if it is known.
pub fn known_rating(game: &dyn AnyGame, name: &str) -> Option<Rating> {
    let known = game.rating_scale()?.ladder_bots.iter();
    let known = known.copied().find(|known| known.name == name)?;
    Some(Rating::from_shown(Estimated {
        value: f64::from(known.rating),
        error: f64::from(known.error) / HALF_WIDTH,
    }))
}

/// While nobody watches, built-in bots do not seek matches for ratings of their own: they wait for an
/// uploaded bot whose rating has not settled, and count as settled until then.
pub fn rest_built_ins(LadderPairing { candidates, .. }: &mut LadderPairing) {
    let needs_them = |one: &PairingCandidate| !one.is_built_in && one.rating.doubt > SETTLED;
    if candidates.iter().any(needs_them) {
        return;
    }
    for built_in in candidates.iter_mut().filter(|one| one.is_built_in) {
        built_in.rating.doubt = built_in.rating.doubt.min(SETTLED);
    }
}

/// Whether a ladder has bots with unsettled ratings.
pub fn is_unsettled(LadderPairing { candidates, .. }: &LadderPairing) -> bool {
    candidates.len() > 1 && !candidates.iter().all(|one| is_settled(one, candidates))
}

/// Whether the rating of a bot is known well enough.
fn is_settled(candidate: &PairingCandidate, all: &[PairingCandidate]) -> bool {
    candidate.rating.doubt <= SETTLED || candidate.is_built_in && has_certain_place(candidate, all)
}

/// Whether the order of this bot and every built-in bot is certain.
fn has_certain_place(candidate: &PairingCandidate, all: &[PairingCandidate]) -> bool {
    let rating = candidate.rating;
    let mut others = all
        .iter()
        .filter(|other| other.is_built_in && other.bot != candidate.bot)
        .peekable();
    others.peek().is_some()
        && others.all(|other| {
            let doubt = rating.doubt.hypot(other.rating.doubt);
            (rating.skill - other.rating.skill).abs() > CERTAIN * doubt
        })
}

/// Whether a bot needs ladder matches. Built-in bots whose rating has settled do not: they stay as
/// they are, and only play those who need a match.
fn seeks_matches(candidate: &PairingCandidate, all: &[PairingCandidate]) -> bool {
    !candidate.is_built_in || !is_settled(candidate, all)
}

fn count_seeking(pairing: &LadderPairing) -> u64 {
    let all = &pairing.candidates;
    all.iter().filter(|one| seeks_matches(one, all)).count() as u64
}

/// The number of ladder matches to create. `last` is the time since one was due.
pub fn wanted_matches(
    pairing: &LadderPairing,
    most: u64,
    last: Option<Duration>,
    every: Duration,
) -> u64 {
    let bots = count_seeking(pairing);
    if bots == 0 || pairing.candidates.len() < 2 || every == NO_LADDER {
        return 0;
    }
    if is_unsettled(pairing) {
        return most.saturating_sub(pairing.open);
    }
    let most = most.min(bots.div_ceil(FEW));
    count_due(bots, last, every).min(most.saturating_sub(pairing.open))
}

/// The number of matches of a settled ladder that are due: each bot plays as often, however many
/// there are.
fn count_due(bots: u64, last: Option<Duration>, every: Duration) -> u64 {
    let each = match_interval(bots, every).as_nanos().max(1);
    last.map_or(1, |last| {
        u64::try_from(last.as_nanos() / each).unwrap_or(u64::MAX)
    })
}

/// The time between two matches of a settled ladder.
fn match_interval(bots: u64, every: Duration) -> Duration {
    every.mul_f64(FEW as f64 / bots.max(FEW) as f64)
}

/// Stands for as many matches that two bots are not paired while there is anybody else.
const NEVER: u32 = u32::MAX;

/// Stands for as many matches that two bots of different divisions have met: some of their matches
/// lead out of their division, as their order would be unknown otherwise.
const AWAY: u32 = 2;

/// Chooses pairs, each in random order. One bot of each pair seeks matches.
pub fn choose_pairs(
    pairing: &mut LadderPairing,
    wanted: u64,
    mut chance: impl FnMut() -> u64,
) -> Vec<[BotId; 2]> {
    let mut picked = Vec::new();
    let all = &pairing.candidates;
    let seeking: Vec<bool> = all.iter().map(|one| seeks_matches(one, all)).collect();
    for _ in 0..wanted {
        let candidates = &pairing.candidates;
        let waiting = |one: &PairingCandidate| WaitingPlayer {
            skill: one.rating.shown_rating().value,
            waited: one.waited,
        };
        let waiting: Vec<WaitingPlayer> = candidates.iter().map(waiting).collect();
        let met = |one: usize, two: usize| {
            if !seeking[one] && !seeking[two] {
                return NEVER;
            }
            let (one, two) = (&candidates[one], &candidates[two]);
            let met = pairing.met.get(&order_pair(one.bot, two.bot)).copied();
            let away = if one.division == two.division {
                0
            } else {
                AWAY
            };
            met.unwrap_or(0) + away
        };
        let Some((one, two)) = pick_opponents(&waiting, met, chance()) else {
            break;
        };
        let (one, two) = (candidates[one].bot, candidates[two].bot);
        *pairing.met.entry(order_pair(one, two)).or_default() += 1;
        for candidate in &mut pairing.candidates {
            let plays = candidate.bot == one || candidate.bot == two;
            candidate.waited = if plays {
                0
            } else {
                candidate.waited.saturating_add(1)
            };
        }
        picked.push(if chance().is_multiple_of(2) {
            [one, two]
        } else {
            [two, one]
        });
    }
    picked
}

fn order_pair(one: BotId, two: BotId) -> (BotId, BotId) {
    (one.min(two), one.max(two))
}

/// Chooses two bots with similar ratings, strong ones more often.
pub fn choose_entrants(
    entrants: &[(f64, MatchEntrant)],
    rng: &mut impl RngExt,
) -> Option<[MatchEntrant; 2]> {
    if entrants.len() < 2 {
        return None;
    }
    let mut order: Vec<&(f64, MatchEntrant)> = entrants.iter().collect();
    order.sort_by(|one, two| two.0.total_cmp(&one.0));
    // The lower of two random numbers favours the strong: the best of n comes n times as often as
    // the worst.
    let first = rng
        .random_range(0..order.len())
        .min(rng.random_range(0..order.len()));
    let near = [
        first.checked_sub(1),
        Some(first + 1),
        first.checked_sub(2),
        Some(first + 2),
    ];
    let near: Vec<usize> = near
        .into_iter()
        .flatten()
        .filter(|at| *at < order.len())
        .take(3)
        .collect();
    let second = near[rng.random_range(0..near.len())];
    let mut pair = [order[first].1.clone(), order[second].1.clone()];
    if rng.random() {
        pair.reverse();
    }
    Some(pair)
}

/// Creates a friendly match that a person asks for, if the person's quota has room.
pub async fn create_friendly(
    store: &Store,
    game: &dyn AnyGame,
    entrants: [MatchEntrant; 2],
    (seed, config, tags): (Option<u64>, &Json, MatchTags),
    (by, quota): (UserId, &Quota),
    at: Timestamp,
) -> Result<Match, FriendlyError> {
    let seed = MatchSeed::from(seed.unwrap_or_else(self::random_seed));
    let checked = call_rules(game, || {
        let config = game.read_config(config)?;
        // Only dealing a setup shows whether the config is consistent.
        game.deal_setup(&config, seed.get())?;
        Ok(config)
    });
    let config = checked.map_err(|error: InvalidSetup| FriendlyError::Config(error.to_string()))?;
    let [a, b] = entrants;
    let new = NewMatch {
        seed,
        config,
        tags,
        ..new_match(game, MatchKind::Friendly, a, b)
    };
    Ok(store.create_friendly(new, quota, by, at).await?)
}

/// Creates a friendly match that continues another one: with its seed and config, with these limits
/// and legs.
pub async fn create_continuation(
    store: &Store,
    game: &dyn AnyGame,
    own: &Match,
    entrants: [MatchEntrant; 2],
    (limits, legs): (Json, usize),
    (by, quota): (UserId, &Quota),
    at: Timestamp,
) -> Result<Match, StoreError> {
    let [a, b] = entrants;
    let new = NewMatch {
        seed: own.seed,
        config: own.config.clone(),
        limits,
        legs: i32::try_from(legs).unwrap_or(own.legs),
        ..new_match(game, MatchKind::Friendly, a, b)
    };
    store.create_friendly(new, quota, by, at).await
}

/// Errors of a friendly match.
#[derive(Debug, thiserror::Error)]
pub enum FriendlyError {
    /// The config is invalid.
    #[error("{0}")]
    Config(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
