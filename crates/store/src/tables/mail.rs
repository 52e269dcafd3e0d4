//! The tables `mail_addresses`, `mail_links` and `mails`.

use sea_orm::entity::prelude::*;

use crate::{Timestamp, UserId};

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum MailKind {
    /// A link by which an address is confirmed.
    Confirm,
    /// A link by which a password is set.
    Reset,
    /// An upload failed.
    Upload,
    /// A contest begins.
    Contest,
    /// The second factor of the account was changed.
    Factor,
}

impl MailKind {
    /// Whether it has a link that works once.
    pub(crate) fn has_link(self) -> bool {
        matches!(self, MailKind::Confirm | MailKind::Reset)
    }
}

/// The address of a person.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "mail_addresses")]
pub struct Model {
    /// The account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user: UserId,
    /// The address as it was written.
    pub address: String,
    /// The address in lower case.
    pub folded: String,
    /// The language of mails: `en` or `zh`.
    pub lang: String,
    /// When it was confirmed; `None` before.
    pub confirmed: Option<Timestamp>,
    /// Why the last mail was given up, in a word.
    pub problem: Option<String>,
    /// Whether the person is told of uploads that failed.
    pub uploads: bool,
    /// Whether the person is told of contests that begin.
    pub contests: bool,
}

relations!();

pub use Model as MailAddress;

/// Table of links that were sent.
pub(crate) mod links {
    use sea_orm::entity::prelude::*;

    use super::MailKind;
    use crate::{Timestamp, UserId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mail_links")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub hash: String,
        pub user: UserId,
        pub kind: MailKind,
        pub address: String,
        pub until: Timestamp,
    }

    relations!();
}

/// Table of what is to be sent.
pub(crate) mod mails {
    use sea_orm::entity::prelude::*;

    use super::MailKind;
    use crate::{Timestamp, UserId};

    /// A mail to be sent.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mails")]
    pub struct Model {
        /// The key.
        #[sea_orm(primary_key)]
        pub id: i64,
        /// To whom.
        pub user: UserId,
        /// What.
        pub kind: MailKind,
        /// What it is about: the name of a contest, or a bot and the number of its version.
        pub subject: Option<String>,
        /// When it was wanted.
        pub created: Timestamp,
        /// When it is tried next.
        pub due: Timestamp,
        /// How often it was tried.
        pub attempts: i32,
    }

    relations!();
}

pub use mails::Model as Mail;
