//! Deletion of bots, versions and accounts.
//!
//! Matches, results and ratings stay as they were played. The rows of deleted bots and versions
//! stay too, without anything that their author wrote. Pending matches are cancelled in the same
//! transaction; a worker that plays one learns at its next renewal that the lease is lost. Names in
//! old matches are replaced later, a few matches at a time ([`crate::removal::erasure`]), and files are
//! removed later ([`crate::blobs::discards`]).
//!
//! Lock order of a deletion: jobs, bots, ladders, as when results are recorded.

use std::collections::BTreeSet;

use sea_orm::sea_query::LockType;
use serde_json::json;

use crate::accounts::{freed_names, identities, known_browsers, second_factors, sessions};
use crate::blobs::discards;
use crate::bots::{bots, counted_actions, living, versions};
use crate::database::audit_log;
use crate::database::prelude::*;
use crate::experiments::{books, pins, situations};
use crate::game_files::{game_owners, game_reports};
use crate::groups::member_list;
use crate::jobs::jobs;
use crate::matches::{home_bots, match_tags, matches};
use crate::messages::{follows, mail, notifications, webhooks};
use crate::removal::erasure::{self, bot_name};
use crate::returning;
use crate::standings::standings;
use crate::tables::matches::entrants;
use crate::{
    AuditedAction, Bot, BotId, JobState, Match, MatchEntrant, MatchId, MatchKind, MatchState,
    NameKind, User, UserId, Version, VersionId, tables,
};

/// Who deletes, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeletionRequest {
    /// The account that deletes; `None` for the command line.
    pub by: Option<UserId>,
    /// When.
    pub at: Timestamp,
}

/// The states of pending matches.
const OPEN: [MatchState; 3] = [MatchState::Waiting, MatchState::Queued, MatchState::Running];

impl Store {
    /// Deletes a bot with all its versions. Its matches stay under a placeholder name; the bot
    /// leaves its ladder, and the ratings of others stay. [`StoreError::Refused`] for a built-in
    /// bot.
    pub async fn delete_bot(&self, id: BotId, deletion: DeletionRequest) -> Result<()> {
        let change = self.begin_write().await?;
        let bot = delete_bot(&change, id, deletion.at).await?;
        let detail = json!({"game": bot.game});
        log_deletion(&change, deletion, "bot.delete", format!("bot {id}"), detail).await?;
        Ok(change.commit().await?)
    }

    /// Deletes a version: its source, log and report. Its number is not reused, and its matches
    /// stay. [`StoreError::Refused`] for the active version, and for a built-in one.
    pub async fn delete_version(&self, id: VersionId, deletion: DeletionRequest) -> Result<()> {
        let change = self.begin_write().await?;
        let bot = versions::find_living(&change, id).await?.bot;
        lock_jobs(&change, bot).await?;
        let bot = lock_bot(&change, bot).await?;
        let version = versions::find_living(&change, id).await?;
        let number = version.number;
        if bot.active == Some(id) {
            return Err(StoreError::Refused(format!(
                "version {number} of {} is the one that plays; let another version play first, or delete the bot",
                bot.name
            )));
        }
        cancel_matches(&change, bot.id, Some(id), deletion.at).await?;
        clear_version(&change, &version, deletion.at).await?;
        let detail = json!({"bot": bot.id, "number": number});
        log_deletion(
            &change,
            deletion,
            "version.delete",
            format!("version {id}"),
            detail,
        )
        .await?;
        change.commit().await?;
        self.version_changed(id);
        Ok(())
    }

    /// Deletes an account with all its bots, sessions and tokens (worker tokens too). Its matches
    /// stay under a placeholder name. [`StoreError::Refused`] for the last administrator.
    pub async fn delete_user(&self, id: UserId, deletion: DeletionRequest) -> Result<()> {
        let change = self.begin_write().await?;
        let user = lock_user(&change, id).await?;
        if user.admin && !user.disabled {
            check_other_admin(&change, &user).await?;
        }
        // The bots of a team stay with its other members.
        member_list::leave_all(&change, id, deletion.at).await?;
        let own = tables::bots::Entity::find()
            .filter(tables::bots::Column::Owner.eq(id))
            .order_by_asc(tables::bots::Column::Id);
        for bot in own.all(&change).await? {
            delete_bot(&change, bot.id, deletion.at).await?;
        }
        cancel_games(&change, id, deletion.at).await?;
        webhooks::remove_of_person(&change, id, None).await?;
        mail::forget(&change, id).await?;
        identities::forget(&change, id).await?;
        follows::forget_person(&change, id).await?;
        notifications::forget_person(&change, id).await?;
        counted_actions::forget_person(&change, id).await?;
        game_owners::forget_person(&change, id).await?;
        game_reports::forget_person(&change, id).await?;
        match_tags::forget_person(&change, id).await?;
        sessions::end_sessions(&change, id, None).await?;
        delete_rows::<tables::tokens::Entity>(&change, tables::tokens::Column::User.eq(id)).await?;
        delete_rows::<tables::matches::people::Entity>(
            &change,
            tables::matches::people::Column::User.eq(id),
        )
        .await?;
        home_bots::forget_person(&change, id).await?;
        known_browsers::forget_person(&change, id).await?;
        returning::forget_person(&change, id).await?;
        second_factors::forget(&change, id).await?;
        freed_names::free(&change, NameKind::Account, &user.name, id.0, deletion.at).await?;
        tables::users::Entity::delete_by_id(id)
            .exec(&change)
            .await?;
        erasure::insert_erasure(&change, erasure::NameOwner::User(id)).await?;
        audit_log::forget_name(&change, &format!("user {id}")).await?;
        log_deletion(
            &change,
            deletion,
            "user.delete",
            format!("user {id}"),
            json!({}),
        )
        .await?;
        Ok(change.commit().await?)
    }
}

async fn delete_bot(change: &Change, id: BotId, at: Timestamp) -> Result<Bot> {
    lock_jobs(change, id).await?;
    let bot = lock_bot(change, id).await?;
    cancel_matches(change, id, None, at).await?;
    let all = tables::versions::Entity::find().filter(tables::versions::Column::Bot.eq(id));
    for version in all
        .filter(tables::versions::Column::Deleted.is_null())
        .all(change)
        .await?
    {
        clear_version(change, &version, at).await?;
    }
    books::forget_bot(change, id, at).await?;
    pins::forget_bot(change, id).await?;
    let name = bot_name(id);
    let gone = tables::bots::ActiveModel {
        name: Set(name.clone()),
        folded: Set(name),
        skeleton: Set(None),
        owner: Set(None),
        about: Set(String::new()),
        active: Set(None),
        retired: Set(true),
        deleted: Set(Some(at)),
        team: Set(None),
        ..Default::default()
    };
    bots::update_bot(change, id, gone).await?;
    standings::list_bot(
        change,
        &Bot {
            active: None,
            retired: true,
            ..bot.clone()
        },
    )
    .await?;
    erasure::insert_erasure(change, erasure::NameOwner::Bot(id)).await?;
    audit_log::forget_name(change, &format!("bot {id}")).await?;
    follows::forget_bot(change, id).await?;
    notifications::forget_bot(change, id).await?;
    Ok(bot)
}

async fn lock_user(change: &Change, id: UserId) -> Result<User> {
    lock_row::<tables::users::Entity>(change, id, "user").await
}

/// Refuses to delete the last administrator. The rows are locked, so that two administrators who
/// delete their accounts at the same time do not both find the other one.
async fn check_other_admin(change: &Change, user: &User) -> Result<()> {
    let admins = tables::users::Entity::find().filter(tables::users::Column::Admin.eq(true));
    let admins = admins
        .filter(tables::users::Column::Disabled.eq(false))
        .order_by_asc(tables::users::Column::Id);
    let admins = admins.lock(LockType::NoKeyUpdate).all(change).await?;
    if admins.iter().any(|admin| admin.id != user.id) {
        return Ok(());
    }
    Err(StoreError::Refused(format!(
        "{} is the only administrator; make another account an administrator's first",
        user.name
    )))
}

/// Locks a bot until `change` ends: it cannot be changed, and no match with it can be created. The
/// lock is weaker than `FOR UPDATE`, which would block the recording of results.
async fn lock_bot(change: &Change, id: BotId) -> Result<Bot> {
    let found = tables::bots::Entity::find_by_id(id)
        .lock(LockType::NoKeyUpdate)
        .one(change)
        .await?;
    let bot = living::require_living(found, id)?;
    match bot.built_in() {
        true => Err(StoreError::Refused(format!(
            "{} comes with Leitai and cannot be deleted; an administrator can take it off the ladder",
            bot.name
        ))),
        false => Ok(bot),
    }
}

/// The pending matches of a bot.
async fn open_matches(change: &Change, bot: BotId) -> Result<Vec<Match>> {
    let open = tables::matches::Entity::find().filter(tables::matches::Column::State.is_in(OPEN));
    let open = open
        .join(
            sea_orm::JoinType::InnerJoin,
            entrants::Relation::Match.def().rev(),
        )
        .filter(entrants::Column::Bot.eq(bot));
    Ok(open
        .order_by_asc(tables::matches::Column::Id)
        .all(change)
        .await?)
}

/// Locks the jobs of a bot's versions and pending matches, in the global order of job locks.
async fn lock_jobs(change: &Change, bot: BotId) -> Result<()> {
    let open: Vec<MatchId> = open_matches(change, bot)
        .await?
        .iter()
        .map(|own| own.id)
        .collect();
    let own = tables::versions::Entity::find()
        .filter(tables::versions::Column::Bot.eq(bot))
        .all(change)
        .await?;
    let of_work = sea_orm::Condition::any()
        .add(tables::jobs::Column::MatchId.is_in(open))
        .add(tables::jobs::Column::VersionId.is_in(own.into_iter().map(|version| version.id)));
    let these = tables::jobs::Entity::find()
        .filter(of_work)
        .order_by_asc(tables::jobs::Column::Id);
    these.lock_exclusive().all(change).await?;
    Ok(())
}

/// Cancels the pending matches of a bot, or of one of its versions.
async fn cancel_matches(
    change: &Change,
    bot: BotId,
    version: Option<VersionId>,
    at: Timestamp,
) -> Result<()> {
    let plays = |entrant: &Option<MatchEntrant>| {
        let entrant = entrant.as_ref().filter(|entrant| entrant.bot == Some(bot));
        entrant.is_some_and(|entrant| version.is_none() || entrant.version == version)
    };
    let open = open_matches(change, bot).await?;
    let theirs = open
        .iter()
        .filter(|own| plays(&own.a) || plays(&own.b))
        .map(|own| own.id)
        .collect();
    cancel_selected(change, theirs, "a bot that plays in it was deleted", at).await
}

/// Cancels the pending matches of a person.
async fn cancel_games(change: &Change, user: UserId, at: Timestamp) -> Result<()> {
    let open =
        tables::matches::Entity::find().filter(tables::matches::Column::Kind.eq(MatchKind::Human));
    let open = open
        .filter(tables::matches::Column::State.is_in(OPEN))
        .all(change)
        .await?;
    let plays = |entrant: &Option<MatchEntrant>| {
        entrant
            .as_ref()
            .is_some_and(|entrant| entrant.user == Some(user))
    };
    let theirs = open
        .iter()
        .filter(|own| plays(&own.a) || plays(&own.b))
        .map(|own| own.id)
        .collect();
    cancel_selected(
        change,
        theirs,
        "the account of a person who plays in it was deleted",
        at,
    )
    .await
}

async fn cancel_selected(
    change: &Change,
    ids: Vec<MatchId>,
    why: &str,
    at: Timestamp,
) -> Result<()> {
    let these = tables::jobs::Entity::find()
        .filter(tables::jobs::Column::MatchId.is_in(ids.iter().copied()));
    let these = these
        .order_by_asc(tables::jobs::Column::Id)
        .lock_exclusive()
        .all(change)
        .await?;
    let still_open = tables::matches::Entity::find().filter(tables::matches::Column::Id.is_in(ids));
    let still_open = still_open
        .filter(tables::matches::Column::State.is_in(OPEN))
        .lock_exclusive();
    let open: BTreeSet<MatchId> = still_open
        .all(change)
        .await?
        .iter()
        .map(|own| own.id)
        .collect();
    for id in &open {
        matches::end_match(change, *id, MatchState::Cancelled, why, at).await?;
    }
    let is_open = |job: &&tables::jobs::Job| job.match_id.is_some_and(|id| open.contains(&id));
    let dropped: Vec<_> = these.iter().filter(is_open).map(|job| job.id).collect();
    jobs::end_job(change, &dropped, JobState::Dropped).await
}

/// Clears a version except for its number, and ends the job that builds it.
async fn clear_version(change: &Change, version: &Version, at: Timestamp) -> Result<()> {
    let building =
        tables::jobs::Entity::find().filter(tables::jobs::Column::VersionId.eq(version.id));
    let open = [JobState::Queued, JobState::Leased, JobState::SetAside];
    let building = building.filter(tables::jobs::Column::State.is_in(open));
    if let Some(job) = building.lock_exclusive().one(change).await? {
        jobs::end_job(change, &[job.id], JobState::Dropped).await?;
    }
    situations::forget_version(change, version.id).await?;
    versions::update_version(change, version.id, versions::cleared_version(at)).await?;
    discards::insert_discards(change, version.source.clone(), at).await
}

async fn log_deletion(
    change: &Change,
    deletion: DeletionRequest,
    action: &str,
    subject: String,
    detail: crate::Json,
) -> Result<()> {
    let action = AuditedAction::new(deletion.by, action, subject, detail);
    audit_log::write(change, action, deletion.at).await
}
