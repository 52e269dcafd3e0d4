//! Matches, from their creation to the result.

use sea_orm::sea_query::ExprTrait;

use crate::bots::{counted_actions, quota};
use crate::database::prelude::*;
use crate::jobs::job_turns::JobFlow;
use crate::jobs::jobs;
use crate::matches::new_match::{self, NewMatch};
use crate::matches::{hidden, lobby, match_tags, openers};
use crate::standings::standings;
use crate::tables::matches::{
    ActiveModel, Column, Entity, Match, MatchEntrant, MatchEntrantKind, MatchKind, MatchState,
    entrants, homes, people,
};
use crate::{
    BotId, JobState, Json, LadderId, MatchId, MatchSide, MatchWinner, Page, PageQuery, Quota,
    UserId, tables,
};

/// A match in a list.
#[derive(Clone, Debug, PartialEq, DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct MatchRow {
    /// The key.
    pub id: MatchId,
    /// The game's id.
    pub game: String,
    /// The kind.
    pub kind: MatchKind,
    /// The ladder for which it counts; `None` for other kinds.
    pub ladder: Option<LadderId>,
    /// The state.
    pub state: MatchState,
    /// Entrant A.
    pub a: Option<MatchEntrant>,
    /// Entrant B.
    pub b: Option<MatchEntrant>,
    /// The most legs that are played.
    pub legs: i32,
    /// When it was created.
    pub created: Timestamp,
    /// When a worker last leased it.
    pub started: Option<Timestamp>,
    /// When it was finished, void or cancelled.
    pub finished: Option<Timestamp>,
    /// The winner.
    pub winner: Option<MatchWinner>,
    /// The rule that decided.
    pub reason: Option<Json>,
    /// `[[first, second] a leg]`, in the order of the entrants.
    pub scores: Option<Json>,
    /// `[{"entrant", "code"}]`.
    pub faults: Option<Json>,
    /// What `a` won or lost, in Elo as shown.
    pub a_change: Option<f64>,
    /// What `b` won or lost, in Elo as shown.
    pub b_change: Option<f64>,
}

/// A filter of matches; `None` matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchFilter {
    /// Of this game.
    pub game: Option<String>,
    /// In which this bot plays.
    pub bot: Option<BotId>,
    /// Only those in which [`MatchFilter::bot`] made a fault.
    pub faulted: bool,
    /// Of this kind.
    pub kind: Option<MatchKind>,
    /// Which count for this ladder.
    pub ladder: Option<LadderId>,
    /// In this state.
    pub state: Option<MatchState>,
    /// In which this person plays.
    pub person: Option<UserId>,
    /// In which a program of this account plays that stays at home.
    pub home: Option<UserId>,
    /// With this tag, as [`match_tags::clean_tag`] writes it.
    pub tag: Option<String>,
    /// Only those that everybody sees at this time: not those of experiments, and of contests that
    /// hide theirs.
    pub seen_at: Option<Timestamp>,
}

impl Store {
    /// Creates a match and queues it, or lets it wait for the invited person. [`StoreError::Taken`]
    /// if the invite's code is in use.
    pub async fn create_match(&self, new: NewMatch, at: Timestamp) -> Result<Match> {
        let mut made = self.create_matches(vec![new], at).await?;
        Ok(made.pop().expect("one match was made of one request"))
    }

    /// Creates a friendly match that a person asks for. [`StoreError::Quota`] if the person's
    /// friendly matches, or their CPU time, would exceed the quota.
    pub async fn create_friendly(
        &self,
        new: NewMatch,
        quota: &Quota,
        by: UserId,
        at: Timestamp,
    ) -> Result<Match> {
        let change = self.begin_write().await?;
        quota::check_friendly(&change, by, quota, at).await?;
        new_match::check_entrants(&change, std::slice::from_ref(&new)).await?;
        let made = insert_match(&change, new, None, &JobFlow::Account(by), at).await?;
        counted_actions::count(&change, by, Some(made.id), at).await?;
        match_tags::note_asker(&change, made.id, by).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(made)
    }

    /// Creates many matches in one transaction.
    pub async fn create_matches(&self, new: Vec<NewMatch>, at: Timestamp) -> Result<Vec<Match>> {
        let change = self.begin_write().await?;
        new_match::check_entrants(&change, &new).await?;
        let mut made = Vec::with_capacity(new.len());
        for new in new {
            let flow = JobFlow::of_ladder(new.ladder.as_ref());
            made.push(insert_match(&change, new, None, &flow, at).await?);
        }
        change.commit().await?;
        self.jobs_arrived();
        Ok(made)
    }

    /// A match; [`StoreError::Missing`] if there is none.
    pub async fn match_by_id(&self, id: MatchId) -> Result<Match> {
        find_row::<Entity>(&self.readers, id, "match").await
    }

    /// The matches with these keys that exist, newest first.
    pub async fn matches_by_ids(&self, ids: &[MatchId]) -> Result<Vec<Match>> {
        let found = Entity::find()
            .filter(Column::Id.is_in(ids.iter().copied()))
            .order_by_desc(Column::Id);
        Ok(found.all(&self.readers).await?)
    }

    /// Matches, newest first.
    pub async fn list_matches(
        &self,
        filter: &MatchFilter,
        ask: &PageQuery,
    ) -> Result<Page<MatchRow>> {
        let found = query_matches(filter, ask)?
            .into_partial_model()
            .all(&self.readers)
            .await?;
        Ok(Page::from_items(ask, found, |found: &MatchRow| {
            found.id.to_string()
        }))
    }

    /// Cancels a match. A worker that plays it learns at its next renewal that the lease is lost.
    /// [`StoreError::Refused`] if it is over already.
    pub async fn cancel_match(&self, id: MatchId, note: &str, at: Timestamp) -> Result<Match> {
        self.drop_match(id, MatchState::Cancelled, note, at).await
    }

    /// Ends a match as void after an infrastructure error. [`StoreError::Refused`] if it is over
    /// already.
    pub async fn void_match(&self, id: MatchId, note: &str, at: Timestamp) -> Result<Match> {
        self.drop_match(id, MatchState::Void, note, at).await
    }

    /// Plays a finished match once more with the same entrants, seed and config. A match that
    /// counted does not count twice: the rerun of a finished ladder match is a friendly one. Human
    /// matches cannot be rerun with their people.
    pub async fn rerun_match(&self, id: MatchId, at: Timestamp) -> Result<Match> {
        let old = self.match_by_id(id).await?;
        if !old.state.is_over() {
            return Err(StoreError::Refused(format!(
                "match {id} is not over yet: cancel it or wait for its end"
            )));
        }
        if old.kind == MatchKind::Human {
            return Err(StoreError::Refused(format!(
                "people played match {id}, so it cannot be played again"
            )));
        }
        // Anybody would see the new match, and the decision rests on its own pairs.
        if old.kind == MatchKind::Experiment {
            return Err(StoreError::Refused(format!(
                "match {id} belongs to an experiment; its author starts another one"
            )));
        }
        let counted = old.kind == MatchKind::Ladder && old.state == MatchState::Finished;
        let change = self.begin_write().await?;
        // A contest plays its void matches again by itself.
        let kind = if counted || old.kind == MatchKind::Contest {
            MatchKind::Friendly
        } else {
            old.kind
        };
        let new = NewMatch {
            ladder: old.ladder.filter(|_| kind == MatchKind::Ladder),
            config: old.config,
            limits: old.limits,
            legs: old.legs,
            priority: old.priority,
            ..NewMatch::new(&old.game, kind, [old.a, old.b].into(), old.seed, 0)
        };
        new_match::check_entrants(&change, std::slice::from_ref(&new)).await?;
        let flow = JobFlow::of_ladder(new.ladder.as_ref());
        let made = insert_match(&change, new, Some(id), &flow, at).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(made)
    }

    async fn drop_match(
        &self,
        id: MatchId,
        state: MatchState,
        note: &str,
        at: Timestamp,
    ) -> Result<Match> {
        let change = self.begin_write().await?;
        if !drop_within(&change, id, state, note, at).await? {
            return Err(StoreError::Refused(format!("match {id} is over already")));
        }
        change.commit().await?;
        self.match_by_id(id).await
    }
}

/// Ends a match without a result in the transaction of another change; false if it is over already.
pub(crate) async fn drop_within(
    change: &Change,
    id: MatchId,
    state: MatchState,
    note: &str,
    at: Timestamp,
) -> Result<bool> {
    // Lock order: the job first, as when a result is recorded at the same time. An invite that is
    // accepted creates the job with the match locked.
    let mut job = jobs::of_match(change, id).await?;
    let found = lock_row::<Entity>(change, id, "match").await?;
    if job.is_none() {
        job = jobs::of_match(change, id).await?;
    }
    if found.state.is_over() {
        return Ok(false);
    }
    end_match(change, id, state, note, at).await?;
    if let Some(job) = job {
        jobs::end_job(change, &[job.id], JobState::Dropped).await?;
    }
    Ok(true)
}

/// Inserts a match with its job, which takes turns with others of this flow, and its entrants.
pub(crate) async fn insert_match(
    change: &Change,
    new: NewMatch,
    again_of: Option<MatchId>,
    flow: &JobFlow,
    at: Timestamp,
) -> Result<Match> {
    let invite = new.invite.clone().unwrap_or_default();
    let (tags, opener) = (new.tags.clone(), new.opener.clone());
    let made = new_row(new, again_of, at).insert(change).await;
    let made = made.map_err(|error| StoreError::value_taken(error, "invite", &invite))?;
    if let Some(opener) = &opener {
        openers::note(change, made.id, opener).await?;
    }
    match_tags::insert_tags(change, made.id, &tags).await?;
    insert_sides(change, &made).await?;
    if let Some(ladder) = &made.ladder {
        let bots = [made.a_bot, made.b_bot].into_iter().flatten();
        standings::note_picked(change, ladder, bots.collect()).await?;
    }
    if made.state == MatchState::Queued {
        jobs::insert_job(change, jobs::match_job_row(&made), flow, at).await?;
    }
    Ok(made)
}

/// Inserts the rows by which a bot's matches are found.
async fn insert_sides(change: &Change, made: &Match) -> Result<()> {
    let mut bots: Vec<BotId> = [made.a_bot, made.b_bot].into_iter().flatten().collect();
    bots.dedup();
    let rows = bots.into_iter().map(|bot| entrants::ActiveModel {
        bot: Set(bot),
        match_id: Set(made.id),
        faulted: Set(false),
    });
    insert_rows(change, &rows.collect::<Vec<_>>()).await?;
    let people: Vec<_> = [(MatchSide::A, &made.a), (MatchSide::B, &made.b)]
        .into_iter()
        .filter_map(|(side, entrant)| Some((side, entrant.as_ref()?)))
        .collect();
    for (side, entrant) in people {
        note_person(change, made.id, side, entrant).await?;
    }
    Ok(())
}

/// Inserts the row by which a person's match is found; nothing for guests and programs. Those at the
/// seat of their author have a row in another table: what they win says nothing about a person. Who
/// plays both sides has one row.
pub(crate) async fn note_person(
    change: &Change,
    id: MatchId,
    side: MatchSide,
    entrant: &MatchEntrant,
) -> Result<()> {
    let (MatchEntrantKind::Person, Some(user)) = (entrant.kind, entrant.user) else {
        return Ok(());
    };
    if entrant.home.is_some() {
        return note_author(change, id, user).await;
    }
    let row = people::ActiveModel {
        user: Set(user),
        match_id: Set(id),
        side: Set(side.column().to_owned()),
    };
    insert_new(change, row, [people::Column::User, people::Column::MatchId]).await?;
    Ok(())
}

/// Inserts the row by which an author finds the match of a program at home; two programs of one author
/// have one.
async fn note_author(change: &Change, id: MatchId, user: UserId) -> Result<()> {
    let row = homes::ActiveModel {
        user: Set(user),
        match_id: Set(id),
    };
    insert_new(change, row, [homes::Column::User, homes::Column::MatchId]).await?;
    Ok(())
}

/// Ends a match without a result.
pub(crate) async fn end_match(
    change: &Change,
    id: MatchId,
    state: MatchState,
    note: &str,
    at: Timestamp,
) -> Result<()> {
    let new = ActiveModel {
        state: Set(state),
        note: Set(Some(note.to_owned())),
        finished: Set(Some(at)),
        ..Default::default()
    };
    lobby::withdraw_table(change, id).await?;
    openers::forget(change, [id]).await?;
    update_match(change, id, new).await
}

/// Marks a match as running.
pub(crate) async fn begin_match(
    change: &Change,
    id: MatchId,
    worker: &str,
    at: Timestamp,
) -> Result<()> {
    let new = ActiveModel {
        state: Set(MatchState::Running),
        worker: Set(Some(worker.to_owned())),
        started: Set(Some(at)),
        ..Default::default()
    };
    update_match(change, id, new).await
}

/// Puts a match back into the queue.
pub(crate) async fn requeue_match(change: &Change, id: MatchId) -> Result<()> {
    let new = ActiveModel {
        state: Set(MatchState::Queued),
        worker: Set(None),
        started: Set(None),
        ..Default::default()
    };
    update_match(change, id, new).await
}

pub(crate) async fn update_match(
    change: &impl ConnectionTrait,
    id: MatchId,
    new: ActiveModel,
) -> Result<()> {
    update_rows(change, Column::Id.eq(id), new).await?;
    Ok(())
}

/// Queries the matches of a filter and one more. Every combination of filters has an index that
/// starts where the page starts.
pub(crate) fn query_matches(filter: &MatchFilter, ask: &PageQuery) -> Result<Select<Entity>> {
    let mut found = start_page(filter, ask)?;
    let tag = filter.tag.as_deref();
    if let (Some(tag), true) = (
        tag,
        filter.bot.is_some() || filter.person.is_some() || filter.home.is_some(),
    ) {
        let tagged = tables::match_tags::Entity::find()
            .select_only()
            .column(tables::match_tags::Column::MatchId)
            .filter(tables::match_tags::Column::Tag.eq(tag));
        found = found.filter(Column::Id.in_subquery(tagged.into_query()));
    }
    if let (Some(_), Some(person)) = (filter.bot, filter.person) {
        let own = people::Entity::find()
            .select_only()
            .column(people::Column::MatchId)
            .filter(people::Column::User.eq(person));
        found = found.filter(Column::Id.in_subquery(own.into_query()));
    }
    let starts_elsewhere = filter.bot.is_some() || filter.person.is_some();
    if let (Some(author), true) = (filter.home, starts_elsewhere) {
        let own = homes::Entity::find()
            .select_only()
            .column(homes::Column::MatchId)
            .filter(homes::Column::User.eq(author));
        found = found.filter(Column::Id.in_subquery(own.into_query()));
    }
    if let Some(game) = &filter.game {
        found = found.filter(Column::Game.eq(game));
    }
    if let Some(kind) = filter.kind {
        found = found.filter(Column::Kind.eq(kind));
    }
    if let Some(ladder) = &filter.ladder {
        found = found.filter(Column::Ladder.eq(ladder));
    }
    if let Some(state) = filter.state {
        found = found.filter(in_state(state, filter));
    }
    if let Some(at) = filter.seen_at {
        let hidden = Column::Kind
            .eq(MatchKind::Contest)
            .and(Expr::exists(hidden::hidden_matches(at)));
        found = found
            .filter(hidden.not())
            .filter(Column::Kind.ne(MatchKind::Experiment));
    }
    Ok(found)
}

/// The page of the bot's, the person's, the tag's or all matches, by the table whose index starts
/// where the page starts.
fn start_page(filter: &MatchFilter, ask: &PageQuery) -> Result<Select<Entity>> {
    let found = Entity::find().limit(ask.row_limit() + 1);
    let before = ask.cursor_id()?;
    let of_table = |found: Select<Entity>, relation: RelationDef| {
        found.join(JoinType::InnerJoin, relation.rev())
    };
    if let (None, None, Some(author)) = (filter.bot, filter.person, filter.home) {
        let found =
            of_table(found, homes::Relation::Match.def()).filter(homes::Column::User.eq(author));
        return Ok(page_before(found, homes::Column::MatchId, before));
    }
    Ok(match (filter.bot, filter.person, filter.tag.as_deref()) {
        (None, Some(person), _) => {
            let found = of_table(found, people::Relation::Match.def())
                .filter(people::Column::User.eq(person));
            page_before(found, people::Column::MatchId, before)
        }
        (Some(bot), ..) => {
            let mut found = of_table(found, entrants::Relation::Match.def())
                .filter(entrants::Column::Bot.eq(bot));
            if filter.faulted {
                found = found.filter(entrants::Column::Faulted.eq(true));
            }
            page_before(found, entrants::Column::MatchId, before)
        }
        (None, None, Some(tag)) => {
            let found = of_table(found, tables::match_tags::Relation::Match.def())
                .filter(tables::match_tags::Column::Tag.eq(tag));
            page_before(found, tables::match_tags::Column::MatchId, before)
        }
        (None, None, None) => page_before(found, Column::Id, before),
    })
}

/// Newest first by this column, from before the cursor on.
fn page_before(
    found: Select<Entity>,
    whose: impl ColumnTrait,
    before: Option<i64>,
) -> Select<Entity> {
    let found = found.order_by_desc(whose);
    match before {
        Some(before) => found.filter(whose.lt(before)),
        None => found,
    }
}

/// A condition on the state. Nearly all matches are finished: an index on the state would find a
/// million of them where game, kind or bot select fewer, so the condition hides the column from the
/// planner then.
fn in_state(state: MatchState, filter: &MatchFilter) -> Expr {
    let narrower = filter.game.is_some()
        || filter.ladder.is_some()
        || filter.kind.is_some()
        || filter.tag.is_some()
        || filter.bot.is_some()
        || filter.person.is_some();
    if state == MatchState::Finished && narrower {
        eq_without_index(Column::State, "finished")
    } else {
        Column::State.eq(state)
    }
}

/// A condition on a text column for which the planner uses no index.
pub(crate) fn eq_without_index(column: Column, value: impl Into<Value>) -> Expr {
    Expr::col((Entity, column))
        .binary(sea_orm::sea_query::BinOper::Custom("||"), "")
        .eq(value.into())
}

fn new_row(new: NewMatch, again_of: Option<MatchId>, at: Timestamp) -> ActiveModel {
    let waits = new.invite.is_some();
    ActiveModel {
        id: NotSet,
        game: Set(new.game),
        kind: Set(new.kind),
        ladder: Set(new.ladder.filter(|_| new.kind == MatchKind::Ladder)),
        state: Set(if waits {
            MatchState::Waiting
        } else {
            MatchState::Queued
        }),
        a_bot: Set(new.a.as_ref().and_then(|a| a.bot)),
        b_bot: Set(new.b.as_ref().and_then(|b| b.bot)),
        a: Set(new.a),
        b: Set(new.b),
        a_seat_token: Set(new.seats.a),
        b_seat_token: Set(new.seats.b),
        invite: Set(new.invite),
        seed: Set(new.seed),
        config: Set(new.config),
        limits: Set(new.limits),
        legs: Set(new.legs),
        priority: Set(new.priority),
        created: Set(at),
        again_of: Set(again_of),
        a_faults: Set(0),
        b_faults: Set(0),
        ..Default::default()
    }
}
