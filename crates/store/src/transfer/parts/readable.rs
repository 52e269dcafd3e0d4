//! Whether what came can be read as this arena reads it: a row with a word that no version knows would
//! spoil every list in which it stands.

use std::collections::{BTreeMap, HashMap};

use crate::database::prelude::*;
use crate::tables;
use crate::transfer::error::TransferError;

/// The new keys by the old ones, of each table.
type NewKeys = BTreeMap<&'static str, HashMap<i64, i64>>;

/// Reads what came, as the arena does.
pub async fn check_readable(
    change: &Change,
    keys: &NewKeys,
    ladders: &[String],
) -> Result<(), TransferError> {
    use tables::{contests, distinct_games, history, ladder, match_tags, matches};
    let of = |table: &str| -> Vec<i64> {
        let keys = keys.get(table).into_iter().flatten();
        keys.map(|(_, new)| *new).collect()
    };
    let [bots, played, contests] = ["bots", "matches", "contests"].map(of);
    macro_rules! check {
        ($($table:literal $entity:path, $column:expr, $keys:expr;)*) => {$(
            read::<$entity, _>(change, $table, $column, $keys).await?;
        )*};
    }
    check! {
        "bots" tables::bots::Entity, tables::bots::Column::Id, &bots;
        "versions" tables::versions::Entity, tables::versions::Column::Id, &of("versions");
        "matches" matches::Entity, matches::Column::Id, &played;
        "match_entrants" matches::entrants::Entity, matches::entrants::Column::MatchId, &played;
        "match_people" matches::people::Entity, matches::people::Column::MatchId, &played;
        "match_tags" match_tags::Entity, match_tags::Column::MatchId, &played;
        "corrections" tables::corrections::Entity, tables::corrections::Column::MatchId, &played;
        "contests" contests::Entity, contests::Column::Id, &contests;
        "contest_entries" contests::entries::Entity, contests::entries::Column::Contest, &contests;
        "contest_stages" contests::stages::Entity, contests::stages::Column::Contest, &contests;
        "contest_matches" contests::played::Entity, contests::played::Column::Contest, &contests;
        "contest_names" tables::contest_names::Entity, tables::contest_names::Column::Contest, &contests;
        "situation_packs" tables::situations::Entity, tables::situations::Column::Contest, &contests;
        "ladders" tables::rating_turns::Entity, tables::rating_turns::Column::Ladder, ladders;
        "standings" ladder::Entity, ladder::Column::Ladder, ladders;
        "rating_changes" history::changes::Entity, history::changes::Column::Ladder, ladders;
        "doubt_raises" history::raises::Entity, history::raises::Column::Ladder, ladders;
        "head_to_heads" history::rivals::Entity, history::rivals::Column::Ladder, ladders;
        "distinct_games" distinct_games::Entity, distinct_games::Column::Ladder, ladders;
    }
    Ok(())
}

async fn read<E: EntityTrait, K: Clone + Into<sea_orm::Value>>(
    change: &Change,
    table: &str,
    column: E::Column,
    keys: &[K],
) -> Result<(), TransferError> {
    for some in keys.chunks(100) {
        let these = E::find().filter(column.is_in(some.iter().cloned()));
        if let Err(error) = these.all(change).await {
            return Err(TransferError::wrong_row(table, &error.to_string()));
        }
    }
    Ok(())
}
