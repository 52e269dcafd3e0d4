//! The tables `game_rights`, `game_owners` and `game_previews`.

/// Who may add games, by account.
pub mod rights {
    use sea_orm::entity::prelude::*;

    use crate::{Timestamp, UserId};

    /// The right of an account.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "game_rights")]
    pub struct Model {
        /// The account.
        #[sea_orm(primary_key, auto_increment = false)]
        pub user: UserId,
        /// When an administrator gave it.
        pub given: Timestamp,
    }

    relations!();
}

/// Whom games belong to.
pub mod owners {
    use sea_orm::entity::prelude::*;

    use crate::{Timestamp, UserId};

    /// A game that was brought as a file. One without a row was brought before there were any, and is
    /// the administrators'.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "game_owners")]
    pub struct Model {
        /// The game's id.
        #[sea_orm(primary_key, auto_increment = false)]
        pub game: String,
        /// Who may bring versions of it besides administrators.
        pub user: Option<UserId>,
        /// Since when it is not there because an administrator took it from its owner.
        pub taken_down: Option<Timestamp>,
    }

    relations!();
}

/// The matches that were played before versions were published.
pub mod previews {
    use sea_orm::entity::prelude::*;

    /// The match of two random bots.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "game_previews")]
    pub struct Model {
        /// The version.
        #[sea_orm(primary_key, auto_increment = false)]
        pub file: i64,
        /// Its replay.
        pub replay: String,
    }

    relations!();
}
