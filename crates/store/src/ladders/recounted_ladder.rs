//! Counts a ladder anew without copies, in one transaction.

use std::collections::{BTreeMap, HashMap};

use sea_orm::sea_query::ExprTrait;
use serde_json::json;

use crate::database::audit_log;
use crate::database::prelude::*;
use crate::events::kinds::{self as events, RatingsRecounted};
use crate::ladders::recount_rows::{
    RECOUNT, RecountSubject, forget_games, games_by_match, lock_row, select_after, update_row,
};
use crate::ladders::{distinct_games, rebuild};
use crate::matches::matches;
use crate::tables::history::changes;
use crate::tables::recount::Model;
use crate::{AuditedAction, BotId, LadderId, MatchId, Standing, tables};

/// Rows per statement: databases limit the number of values.
const ROWS: usize = 500;
/// A difference in Elo that is too small to be shown.
const SHOWN: f64 = 0.05;

/// The result of a recount.
#[derive(Clone, Debug, PartialEq)]
pub struct Recounted {
    /// Matches of a ladder that count no more, or games of a contest that are copies.
    pub copies: i64,
    /// The ratings that changed: before and after, as shown.
    pub ratings: Vec<(BotId, [f64; 2])>,
}

/// A match that counted before, with its bots.
struct CountedMatch {
    id: MatchId,
    bots: [Option<BotId>; 2],
    /// Whether its games counted as new since copies count once.
    has_games: bool,
}

/// See [`Store::finish_recount`](crate::Store::finish_recount).
pub(crate) async fn recount_ladder(
    change: &Change,
    ladder: &LadderId,
    at: Timestamp,
) -> Result<Option<Recounted>> {
    // The ladder first, as whoever records a result.
    rebuild::lock(change, ladder).await?;
    let subject = RecountSubject::Ladder(ladder.clone());
    let Some(row) = lock_row(change, &subject.to_string()).await? else {
        return Ok(None);
    };
    if row.finished.is_some() || has_unread(change, &subject, row.read_to).await? {
        return Ok(None);
    }
    let read = games_by_match(change, &row.subject).await?;
    let games = read.values().map(Vec::len).sum::<usize>() as i64;
    let found = find_copies(change, ladder, &read).await?;
    let before = standings(change, ladder).await?;
    mark_copies(change, ladder, &found.copies).await?;
    found.write_games(change, ladder).await?;
    let copies = found.copies.len() as i64;
    let ratings = match copies {
        0 => Vec::new(),
        _ => {
            rebuild::rebuild_from(change, ladder, i64::MAX).await?;
            note_steps(change, ladder, &before, at).await?
        }
    };
    let told = ratings.iter().filter(|(_, [before, after])| {
        let step = (before - after).abs();
        step >= RatingsRecounted::LEAST
    });
    let told = RatingsRecounted {
        ladder: ladder.clone(),
        ratings: told.copied().collect(),
    };
    events::write(change, told, at);
    let detail = json!({"copies": copies, "ratings": ratings.len()});
    let action = AuditedAction {
        user: None,
        action: "ladder.recount".to_owned(),
        subject: format!("ladder {ladder}"),
        detail,
    };
    audit_log::write(change, action, at).await?;
    forget_games(change, &row.subject).await?;
    let row = Model {
        games,
        copies,
        finished: Some(at),
        ..row
    };
    update_row(change, row).await?;
    Ok(Some(Recounted { copies, ratings }))
}

/// Whether a match was played behind the last batch whose games nobody has noted, such as by a
/// server of the version before.
async fn has_unread(change: &Change, subject: &RecountSubject, read_to: i64) -> Result<bool> {
    Ok(select_after(subject, read_to).count(change).await? > 0)
}

/// The copies of a ladder, and the games that count.
struct FoundCopies {
    /// Each with the match of which it holds a copy.
    copies: Vec<(CountedMatch, MatchId)>,
    /// Games that count from now on, with their matches.
    new: Vec<(String, MatchId)>,
}

/// Goes over the matches of a ladder in the order in which they counted.
async fn find_copies(
    change: &Change,
    ladder: &LadderId,
    read: &BTreeMap<MatchId, Vec<String>>,
) -> Result<FoundCopies> {
    let known = distinct_games::games_of_ladder(change, ladder).await?;
    let mut first: HashMap<&str, MatchId> = HashMap::new();
    let mut found = FoundCopies {
        copies: Vec::new(),
        new: Vec::new(),
    };
    let rows: Vec<(MatchId, Option<BotId>, Option<BotId>)> = tables::matches::Entity::find()
        .filter(tables::matches::Column::Ladder.eq(ladder))
        .filter(tables::matches::Column::Winner.is_not_null())
        .filter(tables::matches::Column::Turn.is_not_null())
        .order_by_asc(tables::matches::Column::Turn)
        .select_only()
        .columns([
            tables::matches::Column::Id,
            tables::matches::Column::ABot,
            tables::matches::Column::BBot,
        ])
        .into_tuple()
        .all(change)
        .await?;
    for (id, a, b) in rows {
        let Some(games) = known.get(&id).or_else(|| read.get(&id)) else {
            continue;
        };
        if let Some(of) = games.iter().find_map(|game| first.get(game.as_str())) {
            let own = CountedMatch {
                id,
                bots: [a, b],
                has_games: known.contains_key(&id),
            };
            found.copies.push((own, *of));
            continue;
        }
        let is_new = !known.contains_key(&id);
        for game in games {
            if first.insert(game, id).is_none() && is_new {
                found.new.push((game.clone(), id));
            }
        }
    }
    Ok(found)
}

impl FoundCopies {
    /// Writes the games that count from now on, after those of copies were forgotten.
    async fn write_games(&self, change: &Change, ladder: &LadderId) -> Result<()> {
        for some in self.new.chunks(ROWS) {
            distinct_games::insert(change, ladder, some).await?;
        }
        Ok(())
    }
}

/// Takes matches out of the ladder, as copies of others.
async fn mark_copies(
    change: &Change,
    ladder: &LadderId,
    copies: &[(CountedMatch, MatchId)],
) -> Result<()> {
    let mut more: HashMap<BotId, i64> = HashMap::new();
    for (own, of) in copies {
        if own.has_games {
            distinct_games::forget_match(change, own.id).await?;
        }
        let row = tables::matches::ActiveModel {
            copy_of: Set(Some(*of)),
            turn: Set(None),
            a_change: Set(None),
            b_change: Set(None),
            ..matches::unchanged_row()
        };
        matches::update_match(change, own.id, row).await?;
        for bot in own.bots.into_iter().flatten() {
            *more.entry(bot).or_default() += 1;
        }
    }
    // Its games count first elsewhere: its copies are copies of that match.
    let again: Vec<MatchId> = copies.iter().map(|(own, _)| own.id).collect();
    let of: HashMap<MatchId, MatchId> = copies.iter().map(|(own, of)| (own.id, *of)).collect();
    for some in again.chunks(ROWS) {
        let copied = tables::matches::Entity::find()
            .filter(tables::matches::Column::CopyOf.is_in(some.iter().copied()))
            .select_only()
            .columns([tables::matches::Column::Id, tables::matches::Column::CopyOf])
            .into_tuple::<(MatchId, MatchId)>();
        for (id, was) in copied.all(change).await? {
            if let Some(of) = of.get(&was) {
                let row = tables::matches::ActiveModel {
                    copy_of: Set(Some(*of)),
                    ..matches::unchanged_row()
                };
                matches::update_match(change, id, row).await?;
            }
        }
    }
    for (bot, more) in more {
        let copies = Expr::col(tables::ladder::Column::Copies).add(more);
        tables::ladder::Entity::update_many()
            .col_expr(tables::ladder::Column::Copies, copies)
            .filter(tables::ladder::Column::Ladder.eq(ladder))
            .filter(tables::ladder::Column::Bot.eq(bot))
            .exec(change)
            .await?;
    }
    Ok(())
}

async fn standings(change: &Change, ladder: &LadderId) -> Result<HashMap<BotId, Standing>> {
    let all = tables::ladder::Entity::find().filter(tables::ladder::Column::Ladder.eq(ladder));
    let all = all.all(change).await?.into_iter();
    Ok(all.map(|standing| (standing.bot, standing)).collect())
}

/// Adds the recount as one step to the history of every rating that changed, and returns these
/// ratings: before and after, by bot.
async fn note_steps(
    change: &Change,
    ladder: &LadderId,
    before: &HashMap<BotId, Standing>,
    at: Timestamp,
) -> Result<Vec<(BotId, [f64; 2])>> {
    let mut after: Vec<Standing> = standings(change, ladder).await?.into_values().collect();
    after.sort_by_key(|standing| standing.bot);
    let shown = |of: &Standing| of.current_rating().shown_rating();
    let mut ratings = Vec::new();
    let mut steps = Vec::new();
    for now in &after {
        let Some(was) = before.get(&now.bot) else {
            continue;
        };
        let (from, to) = (shown(was), shown(now));
        let differs = |from: f64, to: f64| (from - to).abs() >= SHOWN;
        if differs(from.value, to.value) || differs(from.error, to.error) {
            steps.push(changes::ActiveModel {
                id: NotSet,
                bot: Set(now.bot),
                ladder: Set(ladder.clone()),
                match_id: Set(None),
                at: Set(at),
                skill: Set(now.skill),
                doubt: Set(now.doubt),
                reason: Set(Some(RECOUNT.to_owned())),
            });
        }
        if differs(from.value, to.value) {
            ratings.push((now.bot, [from.value, to.value]));
        }
    }
    for some in steps.chunks(ROWS) {
        changes::Entity::insert_many(some.to_vec())
            .exec_without_returning(change)
            .await?;
    }
    Ok(ratings)
}
