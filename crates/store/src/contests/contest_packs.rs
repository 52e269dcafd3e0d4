//! The situation packs that a contest's file names: they come, change and go with the file.

use crate::database::prelude::*;
use crate::tables::situations::{ActiveModel, Column, Entity, MOST_PACKS, remove_within};
use crate::{Contest, Json, PackId, SituationPackRow};

/// A pack that a contest's file names.
#[derive(Clone, Debug)]
pub struct ContestPack {
    /// The name of its file.
    pub file: String,
    /// Nobody but the organisers knows of it before.
    pub hidden_until: Option<Timestamp>,
    /// Its content; `None`: that of the pack with this name which is there.
    pub content: Option<PackContent>,
}

/// A pack that was read and checked.
#[derive(Clone, Debug)]
pub struct PackContent {
    /// Its name, `{"en", "zh"}`.
    pub name: Json,
    /// How many moments it has.
    pub moments: i32,
    /// Its file.
    pub text: String,
}

impl Store {
    /// The packs that came with a contest's file.
    pub async fn packs_of_file(&self, contest: &Contest) -> Result<Vec<SituationPackRow>> {
        let own = Entity::find().filter(Column::Contest.eq(contest.id));
        let own = own.filter(Column::File.is_not_null()).all(&self.readers);
        Ok(own.await?)
    }
}

/// Makes the packs of a contest those of its file. What is as it was keeps its number and its answers.
pub(crate) async fn write(
    change: &Change,
    contest: &Contest,
    packs: Vec<ContestPack>,
    at: Timestamp,
) -> Result<()> {
    let mut before = Entity::find()
        .filter(Column::Contest.eq(contest.id))
        .filter(Column::File.is_not_null())
        .all(change)
        .await?;
    for pack in packs {
        let known = before
            .iter()
            .position(|row| row.file.as_ref() == Some(&pack.file));
        let known = known.map(|at| before.swap_remove(at));
        match (known, pack.content) {
            (None, None) => {
                return Err(StoreError::Refused(format!(
                    "the pack {:?} is not here; send it with the contest's file",
                    pack.file
                )));
            }
            (Some(row), content) if content.as_ref().is_none_or(|new| new.text == row.content) => {
                let dated = ActiveModel {
                    id: Set(row.id),
                    hidden_until: Set(pack.hidden_until),
                    ..Default::default()
                };
                dated.update(change).await?;
            }
            (known, Some(new)) => {
                remove(change, known.map(|row| row.id)).await?;
                let row = ActiveModel {
                    id: NotSet,
                    game: Set(contest.game.clone()),
                    contest: Set(Some(contest.id)),
                    name: Set(new.name),
                    moments: Set(new.moments),
                    content: Set(new.text),
                    hidden_until: Set(pack.hidden_until),
                    created: Set(at),
                    file: Set(Some(pack.file)),
                };
                row.insert(change).await?;
            }
            (Some(_), None) => {}
        }
    }
    remove(change, before.into_iter().map(|row| row.id)).await?;
    let all = Entity::find().filter(Column::Contest.eq(contest.id));
    if all.count(change).await? > MOST_PACKS {
        return Err(StoreError::Refused(format!(
            "the contest would have more than {MOST_PACKS} packs; remove one first"
        )));
    }
    Ok(())
}

async fn remove(change: &Change, packs: impl IntoIterator<Item = PackId>) -> Result<()> {
    for pack in packs {
        remove_within(change, pack).await?;
    }
    Ok(())
}
