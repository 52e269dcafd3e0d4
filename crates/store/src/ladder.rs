//! The standings of ladders.

use std::collections::BTreeMap;

use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::divisions::{Divisions, Tendency};
use leitai_ladder::weng_lin::Rating;
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{OnConflict, SelectStatement};
use sea_orm::{
    Condition, DatabaseTransaction, FromJsonQueryResult, Iterable, QueryOrder, QuerySelect,
    QueryTrait, Select,
};
use serde::{Deserialize, Serialize};

use crate::history::{changes, raises};
use crate::ladder_cache::LadderPlace;
use crate::rank_cache::LadderRanks;
use crate::{
    Bot, BotId, BotRow, GroupId, MatchId, Page, PageQuery, Store, StoreError, Timestamp, bots,
    group_members, rating_turns, teams,
};

/// The standing of a bot on its ladder.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "ladder")]
pub struct Model {
    /// The bot.
    #[sea_orm(primary_key, auto_increment = false)]
    pub bot: BotId,
    /// The game's id.
    pub game: String,
    /// Whether it is shown and paired: it has an active version, is neither retired nor disabled,
    /// and does not rest.
    pub listed: bool,
    /// See [`Rating::skill`].
    pub skill: f64,
    /// See [`Rating::doubt`].
    pub doubt: f64,
    /// Rated matches.
    pub games: i64,
    /// Won.
    pub wins: i64,
    /// Drawn.
    pub draws: i64,
    /// Lost.
    pub losses: i64,
    /// Faults made in rated matches.
    pub faults: i64,
    /// The longest time that the bot used in one period of a rated match, in microseconds.
    pub longest_us: Option<i64>,
    /// The number of the game's pick at which it was last paired; `None` for a newcomer.
    pub picked: Option<i64>,
    /// When it last played.
    pub played: Option<Timestamp>,
    /// The last ratings as shown, oldest first.
    pub trend: RatingTrend,
    /// Failed matches in a row: with a fault and without a win.
    pub failing: i64,
    /// Since when the bot rests, because it failed too often.
    pub rests: Option<Timestamp>,
    /// The match after which it rests.
    pub rest_match: Option<MatchId>,
    /// The division, from 1, on a ladder that is divided.
    pub division: Option<i32>,
    /// The turn of its last change, beside [`Self::picked`].
    pub turn: i64,
    /// The best rank that it has had for sure, from 1; `None` before it was noted first.
    pub best_rank: Option<i32>,
    /// Since when.
    pub best_rank_since: Option<Timestamp>,
}

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    /// The bot.
    #[sea_orm(
        belongs_to = "crate::bots::Entity",
        from = "Column::Bot",
        to = "crate::bots::Column::Id"
    )]
    Bot,
}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Standing;

/// The last ratings as shown, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct RatingTrend(pub Vec<f64>);

/// How many ratings a trend keeps.
const TREND: usize = 16;

impl RatingTrend {
    /// Appends a rating, rounded to a tenth; the oldest one is dropped.
    fn push(&mut self, value: f64) {
        self.0.push((value * 10.0).round() / 10.0);
        let old = self.0.len().saturating_sub(TREND);
        self.0.drain(..old);
    }
}

impl Model {
    /// The standing of a bot that has not played.
    pub(crate) fn new_standing(bot: BotId, game: String) -> Standing {
        let rating = Rating::default();
        Standing {
            bot,
            game,
            listed: false,
            skill: rating.skill,
            doubt: rating.doubt,
            games: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            faults: 0,
            longest_us: None,
            picked: None,
            played: None,
            trend: RatingTrend::default(),
            failing: 0,
            rests: None,
            rest_match: None,
            division: None,
            turn: 0,
            best_rank: None,
            best_rank_since: None,
        }
    }

    /// Replaces the rating and extends the trend.
    pub(crate) fn set_rating(&mut self, rating: Rating) {
        self.skill = rating.skill;
        self.doubt = rating.doubt;
        self.trend.push(rating.shown_rating().value);
    }

    /// Raises the doubt after a new version was activated, to at least half a newcomer's. False if
    /// it was already larger.
    pub(crate) fn raise_doubt(&mut self) -> bool {
        let doubt = Rating::default().doubt / 2.0;
        let surer = self.doubt < doubt;
        if surer {
            self.set_rating(Rating {
                skill: self.skill,
                doubt,
            });
        }
        surer
    }

    /// Skill and doubt.
    pub fn current_rating(&self) -> Rating {
        Rating {
            skill: self.skill,
            doubt: self.doubt,
        }
    }
}

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
    /// The ladder of a game, best first.
    pub async fn list_ladder(
        &self,
        game: &str,
        ask: &PageQuery,
    ) -> Result<Page<LadderRow>, StoreError> {
        self.cut_page(game, ask, |_| true).await
    }

    /// A page of the ladder in memory, of the rows that are shown.
    pub(crate) async fn cut_page(
        &self,
        game: &str,
        ask: &PageQuery,
        is_shown: impl Fn(&Standing) -> bool,
    ) -> Result<Page<LadderRow>, StoreError> {
        let below = page_start(ask)?;
        let ladder = self.current_ladder(game).await?;
        let places = self.ladder_ranks(game, &ladder).await?;
        let divisions = self.divisions_of(&places);
        let rows: Vec<LadderRow> = {
            let rows = ladder.rows();
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
        game: &str,
        ask: &PageQuery,
    ) -> Result<Page<LadderRow>, StoreError> {
        self.show_page(game, query_page(game, ask)?, ask).await
    }

    /// The part of a game's ladder that bots of a group make up: those of its members and of its
    /// teams, best first. Ranks and ratings are those of the whole ladder.
    pub async fn list_group_ladder(
        &self,
        group: GroupId,
        game: &str,
        ask: &PageQuery,
    ) -> Result<Page<LadderRow>, StoreError> {
        let page = query_page(game, ask)?.filter(Column::Bot.in_subquery(bots_of_group(group)));
        self.show_page(game, page, ask).await
    }

    pub(crate) async fn show_page(
        &self,
        game: &str,
        page: Select<Entity>,
        ask: &PageQuery,
    ) -> Result<Page<LadderRow>, StoreError> {
        let ladder = self.current_ladder(game).await?;
        let places = self.ladder_ranks(game, &ladder).await?;
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

    /// The standing of a bot; `None` before its first version was activated.
    pub async fn find_standing(&self, bot: BotId) -> Result<Option<Standing>, StoreError> {
        Ok(Entity::find_by_id(bot).one(&self.readers).await?)
    }

    /// The number of bots on a ladder.
    pub async fn ladder_size(&self, game: &str) -> Result<u64, StoreError> {
        let all = Entity::find()
            .filter(Column::Game.eq(game))
            .filter(Column::Listed.eq(true));
        Ok(all.count(&self.readers).await?)
    }
}

/// The ids of the bots whose owners belong to a group, or which belong to one of its teams.
fn bots_of_group(group: GroupId) -> SelectStatement {
    let members = group_members::Entity::find()
        .filter(group_members::Column::GroupId.eq(group))
        .select_only()
        .column(group_members::Column::User);
    let teams = teams::Entity::find()
        .filter(teams::Column::Scope.eq(group.0))
        .select_only()
        .column(teams::Column::Id);
    let its = Condition::any()
        .add(bots::Column::Owner.in_subquery(members.into_query()))
        .add(bots::Column::Team.in_subquery(teams.into_query()));
    let ids = bots::Entity::find().filter(its).select_only();
    ids.column(bots::Column::Id).into_query()
}

/// Queries a page of the ladder and one more row. The first condition on the skill lets the index
/// start where the page starts.
pub(crate) fn query_page(game: &str, ask: &PageQuery) -> Result<Select<Entity>, StoreError> {
    let all = Entity::find()
        .filter(Column::Game.eq(game))
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

/// Lists a bot on its ladder, or removes it.
pub(crate) async fn list_bot(change: &DatabaseTransaction, bot: &Bot) -> Result<(), StoreError> {
    let turn = rating_turns::take_turns(change, &bot.game, 1).await?;
    let known = Entity::find_by_id(bot.id).one(change).await?;
    if known.is_none() && bot.active.is_none() {
        return Ok(());
    }
    let mut standing = known.unwrap_or_else(|| Standing::new_standing(bot.id, bot.game.clone()));
    standing.listed = bot.is_listed() && standing.rests.is_none();
    standing.turn = turn;
    write(change, vec![standing]).await
}

/// Ends the rest of a bot, if it rests, and forgets its failed matches.
pub(crate) async fn end_rest(change: &DatabaseTransaction, bot: &Bot) -> Result<(), StoreError> {
    let turn = rating_turns::take_turns(change, &bot.game, 1).await?;
    let Some(standing) = Entity::find_by_id(bot.id).one(change).await? else {
        return Ok(());
    };
    let rested = Standing {
        failing: 0,
        rests: None,
        rest_match: None,
        listed: bot.is_listed(),
        turn,
        ..standing
    };
    write(change, vec![rested]).await
}

/// Raises the doubt of a bot's rating after a new version was activated.
pub(crate) async fn reset_doubt(
    change: &DatabaseTransaction,
    bot: &Bot,
    at: Timestamp,
) -> Result<(), StoreError> {
    let turn = rating_turns::take_turns(change, &bot.game, 1).await?;
    let Some(mut standing) = Entity::find_by_id(bot.id).one(change).await? else {
        return Ok(());
    };
    if !standing.raise_doubt() {
        return Ok(());
    }
    standing.turn = turn;
    let raise = raises::ActiveModel {
        game: Set(bot.game.clone()),
        turn: Set(turn),
        bot: Set(bot.id),
    };
    raises::Entity::insert(raise)
        .exec_without_returning(change)
        .await?;
    let point = changes::ActiveModel {
        id: NotSet,
        bot: Set(bot.id),
        match_id: Set(None),
        at: Set(at),
        skill: Set(standing.skill),
        doubt: Set(standing.doubt),
    };
    changes::Entity::insert(point)
        .exec_without_returning(change)
        .await?;
    write(change, vec![standing]).await
}

/// Notes that the owners of bots have changed, which their rows show.
pub(crate) async fn note_owners(
    change: &DatabaseTransaction,
    bots: Vec<Bot>,
) -> Result<(), StoreError> {
    let mut games: BTreeMap<String, Vec<BotId>> = BTreeMap::new();
    for bot in bots {
        games.entry(bot.game).or_default().push(bot.id);
    }
    for (game, bots) in games {
        let turn = rating_turns::take_turns(change, &game, 1).await?;
        let rows = Entity::update_many().col_expr(Column::Turn, Expr::value(turn));
        rows.filter(Column::Bot.is_in(bots)).exec(change).await?;
    }
    Ok(())
}

/// Records that bots were picked to play.
pub(crate) async fn note_picked(
    change: &DatabaseTransaction,
    game: &str,
    bots: Vec<BotId>,
) -> Result<(), StoreError> {
    let pick = rating_turns::take_picks(change, game, 1).await?;
    let picks = Entity::update_many().col_expr(Column::Picked, Expr::value(pick));
    picks.filter(Column::Bot.is_in(bots)).exec(change).await?;
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
            Column::Bot
                | Column::Game
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
        let known = OnConflict::column(Column::Bot)
            .update_columns(columns.iter().copied())
            .to_owned();
        Entity::insert_many(rows)
            .on_conflict(known)
            .exec_without_returning(change)
            .await?;
    }
    Ok(())
}
