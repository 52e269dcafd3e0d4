//! Mail: the addresses of people who want some, links that were sent, and what is to be sent.
//!
//! What is to be sent is a row; whoever sends takes it for a while, as with
//! [`webhooks`](crate::messages::webhooks). The secret of a link is made when it is sent, so that the database
//! has only its hash.

use std::time::Duration;

use sea_orm::{SelectGetableTuple, Selector};

use crate::database::prelude::*;
use crate::database::skeletons::fold_name;
use crate::tables::mail::{ActiveModel, Column, Entity, Mail, MailAddress, MailKind, links, mails};
use crate::{Json, TokenHash, UserId, tables};

/// The waiting times between the attempts to send one mail; after the last it is given up.
pub const RETRIES: [Duration; 5] = [
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(15 * 60),
    Duration::from_secs(30 * 60),
];
/// Accounts of one address to which the reset of a password is sent.
const ACCOUNTS: u64 = 5;

/// A mail that was taken, with its receiver.
#[derive(Clone, Debug)]
pub struct ClaimedMail {
    /// The mail.
    pub mail: Mail,
    /// The name of the account.
    pub name: String,
    /// Where it goes.
    pub to: MailAddress,
}

/// A link to be stored when it is sent.
#[derive(Clone, Debug)]
pub struct NewLink {
    /// The hash of its secret.
    pub hash: TokenHash,
    /// Until when it works.
    pub until: Timestamp,
}

/// What people are told by mail.
pub(crate) struct Notice {
    pub kind: MailKind,
    pub people: Vec<UserId>,
    /// What the text names.
    pub subject: Json,
}

impl Store {
    /// The address of a person; `None` if there is none.
    pub async fn mail_address(&self, user: UserId) -> Result<Option<MailAddress>> {
        Ok(Entity::find_by_id(user).one(&self.readers).await?)
    }

    /// Sets the address of a person, which is to be confirmed, and queues a mail with the link. Links
    /// that were sent to the old address end.
    pub async fn set_mail_address(
        &self,
        user: UserId,
        address: &str,
        lang: &str,
        at: Timestamp,
    ) -> Result<MailAddress> {
        let change = self.begin_write().await?;
        forget(&change, user).await?;
        let row = ActiveModel {
            user: Set(user),
            address: Set(address.to_owned()),
            folded: Set(fold_name(address)),
            lang: Set(lang.to_owned()),
            confirmed: Set(None),
            problem: Set(None),
            uploads: Set(true),
            contests: Set(true),
        };
        let row = row.insert(&change).await?;
        insert_mail(&change, user, MailKind::Confirm, None, at).await?;
        change.commit().await?;
        Ok(row)
    }

    /// Sets of what a person is told; false without an address.
    pub async fn set_mail_notices(
        &self,
        user: UserId,
        uploads: bool,
        contests: bool,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let done = Entity::update_many()
            .col_expr(Column::Uploads, Expr::value(uploads))
            .col_expr(Column::Contests, Expr::value(contests))
            .filter(Column::User.eq(user))
            .exec(&change)
            .await?;
        change.commit().await?;
        Ok(done.rows_affected > 0)
    }

    /// Removes the address of a person, and what was to be sent there.
    pub async fn remove_mail_address(&self, user: UserId) -> Result<()> {
        let change = self.begin_write().await?;
        forget(&change, user).await?;
        Ok(change.commit().await?)
    }

    /// Confirms an address by the secret of its link, which works once; returns the account. `None`
    /// if the link is unknown, used or too old.
    pub async fn confirm_mail_address(
        &self,
        hash: &TokenHash,
        at: Timestamp,
    ) -> Result<Option<UserId>> {
        let change = self.begin_write().await?;
        let Some(link) = take_link(&change, hash, MailKind::Confirm, at).await? else {
            return Ok(None);
        };
        let confirmed = Entity::update_many()
            .col_expr(Column::Confirmed, Expr::value(Some(at)))
            .filter(Column::User.eq(link.user))
            .filter(Column::Address.eq(link.address))
            .exec(&change)
            .await?;
        change.commit().await?;
        Ok((confirmed.rows_affected > 0).then_some(link.user))
    }

    /// Queues links by which the passwords of the accounts of an address are set; none if nobody has
    /// confirmed it. Nobody is told which.
    pub async fn queue_resets(&self, address: &str, at: Timestamp) -> Result<usize> {
        let change = self.begin_write().await?;
        let found = Entity::find()
            .filter(Column::Folded.eq(fold_name(address)))
            .filter(Column::Confirmed.is_not_null())
            .order_by_asc(Column::User)
            .limit(ACCOUNTS)
            .all(&change)
            .await?;
        for own in &found {
            insert_mail(&change, own.user, MailKind::Reset, None, at).await?;
        }
        change.commit().await?;
        Ok(found.len())
    }

    /// Takes the mail that is longest due, for so long, and stores its link. A mail whose receiver
    /// is gone is dropped.
    pub async fn claim_mail(
        &self,
        link: impl Fn(MailKind) -> NewLink + Send,
        at: Timestamp,
        lasts: Duration,
    ) -> Result<Option<ClaimedMail>> {
        let change = self.begin_write().await?;
        let due = mails::Entity::find()
            .filter(mails::Column::Due.lte(at))
            .order_by_asc(mails::Column::Due)
            .order_by_asc(mails::Column::Id)
            .lock_exclusive();
        let Some(found) = due.one(&change).await? else {
            return Ok(None);
        };
        let to = Entity::find_by_id(found.user).one(&change).await?;
        let to = to.filter(|to| found.kind == MailKind::Confirm || to.confirmed.is_some());
        let user = tables::users::Entity::find_by_id(found.user)
            .one(&change)
            .await?;
        let (Some(to), Some(user)) = (to, user) else {
            mails::Entity::delete_by_id(found.id).exec(&change).await?;
            change.commit().await?;
            return Ok(None);
        };
        if found.kind.has_link() {
            insert_link(&change, link(found.kind), &found, &to).await?;
        }
        let row = mails::ActiveModel {
            id: Set(found.id),
            due: Set(at.after(lasts)),
            attempts: Set(found.attempts + 1),
            ..Default::default()
        };
        let mail = row.update(&change).await?;
        change.commit().await?;
        Ok(Some(ClaimedMail {
            mail,
            name: user.name,
            to,
        }))
    }

    /// Records how an attempt ended: without a problem the mail is done; else it is due again after
    /// the next of [`RETRIES`], or given up if the problem lasts.
    pub async fn end_mail(
        &self,
        claimed: &Mail,
        problem: Option<&str>,
        lasting: bool,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let tried = usize::try_from(claimed.attempts - 1).unwrap_or_default();
        let wait = RETRIES.get(tried).filter(|_| !lasting);
        match (problem, wait) {
            (Some(_), Some(wait)) => {
                mails::Entity::update_many()
                    .col_expr(mails::Column::Due, Expr::value(at.after(*wait)))
                    .filter(mails::Column::Id.eq(claimed.id))
                    .exec(&change)
                    .await?;
            }
            _ => {
                mails::Entity::delete_by_id(claimed.id)
                    .exec(&change)
                    .await?;
                let problem = problem.map(str::to_owned);
                Entity::update_many()
                    .col_expr(Column::Problem, Expr::value(problem))
                    .filter(Column::User.eq(claimed.user))
                    .exec(&change)
                    .await?;
            }
        }
        Ok(change.commit().await?)
    }

    /// Removes links that are too old; returns their number.
    pub async fn sweep_links(&self, at: Timestamp) -> Result<u64> {
        let old = links::Entity::delete_many().filter(links::Column::Until.lt(at));
        self.delete_rows(old).await
    }
}

/// Removes everything about the mail of a person.
pub(crate) async fn forget(change: &Change, user: UserId) -> Result<()> {
    delete_rows::<mails::Entity>(change, mails::Column::User.eq(user)).await?;
    delete_rows::<links::Entity>(change, links::Column::User.eq(user)).await?;
    Entity::delete_by_id(user).exec(change).await?;
    Ok(())
}

/// Whether anybody has confirmed an address: most arenas pay only for this question.
pub(crate) async fn has_receivers(change: &Change) -> Result<bool> {
    let any = Entity::find().filter(Column::Confirmed.is_not_null());
    let any: Option<UserId> = any
        .select_only()
        .column(Column::User)
        .limit(1)
        .into_tuple()
        .one(change)
        .await?;
    Ok(any.is_some())
}

/// Queues a mail for each of these people who wants mails of this kind; those about the second factor
/// cannot be switched off.
pub(crate) async fn send_notice(change: &Change, notice: Notice, at: Timestamp) -> Result<()> {
    let wanted = match notice.kind {
        MailKind::Contest => Column::Contests.eq(true),
        MailKind::Upload => Column::Uploads.eq(true),
        _ => Column::User.is_not_null(),
    };
    let receivers: Vec<UserId> = Entity::find()
        .filter(Column::User.is_in(notice.people))
        .filter(Column::Confirmed.is_not_null())
        .filter(wanted)
        .select_only()
        .column(Column::User)
        .into_tuple()
        .all(change)
        .await?;
    for user in receivers {
        let subject = notice.subject.to_string();
        insert_mail(change, user, notice.kind, Some(subject), at).await?;
    }
    Ok(())
}

async fn insert_link(change: &Change, new: NewLink, mail: &Mail, to: &MailAddress) -> Result<()> {
    let row = links::ActiveModel {
        hash: Set(new.hash.as_str().to_owned()),
        user: Set(mail.user),
        kind: Set(mail.kind),
        address: Set(to.address.clone()),
        until: Set(new.until),
    };
    insert_new(change, row, [links::Column::Hash]).await?;
    Ok(())
}

async fn insert_mail(
    change: &Change,
    user: UserId,
    kind: MailKind,
    subject: Option<String>,
    at: Timestamp,
) -> Result<()> {
    let row = mails::ActiveModel {
        id: NotSet,
        user: Set(user),
        kind: Set(kind),
        subject: Set(subject),
        created: Set(at),
        due: Set(at),
        attempts: Set(0),
    };
    row.insert(change).await?;
    Ok(())
}

/// Takes a link out, if it still works: of two who come with it at the same time one gets it.
pub(crate) async fn take_link(
    change: &Change,
    hash: &TokenHash,
    kind: MailKind,
    at: Timestamp,
) -> Result<Option<links::Model>> {
    let link = links::Entity::find_by_id(hash.as_str())
        .filter(links::Column::Kind.eq(kind))
        .filter(links::Column::Until.gt(at))
        .lock_exclusive()
        .one(change)
        .await?;
    if link.is_some() {
        links::Entity::delete_by_id(hash.as_str())
            .exec(change)
            .await?;
    }
    Ok(link)
}

/// The number of the mails that wait, and since when the first is due.
pub(crate) fn waiting_mails() -> Selector<SelectGetableTuple<(i64, Option<Timestamp>)>> {
    let waiting = mails::Entity::find()
        .select_only()
        .column_as(mails::Column::Id.count(), "count")
        .column_as(mails::Column::Due.min(), "due");
    waiting.into_tuple()
}
