//! The standings of ladders.

use std::collections::{BTreeSet, HashSet};

use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::divisions::{Divisions, Tendency};
use leitai_ladder::weng_lin::Rating;
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{Condition, Iterable, QueryOrder, QuerySelect, QueryTrait, Select};

use crate::database::availability::DatabaseTransaction;
use crate::ladders::ladder_cache::LadderPlace;
use crate::ladders::rank_cache::LadderRanks;
use crate::ladders::{ladder_list, rating_turns};
use crate::tables::history::{changes, raises};
use crate::tables::ladder::{ActiveModel, Column, Entity, Standing};
use crate::{
    Bot, BotId, BotRow, GroupId, LadderId, Page, PageQuery, Store, StoreError, Timestamp, tables,
};

/// A row of the ladder as pages show it.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderRow {
    /// Best and worst place with a confidence of 95 %: only bots that are better with that
    /// confidence stand before it.
    pub rank: [u32; 2],
    /// The bot.
    pub bot: BotRow,
    /// Its standing; [`Standing::picked`] may be old.
    pub standing: Standing,
    /// The rating on the Elo scale.
    pub rating: Estimated,
    /// The division, from 1; `None` on a ladder that is not divided.
    pub division: Option<u32>,
    /// Whether it is about to be promoted or relegated.
    pub tendency: Option<Tendency>,
}

impl LadderRow {
    fn new(
        places: &LadderRanks,
        divisions: Option<Divisions>,
        standing: Standing,
        bot: BotRow,
    ) -> LadderRow {
        let rank = places.rank_of(standing.bot);
        let division = standing.division.filter(|_| divisions.is_some());
        let division = division.map(i32::unsigned_abs);
        let tendency = |all: Divisions| all.tendency(division?, rank);
        LadderRow {
            rank,
            bot,
            division,
            tendency: divisions.and_then(tendency),
            rating: standing.current_rating().shown_rating(),
            standing,
        }
    }
}

impl Store {
    /// A ladder, best first.
    pub async fn list_ladder(
        &self,
        ladder: &LadderId,
        ask: &PageQuery,
    ) -> Result<Page<LadderRow>, StoreError> {
        self.cut_page(ladder, ask, |_| true).await
    }

    /// A page of the ladder in memory, of the rows that are shown.
    pub(crate) async fn cut_page(
        &self,
        ladder: &LadderId,
        ask: &PageQuery,
        is_shown: impl Fn(&Standing) -> bool,
    ) -> Result<Page<LadderRow>, StoreError> {
        let below = page_start(ask)?;
        let cached = self.current_ladder(ladder).await?;
        let places = self.ladder_ranks(ladder, &cached).await?;
        let divisions = self.divisions_of(&places);
        let rows: Vec<LadderRow> = {
            let rows = cached.rows();
            let shown = rows.below(below).filter(|row| is_shown(&row.standing));
            let page = shown.take(ask.row_limit() as usize + 1);
            page.map(|row| {
                LadderRow::new(&places, divisions, row.standing.clone(), row.bot.clone())
            })
            .collect()
        };
        Ok(Page::from_items(ask, rows, |row| {
            page_cursor(&row.standing)
        }))
    }

    /// A page as the database has it, for tests of the ladders in memory.
    #[doc(hidden)]
    pub async fn query_ladder_for_tests(
        &self,
        ladder: &LadderId,
        ask: &PageQuery,
    ) -> Result<Page<LadderRow>, StoreError> {
        let page = query_page(ladder, ask)?;
        let cached = self.current_ladder(ladder).await?;
        let places = self.ladder_ranks(ladder, &cached).await?;
        let divisions = self.divisions_of(&places);
        let standings = page.all(&self.readers).await?;
        let ids: Vec<BotId> = standings.iter().map(|standing| standing.bot).collect();
        let briefs = self.bot_briefs(&ids).await?;
        let rows = standings.into_iter().zip(briefs);
        let rows = rows.map(|(standing, bot)| LadderRow::new(&places, divisions, standing, bot));
        Ok(Page::from_items(ask, rows.collect(), |row: &LadderRow| {
            page_cursor(&row.standing)
        }))
    }

    /// The part of a ladder that bots of a group make up: those of its members and of its
    /// teams, best first. Ranks and ratings are those of the whole ladder.
    pub async fn list_group_ladder(
        &self,
        group: GroupId,
        ladder: &LadderId,
        ask: &PageQuery,
    ) -> Result<Page<LadderRow>, StoreError> {
        let bots = query_bots_of_group(group, ladder.game());
        let bots: Vec<BotId> = bots.into_tuple().all(&self.readers).await?;
        let bots: HashSet<BotId> = bots.into_iter().collect();
        self.cut_page(ladder, ask, |standing| bots.contains(&standing.bot))
            .await
    }

    /// The standing of a bot on a ladder; `None` before its first version was activated.
    pub async fn find_standing(
        &self,
        bot: BotId,
        ladder: &LadderId,
    ) -> Result<Option<Standing>, StoreError> {
        Ok(find_standing(&self.readers, ladder, bot).await?)
    }

    /// The number of bots on a ladder.
    pub async fn ladder_size(&self, ladder: &LadderId) -> Result<u64, StoreError> {
        let all = Entity::find()
            .filter(Column::Ladder.eq(ladder))
            .filter(Column::Listed.eq(true));
        Ok(all.count(&self.readers).await?)
    }
}

/// The ids of the bots of a game whose owners belong to a group, or which belong to one of its teams.
fn query_bots_of_group(group: GroupId, game: &str) -> Select<tables::bots::Entity> {
    let members = tables::group_members::Entity::find()
        .filter(tables::group_members::Column::GroupId.eq(group))
        .select_only()
        .column(tables::group_members::Column::User);
    let teams = tables::teams::Entity::find()
        .filter(tables::teams::Column::Scope.eq(group.0))
        .select_only()
        .column(tables::teams::Column::Id);
    let its = Condition::any()
        .add(tables::bots::Column::Owner.in_subquery(members.into_query()))
        .add(tables::bots::Column::Team.in_subquery(teams.into_query()));
    let ids = tables::bots::Entity::find().filter(its).select_only();
    ids.filter(tables::bots::Column::Game.eq(game))
        .column(tables::bots::Column::Id)
}

/// Queries a page of the ladder and one more row. The first condition on the skill lets the index
/// start where the page starts.
pub(crate) fn query_page(ladder: &LadderId, ask: &PageQuery) -> Result<Select<Entity>, StoreError> {
    let all = Entity::find()
        .filter(Column::Ladder.eq(ladder))
        .filter(Column::Listed.eq(true));
    let mut page = all
        .order_by_desc(Column::Skill)
        .order_by_asc(Column::Bot)
        .limit(ask.row_limit() + 1);
    if let Some(LadderPlace { skill, bot }) = page_start(ask)? {
        let later = Condition::any()
            .add(Column::Skill.lt(skill))
            .add(Column::Bot.gt(bot));
        page = page.filter(Column::Skill.lte(skill)).filter(later);
    }
    Ok(page)
}

/// The cursor of a row: the skill with all its bits, and the bot.
fn page_cursor(standing: &Standing) -> String {
    format!("{:016x}-{}", standing.skill.to_bits(), standing.bot)
}

/// The place below which a page starts; `None` for the first one.
fn page_start(ask: &PageQuery) -> Result<Option<LadderPlace>, StoreError> {
    let parse = |text: &String| {
        let (skill, bot) = parse_cursor(text).ok_or_else(|| StoreError::Cursor(text.clone()))?;
        Ok(LadderPlace::new(skill, bot))
    };
    ask.before.as_ref().map(parse).transpose()
}

fn parse_cursor(text: &str) -> Option<(f64, BotId)> {
    let (skill, bot) = text.split_once('-')?;
    let skill = f64::from_bits(u64::from_str_radix(skill, 16).ok()?);
    Some((skill, bot.parse().ok()?)).filter(|(skill, _)| skill.is_finite())
}

/// Finds the standing of a bot on a ladder.
pub(crate) async fn find_standing(
    place: &impl ConnectionTrait,
    ladder: &LadderId,
    bot: BotId,
) -> Result<Option<Standing>, DbErr> {
    Entity::find_by_id((ladder.clone(), bot)).one(place).await
}

/// Lists a bot on the ladders of its game, or removes it.
pub(crate) async fn list_bot(change: &DatabaseTransaction, bot: &Bot) -> Result<(), StoreError> {
    for ladder in ladder_list::ladders_of(change, &bot.game).await? {
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
pub(crate) async fn set_base_rating(
    change: &DatabaseTransaction,
    bot: &Bot,
    rating: Rating,
) -> Result<(), StoreError> {
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
pub(crate) async fn end_rest(change: &DatabaseTransaction, bot: &Bot) -> Result<(), StoreError> {
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
pub(crate) async fn reset_doubt(
    change: &DatabaseTransaction,
    bot: &Bot,
    at: Timestamp,
) -> Result<(), StoreError> {
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
        raises::Entity::insert(raise)
            .exec_without_returning(change)
            .await?;
        let point = changes::ActiveModel {
            id: NotSet,
            bot: Set(bot.id),
            ladder: Set(standing.ladder.clone()),
            match_id: Set(None),
            at: Set(at),
            skill: Set(standing.skill),
            doubt: Set(standing.doubt),
            reason: Set(None),
        };
        changes::Entity::insert(point)
            .exec_without_returning(change)
            .await?;
        write(change, vec![standing]).await?;
    }
    Ok(())
}

/// Locks the ladders of a bot's game, and returns the bot's standing on each with the turn of the
/// change.
async fn lock_standings(
    change: &DatabaseTransaction,
    bot: &Bot,
) -> Result<Vec<(Standing, i64)>, StoreError> {
    let mut locked = Vec::new();
    for ladder in ladder_list::ladders_of(change, &bot.game).await? {
        let turn = rating_turns::take_turns(change, &ladder.ladder, 1).await?;
        let standing = find_standing(change, &ladder.ladder, bot.id).await?;
        locked.extend(standing.map(|standing| (standing, turn)));
    }
    Ok(locked)
}

/// Notes that the owners of bots have changed, which their rows show.
pub(crate) async fn note_owners(
    change: &DatabaseTransaction,
    bots: Vec<Bot>,
) -> Result<(), StoreError> {
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
    change: &DatabaseTransaction,
    ladder: &LadderId,
    bots: Vec<BotId>,
) -> Result<(), StoreError> {
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
pub(crate) async fn write(
    change: &DatabaseTransaction,
    rows: Vec<Standing>,
) -> Result<(), StoreError> {
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
