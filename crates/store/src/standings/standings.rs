//! The rows of bots on their ladders, which every change of a bot writes.

use std::collections::BTreeSet;

use leitai_ladder::weng_lin::Rating;

use crate::database::prelude::*;
use crate::standings::rating_turns;
use crate::tables::history::{changes, raises};
use crate::tables::ladder::{ActiveModel, Column, Entity, Standing};
use crate::{Bot, BotId, LadderId};

/// Finds the standing of a bot on a ladder.
pub(crate) async fn find_standing(
    place: &impl ConnectionTrait,
    ladder: &LadderId,
    bot: BotId,
) -> Result<Option<Standing>, DbErr> {
    Entity::find_by_id((ladder.clone(), bot)).one(place).await
}

/// Lists a bot on the ladders of its game, or removes it.
pub(crate) async fn list_bot(change: &Change, bot: &Bot) -> Result<()> {
    for ladder in rating_turns::ladders_of(change, &bot.game).await? {
        let turn = rating_turns::take_turns(change, &ladder.ladder, 1).await?;
        let known = find_standing(change, &ladder.ladder, bot.id).await?;
        let joins = ladder.open && bot.active.is_some();
        if known.is_none() && !joins {
            continue;
        }
        let standing = known.unwrap_or_else(|| Standing::new_standing(bot.id, ladder.ladder));
        let standing = Standing {
            listed: standing.is_listed(bot),
            turn,
            ..standing
        };
        write(change, vec![standing]).await?;
    }
    Ok(())
}

/// Sets the rating with which a bot joins the standard ladder of its game, unless it has played there.
pub(crate) async fn set_base_rating(change: &Change, bot: &Bot, rating: Rating) -> Result<()> {
    let standard = LadderId::standard(&bot.game);
    let turn = rating_turns::take_turns(change, &standard, 1).await?;
    let known = find_standing(change, &standard, bot.id).await?;
    let Some(fresh) = known.filter(|known| known.games == 0) else {
        return Ok(());
    };
    let rated = Standing {
        skill: rating.skill,
        doubt: rating.doubt,
        base_skill: Some(rating.skill),
        base_doubt: Some(rating.doubt),
        turn,
        ..fresh
    };
    write(change, vec![rated]).await
}

/// Ends the rest of a bot wherever it rests, and forgets its failed matches.
pub(crate) async fn end_rest(change: &Change, bot: &Bot) -> Result<()> {
    for (standing, turn) in lock_standings(change, bot).await? {
        let rested = Standing {
            failing: 0,
            rests: None,
            rest_match: None,
            turn,
            ..standing
        };
        let listed = rested.is_listed(bot);
        write(change, vec![Standing { listed, ..rested }]).await?;
    }
    Ok(())
}

/// Raises the doubt of a bot's ratings after a new version was activated.
pub(crate) async fn reset_doubt(change: &Change, bot: &Bot, at: Timestamp) -> Result<()> {
    for (mut standing, turn) in lock_standings(change, bot).await? {
        if !standing.raise_doubt() {
            continue;
        }
        standing.turn = turn;
        let raise = raises::ActiveModel {
            ladder: Set(standing.ladder.clone()),
            turn: Set(turn),
            bot: Set(bot.id),
        };
        insert_row(change, raise).await?;
        let point = changes::ActiveModel {
            id: NotSet,
            bot: Set(bot.id),
            ladder: Set(standing.ladder.clone()),
            match_id: Set(None),
            at: Set(at),
            skill: Set(standing.skill),
            doubt: Set(standing.doubt),
        };
        insert_row(change, point).await?;
        write(change, vec![standing]).await?;
    }
    Ok(())
}

/// Locks the ladders of a bot's game, and returns the bot's standing on each with the turn of the
/// change.
async fn lock_standings(change: &Change, bot: &Bot) -> Result<Vec<(Standing, i64)>> {
    let mut locked = Vec::new();
    for ladder in rating_turns::ladders_of(change, &bot.game).await? {
        let turn = rating_turns::take_turns(change, &ladder.ladder, 1).await?;
        let standing = find_standing(change, &ladder.ladder, bot.id).await?;
        locked.extend(standing.map(|standing| (standing, turn)));
    }
    Ok(locked)
}

/// Notes that the owners of bots have changed, which their rows show.
pub(crate) async fn note_owners(change: &Change, bots: Vec<Bot>) -> Result<()> {
    let bots: Vec<BotId> = bots.iter().map(|bot| bot.id).collect();
    let ladders: Vec<LadderId> = Entity::find()
        .select_only()
        .column(Column::Ladder)
        .distinct()
        .filter(Column::Bot.is_in(bots.iter().copied()))
        .into_tuple()
        .all(change)
        .await?;
    // Lock order: the order of the keys, as when results are recorded.
    for ladder in ladders.into_iter().collect::<BTreeSet<_>>() {
        let turn = rating_turns::take_turns(change, &ladder, 1).await?;
        Entity::update_many()
            .col_expr(Column::Turn, Expr::value(turn))
            .filter(Column::Ladder.eq(ladder))
            .filter(Column::Bot.is_in(bots.iter().copied()))
            .exec(change)
            .await?;
    }
    Ok(())
}

/// Records that bots were picked to play.
pub(crate) async fn note_picked(
    change: &Change,
    ladder: &LadderId,
    bots: Vec<BotId>,
) -> Result<()> {
    let pick = rating_turns::take_picks(change, ladder, 1).await?;
    Entity::update_many()
        .col_expr(Column::Picked, Expr::value(pick))
        .filter(Column::Ladder.eq(ladder))
        .filter(Column::Bot.is_in(bots))
        .exec(change)
        .await?;
    Ok(())
}

/// Inserts or updates rows, which bear the turn of this change.
pub(crate) async fn write(change: &Change, rows: Vec<Standing>) -> Result<()> {
    let columns = Column::iter().filter(|column| {
        !matches!(
            column,
            Column::Ladder
                | Column::Bot
                | Column::Picked
                | Column::Division
                | Column::BestRank
                | Column::BestRankSince
        )
    });
    let columns: Vec<Column> = columns.collect();
    // Databases limit the number of values in a statement.
    for some in rows.chunks(500) {
        let rows = some
            .iter()
            .cloned()
            .map(|row| ActiveModel::from(row).reset_all());
        let known = OnConflict::columns([Column::Ladder, Column::Bot])
            .update_columns(columns.iter().copied())
            .to_owned();
        Entity::insert_many(rows)
            .on_conflict(known)
            .exec_without_returning(change)
            .await?;
    }
    Ok(())
}
