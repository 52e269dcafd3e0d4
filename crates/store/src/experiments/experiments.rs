//! Experiments: sequential tests of a version against another, and their matches.
//!
//! The rows are the whole state: what is decided follows from the finished pairs in their order, and
//! no place of an experiment has two matches ([`Store::add_experiment_match`]). So a server that is
//! killed at any moment loses nothing, and plays nothing twice.

use std::collections::HashSet;

use crate::bots::bots;
use crate::database::prelude::*;
use crate::events::kinds::{self as events, ExperimentEnded};
use crate::experiments::books;
use crate::experiments::bounds::TestBounds;
use crate::jobs::job_turns::JobFlow;
use crate::matches::matches::{drop_within, insert_match};
use crate::matches::new_match;
use crate::tables::experiments::{
    ActiveModel, Column, Entity, Experiment, ExperimentState, LeftPool, StoredBook, played,
};
use crate::{
    BotId, ExperimentId, Json, Match, MatchId, MatchSeed, MatchState, NewMatch, Page, PageQuery,
    UserId, VersionId, tables,
};

/// An experiment to be started.
#[derive(Clone, Debug)]
pub struct NewExperiment {
    /// Who starts it.
    pub owner: UserId,
    /// The game's id.
    pub game: String,
    /// The bot and the version that are tested.
    pub tested: (BotId, VersionId),
    /// The bot and the version against which it is tested.
    pub base: (BotId, VersionId),
    /// Whether the version becomes the active one if it is accepted.
    pub promotes: bool,
    /// The game's config.
    pub config: Json,
    /// The seed of the first pair.
    pub seed: MatchSeed,
    /// The hypotheses, the error rates, and the most pairs. With variants `alpha` is the chance that
    /// any of them is accepted though none is better: each one is tested with its part of it.
    pub bounds: TestBounds,
    /// Further versions of the tested bot, tested at the same time as variants of one idea.
    pub variants: Vec<VersionId>,
    /// The versions against which both play in turn; empty: they play each other.
    pub pool: Vec<VersionId>,
    /// What the tested versions and the base alone play with.
    pub settings: [Option<String>; 2],
    /// The position book from which all matches start, if not at the game's beginning.
    pub book: Option<StoredBook>,
    /// What the server notes of a benchmark.
    pub benchmark: Option<Json>,
}

/// Why an experiment was not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstarted {
    /// So many of this account are running already.
    Running(u64),
}

/// The place of a match: its pair, from 0, and the part of the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairPlace {
    /// The pair, from 0.
    pub pair: i32,
    /// 0: the match of both legs; 1: the other leg, played alone after a fault in the first. Against a
    /// pool these are the tested version's, and 2 and 3 those of the version beside it.
    pub part: i32,
}

/// A match of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentMatch {
    /// Its place.
    pub place: PairPlace,
    /// The match.
    pub id: MatchId,
    /// Its state.
    pub state: MatchState,
    /// The summary of the finished match, as the server wrote it.
    pub record: Option<Json>,
}

impl Store {
    /// Starts an experiment, and one for each further variant, unless its owner has as many running
    /// ones. Returns the first.
    pub async fn create_experiment(
        &self,
        new: NewExperiment,
        most_running: u64,
        at: Timestamp,
    ) -> Result<Result<Experiment, Unstarted>> {
        let change = self.begin_write().await?;
        // Two of one account wait for each other here.
        lock_row::<tables::users::Entity>(&change, new.owner, "user").await?;
        let running = count_running(&change, new.owner).await?;
        if running >= most_running {
            return Ok(Err(Unstarted::Running(running)));
        }
        books::claim(&change, new.book.as_ref()).await?;
        let made = insert_experiment(&change, new, at).await?;
        change.commit().await?;
        Ok(Ok(made))
    }

    /// An experiment; [`StoreError::Missing`] if there is none.
    pub async fn find_experiment(&self, id: ExperimentId) -> Result<Experiment> {
        find_row::<Entity>(&self.readers, id, "experiment").await
    }

    /// The running experiments, oldest first.
    pub async fn running_experiments(&self) -> Result<Vec<Experiment>> {
        let running = Entity::find()
            .filter(Column::State.eq(ExperimentState::Running))
            .order_by_asc(Column::Id);
        Ok(running.all(&self.readers).await?)
    }

    /// How many experiments of this account are running.
    pub async fn count_running_experiments(&self, owner: UserId) -> Result<u64> {
        count_running(&self.readers, owner).await
    }

    /// The experiments of all variants that are tested with this one, itself among them, in the order
    /// in which they were named.
    pub async fn family_of(&self, own: &Experiment) -> Result<Vec<Experiment>> {
        match own.family {
            Some(family) => Ok(members_of(family).all(&self.readers).await?),
            None => Ok(vec![own.clone()]),
        }
    }

    /// The experiments of these bots, newest first.
    pub async fn list_experiments(
        &self,
        bots: &[BotId],
        ask: &PageQuery,
    ) -> Result<Page<Experiment>> {
        let rows = Entity::find().filter(Column::Bot.is_in(bots.iter().copied()));
        self.page_of(rows, Column::Id, ask, |row| row.id.0).await
    }

    /// The matches of an experiment from this pair on, in the order of their places.
    pub async fn experiment_matches(
        &self,
        id: ExperimentId,
        from_pair: i32,
    ) -> Result<Vec<ExperimentMatch>> {
        let rows = played::Entity::find()
            .filter(played::Column::Experiment.eq(id))
            .filter(played::Column::Pair.gte(from_pair))
            .order_by_asc(played::Column::Pair)
            .order_by_asc(played::Column::Part)
            .find_also_related(tables::matches::Entity)
            .all(&self.readers)
            .await?;
        let found = rows.into_iter().map(|(own, of)| ExperimentMatch {
            place: PairPlace {
                pair: own.pair,
                part: own.part,
            },
            id: own.match_id,
            state: of.map_or(MatchState::Void, |of| of.state),
            record: own.record,
        });
        Ok(found.collect())
    }

    /// An opponent leaves the pool of a running experiment: from the first pair on that has no match yet,
    /// both play against the others. Returns the experiment, `None` if it is over.
    pub async fn leave_pool(
        &self,
        id: ExperimentId,
        version: VersionId,
        at: Timestamp,
    ) -> Result<Option<Experiment>> {
        let change = self.begin_write().await?;
        let Some(own) = lock_running(&change, id).await? else {
            return Ok(None);
        };
        let last = played::Entity::find()
            .filter(played::Column::Experiment.eq(id))
            .order_by_desc(played::Column::Pair);
        let last = last.one(&change).await?;
        let mut left = own.left_pool();
        if left.iter().all(|one| one.version != version) {
            let pair = last.map_or(0, |last| last.pair + 1);
            left.push(LeftPool { version, pair, at });
        }
        let row = ActiveModel {
            id: Set(id),
            pool_left: Set(Some(serde_json::json!(left))),
            ..Default::default()
        };
        let own = row.update(&change).await?;
        change.commit().await?;
        Ok(Some(own))
    }

    /// Creates the match of a place and queues it in the turns of the experiment's owner. `None` if
    /// the experiment is over, or the place has its match.
    pub async fn add_experiment_match(
        &self,
        id: ExperimentId,
        place: PairPlace,
        new: NewMatch,
        at: Timestamp,
    ) -> Result<Option<Match>> {
        let change = self.begin_write().await?;
        let own = lock_running(&change, id).await?;
        let Some(own) = own else { return Ok(None) };
        let taken = played::Entity::find()
            .filter(played::Column::Experiment.eq(id))
            .filter(played::Column::Pair.eq(place.pair))
            .filter(played::Column::Part.eq(place.part));
        if taken.one(&change).await?.is_some() {
            return Ok(None);
        }
        new_match::check_entrants(&change, std::slice::from_ref(&new)).await?;
        let made = insert_match(&change, new, None, &JobFlow::Account(own.owner), at).await?;
        let row = played::ActiveModel {
            match_id: Set(made.id),
            experiment: Set(id),
            pair: Set(place.pair),
            part: Set(place.part),
            record: Set(None),
        };
        insert_row(&change, row).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(Some(made))
    }

    /// Ends an experiment: its open matches are cancelled. If it was accepted, the other variants of
    /// its family end. If it promotes and was accepted, its
    /// version becomes the active one in the same transaction, unless another one became active
    /// meanwhile; then it says so. `None` if it was over already.
    pub async fn end_experiment(
        &self,
        id: ExperimentId,
        state: ExperimentState,
        note: Option<String>,
        at: Timestamp,
    ) -> Result<Option<Experiment>> {
        let change = self.begin_write().await?;
        let own = lock_running(&change, id).await?;
        let Some(own) = own else { return Ok(None) };
        let ended = end_within(&change, own, state, note, at).await?;
        if let (Some(family), ExperimentState::Accepted) = (ended.family, state) {
            let others = members_of(family)
                .filter(Column::State.eq(ExperimentState::Running))
                .lock_exclusive();
            for other in others.all(&change).await? {
                let why = Some(format!("the variant of experiment {id} was accepted first"));
                end_within(&change, other, ExperimentState::Cancelled, why, at).await?;
            }
        }
        change.commit().await?;
        self.version_changed(ended.version);
        Ok(Some(ended))
    }

    /// Ends a benchmark with what the server notes of its result. `None` if it was over already.
    pub async fn end_benchmark(
        &self,
        id: ExperimentId,
        measured: Json,
        at: Timestamp,
    ) -> Result<Option<Experiment>> {
        let change = self.begin_write().await?;
        let Some(mut own) = lock_running(&change, id).await? else {
            return Ok(None);
        };
        own.benchmark = Some(measured);
        let noted = ActiveModel {
            benchmark: Set(own.benchmark.clone()),
            ..Default::default()
        };
        update_rows(&change, Column::Id.eq(id), noted).await?;
        let ended = end_within(&change, own, ExperimentState::Measured, None, at).await?;
        change.commit().await?;
        self.version_changed(ended.version);
        Ok(Some(ended))
    }
}

/// How many experiments of this account are running; the variants of a family are one.
async fn count_running(place: &impl ConnectionTrait, owner: UserId) -> Result<u64> {
    let running = Entity::find()
        .filter(Column::Owner.eq(owner))
        .filter(Column::State.eq(ExperimentState::Running));
    let running = running.all(place).await?;
    let families: HashSet<_> = running.iter().map(Experiment::family_key).collect();
    Ok(families.len() as u64)
}

fn members_of(family: ExperimentId) -> Select<Entity> {
    Entity::find()
        .filter(Column::Family.eq(family))
        .order_by_asc(Column::Id)
}

/// The experiment, locked until `change` ends; `None` if it is over.
async fn lock_running(change: &Change, id: ExperimentId) -> Result<Option<Experiment>> {
    let own = lock_row::<Entity>(change, id, "experiment").await?;
    Ok((own.state == ExperimentState::Running).then_some(own))
}

/// Inserts a running experiment, and one for each further variant; returns the first.
pub(crate) async fn insert_experiment(
    change: &Change,
    new: NewExperiment,
    at: Timestamp,
) -> Result<Experiment> {
    let row = first_row(&new, at);
    let mut first = row.clone().insert(change).await?;
    if new.variants.is_empty() {
        return Ok(first);
    }
    let family = Set(Some(first.id));
    let own = ActiveModel {
        id: Set(first.id),
        family: family.clone(),
        ..Default::default()
    };
    first = own.update(change).await?;
    for version in new.variants {
        let other = ActiveModel {
            version: Set(version),
            family: family.clone(),
            ..row.clone()
        };
        insert_row(change, other).await?;
    }
    Ok(first)
}

/// The row of the first variant. Each one has its part of the chance that any is accepted wrongly
/// (Bonferroni).
fn first_row(new: &NewExperiment, at: Timestamp) -> ActiveModel {
    let TestBounds {
        elo0,
        elo1,
        alpha,
        beta,
        most_pairs,
    } = new.bounds;
    let alpha = alpha / (1 + new.variants.len()) as f64;
    let pool: Vec<i64> = new.pool.iter().map(|version| version.0).collect();
    ActiveModel {
        id: NotSet,
        owner: Set(new.owner),
        game: Set(new.game.clone()),
        bot: Set(new.tested.0),
        version: Set(new.tested.1),
        base_bot: Set(new.base.0),
        base_version: Set(new.base.1),
        promotes: Set(new.promotes),
        config: Set(new.config.clone()),
        seed: Set(new.seed),
        elo0: Set(elo0),
        elo1: Set(elo1),
        alpha: Set(alpha),
        beta: Set(beta),
        most_pairs: Set(most_pairs),
        state: Set(ExperimentState::Running),
        note: Set(None),
        created: Set(at),
        ended: Set(None),
        family: Set(None),
        pool: Set((!pool.is_empty()).then(|| Json::from(pool))),
        pins: Set(None),
        pool_left: Set(None),
        settings: Set((new.settings != [None, None]).then(|| serde_json::json!(new.settings))),
        book: Set(new.book.as_ref().map(|book| book.hash.clone())),
        book_positions: Set(new.book.as_ref().map(|book| book.positions)),
        benchmark: Set(new.benchmark.clone()),
    }
}

/// The running experiments that promote a version of this bot, locked until `change` ends.
pub(crate) async fn lock_candidates(change: &Change, bot: BotId) -> Result<Vec<Experiment>> {
    let running = Entity::find()
        .filter(Column::Bot.eq(bot))
        .filter(Column::Promotes.eq(true))
        .filter(Column::State.eq(ExperimentState::Running))
        .order_by_asc(Column::Id)
        .lock_exclusive();
    Ok(running.all(change).await?)
}

/// Ends a running experiment that is locked.
pub(crate) async fn end_within(
    change: &Change,
    own: Experiment,
    state: ExperimentState,
    note: Option<String>,
    at: Timestamp,
) -> Result<Experiment> {
    let of_experiment = played::Entity::find().filter(played::Column::Experiment.eq(own.id));
    let open = of_experiment
        .find_also_related(tables::matches::Entity)
        .filter(tables::matches::Column::State.is_in([MatchState::Queued, MatchState::Running]))
        .order_by_asc(played::Column::MatchId)
        .all(change)
        .await?;
    for (row, _) in open {
        let why = "its experiment is over";
        drop_within(change, row.match_id, MatchState::Cancelled, why, at).await?;
    }
    let mut note = note;
    let mut promoted = false;
    if own.promotes && state == ExperimentState::Accepted {
        let why_not = promote(change, &own, at).await?;
        promoted = why_not.is_none();
        note = why_not.or(note);
    }
    let new = ActiveModel {
        state: Set(state),
        note: Set(note.clone()),
        ended: Set(Some(at)),
        ..Default::default()
    };
    update_rows(change, Column::Id.eq(own.id), new).await?;
    let ended = Experiment {
        state,
        note,
        ended: Some(at),
        ..own
    };
    if tells_its_people(change, &ended).await? {
        events::write(change, ExperimentEnded::of(&ended, promoted), at);
    }
    Ok(ended)
}

/// Whether the end of this one is the end of the whole, and none that somebody brought about.
async fn tells_its_people(change: &Change, ended: &Experiment) -> Result<bool> {
    let left = match ended.family {
        None => 0,
        Some(family) => {
            let running = Column::State.eq(ExperimentState::Running);
            members_of(family).filter(running).count(change).await?
        }
    };
    Ok(match ended.state {
        ExperimentState::Running | ExperimentState::Cancelled => false,
        ExperimentState::Accepted => true,
        _ => left == 0,
    })
}

/// Makes the version of an accepted experiment the active one; says why not.
async fn promote(change: &Change, own: &Experiment, at: Timestamp) -> Result<Option<String>> {
    let bot = tables::bots::Entity::find_by_id(own.bot)
        .one(change)
        .await?;
    let Some(bot) = bot.filter(|bot| bot.deleted.is_none()) else {
        return Ok(Some("the bot was deleted meanwhile".to_owned()));
    };
    let version = tables::versions::Entity::find_by_id(own.version)
        .one(change)
        .await?;
    let is_ready = version.is_some_and(|version| {
        version.deleted.is_none() && version.state == crate::VersionState::Ready
    });
    if !is_ready {
        return Ok(Some("the version was deleted meanwhile".to_owned()));
    }
    if bot.active != Some(own.base_version) {
        let why = "another version became active meanwhile, against which this one was not tested";
        return Ok(Some(why.to_owned()));
    }
    bots::start_playing(change, &bot, own.version, at).await?;
    Ok(None)
}
