//! Records results and ratings, each once, many in one transaction. A task takes all results that
//! arrived while it was writing the last batch and writes them in one transaction, because the wait
//! for the disk costs most. A caller is answered after the disk has synced.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use leitai_ladder::GameScore;
use tokio::sync::{mpsc, oneshot};

use crate::bots::counted_actions;
use crate::database::prelude::*;
use crate::events::kinds::{self as events, BotRested, MatchFinished};
use crate::jobs::jobs::{self, CheckedLease};
use crate::ladders::distinct_games::{CountedGames, games_of};
use crate::ladders::history;
use crate::ladders::rests::RestRule;
use crate::matches::result::{MatchResult, RecordOutcome};
use crate::matches::{matches, openers};
use crate::standings::{rating_turns, standings};
use crate::tables::experiments::played;
use crate::tables::history::changes;
use crate::tables::matches::entrants;
use crate::{
    BotId, HeadToHeadTally, Job, JobId, JobState, Json, LadderId, Lease, Match, MatchId, MatchKind,
    MatchState, MatchWinner, PerSide, Standing, tables,
};

impl Store {
    /// Records a result once: match, ratings of both (ladder matches between two different bots),
    /// their history, head-to-head and job, in one transaction. Concurrent calls share a
    /// transaction; none waits for more than the one before.
    pub async fn finish_match(
        &self,
        lease: &Lease,
        result: MatchResult,
        at: Timestamp,
    ) -> Result<RecordOutcome> {
        let (answer, answered) = oneshot::channel();
        let order = RecordRequest {
            store: self.clone(),
            lease: lease.clone(),
            result,
            at,
            answer,
        };
        let rests = self.part::<RestRule>();
        let start = || Recorder::start(rests);
        let recorder = self.shared.parts.of(start);
        recorder
            .0
            .send(order)
            .await
            .map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }
}

/// The queue of the task that records results, which runs from the first one on.
struct Recorder(mpsc::Sender<RecordRequest>);

impl Recorder {
    fn start(rests: Arc<RestRule>) -> Recorder {
        let (orders, waiting) = mpsc::channel(ORDERS);
        tokio::spawn(run(waiting, rests));
        Recorder(orders)
    }
}

/// The length of the recorder's queue; further callers wait.
const ORDERS: usize = 1024;

/// A result in the recorder's queue.
#[derive(Debug)]
struct RecordRequest {
    /// The task keeps none, because it ends with the store.
    store: Store,
    lease: Lease,
    result: MatchResult,
    at: Timestamp,
    answer: oneshot::Sender<Result<RecordOutcome>>,
}

/// The most results in one transaction.
const TOGETHER: usize = 256;

/// Records results until all senders are gone.
async fn run(mut waiting: mpsc::Receiver<RecordRequest>, rests: Arc<RestRule>) {
    let mut orders = Vec::with_capacity(TOGETHER);
    while waiting.recv_many(&mut orders, TOGETHER).await > 0 {
        match record_batch(&orders, &rests).await {
            Ok(answers) => answer_requests(orders.drain(..).zip(answers.into_iter().map(Ok))),
            Err(error) if orders.len() == 1 => answer_requests(orders.drain(..).zip([Err(error)])),
            Err(error) => {
                tracing::warn!(%error, results = orders.len(), "results could not be recorded together");
                for order in orders.drain(..) {
                    let alone = record_batch(std::slice::from_ref(&order), &rests).await;
                    answer_requests([(order, alone.map(|mut answers| answers.remove(0)))]);
                }
            }
        }
    }
}

fn answer_requests(answers: impl IntoIterator<Item = (RecordRequest, Result<RecordOutcome>)>) {
    for (order, answer) in answers {
        // The caller may be gone; the result is recorded nevertheless.
        let _ = order.answer.send(answer);
    }
}

/// Records all results or none, in one transaction.
async fn record_batch(orders: &[RecordRequest], rests: &RestRule) -> Result<Vec<RecordOutcome>> {
    let Some(first) = orders.first() else {
        return Ok(Vec::new());
    };
    let change = first.store.begin_write().await?;
    let mut batch = RecordBatch::read(&change, orders).await?;
    let answers: Vec<RecordOutcome> = orders
        .iter()
        .map(|order| batch.enter_result(order, rests))
        .collect();
    let at = orders.iter().map(|order| order.at).max();
    batch.write(&change, at.unwrap_or_default()).await?;
    change.commit().await?;
    Ok(answers)
}

/// The rows that a transaction changes, before they are written.
struct RecordBatch {
    jobs: HashMap<JobId, Job>,
    matches: HashMap<MatchId, Match>,
    standings: BTreeMap<(LadderId, BotId), Standing>,
    /// The next turn of each ladder.
    turns: HashMap<LadderId, i64>,
    counted: CountedGames,
    /// Whether a match of a ladder is among the results.
    has_counted: bool,
    done: Vec<JobId>,
    results: Vec<(MatchId, tables::matches::ActiveModel)>,
    faulted: Vec<(MatchId, BotId)>,
    /// The summaries of the matches of experiments.
    records: Vec<(MatchId, Json)>,
    /// The CPU time of friendly matches, which quotas count.
    cpu_us: Vec<(MatchId, i64)>,
    changes: Vec<changes::ActiveModel>,
    rivals: BTreeMap<LadderId, BTreeMap<(BotId, BotId), HeadToHeadTally>>,
}

impl RecordBatch {
    /// Reads and locks all rows that the results may change, in the global lock order: jobs, then
    /// ladders.
    async fn read(change: &Change, orders: &[RecordRequest]) -> Result<RecordBatch> {
        let ids = orders.iter().map(|order| order.lease.job);
        let these = tables::jobs::Entity::find().filter(tables::jobs::Column::Id.is_in(ids));
        let jobs = these
            .order_by_asc(tables::jobs::Column::Id)
            .lock_exclusive()
            .all(change)
            .await?;
        let ids = jobs.iter().filter_map(|job| job.match_id);
        let matches = tables::matches::Entity::find()
            .filter(tables::matches::Column::Id.is_in(ids))
            .all(change)
            .await?;
        let rated: Vec<RatedBots> = matches.iter().filter_map(rated_bots).collect();
        let turns = take_turns(change, &rated).await?;
        let standings = load_standings(change, &rated).await?;
        let counted = CountedGames::read(change, list_games(orders, &jobs, &matches)).await?;
        Ok(RecordBatch {
            jobs: jobs.into_iter().map(|job| (job.id, job)).collect(),
            matches: matches.into_iter().map(|found| (found.id, found)).collect(),
            standings,
            turns,
            counted,
            has_counted: false,
            done: Vec::new(),
            results: Vec::new(),
            faulted: Vec::new(),
            records: Vec::new(),
            cpu_us: Vec::new(),
            changes: Vec::new(),
            rivals: BTreeMap::new(),
        })
    }

    /// Adds one result, if its lease is held.
    fn enter_result(&mut self, order: &RecordRequest, rests: &RestRule) -> RecordOutcome {
        let Some(job) = self.jobs.get(&order.lease.job).cloned() else {
            return RecordOutcome::Lost;
        };
        let job = match RecordOutcome::of_lease(CheckedLease::from_job(job, &order.lease)) {
            Ok(job) => job,
            Err(outcome) => return outcome,
        };
        let found = job.match_id.and_then(|id| self.matches.get(&id).cloned());
        let Some(found) = found.filter(|found| found.state == MatchState::Running) else {
            return RecordOutcome::Lost;
        };
        if let Some(job) = self.jobs.get_mut(&job.id) {
            // The same result may come twice in one transaction.
            job.state = JobState::Done;
        }
        self.done.push(job.id);
        let rated = rated_bots(&found);
        let counted = rated.and_then(|rated| self.count_match(&found, rated, order, rests));
        let (rated, copy_of) = match counted {
            Some(Counted::Rated(turn, change)) => (Some((turn, change)), None),
            Some(Counted::Copy(of)) => (None, Some(of)),
            None => (None, None),
        };
        let change = rated.map(|(_, change)| change);
        self.note_faults(&found, &order.result);
        if found.kind == MatchKind::Friendly {
            self.cpu_us.push((found.id, order.result.cpu_us));
        }
        self.records
            .extend(order.result.record.clone().map(|own| (found.id, own)));
        let row = tables::matches::ActiveModel {
            copy_of: Set(copy_of),
            ..finished_row(&order.result, rated, order.at)
        };
        self.results.push((found.id, row));
        RecordOutcome::Recorded { change }
    }

    /// Takes the next turn of the match's ladder and rates it, unless it is a copy of an earlier
    /// match: then ratings stay, and only faults are noted.
    fn count_match(
        &mut self,
        found: &Match,
        (ladder, [a, b]): RatedBots,
        order: &RecordRequest,
        rests: &RestRule,
    ) -> Option<Counted> {
        let next = self.turns.get_mut(ladder)?;
        let turn = *next;
        *next += 1;
        let mut sides = PerSide {
            a: self.standings.remove(&(ladder.clone(), a))?,
            b: self.standings.remove(&(ladder.clone(), b))?,
        };
        self.has_counted = true;
        let games = games_of(found, &order.result.games);
        let copy_of = self.counted.count_match(ladder, found.id, games);
        let counted = match copy_of {
            Some(of) => {
                sides.a.copies += 1;
                sides.b.copies += 1;
                Counted::Copy(of)
            }
            None => {
                let change =
                    RatedResult::of_result(&order.result, order.at).apply_rating(&mut sides);
                Counted::Rated(turn, change)
            }
        };
        rests.apply(found, &order.result, &mut sides, order.at);
        for mut standing in sides.into_array() {
            standing.turn = turn;
            if copy_of.is_none() {
                self.changes.push(rating_row(&standing, found.id, order.at));
            }
            let key = (standing.ladder.clone(), standing.bot);
            self.standings.insert(key, standing);
        }
        if copy_of.is_none() {
            let [ours, theirs] = winner_tallies(order.result.winner);
            let rivals = self.rivals.entry(ladder.clone()).or_default();
            *rivals.entry((a, b)).or_default() += ours;
            *rivals.entry((b, a)).or_default() += theirs;
        }
        Some(counted)
    }

    fn note_faults(&mut self, found: &Match, result: &MatchResult) {
        let sides = [
            (found.a_bot, result.fault_counts.a),
            (found.b_bot, result.fault_counts.b),
        ];
        let faulty = sides.into_iter().filter(|(_, faults)| *faults > 0);
        self.faulted
            .extend(faulty.filter_map(|(bot, _)| Some((found.id, bot?))));
    }

    async fn write(self, change: &Change, at: Timestamp) -> Result<()> {
        let ended = self.results.iter();
        let ended = ended.filter_map(|(id, _)| self.matches.get(id));
        // Of an experiment its page tells, once.
        let ended = ended.filter(|own| own.kind != MatchKind::Experiment);
        for own in ended {
            events::write(change, MatchFinished { id: own.id }, at);
        }
        for standing in self.standings.values() {
            let rests_now = |since: &MatchId| self.results.iter().any(|(id, _)| id == since);
            if let Some(since) = standing.rest_match.filter(rests_now) {
                let bot = standing.bot;
                events::write(change, BotRested { bot, since }, at);
            }
        }
        let ids = self.results.iter().map(|(id, _)| *id);
        let of_people = |id: &MatchId| self.matches[id].kind == MatchKind::Human;
        let of_people: Vec<MatchId> = ids.filter(of_people).collect();
        if !of_people.is_empty() {
            openers::forget(change, of_people).await?;
        }
        for (id, result) in self.results {
            matches::update_match(change, id, result).await?;
        }
        for (id, record) in self.records {
            played::Entity::update_many()
                .col_expr(played::Column::Record, Expr::value(record))
                .filter(played::Column::MatchId.eq(id))
                .exec(change)
                .await?;
        }
        for (id, cpu_us) in self.cpu_us {
            counted_actions::note_cpu(change, id, cpu_us).await?;
        }
        for (id, bot) in self.faulted {
            let row =
                entrants::Entity::update_many().col_expr(entrants::Column::Faulted, true.into());
            let row = row
                .filter(entrants::Column::Bot.eq(bot))
                .filter(entrants::Column::MatchId.eq(id));
            row.exec(change).await?;
        }
        insert_rows(change, &self.changes).await?;
        if self.has_counted {
            standings::write(change, self.standings.into_values().collect()).await?;
            for (ladder, rivals) in self.rivals {
                history::add_head_to_head(change, &ladder, rivals).await?;
            }
            self.counted.write(change).await?;
        }
        jobs::end_job(change, &self.done, JobState::Done).await
    }
}

/// How a match of a ladder counts.
enum Counted {
    /// With its turn and the rating changes.
    Rated(i64, PerSide<f64>),
    /// Not: it holds a copy of this match.
    Copy(MatchId),
}

/// The games of the results by ladder.
fn list_games(
    orders: &[RecordRequest],
    jobs: &[Job],
    matches: &[Match],
) -> BTreeMap<LadderId, Vec<String>> {
    let mut games: BTreeMap<LadderId, Vec<String>> = BTreeMap::new();
    for order in orders {
        let job = jobs.iter().find(|job| job.id == order.lease.job);
        let id = job.and_then(|job| job.match_id);
        let found = matches.iter().find(|found| Some(found.id) == id);
        if let Some((found, (ladder, _))) =
            found.and_then(|found| Some((found, rated_bots(found)?)))
        {
            let known = games.entry(ladder.clone()).or_default();
            known.extend(games_of(found, &order.result.games));
        }
    }
    games
}

/// The ladder and the two bots of a match that counts.
type RatedBots<'a> = (&'a LadderId, [BotId; 2]);

fn rated_bots(found: &Match) -> Option<RatedBots<'_>> {
    let (a, b) = (found.a_bot?, found.b_bot?);
    let ladder = found.ladder.as_ref()?;
    (a != b).then_some((ladder, [a, b]))
}

/// The first turn of each ladder that the matches need, ladders in order.
async fn take_turns(change: &Change, rated: &[RatedBots<'_>]) -> Result<HashMap<LadderId, i64>> {
    let mut wanted: BTreeMap<&LadderId, i64> = BTreeMap::new();
    for (ladder, _) in rated {
        *wanted.entry(*ladder).or_default() += 1;
    }
    let mut turns = HashMap::new();
    for (ladder, count) in wanted {
        let last = rating_turns::take_turns(change, ladder, count).await?;
        turns.insert(ladder.clone(), last - count + 1);
    }
    Ok(turns)
}

/// Loads the standings of the bots, including those that were never listed.
async fn load_standings(
    change: &Change,
    rated: &[RatedBots<'_>],
) -> Result<BTreeMap<(LadderId, BotId), Standing>> {
    let mut wanted: BTreeMap<&LadderId, BTreeSet<BotId>> = BTreeMap::new();
    for (ladder, bots) in rated {
        wanted.entry(*ladder).or_default().extend(bots);
    }
    let mut standings = BTreeMap::new();
    for (ladder, bots) in wanted {
        let known = tables::ladder::Entity::find()
            .filter(tables::ladder::Column::Ladder.eq(ladder))
            .filter(tables::ladder::Column::Bot.is_in(bots.iter().copied()))
            .all(change)
            .await?;
        let fresh = bots
            .iter()
            .map(|bot| Standing::new_standing(*bot, ladder.clone()));
        // The known ones replace the fresh ones.
        let all = fresh.chain(known);
        standings.extend(all.map(|own| ((own.ladder.clone(), own.bot), own)));
    }
    Ok(standings)
}

fn rating_row(standing: &Standing, id: MatchId, at: Timestamp) -> changes::ActiveModel {
    changes::ActiveModel {
        id: NotSet,
        bot: Set(standing.bot),
        ladder: Set(standing.ladder.clone()),
        match_id: Set(Some(id)),
        at: Set(at),
        skill: Set(standing.skill),
        doubt: Set(standing.doubt),
    }
}

fn finished_row(
    result: &MatchResult,
    rated: Option<(i64, PerSide<f64>)>,
    at: Timestamp,
) -> tables::matches::ActiveModel {
    let result = result.clone();
    tables::matches::ActiveModel {
        state: Set(MatchState::Finished),
        finished: Set(Some(at)),
        winner: Set(Some(result.winner)),
        reason: Set(Some(result.reason)),
        scores: Set(Some(result.scores)),
        leg_outcomes: Set(Some(result.leg_outcomes)),
        faults: Set(Some(result.faults)),
        a_faults: Set(result.fault_counts.a),
        b_faults: Set(result.fault_counts.b),
        a_longest_us: Set(result.longest_us.a),
        b_longest_us: Set(result.longest_us.b),
        replay: Set(result.replay),
        turn: Set(rated.map(|(turn, _)| turn)),
        a_change: Set(rated.map(|(_, change)| change.a)),
        b_change: Set(rated.map(|(_, change)| change.b)),
        ..Default::default()
    }
}

/// The part of a result that the ladder needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RatedResult {
    pub winner: MatchWinner,
    pub faults: PerSide<i32>,
    pub longest_us: PerSide<Option<i64>>,
    pub at: Timestamp,
}

impl RatedResult {
    fn of_result(result: &MatchResult, at: Timestamp) -> RatedResult {
        RatedResult {
            winner: result.winner,
            faults: result.fault_counts,
            longest_us: result.longest_us,
            at,
        }
    }

    /// Updates both standings and returns the rating changes, in Elo as shown.
    pub fn apply_rating(&self, sides: &mut PerSide<Standing>) -> PerSide<f64> {
        let before = [sides.a.current_rating(), sides.b.current_rating()];
        let (a, b) = before[0].rate_game(before[1], winner_score(self.winner));
        self.count_result(
            &mut sides.a,
            winner_score(self.winner),
            self.faults.a,
            self.longest_us.a,
        );
        self.count_result(
            &mut sides.b,
            winner_score(self.winner).flip_side(),
            self.faults.b,
            self.longest_us.b,
        );
        sides.a.set_rating(a);
        sides.b.set_rating(b);
        PerSide {
            a: a.shown_rating().value - before[0].shown_rating().value,
            b: b.shown_rating().value - before[1].shown_rating().value,
        }
    }

    fn count_result(
        &self,
        standing: &mut Standing,
        score: GameScore,
        faults: i32,
        longest_us: Option<i64>,
    ) {
        standing.games += 1;
        match score {
            GameScore::Win => standing.wins += 1,
            GameScore::Draw => standing.draws += 1,
            GameScore::Loss => standing.losses += 1,
        }
        standing.faults += i64::from(faults);
        standing.longest_us = standing.longest_us.max(longest_us);
        standing.played = standing.played.max(Some(self.at));
    }
}

/// The score of `a`.
fn winner_score(winner: MatchWinner) -> GameScore {
    match winner {
        MatchWinner::A => GameScore::Win,
        MatchWinner::Draw => GameScore::Draw,
        MatchWinner::B => GameScore::Loss,
    }
}

/// One match as a tally from each side.
pub(crate) fn winner_tallies(winner: MatchWinner) -> [HeadToHeadTally; 2] {
    let one = |score: GameScore| HeadToHeadTally {
        wins: i64::from(score == GameScore::Win),
        draws: i64::from(score == GameScore::Draw),
        losses: i64::from(score == GameScore::Loss),
    };
    [
        one(winner_score(winner)),
        one(winner_score(winner).flip_side()),
    ]
}
