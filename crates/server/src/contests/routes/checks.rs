//! Routes: a contest's file is checked and played on paper, before it is published.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use leitai_contest::dry_run::{Assumptions, DryRun, dry_run};
use leitai_contest::file::Contest as Rules;
use leitai_game::ToMove;
use leitai_store::{ContestNames, Json as Value};
use tokio::sync::Semaphore;

use crate::contests::names::names_of;
use crate::contests::routes::access::{organises_any_group, organises_contest};
use crate::contests::routes::answers::{ContestProblems, refuse_file};
use crate::contests::rules::{check_hidden_game, check_people, games_for, read_new_rules};
use crate::http::caller::second_factor_required;
use crate::http::prelude::*;
use crate::sync::lock;

/// The entrants of a dry run that names no number.
const ENTRANTS: u32 = 16;
/// The spread of strengths, in Elo.
const SPREAD: f64 = 200.0;
/// The finished matches from which the time of a match is taken.
const MEASURED: u64 = 200;
/// The seconds of a match where none was played.
const UNMEASURED: f64 = 2.0;
/// Simulations at a time.
static SIMULATIONS: Semaphore = Semaphore::const_new(1);

/// Routes of checks of contest files.
pub fn contest_check_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(check_contest_file))
}

/// A contest's file, and what its dry run assumes.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ContestCheckRequest {
    /// The file, in TOML; see docs/contests.md.
    file: String,
    /// The entrants; 16, if it is absent.
    #[schema(minimum = 2, maximum = 1000)]
    entrants: Option<u32>,
}

/// A contest's file without problems, played on paper.
#[derive(Debug, Serialize, ToSchema)]
struct ContestCheck {
    /// How many finished matches of this arena the time of a match was taken from, as their median;
    /// 0: none was played, and it is a guess.
    measured: usize,
    /// As `dry-run` of `leitai contest check --dry-run --json`.
    #[schema(value_type = Object)]
    dry_run: DryRun,
}

/// Checks a contest's file, and plays the contest on paper: matches, hours, when each stage ends with
/// the workers that are there, the chance that the best entrant wins, and what halves either error.
/// Nothing is published. For administrators, and organisers of a group or of this contest.
#[utoipa::path(post, operation_id = "check_contest",
    path = "/api/contest-checks", tag = "contests", security(("token" = []), ("session" = [])),
    request_body = ContestCheckRequest, responses((status = 200, body = ContestCheck),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ContestProblems)))]
async fn check_contest_file(
    app: App,
    user: SignedInUser,
    Json(asked): Json<ContestCheckRequest>,
) -> Result<Response> {
    let rules = read_new_rules(&games_for(&app.games, user.admin), &asked.file);
    let names = match &rules {
        Ok(rules) => find_meant(&app, rules).await?,
        Err(_) => ContestNames::default(),
    };
    let organises = match &rules {
        Ok(rules) => organises_contest(&app, &user, rules, &names).await?,
        Err(_) => user.admin,
    };
    if !organises && !organises_any_group(&app, &user).await? {
        if let Some(user) = user.with_second_factor()
            && (user.admin || organises_any_group(&app, &user).await?)
        {
            return Err(second_factor_required());
        }
        let message = "only administrators and organisers of a group check contests here; ask one of \
                       them, or use leitai contest check on your own machine";
        return Err(ApiError::forbidden("not-organiser", message));
    }
    let rules = match rules {
        Ok(rules) => rules,
        Err(problems) => return Ok(refuse_file(problems)),
    };
    let mut problems = check_people(&rules, &names, &asked.file);
    problems.extend(check_hidden_game(&app.games, &rules, &asked.file));
    if !problems.is_empty() {
        return Ok(refuse_file(problems));
    }
    let entrants = asked.entrants.unwrap_or(ENTRANTS);
    if !(2..=1000).contains(&entrants) {
        let message = format!("entrants is {entrants}; write 2 to 1000");
        return Err(ApiError::invalid_field("bad-field", "entrants", message));
    }
    let (assumptions, measured) = assume(&app, &rules, entrants).await?;
    let Some(_only) = OnlyOne::enter(user.id) else {
        let message = "a dry run that you asked for is being computed; wait for its result";
        return Err(ApiError::conflict("one-at-a-time", message));
    };
    let alone = SIMULATIONS.acquire().await;
    let played = tokio::task::spawn_blocking(move || dry_run(&rules, &assumptions)).await;
    drop(alone);
    let dry_run =
        played.map_err(|error| ApiError::internal_error("the dry run did not end", &error))?;
    Ok(Json(ContestCheck { measured, dry_run }).into_response())
}

/// The place of an account among those whose dry run waits or is computed; each has one, so that the
/// others wait for one of each at most.
pub struct OnlyOne(UserId);

static WITH_DRY_RUN: Mutex<BTreeSet<UserId>> = Mutex::new(BTreeSet::new());

impl OnlyOne {
    /// `None` if the account has one already.
    pub fn enter(account: UserId) -> Option<OnlyOne> {
        // A place that is made and dropped while the lock is held would wait for itself.
        let is_free = lock(&WITH_DRY_RUN).insert(account);
        is_free.then(|| OnlyOne(account))
    }
}

impl Drop for OnlyOne {
    fn drop(&mut self) {
        lock(&WITH_DRY_RUN).remove(&self.0);
    }
}

/// Whom the names in the file would mean: those of a published contest whom they meant.
async fn find_meant(app: &App, rules: &Rules) -> Result<ContestNames> {
    let published = match app.store.contest_by_name(&rules.id).await {
        Ok(contest) => Some(contest),
        Err(StoreError::Missing { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let names = names_of(rules);
    let meant = app.store.preview_contest_names(published.as_ref(), &names);
    Ok(meant.await?)
}

/// What the dry run assumes: the time of a match is the median of the game's latest matches here, and
/// every worker that reports plays with all its slots.
async fn assume(app: &App, rules: &Rules, entrants: u32) -> Result<(Assumptions, usize)> {
    let mut times = app.store.recent_match_times(&rules.game, MEASURED).await?;
    times.sort_unstable();
    let median = times.get(times.len() / 2).map(|time| time.as_secs_f64());
    let seconds = median.unwrap_or(UNMEASURED);
    let workers = app.store.living_workers(Timestamp::now()).await?;
    let slots = workers.iter().map(|worker| worker.slots.max(0) as usize);
    let assumptions = Assumptions {
        entrants: entrants as usize,
        workers: slots.sum::<usize>().max(1),
        match_seconds: seconds,
        match_cpu_seconds: seconds,
        longest_match_seconds: longest_match(app, rules)?.as_secs_f64().max(seconds),
        spread: SPREAD,
        seed: 1,
    };
    Ok((assumptions, times.len()))
}

/// The longest match: every period takes the whole limit.
fn longest_match(app: &App, rules: &Rules) -> Result<Duration> {
    let found = app.find_game(&rules.game);
    let Some(game) = found.or_else(|| app.games.find_hidden(&rules.game)) else {
        return Ok(Duration::ZERO);
    };
    let config = rules.matches.configs.first().unwrap_or(&Value::Null);
    let setup = game
        .deal_setup(config, 1)
        .map_err(|error| ApiError::internal_error("a checked config was refused", &error))?;
    let seats = match setup.start_leg().to_move() {
        ToMove::Both => 1,
        _ => 2,
    };
    let legs = rules.matches.legs.map_or(game.meta().legs, usize::from);
    let (turn, turns) = (game.meta().period_limit, setup.max_rounds());
    let seat = rules.matches.longest_leg(turn, turns);
    Ok(seat.saturating_mul(seats * legs as u32))
}
