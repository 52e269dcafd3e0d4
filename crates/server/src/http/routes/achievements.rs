//! Routes: what a person has reached. A browser keeps it of people without an account, and hands it
//! over when they have one.

use std::collections::{BTreeMap, BTreeSet};

use leitai_contest::date::is_day;
use leitai_store::{MatchSide, MatchWinner, PersonOpponent, PersonResult};

use crate::http::prelude::*;

/// The routes of what people have reached.
pub fn achievement_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(show_achievements, merge_achievements))
}

/// The most days and matches that are kept, the newest, the most tries of a day's challenge; the most games and built-in bots.
const MOST_DAYS: usize = 400;
const MOST_MATCHES: usize = 200;
const MOST_TRIES: usize = 50;
const MOST_GAMES: usize = 40;
const MOST_BOTS: usize = 60;
/// The longest id of a game or name of a built-in bot.
const LONGEST_NAME: usize = 40;
/// The latest matches of a game that are looked at.
const LOOKED_AT: u64 = 300;

/// What a person has reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Achievements {
    /// By the game's id.
    games: BTreeMap<String, GameAchievements>,
    /// Days on which the person finished a match, `2026-11-27`, the oldest first; at most 400.
    days: BTreeSet<String>,
    /// The person's own matches by their numbers, the oldest first; at most 200.
    matches: BTreeSet<i64>,
    /// The results of daily challenges by their day; at most 400.
    daily: BTreeMap<String, DailyResult>,
}

/// What a person has reached in a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GameAchievements {
    /// The built-in bots that the person has beaten.
    beaten: BTreeSet<String>,
    /// The leg with the largest lead: own score and the other's.
    best: Option<[i32; 2]>,
}

/// The result of a daily challenge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DailyResult {
    /// Whether it was won.
    won: bool,
    /// Own score less the other's, in the try that won, else in the best one.
    lead: i32,
    /// The matches of the tries until then, at most 50: each counts once, however often it is handed
    /// over.
    tries: BTreeSet<i64>,
}

impl DailyResult {
    fn merged_with(mut self, other: DailyResult) -> DailyResult {
        let better = |one: &DailyResult, other: &DailyResult| {
            let rank = |of: &DailyResult| (std::cmp::Reverse(of.tries.len()), of.lead);
            rank(one) > rank(other)
        };
        match (self.won, other.won) {
            (true, true) if better(&other, &self) => return other,
            (true, true) => return self,
            (false, false) => self.lead = self.lead.max(other.lead),
            (true, false) => {}
            (false, true) => (self.won, self.lead) = (true, other.lead),
        }
        self.tries.extend(other.tries);
        self
    }
}

impl Achievements {
    /// Both together: what either has is kept, and of results the better one.
    pub fn merged_with(mut self, other: Achievements) -> Achievements {
        for (game, more) in other.games {
            let own = self.games.entry(game).or_default();
            own.beaten.extend(more.beaten);
            own.best = better_of(own.best, more.best);
        }
        self.days.extend(other.days);
        self.matches.extend(other.matches);
        for (day, more) in other.daily {
            let both = match self.daily.remove(&day) {
                Some(own) => own.merged_with(more),
                None => more,
            };
            self.daily.insert(day, both);
        }
        self.bounded()
    }

    /// Without what is too much or no value at all, such as days that are none.
    fn bounded(mut self) -> Achievements {
        let is_name = |name: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
            !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(allowed)
        };
        self.games.retain(|game, _| is_name(game));
        while self.games.len() > MOST_GAMES {
            self.games.pop_last();
        }
        for own in self.games.values_mut() {
            own.beaten.retain(|name| is_name(name));
            while own.beaten.len() > MOST_BOTS {
                own.beaten.pop_last();
            }
        }
        self.days.retain(|day| is_day(day));
        self.daily.retain(|day, _| is_day(day));
        while self.days.len() > MOST_DAYS {
            self.days.pop_first();
        }
        while self.daily.len() > MOST_DAYS {
            self.daily.pop_first();
        }
        for result in self.daily.values_mut() {
            while result.tries.len() > MOST_TRIES {
                result.tries.pop_last();
            }
        }
        while self.matches.len() > MOST_MATCHES {
            self.matches.pop_first();
        }
        self
    }
}

/// The one with the larger lead.
fn better_of(one: Option<[i32; 2]>, other: Option<[i32; 2]>) -> Option<[i32; 2]> {
    let lead = |[own, other]: [i32; 2]| i64::from(own) - i64::from(other);
    [one, other]
        .into_iter()
        .flatten()
        .max_by_key(|best| lead(*best))
}

/// What the caller has reached, in matches with this account and as far as browsers handed it over.
#[utoipa::path(get, operation_id = "get_achievements",
    path = "/api/me/achievements", tag = "play", security(("token" = []), ("session" = [])),
    responses((status = 200, body = Achievements)))]
async fn show_achievements(app: App, user: SignedInUser) -> Answer<Achievements> {
    let kept = read_kept(app.store.achievements_of(user.id).await?);
    let own = in_matches(&app, user.id).await?;
    Ok(Json(kept.merged_with(own)))
}

/// Hands over what a browser kept. Nothing gets lost: both together are kept, and of results the
/// better one. Nobody but the person sees it, and it counts for no rating.
#[utoipa::path(put, operation_id = "merge_achievements",
    path = "/api/me/achievements", tag = "play", security(("token" = []), ("session" = [])),
    request_body = Achievements, responses((status = 200, body = Achievements)))]
async fn merge_achievements(
    app: App,
    user: SignedInUser,
    Json(new): Json<Achievements>,
) -> Answer<Achievements> {
    let merge = move |before| {
        let both = read_kept(before).merged_with(new);
        serde_json::to_string(&both).expect("it is plain data")
    };
    let kept = app.store.change_achievements(user.id, merge).await?;
    let own = in_matches(&app, user.id).await?;
    Ok(Json(read_kept(Some(kept)).merged_with(own)))
}

/// What is kept; nothing if a later version of the server wrote it in another form.
fn read_kept(text: Option<String>) -> Achievements {
    let read = text.and_then(|text| serde_json::from_str(&text).ok());
    read.unwrap_or_default()
}

/// The built-in bots that a person has beaten with this account.
async fn in_matches(app: &App, user: UserId) -> Result<Achievements, StoreError> {
    let mut reached = Achievements::default();
    for tally in app.store.tallies_of(user).await? {
        let found = app
            .store
            .results_of_person(user, &tally.game, None, LOOKED_AT);
        let game = app.find_game(&tally.game);
        let name_today = |(name, number): (String, i32)| {
            let game = game.as_ref()?;
            Some(game.find_bot(&format!("{name}@{number}"))?.to_owned())
        };
        let beaten = found.await?.into_iter().filter_map(beaten_bot);
        let beaten = beaten.filter_map(name_today).collect();
        let own = GameAchievements { beaten, best: None };
        reached.games.insert(tally.game, own);
    }
    Ok(reached)
}

/// The built-in bot that was beaten in a match, and the number of its version.
fn beaten_bot(result: PersonResult) -> Option<(String, i32)> {
    let own = match result.side {
        MatchSide::A => MatchWinner::A,
        MatchSide::B => MatchWinner::B,
    };
    // A match that continues another one begins where somebody else stood.
    let whole = crate::work::continuation::MatchOrigin::of_limits(&result.limits).is_none();
    match result.opponent {
        PersonOpponent::BuiltIn(name, number) if whole && result.winner == own => {
            Some((name, number))
        }
        _ => None,
    }
}
