//! The table `ladders`.

use sea_orm::entity::prelude::*;

use crate::LadderId;

/// A ladder, with its counters: changes, and picks of pairs.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ladders")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub ladder: LadderId,
    pub game: String,
    pub turn: i64,
    pub picks: i64,
    /// Whether bots play on it.
    pub open: bool,
}

relations!();

impl Model {
    /// A ladder on which nobody has played. A further one is closed until the operator's list
    /// opens it.
    pub fn new_ladder(ladder: &LadderId) -> Model {
        Model {
            ladder: ladder.clone(),
            game: ladder.game().to_owned(),
            turn: 0,
            picks: 0,
            open: ladder.is_standard(),
        }
    }
}
