//! The standings of ladders.

use std::collections::HashSet;

use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::divisions::{Divisions, Tendency};

use crate::database::prelude::*;
use crate::ladders::ladder_cache::LadderPlace;
use crate::ladders::rank_cache::LadderRanks;
use crate::standings::standings::find_standing;
use crate::tables::ladder::{Column, Entity, Standing};
use crate::{Bot, BotId, BotRow, GroupId, LadderId, Page, PageQuery, tables};

/// Which bots of a ladder are shown. The ranks stay those among all.
#[derive(Clone, Copy, Debug, Default)]
pub struct LadderPart {
    /// One division only, from 1.
    pub division: Option<u32>,
    /// Those that agents wrote, or the others.
    pub by_agent: Option<bool>,
}

impl LadderPart {
    /// Whether the bot is in it.
    fn has(self, standing: &Standing, bot: &BotRow) -> bool {
        let own = standing.division.map(i32::unsigned_abs);
        self.division.is_none_or(|wanted| own == Some(wanted))
            && self.by_agent.is_none_or(|wanted| bot.by_agent == wanted)
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
    /// A ladder, best first.
    pub async fn list_ladder(&self, ladder: &LadderId, ask: &PageQuery) -> Result<Page<LadderRow>> {
        let whole = LadderPart::default();
        self.list_ladder_part(ladder, whole, ask).await
    }

    /// A part of a ladder, best first.
    pub async fn list_ladder_part(
        &self,
        ladder: &LadderId,
        part: LadderPart,
        ask: &PageQuery,
    ) -> Result<Page<LadderRow>> {
        self.cut_page(ladder, ask, |standing, bot| part.has(standing, bot))
            .await
    }

    /// A page of the ladder in memory, of the rows that are shown.
    pub(crate) async fn cut_page(
        &self,
        ladder: &LadderId,
        ask: &PageQuery,
        is_shown: impl Fn(&Standing, &BotRow) -> bool,
    ) -> Result<Page<LadderRow>> {
        let below = page_start(ask)?;
        let cached = self.current_ladder(ladder).await?;
        let places = self.ladder_ranks(ladder, &cached).await?;
        let divisions = self.divisions_of(&places);
        let rows: Vec<LadderRow> = {
            let rows = cached.rows();
            let shown = rows
                .below(below)
                .filter(|row| is_shown(&row.standing, &row.bot));
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
    ) -> Result<Page<LadderRow>> {
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

    /// The bots next to this one on a ladder by rating, nearest first, at most so many: other people's
    /// that play there, and built-in ones. None if it is not on the ladder.
    pub async fn ladder_neighbours(
        &self,
        ladder: &LadderId,
        bot: &Bot,
        most: usize,
    ) -> Result<Vec<Bot>> {
        neighbours_within(&self.readers, ladder, bot, most).await
    }

    /// The part of a ladder that bots of a group make up: those of its members and of its
    /// teams, best first. Ranks and ratings are those of the whole ladder.
    pub async fn list_group_ladder(
        &self,
        group: GroupId,
        ladder: &LadderId,
        part: LadderPart,
        ask: &PageQuery,
    ) -> Result<Page<LadderRow>> {
        let bots = query_bots_of_group(group, ladder.game());
        let bots: Vec<BotId> = bots.into_tuple().all(&self.readers).await?;
        let bots: HashSet<BotId> = bots.into_iter().collect();
        self.cut_page(ladder, ask, |standing, bot| {
            bots.contains(&standing.bot) && part.has(standing, bot)
        })
        .await
    }

    /// The standing of a bot on a ladder; `None` before its first version was activated.
    pub async fn find_standing(&self, bot: BotId, ladder: &LadderId) -> Result<Option<Standing>> {
        Ok(find_standing(&self.readers, ladder, bot).await?)
    }

    /// The number of bots on a ladder.
    pub async fn ladder_size(&self, ladder: &LadderId) -> Result<u64> {
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
pub(crate) fn query_page(ladder: &LadderId, ask: &PageQuery) -> Result<Select<Entity>> {
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
fn page_start(ask: &PageQuery) -> Result<Option<LadderPlace>> {
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

/// See [`Store::ladder_neighbours`].
pub(crate) async fn neighbours_within(
    place: &impl ConnectionTrait,
    ladder: &LadderId,
    bot: &Bot,
    most: usize,
) -> Result<Vec<Bot>> {
    let own = match most {
        0 => None,
        _ => find_standing(place, ladder, bot.id).await?,
    };
    let Some(own) = own else {
        return Ok(Vec::new());
    };
    let others = Entity::find()
        .select_only()
        .columns([Column::Bot, Column::Skill])
        .filter(Column::Ladder.eq(ladder))
        .filter(Column::Listed.eq(true))
        .filter(Column::Bot.ne(bot.id));
    let mut others: Vec<(BotId, f64)> = others.into_tuple().all(place).await?;
    let distance = |(_, skill): &(BotId, f64)| (skill - own.skill).abs();
    others.sort_by(|one, other| {
        let nearer = distance(one).total_cmp(&distance(other));
        nearer.then(one.0.cmp(&other.0))
    });
    let mut near = Vec::new();
    for (id, _) in others {
        let found = tables::bots::Entity::find_by_id(id).one(place).await?;
        let is_other = |other: &Bot| {
            other.built_in()
                || other.owner != bot.owner && (bot.team.is_none() || other.team != bot.team)
        };
        near.extend(found.filter(is_other));
        if near.len() >= most {
            break;
        }
    }
    Ok(near)
}
