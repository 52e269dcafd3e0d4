//! What the routes of contests answer.

use std::collections::HashMap;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use leitai_contest::Problem;
use leitai_contest::file::Contest as Rules;
use leitai_contest::forecast::Forecast;
use leitai_contest::progress::EncounterText;
use leitai_game::Lang;
use leitai_store::{
    BotId, Contest, ContestEntry, ContestNames, ContestState, EntryId, EntryLeft, Json as Value,
    PlayedContestMatch, TeamId, Timestamp, UserId,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::contests::forecast::EntryResults;
use crate::contests::names::{file_with_todays_names, with_todays_names};
use crate::contests::stage_state::StageState;
use crate::http::app::App;
use crate::http::error::Result;
use crate::http::extract::Json;
use crate::http::summaries::{LocalizedText, MatchStateName, WinnerName};
use crate::messages;

/// The state of a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ContestStateName {
    /// Published; submission has not opened.
    Announced,
    /// Bots can join.
    Open,
    /// Its stages are played.
    Running,
    /// Over, with a result.
    Finished,
    /// Over, without a result.
    Annulled,
}

impl ContestStateName {
    fn at(contest: &Contest, rules: Option<&Rules>, at: Timestamp) -> ContestStateName {
        match contest.state {
            ContestState::Open if rules.is_some_and(|rules| seconds(at) < rules.opens) => {
                ContestStateName::Announced
            }
            ContestState::Open => ContestStateName::Open,
            ContestState::Running => ContestStateName::Running,
            ContestState::Finished => ContestStateName::Finished,
            ContestState::Annulled => ContestStateName::Annulled,
        }
    }
}

pub(super) fn seconds(at: Timestamp) -> i64 {
    at.0.div_euclid(1000)
}

/// A contest in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ContestSummary {
    /// Its name in addresses.
    id: String,
    game: String,
    title: LocalizedText,
    state: ContestStateName,
    /// Whether an organiser has paused it.
    paused: bool,
    /// Whether only its organisers and those who may enter it see it.
    private: bool,
    #[schema(value_type = Option<String>, format = DateTime)]
    opens: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    freezes: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    ended: Option<Timestamp>,
}

/// A contest.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ContestDetails {
    #[serde(flatten)]
    brief: ContestSummary,
    /// Why it was annulled.
    note: Option<LocalizedText>,
    /// The rules of its file, without its code; dates are in seconds since 1970. Accounts and the group
    /// have today's names, and deleted accounts are left out.
    #[schema(value_type = Object)]
    rules: Value,
    /// Whether standings, encounters and results are shown to the caller.
    standings_shown: bool,
    entries: Vec<EntrySummary>,
    /// The stages that have begun.
    stages: Vec<StageSummary>,
    /// How many of its games are copies of others; null until they were counted, which begins when
    /// the contest is finished. The results stand as they were published.
    copies: Option<CopiesSummary>,
    /// What was changed since its publication, newest first; at most 200.
    changes: Vec<ChangeSummary>,
    /// Whether the caller organises it: administrators, the organisers of its group, and the accounts
    /// that its file names.
    organises: bool,
    /// The file, in TOML; for its organisers alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// Copies among the games of a contest: the same setup and replies between the same versions in the
/// same seats.
#[derive(Debug, Serialize, ToSchema)]
struct CopiesSummary {
    /// All games: one a leg.
    games: i64,
    /// Those that are copies of others.
    copies: i64,
}

/// A change of a contest.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ChangeSummary {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// `publish`, `update`, `freeze`, `pause`, `resume`, `disqualify`, `withdraw`, `replay-match`,
    /// `take-back-stage`, `finish`, `annul` …
    action: String,
    /// The account; null for the arena itself.
    by: Option<String>,
    /// `why`, and what is particular to the action: `changes` of the file (`{key, from, to}`),
    /// `match` and who had won it (`was`), `stage` and its `matches`.
    #[schema(value_type = Object)]
    detail: Value,
}

/// A bot in a contest.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct EntrySummary {
    id: i64,
    bot: i64,
    name: String,
    /// The name of its team, if it belongs to one.
    team: Option<String>,
    /// The version that plays, from the freeze on.
    version: Option<i64>,
    #[schema(value_type = String, format = DateTime)]
    joined: Timestamp,
    /// `withdrawn` or `disqualified`; null while it plays.
    #[schema(value_type = Option<String>)]
    left: Option<EntryLeft>,
    /// The reason for that.
    why: Option<LocalizedText>,
}

/// A stage that has begun.
#[derive(Debug, Serialize, ToSchema)]
struct StageSummary {
    /// The number, from 1.
    number: i32,
    name: LocalizedText,
    #[schema(value_type = String, format = DateTime)]
    begun: Timestamp,
    over: bool,
    /// Best first; null while hidden.
    standings: Option<Vec<StandingSummary>>,
    /// Encounters that were begun, in order; null while hidden.
    encounters: Option<Vec<EncounterSummary>>,
}

/// A place in the standings of a stage.
#[derive(Debug, Serialize, ToSchema)]
struct StandingSummary {
    place: usize,
    entry: i64,
    /// The seed, from 1.
    seed: usize,
    points: f64,
    /// Encounters won.
    won: u32,
    /// Encounters drawn.
    drawn: u32,
    /// Encounters lost.
    lost: u32,
    /// The values of the file's tie-breaks, in their order.
    tie_breaks: Vec<f64>,
    /// Whether a knockout has gone on without it.
    out: bool,
    /// While the stage runs, and unless the field is too large: what it may still reach.
    chances: Option<ChancesSummary>,
}

/// What an entry may still reach, from simulations of the rest of the contest.
#[derive(Debug, Serialize, ToSchema)]
struct ChancesSummary {
    /// The chance to be first of this stage, 0 to 1.
    first: f64,
    /// The chance to win the contest, 0 to 1.
    win: f64,
    /// The best and the worst place of this stage, in 95 of 100 simulations.
    #[schema(value_type = Vec<usize>, min_items = 2, max_items = 2)]
    places: [usize; 2],
}

/// Two entries that meet.
#[derive(Debug, Serialize, ToSchema)]
struct EncounterSummary {
    /// Round and table: `r3.0`; `w`, `l`, `final` and `decider` in a double elimination.
    #[schema(example = "r3.0")]
    place: String,
    entries: [i64; 2],
    /// Their points once it is over.
    points: Option<[f64; 2]>,
    matches: Vec<EncounterMatch>,
}

/// A match of an encounter.
#[derive(Debug, Serialize, ToSchema)]
struct EncounterMatch {
    id: i64,
    state: MatchStateName,
    /// In the order of the match's entrants; in every second match of an encounter the second
    /// entry is entrant A.
    winner: Option<WinnerName>,
    /// When an organiser took it back: it no longer counts.
    #[schema(value_type = Option<String>, format = DateTime)]
    taken_back: Option<Timestamp>,
}

/// Everything that is wrong with a contest's file.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContestProblems {
    /// `code` is `bad-contest`; `message` has one line for each problem.
    #[schema(value_type = Object)]
    error: Value,
    /// Every problem: `{line, what: {en, zh}, cure: {en, zh}}`.
    #[schema(value_type = Vec<Object>)]
    problems: Vec<Problem>,
}

/// The answer to a file with problems.
pub fn refuse_file(problems: Vec<Problem>) -> Response {
    let lines: Vec<String> = problems.iter().map(|one| one.to_line(Lang::En)).collect();
    let message = lines.join("\n");
    let error = serde_json::json!({"code": "bad-contest", "message": message, "field": "file"});
    let body = ContestProblems { error, problems };
    (StatusCode::UNPROCESSABLE_ENTITY, Json(body)).into_response()
}

pub(super) fn summarize(
    contest: &Contest,
    rules: Option<&Rules>,
    now: Timestamp,
) -> ContestSummary {
    let title = rules.map(|rules| rules.title.clone()).unwrap_or_else(|| {
        let (en, zh) = (contest.name.clone(), contest.name.clone());
        leitai_game::LocalizedText { en, zh }
    });
    let date = |second: i64| Timestamp(second.saturating_mul(1000));
    ContestSummary {
        id: contest.name.clone(),
        game: contest.game.clone(),
        title: localized(title),
        state: ContestStateName::at(contest, rules, now),
        paused: contest.paused,
        private: contest.private,
        opens: rules.map(|rules| date(rules.opens)),
        freezes: rules.map(|rules| date(rules.freezes)),
        ended: contest.ended,
    }
}

/// A reason of the arena in both languages; that of an organiser as it is.
fn in_both(en: String) -> LocalizedText {
    let zh = messages::catalogue([]).say(Lang::Zh, &en).into_owned();
    LocalizedText { en, zh }
}

fn localized(text: leitai_game::LocalizedText) -> LocalizedText {
    let leitai_game::LocalizedText { en, zh } = text;
    LocalizedText { en, zh }
}

/// A contest as the caller sees it, who organises it or not.
pub(super) async fn describe_contest(
    app: &App,
    (contest, rules): (Contest, Rules),
    called: &ContestNames,
    organises: bool,
) -> Result<ContestDetails> {
    let now = Timestamp::now();
    let shown = organises || !contest.hides_results(now);
    let entries = app.store.contest_entries(contest.id).await?;
    let bots: Vec<BotId> = entries.iter().map(|entry| entry.bot).collect();
    let (mut names, mut teams) = (HashMap::new(), HashMap::new());
    for some in bots.chunks(500) {
        let briefs = app.store.bot_briefs(some).await?;
        names.extend(briefs.into_iter().map(|bot| (bot.id, bot.name)));
        teams.extend(app.store.teams_of_bots(some).await?);
    }
    let stages = summarize_stages(app, &contest, &rules, &entries, shown).await?;
    let today = with_todays_names(&rules, called);
    let mut shown_rules = serde_json::to_value(&today).unwrap_or_default();
    if !organises
        && matches!(
            rules.matches.seeds,
            leitai_contest::file::SeedRules::Fixed { .. }
        )
    {
        shown_rules["matches"]["seeds"] = serde_json::json!({"kind": "fixed"});
    }
    let changes = list_changes(app, &contest, shown).await?;
    let copies = app.store.contest_copies(contest.id).await?;
    let copies = copies.filter(|_| shown).map(|of| CopiesSummary {
        games: of.games,
        copies: of.copies,
    });
    Ok(ContestDetails {
        brief: summarize(&contest, Some(&rules), now),
        organises,
        file: organises.then(|| file_with_todays_names(&contest.file, called)),
        changes,
        note: contest.note.map(in_both),
        rules: shown_rules,
        standings_shown: shown,
        entries: entries
            .into_iter()
            .map(|entry| summarize_entry(entry, &names, &teams))
            .collect(),
        stages,
        copies,
    })
}

/// What was changed in a contest, with the names of the accounts.
async fn list_changes(
    app: &App,
    contest: &Contest,
    results_shown: bool,
) -> Result<Vec<ChangeSummary>> {
    let mut names: HashMap<UserId, Option<String>> = HashMap::new();
    let mut changes = Vec::new();
    for mut row in app.store.contest_changes(contest).await? {
        if let Some(detail) = row.detail.as_object_mut().filter(|_| !results_shown) {
            detail.remove("was");
        }
        let action = row.action.trim_start_matches("contest.").to_owned();
        let by = match row.user {
            None => None,
            Some(id) if names.contains_key(&id) => names[&id].clone(),
            Some(id) => {
                let name = app.store.find_user(id).await.ok().map(|user| user.name);
                names.insert(id, name.clone());
                name
            }
        };
        changes.push(ChangeSummary {
            at: row.at,
            action,
            by,
            detail: row.detail,
        });
    }
    Ok(changes)
}

pub(super) fn summarize_entry(
    entry: ContestEntry,
    names: &HashMap<BotId, String>,
    teams: &HashMap<BotId, (TeamId, String)>,
) -> EntrySummary {
    EntrySummary {
        id: entry.id.0,
        bot: entry.bot.0,
        name: names.get(&entry.bot).cloned().unwrap_or_default(),
        team: teams.get(&entry.bot).map(|(_, name)| name.clone()),
        version: entry.version.map(|id| id.0),
        joined: entry.joined,
        left: entry.left,
        why: entry.why.map(in_both),
    }
}

async fn summarize_stages(
    app: &App,
    contest: &Contest,
    rules: &Rules,
    entries: &[ContestEntry],
    shown: bool,
) -> Result<Vec<StageSummary>> {
    let (mut stages, mut earlier) = (Vec::new(), EntryResults::default());
    let begun = app.store.contest_stages(contest.id).await?;
    let count = begun.len();
    for stage in begun {
        let played = app
            .store
            .contest_matches(contest.id, Some(stage.stage))
            .await?;
        let state = StageState::derive(rules, &stage, entries, &played);
        let own = rules
            .stages
            .get(usize::try_from(stage.stage).unwrap_or_default());
        let (Some(state), Some(own)) = (state, own) else {
            continue;
        };
        let is_last = stage.stage as usize + 1 == count;
        let is_running = is_last && !state.progress.is_over && contest.ended.is_none();
        let forecast = match shown && is_running {
            true => {
                let forecasts = &app.forecasts;
                forecasts
                    .find_forecast(contest, rules, stage.stage, &state, &earlier)
                    .await
            }
            false => None,
        };
        earlier.add_stage(&state);
        stages.push(StageSummary {
            number: stage.stage + 1,
            name: localized(own.name.clone()),
            begun: stage.begun,
            over: !is_last || state.progress.is_over,
            standings: shown.then(|| summarize_standings(&state, forecast.as_deref())),
            encounters: shown.then(|| summarize_encounters(&state, &played)),
        });
    }
    Ok(stages)
}

fn summarize_standings(state: &StageState, forecast: Option<&Forecast>) -> Vec<StandingSummary> {
    let rows = state.progress.standings.iter();
    rows.map(|row| {
        let [won, drawn, lost] = row.encounters;
        StandingSummary {
            place: row.place,
            entry: state.seeds[row.player].0,
            seed: row.player + 1,
            points: row.points,
            won,
            drawn,
            lost,
            tie_breaks: row.tie_breaks.clone(),
            out: row.is_out,
            chances: forecast
                .and_then(|forecast| forecast.players.get(row.player))
                .map(|player| ChancesSummary {
                    first: player.first,
                    win: player.win,
                    places: player.places,
                }),
        }
    })
    .collect()
}

fn summarize_encounters(
    state: &StageState,
    played: &[PlayedContestMatch],
) -> Vec<EncounterSummary> {
    let mut by_place: HashMap<(&str, EntryId, EntryId), Vec<&PlayedContestMatch>> = HashMap::new();
    for row in played {
        let key = (row.place.as_str(), row.one, row.other);
        by_place.entry(key).or_default().push(row);
    }
    let over =
        (state.progress.encounters.iter()).map(|(key, met)| (*key, met.pair, Some(met.points)));
    let open = state
        .progress
        .open
        .iter()
        .map(|one| (one.key, one.pair, None));
    let mut all: Vec<_> = over.chain(open).collect();
    all.sort_by_key(|(key, ..)| *key);
    let summarize = |(key, pair, points): (_, [usize; 2], _)| {
        let place = EncounterText::to_text(&key);
        let [one, other] = pair.map(|player| state.seeds[player]);
        let rows = by_place.get(&(place.as_str(), one, other));
        let matches = rows.into_iter().flatten().map(|row| EncounterMatch {
            id: row.match_id.0,
            state: row.state.into(),
            winner: row.winner.map(WinnerName::from),
            taken_back: row.taken_back,
        });
        EncounterSummary {
            matches: matches.collect(),
            entries: [one.0, other.0],
            points,
            place,
        }
    };
    all.into_iter().map(summarize).collect()
}
