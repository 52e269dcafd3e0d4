//! Contests: what is due is done, from their rows alone.
//!
//! [`advance_contests`] is called again and again with the time. Each step is one transaction of
//! the store, which does nothing if the step was done already; so a server that is killed at any
//! moment loses nothing, and does nothing twice.

use std::collections::HashMap;
use std::time::Duration;

use leitai_contest::file::Contest as Rules;
use leitai_contest::progress::{
    EncounterText, MatchPlace, PlannedMatch, config_number, match_seed,
};
use leitai_game::{AnyGame, GameSet};
use leitai_judge::{EntrantSettings, OwnLimits, Resources};
use leitai_store::{
    Contest, ContestActor, ContestEntry, ContestNames, ContestStage, ContestState, EntryId,
    EntryLeft, FreezeRules, Json, MatchEntrant, MatchKind, MatchSeed, NewContestMatch, NewMatch,
    Store, StoreError, Timestamp,
};

use crate::contests::names::find_names;
use crate::contests::rules::{find_contest_game, read_contest};
use crate::contests::stage_state::StageState;
use crate::match_limits::MatchLimits;

/// The most queued and running matches of one contest.
const OPEN: usize = 256;
/// The most steps of one contest in one call.
const STEPS: usize = 64;

/// What [`advance_contests`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContestSteps {
    /// Steps that were due.
    pub done: usize,
    /// Contests whose stages are under way.
    pub under_way: usize,
}

/// Does what is due in all contests at this time.
pub async fn advance_contests(
    games: &GameSet,
    store: &Store,
    at: Timestamp,
) -> Result<ContestSteps, StoreError> {
    let mut steps = ContestSteps::default();
    for contest in store.unfinished_contests().await? {
        if contest.paused {
            continue;
        }
        let Ok(rules) = read_contest(games, &contest) else {
            tracing::warn!(
                contest = contest.name,
                "a contest's file is not valid in this version; it waits"
            );
            continue;
        };
        steps.under_way += usize::from(contest.state != ContestState::Open);
        for _ in 0..STEPS {
            if !advance_contest(games, store, &contest.name, &rules, at).await? {
                break;
            }
            steps.done += 1;
        }
    }
    Ok(steps)
}

/// Does the next step of a contest; false if none is due.
async fn advance_contest(
    games: &GameSet,
    store: &Store,
    name: &str,
    rules: &Rules,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let contest = store.contest_by_name(name).await?;
    if contest.paused {
        return Ok(false);
    }
    match contest.state {
        ContestState::Finished | ContestState::Annulled => Ok(false),
        ContestState::Open if !is_due(Some(rules.freezes), at) => Ok(false),
        ContestState::Open => {
            let state = store
                .freeze_contest(contest.id, &freeze_rules(rules), at)
                .await?;
            Ok(state != ContestState::Open)
        }
        ContestState::Running => {
            let stages = store.contest_stages(contest.id).await?;
            match stages.last() {
                None => begin_first(store, &contest, rules, at).await,
                Some(stage) => play_stage(games, store, &contest, rules, stage, at).await,
            }
        }
    }
}

/// What the freeze asks of entries.
fn freeze_rules(rules: &Rules) -> FreezeRules<'_> {
    FreezeRules {
        least: rules.entry.least,
        team_size: rules.entry.team_size,
        describe_refusal: Box::new(|how, bytes| rules.entry.describe_refusal(how, bytes)),
    }
}

fn is_due(second: Option<i64>, at: Timestamp) -> bool {
    second.is_none_or(|second| at.0.div_euclid(1000) >= second)
}

/// Begins the first stage: the seeds are drawn.
async fn begin_first(
    store: &Store,
    contest: &Contest,
    rules: &Rules,
    at: Timestamp,
) -> Result<bool, StoreError> {
    if !is_due(rules.stages.first().and_then(|stage| stage.starts), at) {
        return Ok(false);
    }
    let entries = store.contest_entries(contest.id).await?;
    let playing = entries.iter().filter(|entry| entry.left.is_none());
    let mut drawn: Vec<(u64, EntryId)> = playing
        .zip(0_u64..)
        .map(|(entry, number)| (draw_number(contest.seed.get(), number), entry.id))
        .collect();
    drawn.sort_unstable();
    let seeds = drawn.into_iter().map(|(_, entry)| entry).collect();
    begin_stage(store, contest, 0, seeds, at).await
}

/// A number that follows from the contest's own and from the order of joining.
fn draw_number(seed: u64, number: u64) -> u64 {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(number.to_le_bytes());
    let bytes = hash.finalize();
    bytes
        .iter()
        .take(8)
        .fold(0, |word, byte| (word << 8) | u64::from(*byte))
}

async fn begin_stage(
    store: &Store,
    contest: &Contest,
    stage: i32,
    seeds: Vec<EntryId>,
    at: Timestamp,
) -> Result<bool, StoreError> {
    if seeds.is_empty() {
        let why = "every entrant has left the contest".to_owned();
        let by = ContestActor { user: None, at };
        store.annul_contest(contest.id, why, by).await?;
        return Ok(true);
    }
    store.begin_stage(contest.id, stage, &seeds, at).await
}

/// Queues what the stage needs, or goes on to the next when it is over.
async fn play_stage(
    games: &GameSet,
    store: &Store,
    contest: &Contest,
    rules: &Rules,
    stage: &ContestStage,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let entries = store.contest_entries(contest.id).await?;
    let played = store.contest_matches(contest.id, Some(stage.stage)).await?;
    let Some(state) = StageState::derive(rules, stage, &entries, &played) else {
        return Ok(false);
    };
    if state.progress.is_over {
        store.note_stage_ended(contest.id, stage.stage, at).await?;
        return end_stage(store, contest, rules, stage, &entries, &state, at).await;
    }
    let Some(game) = find_contest_game(games, contest) else {
        return Ok(false);
    };
    queue_missing(&*game, store, contest, rules, stage, &entries, &state, at).await
}

/// Goes on from a stage that is over: to the next one, or to the end.
async fn end_stage(
    store: &Store,
    contest: &Contest,
    rules: &Rules,
    stage: &ContestStage,
    entries: &[ContestEntry],
    state: &StageState,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let number = stage.stage + 1;
    let Some(next) = rules.stages.get(number as usize) else {
        let places = state.places();
        return store.finish_contest(contest.id, &places, at).await;
    };
    if !is_due(next.starts, at) {
        return Ok(false);
    }
    let ranked = state.progress.standings.iter();
    let ranked = ranked.filter_map(|row| state.seeds.get(row.player).copied());
    let plays = |id: &EntryId| {
        let mut entries = entries.iter();
        entries.any(|entry| entry.id == *id && entry.left.is_none())
    };
    let mut seeds: Vec<EntryId> = ranked.filter(plays).collect();
    seeds.truncate(next.count_players(seeds.len()));
    begin_stage(store, contest, number, seeds, at).await
}

/// Queues the matches that the stage lacks.
#[allow(
    clippy::too_many_arguments,
    reason = "one caller; a type for it would say less"
)]
async fn queue_missing(
    game: &dyn AnyGame,
    store: &Store,
    contest: &Contest,
    rules: &Rules,
    stage: &ContestStage,
    entries: &[ContestEntry],
    state: &StageState,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let begun = |planned: &PlannedMatch| {
        let begun = state.attempts.get(&(planned.place, planned.pair));
        begun.copied().unwrap_or((0, false))
    };
    let missing = state.progress.matches.iter().filter(|one| !begun(one).1);
    let room = OPEN.saturating_sub(state.open);
    let names = find_names(store, contest, rules).await?;
    let (mut entrants, mut new) = (HashMap::<EntryId, MatchEntrant>::new(), Vec::new());
    for planned in missing.take(room) {
        let pair = planned.pair.map(|player| state.seeds[player]);
        for id in pair {
            if entrants.contains_key(&id) {
                continue;
            }
            match find_entrant(store, entries, id, (rules, &names)).await {
                Ok(entrant) => _ = entrants.insert(id, entrant),
                Err(
                    error @ (StoreError::Refused(_)
                    | StoreError::Deleted { .. }
                    | StoreError::Missing { .. }),
                ) => return withdraw_entry(store, contest, id, &error, at).await,
                Err(error) => return Err(error),
            }
        }
        let mut sides = pair.map(|id| entrants.get(&id).cloned());
        if planned.is_swapped() {
            sides.reverse();
        }
        let attempt = begun(planned).0;
        let new_match = plan_match(game, contest, rules, stage, (planned.place, attempt), sides);
        new.push(NewContestMatch {
            stage: stage.stage,
            place: planned.place.0.to_text(),
            number: i32::try_from(planned.place.1).unwrap_or(i32::MAX),
            attempt,
            pair,
            new: new_match,
        });
    }
    if new.is_empty() {
        return Ok(false);
    }
    let queued = store.queue_contest_matches(contest.id, new, at).await?;
    Ok(queued > 0)
}

/// The match of a place of the stage, at this attempt.
fn plan_match(
    game: &dyn AnyGame,
    contest: &Contest,
    rules: &Rules,
    stage: &ContestStage,
    (place, attempt): (MatchPlace, i32),
    sides: [Option<MatchEntrant>; 2],
) -> NewMatch {
    let seed = match_seed(
        &rules.matches.seeds,
        contest.seed.get(),
        usize::try_from(stage.stage).unwrap_or_default(),
        place,
        attempt.unsigned_abs(),
    );
    let configs = &rules.matches.configs;
    let legs = rules.matches.legs.map_or(game.meta().legs, usize::from);
    NewMatch {
        config: configs[config_number(configs.len(), place)].clone(),
        limits: match_limits(rules),
        ..NewMatch::new(
            game.meta().id,
            MatchKind::Contest,
            sides.into(),
            MatchSeed::from(seed),
            legs,
        )
    }
}

/// The limits of its matches; null where nothing is asked for.
fn match_limits(rules: &Rules) -> Json {
    let asked = &rules.matches;
    let millis = |time: Option<Duration>| {
        time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    };
    let limits = MatchLimits {
        period_ms: millis(asked.time_limit),
        bank_ms: millis(asked.bank),
        increment_ms: millis(asked.increment),
        grace_ms: millis(asked.grace),
        strikes: asked.strikes,
        keeps: asked.keeps,
    };
    limits.to_json()
}

/// The frozen version of an entry as an entrant of a match, with its handicap.
async fn find_entrant(
    store: &Store,
    entries: &[ContestEntry],
    id: EntryId,
    (rules, names): (&Rules, &ContestNames),
) -> Result<MatchEntrant, StoreError> {
    let entry = entries.iter().find(|entry| entry.id == id);
    let found = entry.and_then(|entry| entry.version);
    let nothing = || StoreError::Missing {
        what: "entry",
        which: id.to_string(),
    };
    let version = found.ok_or_else(nothing)?;
    let entrant = store.entrant_of_version(version).await?;
    if rules.matches.handicaps.is_empty() {
        return Ok(entrant);
    }
    let how = store.find_version(version).await?.how;
    let is_own = |name: &str| entrant.user.is_some() && names.account(name) == entrant.user;
    let (period, memory) = rules.matches.own_limits(is_own, how.as_deref());
    let settings = EntrantSettings {
        limits: OwnLimits {
            period,
            // A larger one would change nothing.
            memory: memory.filter(|own| Resources::BOT.memory.is_none_or(|most| *own < most)),
            ..OwnLimits::default()
        },
        ..EntrantSettings::default()
    };
    Ok(MatchEntrant {
        settings: settings.to_text(),
        ..entrant
    })
}

/// Withdraws an entry that can play no more.
async fn withdraw_entry(
    store: &Store,
    contest: &Contest,
    id: EntryId,
    error: &StoreError,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let why = Some(error.to_string());
    let by = ContestActor { user: None, at };
    let left = (EntryLeft::Withdrawn, why);
    match store.leave_contest(contest.id, id, left, by).await {
        Ok(_) => Ok(true),
        // An organiser was faster.
        Err(StoreError::Refused(_)) => Ok(false),
        Err(error) => Err(error),
    }
}
