//! The lanes in which uploads that passed their checks become active.

use crate::bots::bots;
use crate::database::prelude::*;
use crate::experiments::books;
use crate::experiments::bounds::TestBounds;
use crate::experiments::experiments::{
    NewExperiment, end_within, insert_experiment, lock_candidates,
};
use crate::ladders::ladder::neighbours_within;
use crate::tables::experiments::{CandidateLane, ExperimentState, Refusing, StoredBook, lanes};
use crate::{Bot, BotId, Json, LadderId, MatchSeed, Version, VersionId};

/// How the uploads of a bot become active.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneRules {
    /// The lane.
    pub lane: CandidateLane,
    /// What the test of a candidate asks.
    pub bounds: TestBounds,
    /// So many neighbours of the active version on the ladder make up the pool against which both play; 0:
    /// they play each other.
    pub neighbours: i32,
    /// Which situations refuse a candidate that fails them.
    pub refuses: Refusing,
    /// The position book from which the matches of a test start, if not at the game's beginning.
    pub book: Option<StoredBook>,
}

impl LaneRules {
    /// Those of a bot whose author said nothing: uploads become active at once.
    pub const OFF: LaneRules = LaneRules {
        lane: CandidateLane::Off,
        bounds: TestBounds::CANDIDATE,
        neighbours: 0,
        refuses: Refusing::Pins,
        book: None,
    };
}

impl Store {
    /// How the uploads of a bot become active.
    pub async fn candidate_lane(&self, bot: BotId) -> Result<LaneRules> {
        lane_of(&self.readers, bot).await
    }

    /// Sets how the uploads of a bot become active. A test that is under way goes on.
    pub async fn set_candidate_lane(
        &self,
        bot: BotId,
        rules: LaneRules,
        at: Timestamp,
    ) -> Result<()> {
        use lanes::Column;
        let TestBounds {
            elo0,
            elo1,
            alpha,
            beta,
            most_pairs,
        } = rules.bounds;
        let row = lanes::ActiveModel {
            bot: Set(bot),
            lane: Set(rules.lane),
            elo0: Set(elo0),
            elo1: Set(elo1),
            alpha: Set(alpha),
            beta: Set(beta),
            most_pairs: Set(most_pairs),
            neighbours: Set(rules.neighbours),
            refuses: Set(rules.refuses),
            book: Set(rules.book.as_ref().map(|book| book.hash.clone())),
            book_positions: Set(rules.book.as_ref().map(|book| book.positions)),
        };
        let known = OnConflict::column(Column::Bot)
            .update_columns([
                Column::Lane,
                Column::Elo0,
                Column::Elo1,
                Column::Alpha,
                Column::Beta,
                Column::MostPairs,
                Column::Neighbours,
                Column::Refuses,
                Column::Book,
                Column::BookPositions,
            ])
            .to_owned();
        let change = self.begin_write().await?;
        books::claim(&change, rules.book.as_ref()).await?;
        let before = lane_of(&change, bot).await?.book;
        insert_or(&change, row, known).await?;
        if before != rules.book {
            books::discard(&change, before.map(|book| book.hash), at).await?;
        }
        Ok(change.commit().await?)
    }
}

async fn lane_of(place: &impl ConnectionTrait, bot: BotId) -> Result<LaneRules> {
    let row = lanes::Entity::find_by_id(bot).one(place).await?;
    Ok(row.map_or(LaneRules::OFF, |row| LaneRules {
        lane: row.lane,
        bounds: TestBounds {
            elo0: row.elo0,
            elo1: row.elo1,
            alpha: row.alpha,
            beta: row.beta,
            most_pairs: row.most_pairs,
        },
        neighbours: row.neighbours,
        refuses: row.refuses,
        book: StoredBook::of_row(row.book.as_ref(), row.book_positions),
    }))
}

/// The active versions of the neighbours of a bot on the ladder. Without any, candidate and active
/// version play each other.
async fn pool_of(change: &Change, bot: &Bot, neighbours: i32) -> Result<Vec<VersionId>> {
    let most = usize::try_from(neighbours).unwrap_or(0);
    let ladder = LadderId::standard(&bot.game);
    let near = neighbours_within(change, &ladder, bot, most).await?;
    Ok(near.into_iter().filter_map(|near| near.active).collect())
}

/// Does with a version that passed its checks and asked to become active what the lane of its bot
/// says. The first one of a bot plays at once.
pub(crate) async fn admit_version(
    change: &Change,
    bot: &Bot,
    version: &Version,
    at: Timestamp,
) -> Result<()> {
    let rules = lane_of(change, bot.id).await?;
    let (base, owner) = match (rules.lane, bot.active, bot.owner) {
        (CandidateLane::Off, ..) | (_, None, _) | (_, _, None) => {
            return bots::start_playing(change, bot, version.id, at).await;
        }
        (CandidateLane::Hand, ..) => return Ok(()),
        (CandidateLane::Automatic, Some(base), Some(owner)) => (base, owner),
    };
    for older in lock_candidates(change, bot.id).await? {
        let why = format!("version {} took its place", version.number);
        end_within(change, older, ExperimentState::Cancelled, Some(why), at).await?;
    }
    let new = NewExperiment {
        owner,
        game: bot.game.clone(),
        tested: (bot.id, version.id),
        base: (bot.id, base),
        promotes: true,
        config: Json::Null,
        seed: MatchSeed::from(u64::from(version.id.0.unsigned_abs() as u32) << 16),
        bounds: rules.bounds,
        variants: Vec::new(),
        pool: pool_of(change, bot, rules.neighbours).await?,
        settings: [None, None],
        book: rules.book,
        benchmark: None,
    };
    insert_experiment(change, new, at).await?;
    Ok(())
}
