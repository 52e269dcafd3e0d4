//! Routes: who beats whom on a ladder.

use std::ops::Range;
use std::sync::Arc;

use leitai_ladder::ScoreTally;
use leitai_ladder::payoff::{Cycle, Payoff, PayoffMatrix};
use leitai_store::{GroupId, LadderRow};

use crate::http::list::{WhichAuthors, WhichLadder};
use crate::http::prelude::*;
use crate::http::summaries::BotSummary;

/// The routes of payoffs.
pub fn payoff_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(show_payoffs))
        .routes(routes!(list_payoffs))
}

/// The most bots of a ladder, the best ones, whose matches are looked at.
const MOST: usize = 500;
/// The most groups: their cells fit on a screen.
pub const GROUPS: usize = 6;
/// The most bots, the best ones, of which the Nash average and cycles are computed.
const FIELD: usize = 64;
/// The most lines of an answer.
const LINES: usize = 40;
/// The most bots with a share of the Nash average and the most cycles that are named.
const NAMED: usize = 10;
/// Who has less of the Nash average is not named.
const LEAST_SHARE: f64 = 0.0005;
/// The least probability of a cycle that is named.
const LEAST_CHANCE: f64 = 0.9;
/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// What one took from another: bots or groups.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct PayoffCell {
    /// Matches won.
    wins: u32,
    /// Matches drawn.
    draws: u32,
    /// Matches lost.
    losses: u32,
    /// The share of the points.
    share: f64,
    /// Its interval, with a confidence of 95 %.
    interval: [f64; 2],
    /// The probability that the one is the stronger of the two.
    chance: f64,
    /// What one more match would tell: how wide the interval would be then, as is to be expected.
    one_more: f64,
}

/// Who wrote the bots of a group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum AuthorClass {
    BuiltIn,
    People,
    Agents,
}

/// A group of bots.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
struct PayoffGroup {
    /// Who wrote them; null if they are those of neighbouring places.
    class: Option<AuthorClass>,
    /// How many they are.
    bots: usize,
    /// The first place, from 1.
    from: usize,
    /// The last place.
    to: usize,
    /// The highest rating.
    highest: f64,
    /// The lowest rating.
    lowest: f64,
    /// The name of the bot, if it is one alone.
    name: Option<String>,
}

/// A bot of the Nash average, beside its rating.
#[derive(Debug, Serialize, ToSchema)]
struct NashShare {
    bot: BotSummary,
    /// Its rating.
    rating: f64,
    /// Its share of the mixture that nobody beats.
    share: f64,
}

/// A > B > C > A.
#[derive(Debug, Serialize, ToSchema)]
struct PayoffCycle {
    /// The bots, each stronger than the next one, the last than the first.
    bots: Vec<BotSummary>,
    /// The probability that all three are.
    chance: f64,
}

/// Who beats whom on a ladder, by groups.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayoffSummary {
    /// The bots that are looked at: the best 500.
    bots: usize,
    /// At most six groups of neighbouring places, the best first; of at most six bots each is one. By
    /// authors at most three.
    groups: Vec<PayoffGroup>,
    /// What each group (row) took from each (column); null where none have met.
    cells: Vec<Vec<Option<PayoffCell>>>,
    /// The Nash average of the best 64, the largest share first.
    nash: Vec<NashShare>,
    /// Cycles among them that are at least 90 % likely, the likeliest first.
    cycles: Vec<PayoffCycle>,
}

/// A bot, and what was taken.
#[derive(Debug, Serialize, ToSchema)]
struct PayoffLine {
    bot: BotSummary,
    /// Of a group's bots: what it took from the other group. Of one bot's opponents: what the bot took
    /// from this one.
    cell: PayoffCell,
    /// Whether the bot cannot beat this opponent: the interval lies below one half.
    cannot_beat: bool,
}

/// A part of the payoffs, line by line.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayoffLines {
    /// At most 40. Of a group in the order of the ladder, of a bot's opponents the hardest first.
    lines: Vec<PayoffLine>,
    /// What `skip` is for the next ones; null: there are none.
    next: Option<usize>,
}

/// What the bots of a group have in common.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Grouping {
    #[default]
    Places,
    Authors,
}

/// Which groups.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichGroups {
    /// `places` (the default): bots of neighbouring places; `authors`: built-in bots, bots of
    /// people, bots that agents wrote.
    #[serde(default)]
    #[param(inline)]
    by: Grouping,
}

/// Which lines.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichLines {
    /// The bots of this group, from 0, against `column`.
    row: Option<usize>,
    /// The opponents: this group, from 0; all if absent.
    column: Option<usize>,
    /// The opponents of this bot instead of a group.
    bot: Option<i64>,
    /// So many lines are left out.
    #[serde(default)]
    skip: usize,
}

/// The best bots of a ladder and their matches with each other.
pub struct Field {
    rows: Vec<LadderRow>,
    tallies: Vec<Vec<ScoreTally>>,
}

impl Field {
    /// Of a ladder, or of the bots of a group there, read once for all answers of a moment.
    pub async fn of_ladder(
        app: &App,
        game: &str,
        of: &WhichLadder,
        (group, authors): (Option<GroupId>, WhichAuthors),
    ) -> Result<Arc<Field>> {
        let ladder = app.need_ladder(game, of.ladder.as_deref())?.id;
        let read = async {
            let part = (group, authors.part());
            let (rows, tallies) = app.store.ladder_payoffs(&ladder, part, MOST).await?;
            Ok(Field { rows, tallies })
        };
        let key = format!("payoffs {ladder} {group:?} {authors:?}");
        app.responses.read_once(key, read).await
    }

    /// What the groups took from each other, with the Nash average and cycles.
    pub async fn summary(self: Arc<Field>, by: WhichGroups) -> Result<PayoffSummary> {
        let summary = tokio::task::spawn_blocking(move || self.summarise(by)).await;
        summary.map_err(|error| ApiError::internal_error("payoffs were not computed", &error))
    }

    /// The rows of each group.
    fn groups(&self, by: WhichGroups) -> Vec<(Option<AuthorClass>, Vec<usize>)> {
        let of_class = |class| {
            let own = |row: &usize| class_of(&self.rows[*row]) == class;
            (Some(class), (0..self.rows.len()).filter(own).collect())
        };
        let mut groups: Vec<(_, Vec<usize>)> = match by.by {
            Grouping::Places => {
                let places = cut(self.rows.len()).into_iter();
                places.map(|own| (None, own.collect())).collect()
            }
            Grouping::Authors => {
                use AuthorClass::{Agents, BuiltIn, People};
                [BuiltIn, People, Agents].map(of_class).into()
            }
        };
        groups.retain(|(_, rows)| !rows.is_empty());
        groups
    }

    /// What some took from others, together.
    fn sum(&self, own: &[usize], others: &[usize]) -> ScoreTally {
        let mut sum = ScoreTally::default();
        for row in own {
            others
                .iter()
                .for_each(|other| sum += self.tallies[*row][*other]);
        }
        sum
    }

    fn bot(&self, row: usize) -> BotSummary {
        self.rows[row].bot.clone().into()
    }

    fn summarise(&self, by: WhichGroups) -> PayoffSummary {
        let groups = self.groups(by);
        let line = |(_, own): &(_, Vec<usize>)| {
            // What a group took from itself is half of it.
            let cells = groups.iter().map(|(_, others)| match own == others {
                true => None,
                false => cell_of(self.sum(own, others)),
            });
            cells.collect()
        };
        let best = self.rows.len().min(FIELD);
        let field: Vec<Vec<ScoreTally>> = (0..best)
            .map(|row| self.tallies[row][..best].to_vec())
            .collect();
        let payoffs = PayoffMatrix::new(&field);
        let ratings: Vec<f64> = self.rows[..best]
            .iter()
            .map(|row| row.rating.value)
            .collect();
        let shares = payoffs.nash_average(&ratings).shares;
        let mut shares: Vec<(usize, f64)> = shares.into_iter().enumerate().collect();
        shares.retain(|(_, share)| *share >= LEAST_SHARE);
        shares.sort_by(|one, other| other.1.total_cmp(&one.1));
        let nash = shares
            .into_iter()
            .take(NAMED)
            .map(|(row, share)| NashShare {
                bot: self.bot(row),
                rating: self.rows[row].rating.value,
                share,
            });
        let cycles = payoffs.find_cycles(LEAST_CHANCE, NAMED).into_iter();
        let cycles = cycles.map(|Cycle { players, chance }| PayoffCycle {
            bots: players.map(|row| self.bot(row)).into(),
            chance,
        });
        PayoffSummary {
            bots: self.rows.len(),
            cells: groups.iter().map(line).collect(),
            nash: if self.has_met() {
                nash.collect()
            } else {
                Vec::new()
            },
            cycles: cycles.collect(),
            groups: groups.into_iter().map(|own| self.describe(own)).collect(),
        }
    }

    fn has_met(&self) -> bool {
        let mut all = self.tallies.iter().flatten();
        all.any(|tally| tally.game_count() > 0)
    }

    fn describe(&self, (class, own): (Option<AuthorClass>, Vec<usize>)) -> PayoffGroup {
        let ratings = own.iter().map(|row| self.rows[*row].rating.value);
        let place = |row: Option<&usize>| row.map_or(0, |row| row + 1);
        let name = match (class, &own[..]) {
            (None, [row]) => Some(self.rows[*row].bot.name.clone()),
            _ => None,
        };
        PayoffGroup {
            class,
            bots: own.len(),
            from: place(own.first()),
            to: place(own.last()),
            highest: ratings.clone().fold(f64::NEG_INFINITY, f64::max),
            lowest: ratings.fold(f64::INFINITY, f64::min),
            name,
        }
    }

    /// A part of the payoffs, line by line.
    pub fn lines(&self, which: WhichLines, by: WhichGroups) -> Result<PayoffLines> {
        let groups = self.groups(by);
        let group = |index: usize| {
            let found = groups.get(index).map(|(_, rows)| rows.clone());
            found.ok_or_else(|| {
                ApiError::not_found(format!(
                    "there is no group {index}; there are {}",
                    groups.len()
                ))
            })
        };
        let column = match which.column {
            Some(index) => group(index)?,
            None => (0..self.rows.len()).collect(),
        };
        let (mut lines, order): (Vec<_>, bool) = match (which.bot, which.row) {
            (Some(bot), _) => {
                let own = self.rows.iter().position(|row| row.bot.id.0 == bot);
                let own = own.ok_or_else(|| {
                    ApiError::not_found(format!("bot {bot} is not on this ladder"))
                })?;
                let tally = |row| (row, self.tallies[own][row]);
                (column.into_iter().map(tally).collect(), true)
            }
            (None, row) => {
                let own = group(row.unwrap_or(0))?;
                let tally = |row: usize| (row, self.sum(&[row], &column));
                (own.into_iter().map(tally).collect(), false)
            }
        };
        lines.retain(|(_, tally)| tally.game_count() > 0);
        if order {
            let share = |tally: &ScoreTally| tally.points() / f64::from(tally.game_count());
            lines.sort_by(|one, other| share(&one.1).total_cmp(&share(&other.1)));
        }
        let left = lines.len().saturating_sub(which.skip);
        let shown = lines.into_iter().skip(which.skip).take(LINES);
        let shown = shown.filter_map(|(row, tally)| {
            let cell = cell_of(tally)?;
            Some(PayoffLine {
                bot: self.bot(row),
                cannot_beat: which.bot.is_some() && cell.interval[1] < 0.5,
                cell,
            })
        });
        Ok(PayoffLines {
            lines: shown.collect(),
            next: (left > LINES).then(|| which.skip + LINES),
        })
    }
}

/// So many places in at most [`GROUPS`] groups of nearly the same size.
pub fn cut(size: usize) -> Vec<Range<usize>> {
    let groups = size.min(GROUPS);
    let start = |index: usize| index * size / groups;
    (0..groups)
        .map(|index| start(index)..start(index + 1))
        .collect()
}

fn class_of(row: &LadderRow) -> AuthorClass {
    match (row.bot.built_in, row.bot.by_agent) {
        (true, _) => AuthorClass::BuiltIn,
        (false, false) => AuthorClass::People,
        (false, true) => AuthorClass::Agents,
    }
}

/// A cell; `None` where nobody has met.
fn cell_of(tally: ScoreTally) -> Option<PayoffCell> {
    let of = |tally: ScoreTally| {
        let both = [
            vec![ScoreTally::default(), tally],
            vec![tally.flip_side(), ScoreTally::default()],
        ];
        PayoffMatrix::new(&both).payoff(0, 1, CONFIDENCE)
    };
    let Payoff {
        share,
        interval,
        chance,
    } = of(tally)?;
    let width = |next: ScoreTally| of(next).map_or(0.0, |own| own.interval[1] - own.interval[0]);
    let ScoreTally {
        wins,
        draws,
        losses,
    } = tally;
    let won = ScoreTally {
        wins: wins + 1,
        ..tally
    };
    let lost = ScoreTally {
        losses: losses + 1,
        ..tally
    };
    Some(PayoffCell {
        wins,
        draws,
        losses,
        share,
        interval,
        chance,
        one_more: share * width(won) + (1.0 - share) * width(lost),
    })
}

/// Who beats whom on a ladder: what groups of neighbouring places, or of the same kind of author, took from
/// each other, the Nash average beside the rating, and cycles.
#[utoipa::path(get, operation_id = "get_payoffs",
    path = "/api/games/{game}/payoffs", tag = "games",
    params(("game" = String, Path, example = "snakego"), WhichLadder, WhichAuthors, WhichGroups),
    responses((status = 200, body = PayoffSummary)))]
async fn show_payoffs(
    app: App,
    Path(game): Path<String>,
    Query(of): Query<WhichLadder>,
    Query(authors): Query<WhichAuthors>,
    Query(by): Query<WhichGroups>,
    headers: HeaderMap,
) -> Result<Response> {
    let key = format!(
        "payoffs {game} {} {authors:?} {by:?}",
        of.ladder.as_deref().unwrap_or_default()
    );
    let make = async {
        let field = Field::of_ladder(&app, &game, &of, (None, authors)).await?;
        field.summary(by).await
    };
    app.responses.get(key, &headers, make).await
}

/// Bots of a group, or opponents of a bot, with what was taken: whom a bot cannot beat comes first.
#[utoipa::path(get, operation_id = "list_payoffs",
    path = "/api/games/{game}/payoffs/lines", tag = "games",
    params(("game" = String, Path, example = "snakego"), WhichLadder, WhichAuthors, WhichGroups, WhichLines),
    responses((status = 200, body = PayoffLines)))]
async fn list_payoffs(
    app: App,
    Path(game): Path<String>,
    Query(of): Query<WhichLadder>,
    Query(authors): Query<WhichAuthors>,
    Query(by): Query<WhichGroups>,
    Query(which): Query<WhichLines>,
    headers: HeaderMap,
) -> Result<Response> {
    let key = format!(
        "payoff lines {game} {} {authors:?} {by:?} {which:?}",
        of.ladder.as_deref().unwrap_or_default()
    );
    let make = async {
        let field = Field::of_ladder(&app, &game, &of, (None, authors)).await?;
        field.lines(which, by)
    };
    app.responses.get(key, &headers, make).await
}
