//! Contests: what is due is done, from their rows alone.
//!
//! [`advance_contests`] is called again and again with the time. Each step is one transaction of
//! the store, which does nothing if the step was done already; so a server that is killed at any
//! moment loses nothing, and does nothing twice.

use std::collections::{BTreeMap, HashMap};

use leitai_contest::file::{Contest as Rules, Visibility};
use leitai_contest::names::Named;
use leitai_contest::progress::{
    EncounterText, MatchPlace, MatchPoints, PlannedMatch, StageProgress, config_number,
    derive_stage, match_seed,
};
use leitai_contest::{Games, Problem, check_contest};
use leitai_game::text::LocalizedText;
use leitai_game::{AnyGame, GameHandle, GameSet, Lang};
use leitai_ladder::tournament::EncounterKey;
use leitai_store::{
    Contest, ContestActor, ContestEntry, ContestNames, ContestPrivacy, ContestStage, ContestState,
    EntryId, EntryLeft, FreezeRules, Json, MatchEntrant, MatchKind, MatchSeed, MatchState,
    MatchWinner, NameKind, NewContest, NewContestMatch, NewMatch, PlayedContestMatch, Store,
    StoreError, Timestamp,
};
use rand::RngExt;
use serde_json::json;

use crate::contest_names::{find_names, names_of};
use crate::messages;

/// A match that ended this often by an infrastructure error is counted as drawn.
pub const ATTEMPTS: usize = 3;
/// The most queued and running matches of one contest.
const OPEN: usize = 256;
/// The most steps of one contest in one call.
const STEPS: usize = 64;

/// The rules of a contest's file, or everything that is wrong with it.
pub fn read_rules(games: &GameSet, text: &str) -> Result<Rules, Vec<Problem>> {
    let catalogue = messages::catalogue(games.list().iter().map(|game| &**game));
    check_contest(text, &Games::new(games, catalogue))
}

/// The rules of a published contest, or everything that is wrong with its file today. Its game is the
/// version that it keeps, which others may no longer play, or not yet know.
pub fn read_contest(games: &GameSet, contest: &Contest) -> Result<Rules, Vec<Problem>> {
    read_rules(&games_of_contest(games, contest), &contest.file)
}

/// The games that this account may name in a contest: administrators also those that are hidden.
pub fn games_for(games: &GameSet, is_admin: bool) -> GameSet {
    let hidden = match is_admin {
        true => games.hidden_ids(),
        false => Vec::new(),
    };
    let hidden = hidden.iter().filter_map(|id| games.find_hidden(id));
    hidden.fold(games.clone(), |games, hidden| games.with_version(hidden))
}

/// A contest of a hidden game must be hidden too.
pub fn check_hidden_game(games: &GameSet, rules: &Rules, text: &str) -> Vec<Problem> {
    if rules.private || games.find(&rules.game).is_some() {
        return Vec::new();
    }
    vec![Problem {
        line: line_of(text, "game"),
        what: both(
            format!("the game {:?} is hidden until a date", rules.game),
            format!("游戏“{}”在指定日期前隐藏", rules.game),
        ),
        cure: both(
            "write contest = \"invited\" under [visibility]",
            "请在 [visibility] 下写 contest = \"invited\"",
        ),
    }]
}

/// The games by which a contest's file is read.
pub fn games_of_contest(games: &GameSet, contest: &Contest) -> GameSet {
    match find_contest_game(games, contest) {
        Some(game) => games.with_version(game),
        None => games.clone(),
    }
}

/// The version of its game that a contest plays.
pub fn find_contest_game(games: &GameSet, contest: &Contest) -> Option<GameHandle> {
    match &contest.rules {
        Some(rules) => games.find_exact(&contest.game, rules),
        None => (games.find(&contest.game)).or_else(|| games.find_hidden(&contest.game)),
    }
}

/// Notes whom the names mean in contests that an earlier version published.
pub async fn fill_in_names(games: &GameSet, store: &Store) -> Result<(), StoreError> {
    for contest in store.all_contests().await? {
        if let Ok(rules) = read_contest(games, &contest) {
            find_names(store, &contest, &rules).await?;
        }
    }
    Ok(())
}

/// The rules of a file that is to be published: also what this arena cannot do is a problem.
pub fn read_new_rules(games: &GameSet, text: &str) -> Result<Rules, Vec<Problem>> {
    let rules = read_rules(games, text)?;
    let mut problems = Vec::new();
    if rules.matches.memory.is_some() {
        problems.push(Problem {
            line: line_of(text, "memory"),
            what: both(
                "the memory of programs is the same in the whole arena",
                "整个擂台的程序内存上限相同",
            ),
            cure: both("leave it out", "请去掉此键"),
        });
    }
    let game = games.find(&rules.game);
    for config in &rules.matches.configs {
        let dealt = game
            .as_ref()
            .map(|game| game.deal_setup(config, 1).map(|_| ()));
        if let Some(Err(why)) = dealt {
            let why = why.to_string();
            let zh = messages::catalogue(games.list().iter().map(|game| &**game))
                .say(Lang::Zh, &why)
                .into_owned();
            problems.push(Problem {
                line: line_of(text, "configs"),
                what: both(why, zh),
                cure: both("write another config", "请更换配置"),
            });
        }
    }
    match problems.is_empty() {
        true => Ok(rules),
        false => Err(problems),
    }
}

fn both(en: impl Into<String>, zh: impl Into<String>) -> LocalizedText {
    let (en, zh) = (en.into(), zh.into());
    LocalizedText { en, zh }
}

/// The line of a key that the file has.
fn line_of(text: &str, key: &str) -> usize {
    let is_key = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix(key)
            .is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    text.lines().position(is_key).map_or(1, |at| at + 1)
}

/// What the arena lacks that a file asks for: accounts, and its group. `names` is whom its names
/// would mean.
pub fn check_people(rules: &Rules, names: &ContestNames, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (named, name) in rules.names() {
        match named {
            Named::Account if !names.is_known(NameKind::Account, name) => {
                let key = match rules.organisers.iter().any(|one| one == name) {
                    true => "organisers",
                    false => "accounts",
                };
                problems.push(Problem {
                    line: line_of(text, key),
                    what: both(
                        format!("the arena has no account {name:?}"),
                        format!("擂台上没有账户“{name}”"),
                    ),
                    cure: both("write the name of an account", "请写已有账户的名称"),
                });
            }
            Named::Group if !names.is_known(NameKind::Group, name) => problems.push(Problem {
                line: line_of(text, "group"),
                what: both(
                    format!("the arena has no group {name:?}"),
                    format!("擂台上没有小组“{name}”"),
                ),
                cure: both(
                    "write the name of a group, or make it first with leitai group new",
                    "请写已有小组的名称，或先用 leitai group new 建立",
                ),
            }),
            Named::Account | Named::Group => {}
        }
    }
    problems
}

/// Publishes a contest. Its seeds and its first seeding follow from `seed`.
pub async fn publish_contest(
    store: &Store,
    rules: &Rules,
    file: String,
    seed: Option<u64>,
    by: ContestActor,
) -> Result<Contest, StoreError> {
    let new = NewContest {
        name: rules.id.clone(),
        game: rules.game.clone(),
        file,
        seed: MatchSeed::from(seed.unwrap_or_else(|| rand::rng().random())),
        privacy: contest_privacy(rules),
        names: names_of(rules),
    };
    store.create_contest(new, by).await
}

/// Who sees a contest, by its file.
pub fn contest_privacy(rules: &Rules) -> ContestPrivacy {
    let results_from = match rules.standings {
        Visibility::Always => Some(Timestamp(0)),
        Visibility::End => None,
        Visibility::From { second } => Some(Timestamp(second.saturating_mul(1000))),
    };
    ContestPrivacy {
        private: rules.private,
        results_from,
    }
}

/// Fills in who sees the contests that an earlier version published.
pub async fn fill_in_privacy(games: &GameSet, store: &Store) -> Result<(), StoreError> {
    for contest in store.contests_without_date().await? {
        let Ok(rules) = read_contest(games, &contest) else {
            continue;
        };
        let privacy = contest_privacy(&rules);
        if privacy != contest.privacy() {
            store.set_contest_privacy(contest.id, privacy).await?;
        }
    }
    Ok(())
}

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

/// The state of a stage, derived from rows.
#[derive(Debug)]
pub struct StageState {
    /// The entries, by seed.
    pub seeds: Vec<EntryId>,
    /// What was played and is to be played; players are seeds.
    pub progress: StageProgress,
    /// Who has left, by seed.
    pub absent: Vec<bool>,
    /// The results that count.
    pub results: BTreeMap<MatchPlace, Vec<MatchPoints>>,
    /// By place and pair: how often it was begun, and whether it waits or runs.
    attempts: HashMap<(MatchPlace, [usize; 2]), (i32, bool)>,
    /// Matches that wait or run.
    open: usize,
}

impl StageState {
    /// The state of a stage; `None` if the file has no such stage.
    pub fn derive(
        rules: &Rules,
        stage: &ContestStage,
        entries: &[ContestEntry],
        played: &[PlayedContestMatch],
    ) -> Option<StageState> {
        let own = rules.stages.get(usize::try_from(stage.stage).ok()?)?;
        let seeds = stage.seeded_entries();
        let absent: Vec<bool> = seeds
            .iter()
            .map(|seed| {
                let entry = entries.iter().find(|entry| entry.id == *seed);
                entry.is_none_or(|entry| entry.left.is_some())
            })
            .collect();
        let by_entry: HashMap<EntryId, usize> = seeds.iter().copied().zip(0..).collect();
        let (mut attempts, mut voids) = (HashMap::new(), HashMap::new());
        let mut results: BTreeMap<MatchPlace, Vec<MatchPoints>> = BTreeMap::new();
        let mut open = 0;
        for row in played {
            let (Some(one), Some(other), Some(key), Ok(number)) = (
                by_entry.get(&row.one),
                by_entry.get(&row.other),
                EncounterKey::from_text(&row.place),
                u32::try_from(row.number),
            ) else {
                continue;
            };
            let (place, pair) = ((key, number), [*one, *other]);
            let is_open = !row.state.is_over();
            open += usize::from(is_open);
            let (next, waits) = attempts.entry((place, pair)).or_insert((0, false));
            *next = (*next).max(row.attempt + 1);
            *waits |= is_open;
            if row.taken_back.is_some() {
                continue;
            }
            let void = voids.entry((place, pair)).or_insert(0_usize);
            *void += usize::from(row.state == MatchState::Void);
            let points = match row.state {
                MatchState::Finished => match_points(row),
                MatchState::Void if *void == ATTEMPTS => [0.5, 0.5],
                _ => continue,
            };
            results
                .entry(place)
                .or_default()
                .push(MatchPoints { pair, points });
        }
        let progress = derive_stage(own, seeds.len(), &absent, &results);
        Some(StageState {
            seeds,
            progress,
            absent,
            results,
            attempts,
            open,
        })
    }
}

impl StageState {
    /// The places of the entries, best first.
    fn places(&self) -> Vec<(EntryId, i32)> {
        let placed = self.progress.standings.iter().filter_map(|row| {
            let entry = self.seeds.get(row.player)?;
            Some((*entry, i32::try_from(row.place).ok()?))
        });
        placed.collect()
    }
}

/// The points of a finished match, in the order of the encounter.
fn match_points(row: &PlayedContestMatch) -> [f64; 2] {
    let is_swapped = row.number % 2 == 1;
    match (row.winner, is_swapped) {
        (Some(MatchWinner::A), false) | (Some(MatchWinner::B), true) => [1.0, 0.0],
        (Some(MatchWinner::B), false) | (Some(MatchWinner::A), true) => [0.0, 1.0],
        (Some(MatchWinner::Draw) | None, _) => [0.5, 0.5],
    }
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
    let (mut entrants, mut new) = (HashMap::<EntryId, MatchEntrant>::new(), Vec::new());
    for planned in missing.take(room) {
        let pair = planned.pair.map(|player| state.seeds[player]);
        for id in pair {
            if entrants.contains_key(&id) {
                continue;
            }
            match find_entrant(store, entries, id).await {
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

fn match_limits(rules: &Rules) -> Json {
    match rules.matches.time_limit {
        Some(time) => json!({"period_ms": u64::try_from(time.as_millis()).unwrap_or(u64::MAX)}),
        None => Json::Null,
    }
}

/// The frozen version of an entry as an entrant of a match.
async fn find_entrant(
    store: &Store,
    entries: &[ContestEntry],
    id: EntryId,
) -> Result<MatchEntrant, StoreError> {
    let entry = entries.iter().find(|entry| entry.id == id);
    let found = entry.and_then(|entry| entry.version);
    let nothing = || StoreError::Missing {
        what: "entry",
        which: id.to_string(),
    };
    let version = found.ok_or_else(nothing)?;
    store.entrant_of_version(version).await
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
