//! The tables `situation_packs` and `situation_answers`.

use sea_orm::entity::prelude::*;

use crate::{ContestId, Json, PackId, Result, Timestamp};

/// The most packs of a game, or of a contest.
pub const MOST_PACKS: u64 = 8;

/// A pack of an organiser, which every upload that it concerns is asked.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "situation_packs")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: PackId,
    /// The game's id.
    pub game: String,
    /// The contest whose bots are asked; `None`: all of the game.
    pub contest: Option<ContestId>,
    /// Its name, `{"en", "zh"}`.
    pub name: Json,
    /// How many moments it has.
    pub moments: i32,
    /// Its file.
    pub content: String,
    /// Nobody but its organisers knows of it before.
    pub hidden_until: Option<Timestamp>,
    /// When it was uploaded.
    pub created: Timestamp,
    /// The name of its file, if the file of its contest names it: then it goes with that.
    pub file: Option<String>,
}

impl Model {
    /// Whether only its organisers know of it.
    pub fn is_hidden(&self, at: Timestamp) -> bool {
        self.hidden_until.is_some_and(|until| at < until)
    }
}

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Table of what versions answered, a row for each version and source.
pub(crate) mod answers {
    use sea_orm::entity::prelude::*;

    use crate::{Json, VersionId};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "situation_answers")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub version: VersionId,
        /// Whose moments they are: `pins`, `game`, or the number of a pack.
        #[sea_orm(primary_key, auto_increment = false)]
        pub source: String,
        /// A list of what was answered, an object a moment.
        pub answers: Json,
    }

    #[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// Removes a pack, with what was answered in it.
pub(crate) async fn remove_within(change: &impl ConnectionTrait, id: PackId) -> Result<()> {
    Entity::delete_by_id(id).exec(change).await?;
    let of_pack = answers::Entity::delete_many();
    let of_pack = of_pack.filter(answers::Column::Source.eq(id.to_string()));
    of_pack.exec(change).await?;
    Ok(())
}

pub use Model as SituationPackRow;
