//! Matches, from the wish to the result.

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{
    DatabaseTransaction, DeriveValueType, FromJsonQueryResult, JoinType, QueryOrder, QuerySelect,
    Select,
};
use serde::{Deserialize, Serialize};

use crate::{
    BotId, JobState, Json, MatchId, MatchWinner, Page, PageQuery, PerSide, Store, StoreError,
    Timestamp, TokenHash, UserId, VersionId, deletion, jobs, ladder,
};

/// What a match is for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(
    rs_type = "String",
    db_type = "String(StringLen::None)",
    rename_all = "lowercase"
)]
pub enum MatchKind {
    /// Counts for the ladder.
    Ladder,
    /// Somebody wanted to see it.
    Friendly,
    /// At least one person plays.
    Human,
    /// Bots play for spectators.
    Exhibition,
}

/// How far a match is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(
    rs_type = "String",
    db_type = "String(StringLen::None)",
    rename_all = "lowercase"
)]
pub enum MatchState {
    /// For the one who was invited.
    Waiting,
    /// For a worker.
    Queued,
    /// Is being played.
    Running,
    /// Has a result.
    Finished,
    /// We failed: it says nothing about the entrants.
    Void,
    /// Nobody wants it any more.
    Cancelled,
}

impl MatchState {
    /// Nothing more will come.
    pub const fn is_over(self) -> bool {
        matches!(
            self,
            MatchState::Finished | MatchState::Void | MatchState::Cancelled
        )
    }
}

/// Where the chance of a match comes from. All 64 bits count; the database knows signed numbers
/// only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, DeriveValueType)]
pub struct MatchSeed(i64);

impl From<u64> for MatchSeed {
    fn from(seed: u64) -> MatchSeed {
        MatchSeed(seed.cast_signed())
    }
}

impl MatchSeed {
    /// The number.
    pub fn get(self) -> u64 {
        self.0.cast_unsigned()
    }
}

/// Whether an entrant is a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchEntrantKind {
    /// A program.
    Bot,
    /// A person, with or without an account.
    Person,
}

/// Who plays, as it was when the match was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct MatchEntrant {
    /// Program or person.
    pub kind: MatchEntrantKind,
    /// The bot's or the person's name.
    pub name: String,
    /// The bot.
    pub bot: Option<BotId>,
    /// Its version.
    pub version: Option<VersionId>,
    /// The version's number.
    pub number: Option<i32>,
    /// The person who plays or owns the bot.
    pub user: Option<UserId>,
    /// The person's name.
    pub user_name: Option<String>,
    /// Comes with Leitai.
    pub built_in: bool,
}

/// How the names of deleted bots and accounts begin.
pub(crate) const DELETED: &str = "deleted ";

impl MatchEntrant {
    /// A person; a guest has no account.
    pub fn human_entrant(name: impl Into<String>, user: Option<UserId>) -> MatchEntrant {
        let name = name.into();
        let user_name = user.map(|_| name.clone());
        let kind = MatchEntrantKind::Person;
        MatchEntrant {
            kind,
            name,
            bot: None,
            version: None,
            number: None,
            user,
            user_name,
            built_in: false,
        }
    }

    /// Whether its bot or account was deleted since. Names that people choose have no space in
    /// them.
    pub fn is_deleted(&self) -> bool {
        self.name.starts_with(DELETED)
    }
}

/// A match.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "matches")]
pub struct Model {
    /// The key; later matches have larger ones.
    #[sea_orm(primary_key)]
    pub id: MatchId,
    /// The game's id.
    pub game: String,
    /// What it is for.
    pub kind: MatchKind,
    /// How far it is.
    pub state: MatchState,
    /// The entrant named first; nobody while the invited one is awaited.
    pub a: Option<MatchEntrant>,
    /// The other.
    pub b: Option<MatchEntrant>,
    /// The bot of `a`.
    pub a_bot: Option<BotId>,
    /// The bot of `b`.
    pub b_bot: Option<BotId>,
    /// Of what the person on `a` shows to sit down.
    pub a_seat_token: Option<TokenHash>,
    /// Of what the person on `b` shows to sit down.
    pub b_seat_token: Option<TokenHash>,
    /// The code of the invite.
    pub invite: Option<String>,
    /// Where the chance comes from.
    pub seed: MatchSeed,
    /// The game's choices.
    pub config: Json,
    /// Clocks and resources.
    pub limits: Json,
    /// How many legs at most.
    pub legs: i32,
    /// Larger ones go first.
    pub priority: i32,
    /// When it was made.
    pub created: Timestamp,
    /// When a worker took it last.
    pub started: Option<Timestamp>,
    /// When it was finished, void or cancelled.
    pub finished: Option<Timestamp>,
    /// The worker.
    pub worker: Option<String>,
    /// Which match this one plays again.
    pub again_of: Option<MatchId>,
    /// How it ended.
    pub winner: Option<MatchWinner>,
    /// Which rule decided: `{"id", "en", "zh"}`.
    pub reason: Option<Json>,
    /// `[[first, second] a leg]`, in the order of the entrants.
    pub scores: Option<Json>,
    /// Everything about the legs.
    pub leg_outcomes: Option<Json>,
    /// `[{"entrant", "code"}]`.
    pub faults: Option<Json>,
    /// Faults of `a`.
    pub a_faults: i32,
    /// Faults of `b`.
    pub b_faults: i32,
    /// The longest period of `a`, in microseconds.
    pub a_longest_us: Option<i64>,
    /// The longest period of `b`, in microseconds.
    pub b_longest_us: Option<i64>,
    /// Where the replay lies in the blob store.
    pub replay: Option<String>,
    /// How many bytes the replay takes, once it was measured.
    pub replay_bytes: Option<i64>,
    /// When the replay was removed.
    pub replay_removed: Option<Timestamp>,
    /// Which change of its game's ladder it is; nothing if it does not count.
    pub turn: Option<i64>,
    /// What `a` won or lost, in Elo as shown.
    pub a_change: Option<f64>,
    /// What `b` won or lost, in Elo as shown.
    pub b_change: Option<f64>,
    /// Why it is void or cancelled, for the administrator.
    pub note: Option<String>,
}

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Which bots play in which matches: how a bot's matches are found.
pub(crate) mod entrants {
    use sea_orm::entity::prelude::*;

    use crate::{BotId, MatchId, matches};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "match_entrants")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub bot: BotId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
        pub faulted: bool,
    }

    #[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "matches::Entity",
            from = "Column::MatchId",
            to = "matches::Column::Id"
        )]
        Match,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub use Model as Match;

/// A match in a list.
#[derive(Clone, Debug, PartialEq, DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct MatchRow {
    /// The key.
    pub id: MatchId,
    /// The game's id.
    pub game: String,
    /// What it is for.
    pub kind: MatchKind,
    /// How far it is.
    pub state: MatchState,
    /// The entrant named first.
    pub a: Option<MatchEntrant>,
    /// The other.
    pub b: Option<MatchEntrant>,
    /// How many legs at most.
    pub legs: i32,
    /// When it was made.
    pub created: Timestamp,
    /// When a worker took it last.
    pub started: Option<Timestamp>,
    /// When it was finished, void or cancelled.
    pub finished: Option<Timestamp>,
    /// How it ended.
    pub winner: Option<MatchWinner>,
    /// Which rule decided.
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

/// Games won, drawn and lost by one bot against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadToHeadTally {
    /// Won.
    pub wins: i64,
    /// Drawn.
    pub draws: i64,
    /// Lost.
    pub losses: i64,
}

impl std::ops::AddAssign for HeadToHeadTally {
    fn add_assign(&mut self, more: HeadToHeadTally) {
        self.wins += more.wins;
        self.draws += more.draws;
        self.losses += more.losses;
    }
}

/// A match to be made.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// The game's id.
    pub game: String,
    /// What it is for.
    pub kind: MatchKind,
    /// The entrant named first; nobody for an invite to this side.
    pub a: Option<MatchEntrant>,
    /// The other; nobody for an invite to this side.
    pub b: Option<MatchEntrant>,
    /// What the people show to sit down.
    pub seats: PerSide<Option<TokenHash>>,
    /// The code of the invite: with one, the match waits, and has no job yet.
    pub invite: Option<String>,
    /// Where the chance comes from.
    pub seed: MatchSeed,
    /// The game's choices.
    pub config: Json,
    /// Clocks and resources.
    pub limits: Json,
    /// How many legs at most.
    pub legs: i32,
    /// Larger ones go first; ladders 0, wishes of people more.
    pub priority: i32,
}

impl NewMatch {
    /// A match with the game's usual choices and clocks, without tokens or an invite, as urgent as
    /// a ladder's. Other values are set in the fields, by `..NewMatch::new(…)`.
    pub fn new(
        game: &str,
        kind: MatchKind,
        entrants: PerSide<Option<MatchEntrant>>,
        seed: MatchSeed,
        legs: usize,
    ) -> NewMatch {
        NewMatch {
            game: game.to_owned(),
            kind,
            a: entrants.a,
            b: entrants.b,
            seats: PerSide::default(),
            invite: None,
            seed,
            config: Json::Object(Default::default()),
            limits: Json::Null,
            legs: i32::try_from(legs).expect("a match has few legs"),
            priority: 0,
        }
    }
}

/// Which matches are listed; nothing means any.
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
    /// In this state.
    pub state: Option<MatchState>,
}

impl Store {
    /// Makes a match and puts it into the queue, or lets it wait for whom its invite is for.
    /// [`StoreError::Taken`] if the invite's code is in use.
    pub async fn create_match(&self, new: NewMatch, at: Timestamp) -> Result<Match, StoreError> {
        let mut made = self.create_matches(vec![new], at).await?;
        Ok(made.pop().expect("one match was made of one wish"))
    }

    /// Makes many matches in one transaction.
    pub async fn create_matches(
        &self,
        new: Vec<NewMatch>,
        at: Timestamp,
    ) -> Result<Vec<Match>, StoreError> {
        let change = self.begin_write().await?;
        deletion::check_entrants(&change, &new).await?;
        let mut made = Vec::with_capacity(new.len());
        for new in new {
            made.push(insert_match(&change, new, None, at).await?);
        }
        change.commit().await?;
        self.jobs_arrived();
        Ok(made)
    }

    /// A match; [`StoreError::Missing`] if there is none.
    pub async fn match_by_id(&self, id: MatchId) -> Result<Match, StoreError> {
        Entity::find_by_id(id)
            .one(&self.readers)
            .await?
            .ok_or_else(|| StoreError::row_missing("match", id))
    }

    /// Matches, newest first.
    pub async fn list_matches(
        &self,
        filter: &MatchFilter,
        ask: &PageQuery,
    ) -> Result<Page<MatchRow>, StoreError> {
        let found = query_matches(filter, ask)?
            .into_partial_model()
            .all(&self.readers)
            .await?;
        Ok(Page::of(ask, found, |found: &MatchRow| {
            found.id.to_string()
        }))
    }

    /// Nobody wants it any more: whoever plays it learns at the next renewal that the lease is
    /// lost. [`StoreError::Refused`] if it is over already.
    pub async fn cancel_match(
        &self,
        id: MatchId,
        note: &str,
        at: Timestamp,
    ) -> Result<Match, StoreError> {
        self.drop_match(id, MatchState::Cancelled, note, at).await
    }

    /// We failed: it says nothing about the entrants. [`StoreError::Refused`] if it is over
    /// already.
    pub async fn void_match(
        &self,
        id: MatchId,
        note: &str,
        at: Timestamp,
    ) -> Result<Match, StoreError> {
        self.drop_match(id, MatchState::Void, note, at).await
    }

    /// Plays a match that is over once more, with the same entrants, seed and choices. What has
    /// counted once does not count again: the new match of a finished ladder match is a friendly
    /// one. People are not called back.
    pub async fn rerun_match(&self, id: MatchId, at: Timestamp) -> Result<Match, StoreError> {
        let old = self.match_by_id(id).await?;
        if !old.state.is_over() {
            return Err(StoreError::Refused(format!(
                "match {id} is not over yet: cancel it or wait for its end"
            )));
        }
        if old.kind == MatchKind::Human {
            return Err(StoreError::Refused(format!(
                "people played match {id}: they cannot be called back"
            )));
        }
        let counted = old.kind == MatchKind::Ladder && old.state == MatchState::Finished;
        let change = self.begin_write().await?;
        let kind = if counted {
            MatchKind::Friendly
        } else {
            old.kind
        };
        let new = NewMatch {
            config: old.config,
            limits: old.limits,
            legs: old.legs,
            priority: old.priority,
            ..NewMatch::new(&old.game, kind, [old.a, old.b].into(), old.seed, 0)
        };
        deletion::check_entrants(&change, std::slice::from_ref(&new)).await?;
        let made = insert_match(&change, new, Some(id), at).await?;
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
    ) -> Result<Match, StoreError> {
        let change = self.begin_write().await?;
        // Whoever finishes the match at the same time locks its job first, too; whoever takes its
        // invite makes the job with the match locked.
        let mut job = jobs::of_match(&change, id).await?;
        let found = Entity::find_by_id(id).lock_exclusive().one(&change).await?;
        let found = found.ok_or_else(|| StoreError::row_missing("match", id))?;
        if job.is_none() {
            job = jobs::of_match(&change, id).await?;
        }
        if found.state.is_over() {
            return Err(StoreError::Refused(format!("match {id} is over already")));
        }
        end_match(&change, id, state, note, at).await?;
        if let Some(job) = job {
            jobs::end_job(&change, &[job.id], JobState::Dropped).await?;
        }
        change.commit().await?;
        self.match_by_id(id).await
    }
}

/// Makes a match and what belongs to it.
async fn insert_match(
    change: &DatabaseTransaction,
    new: NewMatch,
    again_of: Option<MatchId>,
    at: Timestamp,
) -> Result<Match, StoreError> {
    let invite = new.invite.clone().unwrap_or_default();
    let made = new_row(new, again_of, at).insert(change).await;
    let made = made.map_err(|error| StoreError::value_taken(error, "invite", &invite))?;
    insert_sides(change, &made).await?;
    if made.kind == MatchKind::Ladder {
        let bots = [made.a_bot, made.b_bot].into_iter().flatten();
        ladder::note_picked(change, &made.game, bots.collect()).await?;
    }
    if made.state == MatchState::Queued {
        jobs::insert_job(change, jobs::match_job_row(&made), at).await?;
    }
    Ok(made)
}

/// Notes whose match it is.
async fn insert_sides(change: &DatabaseTransaction, made: &Match) -> Result<(), StoreError> {
    let mut bots: Vec<BotId> = [made.a_bot, made.b_bot].into_iter().flatten().collect();
    bots.dedup();
    let rows = bots.into_iter().map(|bot| entrants::ActiveModel {
        bot: Set(bot),
        match_id: Set(made.id),
        faulted: Set(false),
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        entrants::Entity::insert_many(rows)
            .exec_without_returning(change)
            .await?;
    }
    Ok(())
}

/// Ends a match without a result.
pub(crate) async fn end_match(
    change: &DatabaseTransaction,
    id: MatchId,
    state: MatchState,
    note: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let new = ActiveModel {
        state: Set(state),
        note: Set(Some(note.to_owned())),
        finished: Set(Some(at)),
        ..unchanged_row()
    };
    update_match(change, id, new).await
}

/// A worker begins.
pub(crate) async fn begin_match(
    change: &DatabaseTransaction,
    id: MatchId,
    worker: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let new = ActiveModel {
        state: Set(MatchState::Running),
        worker: Set(Some(worker.to_owned())),
        started: Set(Some(at)),
        ..unchanged_row()
    };
    update_match(change, id, new).await
}

/// Nobody plays it any more.
pub(crate) async fn requeue_match(
    change: &DatabaseTransaction,
    id: MatchId,
) -> Result<(), StoreError> {
    let new = ActiveModel {
        state: Set(MatchState::Queued),
        worker: Set(None),
        started: Set(None),
        ..unchanged_row()
    };
    update_match(change, id, new).await
}

pub(crate) async fn update_match(
    change: &impl ConnectionTrait,
    id: MatchId,
    new: ActiveModel,
) -> Result<(), StoreError> {
    Entity::update_many()
        .set(new)
        .filter(Column::Id.eq(id))
        .exec(change)
        .await?;
    Ok(())
}

pub(crate) fn unchanged_row() -> ActiveModel {
    <ActiveModel as ActiveModelTrait>::default()
}

/// The matches that are asked for, and one more. Every order of filters has an index that begins
/// where the page does.
pub(crate) fn query_matches(
    filter: &MatchFilter,
    ask: &PageQuery,
) -> Result<Select<Entity>, StoreError> {
    let mut found = Entity::find().limit(ask.row_limit() + 1);
    let before = ask.cursor_id()?;
    match filter.bot {
        Some(bot) => {
            let whose = entrants::Column::MatchId;
            found = found
                .join(JoinType::InnerJoin, entrants::Relation::Match.def().rev())
                .filter(entrants::Column::Bot.eq(bot))
                .order_by_desc(whose);
            if filter.faulted {
                found = found.filter(entrants::Column::Faulted.eq(true));
            }
            found = before
                .into_iter()
                .fold(found, |found, before| found.filter(whose.lt(before)));
        }
        None => {
            found = found.order_by_desc(Column::Id);
            found = before
                .into_iter()
                .fold(found, |found, before| found.filter(Column::Id.lt(before)));
        }
    }
    if let Some(game) = &filter.game {
        found = found.filter(Column::Game.eq(game));
    }
    if let Some(kind) = filter.kind {
        found = found.filter(Column::Kind.eq(kind));
    }
    if let Some(state) = filter.state {
        found = found.filter(in_state(state, filter));
    }
    Ok(found)
}

/// Nearly all matches are finished. An index on the state would find a million of them where game,
/// kind or bot say more, so that it is hidden from the database then.
fn in_state(state: MatchState, filter: &MatchFilter) -> Expr {
    let narrower = filter.game.is_some() || filter.kind.is_some() || filter.bot.is_some();
    if state == MatchState::Finished && narrower {
        Expr::col((Entity, Column::State))
            .binary(sea_orm::sea_query::BinOper::Custom("||"), "")
            .eq("finished")
    } else {
        Column::State.eq(state)
    }
}

fn new_row(new: NewMatch, again_of: Option<MatchId>, at: Timestamp) -> ActiveModel {
    let waits = new.invite.is_some();
    ActiveModel {
        id: NotSet,
        game: Set(new.game),
        kind: Set(new.kind),
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
        ..unchanged_row()
    }
}
