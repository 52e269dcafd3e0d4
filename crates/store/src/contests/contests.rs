//! Contests: their entries, stages and matches.
//!
//! These rows, the contest's file and the results of its matches say everything about a contest: a
//! server that was killed derives from them what to do next. Every change locks the contest's row
//! first and looks whether it is still due, so that two servers never do it twice.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use crate::contests::contest_names;
use crate::contests::contest_packs::{self, ContestPack};
use crate::contests::contest_people::{FreezeRules, check_people, describe_absence};
use crate::database::prelude::*;
use crate::database::{audit_log, skeletons};
use crate::events::kinds::{self as events, ContestAnnulled, ContestBegun, ContestFinished};
use crate::game_files::game_files::newest_rules;
use crate::jobs::job_turns::JobFlow;
use crate::matches::{matches, new_match};
use crate::messages::bot_people::BotPeople;
use crate::tables::contests::{
    ActiveModel, Column, Contest, ContestEntry, ContestMatch, ContestPrivacy, ContestStage,
    ContestState, Entity, EntryLeft, entries, lock_contest, played, stages,
};
use crate::{
    AuditedAction, BotId, ContestId, EntryId, FileName, Json, MatchId, MatchSeed, MatchState,
    MatchWinner, NewMatch, Page, PageQuery, UserId, tables,
};

/// A match of a contest with its result.
#[derive(Clone, Debug, PartialEq, Eq, sea_orm::FromQueryResult)]
pub struct PlayedContestMatch {
    /// The match.
    pub match_id: MatchId,
    /// The stage, from 0.
    pub stage: i32,
    /// The encounter: its round and table.
    pub place: String,
    /// The number of the match in the encounter, from 0.
    pub number: i32,
    /// How often it was played before without a result.
    pub attempt: i32,
    /// The first entry of the encounter.
    pub one: EntryId,
    /// The second.
    pub other: EntryId,
    /// When an organiser took it back: it no longer counts.
    pub taken_back: Option<Timestamp>,
    /// The state of the match.
    pub state: MatchState,
    /// Its winner; in every second match of an encounter `other` is entrant A.
    pub winner: Option<MatchWinner>,
}

/// A contest to be published.
#[derive(Clone, Debug)]
pub struct NewContest {
    /// The name in addresses.
    pub name: String,
    /// The game's id.
    pub game: String,
    /// The file, in TOML.
    pub file: String,
    /// The number from which seeds and the first seeding are drawn.
    pub seed: MatchSeed,
    /// Who sees it.
    pub privacy: ContestPrivacy,
    /// The accounts and groups that the file names.
    pub names: Vec<FileName>,
}

/// A match of a contest to be queued.
#[derive(Clone, Debug)]
pub struct NewContestMatch {
    /// The stage, from 0.
    pub stage: i32,
    /// The encounter.
    pub place: String,
    /// The number of the match in the encounter, from 0.
    pub number: i32,
    /// How often it was played before without a result.
    pub attempt: i32,
    /// The two entries, in the order of the encounter.
    pub pair: [EntryId; 2],
    /// The match.
    pub new: NewMatch,
}

/// Who changes a contest, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContestActor {
    /// The account; `None` for the arena itself.
    pub user: Option<UserId>,
    /// When.
    pub at: Timestamp,
}

impl Store {
    /// Publishes a contest. [`StoreError::Taken`] if there is one of this name,
    /// [`StoreError::Alike`] if there is one whose name looks like it, [`StoreError::Missing`] if it names somebody who is not there.
    pub async fn create_contest(&self, new: NewContest, by: ContestActor) -> Result<Contest> {
        self.create_contest_with(new, Vec::new(), by).await
    }

    /// Publishes a contest with the situation packs that its file names.
    pub async fn create_contest_with(
        &self,
        new: NewContest,
        packs: Vec<ContestPack>,
        by: ContestActor,
    ) -> Result<Contest> {
        let change = self.begin_write().await?;
        let name = new.name.clone();
        let skeleton = skeletons::skeleton(&name);
        let alike = Entity::find().filter(Column::Skeleton.eq(&skeleton));
        skeletons::check(&change, alike, Column::Name, ("id", &name)).await?;
        let row = ActiveModel {
            id: NotSet,
            name: Set(new.name),
            skeleton: Set(Some(skeleton)),
            game: Set(new.game),
            rules: Set(None),
            file: Set(new.file),
            seed: Set(new.seed),
            state: Set(ContestState::Open),
            paused: Set(false),
            created: Set(by.at),
            frozen: Set(None),
            ended: Set(None),
            note: Set(None),
            private: Set(new.privacy.private),
            results_from: Set(new.privacy.results_from),
        };
        let made = row.insert(&change).await;
        let made = made.map_err(|error| StoreError::value_taken(error, "id", &name))?;
        contest_names::note(&change, made.id, &new.names).await?;
        contest_packs::write(&change, &made, packs, by.at).await?;
        log_change(&change, &made, by, "publish", json!({})).await?;
        change.commit().await?;
        Ok(made)
    }

    /// The contest of this name; [`StoreError::Missing`] if there is none.
    pub async fn contest_by_name(&self, name: &str) -> Result<Contest> {
        Entity::find()
            .filter(Column::Name.eq(name))
            .one(&self.readers)
            .await?
            .ok_or_else(|| StoreError::row_missing("contest", name))
    }

    /// Contests, newest first: those that everybody sees, and these private ones.
    pub async fn list_contests(
        &self,
        private: &[ContestId],
        ask: &PageQuery,
    ) -> Result<Page<Contest>> {
        let seen = Condition::any()
            .add(Column::Private.eq(false))
            .add(Column::Id.is_in(private.iter().copied()));
        let rows = Entity::find().filter(seen);
        self.page_of(rows, Column::Id, ask, |row| row.id.0).await
    }

    /// The contest with this key.
    pub async fn contest_by_id(&self, id: ContestId) -> Result<Contest> {
        find_row::<Entity>(&self.readers, id, "contest").await
    }

    /// The private contests, newest first.
    pub async fn private_contests(&self) -> Result<Vec<Contest>> {
        Ok(Entity::find()
            .filter(Column::Private.eq(true))
            .order_by_desc(Column::Id)
            .all(&self.readers)
            .await?)
    }

    /// The contests of which no date says from when their results are shown: see
    /// [`Store::set_contest_privacy`].
    pub async fn contests_without_date(&self) -> Result<Vec<Contest>> {
        Ok(Entity::find()
            .filter(Column::ResultsFrom.is_null())
            .filter(Column::Ended.is_null())
            .all(&self.readers)
            .await?)
    }

    /// Writes what the file of a contest says of who sees it, for contests of an earlier version.
    pub async fn set_contest_privacy(&self, id: ContestId, privacy: ContestPrivacy) -> Result<()> {
        let change = self.begin_write().await?;
        let row = ActiveModel {
            id: Set(id),
            private: Set(privacy.private),
            results_from: Set(privacy.results_from),
            ..Default::default()
        };
        row.update(&change).await?;
        Ok(change.commit().await?)
    }

    /// The contests that are not over, oldest first.
    pub async fn unfinished_contests(&self) -> Result<Vec<Contest>> {
        let states = [ContestState::Open, ContestState::Running];
        Ok(Entity::find()
            .filter(Column::State.is_in(states))
            .order_by_asc(Column::Id)
            .all(&self.readers)
            .await?)
    }

    /// The contests that a bot has joined and that are not frozen yet.
    pub async fn open_contests_of(&self, bot: BotId) -> Result<Vec<Contest>> {
        let joined: Vec<ContestId> = entries::Entity::find()
            .filter(entries::Column::Bot.eq(bot))
            .filter(entries::Column::Left.is_null())
            .select_only()
            .column(entries::Column::Contest)
            .into_tuple()
            .all(&self.readers)
            .await?;
        if joined.is_empty() {
            return Ok(Vec::new());
        }
        Ok(Entity::find()
            .filter(Column::Id.is_in(joined))
            .filter(Column::State.eq(ContestState::Open))
            .all(&self.readers)
            .await?)
    }

    /// The entries of a contest in the order in which they joined.
    pub async fn contest_entries(&self, id: ContestId) -> Result<Vec<ContestEntry>> {
        Ok(entries_of(id).all(&self.readers).await?)
    }

    /// The stages of a contest that have begun, in order.
    pub async fn contest_stages(&self, id: ContestId) -> Result<Vec<ContestStage>> {
        Ok(stages::Entity::find()
            .filter(stages::Column::Contest.eq(id))
            .order_by_asc(stages::Column::Stage)
            .all(&self.readers)
            .await?)
    }

    /// The matches of a contest, or of one of its stages, oldest first.
    pub async fn contest_matches(
        &self,
        id: ContestId,
        stage: Option<i32>,
    ) -> Result<Vec<PlayedContestMatch>> {
        use played::Column as Played;
        let mut found = played::Entity::find()
            .select_only()
            .columns([
                Played::MatchId,
                Played::Stage,
                Played::Place,
                Played::Number,
                Played::Attempt,
                Played::One,
                Played::Other,
                Played::TakenBack,
            ])
            .columns([
                tables::matches::Column::State,
                tables::matches::Column::Winner,
            ])
            .join(JoinType::InnerJoin, played::Relation::Match.def())
            .filter(Played::Contest.eq(id))
            .order_by_asc(Played::MatchId);
        if let Some(stage) = stage {
            found = found.filter(Played::Stage.eq(stage));
        }
        Ok(found.into_model().all(&self.readers).await?)
    }

    /// The contests of these matches, as far as they belong to one.
    pub async fn contests_of_matches(&self, ids: &[MatchId]) -> Result<Vec<(MatchId, Contest)>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let of_contests = played::Entity::find()
            .filter(played::Column::MatchId.is_in(ids.iter().copied()))
            .all(&self.readers)
            .await?;
        if of_contests.is_empty() {
            return Ok(Vec::new());
        }
        let keys: HashSet<ContestId> = of_contests.iter().map(|row| row.contest).collect();
        let contests = Entity::find()
            .filter(Column::Id.is_in(keys))
            .all(&self.readers)
            .await?;
        let find = |id: ContestId| contests.iter().find(|row| row.id == id).cloned();
        let pair = |row: ContestMatch| Some((row.match_id, find(row.contest)?));
        Ok(of_contests.into_iter().filter_map(pair).collect())
    }

    /// A bot joins a contest for at most `most` entrants, whose teams have at most `team_size`
    /// members, or comes back before the freeze. [`StoreError::Refused`] after the freeze, without
    /// room, if it is in it or was disqualified, or if one of its people plays for another entrant.
    pub async fn join_contest(
        &self,
        id: ContestId,
        bot: BotId,
        (most, team_size): (u32, u32),
        by: ContestActor,
    ) -> Result<ContestEntry> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        let name = &contest.name;
        let refused = |why: String| Err(StoreError::Refused(why));
        if contest.state != ContestState::Open {
            return refused(format!(
                "contest {name} is frozen or over; nobody can join it any more"
            ));
        }
        let all = entries_of(id).all(&change).await?;
        let before = all.iter().find(|entry| entry.bot == bot);
        let why = match before.map(|entry| entry.left) {
            Some(None) => Some(format!("this bot is in contest {name} already")),
            Some(Some(EntryLeft::Disqualified)) => {
                Some(format!("this bot was disqualified in contest {name}"))
            }
            _ => None,
        };
        if let Some(why) = why {
            return refused(why);
        }
        check_people(&change, &contest, &all, bot, team_size).await?;
        let playing = all.iter().filter(|entry| entry.left.is_none()).count();
        if playing >= most as usize {
            return refused(format!(
                "contest {name} is full: it has {most} entrants, as many as its file allows"
            ));
        }
        let row = entries::ActiveModel {
            id: before.map_or(NotSet, |entry| Set(entry.id)),
            contest: Set(id),
            bot: Set(bot),
            version: Set(None),
            joined: Set(by.at),
            left: Set(None),
            why: Set(None),
        };
        let entry = match before {
            Some(_) => row.update(&change).await?,
            None => row.insert(&change).await?,
        };
        log_change(&change, &contest, by, "join", json!({"bot": bot})).await?;
        change.commit().await?;
        Ok(entry)
    }

    /// An entry plays no more: its unfinished matches are cancelled, and their opponents win them.
    /// What it has played stays. [`StoreError::Refused`] if the contest is over or the entry left.
    pub async fn leave_contest(
        &self,
        id: ContestId,
        entry: EntryId,
        (left, why): (EntryLeft, Option<String>),
        by: ContestActor,
    ) -> Result<ContestEntry> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        check_unfinished(&contest)?;
        let found = entries::Entity::find_by_id(entry)
            .filter(entries::Column::Contest.eq(id))
            .one(&change)
            .await?;
        let found = found.ok_or_else(|| StoreError::row_missing("entry", entry))?;
        if found.left == Some(EntryLeft::Disqualified) || found.left == Some(left) {
            return Err(StoreError::Refused(format!(
                "entry {entry} of contest {} has left it already",
                contest.name
            )));
        }
        let row = entries::ActiveModel {
            id: Set(entry),
            left: Set(Some(left)),
            why: Set(why.clone()),
            ..Default::default()
        };
        let row = row.update(&change).await?;
        let note = "an entrant left the contest";
        cancel_open(&change, id, Some(entry), note, by.at).await?;
        let action = match left {
            EntryLeft::Withdrawn => "leave",
            EntryLeft::Disqualified => "disqualify",
        };
        let detail = json!({"entry": entry, "bot": found.bot, "why": why});
        log_change(&change, &contest, by, action, detail).await?;
        change.commit().await?;
        Ok(row)
    }

    /// Chooses the versions that play: the active one of every entry. Entries without one, with a
    /// version that the contest does not take, with a team that is too large, or with somebody who plays
    /// for an earlier entry, are withdrawn; with fewer than the least number left the contest is annulled for this reason. Nothing
    /// happens if that was done already.
    pub async fn freeze_contest(
        &self,
        id: ContestId,
        rules: &FreezeRules<'_>,
        at: Timestamp,
    ) -> Result<ContestState> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        if contest.state != ContestState::Open || contest.paused {
            return Ok(contest.state);
        }
        let all = entries_of(id).all(&change).await?;
        let present = all.iter().filter(|entry| entry.left.is_none());
        let known = BotPeople::of_bots(&change, present.clone().map(|entry| entry.bot)).await?;
        let (mut playing, mut taken) = (0, HashMap::new());
        let mut chosen = Vec::new();
        for entry in present {
            let mut row = entries::ActiveModel {
                id: Set(entry.id),
                ..Default::default()
            };
            match describe_absence(&known, entry, rules, &mut taken) {
                None => {
                    row.version = Set(known.bot(entry.bot).and_then(|bot| bot.active));
                    playing += 1;
                    chosen.push(entry.bot);
                }
                Some(why) => {
                    row.left = Set(Some(EntryLeft::Withdrawn));
                    row.why = Set(Some(why));
                }
            }
            row.update(&change).await?;
        }
        let by = ContestActor { user: None, at };
        let state = if playing < rules.least {
            let least = rules.least;
            let why = format!("entrants at the freeze: {playing}; the contest needs {least}");
            end_contest(&change, &contest, ContestState::Annulled, Some(why), by).await?;
            ContestState::Annulled
        } else {
            begin_contest(&change, &contest, chosen, by).await?;
            ContestState::Running
        };
        change.commit().await?;
        Ok(state)
    }

    /// Begins a stage with these entries, best seed first. Nothing happens if it has begun, or if
    /// the contest does not run; false then.
    pub async fn begin_stage(
        &self,
        id: ContestId,
        stage: i32,
        seeds: &[EntryId],
        at: Timestamp,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        let known = stages::Entity::find_by_id((id, stage)).one(&change).await?;
        if contest.state != ContestState::Running || contest.paused || known.is_some() {
            return Ok(false);
        }
        let row = stages::ActiveModel {
            contest: Set(id),
            stage: Set(stage),
            begun: Set(at),
            seeds: Set(json!(seeds)),
        };
        insert_row(&change, row).await?;
        change.commit().await?;
        Ok(true)
    }

    /// Queues matches of a contest, except those that are there already and those of entries that
    /// have left. Returns how many were queued.
    pub async fn queue_contest_matches(
        &self,
        id: ContestId,
        new: Vec<NewContestMatch>,
        at: Timestamp,
    ) -> Result<usize> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        if contest.state != ContestState::Running || contest.paused {
            return Ok(0);
        }
        let gone: HashSet<EntryId> = entries_of(id)
            .filter(entries::Column::Left.is_not_null())
            .all(&change)
            .await?
            .into_iter()
            .map(|entry| entry.id)
            .collect();
        let mut queued = 0;
        for one in new {
            if one.pair.iter().any(|entry| gone.contains(entry))
                || is_there(&change, id, &one).await?
            {
                continue;
            }
            new_match::check_entrants(&change, std::slice::from_ref(&one.new)).await?;
            let flow = JobFlow::Contest(id);
            let made = matches::insert_match(&change, one.new, None, &flow, at).await?;
            let row = played::ActiveModel {
                match_id: Set(made.id),
                contest: Set(id),
                stage: Set(one.stage),
                place: Set(one.place),
                number: Set(one.number),
                attempt: Set(one.attempt),
                one: Set(one.pair[0]),
                other: Set(one.pair[1]),
                taken_back: Set(None),
            };
            insert_row(&change, row).await?;
            queued += 1;
        }
        change.commit().await?;
        self.jobs_arrived();
        Ok(queued)
    }

    /// Finishes a running contest, in whose last stage the entries have these places, best first.
    /// Nothing happens if it does not run; false then.
    pub async fn finish_contest(
        &self,
        id: ContestId,
        places: &[(EntryId, i32)],
        at: Timestamp,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        if contest.state != ContestState::Running || contest.paused {
            return Ok(false);
        }
        let by = ContestActor { user: None, at };
        end_contest(&change, &contest, ContestState::Finished, None, by).await?;
        let present = present_entries(&change, id).await?;
        let placed = present.iter().map(|entry| {
            let own = places.iter().position(|(placed, _)| *placed == entry.id);
            (own.unwrap_or(usize::MAX), entry.bot)
        });
        let mut placed: Vec<(usize, BotId)> = placed.collect();
        placed.sort_by_key(|(row, _)| *row);
        let placed = placed.into_iter();
        let placed: Vec<(BotId, Option<i32>)> = placed
            .map(|(row, bot)| (bot, places.get(row).map(|(_, place)| *place)))
            .collect();
        let finished = ContestFinished {
            contest: id,
            placed,
        };
        events::write(&change, finished, at);
        change.commit().await?;
        Ok(true)
    }

    /// Annuls a contest: its unfinished matches are cancelled. [`StoreError::Refused`] if it is over.
    pub async fn annul_contest(
        &self,
        id: ContestId,
        why: String,
        by: ContestActor,
    ) -> Result<Contest> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        check_unfinished(&contest)?;
        end_contest(&change, &contest, ContestState::Annulled, Some(why), by).await?;
        change.commit().await?;
        self.contest_by_name(&contest.name).await
    }

    /// Pauses a contest, so that nothing begins, or resumes it. [`StoreError::Refused`] if it is over.
    pub async fn set_contest_paused(
        &self,
        id: ContestId,
        paused: bool,
        by: ContestActor,
    ) -> Result<Contest> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        check_unfinished(&contest)?;
        let row = ActiveModel {
            id: Set(id),
            paused: Set(paused),
            ..Default::default()
        };
        let row = row.update(&change).await?;
        let action = if paused { "pause" } else { "resume" };
        log_change(&change, &contest, by, action, json!({})).await?;
        change.commit().await?;
        Ok(row)
    }
}

fn entries_of(id: ContestId) -> sea_orm::Select<entries::Entity> {
    entries::Entity::find()
        .filter(entries::Column::Contest.eq(id))
        .order_by_asc(entries::Column::Id)
}

pub(crate) fn check_unfinished(contest: &Contest) -> Result<()> {
    match contest.state {
        ContestState::Open | ContestState::Running => Ok(()),
        ContestState::Finished | ContestState::Annulled => Err(StoreError::Refused(format!(
            "contest {} is over already",
            contest.name
        ))),
    }
}

/// Whether this match is there already.
async fn is_there(change: &Change, id: ContestId, new: &NewContestMatch) -> Result<bool> {
    use played::Column as Played;
    let same = played::Entity::find()
        .filter(Played::Contest.eq(id))
        .filter(Played::Stage.eq(new.stage))
        .filter(Played::Place.eq(new.place.as_str()))
        .filter(Played::Number.eq(new.number))
        .filter(Played::One.eq(new.pair[0]))
        .filter(Played::Other.eq(new.pair[1]))
        .filter(Played::Attempt.eq(new.attempt));
    Ok(same.one(change).await?.is_some())
}

/// Cancels the unfinished matches of a contest, or of one of its entries.
async fn cancel_open(
    change: &Change,
    id: ContestId,
    entry: Option<EntryId>,
    note: &str,
    at: Timestamp,
) -> Result<()> {
    use played::Column as Played;
    let mut open = played::Entity::find()
        .join(JoinType::InnerJoin, played::Relation::Match.def())
        .filter(Played::Contest.eq(id))
        .filter(tables::matches::Column::State.is_in([MatchState::Queued, MatchState::Running]))
        .order_by_asc(Played::MatchId);
    if let Some(entry) = entry {
        open = open.filter(
            Condition::any()
                .add(Played::One.eq(entry))
                .add(Played::Other.eq(entry)),
        );
    }
    for row in open.all(change).await? {
        matches::drop_within(change, row.match_id, MatchState::Cancelled, note, at).await?;
    }
    Ok(())
}

/// The contest of these bots is on from now.
async fn begin_contest(
    change: &Change,
    contest: &Contest,
    playing: Vec<BotId>,
    by: ContestActor,
) -> Result<()> {
    let detail = json!({"entrants": playing.len()});
    let row = ActiveModel {
        id: Set(contest.id),
        rules: Set(newest_rules(change, &contest.game, by.at).await?),
        state: Set(ContestState::Running),
        frozen: Set(Some(by.at)),
        ..Default::default()
    };
    row.update(change).await?;
    let begun = ContestBegun {
        contest: contest.id,
        playing,
    };
    events::write(change, begun, by.at);
    log_change(change, contest, by, "freeze", detail).await
}

async fn end_contest(
    change: &Change,
    contest: &Contest,
    state: ContestState,
    note: Option<String>,
    by: ContestActor,
) -> Result<()> {
    cancel_open(change, contest.id, None, "the contest is over", by.at).await?;
    let row = ActiveModel {
        id: Set(contest.id),
        state: Set(state),
        ended: Set(Some(by.at)),
        note: Set(note.clone()),
        ..Default::default()
    };
    row.update(change).await?;
    if state == ContestState::Annulled {
        let present = present_entries(change, contest.id).await?;
        let annulled = ContestAnnulled {
            contest: contest.id,
            playing: present.iter().map(|entry| entry.bot).collect(),
        };
        events::write(change, annulled, by.at);
    }
    let action = match state {
        ContestState::Annulled => "annul",
        _ => "finish",
    };
    log_change(change, contest, by, action, json!({"why": note})).await
}

/// The entries that have not left, in the order of joining.
async fn present_entries(change: &Change, contest: ContestId) -> Result<Vec<ContestEntry>> {
    let present = entries_of(contest).filter(entries::Column::Left.is_null());
    Ok(present.all(change).await?)
}

pub(crate) async fn log_change(
    change: &Change,
    contest: &Contest,
    by: ContestActor,
    action: &str,
    detail: Json,
) -> Result<()> {
    let subject = format!("contest {}", contest.name);
    let action = AuditedAction::new(by.user, format!("contest.{action}"), subject, detail);
    audit_log::write(change, action, by.at).await
}
